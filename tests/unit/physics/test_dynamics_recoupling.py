"""Velocities under a new law: those nearest to the old ones in the metric of all that moves, rotors too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.kinematics.state import rest_state
from simulator.mechanism.coupling_law import with_law
from simulator.mechanism.types import Mechanism
from simulator.physics.queries.recoupling import project_onto_couplings
from simulator.session.open.opening import open_document
from tests.helpers.documents import joint, link, mimic, model, world

Write = Callable[..., Path]
ROTOR = np.diag([4.0, 0.0])


@pytest.fixture
def geared(write_document: Write) -> Mechanism:
    """Two discs of 1 kg m², the second turns with the first."""
    follower = joint("b", "revolute", mimic("a"), parent="world", child="second")
    leader = joint("a", "revolute", parent="world", child="first")
    return open_document(write_document(world(model("m", link("first"), link("second"), leader, follower)))).mechanism


@pytest.mark.parametrize(("rotors", "felt"), [(None, 1.0), (ROTOR, 5.0)])
@pytest.mark.parametrize("ratio", [3.0, -0.5, 0.0])
def test_nearest_rates_with_and_without_rotors(
    geared: Mechanism, rotors: np.ndarray | None, felt: float, ratio: float
) -> None:
    """From both at w: the least of J (x - w)^2 + (r x - w)^2 is at x = w (J + r) / (J + r^2), and (J + r^2) x^2 never
    grows."""
    rate = 2.0
    moving = replace(rest_state(geared), velocity=np.array([rate, rate]))
    after = project_onto_couplings(with_law(geared, 0, (ratio, 0.0, 0.0)), moving, rotors).velocity
    expected = rate * (felt + ratio) / (felt + ratio * ratio)
    assert after == pytest.approx([expected, ratio * expected], rel=1e-12, abs=1e-15)
    assert felt * after[0] ** 2 + after[1] ** 2 <= (felt + 1.0) * rate**2 * (1.0 + 1e-12)
