"""Formulas over channels: arithmetic against Python's, names, conditions, and what is refused."""

from __future__ import annotations

import math
import pickle

import pytest

from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.named import column_of
from simulator.studies.formula import parse_formula

NAMES = ["time", "joint/m::a/position", "joint/m::a/velocity", "joint/m::odd-one/position", "energy/kinetic", "x", "y"]
VALUES = [0.5, 2.0, -3.0, 4.0, 1.5, 6.0, 8.0]


def place(name: str) -> int:
    return column_of(NAMES, name, "channel")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a/position", 2.0),
        ("-(a/position**2 + 0.1 * m::a/velocity**2)", -4.9),
        ("'odd-one/position' - .5e1", -1.0),
        ("x/y", 0.75),
        ("x/2 + 1/y", 3.125),
        ("2*x/y", 1.5),
        ("sin(pi*time) + cos(0)", 2.0),
        ("atan2(y, x) - hypot(x, y)", math.atan2(8.0, 6.0) - 10.0),
        ("max(x, min(y, 7), 1) + abs(a/velocity) + sqrt(a/position + 2)", 12.0),
        ("exp(log(x)) + tanh(0) + tan(0)", 6.0),
        ("a/position > 1 and not x == y", 1.0),
        ("a/position < 1 or x >= 7", 0.0),
        ("1 < a/position < 3", 1.0),
        ("1 / (x - 6)", math.nan),
        ("sqrt(a/velocity)", math.nan),
        ("a/velocity ** 0.5", math.nan),
        ("10.0 ** 1000", math.nan),
    ],
)
def test_values(text: str, value: float) -> None:
    formula = parse_formula(text, place)
    assert formula.of(VALUES) == pytest.approx(value, rel=1e-15, abs=1e-15, nan_ok=True)
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert pickle.loads(pickle.dumps(formula)).of(VALUES) == pytest.approx(value, rel=1e-15, abs=1e-15, nan_ok=True)


def test_what_it_is_made_of() -> None:
    assert parse_formula("a/velocity", place).only == 2
    assert parse_formula("2 * a/velocity", place).only is None
    assert parse_formula("sin(x)", place).range == (-1.0, 1.0)
    assert parse_formula("2 * sin(x)", place).range == (-math.inf, math.inf)
    assert [parse_formula(text, place).is_condition for text in ("x > 1", "not x > 1", "x", "abs(x)")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x ^ 2", r"'\^' in the formula 'x \^ 2' is not understood: powers are written \*\*"),
        ("x; y", "';' in the formula"),
        ("v[0]", r"no channel is named 'v'"),
        ("sni(x)", "no function 'sni': there are abs, .*; did you mean 'sin'"),
        ("a/b", "no channel is named 'a/b'"),
        ("x +", "'x \\+' is not a formula over channels"),
        ("", "'' is not a formula over channels"),
        ("(x, y)", "contains other Python"),
        ("sin", "no channel is named 'sin'"),
        ("sin(x, y)", "too few or too many numbers"),
        ("min(x)", "too few or too many numbers"),
        ("abs(x)(y)", "contains other Python"),
        ("__import__('os')", "no function '__import__'"),
        ("lambda: x", "no channel is named 'lambda'"),
        ("a", "'a' has several channels"),
    ],
)
def test_what_is_no_formula(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_formula(text, place)


def test_names_that_do_not_exist_are_reported_as_such() -> None:
    with pytest.raises(UnknownNameError, match="did you mean"):
        parse_formula("2 * a/positon", place)
