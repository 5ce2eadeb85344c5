"""Places of dimensions in a mechanism: in frames of bodies once, and in the world for every moment."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.gui.viewport.dimension_numbers import DimensionNumbers
from simulator.mechanism.parameters import Numbered
from simulator.mechanism.types import MotionKind
from simulator.mechanism.varied_length import NO_LENGTH, bar_between, pins_of, turns
from simulator.records import dataclass
from simulator.rendering.overlays import normal_plane
from simulator.spatial.pose_arrays import compose, matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.engine.snapshot import Snapshot
    from simulator.gui.viewport.dimension_numbers import Live, Number
    from simulator.mechanism.types import MechanismJoint, Motion
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose


CLEAR_OF_LENGTH, CLEAR_OF_SCENE = 0.25, 0.15
"""A dimension line is no further beside what it measures than this part of a length, or of the radius of the scene."""
ACROSS = 0.05
"""A direction is across an axis where the cosine between both is at most this."""
OFF_AXIS = 0.01
"""Something is beside an axis that is this part of the radius of the scene away from it."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """The dimensions of a moment, in the world [m].

    Spans are between two `ends` (n, 2, 3). Their lines are on the side `aside` (n, 3), a unit vector, or zero where any
    side will do, at least `clear` (n,) away, and above each other by their `level` (n,). Arcs are about `centres` (m,
    3), from the first to the second of their `angles` (m, 2) [rad], which are counted from the first to the second of
    the unit vectors in `planes` (m, 2, 3). `ties` (k, 2, 3) are plain lines. `numbers`: what is written at each of
    them, spans first, then arcs; `strong`: they are of what is selected.
    """

    ends: Array
    aside: Array
    clear: Array
    level: Array
    centres: Array
    planes: Array
    angles: Array
    ties: Array
    numbers: tuple[tuple[Number, ...], ...]
    strong: bool

    @cached_property
    def axes(self) -> frozenset[int]:
        """Axes whose positions are among the numbers."""
        return frozenset(number.axis for group in self.numbers for number in group if number.axis is not None)


@dataclass(frozen=True, eq=False)
class Place:
    """A span or an arc: three `rows` in the frame of `body`, of a span a point [m], its line and its side, of an arc
    its centre and the two vectors of its plane. `between`: where along the line, or at which angle, it begins and ends;
    with an `axis` that is per unit of its position."""

    body: int
    rows: tuple[Array, Array, Array]
    between: tuple[float, float]
    axis: int | None
    numbers: tuple[Live, ...]
    clear: float = 0.0
    level: int = 0


@dataclass(frozen=True, eq=False)
class Tie:
    """A line between points [m] of two bodies."""

    bodies: tuple[int, int]
    points: tuple[Array, Array]
    numbers: tuple[Live, ...]


@dataclass(eq=False)
class DimensionPlan:
    """What is drawn, in the frames of bodies."""

    spans: Sequence[Place]
    arcs: Sequence[Place]
    ties: Sequence[Tie]
    strong: bool

    def at(self, snapshot: Snapshot) -> Drawing:
        """Where all of it is, with the numbers of the moment."""
        bodies, rows, counts, between, axes = self._arrays
        world = (matrices(snapshot.body_poses[bodies]) @ rows)[:, :3, 0]
        n, m, k = counts
        spans = world[: 3 * n].reshape(n, 3, 3)
        arcs = world[3 * n : 3 * (n + m)].reshape(m, 3, 3)
        q = np.where(axes >= 0, snapshot.position[axes], 1.0) if len(snapshot.position) else np.ones(n + m)
        far = between[:n] * q[:n, None]
        turned = between[n:] * np.fmod(q[n:], math.tau)[:, None]
        live: tuple[Place | Tie, ...] = (*self.spans, *self.arcs, *self.ties)
        return Drawing(
            ends=spans[:, :1] + far[..., None] * spans[:, 1:2],
            aside=spans[:, 2],
            clear=self._beside[0],
            level=self._beside[1],
            centres=arcs[:, 0],
            planes=arcs[:, 1:],
            angles=turned,
            ties=world[3 * (n + m) :].reshape(k, 2, 3),
            numbers=tuple(tuple(number(snapshot) for number in one.numbers) for one in live),
            strong=self.strong,
        )

    @cached_property
    def _arrays(self) -> tuple[NDArray[np.intp], Array, tuple[int, int, int], Array, NDArray[np.intp]]:
        """Body and homogeneous column of every row; how many there are of each kind; `between` and axes of spans and
        arcs."""
        places = (*self.spans, *self.arcs)
        bodies = [one.body for one in places for _ in range(3)] + [body for tie in self.ties for body in tie.bodies]
        points = [row for one in places for row in one.rows] + [point for tie in self.ties for point in tie.points]
        rows = np.zeros((len(points), 4, 1))
        rows[:, :3, 0] = np.array(points).reshape(-1, 3)
        rows[: 3 * len(places) : 3, 3, 0] = 1.0
        rows[3 * len(places) :, 3, 0] = 1.0
        between = np.array([one.between for one in places]).reshape(-1, 2)
        axes = np.array([-1 if one.axis is None else one.axis for one in places], dtype=np.intp)
        counts = len(self.spans), len(self.arcs), len(self.ties)
        return np.array(bodies, dtype=np.intp), rows, counts, between, axes

    @cached_property
    def _beside(self) -> tuple[Array, Array]:
        return np.array([one.clear for one in self.spans]), np.array([float(one.level) for one in self.spans])


class Planner:
    """Finds places in a mechanism as it is in a `snapshot`. `sides`: on which side the line of each number is, which
    stays from plan to plan: away from the middle of all joints at first."""

    def __init__(self, numbers: DimensionNumbers, scene: Scene, snapshot: Snapshot, sides: dict[str, float]) -> None:
        self._numbers = numbers
        self._scene = scene
        self._sides = sides
        self._poses, self._turns = snapshot.body_poses, matrices(snapshot.body_poses)[:, :3, :3]
        self.mechanism = numbers.relations.mechanism
        self.of = Numbered(self.mechanism, numbers.relations.world)
        joints = (*self.mechanism.joints, *self.mechanism.loop_joints)
        self._motions = {
            motion.axis: (joint, motion, number == 0) for joint in joints for number, motion in enumerate(joint.motions)
        }
        frames = np.array([joint.X_PJ.as_list() for joint in joints]).reshape(-1, 7)
        parents = np.array([joint.parent for joint in joints], dtype=np.intp)
        origins = compose(self._poses[parents], frames)[:, :3]
        self._middle = origins.mean(axis=0) if joints else np.zeros(3)

    def lengths(self, link: str) -> list[Place]:
        """The length of a link, or how far the joints on it that turn are from the first one."""
        pins, reason = pins_of(self.of, link)
        body, X_BL = self.of.places[link]
        found = [(joint, self.of.said[joint.name].child_link == link) for joint in self.of.joints_on.get(link, ())]
        turning = [pin for pin in found if turns(pin[0])]
        places: list[Place] = []
        for pin in turning[1:]:
            bar = pins.bar if pins is not None else bar_between(self.of, link, turning[0], pin)
            length = float(np.linalg.norm(bar.line))
            R = X_BL.rotation()
            if length < NO_LENGTH:
                continue
            key = f"{link}.length" if pins is not None else f"{link} to {pin[0].name}"
            number = self._numbers.length(key, link, length, reason)
            start = np.array(X_BL.transform(tuple(bar.ends[0].tolist())))
            line = R @ bar.line
            normal = R @ bar.normal
            aside = self._aside(key, body, start + 0.5 * line, line, normal)
            clear = self._clear((link,), body, start, aside, CLEAR_OF_LENGTH * length)
            places.append(Place(body, (start, line, aside), (0.0, 1.0), None, (_still(number),), clear, len(places)))
        return places

    def position(self, axis: int, *, with_effort: bool) -> tuple[Place, bool] | None:
        """Where the position of an axis is drawn, and whether as an arc."""
        if axis not in self._motions:
            return None
        joint, motion, inboard = self._motions[axis]
        effort = self._numbers.effort(axis) if with_effort else None
        numbers = (self._numbers.position(axis), *([effort] if effort is not None else []))
        body, X_BJ = self._frame(axis)
        between = (0.0, 1.0) if inboard else (-1.0, 0.0)
        centre = np.array(X_BJ.position)
        axis_B = np.array(X_BJ.rotate(motion.direction))
        if motion.kind is MotionKind.ROTATION:
            u = X_BJ.rotation() @ self._reference(joint, motion)
            return Place(body, (centre, u, np.cross(axis_B, u)), between, axis, numbers), True
        key = self.mechanism.axes[axis].name
        normal = self._plane_normal(self._turns[body] @ axis_B)
        aside = self._aside(key, body, centre, axis_B, self._turns[body].T @ normal)
        child = [link.name for link in self.mechanism.bodies[joint.child].links]
        clear = self._clear(child, body, centre, aside, CLEAR_OF_SCENE * self._scene.radius)
        return Place(body, (centre, axis_B, aside), between, axis, numbers, clear), False

    def ratios(self, coupling: int) -> list[Tie]:
        """From every leader of a coupling to its follower."""
        law = self.mechanism.couplings[coupling]
        ties = []
        # A curve has no ratio: its label says what it is.
        for number, (leader, _) in enumerate(law.leaders if law.curve is None else ()):
            ends = [self._origin(axis) for axis in (leader, law.follower)]
            if None not in ends:
                (a, p), (b, q) = (end for end in ends if end is not None)
                ties.append(Tie((a, b), (p, q), (_still(self._numbers.ratio(coupling, number)),)))
        return ties

    def _origin(self, axis: int) -> tuple[int, Array] | None:
        """Body and point [m] of an axis."""
        if axis not in self._motions:
            return None
        body, X_BJ = self._frame(axis)
        return body, np.array(X_BJ.position)

    def _frame(self, axis: int) -> tuple[int, Pose]:
        """The body that carries an axis, and the joint's frame on it, see `AxisPlaces`."""
        joint, _, inboard = self._motions[axis]
        return (joint.parent, joint.X_PJ) if inboard else (joint.child, joint.X_CJ)

    def _aside(self, key: str, body: int, point: Array, line: Array, normal: Array) -> Array:
        """The unit vector across a line, in the plane with that normal, all in the frame of `body`; zero without a
        normal."""
        aside = np.cross(normal, line)
        size = float(np.linalg.norm(aside))
        if size == 0.0:
            return np.zeros(3)
        if key not in self._sides:
            R = self._turns[body]
            origin = self._poses[body, :3]
            outward = float((R @ aside) @ (origin + R @ point - self._middle))
            self._sides[key] = -1.0 if outward < -1e-9 * size * self._scene.radius else 1.0
        unit: Array = self._sides[key] / size * aside
        return unit

    def _clear(self, links: Sequence[str], body: int, point: Array, aside: Array, most: float) -> float:
        """How far shapes of links reach beside a point of `body` [m], at most `most`."""
        R = self._turns[body]
        start = self._poses[body, :3] + R @ point
        side = R @ aside
        reach = 0.0
        for drawable in self._scene.drawables:
            name = self._scene.links[drawable.link]
            if name in links and drawable.in_bounds:
                other, X_BL = self.of.places[name]
                placed = matrices(compose(self._poses[other], np.array(X_BL.as_list()))) @ drawable.matrix
                across = self._scene.surfaces[drawable.surface].positions @ (placed[:3, :3].T @ side)
                reach = max(reach, float(across.max()) + float((placed[:3, 3] - start) @ side))
        return min(reach, most)

    def _reference(self, joint: MechanismJoint, motion: Motion) -> Array:
        """From where an angle is counted, a unit vector in the joint's frame at position zero: towards the next joint
        that the child carries, or its centre of mass."""
        axis = np.array(motion.direction)
        body = self.mechanism.bodies[joint.child]
        inverse = joint.X_CJ.inverse()
        sides = [
            side.position
            for other in (*self.mechanism.joints, *self.mechanism.loop_joints)
            for on, side in ((other.parent, other.X_PJ), (other.child, other.X_CJ))
            if on == joint.child and other is not joint
        ]
        for point in (*sides, body.com):
            offset = np.array(inverse.transform(point))
            offset = offset - axis * float(axis @ offset)
            size = float(np.linalg.norm(offset))
            if size > OFF_AXIS * self._scene.radius:
                unit: Array = offset / size
                return unit
        return np.asarray(normal_plane(axis)[0])

    def _plane_normal(self, along: Array) -> Array:
        """The axis of a joint that turns across a direction, both in the world; zero where there is none."""
        for joint, motion, inboard in self._motions.values():
            if inboard and motion.kind is MotionKind.ROTATION:
                axis = self._turns[joint.parent] @ np.array(joint.X_PJ.rotate(motion.direction))
                if abs(float(axis @ along)) < ACROSS:
                    return np.asarray(axis)
        return np.zeros(3)


def _still(number: Number) -> Live:
    """One that does not change with the moment."""
    return lambda _snapshot: number
