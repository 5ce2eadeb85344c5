"""The physics process: what it says while kernels are made, and how often it ticks."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simulator.native.ready import Making
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run import worker
from simulator.session.run.pace import Pace
from simulator.session.run.runner import Runner
from simulator.session.text.settings import SessionSettings


def test_a_simulation_goes_on_while_kernels_are_made_and_says_how_far_they_are() -> None:
    engine = make_engine(open_document(find_file("four_bar")), SessionSettings())
    runner, background = Runner(engine), SimpleNamespace(making=Making("motion", 40))

    def said() -> int | None:
        return worker._message(runner, Pace(), cast(Any, background))[0].making

    assert said() == 40
    background.making = None
    assert said() is None
    engine.close()


def test_at_ten_times_real_time_steps_are_made_in_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that only waits move on, half a second is a tick every four milliseconds; not one for every step."""
    clock = SimpleNamespace(now=100.0, waits=0)

    def wait(seconds: float = 0.0) -> bool:
        clock.now += seconds
        clock.waits += seconds > 0.0
        if clock.now > 100.5:
            raise EOFError
        return False

    engine = make_engine(open_document(find_file("four_bar")), SessionSettings())
    runner = Runner(engine, speed=10.0)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: clock.now))
    pipe = SimpleNamespace(poll=wait, send=lambda _: None)
    memory = SimpleNamespace(write=lambda _: None, acknowledged=lambda: 0)
    with pytest.raises(EOFError):
        worker._loop(runner, cast(Any, memory), cast(Any, pipe), os.getppid(), None)
    assert engine.steps == pytest.approx(5000, abs=50)
    assert clock.waits == pytest.approx(0.5 / worker.TICK_EVERY, abs=2)
    engine.close()
