"""Worlds for the tests of physics: the examples that come with the program, and small ones written in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simulator.engine.engine import Engine
from simulator.engine.snapshot import Extremes
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import DEFAULT_SOLVER, typed_settings
from simulator.spatial.arrays import Array
from tests.helpers.repository import ROOT

Start = Callable[..., Engine]
SOLVER = DEFAULT_SOLVER
"""What `running` uses where a test does not say; a fixture may set it."""


@contextmanager
def running(
    path: Path,
    *,
    dt: float | None = None,
    drives: tuple[str, ...] = (),
    initial: tuple[str, ...] = (),
    velocity: tuple[str, ...] = (),
    solver: str | None = None,
) -> Iterator[Engine]:
    """An engine of a document at its start; drives, initial positions and velocities as on the command line."""
    engine = make_engine(open_document(path), typed_settings(drives, initial, velocity, solver=solver or SOLVER, dt=dt))
    try:
        yield engine
    finally:
        engine.close()


def example(name: str) -> Path:
    """An example world."""
    return ROOT / "worlds" / f"{name}.sdf"


def advance(engine: Engine, duration: float) -> Extremes:
    """Let simulated time pass, as `make_steps` does."""
    return make_steps(engine, round(duration / engine.dt))


def advance_to(engine: Engine, time: float) -> Extremes:
    """Let time pass up to the step that is nearest to `time` [s], as `make_steps` does."""
    return make_steps(engine, round((time - engine.time) / engine.dt))


def make_steps(engine: Engine, steps: int) -> Extremes:
    """Make steps as a simulation does, many in one call of compiled code; the largest residuals on the way, where there
    is such code."""
    worst, end = Extremes(), engine.steps + steps
    while engine.steps < end:
        engine.advance(end - engine.steps, worst, sparse=True)
    return worst


class Recorded(NamedTuple):
    """What holds after each of n steps: `time` (n,); `position`, `velocity`, `effort` (n, n_axes); `kinetic`, `error`
    (n,) of the energy; `actuator_effort` (n, n_actuators)."""

    time: Array
    position: Array
    velocity: Array
    effort: Array
    kinetic: Array
    error: Array
    actuator_effort: Array


def record_steps(engine: Engine, steps: int) -> Recorded:
    """Make steps, as `make_steps` does, and read each of them: ten times as fast as one by one."""
    rows, made, worst = [], 0, Extremes()
    while made < steps:
        count, found = engine.advance(steps - made, worst, stride=1)
        made += count
        rows.append(found)
    all_rows, at = np.concatenate(rows), engine.core.places
    axes = (all_rows[:, first : at.coupling : 3] for first in (1, 2, 3))
    energies = (all_rows[:, at.energy], all_rows[:, at.energy + 4])
    return Recorded(all_rows[:, 0], *axes, *energies, all_rows[:, at.actuator + 2 : at.body : 3])


def world(body: str, *, gravity: str = "0 0 -9.8") -> str:
    """A document with one world."""
    return f'<sdf version="1.12"><world name="w"><gravity>{gravity}</gravity>{body}</world></sdf>'


def link(name: str, *, mass: float = 1.0, inertia: str = "1 1 1", com: str = "0 0 0", pose: str = "0 0 0 0 0 0") -> str:
    """A link; `inertia` is ixx iyy izz [ixy ixz iyz] about the centre of mass."""
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = "".join(f"<{n}>{v}</{n}>" for n, v in zip(names, inertia.split(), strict=False))
    return (
        f'<link name="{name}"><pose>{pose}</pose><inertial><pose>{com} 0 0 0</pose><mass>{mass}</mass>'
        f"<inertia>{moments}</inertia></inertial></link>"
    )


def joint(
    name: str,
    kind: str,
    child: str,
    *,
    parent: str = "world",
    axis: str = "0 0 1",
    inside_axis: str = "",
    pose: str = "0 0 0 0 0 0",
    extra: str = "",
) -> str:
    """A joint with one axis; `inside_axis` goes into it (limits, dynamics, mimic), `extra` into the joint."""
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><pose>{pose}</pose>'
        f"<axis><xyz>{axis}</xyz>{inside_axis}</axis>{extra}</joint>"
    )


def model(*parts: str, name: str = "m") -> str:
    """A model of links and joints."""
    return f'<model name="{name}">{"".join(parts)}</model>'
