"""Building a tree: ids, names, layout of q, merging of fixed bodies, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import SimulationError, UnknownNameError, UsageError
from tests.helpers.joints import PLANAR_ROWS, random_transform, rows_of_axes
from tests.helpers.multibodies import random_inertia, random_state
from textbook.body_motion import body_motion
from textbook.joints.chain import JointChain
from textbook.joints.euler import EulerZYX
from textbook.joints.fixed import Fixed
from textbook.joints.inference import joint_from_rows
from textbook.joints.protocol import JointModel
from textbook.joints.single import X_AXIS, Y_AXIS, Prismatic, Revolute
from textbook.joints.spherical import FloatingBase, Spherical
from textbook.joints.translation import TranslationXYZ
from textbook.multibody import FIXED_BODY_DISCRIMINATOR, ROOT, Multibody, is_fixed_body_id
from textbook.plucker import inertia_parameters, spatial_inertia, translation_transform
from textbook.singularities import SingularityWarning, near_singular, warn_if_singular
from textbook.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix

HERE = np.eye(6)


def test_ids_count_from_one_and_names_find_them() -> None:
    model = Multibody()
    arm = model.add_body(ROOT, HERE, Revolute(), name="arm")
    hand = model.append_body(HERE, Revolute(), name="hand")
    tip = model.add_body(hand, HERE, Fixed(), name="tip")
    assert (arm, hand, tip) == (1, 2, FIXED_BODY_DISCRIMINATOR)
    assert [is_fixed_body_id(i) for i in (arm, hand, tip)] == [False, False, True]
    assert (model.body_id("hand"), model.body_name(tip), model.body_count) == (2, "tip", 3)


def test_names_are_unique_and_unknown_ones_are_answered_with_the_known() -> None:
    model = Multibody()
    model.add_body(ROOT, HERE, Revolute(), name="arm")
    for joint in (Revolute(), Fixed()):
        with pytest.raises(UsageError, match="'arm' exists already"):
            model.add_body(ROOT, HERE, joint, name="arm")
    with pytest.raises(UnknownNameError, match="Available: ROOT, arm"):
        model.body_id("leg")
    with pytest.raises(UsageError, match="no body has the id 7"):
        model.add_body(7, HERE, Revolute())


def test_bodies_without_a_name_get_one() -> None:
    model = Multibody()
    ids = [model.append_body(HERE, joint) for joint in (Revolute(), joint_from_rows(*PLANAR_ROWS), Fixed())]
    names = [model.body_name(i) for i in ids]
    assert names == ["body 1", "body 4", "fixed body 1"]


def test_a_chain_has_massless_bodies_between_its_joints() -> None:
    model = Multibody()
    inertia = spatial_inertia(1.0, np.zeros(3), np.eye(3))
    body = model.add_body(ROOT, translation_transform(np.ones(3)), joint_from_rows(*PLANAR_ROWS), inertia, "plate")
    assert (body, model.body_count, model.qdot_size) == (3, 4, 3)
    assert [model.inertia(i).any() for i in (1, 2, 3)] == [False, False, True]
    assert [bool((b.X_tree != HERE).any()) for b in model.bodies] == [True, False, False]


def test_a_floating_base_is_the_first_body_or_a_chain() -> None:
    model = Multibody()
    base = model.add_body(ROOT, HERE, FloatingBase(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    assert (base, model.body_count, model.q_size, model.qdot_size) == (2, 3, 7, 6)
    with pytest.raises(UsageError, match="for the first body"):
        model.add_body(ROOT, HERE, FloatingBase())
    model.add_body(ROOT, HERE, JointChain((TranslationXYZ(), Spherical())))
    assert model.qdot_size == 12


def test_quaternions_are_read_and_written_by_body() -> None:
    model = Multibody()
    ball = model.append_body(HERE, Spherical(), name="ball")
    arm = model.append_body(HERE, Revolute(), name="arm")
    q = model.neutral()
    assert list(q) == [0, 0, 0, 0, 1]
    model.set_quaternion(q, ball, (0.5, 0.5, -0.5, 0.5))
    assert list(q) == [0.5, 0.5, -0.5, 0, 0.5]
    assert model.get_quaternion(q, ball) == (0.5, 0.5, -0.5, 0.5)
    assert model.quaternion_index(ball) == 4
    with pytest.raises(UsageError, match="'arm' moves on a Revolute joint, which has no quaternion"):
        model.get_quaternion(q, arm)
    with pytest.raises(UsageError, match="has no joint of its own"):
        model.q_index(ROOT)


def test_wrong_sizes_are_refused() -> None:
    model = Multibody()
    model.append_body(HERE, Revolute(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    with pytest.raises(UsageError, match=r"qd must have shape \(1,\), it has \(2,\)"):
        forward_dynamics(model, np.zeros(1), np.zeros(2), np.zeros(1))
    with pytest.raises(UsageError, match=r"external must have shape \(2, 6\)"):
        forward_dynamics(model, np.zeros(1), np.zeros(1), np.zeros(1), np.zeros((1, 6)))


def test_frozen_and_foreign_arrays_are_taken() -> None:
    model = Multibody()
    model.append_body(HERE, Revolute(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    frozen = np.zeros(1)
    frozen.setflags(write=False)
    wrench = np.zeros((2, 6))
    wrench[1, 2] = 3.0
    wrench.setflags(write=False)
    assert forward_dynamics(model, frozen, np.zeros(1, dtype=int), frozen, wrench) == pytest.approx([3.0])


def test_fixed_bodies_of_fixed_bodies() -> None:
    """Body → weld → weld → hinge: the hinge hangs on the body, and every frame is where it would be unmerged."""
    random = np.random.default_rng(11)
    merged, welded = Multibody(), Multibody()
    X = [random_transform(random) for _ in range(4)]
    inertias = [random_inertia(random) for _ in range(4)]
    ids: dict[bool, list[int]] = {}
    for model, merge in ((merged, True), (welded, False)):
        last, ids[merge] = ROOT, []
        joints: list[JointModel] = [Revolute(), Fixed(), Fixed(), Revolute(X_AXIS)]
        for joint, X_tree, inertia in zip(joints, X, inertias, strict=True):
            last = model.add_body(last, X_tree, joint, inertia, merge=merge)
            ids[merge].append(last)
    assert ids[True] == [1, FIXED_BODY_DISCRIMINATOR, FIXED_BODY_DISCRIMINATOR + 1, 2]
    assert ids[False] == [1, 2, 3, 4]
    assert merged.q_size == welded.q_size == 2
    q, qd, qdd = random.standard_normal((3, 2))
    a, b = body_motion(merged, q, qd, qdd), body_motion(welded, q, qd, qdd)
    for i, j in zip(ids[True], ids[False], strict=True):
        assert a.transform(i) == pytest.approx(b.transform(j), abs=1e-12)
        assert a.spatial_velocity(i) == pytest.approx(b.spatial_velocity(j), abs=1e-12)
        assert a.acceleration(i, qd.repeat(2)[:3]) == pytest.approx(b.acceleration(j, qd.repeat(2)[:3]), abs=1e-12)
        assert a.jacobian(i) == pytest.approx(b.jacobian(j), abs=1e-12)
    wrenches = {
        False: b.wrenches({j: np.arange(6.0) for j in ids[False]}),
        True: a.wrenches(dict.fromkeys(ids[True], np.arange(6.0))),
    }
    assert mass_matrix(merged, q) == pytest.approx(mass_matrix(welded, q), abs=1e-12)
    tau = inverse_dynamics(merged, q, qd, qdd, wrenches[True])
    assert tau == pytest.approx(inverse_dynamics(welded, q, qd, qdd, wrenches[False]), abs=1e-12)
    assert forward_dynamics(merged, q, qd, tau, wrenches[True]) == pytest.approx(qdd, abs=1e-12)
    assert forward_dynamics(welded, q, qd, tau, wrenches[False]) == pytest.approx(qdd, abs=1e-12)


def test_a_fixed_bodys_inertia_can_be_changed() -> None:
    model = Multibody()
    arm = model.append_body(HERE, Revolute(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    tip = model.add_body(
        arm, translation_transform(np.array([1.0, 0, 0])), Fixed(), spatial_inertia(1.0, np.zeros(3), np.eye(3))
    )
    assert mass_matrix(model, np.zeros(1)) == pytest.approx(3.0, abs=1e-15)
    model.set_inertia(tip, spatial_inertia(3.0, np.zeros(3), np.zeros((3, 3))))
    assert mass_matrix(model, np.zeros(1)) == pytest.approx(4.0, abs=1e-15)
    mass, com, _ = inertia_parameters(model.merged_inertia(arm))
    assert mass == pytest.approx(4.0)
    assert com == pytest.approx([0.75, 0, 0])
    model.set_inertia(tip, np.zeros((6, 6)))
    assert np.array_equal(model.merged_inertia(arm), model.inertia(arm))


def test_a_body_fixed_to_the_root_stays_where_it_is() -> None:
    model = Multibody()
    stand = model.add_body(ROOT, translation_transform(np.array([0, 0, 2.0])), Fixed(), name="stand")
    arm = model.add_body(stand, HERE, Revolute(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    motion = body_motion(model, np.zeros(1), np.ones(1))
    assert motion.position(stand) == pytest.approx([0, 0, 2])
    assert motion.position(arm) == pytest.approx([0, 0, 2])
    assert not motion.spatial_velocity(stand).any()
    assert not motion.jacobian(stand).any()


def test_a_freedom_without_inertia_is_named() -> None:
    model = Multibody()
    model.append_body(HERE, Revolute(), spatial_inertia(1.0, np.zeros(3), np.eye(3)), "arm")
    model.append_body(HERE, Revolute(Y_AXIS), None, "ghost")
    with pytest.raises(SimulationError, match="Revolute joint of body 'ghost' has a freedom without inertia"):
        forward_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2))


def test_three_angles_at_a_right_angle_are_reported() -> None:
    model = Multibody()
    solid = spatial_inertia(1.0, np.zeros(3), np.eye(3))
    model.append_body(HERE, EulerZYX(), solid, "gimbal")
    model.append_body(HERE, joint_from_rows(*rows_of_axes((0, 1, 2))), solid, "wrist")
    model.append_body(HERE, Spherical(), solid, "ball")
    model.append_body(HERE, Prismatic(), solid, "slide")
    q = model.neutral()
    assert near_singular(model, q) == ()
    q[1] = np.pi / 2 - 0.05
    q[4] = np.pi / 2
    found = near_singular(model, q)
    assert [joint.name for joint in found] == ["gimbal", "wrist"]
    assert found[0].distance == pytest.approx(np.sin(0.05))
    assert found[1].distance < 1e-15
    with pytest.warns(SingularityWarning) as caught:
        warn_if_singular(model, q)
    assert ["'gimbal'" in str(caught[0].message), "'wrist'" in str(caught[1].message)] == [True, True]
    q[1] = np.pi / 2
    with pytest.raises(SimulationError, match="three angles are at a singular position"):
        forward_dynamics(model, q, np.zeros(10), np.zeros(10))


def test_gravity_can_be_changed() -> None:
    model = Multibody()
    model.append_body(HERE, Prismatic(), spatial_inertia(1.0, np.zeros(3), np.eye(3)))
    assert forward_dynamics(model, np.zeros(1), np.zeros(1), np.zeros(1)) == pytest.approx([-9.81])
    model.gravity = np.array([0.0, 0.0, -1.62])
    assert forward_dynamics(model, np.zeros(1), np.zeros(1), np.zeros(1)) == pytest.approx([-1.62])


def test_a_step_of_the_whole_model_is_a_step_of_every_joint() -> None:
    model = Multibody()
    for joint in (Prismatic(X_AXIS), Spherical(), Prismatic(Y_AXIS), Spherical()):
        model.append_body(HERE, joint, random_inertia(np.random.default_rng(0)))
    state = random_state(model, np.random.default_rng(12))
    moved = model.integrate(state.q, state.qd, 0.01)
    for body in model.bodies:
        expected = body.joint.integrate(body.position(state.q), body.velocity(state.qd), 0.01)
        assert body.position(moved) == pytest.approx(expected, abs=1e-16)
