"""What a block of steps takes to find its contacts, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.dynamics.compiled.bounded_layout import ROWS_OF_CONTACT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.collision.geometry import Geometry
    from simulator.collision.room import Room

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Memory(NamedTuple):
    """What acted in the last step: names of its points, `names` (k,), `impulses` (k, 4) along normal and tangents [N s]
    and of twists [N m s], of the first `known` (1,); `places`, more than there are names: see
    `touching_kernels.recall`."""

    names: Ints
    impulses: Array
    places: Ints
    known: Ints


def memory_for(points: int) -> Memory:
    """Room for so many points, and nothing in it."""
    empty = (
        np.full(points, -1, dtype=np.int64),
        np.zeros((points, ROWS_OF_CONTACT)),
        np.zeros(2 * points + 1, dtype=np.int64),
    )
    return Memory(*empty, np.zeros(1, dtype=np.int64))


class Touch(NamedTuple):
    """What a block of steps needs to find contacts: shapes, room to work in, how bodies are placed on nodes (`nodes`,
    `place`, `centre` as `read_bodies` takes them), where they are, what acted in the last step, and how many points
    there are."""

    geometry: Geometry
    room: Room
    nodes: Ints
    place: Array
    centre: Array
    poses: Array
    velocities: Array
    memory: Memory
    points: Ints
