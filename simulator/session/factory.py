"""Put a mechanism, a backend and a strategy together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.bullet.backend import BulletBackend
from simulator.engine.enforcement.gear import GearEnforcement
from simulator.engine.engine import Engine
from simulator.errors import UnknownNameError, UsageError
from simulator.session.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from simulator.session.opening import Opened

SOLVERS = ("gear",)
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
    backend = BulletBackend(mechanism, dt=dt, solver_iterations=opened.world.physics.solver_iterations)
    try:
        engine = Engine(mechanism, backend, GearEnforcement(), dt=dt, initial=initial)
        for axis, drive in drives.items():
            engine.set_drive(axis, drive)
    except BaseException:
        backend.close()
        raise
    return engine


def step_of(opened: Opened, settings: SessionSettings) -> float:
    """The step [s]: the settings' or the document's. Raises UsageError where it is no usable step."""
    dt = settings.dt if settings.dt is not None else opened.world.physics.max_step_size
    if not math.isfinite(dt) or not 0.0 < dt <= LONGEST_STEP:
        raise UsageError(f"a step of {dt:g} s cannot be simulated; choose more than 0 and at most {LONGEST_STEP:g} s")
    return dt
