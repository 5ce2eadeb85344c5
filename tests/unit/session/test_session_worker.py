"""The physics process: what it tells while kernels are compiled, and how often it ticks."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simulator.dynamics.compiled.announce import Compilation
from simulator.errors import UsageError
from simulator.session import worker
from simulator.session.client import RunState, Status
from simulator.session.examples import find_file
from simulator.session.factory import make_engine
from simulator.session.opening import open_document
from simulator.session.runner import Runner
from simulator.session.settings import SessionSettings


def told_by(monkeypatch: pytest.MonkeyPatch, *compilations: Compilation) -> list[Status]:
    """What goes into the pipe where an engine announces these and then cannot be made."""

    def make_engine(*_: Any, announce: Any) -> None:
        for compilation in compilations:
            announce(compilation)
        raise UsageError("no engine")

    monkeypatch.setattr(worker, "make_engine", make_engine)
    told: list[worker.Message] = []
    pipe = SimpleNamespace(send=told.append, recv=lambda: None)
    job = SimpleNamespace(
        opened=open_document(find_file("four_bar")), settings=SessionSettings(), resume=None, parent=0, answered=0
    )
    worker._run(cast(Any, job), cast(Any, None), cast(Any, pipe))
    assert {drives for _, drives in told} == {None}, "nothing runs yet"
    return [status for status, _ in told]


def test_kernels_that_are_compiled_are_counted_and_then_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    told = told_by(
        monkeypatch,
        Compilation(0, 119),
        Compilation(3, 119, seconds=1.0),
        Compilation(119, 119, seconds=60.0, before=1.0, finished=True),
    )
    assert [status.compiled for status in told] == [(0, 119), (3, 119), None, None]
    assert [status.state for status in told] == [RunState.STARTING] * 3 + [RunState.FAILED]
    assert told[1].message.startswith("compiling 3 of 119")


def test_the_pipe_is_not_filled_by_kernels_that_are_quickly_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [Compilation(i, 119, seconds=0.01 * i, before=0.01 * (i - 1)) for i in range(1, 100)]
    told = told_by(monkeypatch, Compilation(0, 119), *quick)
    assert len(told) == 2 + int(0.99 / worker.COMPILED_EVERY)


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
        worker._loop(runner, cast(Any, memory), cast(Any, pipe), os.getppid())
    assert engine.steps == pytest.approx(5000, abs=50)
    assert clock.waits == pytest.approx(0.5 / worker.TICK_EVERY, abs=2)
    engine.close()
