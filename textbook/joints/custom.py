"""Joints that a user describes by functions.

Two hooks are enough (RDL's custom joint): the transform X(q) and the subspace S(q). A joint whose S changes with q has
a third, the bias c(q, qd) = S̊ qd; left out, it is taken from differences of S along the motion, which costs digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.plucker import crm, inverse_transform

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from textbook.joints.inference import JointType

    Array = NDArray[np.float64]
    Transform = Callable[[Array], Array]
    Subspace = Callable[[Array], Array]
    Bias = Callable[[Array, Array], Array]
    Integrate = Callable[[Array, Array, float], Array]

STEP = 1e-6
"""Step [units of q] of the central differences."""
AGREES = 1e-6
"""How well the hooks must agree with each other; the differences themselves are good to about 1e-9."""


@dataclass(frozen=True)
class CustomJoint:
    """A joint from hooks, checked against each other when it is made.

    `transform(q)` -> (6, 6) motion transform; `subspace(q)` -> (6, nv); `bias(q, qd)` -> (6,); `start` is the neutral
    position, shape (nq,). `advance(q, qd, dt)` -> q is needed where qd is not the derivative of q. `distance(q)` ->
    float is the distance to a singular position, 1 far and 0 singular.
    """

    freedoms: int
    on_transform: Transform
    on_subspace: Subspace
    on_bias: Bias | None = None
    start: tuple[float, ...] | None = None
    advance: Integrate | None = None
    distance: Callable[[Array], float] | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def position_size(self) -> int:
        """Length of the neutral position."""
        return self.freedoms if self.start is None else len(self.start)

    @property
    def velocity_size(self) -> int:
        """Number of freedoms."""
        return self.freedoms

    def transform(self, q: Array) -> Array:
        """The user's X(q), shape (6, 6)."""
        return self.on_transform(q)

    def subspace(self, q: Array) -> Array:
        """The user's S(q), shape (6, nv)."""
        return self.on_subspace(q)

    def bias(self, q: Array, qd: Array) -> Array:
        """The user's c(q, qd), or the derivative of S along the motion times qd, shape (6,)."""
        return self.differenced_bias(q, qd) if self.on_bias is None else self.on_bias(q, qd)

    def neutral(self) -> Array:
        """The user's start, or zeros, shape (nq,)."""
        return np.zeros(self.freedoms) if self.start is None else np.array(self.start, dtype=float)

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """The user's step, or q + qd dt, shape (nq,)."""
        return q + dt * qd if self.advance is None else self.advance(q, qd, dt)

    def singularity(self, q: Array) -> float:
        """The user's distance, or the smallest singular value of S over its largest."""
        if self.distance is not None:
            return self.distance(q)
        values = np.linalg.svd(self.subspace(q), compute_uv=False)
        return float(values[-1] / values[0]) if len(values) else 1.0

    def differenced_bias(self, q: Array, qd: Array) -> Array:
        """Central difference of S along the motion, times qd, shape (6,)."""
        ahead = self.integrate(q, qd, STEP)
        behind = self.integrate(q, qd, -STEP)
        # c = (dS/dt) q̇; the error of a central difference is O(STEP²), and round-off / STEP is as small.
        result: Array = (self.subspace(ahead) - self.subspace(behind)) @ qd / (2.0 * STEP)
        return result


def custom_joint(kind: JointType, freedoms: int, transform: Transform, subspace: Subspace) -> CustomJoint:
    """A custom joint by its type and its two hooks; refuses every other type than `JointType.CUSTOM`."""
    if kind.value != "Custom":
        raise UsageError(f"hooks are allowed only for the joint type Custom, not for {kind.value}")
    return CustomJoint(freedoms, transform, subspace)


def _check(joint: CustomJoint) -> None:
    if not 1 <= joint.freedoms <= 6:
        raise UsageError(f"a custom joint has 1 to 6 freedoms, not {joint.freedoms}")
    if joint.position_size != joint.freedoms and joint.advance is None:
        raise UsageError("a custom joint with more positions than freedoms needs `advance(q, qd, dt)`")
    random = np.random.default_rng(0)
    q = joint.integrate(joint.neutral(), 0.3 * random.standard_normal(joint.freedoms), 1.0)
    qd = random.standard_normal(joint.freedoms)
    X, S = joint.transform(q), joint.subspace(q)
    _expect_shape("transform(q)", X, (6, 6))
    _expect_shape("subspace(q)", S, (6, joint.freedoms))
    if np.abs(X @ inverse_transform(X) - np.eye(6)).max() > AGREES or np.abs(X[:3, 3:]).max() > AGREES:
        raise UsageError(
            "a custom joint's transform(q) is not a motion transform: [[E, 0], [-E rx, E]] with a rotation E is asked "
            "for"
        )
    ahead = joint.transform(joint.integrate(q, qd, STEP))
    behind = joint.transform(joint.integrate(q, qd, -STEP))
    # dX/dt = -(S q̇)x X for any motion transform: X alone decides S, so one hook checks the other.
    spin = -(ahead - behind) / (2.0 * STEP) @ inverse_transform(X)
    if np.abs(spin - crm(S @ qd)).max() > AGREES:
        raise UsageError("a custom joint's subspace(q) does not belong to its transform(q): dX/dt is not -crm(S qd) X")
    c = joint.bias(q, qd)
    _expect_shape("bias(q, qd)", c, (6,))
    if np.abs(c - joint.differenced_bias(q, qd)).max() > AGREES:
        raise UsageError("a custom joint's bias(q, qd) is not the derivative of subspace(q) times qd")


def _expect_shape(what: str, value: Array, shape: tuple[int, ...]) -> None:
    if np.shape(value) != shape:
        raise UsageError(f"a custom joint's {what} must have shape {shape}, it has {np.shape(value)}")
