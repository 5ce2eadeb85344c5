"""What is measured: reductions against closed forms, arithmetic, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from simulator.studies.measures import parse_constraint, parse_measure

TIME = np.linspace(0.0, 2.0, 2001)
WAVE = 1.0 + 0.5 * np.sin(2.0 * math.pi * TIME)
"""Two whole periods about 1."""


def measured(text: str) -> float:
    measure = parse_measure("m", text)
    return measure.formula.of([one.of(WAVE, TIME) for one in measure.reductions])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("initial(a/b)", 1.0),
        ("final(a/b)", 1.0),
        ("min(a/b)", 0.5),
        ("max(a/b)", 1.5),
        ("peak(a/b)", 1.5),
        ("peak_to_peak(a/b)", 1.0),
        ("mean(a/b)", 1.0),
        ("rms(a/b)", math.sqrt(1.125)),
        ("at(a/b, 0.25)", 1.5),
        ("crossing(a/b, 1.25)", 1.0 / 12.0),
        ("count(a/b, 1.25)", 2.0),
        ("count(a/b, 0.5)", 1.0),
        ("count(a/b, 1.6)", 0.0),
        ("2 * max(a/b) - min(a::c/b) ** 2", 2.75),
        ("sqrt(abs(-4 * max(a/b)))", math.sqrt(6.0)),
        ("max(final(a/b), min(a/b), 0.2) + cos(pi * initial(a/b))", 0.0),
        ("final(a/b) > 0.9 and not max(a/b) > 2", 1.0),
    ],
)
def test_reductions(text: str, value: float) -> None:
    """Trapezia over whole periods of a sine are exact but for rounding; a straight line between samples of 1 ms is off
    by h² f'' / 8 = 2.5e-6."""
    assert measured(text) == pytest.approx(value, abs=3e-6)


def test_what_is_never_reached_is_not_a_number() -> None:
    assert math.isnan(measured("crossing(a/b, 9)"))
    assert math.isnan(measured("at(a/b, 3)"))
    assert math.isnan(measured("1 / (final(a/b) - final(a/b))"))
    assert math.isnan(measured("sqrt(-max(a/b))"))
    assert math.isnan(measured("(-max(a/b)) ** 0.5"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5", "measures nothing"),
        ("finale(a/b)", "did you mean 'final'"),
        ("final()", r"write final\(CHANNEL\)"),
        ("final(a/b, 3)", r"write final\(CHANNEL\)"),
        ("at(a/b)", r"write at\(CHANNEL, NUMBER\)"),
        ("at(a/b, x)", "'x' in 'at"),
        ("final(a/b) if 1 else 2", "'if' in"),
        ("final(a/b).real", "is not understood"),
        ("final(a/b) +", "not a formula over measures of channels"),
        ("(final(a/b), 2)", "formula over measures of channels: it contains other Python"),
        ("final(a/b) + other", "'other' in"),
        ("__import__('os') + final(a/b)", "not a measure of a channel"),
    ],
)
def test_what_is_no_measure_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_measure("m", text)


def test_constraints() -> None:
    holds = parse_constraint("a + b <= 2 * c", ("a", "b", "c")).holds
    assert holds([1.0, 1.0, 1.0])
    assert not holds([1.0, 1.1, 1.0])
    assert not holds([math.nan, 0.0, 1.0])
    with pytest.raises(UsageError, match="no measure is named 'd'"):
        parse_constraint("d < 3", ("a",))
    with pytest.raises(UsageError, match="not a constraint"):
        parse_constraint("a = 3", ("a",))


@pytest.mark.parametrize(("relation", "at_end"), [("<=", True), (">=", True), ("<", False), (">", False)])
def test_a_rounding_is_no_difference(relation: str, *, at_end: bool) -> None:
    holds = parse_constraint(f"a {relation} 0.3", ("a",)).holds
    assert holds([0.1 + 0.2]) == holds([0.3]) == at_end
    assert holds([0.3 * (1.0 + 1e-14)]) == (relation[0] == ">")
    assert not holds([math.nan])


def test_a_sweep_that_ends_early_measures_nothing() -> None:
    """By Grashof's rule the crank of 0.1 m goes round where 0.1 + 0.4 <= coupler + rocker, and not with 0.25 + 0.16 m:
    what half a turn measures is no measure of the turn."""
    table: dict[str, Any] = {
        "document": "four_bar",
        "positions": {"moves": {"crank_joint": [0.0, 6.2832]}, "points": 37},
        "parameters": {"coupler.length": {"values": [0.25, 0.35]}, "rocker.length": 0.16},
        "measures": {"swing": "peak_to_peak(rocker_joint/position)"},
    }
    found = simulator.study(table)
    assert found.status.tolist() == ["jammed", "ok"]
    assert "'crank_joint' stops at" in found.reason[0]
