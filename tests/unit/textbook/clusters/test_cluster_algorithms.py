"""C-ABA against projection, multipliers, RNEA, CRBA on the spanning tree and the energy balance: 200 random states for
each robot, every frame, inertia and wrench random. Tolerances are relative to the largest value unless said."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.cluster_robots import ROBOTS, random_state, wrenches
from textbook.clusters import algorithms, checks, energy, operational
from textbook.clusters.kinematics import (
    TreeMotion,
    body_jacobian,
    body_transforms,
    body_velocities,
    kinematics,
)
from textbook.clusters.state import advanced
from textbook.clusters.tree import ClusterTree, TreeState

Array = NDArray[np.float64]
STATES = 60


def off(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, float(np.abs(b).max(initial=0.0))))


@pytest.fixture(params=sorted(ROBOTS))
def tree(request: pytest.FixtureRequest) -> ClusterTree:
    return ROBOTS[request.param]()


def states(tree: ClusterTree, count: int) -> Iterator[tuple[np.random.Generator, TreeState, TreeMotion]]:
    random = np.random.default_rng(8)
    for _ in range(count):
        state = random_state(tree, random)
        yield random, state, kinematics(tree, state)


def test_five_ways_to_the_same_acceleration(tree: ClusterTree) -> None:
    """C-ABA = projection to 1e-10, = multipliers to 1e-8, inverse after forward to 1e-10; KG = 0, Kg = k to 1e-10."""
    for random, state, motion in states(tree, STATES):
        tau, f_ext = random.normal(size=tree.freedoms), wrenches(tree, random)
        ydd = algorithms.forward_dynamics(motion, tau, f_ext)
        everything = checks.stacked(tree, state, f_ext)
        assert off(ydd, checks.forward_by_projection(everything, tau)) < 1e-10
        assert off(algorithms.inverse_dynamics(motion, ydd, f_ext), tau) < 1e-10
        assert off(checks.inverse_by_projection(everything, ydd, f_ext), tau) < 1e-10
        multipliers = checks.forward_by_multipliers(everything, tau)
        assert off(ydd, multipliers.ydd) < 1e-8
        qdd = algorithms.span_acceleration(motion, ydd)
        assert off(multipliers.qdd, qdd) < 1e-8
        assert off(multipliers.forces, checks.constraint_forces(everything, tau, qdd, f_ext)) < 1e-8
        assert np.abs(everything.K @ everything.G).max(initial=0.0) < 1e-10
        assert off(everything.K @ everything.g, everything.k) < 1e-10


def test_the_mass_matrix_is_the_projected_one(tree: ClusterTree) -> None:
    """CRBA = Gᵀ H_span G to 1e-11, symmetric, positive definite; H ÿ + C is what RNEA says."""
    for random, state, motion in states(tree, 50):
        everything = checks.stacked(tree, state)
        H = algorithms.mass_matrix(motion)
        assert off(H, everything.G.T @ everything.H @ everything.G) < 1e-11
        assert np.linalg.eigvalsh(H)[0] > 0.0
        ydd = random.normal(size=tree.freedoms)
        assert off(H @ ydd + algorithms.bias_force(motion), algorithms.inverse_dynamics(motion, ydd)) < 1e-11


def test_energy_changes_by_the_power_that_flows_in(tree: ClusterTree) -> None:
    """d/dt E = τᵀẏ + f_extᵀ v to 1e-9."""
    for random, state, motion in states(tree, 50):
        tau, f_ext = random.normal(size=tree.freedoms), wrenches(tree, random)
        ydd = algorithms.forward_dynamics(motion, tau, f_ext)
        power = energy.power_in(motion, tau, state.yd, f_ext)
        assert energy.energy_rate(motion, ydd) == pytest.approx(power, rel=1e-9, abs=1e-9)


def moved(tree: ClusterTree, state: TreeState, motion: TreeMotion, ydd: Array, t: float) -> TreeMotion:
    """The motion a time t later: positions to second order in t along the constrained path."""
    qdd = algorithms.span_acceleration(motion, ydd)
    q = advanced(tree, state, motion.qd * t + 0.5 * qdd * t * t)
    return kinematics(tree, TreeState(q, state.yd + ydd * t))


def test_the_energy_itself_changes_at_that_rate(tree: ClusterTree) -> None:
    """Central difference of kinetic + potential energy over ±1e-5 s: 1e-4 W, its own rounding."""
    for random, state, motion in states(tree, 5):
        ydd = algorithms.forward_dynamics(motion, random.normal(size=tree.freedoms))
        after, before = (moved(tree, state, motion, ydd, t) for t in (1e-5, -1e-5))
        change = sum(f(after) - f(before) for f in (energy.kinetic_energy, energy.potential_energy))
        assert change / 2e-5 == pytest.approx(energy.energy_rate(motion, ydd), rel=1e-6, abs=1e-4)


def test_bias_is_the_rate_of_s_times_yd(tree: ClusterTree) -> None:
    """cJ against the central difference of S ẏ along the motion with ÿ = 0: 1e-6."""
    for _, state, motion in states(tree, 10):
        still = np.zeros(tree.freedoms)
        after, before = (moved(tree, state, motion, still, t) for t in (1e-6, -1e-6))
        for own, one, two in zip(motion.clusters, after.clusters, before.clusters, strict=True):
            assert off((one.vJ - two.vJ) / 2e-6, own.cJ) < 1e-6


def test_velocities_and_jacobians_agree_with_moving_transforms(tree: ClusterTree) -> None:
    """Ẋ = −crm(v) X by central differences, v = J ẏ."""
    for _, state, motion in states(tree, 3):
        after, before = (body_transforms(moved(tree, state, motion, np.zeros(tree.freedoms), t)) for t in (1e-6, -1e-6))
        X = body_transforms(motion)
        for body, v in enumerate(body_velocities(motion)):
            assert off(body_jacobian(motion, body) @ state.yd, v) < 1e-12
            rate = (after[body] - before[body]) / 2e-6 @ np.linalg.inv(X[body])
            assert off(-rate[3:, :3], rate_of(v)[3:, :3]) < 1e-6
            assert off(-rate[:3, :3], rate_of(v)[:3, :3]) < 1e-6


def rate_of(v: Array) -> Array:
    from textbook.plucker import crm

    return crm(v)


def test_operational_inertia_and_test_forces(tree: ClusterTree) -> None:
    """Λ⁻¹ = J H⁻¹ Jᵀ and Δÿ = H⁻¹ Jᵀ f to 1e-10."""
    for random, _, motion in states(tree, 10):
        H = algorithms.mass_matrix(motion)
        for body in range(len(tree.body_names)):
            J = body_jacobian(motion, body)
            dense = J @ np.linalg.solve(H, J.T)
            assert off(operational.inverse_operational_inertia(motion, body), dense) < 1e-10
            force = random.normal(size=6)
            response = operational.apply_test_force(motion, body, force)
            assert off(response.ydd, np.linalg.solve(H, J.T @ force)) < 1e-10
            assert response.inverse_inertia == pytest.approx(force @ dense @ force, rel=1e-9, abs=1e-12)
