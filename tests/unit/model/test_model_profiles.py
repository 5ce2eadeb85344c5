"""Profiles against their formulas, and their rates against differences of their values."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from simulator.errors import UsageError
from simulator.formats.profile_text import format_profile, parse_profile
from simulator.model.profiles import Chirp, Constant, Expression, Profile, Ramp, Sine, Step, Table, clipped, stop_of
from simulator.model.splines import Spline

ALL: tuple[Profile, ...] = (
    Constant(1.5),
    Sine(2.0, 0.5, offset=-1.0, phase=0.3),
    Ramp(1.0, -2.0, 4.0),
    Step(-1.0, 3.0, 0.7),
    Chirp(0.5, 0.2, 3.0, 5.0, offset=0.1),
    Chirp(0.5, 3.0, 0.2, 5.0),
    Table((0.0, 1.0, 1.5, 4.0), (0.0, 2.0, -1.0, 0.5)),
    Spline((0.0, 1.0, 1.5, 4.0), (0.0, 2.0, -1.0, 0.5)),
    Spline((0.0, 1.0, 1.5, 4.0), (0.0, 2.0, -1.0, 0.5), rates=(1.0, 0.5, -2.0, 0.0)),
    Expression("0.2*t**2 + sin(3*t)"),
)


@pytest.mark.parametrize("profile", ALL, ids=lambda profile: type(profile).__name__)
def test_the_rate_is_the_slope_of_the_value(profile: Profile) -> None:
    """Central differences of 1e-6 s are exact to 1e-9 here; corners are left out by taking times between them."""
    for time in np.arange(0.013, 7.0, 0.0371):
        slope = (profile.value(time + 1e-6) - profile.value(time - 1e-6)) / 2e-6
        assert profile.rate(time) == pytest.approx(slope, abs=1e-6), time


@pytest.mark.parametrize("profile", ALL, ids=lambda profile: type(profile).__name__)
def test_before_the_start_it_stands_still(profile: Profile) -> None:
    assert profile.value(-1.0) == profile.value(0.0)
    assert profile.rate(-1.0) == 0.0


@pytest.mark.parametrize("profile", ALL, ids=lambda profile: type(profile).__name__)
def test_it_travels_to_another_process(profile: Profile) -> None:
    assert pickle.loads(pickle.dumps(profile)) == profile
    assert hash(profile) == hash(pickle.loads(pickle.dumps(profile)))


def test_values_are_those_of_the_formulas() -> None:
    assert Sine(2.0, 0.25).value(1.0) == pytest.approx(2.0)
    assert Sine(2.0, 0.25, 1.0, math.pi / 2.0).value(1.0) == pytest.approx(1.0)
    assert [Ramp(1.0, 3.0, 2.0).value(t) for t in (0.0, 0.5, 2.0, 9.0)] == pytest.approx([1.0, 1.5, 3.0, 3.0])
    assert [Step(1.0, 2.0, 0.5).value(t) for t in (0.0, 0.499, 0.5, 1.0)] == [1.0, 1.0, 2.0, 2.0]
    assert [Table((1.0, 2.0), (4.0, 6.0)).value(t) for t in (0.0, 1.0, 1.25, 2.0, 3.0)] == [4.0, 4.0, 4.5, 6.0, 6.0]
    assert Table((1.0,), (4.0,)).value(1.0) == 4.0


def test_a_chirp_has_its_two_frequencies() -> None:
    """Zero crossings: 2π ∫f dt = k π. From 1 to 3 Hz in 4 s there are 8 cycles, so the last one ends at 4 s, and then 3
    a second."""
    chirp = Chirp(1.0, 1.0, 3.0, 4.0)
    assert chirp.value(4.0) == pytest.approx(0.0, abs=1e-12)
    assert chirp.rate(4.0) == pytest.approx(2.0 * math.pi * 3.0)
    assert chirp.value(4.0 + 1.0 / 12.0) == pytest.approx(1.0)
    assert chirp.rate(0.0) == pytest.approx(2.0 * math.pi)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Constant(math.nan), "level of a constant must be finite, not nan"),
        (lambda: Sine(1.0, math.inf), "frequency of a sine must be finite"),
        (lambda: Ramp(0.0, 1.0, 0.0), "duration of a ramp must be more than 0, not 0"),
        (lambda: Chirp(1.0, 1.0, 2.0, -1.0), "duration of a chirp must be more than 0"),
        (lambda: Step(0.0, math.nan), "end of a step must be finite"),
        (lambda: Table((), ()), "as many times as values, not 0 and 0"),
        (lambda: Table((0.0, 1.0), (1.0,)), "as many times as values, not 2 and 1"),
        (lambda: Table((0.0, 1.0, 1.0), (1.0, 2.0, 3.0)), "must rise: entry 3 is 1 s, after 1 s"),
        (lambda: Table((0.0, math.nan), (1.0, 2.0)), "finite numbers only"),
    ],
)
def test_what_is_no_profile_is_refused(make, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()


def test_a_profile_keeps_within_bounds() -> None:
    """Values beyond are the bounds; there the rate is zero, so that a loop is not fed a motion that is not asked."""
    sine = clipped(Sine(2.0, 0.25), -1.0, 1.5)
    assert [sine.value(time) for time in (0.0, 1.0, 3.0)] == [0.0, 1.5, -1.0]
    assert [sine.rate(time) for time in (1.0, 3.0)] == [0.0, 0.0]
    assert sine.rate(0.0) == pytest.approx(math.pi)
    assert clipped(Constant(3.0), -1.0, 1.5) == Constant(1.5)
    assert clipped(Step(-3.0, 1.0, 0.5), -1.0, 1.5) == Step(-1.0, 1.0, 0.5)
    assert clipped(Ramp(0.0, 1.0, 2.0), -1.0, 1.5) == Ramp(0.0, 1.0, 2.0)
    assert clipped(Ramp(0.0, 3.0, 2.0), -1.0, 1.5).value(1.5) == 1.5


def test_a_motion_that_ends_on_the_way_stops() -> None:
    assert stop_of(Ramp(0.0, 1.0, 2.0)) == 2.0
    assert stop_of(Table((0.0, 1.0, 3.0), (0.0, 1.0, 2.0))) == 3.0
    assert stop_of(Spline((0.0, 1.0, 3.0), (0.0, 1.0, 2.0))) == 3.0
    for still in (Table((0.0, 1.0, 3.0), (0.0, 1.0, 1.0)), Table((1.0,), (2.0,)), Sine(1.0, 1.0)):
        assert stop_of(still) == math.inf
    assert stop_of(Spline((0.0, 1.0), (0.0, 2.0), rates=(1.0, 0.0))) == math.inf


def test_an_expression_has_its_exact_rate() -> None:
    """0.2 t² + sin 3t and its derivative by hand; before 0 it stands still."""
    profile = Expression("0.2*t**2 + sin(3*t)")
    for time in (0.0, 0.7, 2.0):
        assert profile.value(time) == pytest.approx(0.2 * time**2 + math.sin(3.0 * time), abs=1e-15)
        assert profile.rate(time) == pytest.approx(0.4 * time + 3.0 * math.cos(3.0 * time), abs=1e-14)
    assert (profile.value(-1.0), profile.rate(-1.0)) == (0.0, 0.0)
    assert Expression("2").value(5.0) == 2.0


@pytest.mark.parametrize(("text", "said"), [("2*x", "variable t alone"), ("2*", "not an expression")])
def test_an_expression_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Expression(text)


def test_an_expression_without_a_value_says_when() -> None:
    with pytest.raises(UsageError, match="no finite value at 0 s"):
        Expression("log(t)").value(0.0)


def test_drives_alone_follow_expressions() -> None:
    text = "expression(0.1*t + atan2(t, 1))"
    assert format_profile(parse_profile(text, expressions=True)) == text
    with pytest.raises(UsageError, match="drives alone"):
        parse_profile(text)
