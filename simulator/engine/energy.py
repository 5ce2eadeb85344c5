"""The ledger of work and dissipation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simulator.physics.step import block

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array

    Value = TypeVar("Value", float, Array)


def _entry(place: int) -> property:
    def read(ledger: WorkLedger) -> float:
        return float(ledger.values[place])

    def write(ledger: WorkLedger, value: float) -> None:
        ledger.values[place] = value

    return property(read, write)


class WorkLedger:
    """Energy at the start; and since then work done by drives, by loads and by contacts, energy dissipated by damping
    and friction, and energy added by separating overlaps [J]. `values`: all of them in the order of
    `physics.step.block`, whose kernels write it."""

    def __init__(
        self,
        work: float = 0.0,
        dissipated: float = 0.0,
        loads: float = 0.0,
        contact: float = 0.0,
        overlap: float = 0.0,
        *,
        start: float,
    ) -> None:
        self.values: Array = np.array((start, work, dissipated, loads, contact, overlap))

    start, work, dissipated = _entry(block.START), _entry(block.WORK), _entry(block.DISSIPATED)
    loads, contact, overlap = _entry(block.LOADS), _entry(block.CONTACT), _entry(block.OVERLAP)

    def flow(self, work: float, dissipated: float, loads: float, contact: float, overlap: float) -> None:
        """Book what flowed in a step [J]."""
        self.work += work
        self.dissipated += dissipated
        self.loads += loads
        self.contact += contact
        self.overlap += overlap


def flows(drive: Array, loss: Array, before: Array, after: Array, dt: float) -> tuple[Array, Array]:
    """Work of drives, and energy taken by what dissipates, in steps of `dt` [s]: shape (...), from efforts and
    velocities before and after, shape (..., n_axes) each.

    Over one step of a semi-implicit integrator a constant effort f does the work f (v0 + v1) / 2 dt: ½ m (v1² - v0²) =
    f dt (v0 + v1) / 2 for m (v1 - v0) = f dt. That is the change of kinetic energy exactly, so the ledger adds no error
    of its own.
    """
    mean = 0.5 * dt * (before + after)
    return (drive * mean).sum(axis=-1), -(loss * mean).sum(axis=-1)


def error_of(stored: Value, at_start: float, *, work: Value, dissipated: Value, flown: float) -> Value:
    """Error of the balance [J]: what is `stored` beside what was `at_start` and what the ledger holds, of one instant
    or of many; `flown` by loads, contacts and overlaps."""
    return stored - at_start - work + dissipated - flown
