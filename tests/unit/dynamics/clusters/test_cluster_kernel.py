"""The compiled C-ABA is the plain one."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.dynamics.clusters import algorithms
from simulator.dynamics.clusters.builder import ClusterTreeBuilder
from simulator.dynamics.clusters.flat import flatten
from simulator.dynamics.clusters.generic import Generic
from simulator.dynamics.clusters.kinematics import kinematics
from simulator.dynamics.clusters.single import Free
from simulator.dynamics.clusters.tree import TreeState
from simulator.dynamics.constraints.couplings import LinearRow, linear_constraint
from simulator.dynamics.joints.single import Prismatic, Revolute
from simulator.errors import UsageError
from tests.helpers.cluster_robots import ROBOTS, X, Y, random_frame, random_inertia, random_state, wrenches

ALL_HINGES = sorted(set(ROBOTS) - {"humanoid leg"})


@pytest.mark.parametrize("name", ALL_HINGES)
def test_compiled_and_plain(name: str) -> None:
    """100 random states with wrenches on every body: 1e-10 relative."""
    tree = ROBOTS[name]()
    flat = flatten(tree)
    random = np.random.default_rng(10)
    for _ in range(100):
        state = random_state(tree, random)
        tau, f_ext = random.normal(size=tree.freedoms), wrenches(tree, random)
        plain = algorithms.forward_dynamics(kinematics(tree, state), tau, f_ext)
        fast = flat.forward_dynamics(state, tau, f_ext)
        np.testing.assert_allclose(fast, plain, rtol=1e-10, atol=1e-10 * float(np.abs(plain).max()))


def test_slides() -> None:
    """Rack and pinion in a cluster with a rod on the rack."""
    random = np.random.default_rng(11)
    builder = ClusterTreeBuilder()
    builder.register_body("pinion", random_inertia(random), "ground", random_frame(random))
    builder.register_body("rack", random_inertia(random), "pinion", random_frame(random))
    coupling = linear_constraint(2, [LinearRow("rack", ((1, 1.0), (0, -0.3)))], (0,)).constraint
    builder.close_cluster("rack", Generic((Revolute(X), Prismatic((0.6, 0.8, 0.0))), coupling))
    builder.register_body("rod", random_inertia(random), "rack", random_frame(random))
    builder.close_cluster("rod", Generic((Prismatic(Y),), linear_constraint(1, ()).constraint))
    tree = builder.build()
    state = TreeState(np.array([0.4, 0.12, -0.5]), np.array([1.3, -0.7]))
    plain = algorithms.forward_dynamics(kinematics(tree, state), np.array([1.0, 2.0]))
    np.testing.assert_allclose(flatten(tree).forward_dynamics(state, np.array([1.0, 2.0])), plain, rtol=1e-11)


def test_other_joints_are_refused() -> None:
    builder = ClusterTreeBuilder()
    builder.add_body("body", np.eye(6), "ground", None, Free())
    with pytest.raises(UsageError, match="not FreeJoint"):
        flatten(builder.build())


def test_motion_without_mass_is_refused() -> None:
    tree = ROBOTS["pair"]()
    flat = flatten(tree.with_inertias(np.zeros_like(tree.inertias)))
    with pytest.raises(UsageError, match="moves no mass"):
        flat.forward_dynamics(random_state(tree, np.random.default_rng(0)), np.zeros(3))
