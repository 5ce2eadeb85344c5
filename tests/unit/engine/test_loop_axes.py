"""Axes of loop joints that are followed over many steps at once are those that are followed step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.dynamics.kinematics import Kinematics
from simulator.dynamics.state import rest_state
from simulator.engine.loop_axes import LoopAxes
from simulator.engine.port import BackendState
from simulator.engine.state_transfer import set_loop_axes
from simulator.mechanism.types import Mechanism, MotionKind
from simulator.session.opening import open_document
from simulator.spatial.pose import Pose
from tests.helpers.repository import ROOT

DT, STEPS = 1e-3, 60
Array = NDArray[np.float64]


def poses_at(mechanism: Mechanism, positions: Sequence[Array]) -> Array:
    """X_WB of all bodies where tree axes are so, whatever loops say to it, shape (n, n_bodies, 7)."""
    kinematics, rest = Kinematics(mechanism), rest_state(mechanism)
    placed = [kinematics.body_matrices(replace(rest, position=q)) for q in positions]
    return np.array([[Pose.from_matrix(X).as_list() for X in bodies] for bodies in placed])


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


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "hoeken", "peaucellier", "scissor_lift"])
def test_turns_are_counted_by_tree_axes_where_all_are_parallel(name: str) -> None:
    """Bodies of a plane loop where some positions of its tree axes take them, most of a turn from one to the
    next, and many turns in all, one way and back; whether the loop is closed does not matter. The same as
    when turns are followed over forty places between each two. 1e-9: angles of 100 rad, off by 1e-14 of themselves."""
    mechanism = open_document(ROOT / "worlds" / f"{name}.sdf").mechanism
    loops, chance = LoopAxes(mechanism), np.random.default_rng(5)
    assert loops.counted, name
    n, bodies = len(mechanism.axes), list(loops.bodies)
    turns = [axis for axis, info in enumerate(mechanism.axes) if info.in_tree and info.kind is MotionKind.ROTATION]
    places = [np.zeros(n)]
    for k in range(1, 41):
        places.append(places[-1].copy())
        places[-1][turns] += (3.0 if k <= 30 else -5.0) * chance.normal(1.0, 0.2, size=len(turns))
    poses = poses_at(mechanism, places)
    moved = np.array(places)[1:, list(loops.counted)] - places[0][list(loops.counted)]
    begin = loops.follow(poses[:1, bodies], np.zeros(len(loops.axes)))[0]
    found = loops.follow(poses[1:, bodies], begin, moved, begin)
    # Between two of these instants 40: so near that turns go on.
    fine = [a + (b - a) * part for a, b in pairwise(places) for part in np.linspace(0.0, 1.0, 41)[1:]]
    near = poses_at(mechanism, fine)[:, bodies]
    followed = loops.follow(near, begin)
    np.testing.assert_allclose(found, followed[39::40], rtol=0.0, atol=1e-9)
    # Of some of those nobody has read the tree's axes, for the pose before is one of them: from there turns go on.
    few = np.concatenate([range(40 * k + 37, 40 * k + 40) for k in range(40)])
    known = np.array(fine)[few][:, list(loops.counted)] - places[0][list(loops.counted)]
    known[1::3] = known[2::3] = np.nan
    found = loops.follow(near[few], begin, known, begin)
    np.testing.assert_allclose(found, followed[few], rtol=0.0, atol=1e-9)
    assert np.abs(found).max() > 20.0


@pytest.mark.parametrize("name", ["sarrus", "stewart", "bennett"])
def test_turns_in_space_are_not_counted(name: str) -> None:
    mechanism = open_document(ROOT / "worlds" / f"{name}.sdf").mechanism
    assert LoopAxes(mechanism).counted is None or not LoopAxes(mechanism).axes
