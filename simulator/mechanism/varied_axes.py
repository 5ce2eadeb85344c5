"""Numbers of axes, and of the couplings that they follow by."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.coupling_law import with_law
from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_item, with_parts
from simulator.model.altered import altered
from simulator.model.joint import JointType
from simulator.spatial.rotation import normalized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import AxisInfo, Coupling, Mechanism, MechanismJoint, Motion
    from simulator.spatial.rotation import Vec3

DIRECTION = "direction"
LAW = ("multiplier", "offset", "reference")
POWERS = tuple(f"a{power}" for power in range(9))
"""Coefficients of a polynomial law."""


class AxisNumbers:
    """What resists, bounds and directs an axis."""

    owner = "axis"
    fields = (
        *("damping", "friction", "spring_stiffness", "spring_reference"),
        *("lower", "upper", "effort", "velocity", "initial_position"),
        *in_place(DIRECTION, Allowed("1")),
    )

    def names(self, of: Numbered) -> Sequence[str]:
        """As `mechanism.axes` has them."""
        return [info.name for info in of.mechanism.axes]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """All of them; a hidden axis has no direction of its own."""
        info = of.mechanism.axes[index]
        if field.startswith(DIRECTION):
            return None if _shares_direction(of, info) else Allowed("1")
        unit, effort = info.unit, info.effort_unit
        return {
            "damping": Allowed(f"{effort}·s/{unit}", 0.0),
            "friction": Allowed(effort, 0.0),
            "spring_stiffness": Allowed(f"{effort}/{unit}"),
            "spring_reference": Allowed(unit),
            "lower": Allowed(unit, unbounded=True),
            "upper": Allowed(unit, unbounded=True),
            "effort": Allowed(effort, 0.0, unbounded=True),
            "velocity": Allowed(f"{unit}/s", 0.0, unbounded=True),
            "initial_position": Allowed(unit),
        }[field]

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """A screw and a planar joint turn and slide along one direction."""
        joint = of.mechanism.axes[index].joint
        return f"several motions of '{joint}' have one direction; turn the joint by its pose.roll, pose.pitch, pose.yaw"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A field of the axis."""
        group, _, part = field.rpartition(".")
        axis = of.mechanism.axes[index].axis
        return axis.xyz_joint[PLACE.index(part)] if group else float(getattr(axis, field))

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Limits in order, the direction scaled to length 1."""
        mechanism = of.mechanism
        info = of.mechanism.axes[index]
        fields = {field: value for field, value in values.items() if not field.startswith(DIRECTION)}
        axis = altered(info.axis, **fields)
        if axis.lower > axis.upper or axis.lower == math.inf or axis.upper == -math.inf:
            text = next(field for field in values if field in {"lower", "upper"})
            raise UsageError(
                f"'{info.name}.{text}': the limits of '{info.name}' would be {axis.lower:g} to {axis.upper:g}"
            )
        if len(fields) < len(values):
            direction = _unit(with_parts(axis.xyz_joint, values, DIRECTION), info.name)
            axis = altered(axis, xyz_joint=direction)
            joints = tuple(_turned(joint, index, direction) for joint in mechanism.joints)
            loops = tuple(_turned(joint, index, direction) for joint in mechanism.loop_joints)
            mechanism = altered(mechanism, joints=joints, loop_joints=loops)
        return altered(mechanism, axes=with_item(mechanism.axes, index, altered(info, axis=axis)))


def _shares_direction(of: Numbered, info: AxisInfo) -> bool:
    return info.hidden or of.said[info.joint].type in (JointType.SCREW, JointType.PLANAR)


def _unit(direction: Vec3, name: str) -> Vec3:
    if math.hypot(*direction) == 0.0:
        raise UsageError(f"'{name}.{DIRECTION}': an axis along (0, 0, 0) has no direction")
    return normalized(direction)


def _turned(joint: MechanismJoint, axis: int, direction: Vec3) -> MechanismJoint:
    """The joint with another direction of one of its axes, which counts from the document's parent to its child."""
    if all(motion.axis != axis for motion in joint.motions):
        return joint
    sign = -1.0 if joint.reversed else 1.0
    x, y, z = (sign * part for part in direction)

    def turned(motion: Motion) -> Motion:
        return altered(motion, direction=(x, y, z)) if motion.axis == axis else motion

    return altered(joint, motions=tuple(turned(motion) for motion in joint.motions))


class LawNumbers:
    """q_follower = multiplier · (q_leader − reference) + offset, or a0 + a1 q_leader + a2 q_leader² + …"""

    owner = "follower"
    fields = (*LAW, *POWERS)

    def names(self, of: Numbered) -> Sequence[str]:
        """Followers, in the order of the couplings."""
        return [of.mechanism.axes[coupling.follower].name for coupling in of.mechanism.couplings]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """The whole law."""
        coupling = of.mechanism.couplings[index]
        axes = of.mechanism.axes
        follower, leader = axes[coupling.follower].unit, axes[coupling.leader].unit
        if field in POWERS:
            power = POWERS.index(field)
            over = f"{leader}^{power}" if power > 1 else leader
            return Allowed(f"{follower}/{over}" if power else follower) if power < len(_powers(coupling)) else None
        if coupling.curve is not None:
            return None
        ratio = "1" if follower == leader else f"{follower}/{leader}"
        return Allowed({"multiplier": ratio, "offset": follower, "reference": leader}[field])

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """A straight line has no coefficients of powers, and other laws nothing else, or no number at all."""
        curve = of.mechanism.couplings[index].curve
        if curve is None:
            return f"its law is a straight line: it has {', '.join(LAW)}"
        powers = len(_powers(of.mechanism.couplings[index]))
        if powers:
            return f"its law is a polynomial: it has {', '.join(POWERS[:powers])}"
        return f"its law is {'a constraint' if curve.law is None else f'the {curve.law.kind.value} of its document'}"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number of the law."""
        if field in POWERS:
            return _powers(of.mechanism.couplings[index])[POWERS.index(field)]
        return float(getattr(of.mechanism.couplings[index], field))

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Checked against the other couplings."""
        coupling = of.mechanism.couplings[index]
        powers = _powers(coupling)
        if powers:
            changed = [values.get(f"a{power}", value) for power, value in enumerate(powers)]
            return with_law(of.mechanism, index, " ".join(repr(float(value)) for value in changed))
        law = [values.get(field, getattr(coupling, field)) for field in LAW]
        return with_law(of.mechanism, index, (*law, *(factor for _, factor in coupling.others)))


def _powers(coupling: Coupling) -> tuple[float, ...]:
    """The coefficients of a polynomial law; empty of others."""
    return () if coupling.curve is None or coupling.curve.law is None else coupling.curve.law.coefficients
