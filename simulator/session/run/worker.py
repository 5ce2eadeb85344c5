"""The physics process: ticks a runner, writes its state into shared memory, executes commands from a pipe."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from simulator.errors import SimulatorError
from simulator.native.ready import BackgroundBuild, make_in_background
from simulator.recording.record_file import RecordFile
from simulator.recording.store import RowStore
from simulator.session.commands.commands import Command, Pull, SetCoupling
from simulator.session.commands.factory import make_engine, remark_on
from simulator.session.forces.forces_now import most_waiting
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run.client import RunState, Status
from simulator.session.run.job import Job, Message
from simulator.session.run.pace import Pace, Rates, Spacing
from simulator.session.run.runner import Listeners, Runner
from simulator.session.run.shared import SharedMemory
from simulator.session.text.settings import SessionSettings, step_of

TICK_EVERY = 0.004
"""Seconds between two ticks, or until a command arrives: many steps are made in one call, and an idle processor is
left to the viewport."""
PUBLISH_EVERY, PUBLISH_SHARE = 0.008, 12.0
"""Seconds between two snapshots; or so many times as long as making one takes, 3 ms for 3000 bodies."""
STATUS_EVERY = 0.05
MOST_UNHEARD = 16
"""Most statuses that wait in the pipe, some ten kilobytes; a hundred if all of them hold refusals. With
forces of many joints it is fewer."""


def load_kernels() -> None:
    """Load the kernels that nearly every mechanism needs, by a step of an example; begin with those that must
    be compiled."""
    if make_in_background() is None:
        with suppress(SimulatorError):
            engine = make_engine(open_document(find_file("four_bar")), SessionSettings())
            engine.step()
            engine.close()


def work(job: Job, pipe: Connection) -> None:
    """The whole life of the physics process; ends when the pipe closes or the parent is gone."""
    for number in signal.Signals:
        if number.name in ("SIGINT", "SIGHUP"):  # a terminal signals all its processes; the window ends this one
            signal.signal(number, signal.SIG_IGN)
    memory = SharedMemory.attach(job.memory)
    with suppress(EOFError, ConnectionError):  # the window has closed: there is no receiver
        _run(job, memory, pipe)
    memory.close()


def _run(job: Job, memory: SharedMemory, pipe: Connection) -> None:
    """References into the shared memory, which must end before the memory is closed."""
    try:
        background = make_in_background()
        runner = _start(job, RecordFile.attach(job.record).store)
    except SimulatorError as error:
        pipe.send((replace(starting(job, str(error)), state=RunState.FAILED), None))
        _wait_for_end(pipe)
        return
    try:
        _loop(runner, memory, pipe, job.parent, background)
    finally:
        runner.engine.close()


def starting(job: Job, message: str) -> Status:
    """Report before there is a runner."""
    settings = job.settings
    dt = step_of(job.opened, settings)
    return Status(RunState.STARTING, settings.solver, dt, speed=settings.speed, message=message, answered=job.answered)


def _start(job: Job, record: RowStore) -> Runner:
    engine = make_engine(job.opened, job.settings)
    if job.resume is not None:
        engine.resume(job.resume)
    return Runner(
        engine,
        speed=job.settings.speed,
        paused=job.settings.paused,
        listeners=Listeners(record.extend, record.clear, record.rewind),
        remark=lambda solver: remark_on(job.opened, solver, job.settings.dt),
        resumed=job.resume is not None,
        answered=job.answered,
        world=job.opened.world,
    )


def _loop(
    runner: Runner, memory: SharedMemory, pipe: Connection, parent: int, background: BackgroundBuild | None
) -> None:
    pace = Pace()
    last = time.monotonic()
    told = 0.0
    sent = 0
    most = MOST_UNHEARD
    spacing = Spacing(PUBLISH_EVERY, PUBLISH_SHARE)
    memory.write(runner.snapshot)
    while os.getppid() == parent:
        changed = _obey(runner, pipe)
        now = time.monotonic()
        steps = runner.tick(now - last, lambda now=now: time.monotonic() - now > PUBLISH_EVERY)  # type: ignore[misc]
        last = now
        if changed or (steps and spacing.is_due(now)):
            began = time.monotonic()
            memory.write(runner.snapshot)
            spacing.done(now, now + time.monotonic() - began)
        note_pace(pace, runner, steps)
        if (changed or now - told >= STATUS_EVERY) and sent - memory.acknowledged() < most:
            told = now
            sent = sent + 1
            memory.write(runner.snapshot)
            message = _message(runner, pace, background)
            pipe.send(message)
            most = min((MOST_UNHEARD, *map(most_waiting, message[0].forces)))
        if not runner.is_behind:
            pipe.poll(max(0.0, last + TICK_EVERY - time.monotonic()))


def _message(runner: Runner, pace: Pace, background: BackgroundBuild | None) -> Message:
    making = background.making if background is not None else None
    percent = None if making is None else making.percent
    return replace(status_of(runner, pace), drives=(), making=percent), runner.drive_numbers


def _obey(runner: Runner, pipe: Connection) -> bool:
    """Carry out all waiting commands; None asks to end. Only the last of consecutive pulls by hand counts."""
    waiting: list[tuple[int, Command]] = []
    while pipe.poll():
        received = pipe.recv()
        if received is None:
            raise EOFError
        if waiting and isinstance(waiting[-1][1], Pull) and isinstance(received[1], Pull):
            waiting.pop()
        waiting.append(received)
    for number, command in waiting:
        runner.execute(command, number)
    return bool(waiting)


def _wait_for_end(pipe: Connection) -> None:
    while pipe.recv() is not None:
        pass


def note_pace(pace: Pace, runner: Runner, made: int) -> None:
    """Count the steps of a tick."""
    if runner.state is RunState.RUNNING:
        pace.mark(made, runner.engine.dt, runner.spent)
    else:
        pace.stop()


def status_of(runner: Runner, pace: Pace) -> Status:
    """Contents of a status bar about a runner."""
    rates = pace.rates() if runner.state is RunState.RUNNING else Rates()
    return Status(
        state=runner.state,
        solver=runner.engine.strategy,
        dt=runner.engine.dt,
        speed=runner.speed,
        real_time_factor=rates.factor,
        steps_per_second=rates.steps,
        step_time=rates.step_time,
        dropped=runner.dropped,
        message=runner.message,
        laws=tuple(SetCoupling.of(index, law) for index, law in sorted(runner.engine.laws.items())),
        laws_since=runner.laws_since,
        drives=runner.drives,
        answered=runner.answered,
        refused=tuple(runner.refused),
        hand=runner.hands.status(runner.snapshot),
        forces=() if runner.forces is None else (runner.forces,),
        numbers=tuple(runner.engine.changed.items()),
        numbers_since=runner.numbers_since,
        findings=runner.findings,
    )
