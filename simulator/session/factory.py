"""Put a mechanism, a backend and a strategy together."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from simulator.bullet.backend import BulletBackend
from simulator.engine.enforcement.gear import GearEnforcement
from simulator.engine.enforcement.reduced import ReducedBackend, ReducedEnforcement
from simulator.engine.engine import Engine
from simulator.errors import UnknownNameError, UsageError
from simulator.session.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from simulator.engine.enforcement.base import Enforcement
    from simulator.engine.port import Backend
    from simulator.session.opening import Opened

SOLVERS = ("gear", "reduced")
DEFAULT_SOLVER = "gear"
LONGEST_STEP = 1.0


def make_engine(opened: Opened, settings: SessionSettings) -> Engine:
    """An engine at its start, drives set.

    Raises DocumentError for a document with errors, UsageError for names or values that do not exist, AssemblyError and
    EngineLimitError where the mechanism cannot be started.
    """
    opened.require_valid()
    if settings.solver not in SOLVERS:
        raise UnknownNameError("solver", settings.solver, SOLVERS)
    dt = step_of(opened, settings)
    mechanism = opened.mechanism
    initial = {find_axis(mechanism, name): value for name, value in settings.initial}
    drives = {find_axis(mechanism, name): drive for name, drive in settings.drives}
    backend, enforcement = _strategy(opened, settings.solver, dt)
    try:
        engine = Engine(mechanism, backend, enforcement, dt=dt, initial=initial)
        for axis, drive in drives.items():
            engine.set_drive(axis, drive)
    except BaseException:
        backend.close()
        raise
    return engine


def _strategy(opened: Opened, solver: str, dt: float) -> tuple[Backend, Enforcement]:
    if solver == "reduced":
        return ReducedBackend(opened.mechanism, dt=dt), ReducedEnforcement()
    iterations = opened.world.physics.solver_iterations
    return BulletBackend(opened.mechanism, dt=dt, solver_iterations=iterations), GearEnforcement()


def contacts_ignored(opened: Opened, solver: str) -> str:
    """A sentence that names bodies which could touch and will not, where the strategy computes no contacts; else nothing."""
    if solver != "reduced":
        return ""
    mechanism = opened.mechanism
    bodies = mechanism.link_bodies()
    solid = [link.name for body in mechanism.bodies for link in body.links if link.collisions]
    pairs = [
        (a, b) for a, b in combinations(sorted(solid), 2) if bodies[a] != bodies[b] and (a, b) not in mechanism.apart
    ]
    if not pairs:
        return ""
    more = f" (and {len(pairs) - 1} more pairs)" if len(pairs) > 1 else ""
    return (
        f"strategy reduced computes no contacts: '{pairs[0][0]}' and '{pairs[0][1]}' will pass through each other{more}"
    )


def step_of(opened: Opened, settings: SessionSettings) -> float:
    """The step [s]: the settings' or the document's. Raises UsageError where it is no usable step."""
    dt = settings.dt if settings.dt is not None else opened.world.physics.max_step_size
    if not math.isfinite(dt) or not 0.0 < dt <= LONGEST_STEP:
        raise UsageError(f"a step of {dt:g} s cannot be simulated; choose more than 0 and at most {LONGEST_STEP:g} s")
    return dt
