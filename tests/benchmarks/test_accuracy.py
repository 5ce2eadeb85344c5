"""What scripts/bench says about accuracy, with motions whose residuals and energies are known."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from simulator.physics.compiled.model import CompiledMechanism
from simulator.spatial.pose_arrays import matrices
from tests.benchmarks.accuracy import DURATION, Measure, disagreement, measure_accuracy
from tests.benchmarks.contenders import Array, Contender
from tests.benchmarks.peers.ours import Ours
from tests.benchmarks.tasks import DT, TASKS, Task
from tests.helpers.energy_meter import EnergyMeter
from tests.helpers.mechanisms import random_state


class Closed(Contender):
    """The rack in closed form: constant acceleration, with what a method of the first order is ahead, and what the
    coupling lacks."""

    name = family = "closed form"

    def __init__(self, task: Task, *, ahead: float = 0.0, gap: float = 0.0, breaks: float = np.inf) -> None:
        self.task, self.ahead, self.gap, self.breaks = task, ahead, gap, breaks
        axis = task.mechanism.couplings[0]
        self.ratio = axis.multiplier
        pinion, rack = task.mechanism.bodies[1:]
        self.acceleration = task.effort / (pinion.inertia[2] + self.ratio**2 * rack.mass)
        self.call, self.steps = self.step, 0

    def step(self) -> None:
        self.steps += 1

    def reset(self) -> None:
        self.steps = 0

    def state(self) -> tuple[Array, Array]:
        t = self.steps * DT
        angle, speed = 0.5 * self.acceleration * t * (t + self.ahead), self.acceleration * t
        if t >= self.breaks:
            angle = np.nan
        return np.array([angle, self.ratio * angle + self.gap * t]), np.array([speed, self.ratio * speed])


@pytest.fixture
def rack() -> Task:
    return TASKS["rack"]()


def test_an_exact_motion_has_no_error(rack: Task) -> None:
    found = measure_accuracy(Closed(rack), Measure(rack), patience=60.0)
    assert found.residual == 0.0
    assert found.energy_error < 1e-13
    assert (found.seconds, found.early_at) == (pytest.approx(DURATION), pytest.approx(0.3))


def test_the_first_order_shows_in_the_energy(rack: Task) -> None:
    """Ahead by a/2 dt t: the effort did tau a/2 dt t too much, dt / T of the kinetic energy a^2 T^2 I / 2 in the
    end."""
    found = measure_accuracy(Closed(rack, ahead=DT), Measure(rack), patience=60.0)
    assert found.energy_error == pytest.approx(DT / DURATION, rel=1e-9)
    assert disagreement(found, Ours(rack)) == pytest.approx(DT / 0.3, rel=1e-6)


def test_residuals_are_those_of_the_coupling(rack: Task) -> None:
    found = measure_accuracy(Closed(rack, gap=1e-3), Measure(rack), patience=60.0)
    assert found.residual == pytest.approx(2e-3, rel=1e-9)


def test_what_is_no_number_any_more_is_said(rack: Task) -> None:
    found = measure_accuracy(Closed(rack, breaks=0.055), Measure(rack), patience=60.0)
    assert found.broken == pytest.approx(0.06)


def test_patience_ends_a_slow_run_but_not_before_it_can_be_compared(rack: Task) -> None:
    seconds = count(0.0, 1.0)
    found = measure_accuracy(Closed(rack), Measure(rack), patience=0.0, clock=lambda: next(seconds))
    assert found.broken is None
    assert found.seconds == found.early_at == pytest.approx(0.3)
    assert disagreement(found, Ours(rack)) < 1e-9


@pytest.mark.parametrize("name", ["pendulums", "four-bar", "gear pair"])
def test_energies_are_those_that_the_engine_measures_from_poses(name: str) -> None:
    """At positions and velocities that no coupling holds: bodies as if nothing were between them."""
    task = TASKS[name]()
    measure, meter = Measure(task), EnergyMeter(task.mechanism)
    state = random_state(task.mechanism, np.random.default_rng(3), speed=1.0)
    q, v = state.position[measure.inside], state.velocity[measure.inside]
    kinetic, total = measure.energies(q, v)
    poses, velocities = measure.loose.read_bodies()
    placed = matrices(poses)
    expected = meter.kinetic(placed, velocities)
    assert kinetic == pytest.approx(expected, rel=1e-12)
    assert total == pytest.approx(expected + meter.potential(placed) - task.effort * q[0], rel=1e-12)


def test_a_loop_that_is_open_is_seen() -> None:
    """The crank turned by a small angle alone takes its pin along by angle times the distance from its pivot."""
    task = TASKS["four-bar"]()
    measure = Measure(task)
    still = np.zeros(3)
    assert measure.residual(still, still) < 1e-12
    loop = task.mechanism.loop_joints[0]
    pin = np.array((task.mechanism.bodies[loop.parent].X_WB @ loop.X_PJ).position)
    pivot = np.array(task.mechanism.joints[0].X_PJ.position)
    q = np.array([1e-6, 0.0, 0.0])
    assert measure.residual(q, still) == pytest.approx(1e-6 * np.linalg.norm(pin - pivot), rel=1e-4)


def test_the_loose_mechanism_is_not_ours() -> None:
    """Measured without couplings: a train of eight gears has eight freedoms there and one here."""
    task = TASKS["train 8"]()
    assert len(Measure(task).loose.mass_matrix()) == 8
    assert len(CompiledMechanism(task.mechanism).mass_matrix()) == 1
