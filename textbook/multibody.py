"""A tree of rigid bodies, built body by body in the manner of the Robot Dynamics Library.

Ids: 0 is the ROOT, movable bodies count 1, 2, ...; a body on a fixed joint costs nothing, its inertia is merged into
the movable body that carries it, and its id is `FIXED_BODY_DISCRIMINATOR` + 0, 1, ... Every query takes both kinds. A
joint given as a `JointChain` becomes single joints with massless bodies between them.

q holds, joint by joint, as many numbers as the joint has freedoms; scalar parts of quaternions stand at the END of q,
in the order of their joints. TX, Spherical, TY, Spherical: q = (tx, x1, y1, z1, ty, x2, y2, z2, w1, w2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError, UsageError
from textbook.joints.base import VectorJoint
from textbook.joints.chain import JointChain, floating_base_chain
from textbook.joints.fixed import Fixed
from textbook.joints.spherical import FloatingBase, Spherical
from textbook.plucker import inertia_in_parent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.rotation import Quat
    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]

ROOT = 0
FIXED_BODY_DISCRIMINATOR = 2147483647
"""Ids from here on are fixed bodies (RDL: half of the largest unsigned int)."""
STANDARD_GRAVITY = (0.0, 0.0, -9.81)
"""[m/s²] along the ROOT's axes."""


def is_fixed_body_id(body_id: int) -> bool:
    """Does this id belong to a body that is merged into another one?"""
    return body_id >= FIXED_BODY_DISCRIMINATOR


@dataclass(frozen=True)
class TreeBody:
    """One movable body: its joint, where that starts in q and qd, and where a quaternion's scalar is in q."""

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


@dataclass(frozen=True)
class FixedBody:
    """A body welded to movable body `parent` (0: the ROOT); `X` (6, 6) maps motions from that body's coordinates to its
    own."""

    name: str
    parent: int
    X: Array


@dataclass(frozen=True)
class JointUse:
    """One joint as it was added: the body it carries and all bodies that it was split into."""

    name: str
    joint: JointModel
    bodies: tuple[int, ...]


class Multibody:
    """Bodies, joints and the layout of q and qd. Algorithms: `tree_dynamics` and `body_motion`."""

    def __init__(self, gravity: Sequence[float] | Array = STANDARD_GRAVITY) -> None:
        self._gravity = np.array(gravity, dtype=float)
        self._bodies: list[TreeBody] = []
        self._fixed: list[FixedBody] = []
        self._inertias: dict[int, Array] = {ROOT: np.zeros((6, 6))}
        self._ids: dict[str, int] = {"ROOT": ROOT}
        self._uses: list[JointUse] = []

    # Building

    def add_body(
        self,
        parent_id: int,
        X_tree: Array,
        joint: JointModel,
        inertia: Array | None = None,
        name: str = "",
        *,
        merge: bool = True,
    ) -> int:
        """Add a body and return its id.

        `X_tree` (6, 6): motion transform from the parent body to the joint frame; `inertia` (6, 6) about the body's
        origin, None for a massless body. `merge=False` keeps a fixed joint as a movable body without freedom.
        """
        self._require(parent_id)
        if isinstance(joint, FloatingBase):
            joint = self._split_floating_base()
        inertia = np.zeros((6, 6)) if inertia is None else np.array(inertia, dtype=float)
        if isinstance(joint, Fixed) and merge:
            return self._add_fixed(parent_id, X_tree, inertia, name)
        steps = joint.joints if isinstance(joint, JointChain) else (joint,)
        name = self._free_name(name or f"body {len(self._bodies) + len(steps)}")
        ids: list[int] = []
        for k, step in enumerate(steps, start=1):
            last = k == len(steps)
            own_name = name if last else self._free_name(f"{name} (massless {k})")
            own_inertia = inertia if last else np.zeros((6, 6))
            ids.append(self._add_movable(parent_id, X_tree, step, own_inertia, own_name))
            parent_id = ids[-1]
            X_tree = np.eye(6)
        self._uses.append(JointUse(name, joint, tuple(ids)))
        return ids[-1]

    def append_body(self, X_tree: Array, joint: JointModel, inertia: Array | None = None, name: str = "") -> int:
        """`add_body` on the movable body that was added last."""
        return self.add_body(len(self._bodies), X_tree, joint, inertia, name)

    def set_inertia(self, body_id: int, inertia: Array) -> None:
        """Change a body's own inertia (6, 6); that of a fixed body is merged anew."""
        self._require(body_id)
        self._inertias[body_id] = np.array(inertia, dtype=float)

    def _add_movable(self, parent_id: int, X_tree: Array, joint: JointModel, inertia: Array, name: str) -> int:
        parent, X = self.movable_parent(parent_id)
        X_tree = np.asarray(X_tree, dtype=float) @ X
        self._bodies.append(TreeBody(name, parent, X_tree, joint, self.qdot_size, 0))
        # Scalar parts of quaternions are behind all freedoms: each new freedom moves them along.
        extra = self.qdot_size
        for i, body in enumerate(self._bodies):
            self._bodies[i] = replace(body, extra=extra)
            extra += body.joint.position_size - body.joint.velocity_size
        return self._register(len(self._bodies), inertia, name)

    def _add_fixed(self, parent_id: int, X_tree: Array, inertia: Array, name: str) -> int:
        parent, X = self.movable_parent(parent_id)
        name = self._free_name(name or f"fixed body {len(self._fixed) + 1}")
        self._fixed.append(FixedBody(name, parent, np.asarray(X_tree, dtype=float) @ X))
        return self._register(FIXED_BODY_DISCRIMINATOR + len(self._fixed) - 1, inertia, name)

    def _register(self, body_id: int, inertia: Array, name: str) -> int:
        self._inertias[body_id], self._ids[name] = inertia, body_id
        return body_id

    def _free_name(self, name: str) -> str:
        if name in self._ids:
            raise UsageError(f"a body named '{name}' exists already")
        return name

    def _split_floating_base(self) -> JointChain:
        if self._bodies:
            raise UsageError(
                "a FloatingBase joint is for the first body; later ones take JointChain((TranslationXYZ(), "
                "Spherical()))"
            )
        return floating_base_chain()

    # Bodies

    @property
    def body_count(self) -> int:
        """Movable bodies and the ROOT; massless ones of split joints included."""
        return len(self._bodies) + 1

    @property
    def bodies(self) -> tuple[TreeBody, ...]:
        """Movable bodies 1, 2, ... with their joints."""
        return tuple(self._bodies)

    def body_id(self, name: str) -> int:
        """Id of the body with this name."""
        if name not in self._ids:
            raise UnknownNameError("body", name, self._ids)
        return self._ids[name]

    def body_name(self, body_id: int) -> str:
        """Name of a body."""
        self._require(body_id)
        return next(name for name, known in self._ids.items() if known == body_id)

    def movable_parent(self, body_id: int) -> tuple[int, Array]:
        """The movable body that carries `body_id` (itself, unless fixed) and the transform (6, 6) from its
        coordinates."""
        self._require(body_id)
        if not is_fixed_body_id(body_id):
            return body_id, np.eye(6)
        fixed = self._fixed[body_id - FIXED_BODY_DISCRIMINATOR]
        return fixed.parent, fixed.X

    def inertia(self, body_id: int) -> Array:
        """A body's own inertia (6, 6), before anything is merged into it."""
        self._require(body_id)
        own: Array = self._inertias[body_id].copy()
        return own

    def merged_inertia(self, body_id: int) -> Array:
        """Inertia (6, 6) of a movable body with all fixed bodies that it carries: I + sum of X.T I_fixed X."""
        total = self.inertia(body_id)
        for k, fixed in enumerate(self._fixed):
            if fixed.parent == body_id:
                total += inertia_in_parent(self._inertias[FIXED_BODY_DISCRIMINATOR + k], fixed.X)
        return total

    def inertias(self) -> Array:
        """`merged_inertia` of the ROOT and all movable bodies, shape (body_count, 6, 6)."""
        return np.array([np.zeros((6, 6)), *(self.merged_inertia(i) for i in range(1, self.body_count))])

    def _require(self, body_id: int) -> None:
        if body_id not in self._inertias:
            last = (
                f", {FIXED_BODY_DISCRIMINATOR} to {FIXED_BODY_DISCRIMINATOR + len(self._fixed) - 1}"
                if self._fixed
                else ""
            )
            raise UsageError(f"no body has the id {body_id}. Ids in use: 0 to {len(self._bodies)}{last}")

    # Positions and velocities

    @property
    def q_size(self) -> int:
        """Length of q: freedoms and one more per quaternion."""
        return sum(body.joint.position_size for body in self._bodies)

    @property
    def qdot_size(self) -> int:
        """Number of freedoms, the length of qd, qdd and tau."""
        return sum(body.joint.velocity_size for body in self._bodies)

    def q_index(self, body_id: int) -> int:
        """Where the joint of a movable body starts in q and in qd: the number of freedoms before it."""
        return self._movable(body_id).first

    def quaternion_index(self, body_id: int) -> int:
        """Where the scalar part of the quaternion of this body's spherical joint stands in q."""
        return self._spherical(body_id).extra

    def get_quaternion(self, q: Array, body_id: int) -> Quat:
        """(x, y, z, w) of the spherical joint of this body (floating base: of the body itself)."""
        x, y, z, w = (float(c) for c in self._spherical(body_id).position(q))
        return (x, y, z, w)

    def set_quaternion(self, q: Array, body_id: int, quaternion: Quat) -> None:
        """Write (x, y, z, w) into q, in place."""
        self._spherical(body_id).put_position(q, np.array(quaternion))

    def neutral(self) -> Array:
        """Every joint at its neutral position, shape (q_size,): zeros, and w = 1 in every quaternion."""
        q = np.zeros(self.q_size)
        for body in self._bodies:
            body.put_position(q, body.joint.neutral())
        return q

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """q after `dt` [s] at constant qd, shape (q_size,); quaternions stay of length 1 and turn on the right side."""
        result = np.array(q, dtype=float)
        result[: self.qdot_size] += dt * np.asarray(qd, dtype=float)
        # Quaternions and floating bases turn by the exponential map, which addition is not.
        for body in self._bodies:
            if not isinstance(body.joint, VectorJoint):
                body.put_position(result, body.joint.integrate(body.position(q), body.velocity(qd), dt))
        return result

    def joint_uses(self) -> tuple[JointUse, ...]:
        """The joints as they were added, before chains were split."""
        return tuple(self._uses)

    def _movable(self, body_id: int) -> TreeBody:
        self._require(body_id)
        if body_id == ROOT or is_fixed_body_id(body_id):
            raise UsageError(f"body {body_id} has no joint of its own: it is the ROOT or fixed")
        return self._bodies[body_id - 1]

    def _spherical(self, body_id: int) -> TreeBody:
        body = self._movable(body_id)
        if not isinstance(body.joint, Spherical):
            raise UsageError(
                f"body '{body.name}' moves on a {type(body.joint).__name__} joint, which has no quaternion"
            )
        return body

    # Numbers

    @property
    def gravity(self) -> Array:
        """[m/s²] along the ROOT's axes, shape (3,)."""
        value: Array = self._gravity.copy()
        return value

    @gravity.setter
    def gravity(self, value: Sequence[float] | Array) -> None:
        self._gravity = np.array(value, dtype=float)
