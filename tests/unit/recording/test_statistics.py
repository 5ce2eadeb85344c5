"""Figures of curves against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.recording.statistics import fitted_line, stretch


def test_mean_and_rms_of_a_straight_line_are_exact() -> None:
    """v = 3 t from 1 to 2 s: mean 4.5, mean square 9 (8 - 1)/3 = 21, whatever the samples."""
    times = np.array([0.0, 0.5, 1.0, 1.1, 1.7, 2.0, 3.0])
    found = stretch(times, 3.0 * times, 2.0, 1.0)
    assert found is not None
    assert (found.first, found.last, found.delta) == (3.0, 6.0, 3.0)
    assert found.mean == pytest.approx(4.5, rel=1e-14)
    assert found.rms == pytest.approx(np.sqrt(21.0), rel=1e-14)


def test_rms_of_a_sine_over_a_period() -> None:
    """1/sqrt 2; chords of 1000 samples fall short of the curve by (2 pi/1000)²/12 = 3e-6 at most."""
    times = np.linspace(0.0, 1.0, 1001)
    found = stretch(times, np.sin(2.0 * np.pi * times), 0.0, 1.0)
    assert found is not None
    assert found.mean == pytest.approx(0.0, abs=1e-15)
    assert found.rms == pytest.approx(np.sqrt(0.5), abs=1e-5)


def test_nothing_between_the_samples() -> None:
    assert stretch(np.array([0.0, 1.0]), np.array([1.0, 2.0]), 0.2, 0.8) is None


def test_a_line_is_found_to_round_off_far_from_the_origin() -> None:
    """Sums about the means lose nothing: n = 1000 products, each rounded by 1e-16 of values near 100."""
    x = 100.0 + np.linspace(0.0, 1.0, 1000)
    line = fitted_line(x, 0.02 * x - 0.7)
    assert line is not None
    assert line.slope == pytest.approx(0.02, abs=1e-12)
    assert line.intercept == pytest.approx(-0.7, abs=1e-10)


def test_a_leader_at_rest_has_no_slope() -> None:
    assert fitted_line(np.full(10, 3.0), np.arange(10.0)) is None
