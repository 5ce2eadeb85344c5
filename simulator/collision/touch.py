"""What a block of steps takes to find its contacts, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.collision.geometry import Geometry
    from simulator.collision.room import Room

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Touch(NamedTuple):
    """What a block of steps needs to find contacts: shapes, room to work in, how bodies are placed on nodes (`nodes`,
    `place`, `centre` as `read_bodies` takes them), where they are, the impulses of the last step by name of the point,
    and how many points there are."""

    geometry: Geometry
    room: Room
    nodes: Ints
    place: Array
    centre: Array
    poses: Array
    velocities: Array
    names: Ints
    impulses: Array
    points: Ints
