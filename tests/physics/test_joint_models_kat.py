"""Known-answer figures of joint modelling.

Figures of the Robot Dynamics Library (RDL, "Joint Modeling") and RBDL, of their unit tests, and values of closed forms
that each test names. "Round-off" means 1e-12 on numbers of order 1; figures printed with eight or ten digits are met to
their last digit."""

from __future__ import annotations

import math
from math import cos, sin

import numpy as np
import pytest

from simulator.spatial.rotation import matrix_from_quat, quat_from_axis_angle, quat_multiply, quat_normalized
from tests.helpers.joints import PLANAR_ROWS, random_transform
from tests.helpers.multibodies import random_inertia
from textbook.body_motion import body_motion
from textbook.joints.chain import JointChain
from textbook.joints.euler import EulerXYZ, EulerYXZ, EulerZYX
from textbook.joints.fixed import Fixed
from textbook.joints.inference import joint_from_rows
from textbook.joints.protocol import JointModel
from textbook.joints.single import X_AXIS, Y_AXIS, Prismatic, Revolute
from textbook.joints.spherical import FloatingBase, Spherical
from textbook.joints.translation import Planar, TranslationXYZ
from textbook.multibody import FIXED_BODY_DISCRIMINATOR, ROOT, Multibody
from textbook.plucker import (
    inertia_parameters,
    motion_transform,
    rotation_part,
    rotz,
    spatial_inertia,
    translation_part,
    translation_transform,
)
from textbook.quaternion import integrate_base, integrate_body, quat_from_euler, slerp
from textbook.singularities import SingularityWarning, warn_if_singular
from textbook.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix

HERE = np.eye(6)
ZYX, RATES, DT = np.array([0.1, 0.2, 0.3]), np.array([3.0, 5.0, 2.0]), 1e-3


# Fixed joints


def test_a_merged_body_has_the_sum_of_masses_centres_and_inertias() -> None:
    """m = m1 + m2; c = (m1 c1 + m2 c2)/m; I = Σ (R I R.T + m (|d|² 1 - d d.T)), here for a weld turned by 0.7 about
    z."""
    X = motion_transform(rotz(0.7), np.array([0.3, -0.2, 0.5]))
    m1, c1, I1 = 2.0, np.array([0.1, 0.0, -0.1]), np.diag([0.1, 0.2, 0.3])
    m2, c2, I2 = 0.7, np.array([0.0, 0.4, 0.2]), np.diag([0.05, 0.02, 0.04])
    model = Multibody()
    body = model.add_body(ROOT, HERE, Revolute(), spatial_inertia(m1, c1, I1))
    weld = model.add_body(body, X, Fixed(), spatial_inertia(m2, c2, I2))
    assert weld == FIXED_BODY_DISCRIMINATOR == 2147483647
    assert (model.q_size, model.qdot_size, model.body_count) == (1, 1, 2)
    R, r = rotation_part(X).T, translation_part(X)
    m, centres = m1 + m2, (c1, r + R @ c2)
    c = (m1 * centres[0] + m2 * centres[1]) / m
    arms = [centre - c for centre in centres]
    expected = (
        I1 + R @ I2 @ R.T + sum(k * (d @ d * np.eye(3) - np.outer(d, d)) for k, d in zip((m1, m2), arms, strict=True))
    )
    mass, com, inertia = inertia_parameters(model.merged_inertia(body))
    assert mass == pytest.approx(m, abs=1e-12)
    assert com == pytest.approx(c, abs=1e-12)
    assert inertia == pytest.approx(expected, abs=1e-12)


# Joints with several freedoms


def test_the_planar_joint_of_three_rows() -> None:
    """E = Rz(θ).T, r = (x, y, 0); two massless bodies before the real one; the same dynamics as the native joint to
    round-off."""
    joint, q = joint_from_rows(*PLANAR_ROWS), np.array([0.4, -0.3, 1.1])
    assert isinstance(joint, JointChain)
    X = joint.transform(q)
    assert rotation_part(X) == pytest.approx(np.array([[cos(1.1), sin(1.1), 0], [-sin(1.1), cos(1.1), 0], [0, 0, 1]]))
    assert translation_part(X) == pytest.approx([0.4, -0.3, 0.0])
    tree, inertia = random_transform(np.random.default_rng(1)), random_inertia(np.random.default_rng(2))
    native, split = (_one_body(kind, tree, inertia) for kind in (Planar(), joint))
    assert (native.body_count, split.body_count) == (2, 4)
    qd, qdd = np.array([0.5, 1.5, -2.5]), np.array([1.0, -0.2, 0.8])
    tau = inverse_dynamics(native, q, qd, qdd)
    assert inverse_dynamics(split, q, qd, qdd) == pytest.approx(tau, abs=1e-12)
    assert mass_matrix(split, q) == pytest.approx(mass_matrix(native, q), abs=1e-12)
    assert forward_dynamics(split, q, qd, tau) == pytest.approx(forward_dynamics(native, q, qd, tau), abs=1e-12)


def _one_body(joint: JointModel, X_tree: np.ndarray, inertia: np.ndarray) -> Multibody:
    model = Multibody()
    model.append_body(X_tree, joint, inertia)
    return model


@pytest.mark.parametrize("joint", [EulerZYX(), EulerXYZ(), EulerYXZ()], ids=["zyx", "xyz", "yxz"])
def test_three_angles_and_their_singular_position(joint: EulerZYX | EulerXYZ | EulerYXZ) -> None:
    """ω = S qd as the difference of rotations sees it; |det S| = |cos q1|; the warning comes near ±90° and not
    before."""
    q, qd, h = ZYX, RATES, 1e-6
    E = rotation_part(joint.transform(q))
    spin = -(rotation_part(joint.transform(q + h * qd)) - rotation_part(joint.transform(q - h * qd))) / (2 * h) @ E.T
    omega = joint.subspace(q)[:3] @ qd
    assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx(omega, abs=1e-8)
    assert abs(np.linalg.det(joint.subspace(q)[:3])) == pytest.approx(cos(0.2), abs=1e-15)
    model = _one_body(joint, HERE, random_inertia(np.random.default_rng(3)))
    warn_if_singular(model, np.array([0.3, math.pi / 2 - 0.2, 0.1]))
    for near in (math.pi / 2 - 0.05, -math.pi / 2 + 0.05):
        with pytest.warns(SingularityWarning, match="'body 1'"):
            warn_if_singular(model, np.array([0.3, near, 0.1]))


def test_three_translations_have_no_bias() -> None:
    """S = [0; 1], r = r_T + E_T.T q, cJ = 0."""
    joint, q = TranslationXYZ(), np.array([0.3, 0.2, -0.5])
    X_tree = random_transform(np.random.default_rng(4))
    assert not joint.bias(q, np.ones(3)).any()
    X = joint.transform(q) @ X_tree
    assert translation_part(X) == pytest.approx(translation_part(X_tree) + rotation_part(X_tree).T @ q, abs=1e-15)


def test_a_helical_joint_with_a_direction_across_its_axis() -> None:
    """Row (0, 0, 1, 1, 0, 0), q = 1, qd = 2: RBDL's figures v = (0, 0, 2, 2 cos 1, -2 sin 1, 0), the point (1, 0, 3)
    and its Jacobian."""
    joint, q, qd = joint_from_rows((0, 0, 1, 1, 0, 0)), np.array([1.0]), np.array([2.0])
    model = Multibody()
    body = model.add_body(ROOT, HERE, joint, spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    motion, point = body_motion(model, q, qd), np.array([1.0, 0.0, 3.0])
    assert motion.spatial_velocity(body) == pytest.approx([0, 0, 2, 2 * cos(1), -2 * sin(1), 0], abs=1e-15)
    assert motion.position(body, point) == pytest.approx([1 + cos(1), sin(1), 3], abs=1e-15)
    assert motion.point_jacobian(body, point)[:, 0] == pytest.approx([1 - sin(1), cos(1), 0], abs=1e-15)


# Layout of q


def test_scalar_parts_of_quaternions_stand_at_the_end() -> None:
    """TX, Spherical, TY, Spherical: q_size 10, qdot_size 8, q_index 0, 1, 4, 5, scalars at 8 and 9; RDL's figures for a
    given q."""
    model = Multibody()
    joints = (Prismatic(X_AXIS), Spherical(), Prismatic(Y_AXIS), Spherical())
    ids = [model.append_body(HERE, joint) for joint in joints]
    assert (model.q_size, model.qdot_size) == (10, 8)
    assert [model.q_index(i) for i in ids] == [0, 1, 4, 5]
    assert [model.quaternion_index(ids[1]), model.quaternion_index(ids[3])] == [8, 9]
    q = np.array([100.0, 0, 1, 2, 100, -6, -7, -8, 4, -9])
    assert model.get_quaternion(q, ids[1]) == (0, 1, 2, 4)
    assert model.get_quaternion(q, ids[3]) == (-6, -7, -8, -9)
    assert list(model.neutral()) == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_a_hinge_after_a_ball_moves_the_scalar_part_back() -> None:
    """RotY, Spherical, RotY: q_size 6, qdot_size 5, w at 5; it is 4 until the last hinge is added."""
    model = Multibody()
    model.append_body(HERE, Revolute(Y_AXIS))
    ball = model.append_body(HERE, Spherical())
    assert model.quaternion_index(ball) == 4
    model.append_body(HERE, Revolute(Y_AXIS))
    assert (model.q_size, model.qdot_size, model.quaternion_index(ball)) == (6, 5, 5)


def test_the_floating_base() -> None:
    """7 positions (x, y, z, qx, qy, qz, qw), 6 velocities, 3 bodies with the ROOT."""
    model = Multibody()
    base = model.add_body(ROOT, HERE, FloatingBase(), random_inertia(np.random.default_rng(5)), "base")
    assert (model.q_size, model.qdot_size, model.body_count, base) == (7, 6, 3, 2)
    q = model.neutral()
    q[:3] = 1, 2, 3
    model.set_quaternion(q, base, quat_from_axis_angle((0.0, 0.0, 1.0), 0.5))
    assert q == pytest.approx([1, 2, 3, 0, 0, sin(0.25), cos(0.25)])
    motion = body_motion(model, q)
    assert motion.position(base) == pytest.approx([1, 2, 3])
    assert motion.orientation(base) == pytest.approx(rotz(0.5).T)


def test_forward_after_inverse_with_balls() -> None:
    """RBDL's spherical test: round-off."""
    model = Multibody()
    for seed in range(4):
        random = np.random.default_rng(seed)
        model.append_body(random_transform(random), Spherical() if seed % 2 else Revolute(), random_inertia(random))
    random = np.random.default_rng(6)
    q = model.integrate(model.neutral(), random.standard_normal(8), 1.0)
    qd, qdd = random.standard_normal((2, 8))
    tau = inverse_dynamics(model, q, qd, qdd)
    assert forward_dynamics(model, q, qd, tau) == pytest.approx(qdd, abs=1e-12)


# Quaternions


def test_the_product_and_the_middle_of_two_quaternions() -> None:
    """RDL's normalised (.2, .3, .4, .1) and (.2, .1, .5, .3); ten printed digits."""
    a, b = quat_normalized((0.2, 0.3, 0.4, 0.1)), quat_normalized((0.2, 0.1, 0.5, 0.3))
    product = (0.5554700789, 0.2338821385, 0.3800584750, -0.7016464154)
    middle = (0.3633161731, 0.4782736432, 0.7599826545, 0.2483587031)
    assert quat_multiply(a, b) == pytest.approx(product, abs=6e-11)
    assert slerp(a, b, 0.2) == pytest.approx(middle, abs=6e-11)


def test_one_millisecond_of_rotation() -> None:
    """zyx (.1, .2, .3) at rates (3, 5, 2): RDL's test, its tolerance 1e-5 against the angles; the printed digits are
    met to 6e-9."""
    body = EulerZYX().subspace(ZYX)[:3] @ RATES
    start = quat_from_euler("zyx", (0.1, 0.2, 0.3))
    base = matrix_from_quat(start) @ body
    assert body == pytest.approx([1.40399201, 5.64557088, 1.33127906], abs=6e-9)
    assert base == pytest.approx([1.45117357, 5.17070762, 2.60266134], abs=6e-9)
    joint = Spherical()
    after = joint.integrate(np.array(start), body, DT)
    assert after == pytest.approx([0.14423567, 0.10872430, 0.03525605, 0.98292019], abs=6e-9)
    assert integrate_base(start, tuple(base), DT) == pytest.approx(after, abs=1e-15)
    z, y, x = ZYX + RATES * DT
    by_angles = np.array(quat_from_euler("zyx", (z, y, x)))
    assert np.abs(after - by_angles).max() == pytest.approx(4.0e-6, rel=0.01)
    wrong = np.array(integrate_base(start, tuple(body), DT))
    assert np.abs(wrong - by_angles).max() == pytest.approx(6.6e-4, rel=0.01)


def test_standing_still_is_finite() -> None:
    """RDL's own step divides zero by zero there."""
    start = quat_from_euler("zyx", (0.1, 0.2, 0.3))
    assert Spherical().integrate(np.array(start), np.zeros(3), DT) == pytest.approx(start, abs=1e-16)
    assert integrate_body(start, (1e-200, 0.0, 0.0), DT) == pytest.approx(start, abs=1e-16)


def test_two_libraries_mean_different_turns_by_xyz() -> None:
    """RDL's fromXYZ is qx ⊗ qy ⊗ qz, RBDL's qz ⊗ qy ⊗ qx."""
    x, y, z = 0.3, 0.2, 0.1
    qx, qy = quat_from_axis_angle((1, 0, 0), x), quat_from_axis_angle((0, 1, 0), y)
    qz = quat_from_axis_angle((0, 0, 1), z)
    assert quat_from_euler("xyz", (x, y, z)) == pytest.approx(quat_multiply(quat_multiply(qx, qy), qz), abs=1e-15)
    assert quat_from_euler("zyx", (z, y, x)) == pytest.approx(quat_multiply(quat_multiply(qz, qy), qx), abs=1e-15)
    E = rotation_part(EulerXYZ().transform(np.array([x, y, z])))
    turned = matrix_from_quat(quat_from_euler("xyz", (x, y, z)))
    assert turned == pytest.approx(E.T, abs=1e-15)


# Motion in time


def _spin(steps: int, *, right_side: bool) -> tuple[float, float]:
    """A free body with three moments for 2 s by the explicit midpoint rule: drift of L [part of |L|] and of energy
    [part of T]."""
    model = Multibody(gravity=(0.0, 0.0, 0.0))
    model.append_body(HERE, Spherical(), spatial_inertia(1.0, np.zeros(3), np.diag([0.1, 0.2, 0.35])))
    q, qd, dt, no_effort = model.neutral(), np.array([0.3, 4.0, 0.5]), 2.0 / steps, np.zeros(3)
    first = body_motion(model, q, qd)
    for _ in range(steps):
        middle = qd + 0.5 * dt * forward_dynamics(model, q, qd, no_effort)
        half = model.integrate(q, qd, 0.5 * dt)
        qd = qd + dt * forward_dynamics(model, half, middle, no_effort)
        q = model.integrate(q, middle, dt) if right_side else _on_the_wrong_side(q, middle, dt)
    last = body_motion(model, q, qd)
    turned = float(np.linalg.norm(last.momentum() - first.momentum()) / np.linalg.norm(first.momentum()))
    return turned, abs(last.kinetic_energy() / first.kinetic_energy() - 1.0)


def _on_the_wrong_side(q: np.ndarray, omega: np.ndarray, dt: float) -> np.ndarray:
    x, y, z, w = (float(c) for c in q)
    a, b, c = (float(c) for c in omega)
    return np.array(integrate_base((x, y, z, w), (a, b, c), dt))


def test_a_free_body_keeps_its_momentum_and_energy() -> None:
    """The vector L in the world and T stay; the rule is of second order, so that half the step leaves a quarter of the
    error.

    The body spins about its middle axis, the unstable one. On the wrong side every quaternion has length 1 as well, and
    L turns away."""
    coarse, fine = _spin(1000, right_side=True), _spin(2000, right_side=True)
    assert fine[0] < 2e-5
    assert fine[1] < 2e-5
    assert coarse[0] / fine[0] == pytest.approx(4.0, rel=0.1)
    assert _spin(500, right_side=False)[0] > 0.1


def test_two_links_have_their_closed_form() -> None:
    """Planar links about z, m = l = 1, c = 1/2, I = 1 about the centre: the textbook's H and gravity term, gravity
    (9.81, 0, 0)."""
    model = Multibody(gravity=(9.81, 0.0, 0.0))
    link = spatial_inertia(1.0, np.array([0.5, 0.0, 0.0]), np.eye(3))
    model.append_body(HERE, Revolute(), link)
    model.append_body(translation_transform(np.array([1.0, 0.0, 0.0])), Revolute(), link)
    y1, y2 = 0.3, -0.5
    found = mass_matrix(model, np.array([y1, y2]))
    h12 = 1 + 0.25 + 0.5 * cos(y2)
    expected = np.array([[1 + 0.25 + 1 + (1 + 0.25 + cos(y2)), h12], [h12, 1.25]])
    assert found == pytest.approx(expected, abs=1e-14)
    v1, v2 = 0.7, -0.2
    bias = inverse_dynamics(model, np.array([y1, y2]), np.array([v1, v2]), np.zeros(2))
    h, far, near = 0.5 * sin(y2), 0.5 * sin(y1 + y2), 1.5 * sin(y1)
    assert bias == pytest.approx(
        [-h * (2 * v1 * v2 + v2 * v2) + 9.81 * (near + far), h * v1 * v1 + 9.81 * far], abs=1e-13
    )
