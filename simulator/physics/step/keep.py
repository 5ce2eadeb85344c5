"""Copies of what the first step of a block begins with, for steps that are made again. A kernel makes them in a third
of a microsecond; Python takes three."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints
    from simulator.physics.step.block import Journal


@compiled
def keep(F: Floats, N: Ints, RF: Floats2, journal: Journal) -> None:
    """Copy what the next step needs; see `block.carried`."""
    kept, orders = journal.kept, journal.orders
    for c in range(N.shape[0]):
        kept.ints[c] = N[c]
    _copy(F, kept.floats)
    _copy(orders.servo_stored, kept.stored)
    _copy(journal.ledger, kept.ledger)
    _copy(journal.worst, kept.worst)
    _copy_lines(RF, kept.lines)
    _copy_lines(orders.trend, kept.trend)
    _copy_lines(orders.tally, kept.tally)


@compiled
def _copy(source: Floats, to: Floats) -> None:
    for c in range(source.shape[0]):
        to[c] = source[c]


@compiled
def _copy_lines(source: Floats2, to: Floats2) -> None:
    for line in range(source.shape[0]):
        for c in range(source.shape[1]):
            to[line, c] = source[line, c]
