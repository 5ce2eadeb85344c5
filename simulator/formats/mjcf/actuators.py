"""Actuators of MuJoCo's model → command interfaces of joints, and the drives that the window starts with.

An actuator gives gain · ctrl + bias, with a constant gain and a bias b0 + b1 · length + b2 · velocity: a motor has no
bias, a position servo b1 = −gain, a velocity servo b2 = −gain. Here a position or a velocity is held by a motor as
strong as the joint's effort limit, not by a spring or a damper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.formats.mjcf.bodies import HINGE, SLIDE
from simulator.formats.mjcf.flags import has_actuation
from simulator.formats.mjcf.poses import element
from simulator.formats.sdf.extensions import DRIVE
from simulator.formats.values import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.mjcf.naming import MjcfNames
    from simulator.formats.mjcf.starting import MjcfStart
    from simulator.formats.nodes import Node

EFFORT, POSITION, VELOCITY = "effort", "position", "velocity"
ON_JOINT = (0, 1)
"""`mjtTrn`: a joint, or one in the axes of its parent, which is the same for hinges and slides."""
TRANSMISSIONS = {2: "a slider-crank", 3: "a tendon", 4: "a site", 5: "a body"}
NO_DYNAMICS, INTEGRATOR = 0, 1
"""`mjtDyn`."""
FIXED_GAIN = 0
NO_BIAS, AFFINE_BIAS = 0, 1


@dataclass(frozen=True)
class MjcfServo:
    """An actuator on a joint: what it commands, from where to where, the most effort it gives, and how much of that is
    one unit of `ctrl`."""

    joint: int
    kind: str
    lower: float
    upper: float
    effort: float
    factor: float
    number: int
    where: Source


@dataclass
class MjcfActuators:
    """All that are read."""

    servos: list[MjcfServo] = field(default_factory=list)

    def without(self, followers: Collection[int], names: MjcfNames, log: DiagnosticLog) -> MjcfActuators:
        """Those whose joints follow none; a finding for the others."""
        for servo in self.servos:
            if servo.joint in followers:
                message = f"the actuator of joint '{names.joints[servo.joint]}' is left out: the joint follows another"
                log.warning("ACTUATOR_NOT_READ", servo.where, message, "drive the one that leads", fold="follows")
        return MjcfActuators([servo for servo in self.servos if servo.joint not in followers])

    @property
    def joints(self) -> frozenset[int]:
        """All that are driven."""
        return frozenset(servo.joint for servo in self.servos)

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
            value = float(start.ctrl[servo.number]) * servo.factor
            if servo.kind != EFFORT or value:
                axis = f"{model}::{names.joints[servo.joint]}"
                yield element(DRIVE, servo.where, axis=axis, kind=servo.kind, value=number_text(value))


def read_actuators(compiled: Compiled, log: DiagnosticLog) -> MjcfActuators:
    """Those that drive a hinge or slide by position, velocity or effort; of a joint, one of each kind."""
    found, taken = MjcfActuators(), set()
    model = compiled.model
    count = getattr(model, "nactuator", model.nu) if has_actuation(model, compiled.mujoco) else 0
    for number in range(count):
        servo = _servo(number, compiled, log)
        if servo is None:
            continue
        if (servo.joint, servo.kind) in taken:
            name = compiled.name("ACTUATOR", number)
            message = f"the actuator '{name}' is left out: another one commands the {servo.kind} of its joint"
            log.warning("ACTUATOR_NOT_READ", servo.where, message, fold="second", about=name)
            continue
        taken.add((servo.joint, servo.kind))
        found.servos.append(servo)
    return found


def _servo(number: int, compiled: Compiled, log: DiagnosticLog) -> MjcfServo | None:
    model, where = compiled.model, compiled.places.of_kind("actuators", number)
    fault = _fault(number, compiled)
    name = compiled.name("ACTUATOR", number)
    if fault:
        message = f"the actuator '{name}' is left out: {fault}"
        log.warning("ACTUATOR_NOT_READ", where, message, "drive its joint by --drive", fold=fault, about=name)
        return None
    gear, gain = float(model.actuator_gear[number][0]), float(model.actuator_gainprm[number][0])
    holds_position = bool(model.actuator_biasprm[number][1])
    integrates = int(model.actuator_dyntype[number]) == INTEGRATOR
    if model.actuator_biastype[number] == NO_BIAS:
        kind, factor = EFFORT, gain * gear
    else:
        kind, factor = (POSITION if holds_position else VELOCITY), 1.0 / gear
        if integrates:
            kind = VELOCITY
    if model.actuator_dyntype[number] not in (NO_DYNAMICS, INTEGRATOR):
        message = "the lag of actuators is not simulated"
        log.warning("NOT_SIMULATED", where, message, fold="lag", about=name)
    lower, upper = -math.inf, math.inf
    if model.actuator_ctrllimited[number]:
        lower, upper = sorted(float(value) * factor for value in model.actuator_ctrlrange[number][:2])
    effort = max(abs(lower), abs(upper)) if kind == EFFORT else math.inf
    if model.actuator_forcelimited[number]:
        most = max(abs(float(value)) for value in model.actuator_forcerange[number]) * abs(gear)
        effort = min(effort, most)
    return MjcfServo(int(model.actuator_trnid[number][0]), kind, lower, upper, effort, factor, number, where)


def _fault(number: int, compiled: Compiled) -> str:
    """Why an actuator is none of a position, a velocity or an effort; "" where it is one."""
    model = compiled.model
    transmission = int(model.actuator_trntype[number])
    if transmission not in ON_JOINT:
        return f"it acts on {TRANSMISSIONS.get(transmission, 'something')}, not on a joint"
    joint = int(model.actuator_trnid[number][0])
    if model.jnt_type[joint] not in (SLIDE, HINGE):
        return "it acts on a ball or free joint"
    gain, gear = float(model.actuator_gainprm[number][0]), float(model.actuator_gear[number][0])
    if model.actuator_gaintype[number] != FIXED_GAIN or not gain or not gear:
        return "its force is not a constant times ctrl"
    if model.actuator_biastype[number] == NO_BIAS:
        return "it integrates an effort" if model.actuator_dyntype[number] == INTEGRATOR else ""
    b0, b1, b2 = (float(value) for value in model.actuator_biasprm[number][:3])
    holds = math.isclose(b1, -gain) or (b1 == 0.0 and math.isclose(b2, -gain))
    if model.actuator_biastype[number] != AFFINE_BIAS or b0 or not holds:
        return "it is no motor and no servo of a position or velocity"
    return ""
