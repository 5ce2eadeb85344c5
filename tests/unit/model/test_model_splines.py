"""Splines against SciPy's, and against functions whose derivatives are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from simulator.errors import UsageError
from simulator.model.splines import Spline

TIMES = (0.0, 0.1, 0.25, 0.3, 0.5, 0.72, 1.0)


def second(spline: Spline, time: float, side: float) -> float:
    """The second derivative on one side of a time, by a difference of rates that is exact to 1e-4 here."""
    step = 1e-6 * side
    return (spline.rate(time + 2.0 * step) - spline.rate(time + step)) / step


def test_without_rates_it_is_the_cubic_spline_of_scipy() -> None:
    """To rounding, which its pieces of fifth degree have of their own."""
    values = np.cos(5.0 * np.array(TIMES))
    spline, book = Spline(TIMES, tuple(values)), CubicSpline(TIMES, values)
    for time in np.arange(0.0, 1.0, 0.013):
        assert spline.value(time) == pytest.approx(float(book(time)), abs=1e-14)
        assert spline.rate(time) == pytest.approx(float(book(time, 1)), abs=1e-12)


@pytest.mark.parametrize("with_rates", [False, True])
def test_its_second_derivative_is_continuous(with_rates: bool) -> None:
    values, rates = np.cos(5.0 * np.array(TIMES)), -5.0 * np.sin(5.0 * np.array(TIMES))
    spline = Spline(TIMES, tuple(values), rates=tuple(rates) if with_rates else ())
    for time, wanted in zip(TIMES[1:-1], spline.derivatives[1][1:-1], strict=True):
        assert second(spline, time, -1.0) == pytest.approx(wanted, abs=2e-3)
        assert second(spline, time, 1.0) == pytest.approx(wanted, abs=2e-3)


def test_with_rates_its_third_derivative_is_continuous() -> None:
    """By the coefficients of its pieces, to rounding."""
    values, rates = np.cos(5.0 * np.array(TIMES)), -5.0 * np.sin(5.0 * np.array(TIMES))
    pieces = np.array(Spline(TIMES, tuple(values), rates=tuple(rates)).pieces)
    h, (d, e, f) = np.diff(TIMES), pieces[:-1, 4:].T
    assert (6.0 * d + h * (24.0 * e + h * 60.0 * f))[:-1] == pytest.approx(6.0 * d[1:], abs=1e-8)


@pytest.mark.parametrize(("count", "degree"), [(2, 3), (3, 5), (7, 5)])
def test_with_rates_it_is_exact_for_polynomials(count: int, degree: int) -> None:
    """Values and rates at two samples determine a polynomial of third degree, at three or more one of fifth."""
    book = np.polynomial.Polynomial([1.0, -2.0, 0.5, 3.0, -1.5, 0.7][: degree + 1])
    times = np.array(TIMES[:count])
    spline = Spline(tuple(times), tuple(book(times)), rates=tuple(book.deriv()(times)))
    for time in np.linspace(times[0], times[-1], 40)[:-1]:
        assert spline.value(time) == pytest.approx(book(time), abs=1e-12)
        assert spline.rate(time) == pytest.approx(book.deriv()(time), abs=1e-10)
    assert spline.derivatives[1] == pytest.approx(book.deriv(2)(times), abs=1e-9)


def test_with_rates_second_derivatives_are_of_fourth_order() -> None:
    """Halving the time between samples makes errors at the samples 16 times smaller; 14 leaves room for higher
    orders."""
    errors = []
    for count in (21, 41, 81):
        times = np.linspace(0.0, 1.0, count)
        spline = Spline(tuple(times), tuple(np.sin(9.0 * times)), rates=tuple(9.0 * np.cos(9.0 * times)))
        errors.append(np.abs(spline.derivatives[1] + 81.0 * np.sin(9.0 * times)).max())
    assert errors[0] > 14.0 * errors[1] > 14.0**2 * errors[2]


def test_outside_it_stays() -> None:
    spline = Spline((1.0, 2.0, 3.0), (4.0, 5.0, 7.0))
    assert [spline.value(time) for time in (0.0, 1.0, 2.0, 3.0, 9.0)] == pytest.approx([4.0, 4.0, 5.0, 7.0, 7.0])
    assert [spline.rate(time) for time in (0.999, 3.0, 9.0)] == [0.0, 0.0, 0.0]
    assert spline.last_rate == pytest.approx(2.5)
    assert Spline((1.0,), (4.0,)).value(7.0) == 4.0
    assert Spline((1.0,), (4.0,)).last_rate == 0.0


@pytest.mark.parametrize(
    ("rates", "said"),
    [((1.0,), "as many rates as values, not 1 and 3"), ((1.0, float("nan"), 2.0), "finite numbers only")],
)
def test_rates_that_do_not_fit_are_refused(rates: tuple[float, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Spline((0.0, 1.0, 2.0), (0.0, 1.0, 4.0), rates=rates)
