"""The angle of a body relative to another one, as a signed sum of hinge angles along the way between them.

Hinges that are all parallel keep their common direction in every body on the way, however they turn, so their angles
add up: a hinge that is passed from its parent to its child counts positively, against it negatively, and once more
negatively where it points the other way. Differences of such angles are what Willis' equation of epicyclic gears is
about.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.mechanism.extent import MOST_HINGES_PASSED, Allowance
from simulator.model.joint import JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.diagnostics import Source
    from simulator.mechanism.connections import Connection
    from simulator.model.joint import Joint
    from simulator.spatial.rotation import Vec3

PARALLEL = 1e-3
"""Largest sine of the angle between a gearbox axis and a hinge: documents write 1.5708 for a right angle."""
HINGES = (JointType.REVOLUTE, JointType.CONTINUOUS)


@dataclass(frozen=True)
class Obstacle:
    """Why there is no such angle: a hinge in the way that is not parallel (`sine` of its angle to the direction), a
    joint that is not a hinge, or nothing that connects the two bodies (`joint` is None)."""

    joint: Joint | None = None
    sine: float | None = None


@dataclass(frozen=True)
class _Passed:
    connection: Connection
    forwards: bool


class GearPaths:
    """Paths between the bodies of a world. The search from a body along a direction is stored for the next
    question."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        """Ways lead over joints of the tree before those marked must_be_loop_joint, then in the document's order."""
        self._neighbours: dict[int, list[tuple[int, _Passed]]] = {}
        for connection in sorted(connections, key=lambda c: c.joint.must_be_loop_joint):
            self._neighbours.setdefault(connection.parent, []).append((connection.child, _Passed(connection, True)))
            self._neighbours.setdefault(connection.child, []).append((connection.parent, _Passed(connection, False)))
        self._searches: dict[tuple[int, Vec3], _Search] = {}
        self._allowance = Allowance(
            MOST_HINGES_PASSED, "the ways between the gears of the document pass joints again and again,"
        )

    @property
    def passed(self) -> int:
        """Hinges that were looked at so far."""
        return self._allowance.taken

    def angle_between(
        self, start: int, goal: int, direction: Vec3, source: Source | None = None
    ) -> tuple[tuple[str, float], ...] | Obstacle:
        """(hinge, sign) pairs from body `start` to body `goal`: sum(sign * angle) is the angle by which `goal` has
        turned in `start` about `direction` (unit, world, at the start). Of several ways the shortest counts, and then
        the one that stays clear of loop joints. Raises TooLargeError, with `source`, where all questions together have
        looked at too many hinges.
        """

        def parallel(connection: Connection) -> bool:
            return _is_hinge(connection) and cosine_and_sine(connection, direction)[1] <= PARALLEL

        key = (start, direction)
        if key not in self._searches:
            self._searches[key] = _Search(self._neighbours, start, parallel)
        way = self._searches[key].way_to(goal, self._allowance, source)
        if way is None:
            return self._obstacle(start, goal, direction, source)
        return tuple((step.connection.joint.name, _sign(step, direction)) for step in way)

    def _obstacle(self, start: int, goal: int, direction: Vec3, source: Source | None) -> Obstacle:
        """The first joint in the way that spoils it; of a way of hinges alone where there is one, else of the
        shortest."""
        way = _Search(self._neighbours, start, _is_hinge).way_to(goal, self._allowance, source)
        if way is not None:
            sines = [(cosine_and_sine(step.connection, direction)[1], step.connection.joint) for step in way]
            return next(Obstacle(joint, sine) for sine, joint in sines if sine > PARALLEL)
        way = _Search(self._neighbours, start, lambda _: True).way_to(goal, self._allowance, source)
        if way is None:
            return Obstacle()
        return next(Obstacle(step.connection.joint) for step in way if not _is_hinge(step.connection))


class _Search:
    """Breadth-first from one body over the joints that are `usable`, as far as it was asked for."""

    def __init__(
        self, neighbours: dict[int, list[tuple[int, _Passed]]], start: int, usable: Callable[[Connection], bool]
    ) -> None:
        self._neighbours, self._usable = neighbours, usable
        self._came_by: dict[int, tuple[int, _Passed] | None] = {start: None}
        self._queue = deque([start])

    def way_to(self, goal: int, allowance: Allowance, source: Source | None) -> list[_Passed] | None:
        """The shortest way to a body; None where there is none."""
        while self._queue and goal not in self._came_by:
            body = self._queue.popleft()
            beside = self._neighbours.get(body, ())
            allowance.take(len(beside), source)
            for other, step in beside:
                if other not in self._came_by and self._usable(step.connection):
                    self._came_by[other] = (body, step)
                    self._queue.append(other)
        if goal not in self._came_by:
            return None
        way: list[_Passed] = []
        last = self._came_by[goal]
        while last is not None:
            way.append(last[1])
            last = self._came_by[last[0]]
        allowance.take(len(way), source)
        return way[::-1]


def cosine_and_sine(connection: Connection, direction: Vec3) -> tuple[float, float]:
    """Of the angle between a joint's first axis and a direction, both unit vectors in the world at the start."""
    a = direction
    b = connection.joint.axes[0].xyz_world
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return sum(x * y for x, y in zip(a, b, strict=True)), sum(c * c for c in cross) ** 0.5


def _sign(step: _Passed, direction: Vec3) -> float:
    return (1.0 if step.forwards else -1.0) * (1.0 if cosine_and_sine(step.connection, direction)[0] > 0 else -1.0)


def _is_hinge(connection: Connection) -> bool:
    return connection.joint.type in HINGES
