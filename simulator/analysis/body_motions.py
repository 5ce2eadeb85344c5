"""How bodies move at the points of a sweep, or at one state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.physics.layout.flatten import Tree
    from simulator.physics.layout.sweep_layout import Points
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class BodyMotions:
    """Motion of the bodies of a `tree` at n points. `speed`: velocity and acceleration of the first moved axis, whose
    unit motion the points hold. `gravity`, shape (3,): what has been taken off the accelerations of the points
    [m/s²]."""

    tree: Tree
    points: Points
    speed: tuple[float, float] = (1.0, 0.0)
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __len__(self) -> int:
        return len(self.points.position)

    def frames(self, body: int) -> tuple[Array, Array]:
        """Rotation (n, 3, 3) and origin (n, 3) of a body in the world."""
        if body == 0:
            return np.tile(np.eye(3), (len(self), 1, 1)), np.zeros((len(self), 3))
        frame = self.points.frame[:, int(self.tree.node_of_body[body])]
        R = frame[:, :9].reshape(-1, 3, 3)
        X = self.tree.X_LB[body].matrix()
        return R @ X[:3, :3], frame[:, 9:] + R @ X[:3, 3]

    def node_origin(self, body: int) -> Array:
        """Where the joint frame on a body is that carries it, shape (n, 3)."""
        if body == 0:
            return np.zeros((len(self), 3))
        return self.points.frame[:, int(self.tree.node_of_body[body]), 9:]

    def spatial(self, body: int) -> tuple[Array, Array]:
        """Twist and spatial acceleration of a body about its node's origin, world axes, shape (n, 6) each."""
        if body == 0:
            return np.zeros((len(self), 6)), np.zeros((len(self), 6))
        return self._spatial_of_nodes(int(self.tree.node_of_body[body]))

    def _spatial_of_nodes(self, nodes: int | NDArray[np.int64]) -> tuple[Array, Array]:
        twist, bend = self.points.twist[:, nodes], self.points.acceleration[:, nodes]
        velocity, acceleration = self.speed
        return velocity * twist, velocity**2 * bend + acceleration * twist + np.array([0.0, 0.0, 0.0, *self.gravity])

    def all_accelerations(self, places: Array) -> Array:
        """Of the first bodies after the world the angular acceleration [rad/s²], and the acceleration [m/s²] of the
        point that is at `places` (n_places, 3) in the frames of their nodes, world axes, shape (n, n_places, 6)."""
        nodes = self.tree.node_of_body[1 : 1 + len(places)]
        arms = (self.points.frame[:, nodes, :9].reshape(len(self), -1, 3, 3) @ places[:, :, None])[..., 0]
        twist, bend = self._spatial_of_nodes(nodes)
        omega, angular = twist[..., :3], bend[..., :3]
        velocity = twist[..., 3:] + cross(omega, arms)
        return np.concatenate((angular, bend[..., 3:] + cross(angular, arms) + cross(omega, velocity)), axis=-1)

    def all_twists(self) -> tuple[Array, Array]:
        """Of every body but the world its node's origin (n, n_bodies - 1, 3), and its twist about that, world axes,
        (n, n_bodies - 1, 6)."""
        nodes = self.tree.node_of_body[1:]
        return self.points.frame[:, nodes, 9:], self.speed[0] * self.points.twist[:, nodes]

    def point(self, body: int, point: Sequence[float] | Array) -> tuple[Array, Array, Array]:
        """Place [m], velocity [m/s] and acceleration [m/s²] in the world of a point of a body's frame, shape (n, 3)
        each."""
        R, origin = self.frames(body)
        place = origin + R @ np.asarray(point, dtype=float)
        twist, bend = self.spatial(body)
        arm = place - self.node_origin(body)
        velocity = twist[:, 3:] + cross(twist[:, :3], arm)
        return place, velocity, bend[:, 3:] + cross(bend[:, :3], arm) + cross(twist[:, :3], velocity)
