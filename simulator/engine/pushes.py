"""Loads on bodies for dynamics that take wrenches, held over a step, and the ledger's entries about it.

Forces are those of the middle of the step, springs are as at its start, or implicit if one is too fast for it
(`implicit`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.loads import load_wrenches, spring_energy, spring_length, spring_rate, spring_wrench
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from simulator.engine.energy import WorkLedger
    from simulator.engine.port import BackendState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


class Pushes:
    """The loads of one mechanism. `wrenches`: of the step under way, moment about the centre of mass and force, shape
    (n_bodies, 6)."""

    def __init__(self, mechanism: Mechanism, dt: float) -> None:
        self._loads = mechanism.loads
        self._dt = dt
        self._forces = replace(mechanism.loads, springs=(), weights=())
        self._weights = replace(mechanism.loads, springs=(), forces=())
        self._com = np.array([body.com for body in mechanism.bodies], dtype=float).reshape(-1, 3)
        self.wrenches: Array = np.zeros((len(mechanism.bodies), 6))
        self._driven = self.wrenches

    def lengths(self, state: BackendState) -> tuple[Array, Array]:
        """Length [m] of every spring between points, and its rate [m/s]."""
        placed = matrices(state.body_poses)
        moving = self._at_origins(state)
        springs = self._loads.springs
        return (
            np.array([spring_length(spring, placed) for spring in springs]),
            np.array([spring_rate(spring, placed, moving) for spring in springs]),
        )

    def take(self, state: BackendState, time: float, pulls: Array) -> Array:
        """The wrenches of the step that begins at `time` [s], in which springs pull their ends together by `pulls`
        [N]."""
        if not self._loads:
            return self.wrenches
        placed = matrices(state.body_poses)
        still = np.zeros((len(state.body_poses), 6))
        driven = load_wrenches(self._forces, placed, still, time + 0.5 * self._dt).wrenches
        total = driven + load_wrenches(self._weights, placed, still, time).wrenches
        for spring, pull in zip(self._loads.springs, pulls.tolist(), strict=True):
            total += spring_wrench(spring, placed, pull)
        arms = np.einsum("bij,bj->bi", placed[:, :3, :3], self._com)
        for about in (driven, total):
            about[:, :3] -= np.cross(arms, about[:, 3:])
        self._driven, self.wrenches = driven, total
        return total

    def book(self, ledger: WorkLedger, before: BackendState, after: BackendState, pulls: Array) -> None:
        """Work of forces and moments, and what dampers of springs took: what springs did beside what they store."""
        if not self._loads:
            return
        mean = 0.5 * self._dt * (before.body_velocities + after.body_velocities)
        ledger.loads += float(np.vdot(self._driven, mean))
        first, last = matrices(before.body_poses), matrices(after.body_poses)
        for spring, pull in zip(self._loads.springs, pulls.tolist(), strict=True):
            start, end = spring_length(spring, first), spring_length(spring, last)
            ledger.dissipated += pull * (end - start) - spring_energy(spring, end) + spring_energy(spring, start)

    def _at_origins(self, state: BackendState) -> Array:
        """Velocities of the bodies' origins instead of their centres of mass."""
        moving: Array = state.body_velocities.copy()
        placed = matrices(state.body_poses)
        arms = np.einsum("bij,bj->bi", placed[:, :3, :3], self._com)
        moving[:, 3:] -= np.cross(moving[:, :3], arms)
        return moving
