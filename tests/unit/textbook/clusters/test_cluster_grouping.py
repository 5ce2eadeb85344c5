"""Clusters found from loops and couplings: components, the URDF+ figures, ground and ancestor loops, redundancy,
contradictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.errors import AssemblyError
from textbook.clusters import algorithms, checks
from textbook.clusters.components import (
    GROUND,
    clusters_of,
    coupled_members,
    loop_members,
    strong_components,
)
from textbook.clusters.free_joint import FreeJoint
from textbook.clusters.grouping import Graph, GraphBody, GraphCoupling, GraphLoop, group, rolling_coupling
from textbook.clusters.kinematics import kinematics
from textbook.clusters.loop_rows import revolute_rows
from textbook.clusters.single import Free
from textbook.clusters.state import close_loops, neutral_state
from textbook.clusters.tree import TreeState
from textbook.joints.single import Revolute
from textbook.plucker import spatial_inertia, translation_transform

Array = NDArray[np.float64]
Z = (0.0, 0.0, 1.0)
ROD = spatial_inertia(1.0, np.array([0.2, 0.0, 0.0]), np.diag([0.01, 0.02, 0.02]))


def hinge(name: str, parent: int, x: float = 0.0, q: float = 0.0, *, independent: bool = True) -> GraphBody:
    X = translation_transform(np.array([x, 0.0, 0.0]))
    return GraphBody(name, parent, X, ROD, Revolute(Z), independent, np.array([q]))


def shift(x: float) -> Array:
    return translation_transform(np.array([x, 0.0, 0.0]))


def four_bar_graph(base: int, first: int) -> tuple[list[GraphBody], GraphLoop]:
    """Crank 0.1, coupler 0.35, rocker 0.3 on pivots 0.4 apart; closed by a hinge."""
    bodies = [
        hinge("crank", base, 0.0, 1.0472),
        hinge("rocker", base, 0.4, 1.7958, independent=False),
        hinge("coupler", first, 0.1, -0.4185, independent=False),
    ]
    return bodies, GraphLoop("pin", first + 2, shift(0.35), first + 1, shift(0.3), revolute_rows(Z))


def test_strong_components() -> None:
    assert strong_components([[1], [2], [0, 3], [4], [5], [3], [6]]) == [[0, 1, 2], [3, 4, 5], [6]]
    assert strong_components([]) == []
    ring = [[(i + 1) % 5000] for i in range(5000)]
    assert len(strong_components(ring)) == 1


def test_members_of_loops_and_couplings() -> None:
    """0 carries 1 and 2; 1 carries 3, 2 carries 4, 4 carries 5."""
    parents = [GROUND, 0, 0, 1, 2, 4]
    assert loop_members(3, 5, parents) == (1, 3, 2, 4, 5)
    assert loop_members(GROUND, 3, parents) == (0, 1, 3)
    assert loop_members(2, 5, parents) == (4, 5)
    assert coupled_members([3, 5], parents) == (1, 2, 3, 4, 5)
    assert coupled_members([2, 5], parents) == (2, 4, 5)
    assert coupled_members([3], parents) == (3,)
    assert clusters_of(parents, [(1, 3, 2, 4, 5)]) == [[0], [1, 2, 3, 4, 5]]
    assert clusters_of(parents, [(4, 5), (1, 2)]) == [[0], [1, 2], [3], [4, 5]]


def test_six_links_one_loop_one_coupling_make_three_clusters() -> None:
    """GRBDA's own figure (arXiv 2311.13732): 6 links, 5 joints, 1 loop, 1 coupling → 3 clusters, the root being one of
    them."""
    root = GraphBody("root", GROUND, np.eye(6), ROD, FreeJoint())
    bodies, loop = four_bar_graph(0, 1)
    graph = Graph((root, *bodies, hinge("link", 2), hinge("rotor", 2, independent=False)), (loop,))
    graph = replace(graph, couplings=(rolling_coupling(graph, "belt", 4, 5, 12.0),))
    grouped = group(graph)
    assert grouped.groups == ((0,), (1, 2, 3), (4, 5))
    assert isinstance(grouped.tree.clusters[0].joint, Free)
    assert [c.joint.velocity_size for c in grouped.tree.clusters] == [6, 1, 1]
    constraint = grouped.tree.clusters[2].joint.constraint  # type: ignore[attr-defined]
    np.testing.assert_allclose(constraint.G, [[1.0], [12.0]])


def test_knee_and_ankle_couplings_are_the_belts() -> None:
    """Of GRBDA's humanoid leg: predecessor thigh's knee link, ratio 12; foot, ratio 12, over (l1, r1, r2, l2)."""
    graph = Graph(
        (
            hinge("l1", GROUND),
            hinge("r1", GROUND, independent=False),
            hinge("r2", GROUND, independent=False),
            hinge("l2", 0),
        )
    )
    couplings = (rolling_coupling(graph, "knee", 0, 1, 12.0), rolling_coupling(graph, "ankle", 3, 2, 12.0))
    grouped = group(replace(graph, couplings=couplings))
    assert grouped.groups == ((0, 1, 2, 3),)
    G = grouped.tree.clusters[0].joint.constraint.G  # type: ignore[attr-defined]
    np.testing.assert_allclose(G, [[1, 0], [12, 0], [12, 12], [0, 1]], atol=1e-14)


def test_a_loop_on_the_ground() -> None:
    """Crank, coupler and rocker in a row, the rocker's end on the ground: the same four-bar with one loop to the
    ground."""
    bodies = (hinge("crank", GROUND, 0.0, 1.0472), hinge("coupler", 0, 0.1, -0.4185), hinge("rocker", 1, 0.35, -1.9746))
    loop = GraphLoop("pin", GROUND, shift(0.4), 2, shift(0.3), revolute_rows(Z))
    grouped = group(Graph(bodies, (loop,)), (0.0, -9.81, 0.0))
    assert grouped.groups == ((0, 1, 2),)
    assert grouped.redundant == ("pin",)
    tree = grouped.tree
    assert tree.freedoms == 1
    constraint = tree.clusters[0].joint.constraint
    assert constraint.redundant_count == 3  # type: ignore[attr-defined]
    state = close_loops(tree, TreeState(np.array([1.0472, -0.4185, -1.96]), np.array([0.8])))
    motion = kinematics(tree, state)
    everything = checks.stacked(tree, state)
    ydd = algorithms.forward_dynamics(motion, np.array([0.3]))
    np.testing.assert_allclose(ydd, checks.forward_by_projection(everything, np.array([0.3])), rtol=1e-10)


def test_a_loop_to_an_ancestor_leaves_the_ancestor_out() -> None:
    bodies = (
        hinge("arm", GROUND),
        hinge("crank", 0, 0.0, 1.0472),
        hinge("coupler", 1, 0.1, -0.4185),
        hinge("rocker", 2, 0.35, -1.9746),
    )
    loop = GraphLoop("pin", 0, shift(0.4), 3, shift(0.3), revolute_rows(Z))
    tree = group(Graph(bodies, (loop,))).tree
    assert [c.name for c in tree.clusters] == ["arm", "crank+coupler+rocker"]
    assert tree.clusters[1].outputs == (0, 0, 0)


def test_loops_and_couplings_in_one_cluster() -> None:
    """A rotor geared to the rocker of a four-bar: one cluster, one freedom."""
    bodies, loop = four_bar_graph(GROUND, 0)
    graph = Graph(
        (*bodies, hinge("rotor", GROUND, independent=False)),
        (loop,),
        (GraphCoupling("gear", ((3, 1.0), (1, -6.0)), 0.5),),
    )
    tree = group(graph).tree
    assert tree.freedoms == 1
    state = close_loops(tree, TreeState(np.array([1.0, 1.8, -0.4, 0.0]), np.ones(1)))
    cluster = tree.clusters[0]
    rotor, rocker = (cluster.bodies.index(tree.body(name)) for name in ("rotor", "rocker"))
    assert state.q[rotor] == pytest.approx(6.0 * state.q[rocker] + 0.5, abs=1e-12)
    motion = kinematics(tree, state)
    np.testing.assert_allclose(motion.qd[rotor], 6.0 * motion.qd[rocker], atol=1e-12)


def test_redundant_and_contradictory_couplings() -> None:
    bodies = (hinge("a", GROUND), hinge("b", GROUND), hinge("c", GROUND))
    couplings = [
        GraphCoupling("ab", ((0, 1.0), (1, -2.0))),
        GraphCoupling("bc", ((1, 1.0), (2, -3.0))),
        GraphCoupling("ac", ((0, 1.0), (2, -6.0))),
    ]
    assert group(Graph(bodies, (), tuple(couplings))).redundant == ("ac",)
    couplings[2] = GraphCoupling("ac", ((0, 1.0), (2, -6.0)), 0.1)
    with pytest.raises(AssemblyError, match="'ac' contradicts 'ab', 'bc'"):
        group(Graph(bodies, (), tuple(couplings)))


def test_a_loop_that_cannot_close_is_named() -> None:
    bodies = (hinge("a", GROUND), hinge("b", GROUND, 5.0))
    loop = GraphLoop("rod end", 0, shift(0.3), 1, shift(0.3), revolute_rows(Z))
    tree = group(Graph(bodies, (loop,))).tree
    with pytest.raises(AssemblyError, match="'rod end'"):
        close_loops(tree, neutral_state(tree))
