"""Formulas as tapes: values against Python's arithmetic, derivatives against the complex step, curves against scipy."""

from __future__ import annotations

import cmath
import math
from contextlib import suppress

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator

from simulator.errors import UsageError
from simulator.model.curves import Interpolation, curve_through
from simulator.model.expressions import FUNCTIONS, parse_expression
from simulator.model.laws import LawKind, read_constraint, read_law, table_rows
from simulator.model.tape import Tape
from simulator.physics.layout import buffers as at
from simulator.physics.loops.tapes import RATE, SLOPE, VALUE, WORK, TapeViews, run_tape, tape_blocks

ROUND_OFF = 1e-12
"""Relative, of formulas of some ten operations whose values are about 1."""
STEP = 1e-30
"""Of the complex step: f(x + i h).imag / h is f' to the last bit."""


def kernel_views(tape: Tape) -> TapeViews:
    """A tape as the kernels see it, made of plain arrays."""
    floats, ints = tape_blocks({0: tape}, 1)

    def real(block: int) -> np.ndarray:
        found = floats[block]
        return np.zeros(found) if isinstance(found, int) else found

    return TapeViews(
        begin=ints[at.I_TAPE_BEGIN],
        code=ints[at.I_TAPE_CODE].reshape(-1, 4),
        number=real(at.F_TAPE_NUMBER),
        curve=ints[at.I_TAPE_CURVE].reshape(-1, 2),
        turn=real(at.F_TAPE_TURN).reshape(-1, 2),
        piece=real(at.F_TAPE_PIECE).reshape(-1, 5),
        work=real(at.F_TAPE_WORK).reshape(-1, WORK),
        variable=real(at.F_TAPE_VARIABLE).reshape(-1, WORK),
    )


def by_kernel(tape: Tape, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Value, gradient and vᵀ φ'' v as the kernel has them."""
    views = kernel_views(tape)
    views.variable[:, VALUE], views.variable[:, RATE] = q, v
    value, bend = run_tape(views, 0)
    return value, views.variable[:, SLOPE].copy(), bend


def random_expression(random: np.random.Generator, depth: int) -> str:
    """A smooth formula over a, b and c whose values and slopes are of moderate size."""
    if depth == 0:
        return str(random.choice(["a", "b", "c", f"{random.uniform(-2, 2):.3f}", "pi"]))
    x, y = random_expression(random, depth - 1), random_expression(random, depth - 1)
    forms = [
        f"({x} + {y})", f"({x} - {y})", f"({x})*sin({y})", f"({x})/(2 + cos({y}))", f"-({x})", f"tanh({x})**3",
        f"atan({x})", f"exp(-({x})**2)", f"sqrt(1 + ({x})**2)", f"log(2 + sin({x}))", f"tan(sin({x})/2)",
        f"atan2({x}, 3 + sin({y}))", f"hypot({x}, 1)", f"asin(sin({x})/2)", f"acos(cos({x})/2)",
        f"(2 + sin({x}))**({y})",
        f"sinh(sin({x}))", f"cosh(tanh({y}))", f"(2 + cos({x}))**-2", f"+({y})*0.5",
    ]  # fmt: skip
    return str(random.choice(forms))


def python_value(text: str, values: dict[str, complex]) -> complex:
    """The formula by Python, over complex numbers."""
    names = {name: getattr(cmath, name) for name in FUNCTIONS if hasattr(cmath, name)}
    # The second value of atan2 is above 0 in the formulas here.
    names |= {"atan2": lambda y, x: cmath.atan(y / x), "hypot": lambda x, y: cmath.sqrt(x * x + y * y), "pi": math.pi}
    return complex(eval(text, {"__builtins__": {}}, {**names, **values}))


@pytest.mark.parametrize("seed", range(60))
def test_random_formulas_have_the_values_and_slopes_of_pythons_arithmetic(seed: int) -> None:
    random = np.random.default_rng(seed)
    text = f"a + {random_expression(random, 3)}"
    names = ["a", "b", "c"]
    tape = parse_expression(text, names.index, 3)
    q, v = random.uniform(0.1, 1.0, 3), random.uniform(-1, 1, 3)
    expected = python_value(text, dict(zip(names, map(complex, q), strict=True))).real
    slopes = [
        python_value(text, {name: complex(q[k], STEP if k == j else 0.0) for k, name in enumerate(names)}).imag / STEP
        for j in range(3)
    ]
    found = tape.expand(q, v, np.zeros(3))
    assert found.value == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF)
    assert found.gradient == pytest.approx(slopes, rel=1e-10, abs=1e-10)
    assert found.rate == pytest.approx(np.dot(slopes, v), rel=1e-10, abs=1e-10)
    # The second derivative is the complex step of the gradient, which the tape has analytically.
    bend = (tape.expand(q + 1j * STEP * v).gradient.imag / STEP) @ v
    assert found.curve == pytest.approx(bend, rel=1e-9, abs=1e-9)
    value, gradient, kernel_bend = by_kernel(tape, q, v)
    assert value == pytest.approx(expected, rel=ROUND_OFF, abs=ROUND_OFF)
    assert gradient == pytest.approx(slopes, rel=1e-10, abs=1e-10)
    assert kernel_bend == pytest.approx(bend, rel=1e-9, abs=1e-9)


CHOICES = (
    "q**2 if q < 1 else 2*q - 1",
    "1 if not q <= 0.5 and q >= -0.5 or q > 2 else q",
    "q if -1 < q <= 1 < 3 else -q",
    "max(q, 0.25) - min(q**2, 1)",
    "abs(q - 0.3)",
    "q % 1.5 + (q % -0.7)",
)


@pytest.mark.parametrize("text", CHOICES)
def test_choices_and_remainders_are_pythons(text: str) -> None:
    law = read_law(LawKind.EXPRESSION, text)
    # No point is at an edge, or within the step of the difference quotient from one.
    for q in np.linspace(-2.013, 3.019, 97).tolist():
        expected, near = (float(eval(text, {"max": max, "min": min, "abs": abs}, {"q": q + h})) for h in (0.0, 1e-7))
        value, gradient, _ = by_kernel(law.tape, np.array([q]), np.ones(1))
        assert law.value(q) == pytest.approx(expected, abs=1e-14)
        assert value == pytest.approx(expected, abs=1e-14)
        assert law.slope(q) == pytest.approx(gradient[0], abs=1e-14)
        assert gradient[0] == pytest.approx((near - expected) / 1e-7, abs=1e-5)  # half of the step times f''


@pytest.mark.parametrize("seed", range(40))
def test_no_text_makes_the_parser_do_anything_but_refuse(seed: int) -> None:
    random = np.random.default_rng(seed)
    pieces = [*"q()+*,1<:[]'.@{}=%#é", "**", "sin", "if", "else", "lambda", "__import__", ":=", "9e99", "None", "not"]
    pieces += ["and", "\\", "0x", "f''"]
    for _ in range(200):
        text = " ".join(random.choice(pieces, random.integers(1, 12)))
        with suppress(UsageError):
            assert isinstance(read_law(LawKind.EXPRESSION, text).value(0.5), float)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("q^2", r"powers are written \*\*"),
        ("sine(q)", "did you mean 'sin'"),
        ("sin", "write what it is of"),
        ("atan2(q)", "takes 2 values, not 1"),
        ("x + 1", "the leader's position is called q"),
        ("3", "depends on no position"),
        ("q == 1", "no place in an expression"),
        ("1 if q else 2", "is not a condition"),
        ("q.real", "no place"),
        ("(" * 300 + "q" + ")" * 300, "not an expression"),
        ("+".join(["q*2"] * 6000), "characters"),
        ("+".join("(" + "+".join(f"q*{40 * i + j}" for j in range(40)) + ")" for i in range(30)), "2000 operations"),
        ("+".join(f"q*{i}" for i in range(1500)), "nested too deeply"),
        ("1e400*q", "not finite"),
    ],
)
def test_what_is_no_law_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_law(LawKind.EXPRESSION, text)


def test_the_side_of_a_choice_that_is_not_taken_has_no_say() -> None:
    law = read_law(LawKind.EXPRESSION, "log(q) if q > 0 else q**2")
    assert law.value(-2.0) == 4.0
    value, gradient, bend = by_kernel(law.tape, np.array([-2.0]), np.array([3.0]))
    assert (value, gradient[0], bend) == (4.0, -4.0, 18.0)


def test_numbers_without_a_value_are_nan_and_raise_nothing() -> None:
    for text in ("sqrt(q)", "log(q)", "asin(q - 2)", "q**0.5"):
        law = read_law(LawKind.EXPRESSION, text)
        assert math.isnan(law.value(-1.0)), text
        assert math.isnan(by_kernel(law.tape, np.array([-1.0]), np.array([0.0]))[0]), text


def test_an_angle_goes_on_over_its_jump() -> None:
    tape = read_law(LawKind.EXPRESSION, "2*atan2(3*sin(q/2), cos(q/2))").tape.behind(turning=True)
    for turn in range(4):
        follower = 2.0 * math.pi * turn + 2.0 * math.atan2(3.0 * math.sin(2.0), math.cos(2.0))
        assert tape.value((follower, 2.0 * math.pi * turn + 4.0)) == pytest.approx(0.0, abs=1e-14)


def test_polynomials_are_horners() -> None:
    law = read_law(LawKind.POLYNOMIAL, "0.5 -1 2 0.25")
    x = np.linspace(-3, 3, 7)
    assert law.tape.expand(x[:, None]).value == pytest.approx(0.5 - x + 2 * x**2 + 0.25 * x**3, abs=1e-13)
    assert law.coefficients == (0.5, -1.0, 2.0, 0.25)


# -- tables ------------------------------------------------------------------------------------------------------------

X = np.array([0.0, 0.5, 1.2, 2.0, 3.0])
Y = np.array([0.0, 0.1, 0.9, 1.0, 1.0])
SLOPES = np.array([0.0, 0.3, 1.0, 0.0, 0.0])


def along(curve_rows: np.ndarray, kind: Interpolation, x: np.ndarray, *, periodic: bool = False) -> tuple:
    curve = curve_through(curve_rows.tolist(), kind, periodic=periodic)
    tape = Tape(((1, 0, 0, 0), (10, 0, 0, 0)), (), (curve,))
    kernel = np.array([by_kernel(tape, np.array([at]), np.ones(1)) for at in x], dtype=object)
    expanded = tape.expand(x[:, None], np.ones((len(x), 1)))
    assert np.array(kernel[:, 0], dtype=float) == pytest.approx(expanded.value, abs=1e-14)
    assert np.array([g[0] for g in kernel[:, 1]]) == pytest.approx(expanded.gradient[:, 0], abs=1e-13)
    assert np.array(kernel[:, 2], dtype=float) == pytest.approx(expanded.curve, abs=1e-11)
    return expanded.value, expanded.gradient[:, 0]


@pytest.mark.parametrize(
    ("rows", "kind", "oracle"),
    [
        (np.column_stack((X, Y, SLOPES)), Interpolation.HERMITE, CubicHermiteSpline(X, Y, SLOPES)),
        (np.column_stack((X, Y)), Interpolation.HERMITE, PchipInterpolator(X, Y)),
        (np.column_stack((X, Y)), Interpolation.CUBIC, CubicSpline(X, Y)),
    ],
)
def test_a_table_is_scipys_curve(rows: np.ndarray, kind: Interpolation, oracle: CubicHermiteSpline) -> None:
    x = np.linspace(0.0, 3.0, 61)
    values, slopes = along(rows, kind, x)
    assert values == pytest.approx(oracle(x), abs=1e-13)
    assert slopes == pytest.approx(oracle(x, 1), abs=1e-12)


def test_beyond_its_rows_a_table_goes_on_straight() -> None:
    values, slopes = along(np.column_stack((X, Y)), Interpolation.CUBIC, np.array([-2.0, -1.0, 4.0, 5.0]))
    first = float(CubicSpline(X, Y)(0.0, 1))
    assert values[:2] == pytest.approx([-2.0 * first, -first], abs=1e-12)
    assert slopes[0] == slopes[1]
    assert slopes[2] == slopes[3]


@pytest.mark.parametrize("kind", list(Interpolation))
def test_a_periodic_table_advances_by_its_last_row(kind: Interpolation) -> None:
    rows = np.column_stack((X, Y))
    x = np.linspace(0.05, 2.9, 11)
    inside, slopes = along(rows, kind, x, periodic=True)
    for turns in (-2, 1, 5):
        values, others = along(rows, kind, x + 3.0 * turns, periodic=True)
        assert values == pytest.approx(inside + turns, abs=1e-12)
        assert others == pytest.approx(slopes, abs=1e-11)


def test_a_periodic_spline_is_smooth_over_its_ends() -> None:
    x = np.linspace(0.0, 2.0 * np.pi, 13)
    rows = np.column_stack((x, np.sin(x)))
    tape = read_law(LawKind.TABLE, "; ".join(f"{a} {b}" for a, b in rows), interpolation="cubic", periodic=True).tape
    before, after = (tape.expand(np.array([2.0 * np.pi + d]), np.ones(1)) for d in (-1e-9, 1e-9))
    assert before.gradient == pytest.approx(after.gradient, abs=1e-8)
    assert before.curve == pytest.approx(after.curve, abs=1e-6)


def test_rows_are_lines_or_parts_or_pairs() -> None:
    assert table_rows("0 0\n1 2\n") == table_rows("0 0; 1 2") == table_rows("0 0 1 2") == [[0.0, 0.0], [1.0, 2.0]]
    assert table_rows("0 0 1\n1 2 1") == [[0.0, 0.0, 1.0], [1.0, 2.0, 1.0]]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("0 0", {}, "two rows or more"),
        ("0 0 0; 1 0 0; 1e308 1 0", {}, r"numbers up to 1e\+60, not 1e\+308"),
        ("0 0; 1e-200 1", {}, "rise by 1e-60 or more, not 1e-200"),
        ("0 0 1", {}, "pairs x y"),
        ("0 0; 1 1 1", {}, "each x y"),
        ("0 0; 0 1", {}, "rise"),
        ("0 0; 1 a", {}, "'a' is not a number"),
        ("0 0; 1 inf", {}, "not a finite number"),
        ("0 0 1; 1 1 1", {"interpolation": "cubic"}, "slopes belong to hermite"),
        ("0 0; 1 1", {"interpolation": "akima"}, "hermite, cubic, linear, not 'akima'"),
        ("0 0 1; 1 1 2", {"periodic": True}, "ends with the slope it begins with"),
    ],
)
def test_what_is_no_table_is_refused_in_words(text: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_law(LawKind.TABLE, text, **options)  # type: ignore[arg-type]


def test_a_constraint_names_its_joints_in_quotes_where_it_must() -> None:
    found = read_constraint("rod", "hypot(slide, 'left-crank') - 0.3", "slide")
    assert (found.joints, found.follower) == (("slide", "left-crank"), "slide")
    with pytest.raises(UsageError, match="none of its joints"):
        read_constraint("rod", "a + b", "c")
