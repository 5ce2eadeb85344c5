"""What one call of the tree algorithms costs, Python's share included: a chain of ten hinges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.helpers.joints import NATIVE
from tests.helpers.multibodies import random_state, random_tree
from textbook.body_motion import body_motion
from textbook.tree_dynamics import forward_dynamics, inverse_dynamics, mass_matrix

BODIES = 10


@pytest.mark.parametrize("algorithm", ["aba", "rnea", "crba", "motion", "step"])
def test_ten_hinges(benchmark: Any, algorithm: str) -> None:
    model = random_tree([NATIVE["revolute z"]] * BODIES, 1, branching=False)
    state = random_state(model, np.random.default_rng(1))
    calls = {
        "aba": lambda: forward_dynamics(model, state.q, state.qd, state.tau),
        "rnea": lambda: inverse_dynamics(model, state.q, state.qd, state.qdd),
        "crba": lambda: mass_matrix(model, state.q),
        "motion": lambda: body_motion(model, state.q, state.qd),
        "step": lambda: model.integrate(state.q, state.qd, 1e-3),
    }
    benchmark(calls[algorithm])
