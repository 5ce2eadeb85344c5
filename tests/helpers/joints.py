"""Every joint model, random states for it, and derivatives by central differences."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textbook.joints.chain import JointChain, floating_base_chain
from textbook.joints.euler import EulerXYZ, EulerYXZ, EulerZXY, EulerZYX
from textbook.joints.fixed import Fixed
from textbook.joints.inference import joint_from_rows
from textbook.joints.protocol import JointModel
from textbook.joints.single import X_AXIS, Y_AXIS, Z_AXIS, Helical, Prismatic, Revolute, screw
from textbook.joints.spherical import FloatingBase, Spherical
from textbook.joints.translation import Planar, TranslationXYZ

Array = NDArray[np.float64]

TILTED = (1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0)
PLANAR_ROWS = ((0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 1, 0), (0, 0, 1, 0, 0, 0))


def rows_of_axes(order: tuple[int, int, int]) -> tuple[tuple[float, ...], ...]:
    """Rows of turns about these axes (x 0, y 1, z 2)."""
    return tuple(tuple(float(i == axis) for i in range(6)) for axis in order)


NATIVE: dict[str, JointModel] = {
    "revolute x": Revolute(X_AXIS),
    "revolute y": Revolute(Y_AXIS),
    "revolute z": Revolute(Z_AXIS),
    "revolute tilted": Revolute(TILTED),
    "revolute long": Revolute((0.0, 1.5, -0.5)),
    "prismatic": Prismatic(TILTED),
    "helical": Helical(TILTED, (0.3, 0.2, -0.4)),
    "screw": screw(Z_AXIS, 0.01),
    "euler zyx": EulerZYX(),
    "euler xyz": EulerXYZ(),
    "euler yxz": EulerYXZ(),
    "euler zxy": EulerZXY(),
    "translation": TranslationXYZ(),
    "planar": Planar(),
    "spherical": Spherical(),
    "floating base": FloatingBase(),
}
EMULATED: dict[str, JointChain] = {
    name: joint
    for name, joint in {
        "euler zyx": joint_from_rows(*rows_of_axes((2, 1, 0))),
        "euler xyz": joint_from_rows(*rows_of_axes((0, 1, 2))),
        "euler yxz": joint_from_rows(*rows_of_axes((1, 0, 2))),
        "euler zxy": joint_from_rows(*rows_of_axes((2, 0, 1))),
        "translation": joint_from_rows(*rows_of_axes((3, 4, 5))),
        "planar": joint_from_rows(*PLANAR_ROWS),
        "floating base": floating_base_chain(),
    }.items()
    if isinstance(joint, JointChain)
}
EVERY_JOINT: dict[str, JointModel] = {
    **NATIVE,
    "fixed": Fixed(),
    **{f"{name}, emulated": joint for name, joint in EMULATED.items()},
}


def random_position(joint: JointModel, random: np.random.Generator) -> Array:
    """A position away from singular ones: within 1.3 of the neutral position in every freedom."""
    return joint.integrate(joint.neutral(), random.uniform(-1.3, 1.3, joint.velocity_size), 1.0)


def slope_along(joint: JointModel, q: Array, qd: Array, step: float = 1e-5) -> tuple[Array, Array]:
    """Time derivatives of X and S at velocity qd by central differences of the fourth order."""
    at = {k: joint.integrate(q, qd, k * step) for k in (-2, -1, 1, 2)}
    weights = {-2: 1.0, -1: -8.0, 1: 8.0, 2: -1.0}
    dX = sum((w * joint.transform(at[k]) for k, w in weights.items()), np.zeros((6, 6))) / (12.0 * step)
    empty = np.zeros((6, joint.velocity_size))
    dS = sum((w * joint.subspace(at[k]) for k, w in weights.items()), empty) / (12.0 * step)
    return dX, dS


def random_transform(random: np.random.Generator) -> Array:
    """A motion transform with a random rotation and an offset of about half a metre."""
    joint = FloatingBase()
    return joint.transform(joint.integrate(joint.neutral(), random.uniform(-0.5, 0.5, 6) * math.pi, 1.0))
