"""Bodies and joints of MuJoCo's model → links and joints.

A body of MuJoCo may have several joints, each carried by the one before it; between them come links without mass. A
joint's coordinate is MuJoCo's own: zero is where `ref` is zero, so poses are written for that position, and the start
is a start position.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.mjcf.poses import about, element, number, pose_node, pose_of, turned_about, vec3
from simulator.formats.sdf.extensions import ARMATURE, WITHOUT_MASS
from simulator.formats.values import number_text, numbers_text
from simulator.model.joint import WORLD
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.mjcf.naming import MjcfNames
    from simulator.formats.mjcf.starting import MjcfStart
    from simulator.formats.nodes import Node

FREE, BALL, SLIDE, HINGE = range(4)
"""`mjtJoint`."""


@dataclass
class BodyTree:
    """Links and joints, by the numbers of bodies and joints, the states that they start with, and the pose of each body
    in the world while all coordinates are zero.

    `neighbours`: links that several joints tie, which MuJoCo never lets touch. `laws`: of joints
    that follow others: the one that leads, multiplier and offset.
    """

    compiled: Compiled
    names: MjcfNames
    start: MjcfStart
    links: dict[int, Node] = field(default_factory=dict)
    between: list[Node] = field(default_factory=list)
    joints: dict[int, Node] = field(default_factory=dict)
    fixed: list[Node] = field(default_factory=list)
    states: list[Node] = field(default_factory=list)
    X_WB: dict[int, Pose] = field(default_factory=lambda: {0: IDENTITY})
    neighbours: list[tuple[int, int]] = field(default_factory=list)
    laws: dict[int, tuple[int, float, float]] = field(default_factory=dict)

    def link(self, body: int) -> str:
        """The name of a body's link; the world has its own."""
        return WORLD if body == 0 else self.names.links[body]

    def nodes(self) -> list[Node]:
        """Links, joints, and the state."""
        state = element("model_state", self.compiled.places.root, *self.states, name="mujoco")
        parts = [*self.links.values(), *self.between, *self.fixed, *self.joints.values()]
        return [*parts, state] if self.states else parts


def read_tree(compiled: Compiled, names: MjcfNames, start: MjcfStart, log: DiagnosticLog) -> BodyTree:
    """All bodies but those that are points of something soft."""
    tree = BodyTree(compiled, names, start)
    model = compiled.model
    soft = points_of_flexes(compiled)
    for body in range(1, model.nbody):
        if body not in soft:
            _read_body(body, tree, log)
    return tree


def limit_efforts(tree: BodyTree, efforts: Mapping[int, float]) -> None:
    """Effort limits of joints, by what actuators give at most, and by `actuatorfrcrange`."""
    model = tree.compiled.model
    for joint, node in tree.joints.items():
        axis = node.child("axis")
        effort = efforts.get(joint, math.inf)
        if axis is None:
            continue
        if model.jnt_actfrclimited[joint]:
            effort = min(effort, max(abs(float(value)) for value in model.jnt_actfrcrange[joint]))
        if math.isfinite(effort):
            limit = axis.child("limit")
            if limit is None:
                limit = element("limit", node.source)
                axis.children.append(limit)
            limit.children.append(number("effort", node.source, effort))


def points_of_flexes(compiled: Compiled) -> frozenset[int]:
    """Bodies that carry a point of a flex and nothing else."""
    model = compiled.model
    carried = {int(body) for body in (*model.flex_vertbodyid, *model.flex_nodebodyid)}
    return frozenset(body for body in carried if body > 0 and model.body_geomnum[body] == 0 and model.body_jntnum[body])


def _read_body(body: int, tree: BodyTree, log: DiagnosticLog) -> None:
    model = tree.compiled.model
    where = tree.compiled.places.of_kind("bodies", body)
    parent = int(model.body_parentid[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    X_PB = pose_of(model.body_pos[body], model.body_quat[body])
    name, above = tree.link(body), tree.link(parent)
    if count and model.jnt_type[first] == FREE:
        X_PB = _free(body, first, tree, log)
        above = WORLD
    elif not count:
        mocap = int(model.body_mocapid[body])
        if mocap >= 0:
            X_PB = pose_of(tree.start.mpos[mocap], tree.start.mquat[mocap])
            message = f"the mocap body '{name}', which a program moves, stands still"
            log.warning("NOT_SIMULATED", where, message, fold="mocap", about=name)
        tree.fixed.append(_joint_node(tree.names.free(f"{name}_fixed", "joint"), "fixed", (above, name), where))
    X = X_PB
    X_WA = IDENTITY if above == WORLD else tree.X_WB[parent]
    for joint in range(first, first + count) if count and model.jnt_type[first] != FREE else ():
        last = joint == first + count - 1
        below = name if last else tree.names.free(f"{name}_below_{tree.names.joints[joint]}", "link")
        X = X @ _zero(joint, tree)
        if not last:
            at = tree.compiled.places.of_kind("joints", joint)
            tree.between.append(_link(below, (0.0, (0.0, 0.0, 0.0), IDENTITY), X, above, at))
        tree.joints[joint] = _moving(joint, (above, below), tree, log)
        if not last:
            above, X, X_WA = below, IDENTITY, X_WA @ X
    if count > 1 and parent:
        tree.neighbours.append((parent, body))
    tree.X_WB[body] = X_WA @ X
    mass = float(model.body_mass[body])
    inertial = mass, vec3(model.body_inertia[body]), pose_of(model.body_ipos[body], model.body_iquat[body])
    tree.links[body] = _link(name, inertial, X, above, where)


def _free(body: int, joint: int, tree: BodyTree, log: DiagnosticLog) -> Pose:
    """Where a body that floats starts, in the world; its velocity."""
    model = tree.compiled.model
    start = tree.start
    at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    X_WB = pose_of(start.qpos[at : at + 3], start.qpos[at + 3 : at + 7])
    velocity = start.qvel[dof : dof + 6]
    where = tree.compiled.places.of_kind("joints", joint)
    if velocity.any():
        twist = (*map(float, velocity[:3]), *X_WB.rotate(vec3(velocity[3:])))
        speed = element("velocity", where, text=numbers_text(twist))
        tree.states.append(element("link_state", where, speed, name=tree.link(body)))
    for values, what in ((model.dof_damping, "damping"), (model.dof_armature, "armature")):
        if values[dof : dof + 6].any():
            message = f"{what} of the free joint of '{tree.link(body)}' is not simulated"
            log.warning("NOT_SIMULATED", where, message, fold=f"free {what}", about=tree.link(body))
    return X_WB


def _zero(joint: int, tree: BodyTree) -> Pose:
    """From the reference pose to where the coordinate is zero. A ball has no coordinate: it is where it starts."""
    model = tree.compiled.model
    at = int(model.jnt_qposadr[joint])
    anchor = vec3(model.jnt_pos[joint])
    axis = vec3(model.jnt_axis[joint])
    if model.jnt_type[joint] == BALL:
        return about(anchor, pose_of((0.0, 0.0, 0.0), tree.start.qpos[at : at + 4]))
    reference = float(model.qpos0[at])
    if reference == 0.0:
        return IDENTITY
    if model.jnt_type[joint] == HINGE:
        return turned_about(anchor, axis, -reference)
    x, y, z = axis
    return Pose((-x * reference, -y * reference, -z * reference))


def _link(
    name: str, inertial: tuple[float, tuple[float, float, float], Pose], X: Pose, above: str, where: Source
) -> Node:
    mass, (ixx, iyy, izz), X_LI = inertial
    moments = [number(tag, where, value) for tag, value in (("ixx", ixx), ("iyy", iyy), ("izz", izz))]
    body = element(
        "inertial", where, pose_node(X_LI, where), number("mass", where, mass), element("inertia", where, *moments)
    )
    mark = {} if mass > 0.0 else {WITHOUT_MASS: "none"}
    return element("link", where, pose_node(X, where, "" if above == WORLD else above), body, name=name, **mark)


def _joint_node(name: str, kind: str, ends: tuple[str, str], where: Source, *children: Node | None) -> Node:
    parent, child = (element(tag, where, text=end) for tag, end in zip(("parent", "child"), ends, strict=True))
    return element("joint", where, parent, child, *children, name=name, type=kind)


def _moving(joint: int, ends: tuple[str, str], tree: BodyTree, log: DiagnosticLog) -> Node:
    model = tree.compiled.model
    name = tree.names.joints[joint]
    where = tree.compiled.places.of_kind("joints", joint)
    dof = int(model.jnt_dofadr[joint])
    pose = pose_node(Pose(vec3(model.jnt_pos[joint])), where)
    if model.jnt_type[joint] == BALL:
        _report_ball(joint, tree, log)
        return _joint_node(name, "ball", ends, where, pose)
    limited = bool(model.jnt_limited[joint])
    kind = "prismatic" if model.jnt_type[joint] == SLIDE else "revolute" if limited else "continuous"
    _start(joint, name, tree, where)
    lower, upper = (float(value) for value in model.jnt_range[joint])
    limit = {"lower": lower, "upper": upper} if limited else {}
    dynamics = {
        "damping": float(model.dof_damping[dof]),
        "friction": float(model.dof_frictionloss[dof]),
        "spring_stiffness": float(model.jnt_stiffness[joint]),
        "spring_reference": float(model.qpos_spring[int(model.jnt_qposadr[joint])]),
    }
    if not dynamics["spring_stiffness"]:
        del dynamics["spring_reference"]
    armature = float(model.dof_armature[dof])
    axis = element(
        "axis",
        where,
        element("xyz", where, text=numbers_text(vec3(model.jnt_axis[joint]))),
        _numbers("limit", limit, where),
        _numbers("dynamics", {tag: value for tag, value in dynamics.items() if value}, where),
        number(ARMATURE, where, armature) if armature else None,
    )
    return _joint_node(name, kind, ends, where, pose, axis)


def _numbers(tag: str, values: Mapping[str, float], where: Source) -> Node | None:
    children = [number(name, where, value) for name, value in values.items()]
    return element(tag, where, *children) if children else None


def _start(joint: int, name: str, tree: BodyTree, where: Source) -> None:
    model = tree.compiled.model
    start = tree.start
    position, velocity = (
        float(start.qpos[int(model.jnt_qposadr[joint])]),
        float(start.qvel[int(model.jnt_dofadr[joint])]),
    )
    said = [(tag, value) for tag, value in (("position", position), ("velocity", velocity)) if value]
    if said:
        state = element("axis_state", where, *(element(tag, where, text=number_text(value)) for tag, value in said))
        tree.states.append(element("joint_state", where, state, name=name))


def _report_ball(joint: int, tree: BodyTree, log: DiagnosticLog) -> None:
    model = tree.compiled.model
    dof = int(tree.compiled.model.jnt_dofadr[joint])
    acting = {
        "limits": model.jnt_limited[joint],
        "stiffness": model.jnt_stiffness[joint],
        "damping": model.dof_damping[dof : dof + 3].any(),
        "armature": model.dof_armature[dof : dof + 3].any(),
        "frictionloss": model.dof_frictionloss[dof : dof + 3].any(),
    }
    for what, acts in acting.items():
        if acts:
            name = tree.names.joints[joint]
            where = tree.compiled.places.of_kind("joints", joint)
            message = f"{what} of the ball joint '{name}' is not simulated: a ball joint moves freely here"
            log.warning("NOT_SIMULATED", where, message, "three hinges have it", fold=f"ball {what}", about=name)
