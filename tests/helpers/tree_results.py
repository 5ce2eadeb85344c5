"""What the tree algorithms answer for one model, as JSON on stdout: `python -m tests.helpers.tree_results`."""

from __future__ import annotations

import json

import numpy as np

from simulator.algorithms.body_motion import body_motion
from simulator.algorithms.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from tests.helpers.multibodies import every_joint_tree, random_state


def results() -> dict[str, list[float]]:
    """Flat lists of numbers by algorithm."""
    model = every_joint_tree(3)
    state = random_state(model, np.random.default_rng(3))
    motion = body_motion(model, state.q, state.qd, state.qdd)
    found = {
        "rnea": inverse_dynamics(model, state.q, state.qd, state.qdd, state.external),
        "crba": mass_matrix(model, state.q),
        "aba": forward_dynamics(model, state.q, state.qd, state.tau, state.external),
        "transforms": motion.X_base,
        "velocities": motion.v,
        "accelerations": motion.a,
        "jacobian": motion.jacobian(model.body_count - 1, np.array([0.1, 0.2, 0.3])),
    }
    return {name: [float(value) for value in np.ravel(array)] for name, array in found.items()}


if __name__ == "__main__":
    print(json.dumps(results()))
