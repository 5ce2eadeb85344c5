"""Runs at the pace of a clock, with a clock that the test sets."""

from __future__ import annotations

import pytest

from simulator.session.stream.viewers import RealTime, sampling


def test_it_waits_for_the_clock_and_does_not_make_up_for_delays() -> None:
    now = 50.0
    slept = []
    pace = RealTime(sleep=slept.append, clock=lambda: now)
    pace.wait(0.1)
    now += 0.25  # the run takes longer than the clock
    pace.wait(0.2)
    now += 0.02
    pace.wait(0.3)
    assert slept == pytest.approx([0.1, 0.08])


@pytest.mark.parametrize(("dt", "every"), [(1e-3, 0.01), (3e-3, 0.009), (0.02, 0.02), (2.5e-4, 0.01)])
def test_samples_are_whole_steps_apart(dt: float, every: float) -> None:
    assert sampling(dt) == pytest.approx(every)
