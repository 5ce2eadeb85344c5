"""Axes of loop joints that are followed over many steps at once are those that are followed step by step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simulator.engine.loop_axes import LoopAxes
from simulator.engine.port import BackendState
from simulator.engine.state_transfer import set_loop_axes
from simulator.session.opening import open_document
from simulator.spatial.pose import Pose
from tests.helpers.repository import ROOT

DT, STEPS = 1e-3, 60


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "sarrus", "stewart", "peaucellier"])
def test_many_steps_at_once(name: str) -> None:
    """Bodies turn, each as it likes, and drift. 1e-12 of positions of some turns."""
    mechanism = open_document(ROOT / "worlds" / f"{name}.sdf").mechanism
    loops, n = LoopAxes(mechanism), len(mechanism.axes)
    assert loops.are_single
    chance = np.random.default_rng(3)
    drift, speed = 1e-3 * chance.normal(size=(len(mechanism.bodies), 3)), chance.normal(size=len(mechanism.bodies))
    poses = np.zeros((STEPS + 1, len(mechanism.bodies), 7))
    for k in range(STEPS + 1):
        for body, info in enumerate(mechanism.bodies):
            x, y, z = (k * drift[body]).tolist()
            turn = Pose.from_rpy((x, y, z), (0.3 * k * speed[body], 0.5 * k * speed[body], 0.7 * k))
            poses[k, body] = (turn @ info.X_WB if body else Pose()).as_list()
    states = [
        BackendState(np.zeros(n), np.zeros(n), np.zeros(n), place, np.zeros((len(mechanism.bodies), 6)))
        for place in poses
    ]
    set_loop_axes(mechanism, states[0], None, DT)
    for before, after in pairwise(states):
        set_loop_axes(mechanism, after, before, DT)
    expected = np.array([state.position[loops.axes] for state in states])
    found = loops.follow(poses[1:][:, list(loops.bodies)], expected[0])
    np.testing.assert_allclose(found, expected[1:], rtol=0.0, atol=1e-12)
