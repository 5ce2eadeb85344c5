"""Loop joints by their real type: rows, freedoms, K and k against motion, reactions against RNEA on the cut tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.errors import UsageError
from tests.helpers.cluster_robots import random_frame, random_inertia, wrenches
from textbook.clusters import algorithms, checks, loop_rows
from textbook.clusters.components import GROUND
from textbook.clusters.grouping import Graph, GraphBody, GraphCoupling, GraphLoop, Grouped, group
from textbook.clusters.kinematics import body_transforms, kinematics
from textbook.clusters.loop_constraint import LoopConstraintOfJoints
from textbook.clusters.loop_rows import LoopRow, RowKind
from textbook.clusters.reactions import loop_reactions
from textbook.clusters.spanning import tree_inverse_dynamics
from textbook.clusters.state import advanced
from textbook.clusters.tree import ClusterTree, TreeState
from textbook.joints.single import Prismatic, Revolute
from textbook.joints.spherical import Spherical
from textbook.plucker import inverse_transform

Array = NDArray[np.float64]
AXIS = (0.6, 0.0, 0.8)
SIDE = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)
ROWS: dict[str, tuple[tuple[LoopRow, ...], int]] = {
    "revolute": (loop_rows.revolute_rows(AXIS), 5),
    "prismatic": (loop_rows.prismatic_rows(AXIS), 5),
    "ball": (loop_rows.ball_rows(), 3),
    "universal": (loop_rows.universal_rows(AXIS, SIDE), 4),
    "fixed": (loop_rows.fixed_rows(), 6),
    "cylinder": (loop_rows.cylinder_rows(AXIS), 4),
    "planar": (loop_rows.planar_rows(AXIS), 3),
}


@dataclass
class Made:
    grouped: Grouped
    graph: Graph
    state: TreeState

    @property
    def tree(self) -> ClusterTree:
        return self.grouped.tree


def ring(name: str, seed: int, *, screw: float | None = None) -> Made:
    """Two chains of five bodies in random directions, on a hinge of their own, closed by one joint of that type at
    random positions."""
    random = np.random.default_rng(seed)
    frames = [random_frame(random) for _ in range(10)]

    def model(i: int) -> Revolute | Spherical:
        direction = random.normal(size=3)
        return Spherical() if i == 4 else Revolute(tuple(direction / np.linalg.norm(direction)))

    parents = [GROUND, 0, 1, 2, 0, 4, 5, 6, 7]
    bodies = []
    for i, parent in enumerate(parents):
        joint = model(i)
        q = random.normal(size=joint.position_size)
        q = q / np.linalg.norm(q) if joint.position_size == 4 else q
        bodies.append(GraphBody(f"b{i}", parent, frames[i], random_inertia(random), joint, q=q))
    place = [np.eye(6)]
    for body in bodies:
        before = np.eye(6) if body.parent == GROUND else place[body.parent + 1]
        place.append(body.joint.transform(body.reference) @ body.Xtree @ before)
    X_p = random_frame(random)
    X_s = X_p @ place[4] @ inverse_transform(place[9])
    loop = GraphLoop(name, 3, X_p, 8, X_s, ROWS["cylinder" if screw is not None else name][0])
    couplings: tuple[GraphCoupling, ...] = ()
    if screw is not None:
        travel, turn = LoopRow(RowKind.POINT, AXIS), LoopRow(RowKind.TURN, AXIS)
        couplings = (GraphCoupling("pitch", (), 0.0, ((0, 1.0, travel), (0, -screw, turn))),)
    graph = Graph(tuple(bodies), (loop,), couplings)
    grouped = group(graph, random.normal(size=3))
    tree = grouped.tree
    q = np.zeros(tree.position_size)
    for cluster in tree.clusters:
        q[cluster.q] = np.concatenate([graph.bodies[grouped.body_of.index(b)].reference for b in cluster.bodies])
    return Made(grouped, graph, TreeState(q, random.normal(size=tree.freedoms)))


def constraint_of(made: Made) -> LoopConstraintOfJoints:
    constraint = made.tree.clusters[1].joint.constraint
    assert isinstance(constraint, LoopConstraintOfJoints)
    return constraint


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rows_and_their_derivatives(name: str, seed: int) -> None:
    """As many rows as the type has, closed where the frames coincide; φ stays zero to third order along q̈ = Gÿ + g; K
    is the rate of φ."""
    made = ring(name, seed)
    constraint, count = constraint_of(made), ROWS[name][1]
    assert len(constraint.row_names) == len(constraint.partition.rows) == count
    assert made.tree.freedoms == 1 + 10 - count
    check_derivatives(made)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_screw_is_a_cylinder_with_a_coupling_of_its_own_axes(seed: int) -> None:
    """5 rows; travel = h · turn of the cut joint."""
    made = ring("screw", seed, screw=0.07)
    assert len(constraint_of(made).partition.rows) == 5
    check_derivatives(made)


def test_a_measured_turn_is_known_up_to_whole_turns() -> None:
    """A rod that moves 0.07 m per radian of a wheel, whose angle is measured by a loop joint: after one and a half
    turns and after four the coupling is closed, and a hundredth of a metre beside it is not."""
    pitch = 0.07
    bodies = (
        GraphBody("wheel", GROUND, np.eye(6), random_inertia(np.random.default_rng(1)), Revolute(Z), q=np.zeros(1)),
        GraphBody("rod", GROUND, np.eye(6), random_inertia(np.random.default_rng(2)), Prismatic(Z), False, np.zeros(1)),
    )
    bearing = GraphLoop("bearing", GROUND, np.eye(6), 0, np.eye(6), loop_rows.revolute_rows(Z))
    law = GraphCoupling("law", ((1, 1.0),), 0.0, ((0, -pitch, LoopRow(RowKind.TURN, Z)),))
    (cluster,) = group(Graph(bodies, (bearing,), (law,)), np.zeros(3)).tree.clusters
    constraint = cluster.joint.constraint
    assert isinstance(constraint, LoopConstraintOfJoints)
    order = [cluster.bodies.index(body) for body in sorted(cluster.bodies)]
    for turn in (0.3, -1.0, 3.0 * np.pi - 0.1, 8.0 * np.pi):
        for off in (0.0, 0.01):
            q = np.array([turn, pitch * turn + off])[order]
            assert abs(np.abs(constraint.residual(q)).max() - off) < 1e-12


def check_derivatives(made: Made) -> None:
    tree, state = made.tree, made.state
    constraint, cluster = constraint_of(made), tree.clusters[1]
    assert np.linalg.norm(constraint.residual(state.q[cluster.q])) < 1e-12
    motion = kinematics(tree, state)
    K = constraint.rows(state.q[cluster.q], motion.clusters[1].qd).K
    assert np.abs(K @ motion.clusters[1].G).max() < 1e-10
    step = np.random.default_rng(0).normal(size=constraint.span_size)
    rates = [constraint.residual(constraint.advance(state.q[cluster.q], s * 1e-6 * step)) for s in (1, -1)]
    all_K = constraint.all_rows(state.q[cluster.q], np.zeros(constraint.span_size)).K
    np.testing.assert_allclose((rates[0] - rates[1]) / 2e-6, all_K @ step, atol=1e-7)
    gaps = []
    qdd = algorithms.span_acceleration(motion, np.ones(tree.freedoms))
    for t in (2e-3, 1e-3):
        q = advanced(tree, state, motion.qd * t + 0.5 * qdd * t * t)
        gaps.append(float(np.linalg.norm(constraint.residual(q[cluster.q]))))
    assert gaps[1] < 1e-5
    assert gaps[0] / gaps[1] == pytest.approx(8.0, rel=0.2)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_reactions_hold_the_cut_tree_together(name: str) -> None:
    """Acceptance (vii): RNEA on the cut tree, at the accelerations of C-ABA and with the loop joint's wrench λ put on
    the two bodies as external forces, needs no more than the drives: joint forces equal τ_full to 1e-8."""
    made = ring(name, 4)
    tree, state = made.tree, made.state
    random = np.random.default_rng(5)
    tau, f_ext = random.normal(size=tree.freedoms), wrenches(tree, random)
    ydd = algorithms.forward_dynamics(kinematics(tree, state), tau, f_ext)
    everything = checks.stacked(tree, state, f_ext)
    multipliers = checks.forward_by_multipliers(everything, tau)
    np.testing.assert_allclose(multipliers.ydd, ydd, atol=1e-8 * max(1.0, float(np.abs(ydd).max())))
    cluster = tree.clusters[1]
    (reaction,) = loop_reactions(constraint_of(made), state.q[cluster.q], multipliers.lam)
    loaded = f_ext.copy()
    loaded[tree.body("b8")] += reaction.on_successor
    loaded[tree.body("b3")] += reaction.on_predecessor
    needed = tree_inverse_dynamics(everything.tree, everything.qd, multipliers.qdd, loaded)
    full = checks.joint_forces(everything, tau)
    np.testing.assert_allclose(needed, full, atol=1e-8 * max(1.0, float(np.abs(multipliers.lam).max())))


def test_the_frames_of_a_closed_hinge_coincide() -> None:
    made = ring("fixed", 6)
    X = body_transforms(kinematics(made.tree, made.state))
    loop = made.graph.loops[0]
    np.testing.assert_allclose(loop.X_p @ X[made.tree.body("b3")], loop.X_s @ X[made.tree.body("b8")], atol=1e-12)


def test_a_universal_joint_needs_two_axes() -> None:
    with pytest.raises(UsageError, match="must not be parallel"):
        loop_rows.universal_rows(AXIS, AXIS)
