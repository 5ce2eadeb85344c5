"""A mechanism in the form of peers: links whose frames are their joints' frames, and pins that close its loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.types import Coupling, JointKind, Mechanism, MotionKind
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3

Array = NDArray[np.float64]
WORLD = -1


@dataclass(frozen=True)
class PeerLink:
    """A body with the hinge or slide that carries it. The link's frame L is the joint's frame on the outboard side.

    `parent`: index of the inboard link, `WORLD` for none; `X_PL`: L in the parent's L (or in the world) at position
    zero; `direction`: of the axis, in L; `com` in L [m]; `inertia` about the centre of mass in L's axes, shape (3, 3)
    [kg m^2]."""

    name: str
    axis: int
    parent: int
    turns: bool
    direction: Vec3
    X_PL: Pose
    mass: float
    com: Vec3
    inertia: Array


@dataclass(frozen=True)
class Pin:
    """Two points that coincide: (link, place in its L). In a planar mechanism one pin closes a hinge."""

    first: tuple[int, Vec3]
    second: tuple[int, Vec3]


def links_of(mechanism: Mechanism) -> list[PeerLink]:
    """Depth first, as Bullet and Pinocchio number them. Raises ValueError for joints with more or less than one
    axis."""
    X_LB = _frames(mechanism)
    number = _depth_first(mechanism)
    links = []
    for body in list(number)[1:]:
        joint, carried = mechanism.joints[body - 1], mechanism.bodies[body]
        if joint.kind is not JointKind.CHAIN or len(joint.motions) != 1:
            raise ValueError(f"'{joint.name}' is not a hinge and no slide")
        (motion,) = joint.motions
        R = X_LB[body].rotation()
        links.append(
            PeerLink(
                name=carried.name,
                axis=motion.axis,
                parent=number[joint.parent],
                turns=motion.kind is MotionKind.ROTATION,
                direction=motion.direction,
                X_PL=X_LB[joint.parent] @ joint.X_PJ,
                mass=carried.mass,
                com=X_LB[body].transform(carried.com),
                inertia=R @ inertia_matrix(*carried.inertia) @ R.T,
            )
        )
    return links


def pins_of(mechanism: Mechanism) -> list[Pin]:
    """One for each loop joint. Raises ValueError if the mechanism is not planar, for one pin would not do."""
    if len(mechanism.loop_joints) > mechanism.mobility.planar_loops:
        raise ValueError("a loop in space needs more than one pin")
    X_LB, number = _frames(mechanism), _depth_first(mechanism)

    def end(body: int, X_BJ: Pose) -> tuple[int, Vec3]:
        return number[body], (X_LB[body] @ X_BJ).position

    return [Pin(end(loop.parent, loop.X_PJ), end(loop.child, loop.X_CJ)) for loop in mechanism.loop_joints]


def pairs_of(mechanism: Mechanism) -> tuple[Coupling, ...]:
    """The couplings. Raises ValueError if one ties more than two axes, which no peer's gear can."""
    for coupling in mechanism.couplings:
        if len(coupling.terms) != 2:
            raise ValueError(f"a coupling of {len(coupling.terms)} axes is not a pair of gears")
    return mechanism.couplings


def _frames(mechanism: Mechanism) -> dict[int, Pose]:
    """X_LB of every body; the world's link frame is the world's."""
    return {0: mechanism.bodies[0].X_WB} | {joint.child: joint.X_CJ.inverse() for joint in mechanism.joints}


def _depth_first(mechanism: Mechanism) -> dict[int, int]:
    """Body to link, in the order of links; the world's comes first."""
    outboard: dict[int, list[int]] = {}
    for joint in mechanism.joints:
        outboard.setdefault(joint.parent, []).append(joint.child)
    number, waiting = {}, [0]
    while waiting:
        body = waiting.pop()
        number[body] = len(number) + WORLD
        waiting += reversed(outboard.get(body, []))
    return number
