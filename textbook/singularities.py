"""Which joints of a `Multibody` are near a position where they lose a freedom."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.multibody import Multibody

    Array = NDArray[np.float64]

NEAR = 0.1
"""Distance below which a joint is reported: about 6° from ±90° for a joint of three angles."""


class SingularityWarning(RuntimeWarning):
    """A joint is near a position where its velocities explode; a `Spherical` joint has none."""


@dataclass(frozen=True)
class NearSingular:
    """A joint by the name of its body and its distance to a singular position: 1 far, 0 singular."""

    name: str
    distance: float


def near_singular(model: Multibody, q: Array, threshold: float = NEAR) -> tuple[NearSingular, ...]:
    """Joints nearer to a singular position than `threshold`; a chain is judged as the one joint that it stands for."""
    found = []
    for use in model.joint_uses():
        parts = [model.bodies[i - 1].position(np.asarray(q, dtype=float)) for i in use.bodies]
        distance = use.joint.singularity(np.concatenate(parts))
        if distance < threshold:
            found.append(NearSingular(use.name, distance))
    return tuple(found)


def warn_if_singular(model: Multibody, q: Array, threshold: float = NEAR) -> None:
    """Warn (`SingularityWarning`) of every joint that `near_singular` finds."""
    for joint in near_singular(model, q, threshold):
        warnings.warn(
            f"the joint of body '{joint.name}' is near a singular position (distance {joint.distance:.2g} of 1): "
            "its rates grow without bound there; a Spherical joint has no such position",
            SingularityWarning,
            stacklevel=2,
        )
