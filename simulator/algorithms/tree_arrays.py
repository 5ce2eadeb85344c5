"""A tree of bodies as the flat arrays that the kernels read, and the workspace they write.

Built-in joints are known to the kernels by a code; any other `JointModel` is CUSTOM: its X, S and c are asked for in
Python before every call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.algorithms.joints.euler import EulerXYZ, EulerYXZ, EulerZXY, EulerZYX
from simulator.algorithms.joints.fixed import Fixed
from simulator.algorithms.joints.single import X_AXIS, Y_AXIS, Z_AXIS, Helical, Prismatic, Revolute
from simulator.algorithms.joints.spherical import FloatingBase, Spherical
from simulator.algorithms.joints.translation import Planar, TranslationXYZ
from simulator.algorithms.kernels import layout as at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.algorithms.joints.protocol import JointModel

    Array = NDArray[np.float64]

_CODES: dict[type, int] = {
    Fixed: at.FIXED,
    Revolute: at.REVOLUTE,
    Prismatic: at.PRISMATIC,
    Helical: at.HELICAL,
    EulerZYX: at.EULER_ZYX,
    EulerXYZ: at.EULER_XYZ,
    EulerYXZ: at.EULER_YXZ,
    EulerZXY: at.EULER_ZXY,
    TranslationXYZ: at.TRANSLATION_XYZ,
    Planar: at.PLANAR,
    Spherical: at.SPHERICAL,
    FloatingBase: at.FLOATING_BASE,
}
_PRINCIPAL = {X_AXIS: at.REVOLUTE_X, Y_AXIS: at.REVOLUTE_Y, Z_AXIS: at.REVOLUTE_Z}


@dataclass(frozen=True)
class TreeBody:
    """One movable body: its joint, where that starts in q and qd, and where a quaternion's scalar stands in q."""

    name: str
    parent: int
    X_tree: Array
    joint: JointModel
    first: int
    extra: int

    def position(self, q: Array) -> Array:
        """The joint's own q, shape (nq,), taken out of the model's."""
        nv = self.joint.velocity_size
        more = self.joint.position_size - self.joint.velocity_size
        # A quaternion has a fourth entry, which is behind all others in q, so that q and q̇ have the same places.
        own = q[self.first : self.first + nv]
        return np.concatenate((own, q[self.extra : self.extra + more])) if more else own

    def put_position(self, q: Array, own: Array) -> None:
        """Write the joint's own q into the model's."""
        nv = self.joint.velocity_size
        more = self.joint.position_size - self.joint.velocity_size
        q[self.first : self.first + nv] = own[:nv]
        if more:
            q[self.extra : self.extra + more] = own[nv:]

    def velocity(self, qd: Array) -> Array:
        """The joint's own qd, shape (nv,), a view into the model's."""
        return qd[self.first : self.first + self.joint.velocity_size]


class TreeArrays:
    """Arrays of n bodies, row 0 the ROOT (kernels/layout.py says what stands where). One call at a time may use the
    workspace.

    `all` is what kernels take.
    """

    def __init__(self, bodies: Sequence[TreeBody], inertias: Sequence[Array], gravity: Array) -> None:
        n = len(bodies) + 1
        self.table = np.zeros((n, at.TABLE_COLUMNS), dtype=np.int64)
        self.axis = np.zeros((n, 6))
        self.X_tree = np.zeros((n, 6, 6))
        self.inertia = np.zeros((n, 6, 6))
        self.gravity = np.array(gravity, dtype=float)
        self.mats = np.zeros((at.MATS, n, 6, 6))
        self.vecs = np.zeros((at.VECS, n, 6))
        self.all = (self.table, self.axis, self.X_tree, self.inertia, self.gravity, self.mats, self.vecs)
        self.no_force = np.zeros((n, 6))
        self.freedoms = sum(body.joint.velocity_size for body in bodies)
        self.positions = sum(body.joint.position_size for body in bodies)
        self.zeros = np.zeros(self.freedoms)
        self._custom: list[tuple[int, TreeBody]] = []
        for i, (body, inertia) in enumerate(zip(bodies, inertias, strict=True), start=1):
            code = code_of(body.joint)
            self.table[i] = (body.parent, code, body.first, body.joint.velocity_size, body.extra)
            self.axis[i] = getattr(body.joint, "row", np.zeros(6)) if code <= at.HELICAL else 0.0
            self.X_tree[i] = body.X_tree
            self.inertia[i] = inertia
            if code == at.CUSTOM:
                self._custom.append((i, body))

    def place_custom_joints(self, q: Array, qd: Array) -> None:
        """Ask the joints that the kernels do not know for XJ, S and cJ."""
        for i, body in self._custom:
            own_q, own_qd = body.position(q), body.velocity(qd)
            self.mats[at.XJ, i] = body.joint.transform(own_q)
            self.mats[at.S, i, : len(own_qd)] = body.joint.subspace(own_q).T
            self.vecs[at.CJ, i] = body.joint.bias(own_q, own_qd)


def code_of(joint: JointModel) -> int:
    """The kernels' code of a joint; CUSTOM for what they do not know."""
    if isinstance(joint, Revolute):
        return _PRINCIPAL.get(joint.axis, at.REVOLUTE)
    return _CODES.get(type(joint), at.CUSTOM)
