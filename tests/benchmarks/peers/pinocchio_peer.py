"""Pinocchio, which has dynamics but no stepper: one is written here, in Python, as its users do.

Couplings are mimic joints, which are exact, but take neither chains nor leaders that come later: chains are flattened
here onto the joint of the lowest index. Its mass matrix and bias forces are then solved by numpy (its own forward
dynamics refuse mimic joints). A loop is a contact of points with `constraintDynamics`, pulled together at 100 1/s
(Baumgarte), with a proximal term that lets its superfluous row be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.mechanism.types import Mechanism
from simulator.spatial.pose import Pose
from tests.benchmarks.contenders import Array, Contender, Way
from tests.benchmarks.peers.bodies import WORLD, Pin, links_of, pairs_of, pins_of
from tests.benchmarks.tasks import DT, Task

RK4, EULER = "Pinocchio RK4", "Pinocchio Euler"
PULL = 0.1 / DT
"""Rate of the correction of loops [1/s]."""
ACCURACY, PROXIMAL, ITERATIONS = 1e-12, 1e-10, 10
SAME = 1e-12
Law = tuple[int, float, float]
"""(root axis, scaling, offset): q = scaling q_root + offset."""


class Pinocchio(Contender):
    """One step a call by a stepper of the first order (semi-implicit) or the fourth."""

    def __init__(self, task: Task, *, order: int) -> None:
        self.task = task
        mechanism = task.mechanism
        if mechanism.couplings and mechanism.loop_joints:
            raise ValueError("constraintDynamics takes no mimic joints")
        model, joint_of_axis = tree_of(mechanism)
        laws = flattened(mechanism)
        model = with_mimics(model, joint_of_axis, laws)
        place = {axis: model.joints[joint_of_axis[axis]].idx_v for axis, law in laws.items() if law[0] == axis}
        self.spread, self.constant = _spread(task.tree_axes(), laws, place, model.nv)
        self.efforts = self.spread.T @ task.efforts()[task.tree_axes()]
        closed = bool(mechanism.loop_joints)
        self.acceleration = _closed(model, task, joint_of_axis) if closed else _open(model, self.efforts)
        self.call = self.euler if order == 1 else self.rk4
        self.reset()

    def reset(self) -> None:
        self.q, self.v = np.zeros(self.spread.shape[1]), np.zeros(self.spread.shape[1])

    def state(self) -> tuple[Array, Array]:
        return self.spread @ self.q + self.constant, self.spread @ self.v

    def euler(self) -> None:
        self.v = self.v + DT * self.acceleration(self.q, self.v)
        self.q = self.q + DT * self.v

    def rk4(self) -> None:
        q, v, acceleration, half = self.q, self.v, self.acceleration, 0.5 * DT
        a1 = acceleration(q, v)
        v2 = v + half * a1
        a2 = acceleration(q + half * v, v2)
        v3 = v + half * a2
        a3 = acceleration(q + half * v2, v3)
        v4 = v + DT * a3
        a4 = acceleration(q + DT * v3, v4)
        self.q = q + DT / 6.0 * (v + 2.0 * (v2 + v3) + v4)
        self.v = v + DT / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)


def _open(model: Any, efforts: Array) -> Callable[[Array, Array], Array]:
    import pinocchio as pin

    data = model.createData()

    def acceleration(q: Array, v: Array) -> Array:
        rest = efforts - pin.nonLinearEffects(model, data, q, v)
        M = pin.crba(model, data, q)
        solved: Array = rest / M[0] if len(rest) == 1 else np.linalg.solve(M, rest)
        return solved

    return acceleration


def _closed(model: Any, task: Task, joint_of_axis: dict[int, int]) -> Callable[[Array, Array], Array]:
    import pinocchio as pin

    links = links_of(task.mechanism)

    def side(end: tuple[int, tuple[float, float, float]]) -> tuple[int, Any]:
        link, point = end
        joint = 0 if link == WORLD else joint_of_axis[links[link].axis]
        return joint, pin.SE3(np.eye(3), np.array(point))

    def contact(pin_of_loop: Pin) -> Any:
        ends = (*side(pin_of_loop.first), *side(pin_of_loop.second))
        made = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.LOCAL)
        made.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(PULL * PULL, 2.0 * PULL))
        return made

    contacts, rooms = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for loop in pins_of(task.mechanism):
        contacts.append(contact(loop))
        rooms.append(contacts[len(contacts) - 1].createData())
    data, settings = model.createData(), pin.ProximalSettings(ACCURACY, PROXIMAL, ITERATIONS)
    pin.initConstraintDynamics(model, data, contacts, rooms)
    efforts = np.zeros(model.nv)
    for axis, joint in joint_of_axis.items():
        efforts[model.joints[joint].idx_v] = task.efforts()[axis]

    def acceleration(q: Array, v: Array) -> Array:
        # One array is returned and overwritten, hence the copy.
        found: Array = pin.constraintDynamics(model, data, q, v, efforts, contacts, rooms, settings).copy()
        return found

    return acceleration


def tree_of(mechanism: Mechanism) -> tuple[Any, dict[int, int]]:
    """The spanning tree without couplings, and its joint for every tree axis."""
    import pinocchio as pin

    model, joint_of_axis, added = pin.Model(), {}, {WORLD: 0}
    model.gravity.linear = np.array(mechanism.gravity)
    for index, link in enumerate(links_of(mechanism)):
        kind = pin.JointModelRevoluteUnaligned if link.turns else pin.JointModelPrismaticUnaligned
        name, X = f"a{link.axis}", _placement(link.X_PL)
        joint = model.addJoint(added[link.parent], kind(np.array(link.direction)), X, name)
        model.appendBodyToJoint(joint, pin.Inertia(link.mass, np.array(link.com), link.inertia), pin.SE3.Identity())
        added[index] = joint_of_axis[link.axis] = joint
    return model, joint_of_axis


def _placement(X: Pose) -> Any:
    import pinocchio as pin

    return pin.SE3(X.rotation(), np.array(X.position))


def flattened(mechanism: Mechanism) -> dict[int, Law]:
    """Every tree axis by the lowest axis that its couplings lead to; an axis that nothing ties is its own root.

    Raises ValueError if two ways around a ring of couplings lead to the same axis.
    """
    ties: dict[int, list[Law]] = {axis: [] for axis, info in enumerate(mechanism.axes) if info.in_tree}
    for row in pairs_of(mechanism):
        ties[row.leader].append((row.follower, row.multiplier, row.constant))
        ties[row.follower].append((row.leader, 1.0 / row.multiplier, -row.constant / row.multiplier))
    laws: dict[int, Law] = {}
    for root in sorted(ties):
        if root in laws:
            continue
        laws[root], front, met = (root, 1.0, 0.0), [root], 0
        for axis in front:
            met += len(ties[axis])
            for other, multiplier, constant in ties[axis]:
                if other not in laws:
                    laws[other] = (root, multiplier * laws[axis][1], multiplier * laws[axis][2] + constant)
                    front.append(other)
        if met != 2 * (len(front) - 1):
            raise ValueError("mimic joints take no ring of couplings")
    return laws


def with_mimics(model: Any, joint_of_axis: dict[int, int], laws: dict[int, Law]) -> Any:
    """The model with every axis that has a root other than itself as a mimic joint of that root."""
    import pinocchio as pin

    for axis, (root, scaling, offset) in laws.items():
        if axis != root:
            model = pin.transformJointIntoMimic(model, joint_of_axis[root], joint_of_axis[axis], scaling, offset)
    return model


def _spread(axes: list[int], laws: dict[int, Law], place: dict[int, int], size: int) -> tuple[Array, Array]:
    """q of the tree axes = spread @ independent + constant."""
    spread, constant = np.zeros((len(axes), size)), np.zeros(len(axes))
    for row, axis in enumerate(axes):
        _, spread[row, place[laws[axis][0]]], constant[row] = laws[axis]
    return spread, constant


def ways() -> list[Way]:
    """Of the fourth order and of the first."""
    return [
        Way(RK4, "Pinocchio", lambda task: Pinocchio(task, order=4)),
        Way(EULER, "Pinocchio", lambda task: Pinocchio(task, order=1)),
    ]
