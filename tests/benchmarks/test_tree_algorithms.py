"""What one call of the tree algorithms costs, Python's share included: a chain of ten hinges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator.algorithms.body_motion import body_motion
from simulator.algorithms.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from tests.helpers.joints import NATIVE
from tests.helpers.multibodies import random_state, random_tree

BODIES = 10


@pytest.mark.parametrize("algorithm", ["aba", "rnea", "crba", "motion", "step"])
def test_ten_hinges(benchmark: Any, algorithm: str) -> None:
    model = random_tree([NATIVE["revolute z"]] * BODIES, 1, branching=False)
    state, out, H = random_state(model, np.random.default_rng(1)), np.empty(BODIES), np.empty((BODIES, BODIES))
    calls = {
        "aba": lambda: forward_dynamics(model, state.q, state.qd, state.tau, out=out),
        "rnea": lambda: inverse_dynamics(model, state.q, state.qd, state.qdd, out=out),
        "crba": lambda: mass_matrix(model, state.q, out=H),
        "motion": lambda: body_motion(model, state.q, state.qd),
        "step": lambda: model.integrate(state.q, state.qd, 1e-3),
    }
    benchmark(calls[algorithm])
