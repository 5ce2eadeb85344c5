"""Actuators of MuJoCo's model → command interfaces of joints, and the drives that the window starts with.

An actuator gives gain · ctrl + bias, with a constant gain and a bias b0 + b1 · length + b2 · velocity: a motor has no
bias, a servo of a position b1 < 0, one of a velocity b2 < 0 alone. Here a position or a velocity is held by a motor as
strong as the joint's effort limit, not by a spring or a damper. Its length is that of a joint, or of a fixed tendon
over joints that follow one of them: then it drives that one, as the only actuator of many a gripper does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.mjcf.bodies import HINGE, SLIDE
from simulator.formats.mjcf.flags import has_actuation
from simulator.formats.mjcf.poses import element
from simulator.formats.mjcf.spatial_tendons import is_spatial
from simulator.formats.sdf.extensions import DRIVE
from simulator.formats.values import number_text
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.mjcf.naming import MjcfNames
    from simulator.formats.mjcf.starting import MjcfStart
    from simulator.formats.nodes import Node

EFFORT, POSITION, VELOCITY = "effort", "position", "velocity"
ON_JOINT = (0, 1)
"""`mjtTrn`: a joint, or one in the axes of its parent, which is the same for hinges and slides."""
TENDON = 3
TRANSMISSIONS = {2: "a slider-crank", 3: "a tendon", 4: "a site", 5: "a body"}
ON_CABLE = "it acts on a spatial tendon"
NO_DYNAMICS, INTEGRATOR = 0, 1
"""`mjtDyn`."""
FIXED_GAIN = 0
NO_BIAS, AFFINE_BIAS = 0, 1
Laws = Mapping[int, tuple[int, float, float]]
"""By the number of a joint that follows another: that one's, and the multiplier and offset of its law."""


@dataclass(frozen=True)
class MjcfServo:
    """An actuator on a joint: what it commands, from where to where (a position within the joint's range), the most
    effort it gives; the command is factor · ctrl + offset."""

    joint: int
    kind: str
    lower: float
    upper: float
    effort: float
    factor: float
    offset: float
    number: int
    where: Source


@dataclass
class MjcfActuators:
    """All that are read."""

    servos: list[MjcfServo] = field(default_factory=list)

    def efforts(self) -> dict[int, float]:
        """The most that actuators give, by joint; joints whose actuators have no bound are not in it."""
        most: dict[int, float] = {}
        for servo in self.servos:
            most[servo.joint] = most.get(servo.joint, 0.0) + servo.effort
        return {joint: effort for joint, effort in most.items() if 0.0 < effort < math.inf}

    def hardware(self, names: MjcfNames, root: Source) -> Node | None:
        """`<ros2_control>` with the command interfaces; None without actuators."""
        if not self.servos:
            return None
        plugin = element("hardware", root, element("plugin", root, text="mujoco"))
        joints: dict[int, Node] = {}
        for servo in self.servos:
            name = names.joints[servo.joint]
            joint = joints.setdefault(servo.joint, element("joint", servo.where, name=name))
            bounds = (("min", servo.lower), ("max", servo.upper))
            params = [
                element("param", servo.where, text=number_text(value), name=tag)
                for tag, value in bounds
                if math.isfinite(value)
            ]
            joint.children.append(element("command_interface", servo.where, *params, name=servo.kind))
        return element("ros2_control", root, plugin, *joints.values(), name="mujoco", type="system")

    def drives(self, start: MjcfStart, names: MjcfNames, model: str) -> Iterable[Node]:
        """What `ctrl` commands at the start, for the window; an effort of zero is none."""
        for servo in self.servos:
            value = float(start.ctrl[servo.number]) * servo.factor + servo.offset
            value = min(max(value, servo.lower), servo.upper) if servo.lower < servo.upper else value
            if servo.kind != EFFORT or value:
                axis = f"{model}::{names.joints[servo.joint]}"
                yield element(DRIVE, servo.where, axis=axis, kind=servo.kind, value=number_text(value))


def driven_joints(compiled: Compiled) -> frozenset[int]:
    """Joints that actuators act on directly."""
    model = compiled.model
    kinds = enumerate(model.actuator_trntype[: _count(compiled)])
    return frozenset(int(model.actuator_trnid[number][0]) for number, kind in kinds if int(kind) in ON_JOINT)


def _count(compiled: Compiled) -> int:
    model = compiled.model
    return int(getattr(model, "nactuator", model.nu)) if has_actuation(model, compiled.mujoco) else 0


def read_actuators(compiled: Compiled, laws: Laws, log: DiagnosticLog) -> MjcfActuators:
    """Those that drive a hinge or slide by position, velocity or effort; of a joint, one of each kind."""
    found, taken = MjcfActuators(), set()
    for number in range(_count(compiled)):
        servo = _servo(number, compiled, laws)
        name = compiled.name("ACTUATOR", number)
        where = compiled.places.of_kind("actuators", number)
        fault = servo if isinstance(servo, str) else ""
        if isinstance(servo, MjcfServo) and (servo.joint, servo.kind) in taken:
            fault = f"another one commands the {servo.kind} of its joint"
        if fault or isinstance(servo, str):
            message = f"the actuator '{name}' is left out: {fault}"
            by_drum = "let a drum wind the cable, see docs/how-to/ropes.md"
            hint = by_drum if fault == ON_CABLE else "drive its joint by --drive"
            log.warning("ACTUATOR_NOT_READ", where, message, hint, fold=fault, about=name)
            continue
        if compiled.model.actuator_dyntype[number] not in (NO_DYNAMICS, INTEGRATOR):
            log.warning("NOT_SIMULATED", where, "the lag of actuators is not simulated", fold="lag", about=name)
        taken.add((servo.joint, servo.kind))
        found.servos.append(servo)
    return found


def _servo(number: int, compiled: Compiled, laws: Laws) -> MjcfServo | str:
    """The actuator, or why it is none of a position, a velocity or an effort of one joint."""
    model = compiled.model
    lever = _lever(number, compiled, laws)
    if isinstance(lever, str):
        return lever
    joint, ratio, constant = lever
    gain = float(model.actuator_gainprm[number][0])
    b0, b1, b2 = (float(value) for value in model.actuator_biasprm[number][:3])
    integrates = int(model.actuator_dyntype[number]) == INTEGRATOR
    if model.actuator_gaintype[number] != FIXED_GAIN or not gain or not ratio:
        return "its force is not a constant times ctrl"
    if model.actuator_biastype[number] == NO_BIAS and not integrates:
        kind = EFFORT
        factor = gain * ratio
        offset = 0.0
    elif model.actuator_biastype[number] == AFFINE_BIAS and b1 < 0.0:
        kind = POSITION
        factor = gain / (-b1 * ratio)
        offset = (b0 / -b1 - constant) / ratio
    elif model.actuator_biastype[number] == AFFINE_BIAS and b1 == b0 == 0.0 and b2 < 0.0 and not integrates:
        kind = VELOCITY
        factor = gain / (-b2 * ratio)
        offset = 0.0
    else:
        return "it is no motor and no servo of a position or velocity"
    if integrates:
        kind = VELOCITY
        offset = 0.0
    lower, upper = _bounds(number, joint, kind, (factor, offset), compiled)
    effort = max(abs(lower), abs(upper)) if kind == EFFORT else math.inf
    if model.actuator_forcelimited[number]:
        effort = min(effort, max(abs(float(value)) for value in model.actuator_forcerange[number]) * abs(ratio))
    where = compiled.places.of_kind("actuators", number)
    return MjcfServo(joint, kind, lower, upper, effort, factor, offset, number, where)


def _bounds(number: int, joint: int, kind: str, law: tuple[float, float], compiled: Compiled) -> tuple[float, float]:
    """The least and the greatest command; a position stays within the range of the joint."""
    model = compiled.model
    (factor, offset) = law
    lower = -math.inf
    upper = math.inf
    if model.actuator_ctrllimited[number]:
        lower, upper = sorted(float(value) * factor + offset for value in model.actuator_ctrlrange[number][:2])
    if kind == POSITION and model.jnt_limited[joint]:
        lowest, highest = (float(value) for value in model.jnt_range[joint])
        if max(lower, lowest) <= min(upper, highest):
            lower, upper = max(lower, lowest), min(upper, highest)
    return lower, upper


def _lever(number: int, compiled: Compiled, laws: Laws) -> tuple[int, float, float] | str:
    """The joint that an actuator drives, and its length as ratio · q + constant; why there is none."""
    model = compiled.model
    transmission = int(model.actuator_trntype[number])
    target = int(model.actuator_trnid[number][0])
    gear = float(model.actuator_gear[number][0])
    if transmission in ON_JOINT:
        terms = {target: gear}
    elif transmission == TENDON:
        if is_spatial(compiled, target):
            return ON_CABLE
        first = int(model.tendon_adr[target])
        wraps = range(first, first + int(model.tendon_num[target]))
        terms = {int(model.wrap_objid[wrap]): gear * float(model.wrap_prm[wrap]) for wrap in wraps}
    else:
        return f"it acts on {TRANSMISSIONS.get(transmission, 'something')}, not on a joint"
    found: dict[int, float] = {}
    constant = 0.0
    for joint, factor in terms.items():
        leader, ratio = joint, factor
        while leader in laws:
            leader, multiplier, offset = laws[leader]
            constant += ratio * offset
            ratio *= multiplier
        found[leader] = found.get(leader, 0.0) + ratio
    if len(found) != 1:
        return f"it acts on a tendon over {len(found)} joints that do not follow each other"
    ((joint, ratio),) = found.items()
    return (joint, ratio, constant) if model.jnt_type[joint] in (SLIDE, HINGE) else "it acts on a ball or free joint"
