"""Poses of links: body poses of a snapshot composed with the fixed places of links in their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.pose_arrays import compose, matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


class LinkPoses:
    """X_WL of the named links (scoped names of the mechanism's links) for any snapshot."""

    def __init__(self, mechanism: Mechanism, names: Sequence[str]) -> None:
        place = {
            link.name: (index, X_BL)
            for index, body in enumerate(mechanism.bodies)
            for link, X_BL in zip(body.links, body.X_BL, strict=True)
        }
        self.names = tuple(names)
        self._bodies = np.array([place[name][0] for name in self.names], dtype=int)
        self._X_BL: Array = np.array([place[name][1].as_list() for name in self.names], dtype=float).reshape(-1, 7)

    @property
    def body_of_link(self) -> NDArray[np.int64]:
        """The body of each link, shape (n_links,)."""
        return self._bodies.astype(np.int64)

    @property
    def in_bodies(self) -> Array:
        """X_BL of the links, shape (n_links, 4, 4)."""
        return matrices(self._X_BL)

    def at(self, body_poses: Array) -> Array:
        """Poses of the links, shape (n_links, 7), when the bodies are at `body_poses`, shape (n_bodies, 7)."""
        return compose(body_poses[self._bodies], self._X_BL)
