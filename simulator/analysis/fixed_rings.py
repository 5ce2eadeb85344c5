"""Rings of fixed joints: how joints that go round share what equilibrium does not determine.

Links that no ring holds together are one node. With w_j the wrench of a ring's joint in its own frame, A w = b is the
balance of every node that nothing else holds, and of all w that keep it the one of least complementary energy
½ Σ w_jᵀ C_j w_j is taken, C_j the compliance of the joint (theorem of Menabrea): w = S (A S)⁺ b with S = C^(-1/2).
Everything is in axes of the body, about its origin, so that the share is found once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.rotation import skew

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]

RIGID = 1e-6
"""Compliance of what is stated to be rigid, per largest of the ring."""
NO_SHARE = 1e-10
"""Singular values of A S below this part of the largest are zero: the balance of the last node follows from others."""


@dataclass(frozen=True, eq=False)
class RingJoint:
    """A fixed joint between two nodes, -1 where a node is held; `frame`: X_BJ."""

    name: str
    parent: int
    child: int
    frame: Pose


def shares(joints: Sequence[RingJoint], nodes: int, compliance: Mapping[str, Array]) -> Array:
    """What turns the wrenches that the nodes need, force and moment about the body's origin in its axes, (6 nodes,),
    into those of the joints by parent on child about their frames, in axes of the body, (6 joints,).

    `compliance`: by joint, shape (6,), about and along the axes of its frame; all have the same where it is empty."""
    A = np.zeros((6 * nodes, 6 * len(joints)))
    turned = np.zeros((6 * len(joints), 6 * len(joints)))
    soft = np.zeros(6 * len(joints))
    places = np.array([joint.frame.position for joint in joints])
    length = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    same = np.array([1.0 / length**2] * 3 + [1.0] * 3)
    for j, joint in enumerate(joints):
        R = joint.frame.rotation()
        columns = slice(6 * j, 6 * j + 6)
        moved = np.block([[R, np.zeros((3, 3))], [skew(np.array(joint.frame.position)) @ R, R]])
        for node, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if node >= 0:
                A[6 * node : 6 * node + 6, columns] += sign * moved
        turned[columns, columns] = np.kron(np.eye(2), R)
        about_along = compliance.get(joint.name, np.zeros(6)) if compliance else same
        soft[columns] = np.concatenate((about_along[3:], about_along[:3]))
    for part in (slice(0, 3), slice(3, 6)):
        of_kind = soft.reshape(-1, 6)[:, part]
        of_kind[:] = np.maximum(of_kind, RIGID * float(of_kind.max(initial=0.0)) or 1.0)
    S = 1.0 / np.sqrt(soft)
    shared: Array = turned @ (S[:, None] * np.linalg.pinv(A * S, rcond=NO_SHARE))
    return shared
