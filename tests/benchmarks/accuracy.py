"""What a contender's motion is worth: residuals and energy error over two seconds, and whether it moves the same
mechanism as ours.

Everybody is measured alike, from the positions and velocities of the tree axes: couplings and loops by
`mechanism.residuals`, energies of the bodies without any coupling or loop between them. A constant effort does the work
effort times way, so the energy error of a method of the first order shows although its own ledger would balance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, rest_state
from simulator.mechanism.residuals import coupling_residuals, loop_residuals
from simulator.physics.compiled.model import CompiledMechanism
from tests.benchmarks.contenders import Array, Contender
from tests.benchmarks.tasks import DT, Task

DURATION, AGREEMENT_AT = 2.0, 0.3
SAMPLE_STEPS = 20
"""Steps between samples, where one call is not more than that."""


@dataclass(frozen=True)
class Accuracy:
    """Over `seconds` from rest: the largest residual [rad or m] and the largest energy error over the largest kinetic
    energy.

    `early`: positions of the tree axes after `early_at` seconds. `broken`: when they ceased to be finite, None where
    they did not."""

    residual: float
    energy_error: float
    seconds: float
    early: Array
    early_at: float
    broken: float | None = None


class Measure:
    """Residuals and energies of one task's mechanism for any positions and velocities of its tree axes."""

    def __init__(self, task: Task) -> None:
        self.task, self.inside = task, task.tree_axes()
        self.kinematics = Kinematics(task.mechanism)
        self.loose = CompiledMechanism(replace(task.mechanism, couplings=(), loop_joints=()))
        self.rest = rest_state(task.mechanism)

    def joint_state(self, q: Array, v: Array) -> JointState:
        """With the rest of the axes at zero."""
        position, velocity = self.rest.position.copy(), self.rest.velocity.copy()
        position[self.inside], velocity[self.inside] = q, v
        return replace(self.rest, position=position, velocity=velocity)

    def residual(self, q: Array, v: Array) -> float:
        """The largest of all couplings and loops."""
        state = self.joint_state(q, v)
        found = np.abs(coupling_residuals(self.task.mechanism, state.position)).max(initial=0.0)
        if self.task.mechanism.loop_joints:
            poses = self.kinematics.body_matrices(state)
            found = max(found, np.abs(loop_residuals(self.task.mechanism, poses)).max())
        return float(found)

    def energies(self, q: Array, v: Array) -> tuple[float, float]:
        """Kinetic energy, and the sum of both less the work of the effort [J]."""
        self.loose.set_state(self.joint_state(q, v))
        kinetic, potential = self.loose.energies()
        return kinetic, kinetic + potential - self.task.effort * float(q[self.inside.index(0)])


def measure_accuracy(
    contender: Contender, measure: Measure, *, patience: float, clock: Callable[[], float] = time.perf_counter
) -> Accuracy:
    """Run from the start for `DURATION`, or as far as `patience` [s] of wall time goes, but at least until
    `AGREEMENT_AT`.

    Sooner than that, a first order step is too far from the exact motion for its size to tell anything.
    """
    calls = max(1, SAMPLE_STEPS // contender.steps_per_call)
    stride = calls * contender.steps_per_call * DT
    contender.reset()
    early, early_at = contender.state()[0], 0.0
    kinetic, start = measure.energies(*contender.state())
    worst, error, largest, now = measure.residual(*contender.state()), 0.0, kinetic, 0.0
    deadline = clock() + patience
    for sample in range(1, math.ceil(DURATION / stride - 1e-9) + 1):
        contender.run(calls)
        q, v = contender.state()
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return Accuracy(worst, _relative(error, largest), now, early, early_at, broken=sample * stride)
        now = sample * stride
        kinetic, total = measure.energies(q, v)
        worst, error = max(worst, measure.residual(q, v)), max(error, abs(total - start))
        largest = max(largest, kinetic)
        if now <= AGREEMENT_AT + 1e-9:
            early, early_at = q, now
        if now >= AGREEMENT_AT - 1e-9 and clock() > deadline:
            break
    return Accuracy(worst, _relative(error, largest), now, early, early_at)


def _relative(error: float, largest: float) -> float:
    return error / largest if largest > 0.0 else 0.0


def disagreement(found: Accuracy, ours: Contender) -> float:
    """Largest difference of positions after `found.early_at` seconds, over the largest way that ours has gone by
    then."""
    ours.reset()
    start = ours.state()[0]
    ours.run(round(found.early_at / (DT * ours.steps_per_call)))
    there = ours.state()[0]
    way = float(np.abs(there - start).max())
    apart = float(np.abs(found.early - there).max())
    return apart / way if way > 0.0 else math.inf if apart > 0.0 else 0.0
