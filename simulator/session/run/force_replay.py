"""Forces at moments of a recording. A recording holds positions, velocities and the efforts of drives, but not
friction, stops and contacts, nor accelerations.

The step that led to a moment is repeated, from the moment before it and under the efforts of drives, and its
friction, stops and contacts act in the recorded state. If that step does not lead to the recorded
velocities, something acted that is not recorded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.core import effort_limits
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import SimulationError, UsageError
from simulator.session.commands.factory import make_engine
from simulator.session.forces.force_watch import ForceWatch
from simulator.session.forces.forces_now import ForcesNow
from simulator.session.run.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.engine.engine import Engine
    from simulator.engine.port import BackendState
    from simulator.engine.snapshot import Snapshot
    from simulator.model.world import World
    from simulator.recording.history import History
    from simulator.session.commands.commands import SetCoupling, SetNumber
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings
    from simulator.spatial.arrays import Array

    Changes = tuple[SetCoupling | SetNumber, ...]

SAME = 1e-6
"""Part of the largest velocity by which a velocity may differ from the recorded one: in a step of 1 ms an unknown
force of a two-thousandth of the weight makes bodies 5e-6 m/s faster."""
AT_REST = 5e-6
"""The same tolerance if everything is slower than that [rad/s or m/s]."""
BETWEEN = 0.1
"""Tolerance of velocities under mean efforts, as a part of the effect of a change of efforts in the step."""
MOST_STEPS = 32
"""Where old moments were thinned."""
NOT_RECORDED = "something acted that is not recorded: a hand, an impulse of a drive, or a change of numbers"
TOO_FEW = "too few moments are left of the recording here to repeat the step before"


def replay_of(opened: Opened, settings: SessionSettings, solver: str, changes: Changes) -> ForceReplay:
    """A replay of a document that is simulated by `settings`, but with the strategy `solver` and the laws and numbers
    of `changes`.

    Raises the errors of `make_engine`, and UsageError for a strategy that does not report what acts in a step and for
    changes that cannot be made at the start.
    """
    engine = make_engine(opened, replace(settings, solver=solver, drives=()))
    if engine.core.integrated is None:
        engine.close()
        raise UsageError(f"strategy '{solver}' does not report what acts in a step; use rows or reduced")
    runner = Runner(engine, paused=True, world=opened.world)
    for change in changes:
        runner.execute(change)
    if runner.refused:
        raise UsageError(runner.refused[-1][1])
    return ForceReplay(engine, opened.world)


class ForceReplay:
    """Forces in a recording made by an engine like this one, which must have no other user: it has no drives, and its
    strategy reports what acts in a step."""

    def __init__(self, engine: Engine, world: World) -> None:
        self._engine, self._watch = engine, ForceWatch(engine, world)
        self._gave: Array = np.zeros(len(self._engine.mechanism.axes))
        self._limit = effort_limits(self._engine.mechanism)

    def at(self, history: History, time: float) -> ForcesNow:
        """At the last recorded moment that is not later than `time` [s]. If the forces cannot be computed, `problem`
        says why; nothing is known of the first moment, to which no step led."""
        dt = self._engine.dt
        moment = history.at(time, dt)
        before = history.at(moment.time - dt, dt) if moment is not None else None
        if moment is None or before is None or before.step >= moment.step:
            return ForcesNow.unknown(time)
        if moment.step - before.step > MOST_STEPS:
            return ForcesNow.unknown(moment.time, TOO_FEW)
        try:
            found = self._repeat(before, moment)
        except SimulationError as error:
            return ForcesNow.unknown(moment.time, str(error))
        return found or ForcesNow.unknown(moment.time, NOT_RECORDED)

    def _repeat(self, before: Snapshot, moment: Snapshot) -> ForcesNow | None:
        """None if it is another step than the recorded one."""
        near = SAME * _largest(_velocities(moment)) + AT_REST
        # A drive that is given as an effort has the same one in the whole step.
        end = self._led_to(before, moment, moment.effort)
        if _largest(end) <= near:
            return self._watch.find(moment)
        change = np.abs(moment.effort - before.effort)
        motors = {axis: float(moment.velocity[axis]) for axis in np.flatnonzero(change).tolist()}
        if not motors:
            return None
        # The effort of a motor changes in it, strongly in a blow, and leads to the velocity of its axis.
        given = np.where(change > 0.0, 0.0, moment.effort)
        found = self._led_to(before, moment, given, motors)
        taken = np.abs(given + self._gave - moment.effort)
        if _largest(found) <= near and (taken <= 2.0 * change + SAME * _largest(moment.effort)).all():
            return self._watch.find(moment)
        # Or nearly so, as motors correct the error of a step: efforts over time run from one end to the other.
        start = self._led_to(before, moment, before.effort)
        mean = self._led_to(before, moment, 0.5 * (before.effort + moment.effort))
        return self._watch.find(moment) if _largest(mean) <= BETWEEN * _largest(end - start) + near else None

    def _led_to(
        self, before: Snapshot, moment: Snapshot, efforts: Array, motors: Mapping[int, float] | None = None
    ) -> Array:
        """Error of velocities after the step relative to those of the moment, under these efforts of drives (n_axes,)
        and motors that lead to velocities of their axes."""
        engine = self._engine
        dynamics = self._engine.core.integrated
        assert dynamics is not None
        motion = before.position, before.velocity, before.body_poses, before.body_velocities, before.cables
        dynamics.set_state(joint_state_of(engine.mechanism, *motion))
        for axis, velocity in (motors or {}).items():
            dynamics.set_motor(axis, max_effort=float(self._limit[axis]), velocity=velocity)
        dynamics.start_motors({})
        dynamics.set_efforts(efforts)
        for step in range(before.step, moment.step):
            dynamics.set_time(step * engine.dt)
            dynamics.step()
        after = dynamics.read()
        self._gave = after.motor_effort.copy()
        for axis in motors or {}:
            dynamics.set_motor(axis, max_effort=0.0)
        return _velocities(after) - _velocities(moment)


def _velocities(moment: Snapshot | BackendState) -> Array:
    return np.concatenate((moment.velocity, moment.body_velocities.ravel()))


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
