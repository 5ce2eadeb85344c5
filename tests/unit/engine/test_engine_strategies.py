"""What strategies do between steps: how far they look for contacts, what they forget, and which velocities they start
with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.divergence import RUN_AWAY, require_bounded
from simulator.engine.port import BackendState
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.engine.strategies.rows import RowsDynamics
from simulator.errors import DivergedError
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.residuals import loop_residuals
from simulator.mechanism.types import Mechanism
from simulator.physics.detect.detect import NEAR, STEPS_AHEAD
from simulator.physics.detect.own import OwnContacts
from simulator.session.open.opening import open_document
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import joint, link, mechanism, state_of
from tests.physics.solids import ball_shape, ground, solid
from tests.physics.worlds import model, world

Array = NDArray[np.float64]
DT = 1e-3


def with_velocity(built: Mechanism, velocity: list[float]) -> JointState:
    start = state_of(built)
    return JointState(start.position, np.array(velocity), start.loose_pose, start.loose_twist)


def test_contacts_are_looked_for_as_far_as_the_edge_of_a_body_comes_in_four_steps(
    write_document: Callable[..., Path],
) -> None:
    """A ball of radius 0.5 that turns on the spot at 200 rad/s: a point of its edge makes 100 m/s."""
    text = world(ground() + model(solid("b", ball_shape(0.5), pose="0 0 3 0 0 0")))
    built = open_document(write_document(text)).mechanism
    velocities = np.zeros((len(built.bodies), 6))
    velocities[1:, 0] = 200.0
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in built.bodies])
    own = OwnContacts(built)
    own.detect(poses, velocities, DT)
    assert own.work.reach == pytest.approx([NEAR + STEPS_AHEAD * DT * 0.5 * 200.0], rel=1e-12)


def test_a_new_state_has_no_contacts_until_a_step_has_been_made(write_document: Callable[..., Path]) -> None:
    """A ball that lies on the ground."""
    built = open_document(
        write_document(world(ground() + model(solid("b", ball_shape(0.5), pose="0 0 0.5 0 0 0"))))
    ).mechanism
    moving = RowsDynamics(built, dt=DT, own=OwnContacts(built))
    moving.set_state(rest_state(built))
    moving.step()
    assert [contact.bodies for contact in moving.contacts()] == [(1, 0)]
    assert len(moving.bounded.contact_forces()[0]) == 1
    moving.set_state(rest_state(built))
    assert moving.contacts() == ()
    assert len(moving.bounded.contact_forces()[0]) == 0


def test_a_state_with_velocities_that_open_a_loop_is_made_consistent() -> None:
    """Only the crank is said to turn. What the bars do a microsecond later by their velocities leaves the loop closed
    to second order."""
    built = build_mechanism(four_bar())
    moving = ReducedDynamics(built, dt=DT)
    velocity = [0.0] * len(built.axes)
    velocity[next(i for i, info in enumerate(built.axes) if info.name.endswith("crank_joint"))] = 1.0
    moving.set_state(with_velocity(built, velocity))
    rates = np.nan_to_num(moving.read().velocity)
    assert np.abs(rates).max() > 0.1
    start = state_of(built)
    after = JointState(start.position + 1e-6 * rates, start.velocity, start.loose_pose, start.loose_twist)
    gap = loop_residuals(built, Kinematics(built).body_matrices(after))
    assert np.abs(gap).max() < 1e-10


@pytest.mark.parametrize("value", [0.9 * RUN_AWAY, 1.1 * RUN_AWAY, np.nan])
def test_positions_beyond_a_million_million_are_no_simulation_any_more(value: float) -> None:
    """1e12 rad or m is what `docs` and messages call run away; below it a simulation continues."""
    built = mechanism(link("a"), joint("j", "revolute", "world", "a"))
    assert RUN_AWAY == 1e12
    state = BackendState(np.array([value]), np.zeros(1), np.zeros(1), np.zeros((2, 7)), np.zeros((2, 6)))
    if value < RUN_AWAY:
        require_bounded(built, state, time=1.0, dt=DT, fast=list)
        return
    with pytest.raises(DivergedError, match="'m::j' has run away"):
        require_bounded(built, state, time=1.0, dt=DT, fast=list)
