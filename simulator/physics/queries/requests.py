"""States that are asked for, by the short way: where the axes that are named determine all others, and nothing singular
is on the way, compiled kernels find in microseconds what `start.placed_at` and `start_velocity.set_moving` find with
more care.

The digits of what is found depend on the request and on the branch, on nothing that was before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.limits import WITHIN, limits_of
from simulator.physics.queries.posed import Places
from simulator.physics.queries.start_velocity import AGREES, ROUND_OFF
from simulator.physics.sweep.poses import EFFORTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.kinematics.state import JointState
    from simulator.physics.queries.posed import Posed
    from simulator.spatial.arrays import Array


KEPT = 1e-12
"""Tolerance of what is asked [rad or m], and of loops [m, or 1 for directions]."""


class Requests:
    """Of one mechanism."""

    def __init__(self, posed: Posed) -> None:
        mechanism = posed.mechanism
        self._posed, self._limits = posed, limits_of(mechanism)
        self._fastest = np.array([info.axis.velocity for info in mechanism.axes])

    def placed(self, start: JointState, positions: Mapping[int, float]) -> JointState | None:
        """`start`, which is assembled, with axes at these positions [rad or m], the rest following on its branch; None
        where that needs more care."""
        posed = self._posed
        axes = list(positions)
        values = np.array(list(positions.values()))
        plan = posed.plan(axes)
        found = None
        if len(axes) == len(start.position) and not posed.model.loose:
            found = self._as_it_is(start, axes, values)
        if found is None:
            if plan.holds_joints:
                return None
            posed.begin(start)
            found = posed.reach(plan, np.array([[positions[axis] for axis in plan.axes]]), start).axes[0]
            if not np.abs(found[axes] - values).max(initial=0.0) <= KEPT:
                return None
            found[axes] = values
        # `excess` of nan, where nothing was reached, is nan.
        return posed.state(found, plan, start) if self._limits.excess(found).max(initial=0.0) <= WITHIN else None

    def _as_it_is(self, start: JointState, axes: list[int], values: Array) -> Array | None:
        """Positions of all axes, if these close the loops: on any branch."""
        posed = self._posed
        asked = start.position.copy()
        asked[axes] = values
        if not np.isfinite(asked).all():
            return None
        plan = posed.plan(axes)
        posed.begin(start)
        seen = posed.observe(plan, posed.placed(asked[None], start), lambda points: points.position, EFFORTS)
        closed = seen.gap[0] <= KEPT and np.abs(seen.values[0] - asked).max(initial=0.0) <= KEPT
        return asked if closed else None

    def moving(self, state: JointState, velocities: Mapping[int, float]) -> JointState | None:
        """`state`, which is assembled, with axes at these velocities [rad/s or m/s] and the rest at those that follow;
        None where that needs more care."""
        posed = self._posed
        axes = list(velocities)
        values = np.array(list(velocities.values()))
        if np.abs(values).max(initial=0.0) <= ROUND_OFF:
            return None
        plan = posed.plan(axes)
        if not plan.is_whole:
            return None
        posed.begin(state)
        rates = np.array([[velocities[axis] for axis in plan.axes]])
        places = Places(posed.swept.y[None].copy(), state.position[None])
        seen = posed.observe(plan, places, lambda points: points.rate, EFFORTS, rates=rates)
        velocity = seen.values[0]
        agrees = np.abs(velocity[axes] - values).max() <= AGREES * np.abs(values).max()
        if not (seen.regular[0] and agrees):
            return None
        velocity[axes] = values
        if (np.abs(velocity) > self._fastest).any():
            return None
        return replace(state, velocity=velocity, loose_twist=posed.model.loose_state()[1])
