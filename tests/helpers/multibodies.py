"""Trees of bodies with random joints, inertias and states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.helpers.joints import NATIVE, random_transform
from textbook.joints.protocol import JointModel
from textbook.multibody import ROOT, Multibody
from textbook.plucker import spatial_inertia

Array = NDArray[np.float64]


def random_inertia(random: np.random.Generator) -> Array:
    """Inertia of a solid body: a cloud of masses."""
    points, masses = random.uniform(-0.3, 0.3, (8, 3)), random.uniform(0.1, 0.5, 8)
    com = masses @ points / masses.sum()
    about_com = sum(
        (
            m * (float((p - com) @ (p - com)) * np.eye(3) - np.outer(p - com, p - com))
            for m, p in zip(masses, points, strict=True)
        ),
        np.zeros((3, 3)),
    )
    return spatial_inertia(float(masses.sum()), com, about_com)


def random_tree(joints: list[JointModel], seed: int, *, branching: bool = True) -> Multibody:
    """One body per joint, each on a random earlier one (or the last)."""
    random = np.random.default_rng(seed)
    model = Multibody(gravity=(0.4, -1.5, -9.0))
    ids = [ROOT]
    for joint in joints:
        parent = ids[int(random.integers(max(0, len(ids) - 3), len(ids)))] if branching else ids[-1]
        ids.append(model.add_body(parent, random_transform(random), joint, random_inertia(random)))
    return model


def every_joint_tree(seed: int = 0) -> Multibody:
    """A tree that has every native joint, in random order; the floating base comes first."""
    random = np.random.default_rng(seed)
    names = [str(name) for name in random.permutation([name for name in NATIVE if name != "floating base"])]
    return random_tree([NATIVE["floating base"], *(NATIVE[name] for name in names)], seed)


@dataclass(frozen=True)
class State:
    """q, qd, an acceleration, efforts, and wrenches on the bodies."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    external: Array


def random_state(model: Multibody, random: np.random.Generator) -> State:
    """Away from singular positions."""
    nv = model.qdot_size
    return State(
        q=model.integrate(model.neutral(), random.uniform(-1.2, 1.2, nv), 1.0),
        qd=random.standard_normal(nv),
        qdd=random.standard_normal(nv),
        tau=random.standard_normal(nv),
        external=random.standard_normal((model.body_count, 6)),
    )
