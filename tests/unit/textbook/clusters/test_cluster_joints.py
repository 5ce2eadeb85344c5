"""S, vJ and cJ of every cluster joint: their sizes, the special joints against Generic and against the paper's dense
formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.errors import UnknownNameError, UsageError
from tests.helpers.cluster_robots import (
    CRANK_ROCKER,
    ROBOTS,
    X,
    Y,
    Z,
    maker,
    random_frame,
    random_inertia,
    random_state,
)
from textbook.clusters.builder import ClusterTreeBuilder
from textbook.clusters.chain import OUTSIDE, Chain
from textbook.clusters.geared import (
    RevolutePairWithRotor,
    RevoluteTripleWithRotor,
    RevoluteWithRotor,
    belt_matrix,
)
from textbook.clusters.generic import FourBar, Generic
from textbook.clusters.intra import paper_subspace_and_bias
from textbook.clusters.kinematics import kinematics
from textbook.clusters.single import Free, Revolute, RevolutePair
from textbook.clusters.tree import ClusterTree
from textbook.constraints.static import Free as NoConstraint
from textbook.constraints.static import Static
from textbook.joints.single import Helical, Prismatic
from textbook.joints.spherical import Spherical
from textbook.plucker import crm

Array = NDArray[np.float64]


def as_generic(tree: ClusterTree) -> ClusterTree:
    """The same tree with every cluster joint replaced by the general one."""
    joints = tuple(Generic(c.joint.joints, c.joint.constraint) for c in tree.clusters)
    for cluster, joint in zip(tree.clusters, joints, strict=True):
        joint.check(cluster.chain.inner)
    return tree.with_joints(joints)


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_special_joints_are_generic_ones(name: str) -> None:
    """arXiv 2311.13732, 3: 6N x n_i, 6N; equal to Generic and to X_intra S_span G, X̊_intra S_span q̇ + X_intra S_span
    g to 1e-10."""
    tree = ROBOTS[name]()
    random = np.random.default_rng(9)
    for _ in range(20):
        state = random_state(tree, random)
        special, general = kinematics(tree, state), kinematics(as_generic(tree), state)
        for cluster, one, two in zip(tree.clusters, special.clusters, general.clusters, strict=True):
            n, n_i = len(cluster.bodies), cluster.joint.velocity_size
            assert one.S.shape == (6 * n, n_i)
            assert one.vJ.shape == one.cJ.shape == (6 * n,)
            np.testing.assert_allclose(one.S, two.S, atol=1e-10)
            np.testing.assert_allclose(one.cJ, two.cJ, atol=1e-10)
            S, cJ = paper_subspace_and_bias(cluster.chain, state.q[cluster.q], one.qd, one.G, one.g)
            np.testing.assert_allclose(one.S, S, atol=1e-10)
            np.testing.assert_allclose(one.cJ, cJ, atol=1e-10)
            np.testing.assert_allclose(one.vJ, one.S @ state.yd[cluster.y], atol=1e-12)


def test_free_joint() -> None:
    """A joint alone: 7 positions, 6 velocities, S = 1, cJ = 0."""
    m = maker(1)
    m.free("body")
    tree = m.builder.build()
    assert (tree.position_size, tree.span_size, tree.freedoms) == (7, 6, 6)
    joint = tree.clusters[0].joint
    assert (joint.position_size, joint.velocity_size) == (7, 6)
    state = random_state(tree, np.random.default_rng(1))
    own = kinematics(tree, state).clusters[0]
    np.testing.assert_array_equal(own.S, np.eye(6))
    np.testing.assert_array_equal(own.cJ, np.zeros(6))


def test_revolute_joint() -> None:
    """A joint alone: G = [1], cJ = 0."""
    joint = Revolute(Y)
    np.testing.assert_array_equal(joint.constraint.G, [[1.0]])
    assert joint.constraint.K.shape == (0, 1)
    chain = Chain(joint.joints, (OUTSIDE,), (np.eye(6),))
    own = joint.motion(chain, np.array([0.4]), np.array([2.0]))
    np.testing.assert_array_equal(own.S[:, 0], [0, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(own.cJ, np.zeros(6))


def test_revolute_pair() -> None:
    """Two links in one cluster: S = [S1 0; X21S1 S2]."""
    frame = random_frame(np.random.default_rng(2))
    joint = RevolutePair(X, Z)
    chain = Chain(joint.joints, (OUTSIDE, 0), (np.eye(6), frame))
    q, yd = np.array([0.3, -0.8]), np.array([1.5, -2.5])
    own = joint.motion(chain, q, yd)
    S1, S2 = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0, 0, 1.0, 0, 0, 0])
    X21 = chain.up(q)[1]
    np.testing.assert_allclose(own.S[:6], np.column_stack((S1, np.zeros(6))), atol=1e-15)
    np.testing.assert_allclose(own.S[6:], np.column_stack((X21 @ S1, S2)), atol=1e-15)
    np.testing.assert_allclose(own.cJ[6:], -crm(S2 * yd[1]) @ X21 @ S1 * yd[0], atol=1e-15)


def test_revolute_with_rotor() -> None:
    """A link and its rotor: G = [1; n], K = [n −1], S = [S_l; n S_r], cJ = 0."""
    joint = RevoluteWithRotor(9.33, X, Z)
    np.testing.assert_array_equal(joint.constraint.G, [[1.0], [9.33]])
    np.testing.assert_array_equal(joint.constraint.K, [[9.33, -1.0]])
    own = joint.motion(Chain(joint.joints, (OUTSIDE, OUTSIDE), (np.eye(6),) * 2), np.array([0.1, 0.933]), np.ones(1))
    np.testing.assert_allclose(own.S[:, 0], [1, 0, 0, 0, 0, 0, 0, 0, 9.33, 0, 0, 0])


def test_the_pair_takes_its_bodies_in_any_order() -> None:
    """(l1, l2, r2, r1) instead of (l1, r1, r2, l2): the same G up to the order of its rows."""
    gears, belts = (6.0, 5.0), ((2.0,), (3.0, 4.0))
    usual = RevolutePairWithRotor(gears, belts, (X, Y, Z, X))  # type: ignore[arg-type]
    other = RevolutePairWithRotor(gears, belts, (X, Y, Z, X), (0, 3, 2, 1))  # type: ignore[arg-type]
    np.testing.assert_array_equal(other.constraint.G[[0, 3, 2, 1]], usual.constraint.G)
    assert other.rotors == (3, 2)
    other.check((OUTSIDE, 0, OUTSIDE, OUTSIDE))
    random = np.random.default_rng(3)
    frames = [random_frame(random) for _ in range(4)]
    chain = Chain(other.joints, (OUTSIDE, 0, OUTSIDE, OUTSIDE), tuple(frames))
    yd = np.array([0.3, -1.1])
    q = other.constraint.spanning(np.array([0.5, 0.2]))
    own = other.motion(chain, q, yd)
    S, cJ = paper_subspace_and_bias(chain, q, own.qd, own.G, own.g)
    np.testing.assert_allclose(own.S, S, atol=1e-14)
    np.testing.assert_allclose(own.cJ, cJ, atol=1e-13)


def test_belts_need_one_ratio_per_joint_they_pass() -> None:
    with pytest.raises(UsageError, match="through 2 belts"):
        belt_matrix((6.0, 6.0), ((1.0,), (1.0,)))


@pytest.mark.parametrize(
    ("joint", "inner"),
    [
        (Free(), (OUTSIDE, 0)),
        (Revolute(), (OUTSIDE, OUTSIDE)),
        (RevolutePair(), (OUTSIDE, OUTSIDE)),
        (RevoluteWithRotor(6.0), (OUTSIDE, 0)),
        (RevolutePairWithRotor((6.0, 6.0), ((1.0,), (1.0, 1.0))), (OUTSIDE, 0, OUTSIDE, 0)),
        (
            RevoluteTripleWithRotor((6.0,) * 3, ((1.0,), (1.0, 1.0), (1.0, 1.0, 1.0))),
            (OUTSIDE, 0, 0, OUTSIDE, OUTSIDE, OUTSIDE),
        ),
        (FourBar(CRANK_ROCKER), (OUTSIDE, 0, 0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_joint_refuses_another_topology(joint: Free, inner: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="cluster is"):
        joint.check(inner)


def test_generic_takes_tree_joints_of_any_kind() -> None:
    """A ball, a slide and a helix in one cluster without constraint: S and cJ by the dense formulas."""
    joints = (Spherical(), Prismatic(Y), Helical(Z, (0.1, 0.2, 0.3)))
    joint = Generic(joints, NoConstraint(6, 5))
    random = np.random.default_rng(4)
    chain = Chain(joints, (OUTSIDE, 0, 1), tuple(random_frame(random) for _ in range(3)))
    q = np.array([0.5, 0.5, -0.5, 0.5, 0.7, 1.2])
    own = joint.motion(chain, q, random.normal(size=5))
    S, cJ = paper_subspace_and_bias(chain, q, own.qd, own.G, own.g)
    np.testing.assert_allclose(own.S, S, atol=1e-14)
    np.testing.assert_allclose(own.cJ, cJ, atol=1e-14)


def test_generic_refuses_a_constraint_of_another_size() -> None:
    joint = Generic((Prismatic(Y),), Static(np.eye(2), np.zeros((0, 2))))
    with pytest.raises(UsageError, match="over 2 velocities"):
        joint.check((OUTSIDE,))
    with pytest.raises(UsageError, match="2 bodies were registered"):
        joint.check((OUTSIDE, 0))


class TestBuilder:
    """The validity of a cluster, checks 1 to 5."""

    def builder(self) -> ClusterTreeBuilder:
        builder = ClusterTreeBuilder()
        inertia = random_inertia(np.random.default_rng(0))
        builder.add_body("a", inertia, "ground", None, Revolute())
        builder.add_body("b", inertia, "a", None, Revolute())
        return builder

    def test_one_call_and_two_calls_are_the_same(self) -> None:
        tree = self.builder().build()
        assert [cluster.name for cluster in tree.clusters] == ["a", "b"]
        assert tree.parents == (-1, 0)
        assert tree.body("b") == 1
        with pytest.raises(UnknownNameError, match="Available: a, b"):
            tree.body("c")

    def test_parents_outside_must_lie_in_one_cluster(self) -> None:
        builder = self.builder()
        builder.register_body("c", np.eye(6), "a")
        builder.register_body("d", np.eye(6), "b")
        with pytest.raises(UsageError, match=r"'c' on 'a', 'd' on 'b'; they must lie in one"):
            builder.close_cluster("c", RevoluteWithRotor(6.0))

    def test_ground_and_a_cluster_are_two(self) -> None:
        builder = self.builder()
        builder.register_body("c", np.eye(6), "ground")
        builder.register_body("d", np.eye(6), "b")
        with pytest.raises(UsageError, match="several clusters"):
            builder.close_cluster("c", RevoluteWithRotor(6.0))

    def test_parents_may_be_different_bodies_of_one_cluster(self) -> None:
        builder = ClusterTreeBuilder()
        for name in ("l", "r"):
            builder.register_body(name, np.eye(6), "ground")
        builder.close_cluster("first", RevoluteWithRotor(6.0))
        builder.register_body("c", np.eye(6), "r")
        builder.register_body("d", np.eye(6), "l")
        builder.close_cluster("second", RevoluteWithRotor(6.0))
        tree = builder.build()
        assert tree.clusters[1].outputs == (1, 0)
        assert tree.parents == (-1, -1, 1, 0)

    def test_unknown_parent(self) -> None:
        with pytest.raises(UnknownNameError, match="Available: a, b, ground"):
            self.builder().register_body("c", np.eye(6), "nobody")

    def test_free_is_first(self) -> None:
        with pytest.raises(UsageError, match="first cluster only"):
            self.builder().add_body("c", np.eye(6), "ground", None, Free())

    def test_names_are_unique(self) -> None:
        builder = self.builder()
        with pytest.raises(UsageError, match="'a' is taken"):
            builder.register_body("a", np.eye(6), "ground")
        with pytest.raises(UsageError, match="'a' is taken"):
            builder.add_body("c", np.eye(6), "ground", None, Revolute(), cluster="a")

    def test_clusters_are_closed(self) -> None:
        builder = self.builder()
        with pytest.raises(UsageError, match="has no bodies"):
            builder.close_cluster("empty", Revolute())
        builder.register_body("c", np.eye(6), "a")
        with pytest.raises(UsageError, match="'c' are in no cluster"):
            builder.build()


def test_trees_are_values() -> None:
    tree = ROBOTS["mixed"]()
    assert replace(tree, gravity=np.zeros(6)).clusters is tree.clusters
    assert len(tree.body_names) == 15
