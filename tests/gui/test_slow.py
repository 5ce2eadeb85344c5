"""A simulation that is slower than asked for says what keeps it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.gui.status import why_slow
from simulator.session.run.client import RunState, Status
from tests.gui.conftest import Bench

HALF = Status(RunState.RUNNING, "rows", 1e-3, speed=1.0, real_time_factor=0.5, steps_per_second=500.0)


@pytest.mark.parametrize(
    ("status", "word", "told"),
    [
        (replace(HALF, step_time=2e-3), "physics", "A step takes 2000 µs, and 1000 a second are needed: 200 %"),
        (
            replace(HALF, dt=1e-5, step_time=2e-5),
            "small step",
            "0.01 ms needs 100000 steps a second, 20 µs each: 200 %",
        ),
        (replace(HALF, dt=1e-4, step_time=2e-3), "physics", "10000 a second are needed: 2000 %"),
        (replace(HALF, step_time=1e-4), "picture", "Physics would need 10 % of the time"),
        (
            replace(HALF, speed=10.0, real_time_factor=5.0, step_time=2e-4),
            "physics",
            "10000 a second are needed: 200 %",
        ),
        (replace(HALF, step_time=2e-3, making=40), "kernels", "Python until they are ready: 40 %"),
        (replace(HALF, real_time_factor=0.97, step_time=2e-3), "", ""),
        (replace(HALF, state=RunState.PAUSED, real_time_factor=0.0), "", ""),
        (replace(HALF, real_time_factor=0.0), "", ""),
    ],
)
def test_what_keeps_it(status: Status, word: str, told: str) -> None:
    found, sentence = why_slow(status)
    assert found == word
    assert told in sentence
    assert bool(sentence) is bool(word)


def test_the_status_bar_says_it_as_long_as_it_is_so(bench: Bench) -> None:
    bench.open()
    bar, opened = bench.window.status, bench.live.opened
    assert opened is not None
    bar.show_run(None, replace(HALF, step_time=2e-3, dropped=1.5), opened.mechanism)
    assert bar.factor.text() == "0.50 × real time – physics"
    assert bar.factor.toolTip().splitlines() == [
        "requested 1 ×; 1.50 s could not be caught up",
        "A step takes 2000 µs, and 1000 a second are needed: 200 % of the time.",
    ]
    bar.show_run(None, replace(HALF, real_time_factor=1.0, step_time=2e-4), opened.mechanism)
    assert bar.factor.text() == "1.00 × real time"
    assert bar.factor.toolTip() == "keeps up with the requested speed"
