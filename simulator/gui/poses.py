"""Where every link is: body poses of a snapshot composed with the links' fixed places in their bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.types import Mechanism
from simulator.model.world import World

Array = NDArray[np.float64]


def link_names(world: World) -> tuple[str, ...]:
    """Scoped names of all links in the order of the document."""
    return tuple(link.name for model in world.models for link in model.links)


class LinkPoses:
    """X_WL of a list of links for each snapshot, as rows x, y, z, qx, qy, qz, qw."""

    def __init__(self, world: World, mechanism: Mechanism, names: Sequence[str] | None = None) -> None:
        self._world, self._mechanism = world, mechanism
        self.names = tuple(names) if names is not None else link_names(world)
        start = {link.name: link.X_WL.as_list() for model in world.models for link in model.links}
        place = {
            link.name: (index, X_BL.as_list())
            for index, body in enumerate(mechanism.bodies)
            for link, X_BL in zip(body.links, body.X_BL, strict=True)
        }
        unknown = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        self.initial: Array = np.array([start.get(name, unknown) for name in self.names], dtype=float).reshape(-1, 7)
        known = [i for i, name in enumerate(self.names) if name in place]
        self._rows = np.array(known, dtype=int)
        self._bodies = np.array([place[self.names[i]][0] for i in known], dtype=int)
        self._X_BL: Array = np.array([place[self.names[i]][1] for i in known], dtype=float).reshape(-1, 7)

    def reordered(self, names: Sequence[str]) -> LinkPoses:
        """The same for links in another order."""
        return LinkPoses(self._world, self._mechanism, names)

    def at(self, body_poses: Array) -> Array:
        """Shape (n_links, 7); a link that no body carries stays where the document puts it."""
        result: Array = self.initial.copy()
        if len(self._rows):
            result[self._rows] = compose(body_poses[self._bodies], self._X_BL)
        return result


def compose(X_AB: Array, X_BC: Array) -> Array:
    """X_AC row by row; both of shape (n, 7)."""
    placed: Array = rotate(X_AB, X_BC[:, :3]) + X_AB[:, :3]
    result: Array = np.concatenate((placed, _multiply(X_AB[:, 3:], X_BC[:, 3:])), axis=1)
    return result


def rotate(poses: Array, vectors: Array) -> Array:
    """Vectors (n, 3) turned by the quaternions of `poses` (n, 7)."""
    axis, w = poses[:, 3:6], poses[:, 6:7]
    t = 2.0 * np.cross(axis, vectors)
    turned: Array = np.asarray(vectors + w * t + np.cross(axis, t), dtype=np.float64)
    return turned


def _multiply(a: Array, b: Array) -> Array:
    axis_a, w_a, axis_b, w_b = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    axis = w_a * axis_b + w_b * axis_a + np.cross(axis_a, axis_b)
    w = w_a * w_b - np.sum(axis_a * axis_b, axis=1, keepdims=True)
    return np.concatenate((axis, w), axis=1)
