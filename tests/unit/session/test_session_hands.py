"""A hand on a running simulation, in this process and in one of its own; what it does is in the state, in the status
and in the ledger."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from simulator.session.commands.commands import LetGo, Pause, Pull, Run, SetPosition, SetSolver, StepOnce
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import RunState, SimulationClient
from simulator.session.run.remote import RemoteClient
from simulator.session.run.runner import Runner
from simulator.session.text.settings import SessionSettings
from tests.helpers.checkout import ROOT
from tests.helpers.clients import answered, wait, wait_for_state
from tests.helpers.local_client import LocalClient

ROCKER, PIN, SIGHT = "four_bar::rocker", (0.3, 0.0, 0.0), (0.0, 1.0, 0.0)
START = 1.79577497339621
"""Absolute angle of the rocker in the document; its ground pin is at (0.2, 0, 0.16)."""


def toward(angle: float, strength: float = 1.0) -> Pull:
    return Pull(ROCKER, PIN, (0.2 + 0.3 * math.cos(angle), 0.0, 0.16 + 0.3 * math.sin(angle)), SIGHT, strength)


@pytest.fixture(scope="module")
def opened() -> Opened:
    return open_document(ROOT / "worlds" / "four_bar.sdf")


@pytest.fixture(params=[LocalClient, RemoteClient], ids=["local", "remote"])
def client(request: pytest.FixtureRequest, opened: Opened) -> Iterator[SimulationClient]:
    made = request.param(opened, SessionSettings(paused=True))
    yield made
    made.close()


@pytest.fixture
def runner(opened: Opened) -> Iterator[Runner]:
    engine = make_engine(opened, SessionSettings())
    yield Runner(engine, paused=True)
    engine.close()


def test_paused_the_mechanism_follows_and_says_what_stops_it(client: SimulationClient) -> None:
    """The rocker's dead point with crank and coupler folded: cos = (0.25² - 0.4² - 0.3²) / (2 · 0.4 · 0.3)."""
    wait_for_state(client, RunState.PAUSED)
    for angle in (1.9, 2.0, 2.1):
        snapshot, status = answered(client, client.send(toward(angle)))
        assert snapshot.worst_loop_residual()[0] < 1e-12
        assert START + snapshot.position[2] == pytest.approx(angle, abs=1e-8)
        assert status.hand is not None
        assert (status.hand.force, status.hand.stopped) == (None, "")
    snapshot, status = answered(client, client.send(toward(2.9)))
    assert status.hand is not None
    assert "'four_bar::rocker_joint' is at a dead point" in status.hand.stopped
    assert START + snapshot.position[2] == pytest.approx(math.acos(-0.78125), abs=1e-6)
    assert snapshot.time == 0.0
    assert not snapshot.velocity.any()
    assert snapshot.energy.error == pytest.approx(0.0, abs=1e-12)
    assert answered(client, client.send(LetGo()))[1].hand is None


def test_running_a_spring_pulls_and_its_work_is_booked(client: SimulationClient) -> None:
    wait_for_state(client, RunState.PAUSED)
    client.send(Run())
    number = client.send(toward(2.2))
    _, status = wait(client, lambda _, status: status.answered >= number and status.hand is not None)
    assert status.hand is not None
    assert status.hand.force is not None
    snapshot, _ = wait(client, lambda snapshot, _: snapshot.time > 0.5)
    assert snapshot.energy.loads > 1e-4
    client.send(LetGo())
    client.send(Pause())
    snapshot, status = wait_for_state(client, RunState.PAUSED)
    assert status.hand is None
    assert abs(snapshot.energy.error) < 1e-9


def test_the_ledger_closes_over_a_gesture(runner: Runner) -> None:
    """Two seconds of a target that wanders, a strength that changes, and a release: 1e-9 J of a joule that changes
    hands. What is left is the error of the method of order four over steps of 1 ms: it grows with the fourth power of
    the strength."""
    runner.execute(Run())
    start = sum((runner.snapshot.energy.kinetic, runner.snapshot.energy.potential))
    for event in range(125):
        runner.execute(toward(2.0 + 0.3 * math.sin(0.1 * event), 0.7 if event < 60 else 1.0))
        runner.tick(0.016)
        assert not runner.message
    runner.execute(LetGo())
    energy = runner.snapshot.energy
    assert energy.loads > 0.1
    assert energy.dissipated > 0.1
    assert abs(energy.error) < 1e-9
    gained = energy.kinetic + energy.potential - start
    assert gained == pytest.approx(energy.loads - energy.dissipated, abs=1e-9)


def test_at_rest_the_spring_holds_what_gravity_pulls(opened: Opened) -> None:
    """The force that the status shows does no less and no more than the springs' own law: k l at rest, in balance with
    the weight felt at the pin; by virtual work F · dp/dq = dV/dq along the mechanism's one freedom, the potential
    energy differentiated numerically."""
    engine = make_engine(opened, SessionSettings())
    runner = Runner(engine)
    runner.execute(toward(2.2))
    for _ in range(400):
        runner.tick(0.02)
    snapshot = runner.snapshot
    assert np.abs(snapshot.velocity).max() < 1e-6
    status = runner.hands.status(snapshot)
    assert status is not None
    assert status.force is not None
    angle = START + float(snapshot.position[2])
    pin = np.array([0.2 + 0.3 * math.cos(angle), 0.0, 0.16 + 0.3 * math.sin(angle)])
    pull = np.array(toward(2.2).target) - pin
    force = status.force * pull / np.linalg.norm(pull)
    runner.execute(Pause())
    runner.execute(LetGo())
    energies, pins = [], []
    for side in (-1e-4, 1e-4):
        runner.execute(SetPosition(2, float(snapshot.position[2]) + side))
        assert not runner.message
        energies.append(runner.snapshot.energy.potential)
        turned = angle + side
        pins.append(np.array([0.2 + 0.3 * math.cos(turned), 0.0, 0.16 + 0.3 * math.sin(turned)]))
    assert force @ (pins[1] - pins[0]) == pytest.approx(energies[1] - energies[0], rel=1e-5)
    engine.close()


def test_time_and_hand_take_turns(runner: Runner) -> None:
    """A hand that holds on while time is stopped leads without a spring; the energy of that one goes."""
    runner.execute(Run())
    runner.execute(toward(2.2))
    runner.tick(0.1)
    runner.execute(Pause())
    runner.execute(toward(2.0))
    status = runner.hands.status(runner.snapshot)
    assert status is not None
    assert status.force is None
    assert not runner.engine.mechanism.loads
    assert abs(runner.snapshot.energy.error) < 1e-9
    runner.execute(StepOnce(10))
    runner.execute(SetSolver("reduced"))
    runner.execute(toward(2.1))
    assert START + runner.snapshot.position[2] == pytest.approx(2.1, abs=1e-8)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Pull("four_bar::ground", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), SIGHT), "fixed to the world"),
        (Pull("nowhere", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), SIGHT), "no link is named 'nowhere'"),
        (Pull(ROCKER, PIN, (math.nan, 0.0, 1.0), SIGHT), "finite"),
        (Pull(ROCKER, PIN, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)), "finite"),
        (Pull(ROCKER, PIN, (0.0, 0.0, 1.0), SIGHT, -1.0), "above 0"),
    ],
)
def test_what_no_hand_can_hold_is_refused(runner: Runner, command: Pull, said: str) -> None:
    before = runner.snapshot.position.copy()
    runner.execute(command)
    assert said in runner.message
    assert runner.hands.status(runner.snapshot) is None
    assert (runner.snapshot.position == before).all()
