"""A call that is given its arrays allocates none."""

from __future__ import annotations

import tracemalloc

import numpy as np

from simulator.algorithms.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from tests.helpers.multibodies import every_joint_tree, random_state


def call_all(times: int) -> None:
    """Every algorithm on a tree with all joints, into arrays that are there."""
    model = every_joint_tree(0)
    state, nv = random_state(model, np.random.default_rng(0)), model.qdot_size
    out, H = np.empty(nv), np.empty((nv, nv))
    for _ in range(times):
        forward_dynamics(model, state.q, state.qd, state.tau, state.external, out=out)
        inverse_dynamics(model, state.q, state.qd, state.qdd, state.external, out=out)
        mass_matrix(model, state.q, out=H)


def test_python_allocates_no_arrays() -> None:
    """The interpreter's own small objects come and go; an array of this model would have 280 bytes and a mass matrix 9
    kB."""
    model = every_joint_tree(0)
    state, nv = random_state(model, np.random.default_rng(0)), model.qdot_size
    out, H = np.empty(nv), np.empty((nv, nv))

    def once() -> None:
        forward_dynamics(model, state.q, state.qd, state.tau, state.external, out=out)
        mass_matrix(model, state.q, out=H)

    once()
    tracemalloc.start(1)
    try:
        for _ in range(10):
            once()
        arrays = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)])
    finally:
        tracemalloc.stop()
    assert sum(trace.size for trace in arrays.traces) == 0
