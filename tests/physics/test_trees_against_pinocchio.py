"""The tree algorithms against Pinocchio (extra `bench`), which shares no code and no author with them.

Joints that have the same coordinates there are compared; spherical ones have (x, y, z, w) and body velocity too.
Round-off of ABA grows with the condition of the mass matrix, hence 1e-8.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.joints import TILTED, random_transform
from tests.helpers.multibodies import random_inertia
from textbook.body_motion import body_motion
from textbook.joints.euler import EulerZYX
from textbook.joints.protocol import JointModel
from textbook.joints.single import X_AXIS, Y_AXIS, Z_AXIS, Prismatic, Revolute, screw
from textbook.joints.spherical import Spherical
from textbook.joints.translation import TranslationXYZ
from textbook.multibody import ROOT, Multibody
from textbook.plucker import inertia_parameters, rotation_part, translation_part
from textbook.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this system")

Array = NDArray[np.float64]

JOINTS: list[tuple[JointModel, Any]] = [
    (Revolute(X_AXIS), pin.JointModelRX()),
    (Revolute(Y_AXIS), pin.JointModelRY()),
    (Revolute(Z_AXIS), pin.JointModelRZ()),
    (Revolute(TILTED), pin.JointModelRevoluteUnaligned(np.array(TILTED))),
    (Prismatic(TILTED), pin.JointModelPrismaticUnaligned(np.array(TILTED))),
    (Prismatic(Y_AXIS), pin.JointModelPY()),
    (screw(Z_AXIS, 0.3), pin.JointModelHZ(0.3 / (2 * np.pi))),
    (EulerZYX(), pin.JointModelSphericalZYX()),
    (Spherical(), pin.JointModelSpherical()),
    (TranslationXYZ(), pin.JointModelTranslation()),
]


def twins(seed: int) -> tuple[Multibody, Any]:
    """The same random tree of twelve bodies, here and there; Pinocchio wants its joints depth first."""
    random = np.random.default_rng(seed)
    ours, theirs, path = Multibody(), pin.Model(), [ROOT]
    for _ in range(12):
        joint, their_joint = JOINTS[int(random.integers(len(JOINTS)))]
        X, inertia = random_transform(random), random_inertia(random)
        del path[int(random.integers(max(0, len(path) - 3), len(path))) + 1 :]
        parent, body = path[-1], ours.add_body(path[-1], X, joint, inertia)
        path.append(body)
        placement = pin.SE3(rotation_part(X).T, translation_part(X))
        added = theirs.addJoint(parent, their_joint, placement, ours.body_name(body))
        assert added == body
        mass, com, about_com = inertia_parameters(inertia)
        theirs.appendBodyToJoint(added, pin.Inertia(mass, com, about_com), pin.SE3.Identity())
    theirs.gravity.linear = ours.gravity
    return ours, theirs


def their_position(model: Multibody, q: Array) -> Array:
    """Joint by joint, quaternions in one piece."""
    return np.concatenate([body.position(q) for body in model.bodies])


@pytest.mark.parametrize("seed", range(20))
def test_twenty_random_trees(seed: int) -> None:
    ours, theirs = twins(seed)
    random, nv = np.random.default_rng(seed), ours.qdot_size
    q = ours.integrate(ours.neutral(), random.uniform(-1.2, 1.2, nv), 1.0)
    qd, qdd = random.standard_normal((2, nv))
    data, p = theirs.createData(), their_position(ours, q)
    tau = inverse_dynamics(ours, q, qd, qdd)
    assert tau == pytest.approx(pin.rnea(theirs, data, p, qd, qdd), rel=1e-10, abs=1e-10)
    upper = np.triu(pin.crba(theirs, data, p))
    assert np.triu(mass_matrix(ours, q)) == pytest.approx(upper, rel=1e-10, abs=1e-10)
    assert forward_dynamics(ours, q, qd, tau) == pytest.approx(pin.aba(theirs, data, p, qd, tau), rel=1e-8, abs=1e-8)
    pin.computeAllTerms(theirs, data, p, qd)
    motion = body_motion(ours, q, qd)
    assert motion.kinetic_energy() == pytest.approx(data.kinetic_energy, rel=1e-12)
    assert motion.potential_energy() == pytest.approx(data.potential_energy, rel=1e-12, abs=1e-12)
    for i in range(1, ours.body_count):
        assert motion.position(i) == pytest.approx(data.oMi[i].translation, abs=1e-12)
        assert motion.orientation(i) == pytest.approx(data.oMi[i].rotation, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_step_of_the_positions(seed: int) -> None:
    ours, theirs = twins(seed)
    random = np.random.default_rng(seed)
    qd = random.standard_normal(ours.qdot_size)
    q = ours.integrate(ours.neutral(), random.uniform(-1.2, 1.2, ours.qdot_size), 1.0)
    moved = their_position(ours, ours.integrate(q, qd, 0.1))
    assert moved == pytest.approx(pin.integrate(theirs, their_position(ours, q), 0.1 * qd), abs=1e-12)
