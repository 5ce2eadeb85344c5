"""Position drives that begin at the present position of their axis, instead of throwing it to the commanded one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.rotors import rotor_inertia
from simulator.mechanism.types import MotionKind
from simulator.model.softened import Softened
from simulator.physics.queries.reflected_inertia import reflected_inertia
from simulator.session.commands.driving import find_target

if TYPE_CHECKING:
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine

USUAL_SPEED = {MotionKind.ROTATION: math.pi, MotionKind.TRANSLATION: 0.5}
"""Speed [rad/s, m/s] if the axis has no lower limit."""
STARTING_TIME = 0.25
"""Time [s] to reach that speed, if the effort limit allows it."""
REST = 0.9
"""Part of the velocity limit that is used: the rest lets the motor catch up."""
SHARE = 0.5
"""Part of the effort limit that is available for acceleration."""


def softened(engine: Engine, name: str, drive: Drive) -> Drive:
    """A position drive that begins at the present position of the axis, and with its motion if it is already driven
    softly; other drives unchanged."""
    what, axis = find_target(engine.mechanism, engine.actuation.actuators, name)
    if what != "axis" or drive.kind is not DriveKind.POSITION or drive.gains is not None:
        return drive
    asked = drive.profile
    snapshot = engine.snapshot()
    before = engine.drives.get(axis)
    if before is not None and isinstance(before.profile, Softened):
        position, velocity = before.profile.value(engine.time), before.profile.rate(engine.time)
    else:
        position, velocity = float(snapshot.position[axis]), float(snapshot.velocity[axis])
    offset, rate = position - asked.value(engine.time), velocity - asked.rate(engine.time)
    speed, acceleration = _bounds(engine, axis)
    return replace(drive, profile=Softened(asked, engine.time, offset, rate, speed, acceleration))


def soften_again(engine: Engine) -> None:
    """After a reset: drives that began softly do it again from there."""
    for axis, drive in engine.drives.items():
        if isinstance(drive.profile, Softened):
            engine.set_drive(axis, None)
            engine.set_drive(axis, softened(engine, engine.mechanism.axes[axis].name, as_asked(drive)))


def as_asked(drive: Drive) -> Drive:
    """The requested drive."""
    return replace(drive, profile=drive.profile.profile) if isinstance(drive.profile, Softened) else drive


def _bounds(engine: Engine, axis: int) -> tuple[float, float]:
    """Speed and acceleration within the limits of an axis."""
    info = engine.mechanism.axes[axis]
    speed = USUAL_SPEED[info.kind]
    if 0.0 < info.axis.velocity < math.inf:
        speed = min(speed, REST * info.axis.velocity)
    acceleration = speed / STARTING_TIME
    if 0.0 < info.axis.effort < math.inf:
        row = np.zeros(len(engine.mechanism.axes))
        row[axis] = 1.0
        added = rotor_inertia(engine.actuation.actuators, engine.mechanism)
        inertia = reflected_inertia(engine.mechanism, engine.at_rest(), row, added)
        if 0.0 < inertia < math.inf:
            acceleration = min(acceleration, SHARE * info.axis.effort / inertia)
    return speed, acceleration
