"""Motion of bodies and their points at a moment: velocities, instant centres, paths of points."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.placed_loads import place_on_body
from simulator.records import dataclass
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism
    from simulator.recording.history import History
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


STILL = 1e-9
"""Angular velocity [rad/s] below which a body has no instant centre."""
FLAT = 1e-9
"""Part of the motion out of the plane below which the motion counts as planar."""
LONGEST = 20_000
"""Most points of a path; older ones are dropped."""
FINEST = 0.01
"""Gap between two snapshots [s] above which recorded moments between them are looked up."""
SHOWN_AT_ONCE = 4.0
"""Length of the path that is drawn at once for a clicked point [s]."""
LOOK_UPS, BODIES = 16, 100
"""Most moments of that path, and most bodies in all of them: a fraction of a frame's time."""
COLUMNS = ("time [s]", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]")


class MovingBodies(NamedTuple):
    """Of every body, shape (n_bodies, 3) each, in world axes: centre of mass [m], its velocity [m/s] and the angular
    velocity [rad/s]."""

    centre: Array
    velocity: Array
    angular: Array


class PointMotion(NamedTuple):
    """Of a point, shape (3,) each, in world axes: place [m], velocity [m/s], and acceleration [m/s²] if known."""

    place: Array
    velocity: Array
    acceleration: Array | None


def centres_of_mass(mechanism: Mechanism) -> Array:
    """Centres of mass of all bodies, in their own frames [m], shape (n_bodies, 3)."""
    return np.array([body.com for body in mechanism.bodies], dtype=float).reshape(-1, 3)


def body_motions(mechanism: Mechanism, snapshot: Snapshot, com: Array | None = None) -> MovingBodies:
    """Motion of the bodies; at rest if the simulation does not report it. `com`: their `centres_of_mass`, for frequent
    calls."""
    X_WB = matrices(snapshot.body_poses)
    com = centres_of_mass(mechanism) if com is None else com
    moving = snapshot.body_velocities if len(snapshot.body_velocities) else np.zeros((len(com), 6))
    centre = X_WB[:, :3, 3] + np.einsum("bij,bj->bi", X_WB[:, :3, :3], com)
    return MovingBodies(centre, moving[:, 3:], moving[:, :3])


def instant_centres(motions: MovingBodies) -> Array | None:
    """Instant centres of bodies in a plane, v + ω × (c - p) = 0 [m], shape (n_bodies, 3), nan for a body that does not
    turn; None if bodies do not move in one plane, or not at all."""
    angular, velocity = motions.angular, motions.velocity
    turns = angular[np.linalg.norm(angular, axis=1) > STILL]
    if not len(turns):
        return None
    normal = np.linalg.svd(turns, full_matrices=False)[2][0]
    tilted = np.abs(turns - np.outer(turns @ normal, normal)).max()
    lifted = np.abs(velocity @ normal).max()
    if tilted > FLAT * np.abs(turns).max() or lifted > FLAT * max(float(np.abs(velocity).max()), STILL):
        return None
    square = np.sum(angular * angular, axis=1)
    square = np.where(square > STILL**2, square, np.nan)
    centres: Array = motions.centre + np.cross(angular, velocity) / square[:, None]
    return centres


@dataclass
class PointPath:
    """Path of a point of a link, given in the link's frame [m]; `rows`: time, place and velocity, see `COLUMNS`."""

    link: str
    at: Vec3
    rows: list[tuple[float, ...]] = field(default_factory=list)

    def cut(self, time: float) -> None:
        """Forget rows after `time` [s]."""
        while self.rows and self.rows[-1][0] > time:
            self.rows.pop()

    def see(self, mechanism: Mechanism, snapshot: Snapshot) -> None:
        """Advance to a snapshot; an earlier one than the last is playback and is ignored."""
        if self.rows and snapshot.time < self.rows[-1][0]:
            return
        place, velocity, _ = self.now(mechanism, snapshot)
        row = (snapshot.time, *place.tolist(), *velocity.tolist())
        if not self.rows or self.rows[-1][:4] != row[:4]:
            self.rows.append(row)
        if len(self.rows) > LONGEST:
            del self.rows[: LONGEST // 10]

    def now(self, mechanism: Mechanism, snapshot: Snapshot, accelerations: Array | None = None) -> PointMotion:
        """Motion of the point at a snapshot; `accelerations` of bodies as in `ForcesNow`, shape (n, 6)."""
        body, place, motions = self._place(mechanism, snapshot)
        arm = place - motions.centre[body]
        omega = motions.angular[body]
        acceleration = None
        if accelerations is not None and body < len(accelerations):
            angular = accelerations[body, :3]
            of_centre = accelerations[body, 3:]
            acceleration = of_centre + np.cross(angular, arm) + np.cross(omega, np.cross(omega, arm))
        return PointMotion(place, motions.velocity[body] + np.cross(omega, arm), acceleration)

    def _place(self, mechanism: Mechanism, snapshot: Snapshot) -> tuple[int, Array, MovingBodies]:
        """The body, the place of the point, and the motion of bodies."""
        body, point, _ = place_on_body(self.link, self.at, mechanism.bodies)
        X_WB = matrices(snapshot.body_poses)
        place: Array = X_WB[body, :3, 3] + X_WB[body, :3, :3] @ np.array(point)
        return body, place, body_motions(mechanism, snapshot)

    def array(self) -> Array:
        """The rows, shape (n, 7)."""
        return np.array(self.rows, dtype=float).reshape(-1, len(COLUMNS))


def moments_before(history: History, dt: float, until: float) -> list[Snapshot]:
    """Recorded moments before a time [s], evenly spread over the last `SHOWN_AT_ONCE` seconds: the past of a point
    that is followed from now on."""
    first = max(history.span()[0], until - SHOWN_AT_ONCE)
    times = np.arange(first, until, FINEST) if math.isfinite(first) else np.zeros(0)
    return [moment for moment in history.moments(times.tolist(), dt) if moment.time < until]


def moments_between(history: History, dt: float, since: float, until: float, bodies: int) -> list[Snapshot]:
    """Recorded moments of steps of `dt` between two times [s] that are further apart than a curve allows, evenly
    spread: of a mechanism that runs at ten times real time a view shows every hundredth step."""
    pieces = min(int((until - since) / FINEST), 1 + min(LOOK_UPS, BODIES // max(bodies, 1)))
    found = history.moments([since + (until - since) * k / pieces for k in range(1, pieces)], dt)
    return [moment for moment in found if since < moment.time < until]


def save_paths(paths: list[PointPath], file: Path) -> None:
    """Write paths as CSV, one below the other. Raises OSError."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("link", "at [m]", *COLUMNS))
    for path in paths:
        place = " ".join(repr(part) for part in path.at)
        writer.writerows((path.link, place, *map(repr, row)) for row in path.rows)
    file.write_text(text.getvalue(), encoding="utf-8")
