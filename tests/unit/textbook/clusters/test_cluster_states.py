"""States: spanning or independent, other independent coordinates, closing loops; and reflected inertias of other
clusters."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import AssemblyError, UsageError
from tests.helpers.cluster_robots import ROBOTS, random_state, wrenches
from textbook.clusters import algorithms
from textbook.clusters.generic import FourBar
from textbook.clusters.kinematics import kinematics
from textbook.clusters.reflected import ReflectedInertia, approximate_forward_dynamics
from textbook.clusters.state import (
    Coordinate,
    close_loops,
    converted,
    make_state,
    neutral_state,
    recoordinated,
    span_velocity,
)
from textbook.clusters.tree import ClusterTree, TreeState
from textbook.constraints.partition import Partition


def with_coordinate(tree: ClusterTree, coordinate: int) -> ClusterTree:
    """Every four-bar of the tree measured by another of its joints."""
    joints = tuple(
        FourBar(c.joint.loop.with_independent(coordinate), c.joint.axis) if isinstance(c.joint, FourBar) else c.joint
        for c in tree.clusters
    )
    return tree.with_joints(joints)


@pytest.mark.parametrize("name", ["four-bar", "mixed"])
def test_the_choice_of_coordinates_changes_no_acceleration(name: str) -> None:
    """Independent acceptance (vi): q̈ by each of a four-bar's coordinates to 1e-9. The force acts on the first
    coordinate of the joints, so it is carried over by τ' = G'ᵀ τ_full."""
    tree = ROBOTS[name]()
    random = np.random.default_rng(5)
    for _ in range(50):
        state = random_state(tree, random)
        f_ext, full = wrenches(tree, random), random.normal(size=tree.span_size)
        found = []
        for coordinate in (0, 1, 2):
            other = with_coordinate(tree, coordinate)
            if any(
                c.joint.constraint.conditioning(state.q[c.q]) < 0.02
                for c in other.clusters
                if isinstance(c.joint, FourBar)
            ):
                continue
            there = converted(tree, state, other)
            motion = kinematics(other, there)
            ydd = algorithms.forward_dynamics(motion, motion.G.T @ full, f_ext)
            found.append(algorithms.span_acceleration(motion, ydd))
        for qdd in found[1:]:
            np.testing.assert_allclose(qdd, found[0], rtol=1e-9, atol=1e-9 * float(np.abs(found[0]).max()))


def test_coordinates_are_changed_at_a_dead_point() -> None:
    tree = with_coordinate(ROBOTS["four-bar"](), 1)
    loop = tree.clusters[0].joint.constraint
    stretched = float(np.arccos((0.45**2 + 0.4**2 - 0.3**2) / (2 * 0.45 * 0.4)))
    q = np.concatenate((loop.closed(stretched - 1e-4), [0.1, 0.6]))  # type: ignore[attr-defined]
    state = TreeState(q, np.array([0.3, 0.2]))
    changed, there = recoordinated(tree, state)
    assert changed is not tree
    assert changed.clusters[0].joint.constraint.conditioning(q[:3]) > 0.05
    np.testing.assert_allclose(span_velocity(changed, there), span_velocity(tree, state), atol=1e-9)
    again, same = recoordinated(changed, there)
    assert again is changed
    assert same is there


def test_states_from_spanning_and_independent_values() -> None:
    tree = ROBOTS["mixed"]()
    state = random_state(tree, np.random.default_rng(6))
    qd = span_velocity(tree, state)
    spanning = make_state(
        tree,
        [Coordinate(state.q[c.q], spanning=True) for c in tree.clusters],
        [Coordinate(qd[c.v], spanning=True) for c in tree.clusters],
    )
    np.testing.assert_allclose(spanning.yd, state.yd, atol=1e-10)
    mixed = make_state(
        tree,
        [
            Coordinate(state.q[c.q], spanning=True)
            if isinstance(c.joint, FourBar)
            else Coordinate(c.joint.constraint.independent(state.q[c.q], state.q[c.q]))
            for c in tree.clusters
        ],
        [Coordinate(state.yd[c.y]) for c in tree.clusters],
    )
    np.testing.assert_allclose(mixed.q, state.q, atol=1e-12)


def test_states_that_are_refused() -> None:
    tree = ROBOTS["four-bar"]()
    loop = tree.clusters[0].joint.constraint
    closed = loop.closed(1.0)  # type: ignore[attr-defined]
    tool, still = Coordinate(np.zeros(1)), [Coordinate(np.zeros(1)), Coordinate(np.zeros(1))]
    with pytest.raises(UsageError, match="several branches"):
        make_state(tree, [Coordinate(np.zeros(1)), tool], still)
    with pytest.raises(AssemblyError, match="leave the loop open"):
        make_state(tree, [Coordinate(closed + 0.01, spanning=True), tool], still)
    with pytest.raises(AssemblyError, match="open the loop"):
        make_state(tree, [Coordinate(closed, spanning=True), tool], [Coordinate(np.ones(3), spanning=True), still[1]])
    with pytest.raises(UsageError, match="3 spanning positions, 2 were given"):
        make_state(tree, [Coordinate(np.zeros(2), spanning=True), tool], still)


def test_closing_all_loops() -> None:
    tree = ROBOTS["mixed"]()
    state = neutral_state(tree)
    q = state.q.copy()
    bar = next(c for c in tree.clusters if isinstance(c.joint, FourBar))
    q[bar.q] = bar.joint.constraint.closed(1.0) + 0.05  # type: ignore[attr-defined]
    q[0] = 0.3
    closed = close_loops(tree, TreeState(q, state.yd))
    for cluster in tree.clusters:
        assert np.linalg.norm(cluster.joint.constraint.residual(closed.q[cluster.q])) < 1e-13
    assert closed.q[bar.q][0] == pytest.approx(1.05)


def test_closing_an_explicit_constraint() -> None:
    """Followers are recomputed from the independent positions."""
    tree = ROBOTS["cam"]()
    q = np.array([0.4, 9.0, 0.7, 9.0, 0.1, 9.0])
    closed = close_loops(tree, TreeState(q, np.zeros(3))).q
    wanted = [0.4, 0.3 * np.sin(0.8) + 0.4, 0.7, np.cos(0.4) * 0.7, 0.1, 0.6]
    np.testing.assert_allclose(closed[[0, 2]], [0.4, 0.7])
    np.testing.assert_allclose(closed[:4], wanted[:4], atol=1e-12)
    np.testing.assert_allclose(closed[4:], wanted[4:], atol=1e-15)


@pytest.mark.parametrize("name", ["geared chain", "humanoid leg", "triple arm"])
def test_massless_rotors_need_no_approximation(name: str) -> None:
    """With rotors of no inertia all three approximations are exact."""
    tree = ROBOTS[name]()
    inertias = tree.inertias.copy()
    for cluster in tree.clusters:
        inertias[[cluster.bodies[rotor] for rotor in cluster.joint.rotors]] = 0.0
    tree = tree.with_inertias(inertias)
    random = np.random.default_rng(7)
    state = random_state(tree, random)
    tau, f_ext = random.normal(size=tree.freedoms), wrenches(tree, random)
    for cluster in tree.clusters:
        f_ext[[cluster.bodies[rotor] for rotor in cluster.joint.rotors]] = 0.0
    exact = algorithms.forward_dynamics(kinematics(tree, state), tau, f_ext)
    for approximation in ReflectedInertia:
        found = approximate_forward_dynamics(tree, state, tau, approximation, f_ext)
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9 * float(np.abs(exact).max()))


def test_a_pair_has_a_reflected_block() -> None:
    """Block and diagonal differ where one rotor is driven by two links."""
    tree = ROBOTS["humanoid leg"]()
    state = random_state(tree, np.random.default_rng(8))
    tau = np.ones(tree.freedoms)
    diagonal, block = (
        approximate_forward_dynamics(tree, state, tau, kind)
        for kind in (ReflectedInertia.DIAGONAL, ReflectedInertia.BLOCK_DIAGONAL)
    )
    assert np.abs(diagonal - block).max() > 1e-6


def test_generic_clusters_have_no_reflected_inertia() -> None:
    tree: ClusterTree = ROBOTS["six-bar"]()
    with pytest.raises(UsageError, match="use the exact model"):
        approximate_forward_dynamics(
            tree, random_state(tree, np.random.default_rng(9)), np.zeros(3), ReflectedInertia.NONE
        )


def test_partition_of_a_free_choice() -> None:
    """The six-bar's three coordinates were chosen by pivoted QR and can be replaced."""
    tree = ROBOTS["six-bar"]()
    constraint = tree.clusters[0].joint.constraint
    other = constraint.with_partition(Partition((0, 1, 3), (2, 4), (0, 1)))  # type: ignore[attr-defined]
    assert other.independent_size == constraint.independent_size == 3


@pytest.mark.parametrize("approximation", ReflectedInertia)
def test_forces_on_rotors_go_with_the_rotors(approximation: ReflectedInertia) -> None:
    """An approximation without rotors must not feel what pushes them; what pushes links it feels as before."""
    tree = ROBOTS["humanoid leg"]()
    random = np.random.default_rng(11)
    state, tau = random_state(tree, random), random.normal(size=tree.freedoms)
    on_links = wrenches(tree, random)
    rotors = [cluster.bodies[rotor] for cluster in tree.clusters for rotor in cluster.joint.rotors]
    assert rotors
    on_links[rotors] = 0.0
    on_all = on_links.copy()
    on_all[rotors] = 1e3
    before = on_all.copy()
    found = approximate_forward_dynamics(tree, state, tau, approximation, on_all)
    np.testing.assert_array_equal(found, approximate_forward_dynamics(tree, state, tau, approximation, on_links))
    np.testing.assert_array_equal(on_all, before)
