"""The arguments with which a block of steps finds its contacts, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.physics.layout import buffers as at
from simulator.physics.layout.row_layout import ROWS_OF_CONTACT

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array, Array2, Array3, IntArray
    from simulator.physics.narrow.room import Room
    from simulator.physics.shapes.geometry import Geometry


class Memory(NamedTuple):
    """What acted in the last step: names of its points, `names` (k,), `impulses` (k, 4) along normal and tangents [N s]
    and of twists [N m s], of the first `known` (1,); `places`, more than there are names: see
    `touching.kernels.recall`."""

    names: IntArray
    impulses: Array2
    places: IntArray
    known: IntArray


def memory_for(points: int) -> Memory:
    """Room for so many points, and nothing in it."""
    empty = (
        np.full(points, -1, dtype=np.int64),
        np.zeros((points, ROWS_OF_CONTACT)),
        np.zeros(2 * points + 1, dtype=np.int64),
    )
    return Memory(*empty, np.zeros(1, dtype=np.int64))


class Start(NamedTuple):
    """What a step may change and the next one needs: `positions`, `rates` (as Q and V), `times` (2,), which
    motors begin, what axes gave in the step before and what motors lack, `axes` (n_lines, 3), and what rests, `rests`
    (n_rates + 1,).
    Loops need much more, so of mechanisms with them it is all of both buffers, `floats` and `ints`; else these
    are empty."""

    positions: Array
    rates: Array
    times: Array
    axes: Array2
    rests: IntArray
    floats: Array
    ints: IntArray


def start_for(F: Array, N: IntArray, lines: int) -> Start:
    """Room for it, of the mechanism with these buffers and that many lines of axes."""
    rates = int(N[at.INDEPENDENT])
    loops = bool(N[at.ROWS] > 0)
    return Start(
        np.zeros(int(N[at.POSITIONS])),
        np.zeros(rates),
        np.zeros(2),
        np.zeros((lines, 3)),
        np.zeros(max(rates, 1) + 1, dtype=np.int64),
        np.zeros(len(F) if loops else 0),
        np.zeros(len(N) if loops else 0, dtype=np.int64),
    )


class Touch(NamedTuple):
    """What a block of steps needs to find contacts: shapes, room to work in for those of a step and those ahead of it,
    how bodies are placed on nodes (`nodes`, `place`, `centre` as `read_bodies` takes them), where they are, what acted
    in the last step, how many points there are and in which of both rooms, `points` (2,), the state at the `start` of
    the step, and where two bodies are at its end, `ends` (2, 12)."""

    geometry: Geometry
    room: Room
    ahead: Room
    nodes: IntArray
    place: Array3
    centre: Array2
    poses: Array2
    velocities: Array2
    memory: Memory
    points: IntArray
    start: Start
    ends: Array2
