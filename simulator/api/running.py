"""Runs of a simulation."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from simulator.api.arguments import DRIVE, as_named, as_number, driven
from simulator.api.moment import OnFailure
from simulator.api.run import Samples, progress_bar
from simulator.errors import UsageError
from simulator.session.batch.batch import BlockSize, run_batch, stride_of
from simulator.session.forces.reactions import ReactionRows
from simulator.session.text.force_text import with_loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from simulator.api.core import Core
    from simulator.api.run import Run
    from simulator.engine.drives import Drive
    from simulator.model.loads import Load, PointSpring
    from simulator.spatial.arrays import Array

Taken = TypeVar("Taken")


def run(
    core: Core,
    duration: float,
    *,
    drives: Mapping[str, Drive | str] | None = None,
    every: float | None = None,
    channels: Iterable[str] | None = None,
    control: Callable[[], None] | None = None,
    control_every: float | None = None,
    progress: bool = False,
    reactions: bool = False,
    fixed_joints: bool = False,
    stream: str | None = None,
) -> Run:
    """See `Simulation.run`; `control` takes nothing here."""
    core.send()
    duration = as_number(duration, "a duration [s]")
    every = None if every is None else as_number(every, "the time between samples [s]")
    given = as_named(drives, "a run with drives", DRIVE)
    engine = core.ready()
    world = core.opened.world
    wanted = reactions or fixed_joints
    beside = ReactionRows(engine, world, fixed_joints=fixed_joints) if wanted else None
    samples = Samples(core.columns, beside, channels, alone=stream is None)
    show = progress_bar(engine.time, duration) if progress else lambda _: None
    pace = core.pace if beside is None else BlockSize(1)
    core.known_moment = None
    with contextlib.ExitStack() as stack:
        sink: Callable[[Array], None] = samples.take
        if stream is not None:
            from simulator.session.stream.viewers import sampling, shown_live

            apart = sampling(core.dt) if every is None else core.dt * stride_of(core.dt, every, "samples")
            live = stack.enter_context(shown_live(stream, core.opened, core.columns, engine.time, apart, _say))
            sink, show = _both(samples.take, live.take), _both(show, live.wait)
            pace = pace if beside else BlockSize(round(apart / core.dt))
        stack.enter_context(driven(engine, given, core.drives))
        stack.enter_context(OnFailure(core.step_back))
        summary = run_batch(
            engine, duration, every=every, sparse=every is not None, sink=sink, columns=samples.places,
            progress=show, pace=pace,
            control=None if control is None else _consulting(core, control), control_every=control_every,
        )  # fmt: skip
    found = samples.run(summary, core.mechanism, core.dt)
    if summary.failure is not None:
        core.step_back()
        summary.failure.run = found
        raise summary.failure
    return found


@contextlib.contextmanager
def loaded(core: Core, loads: tuple[Load | PointSpring, ...]) -> Iterator[Core]:
    """A simulation with further loads that continues from the present state; this one ends where that one does."""
    other = core.like(replace(core.opened, mechanism=with_loads(core.mechanism, loads)), core.moment)
    other.pattern = None
    try:
        yield other
    finally:
        core.continue_from(other.moment)
        other.close()


def _both(first: Callable[[Taken], None], second: Callable[[Taken], None]) -> Callable[[Taken], None]:
    def both(taken: Taken) -> None:
        first(taken)
        second(taken)

    return both


def _say(text: str) -> None:
    if text:
        print(text, file=sys.stderr)


def _consulting(core: Core, control: Callable[[], None]) -> Callable[[], None]:
    """A call of a controller, and of what it has written. Raises UsageError if it has set the state."""

    def consult() -> None:
        control()
        if not core.is_placed:
            raise UsageError("a controller cannot set the state of the simulation that it controls")
        core.known_moment = None
        core.send()

    return consult
