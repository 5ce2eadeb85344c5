"""The arguments with which a block of steps finds its contacts, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.native.kernels import by_address
from simulator.physics.layout import buffers as at
from simulator.physics.layout.row_layout import AXIS_COLUMNS, ROWS_OF_CONTACT

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, IntArray
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry
    from simulator.spatial.arrays import Array


NOT_LOOKED = -2
"""Instead of how many contacts the next step has."""


@by_address
class Memory(NamedTuple):
    """What acted in the last step: names of its points, `names` (k,), `impulses` (k, 4) along normal and tangents [N s]
    and of twists [N m s], of the first `known` (1,); `places`, more than there are names: see
    `touching.kernels.match_impulses`."""

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


@by_address
class Start(NamedTuple):
    """What a step may change and the next one needs: `positions`, `rates` (as Q and V), `times` (2,), all numbers of
    lines of axes, `axes` (n_lines, AXIS_COLUMNS), and what sleeps, `asleep` (n_rates + 1,).
    Loops need much more, so of mechanisms with them it is all of both buffers, `floats` and `ints`; else these
    are empty."""

    positions: Array
    rates: Array
    times: Array
    axes: Array2
    asleep: IntArray
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
        np.zeros((lines, AXIS_COLUMNS)),
        np.zeros(max(rates, 1) + 1, dtype=np.int64),
        np.zeros(len(F) if loops else 0),
        np.zeros(len(N) if loops else 0, dtype=np.int64),
    )


@by_address
class Lasting(NamedTuple):
    """What the next step needs to know of what touches, each array flat: `names`, `impulses` and `known` of a `Memory`;
    `order`, `cached_face` and `cached_direction` of a `Workspace`."""

    names: IntArray
    impulses: Array
    known: IntArray
    order: IntArray
    cached_face: IntArray
    cached_direction: Array


@by_address
class Handover(NamedTuple):
    """What a block of steps hands over. For steps that are made again, what it began with: of `lasting`, `begun`, what
    sleeps, `asleep` (n_rates + 1,), and whether steps are those of loose bodies, `loose` (1,). For the next block,
    so that it need not look for the contacts of its first step, how many this one has found for it in the workspace
    that its last step does not use, `found` (1,), or NOT_LOOKED, and for which length of the step [s], positions
    and rates, `seen`. (Apart from `Touch`: what is handed from kernel to kernel is copied each time.)"""

    lasting: Lasting
    begun: Lasting
    asleep: IntArray
    loose: IntArray
    found: IntArray
    seen: Array


@by_address
class Touch(NamedTuple):
    """What a block of steps needs to find contacts: shapes, workspaces for those of a step and those ahead of it,
    how bodies are placed on nodes (`nodes`, `place`, `centre` as `read_bodies` takes them), where they are, what acted
    in the last step, how many points there are and in which workspace, `points` (2,), the state at the `start` of
    the step, and where two bodies are at its end, `ends` (2, 12)."""

    geometry: Geometry
    work: Workspace
    ahead: Workspace
    nodes: IntArray
    place: Array3
    centre: Array2
    poses: Array2
    velocities: Array2
    memory: Memory
    points: IntArray
    start: Start
    ends: Array2


def handover_for(memory: Memory, work: Workspace, begin: Start) -> Handover:
    """Room for it; nothing is known of a next step."""
    lasting = Lasting(
        memory.names,
        memory.impulses.reshape(-1),
        memory.known,
        work.order,
        work.cached_face.reshape(-1),
        work.cached_direction.reshape(-1),
    )
    begun = Lasting(
        lasting.names.copy(),
        lasting.impulses.copy(),
        lasting.known.copy(),
        lasting.order.copy(),
        lasting.cached_face.copy(),
        lasting.cached_direction.copy(),
    )
    found, seen = np.full(1, NOT_LOOKED, dtype=np.int64), np.zeros(1 + len(begin.positions) + len(begin.rates))
    return Handover(lasting, begun, np.zeros_like(begin.asleep), np.zeros(1, dtype=np.int64), found, seen)
