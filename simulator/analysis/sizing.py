"""What a motor must give, and what bearings carry, over a sweep.

The move is taken as one cycle, at the sweep's velocity. Means over time are means over the driver's way, for its
velocity does not change; of a motion that starts or brakes (an acceleration beside the velocity) they are those of
the instant, position by position.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind, MotionKind
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from simulator.analysis.sweeps import Swept
    from simulator.mechanism.types import MechanismJoint
    from simulator.spatial.arrays import Array


LIFE_EXPONENT = 3.0
"""Of ball bearings (ISO 281:2007): twice the load, an eighth of the life."""
MILLION = 1e6


@dataclass(frozen=True)
class MotorNeed:
    """What the drive of one moved axis gives: greatest magnitude `effort` and its root mean square [N m or N], with the
    driver's position where it is greatest; greatest `speed` [rad/s or m/s]; greatest, least and mean `power` [W]: below
    zero the mechanism drives the motor. The effort of the first axis includes dry friction."""

    axis: str
    unit: str
    effort_unit: str
    effort: float
    effort_at: float
    effort_rms: float
    speed: float
    power: float
    power_least: float
    power_mean: float

    @property
    def powers(self) -> tuple[float, float, float]:
        """Greatest, mean and least [W]."""
        return self.power, self.power_mean, self.power_least


@dataclass(frozen=True)
class BearingLoad:
    """What one joint carries. `radial` and `axial`: greatest force across and along its axis [N]; `moment`: greatest
    one across the axis [N m]; all three nan for joints that have several axes or none, whose greatest `force` [N] is
    the whole. `mean`: equivalent radial load over the joint's own turning, (∫ F³ |dq| / ∫ |dq|)^(1/3), the cubic mean
    of a load that varies (A. Palmgren, Ball and Roller Bearing Engineering, 1959), and `revolutions` of one cycle; nan
    where it does not turn."""

    joint: str
    force: float
    force_at: float
    radial: float
    axial: float
    moment: float
    mean: float
    revolutions: float

    def rating(self, cycles: float) -> float:
        """The basic dynamic load rating C of a ball bearing that has a rating life L10 of so many cycles under the
        radial load [N]: C = P (L / 10⁶)^(1/3) with L in revolutions (ISO 281:2007)."""
        found: float = self.mean * (self.revolutions * cycles / MILLION) ** (1.0 / LIFE_EXPONENT)
        return found


def motor_needs(swept: Swept) -> tuple[MotorNeed, ...]:
    """Of all moved axes."""
    driver = swept.position[:, swept.route.moves[0].axis]
    found = []
    for k, move in enumerate(swept.route.moves):
        info = swept.mechanism.axes[move.axis]
        effort = swept.driving_effort if k == 0 else swept.effort[:, move.axis]
        velocity = swept.velocity[:, move.axis]
        known = np.isfinite(effort)
        effort, velocity, at = effort[known], velocity[known], driver[known]
        if not len(effort):
            continue
        power = effort * velocity
        most = int(np.argmax(np.abs(effort)))
        found.append(
            MotorNeed(
                info.name,
                info.unit,
                info.effort_unit,
                float(abs(effort[most])),
                float(at[most]),
                math.sqrt(_mean(effort**2, at)),
                float(np.abs(velocity).max()),
                float(power.max()),
                float(power.min()),
                _mean(power, at),
            )
        )
    return tuple(found)


def reflected_inertia(swept: Swept) -> Array:
    """The inertia that the driver feels [kg m² or kg], shape (n,): twice the kinetic energy of all bodies and rotors
    while it moves with 1, I(q) = Σ m v² + ω·Jω + q̇ᵀ R q̇."""
    found = np.zeros(len(swept))
    unit = swept.unit_motion
    for index, body in enumerate(swept.mechanism.bodies):
        if index == 0:
            continue
        R, _ = unit.frames(index)
        _, velocity, _ = unit.point(index, body.com)
        omega = unit.spatial(index)[0][:, :3]
        inside = np.einsum("nji,nj->ni", R, omega)
        found += body.mass * np.einsum("ni,ni->n", velocity, velocity)
        found += np.einsum("ni,ij,nj->n", inside, inertia_matrix(*body.inertia), inside)
    rotors = swept.sweeper.swept.rotors
    if rotors is not None:
        found += np.einsum("ni,ij,nj->n", swept.ratio, rotors, swept.ratio)
    return found


def bearing_loads(swept: Swept) -> tuple[BearingLoad, ...]:
    """Of all joints that carry something."""
    driver = swept.position[:, swept.route.moves[0].axis]
    found = []
    # At a change point there may be no value.
    wrenches = np.nan_to_num(swept.wrenches)
    for i, joint in enumerate(swept.sweeper.joints.joints):
        force, moment = wrenches[:, i, :3], wrenches[:, i, 3:]
        whole = np.linalg.norm(force, axis=1)
        most = int(np.argmax(whole))
        radial = axial = across = mean = turns = math.nan
        if joint.kind is JointKind.CHAIN and len(joint.motions) == 1:
            axis = _axis(swept, joint)
            sideways = np.linalg.norm(force - _along(force, axis)[:, None] * axis, axis=1)
            radial = float(sideways.max())
            axial = float(np.abs(_along(force, axis)).max())
            across = float(np.linalg.norm(moment - _along(moment, axis)[:, None] * axis, axis=1).max())
            motion = joint.motions[0]
            if motion.kind is MotionKind.ROTATION:
                turns, mean = _turning(sideways, swept.position[:, motion.axis])
        found.append(
            BearingLoad(joint.name, float(whole[most]), float(driver[most]), radial, axial, across, mean, turns)
        )
    return tuple(found)


def _axis(swept: Swept, joint: MechanismJoint) -> Array:
    """The axis of a joint in the world, shape (n, 3): its own motion leaves it where it is in the parent."""
    R, _ = swept.body_frames(joint.parent)
    inside = joint.X_PJ.matrix()[:3, :3] @ np.array(joint.motions[0].direction)
    found: Array = R @ inside
    return found


def _along(vectors: Array, axis: Array) -> Array:
    found: Array = np.einsum("ni,ni->n", vectors, axis)
    return found


def _turning(load: Array, angle: Array) -> tuple[float, float]:
    """Revolutions, and the mean load over them; nan where there are none."""
    way = np.abs(np.diff(angle))
    whole = float(way.sum())
    if whole == 0.0:
        return 0.0, math.nan
    cubes = 0.5 * (load[1:] ** LIFE_EXPONENT + load[:-1] ** LIFE_EXPONENT)
    return whole / (2.0 * math.pi), float(cubes @ way / whole) ** (1.0 / LIFE_EXPONENT)


def _mean(values: Array, at: Array) -> float:
    """Over the driver's way (trapezoidal rule)."""
    way = float(at[-1] - at[0])
    if way == 0.0:
        return float(values.mean())
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(at)) / way)
