"""Whether a run stays within the energy of its forces.

Whatever strategy moves a mechanism, gravity, springs, drives and loads are all that can give it energy; damping,
friction and contacts only take. With K the kinetic, P the potential energy and W the work of drives, of loads and of
moving overlaps apart, K(t) + P(t) - K(0) - P(0) - W(t) is therefore never above zero, but for rounding, for the error
of integration and for what an engine adds, and does not book, when it pushes bodies apart that start inside each other.
Such a push lifts without speed: whenever there is next to no kinetic energy the account starts anew, so that only what
moves counts as running away."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.engine.snapshot import EnergyBalance, Snapshot
    from simulator.mechanism.types import Mechanism

TURNING, MOVING = 1e5, 1e4
"""Speeds that no mechanism has: a million revolutions a minute [rad/s], thirty times that of sound [m/s]."""
SHARE = 0.5
"""Energy is running away where more than this part of the kinetic energy came from nowhere …"""
FALL = 0.01
"""… and the kinetic energy is more than all bodies together gain by falling this far [m], so that a document whose
bodies start some millimetres inside each other does not count."""
STANDARD_GRAVITY = 9.80665


class StabilityWatch:
    """Sees every snapshot of a run. `finite`: all energies and speeds so far; `created` [J]: the most energy from
    nowhere while it counted; `given` [J]: what went into the motion, kinetic energy at the start, work of drives, of
    loads and of moving overlaps apart, and what the potential energy gave; `top_speed` [rad/s or m/s] of axes and
    bodies; `runaway`: the first sentence about what ran away, "" for nothing."""

    def __init__(self, mechanism: Mechanism) -> None:
        gravity = math.hypot(*mechanism.gravity) or STANDARD_GRAVITY
        self._least = FALL * gravity * sum(body.mass for body in mechanism.bodies[1:])
        self._start: float | None = None
        self.finite = True
        self.created = 0.0
        self.given = 0.0
        self._last: EnergyBalance | None = None
        self.top_speed = 0.0
        self.runaway = ""

    def see(self, snapshot: Snapshot) -> None:
        """Take the next snapshot into account."""
        energy, bodies = snapshot.energy, snapshot.body_velocities
        total = energy.kinetic + energy.potential - _worked(energy)
        if self._start is None or (energy.kinetic <= self._least and total > self._start):
            self._start = total
        turning = float(np.abs(bodies[:, :3]).max(initial=0.0))
        moving = float(np.abs(bodies[:, 3:]).max(initial=0.0))
        axes = float(np.abs(snapshot.velocity).max(initial=0.0))
        fastest = max(turning, moving, axes)
        created = total - self._start
        if not (math.isfinite(created) and math.isfinite(fastest)):
            self.finite = False
            return
        self.top_speed = max(self.top_speed, fastest)
        self._count(energy)
        if energy.kinetic > self._least and created > SHARE * energy.kinetic:
            self.created = max(self.created, created)
            self._note(snapshot.time, f"{created:.3g} J of {energy.kinetic:.3g} J of kinetic energy come from nowhere")
        if turning > TURNING or moving > MOVING or axes > TURNING:
            self._note(snapshot.time, f"speeds run away, up to {fastest:.3g} rad/s or m/s")

    def _count(self, energy: EnergyBalance) -> None:
        """Add what was given since the last look; from then to now work is taken as if it had one sign."""
        last = self._last
        if last is None:
            self.given = energy.kinetic
        else:
            worked = _worked(energy) - _worked(last)
            self.given += max(0.0, worked) + max(0.0, last.potential - energy.potential)
        self._last = energy

    def _note(self, time: float, what: str) -> None:
        self.runaway = self.runaway or f"at {time:.6g} s {what}"


def _worked(energy: EnergyBalance) -> float:
    """What all that can give energy has given since the start [J], but gravity and springs."""
    return energy.work + energy.loads + energy.overlap
