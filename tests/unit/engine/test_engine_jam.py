"""Why a run cannot continue near a state."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.engine.divergence import require_bounded
from simulator.engine.jam import balls_of_hinges, gimbals, what_is_near
from simulator.engine.port import BackendState
from simulator.errors import DivergedError
from simulator.kinematics.kinematics import Kinematics
from tests.physics.worlds import joint, link, model, world


def ball(*, between: float = 1e-6) -> str:
    """Hinges about z, y and x that meet in a point, one of them damped, so that they stay hinges; the links between
    have next to no mass."""
    small = f"{between * 1e-4} {between * 1e-4} {between * 1e-4}"
    return world(
        model(
            link("a", mass=between, inertia=small),
            link("b", mass=between, inertia=small),
            link("c", com="0.1 0 -0.1", inertia="0.01 0.01 0.01"),
            joint("rev0", "revolute", "a", inside_axis="<dynamics><damping>1e-9</damping></dynamics>"),
            joint("rev1", "revolute", "b", parent="a", axis="0 1 0"),
            joint("rev2", "revolute", "c", parent="b", axis="1 0 0"),
        )
    )


def test_three_hinges_that_stand_for_a_ball_are_found() -> None:
    assert balls_of_hinges(simulator.load(ball()).mechanism) == [("m::rev0", "m::rev1", "m::rev2")]
    assert balls_of_hinges(simulator.load(ball(between=0.5)).mechanism) == []


@pytest.mark.parametrize("angle", [0.0, 0.7, 1.57])
def test_their_triple_product_is_the_cosine_of_the_middle_one(angle: float) -> None:
    sim = simulator.load(ball())
    sim.set({"m::rev1": angle})
    ((product, _),) = gimbals(Kinematics(sim.mechanism), sim.moment.state)
    assert product == pytest.approx(abs(math.cos(angle)), abs=1e-12)


def test_a_gimbal_lock_is_named_where_a_loop_jams() -> None:
    sim = simulator.load(ball())
    sim.set({"m::rev1": 0.5 * math.pi})
    text = what_is_near(sim.mechanism, sim.moment.state, ())
    assert text.startswith("the axes of 'm::rev0', 'm::rev1', 'm::rev2' are in one plane (gimbal lock")


def test_hinges_that_stand_for_a_ball_are_named_where_a_run_diverges() -> None:
    mechanism = simulator.load(ball()).mechanism
    count, bodies = len(mechanism.axes), len(mechanism.bodies)
    away = np.full(count, 1e13)
    state = BackendState(away, away, np.zeros(count), np.zeros((bodies, 7)), np.zeros((bodies, 6)))
    with pytest.raises(
        DivergedError, match="gimbal lock of hinges that stand for a ball: 'm::rev0' 'm::rev1' 'm::rev2'"
    ):
        require_bounded(mechanism, state, time=1.0, dt=1e-3, fast=list)
