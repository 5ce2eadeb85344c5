"""Combines a mechanism with its dynamics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.absence import HOW_TO_GET, bullet_is_missing
from simulator.diagnostics import counted
from simulator.engine.engine import Engine
from simulator.engine.rotors import rotor_inertia
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.engine.strategies.rows import RowsDynamics
from simulator.errors import MissingLibraryError, UnknownNameError
from simulator.physics.detect.own import OwnContacts
from simulator.session.commands.driving import give_drive
from simulator.session.open.surface_remarks import direction_ignored, stiffness_ignored, threshold_ignored
from simulator.session.text.force_text import with_loads
from simulator.session.text.settings import SOLVERS, SessionSettings, find_axis, step_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.port import Dynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.session.open.opening import Opened

WITHOUT_CONTACTS = ("reduced",)


def make_engine(
    opened: Opened,
    settings: SessionSettings,
    *,
    start: JointState | None = None,
) -> Engine:
    """An engine at its start, drives set. `start`: an assembled state to begin with, instead of the document's and
    the settings'.

    Raises DocumentError for a document with errors, UsageError for names or values that do not exist and for a start
    outside of limits, AssemblyError and EngineLimitError if the mechanism cannot be started, MissingLibraryError for a
    strategy whose library is not installed.
    """
    opened.require_valid()
    dt = step_of(opened, settings)
    mechanism = with_loads(opened.mechanism, settings.forces)
    initial = {find_axis(mechanism, name): value for name, value in settings.initial}
    velocity = {find_axis(mechanism, name): value for name, value in settings.initial_velocity}
    added = rotor_inertia(opened.actuators, mechanism)
    build = partial(_strategy, opened.world.physics.solver_iterations, dt, added)
    dynamics = build(mechanism, settings.solver)
    try:
        engine = Engine(
            mechanism,
            dynamics,
            dt=dt,
            initial=initial,
            initial_velocity=velocity,
            builder=build,
            actuators=opened.actuators,
            start=start,
        )
        for name, drive in settings.drives:
            give_drive(engine, name, drive)
    except BaseException:
        dynamics.close()
        raise
    return engine


def dynamics_like(engine: Engine, opened: Opened) -> ReducedDynamics | None:
    """Dynamics for `opened`, whose mechanism has the structure of `engine`'s and may have other numbers; None if
    `make_engine` has to make them."""
    dynamics = engine.dynamics
    if not isinstance(dynamics, ReducedDynamics):
        return None
    return dynamics.like(opened.mechanism, rotor_inertia(opened.actuators, opened.mechanism))


def engine_of(dynamics: ReducedDynamics, opened: Opened, start: JointState) -> Engine:
    """An engine on these dynamics, at an assembled start and without drives."""
    return Engine(opened.mechanism, dynamics, dt=dynamics.dt, actuators=opened.actuators, start=start)


def _strategy(
    iterations: int,
    dt: float,
    added_inertia: NDArray[np.float64],
    mechanism: Mechanism,
    solver: str,
) -> Dynamics:
    if solver not in SOLVERS:
        raise UnknownNameError("solver", solver, SOLVERS)
    if solver == "reduced":
        return ReducedDynamics(mechanism, dt=dt, added_inertia=added_inertia)
    if solver == "rows":
        own = OwnContacts(mechanism) if any(mechanism.non_colliding.meeting()) else None
        return RowsDynamics(mechanism, dt=dt, own=own, added_inertia=added_inertia)
    if bullet_is_missing():
        raise MissingLibraryError(
            f"strategy gear is Bullet's, and PyBullet is not installed: {HOW_TO_GET}; strategies rows and reduced do "
            "without"
        )
    from simulator.bullet.dynamics import BulletDynamics

    return BulletDynamics(mechanism, dt=dt, solver_iterations=iterations)


def contacts_ignored(opened: Opened, solver: str) -> str:
    """A sentence that names bodies which pass through each other, because the strategy computes no contacts; else
    empty."""
    apart = opened.mechanism.non_colliding
    first = next(apart.meeting(), None) if solver in WITHOUT_CONTACTS else None
    if first is None:
        return ""
    others = apart.count_meeting() - 1
    more = f" (and {counted(others, 'more pair')})" if others else ""
    return f"strategy {solver} computes no contacts: '{first[0]}' and '{first[1]}' will pass through each other{more}"


def rotors_ignored(opened: Opened, solver: str) -> str:
    """A sentence about the inertia of rotors if the strategy omits it; else empty."""
    heavy = [actuator.name for actuator in opened.actuators.actuators if actuator.rotor_inertia > 0.0]
    if solver == "gear" and heavy:
        return f"strategy gear leaves out the inertia of rotors ({', '.join(heavy)}): joints feel their links only"
    return ""


def limits_ignored(mechanism: Mechanism, solver: str) -> str:
    """A sentence about limits of joints that close loops, which Bullet does not enforce; else empty."""
    limited = [info.name for info in mechanism.axes if info.limited and not info.in_tree]
    if solver != "gear" or not limited:
        return ""
    more = f" (and {counted(len(limited) - 1, 'more axis', 'more axes')})" if len(limited) > 1 else ""
    return f"strategy gear ignores the limits of '{limited[0]}'{more}: its joint closes a loop"


def remark_on(opened: Opened, solver: str, dt: float | None = None) -> str:
    """Everything that a strategy omits of this world in steps of `dt` [s], or the document's; empty if
    nothing."""
    step = opened.world.physics.max_step_size if dt is None else dt
    said = (
        contacts_ignored(opened, solver),
        rotors_ignored(opened, solver),
        limits_ignored(opened.mechanism, solver),
        direction_ignored(opened.mechanism, solver),
        threshold_ignored(opened.mechanism, solver),
        stiffness_ignored(opened.mechanism, solver, step),
    )
    return "; ".join(text for text in said if text)
