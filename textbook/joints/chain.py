"""Several joints in a row between the same two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.joints.spherical import Spherical
from textbook.joints.translation import TranslationXYZ
from textbook.plucker import crm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointChain:
    """A joint of many freedoms as a chain of simpler ones; the first has the joint frame, the others follow without
    offset.

    In a tree every joint but the last carries a massless body (`Multibody.add_body` splits the chain). Asked by itself,
    the chain answers for all of its joints at once.
    """

    joints: tuple[JointModel, ...]

    @property
    def position_size(self) -> int:
        """Sum of the joints' sizes."""
        return sum(joint.position_size for joint in self.joints)

    @property
    def velocity_size(self) -> int:
        """Sum of the joints' freedoms."""
        return sum(joint.velocity_size for joint in self.joints)

    def transform(self, q: Array) -> Array:
        """X_n ... X_2 X_1, shape (6, 6)."""
        result = np.eye(6)
        for joint, qi in self._positions(q):
            result = joint.transform(qi) @ result
        return result

    def subspace(self, q: Array) -> Array:
        """Every joint's S in the coordinates of the last child, shape (6, nv)."""
        columns: Array = np.zeros((6, 0))
        for joint, qi in self._positions(q):
            # Motions of joints before are carried along into the new child's coordinates.
            columns = np.hstack((joint.transform(qi) @ columns, joint.subspace(qi)))
        return columns

    def bias(self, q: Array, qd: Array) -> Array:
        """c_i = X_i c_{i-1} + cJ_i + v_i x vJ_i, v_i the velocity against the chain's parent (RBDA 5.14), shape
        (6,)."""
        velocity: Array = np.zeros(6)
        result: Array = np.zeros(6)
        first = 0
        for joint, qi in self._positions(q):
            qdi = qd[first : first + joint.velocity_size]
            X = joint.transform(qi)
            vJ = joint.subspace(qi) @ qdi
            # The velocity against the chain's parent, this joint's own included: (v + vJ) x vJ = v x vJ.
            velocity = X @ velocity + vJ
            result = X @ result + joint.bias(qi, qdi) + crm(velocity) @ vJ
            first += joint.velocity_size
        return result

    def neutral(self) -> Array:
        """The joints' neutral positions, shape (nq,)."""
        return np.concatenate([joint.neutral() for joint in self.joints])

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """Each joint by itself, shape (nq,)."""
        parts = []
        first = 0
        for joint, qi in self._positions(q):
            parts.append(joint.integrate(qi, qd[first : first + joint.velocity_size], dt))
            first += joint.velocity_size
        return np.concatenate(parts)

    def singularity(self, q: Array) -> float:
        """Smallest singular value of S over its largest: 0 where the chain has lost a freedom."""
        values = np.linalg.svd(self.subspace(q), compute_uv=False)
        return float(values[-1] / values[0])

    def _positions(self, q: Array) -> list[tuple[JointModel, Array]]:
        result = []
        first = 0
        for joint in self.joints:
            result.append((joint, q[first : first + joint.position_size]))
            first += joint.position_size
        return result


def floating_base_chain() -> JointChain:
    """The floating base as RDL holds it: `TranslationXYZ`, a massless body, `Spherical`."""
    return JointChain((TranslationXYZ(), Spherical()))
