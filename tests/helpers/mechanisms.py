"""Worlds put together in code, without a document: links and joints of one model `m`, every joint on a line of its own.

    world(link("a"), link("b", at=(1, 0, 0)), joint("j", "revolute", "a", "b", axes=[(0, 0, 1)]))

Names are given without the model's scope; "world" stays the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.diagnostics import Diagnostic, Source
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.joint import Axis, Joint, JointType, Mimic
from simulator.model.link import Inertial, Link
from simulator.model.world import Model, World
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3, matrix_from_axis_angle, normalized

Array = NDArray[np.float64]
FILE = "made-up.sdf"
AXES = {"ball": 0, "fixed": 0, "universal": 2, "revolute2": 2, "gearbox": 2}
Z: Vec3 = (0.0, 0.0, 1.0)
UNIT = Inertial(1.0, moments=(0.01, 0.01, 0.01))


def scoped(name: str, model: str = "m") -> str:
    """The name with its model's scope; the world, and names that have a scope, stay as they are."""
    return name if name in ("", "world") or "::" in name else f"{model}::{name}"


def link(name: str, *, at: Vec3 = (0.0, 0.0, 0.0), rpy: Vec3 = (0.0, 0.0, 0.0), **fields: Any) -> Link:
    """A link at that place of the world; 1 kg and 0.01 kg m² unless `inertial` says otherwise."""
    return Link(scoped(name), Pose.from_rpy(at, rpy), **{"inertial": UNIT, **fields})


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    *,
    at: Vec3 = (0.0, 0.0, 0.0),
    rpy: Vec3 = (0.0, 0.0, 0.0),
    axes: Sequence[Vec3] = (),
    axis: dict[str, Any] | None = None,
    axis2: dict[str, Any] | None = None,
    line: int = 0,
    **fields: Any,
) -> Joint:
    """A joint whose frame is at that place of the world; `axis` and `axis2` are further fields of its axes."""
    frame = Pose.from_rpy(at, rpy)
    directions = [normalized(direction) for direction in (*axes, Z, Z)[: AXES.get(kind, 1)]]
    more = (axis or {}, axis2 or {})
    return Joint(
        name=scoped(name),
        type=JointType(kind),
        parent=parent,
        child=child,
        parent_link=scoped(parent),
        child_link=scoped(child),
        X_WJ=frame,
        axes=tuple(
            Axis(xyz_joint=d, xyz_world=frame.rotate(d), **extra) for d, extra in zip(directions, more, strict=False)
        ),
        source=Source(FILE, line),
        **fields,
    )


def mimic(leader: str, *, line: int = 0, **fields: Any) -> Mimic:
    """A mimic of that leader."""
    return Mimic(joint=leader, leader=scoped(leader), source=Source(FILE, line), **fields)


def model(*parts: Link | Joint, name: str = "m", **fields: Any) -> Model:
    """A model of these links and joints."""
    links = tuple(part for part in parts if isinstance(part, Link))
    joints = tuple(part for part in parts if isinstance(part, Joint))
    return Model(name, links=links, joints=joints, **fields)


def world(*parts: Link | Joint, **fields: Any) -> World:
    """A world with the one model `m`."""
    return World(models=(model(*parts, **fields),))


def mechanism(*parts: Link | Joint, **fields: Any) -> Mechanism:
    """The mechanism of a world with the one model `m`; it must be without errors."""
    built = build_mechanism(world(*parts, **fields))
    assert not built.has_errors, built.diagnostics
    return built


def findings(built: Mechanism, code: str) -> list[Diagnostic]:
    """The diagnostics of that code."""
    return [item for item in built.diagnostics if item.code == code]


def axis_of(built: Mechanism, name: str) -> int:
    """Index of an axis that must exist."""
    index = built.axis_index(name)
    assert index is not None, name
    return index


def body_of(built: Mechanism, name: str) -> int:
    """Index of the body of a link."""
    return 0 if name == "world" else built.link_bodies()[scoped(name)]


def state_of(built: Mechanism, **positions: float) -> JointState:
    """The rest state with these positions; `j__axis2` means `j:axis2`."""
    state = rest_state(built)
    for name, value in positions.items():
        state.position[axis_of(built, name.replace("__", ":"))] = value
    return state


def pose_of(built: Mechanism, state: JointState, name: str) -> Array:
    """X_WB of the body that carries a link, shape (4, 4)."""
    pose: Array = Kinematics(built).body_matrices(state)[body_of(built, name)]
    return pose


def random_state(built: Mechanism, random: np.random.Generator, *, speed: float = 0.0) -> JointState:
    """Any positions of all joints, balls and free joints included; velocities where `speed` is not zero."""
    state = rest_state(built)
    poses = state.loose_pose.copy()
    for pose in poses:
        direction = random.normal(size=3)
        pose[:3, :3] = matrix_from_axis_angle(direction / np.linalg.norm(direction), random.uniform(-3, 3))
    free = [built.joints[i].kind.value == "free" for i in range(len(built.joints)) if built.joints[i].kind != "chain"]
    twists = speed * random.normal(size=state.loose_twist.shape)
    for slot, floats in enumerate(free):
        if floats:
            poses[slot, :3, 3] = random.normal(size=3)
        else:
            twists[slot, 3:] = 0.0
    return replace(
        state,
        position=random.uniform(-math.pi, math.pi, size=state.position.shape),
        velocity=speed * random.normal(size=state.velocity.shape),
        loose_pose=poses,
        loose_twist=twists,
    )


def chain_of_hinges(count: int) -> Mechanism:
    """Links of 1e-4 kg m^2 about their joints on parallel hinges, 0.1 m apart; without gravity."""
    small = Inertial(1.0, moments=(1e-4, 1e-4, 1e-4))
    parts: list[Link | Joint] = []
    for i in range(count):
        place = (0.1 * i, 0.0, 0.0)
        parts += [
            link(f"l{i}", at=place, inertial=small),
            joint(f"j{i}", "revolute", f"l{i - 1}" if i else "world", f"l{i}", at=place),
        ]
    return mechanism(*parts)
