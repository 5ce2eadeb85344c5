"""The cables of a mechanism as the tables that `tree.cables` takes, and where they lie at poses of bodies."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.model.cables import PartKind
from simulator.physics.layout import buffers as at
from simulator.physics.tree.cables import (
    ABOUT,
    BRANCH,
    CENTRE,
    GUIDE,
    IN,
    INSIDE,
    LAST,
    NOW_NUMBERS,
    OUT,
    PART_NUMBERS,
    POINT,
    PULLEY,
    RADIUS,
    SENSE,
    SPHERE,
    TOUCHES,
    TWO_PI,
    WEIGHT,
    WRAP,
    CableViews,
    before_of,
    path_length,
    trace_cable,
)
from simulator.records import dataclass
from simulator.spatial.rotation import across

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.diagnostics import Source
    from simulator.mechanism.loads import BodyCable
    from simulator.model.cables import CablePart
    from simulator.physics.layout.flatten import Tree
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.rotation import Vec3

KINDS = {
    PartKind.POINT: POINT,
    PartKind.PULLEY: PULLEY,
    PartKind.GUIDE: GUIDE,
    PartKind.SPHERE: SPHERE,
    PartKind.BRANCH: BRANCH,
}
PER_RADIAN = 12.0
"""Points of a picture along a radian of wrap."""
SAME = 1e-6
"""Part of its length by which a way may differ from what is known of it."""


@dataclass(frozen=True)
class CableTables:
    """`begin` (n + 1,), `part` (parts, 2) and `numbers` (parts, PART_NUMBERS), as `tree.cables` has them."""

    begin: Ints
    part: Ints
    numbers: Array

    @property
    def nodes(self) -> frozenset[int]:
        """Those that cables act on."""
        return frozenset(int(node) for node in self.part[:, 0] if node >= 0)

    def float_blocks(self) -> dict[int, Array]:
        """What may differ between mechanisms of one structure."""
        return {at.F_CABLE_PART: self.numbers}

    def room(self) -> dict[int, Array | int]:
        """What kernels work in."""
        return {at.F_CABLE_NOW: NOW_NUMBERS * len(self.part), at.F_CABLE: 2 * (len(self.begin) - 1)}

    def int_blocks(self) -> dict[int, Ints]:
        """The structure."""
        return {at.I_CABLE_PTR: self.begin, at.I_CABLE_PART: self.part}


def cable_tables(cables: Sequence[BodyCable], tree: Tree) -> CableTables:
    """The tables of cables between the nodes of a tree."""
    rows = []
    for cable in cables:
        placed = []
        for body, point, axis in zip(cable.bodies, cable.points, cable.axes, strict=True):
            X = tree.X_LB[body]
            node = int(tree.node_of_body[body]) if body else -1
            placed.append((node, X.transform(point) if body else point, X.rotation() @ axis if body else axis))
        rows.append(list(_rows(cable, placed)))
    return _tables(rows)


def _tables(rows: Sequence[Sequence[tuple[tuple[int, int], list[float]]]]) -> CableTables:
    parts = [row for cable in rows for row in cable]
    return CableTables(
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.array([part for part, _ in parts], dtype=np.int64).reshape(-1, 2),
        np.array([numbers for _, numbers in parts], dtype=float).reshape(-1, PART_NUMBERS),
    )


def _rows(
    cable: BodyCable, placed: Sequence[tuple[int, Vec3, Vec3 | Array]]
) -> Iterator[tuple[tuple[int, int], list[float]]]:
    """(node, kind) and numbers of the parts of a cable; each piece begins with a branch."""
    weight = 1.0
    nothing = [0.0] * PART_NUMBERS
    yield (-1, BRANCH), nothing
    for part, (node, point, axis) in zip(cable.parts, placed, strict=True):
        if part.kind is PartKind.BRANCH:
            weight = 1.0 / part.divisor
            yield (-1, BRANCH), nothing
            continue
        direction = np.array(axis, dtype=float)
        direction /= np.linalg.norm(direction)
        sense = -1.0 if part.clockwise else 1.0  # a sphere is passed as its plane has it
        about = [*direction.tolist(), *across(direction)[0].tolist()]
        others = [part.radius, sense, part.friction, weight, float(part.turns)]
        yield (node, KINDS[part.kind]), [*point, *about, *others]


# -- at poses of bodies ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CablePath:
    """Where a cable lies: its `length` [m], and its pieces as `lines`, shape (n, 3) each; `inside`: what it would begin
    or end inside of. `spans`: straight parts of it, the parts of the cable that they are between, and for how much each
    counts; their `ends`, shape (n, 2, 3)."""

    length: float
    lines: tuple[Array, ...]
    inside: tuple[CablePart, ...]
    spans: tuple[tuple[int, int, float], ...]
    ends: Array


def cable_paths(cables: Sequence[BodyCable], X_WB: Array, lengths: Sequence[float] | Array = ()) -> list[CablePath]:
    """Where cables lie at poses of all bodies, shape (n_bodies, 4, 4). Of a cable whose length [m] is known, what it
    lies on follows from that: a pulley that it has left looks as one that it goes all the way round."""
    rows = [list(_rows(one, list(zip(one.bodies, one.points, one.axes, strict=True)))) for one in cables]
    tables = _tables(rows)
    R, p = np.ascontiguousarray(X_WB[:, :3, :3]), np.ascontiguousarray(X_WB[:, :3, 3])
    still = np.zeros((len(X_WB), 6))
    now = np.zeros((len(tables.part), NOW_NUMBERS))
    views = CableViews(tables.begin, tables.part, tables.numbers, now, np.zeros((len(cables), 2)))
    paths = []
    for c in range(len(cables)):
        lay = partial(trace_cable, views, R, p, still, c)
        lay()
        if len(lengths):
            lay_as_long(views, c, float(lengths[c]), lay)
        spans, ends = _spans(views, c)
        inside = tuple(_inside(views, c, cables[c]))
        paths.append(CablePath(path_length(views, c), tuple(_lines(views, c)), inside, spans, ends))
    return paths


def _spans(views: CableViews, c: int) -> tuple[tuple[tuple[int, int, float], ...], Array]:
    first = int(views.begin[c])
    spans = []
    ends = []
    now: Any = views.now
    for e in range(first, int(views.begin[c + 1])):
        before = before_of(views, e) if views.now[e, TOUCHES] > 0.0 else -1
        if before >= 0:
            # The first row of a cable is the branch that its first piece begins with.
            spans.append((before - first - 1, e - first - 1, float(views.numbers[e, WEIGHT])))
            ends.append((now[before, OUT : OUT + 3].copy(), now[e, IN : IN + 3].copy()))
    return tuple(spans), np.array(ends).reshape(-1, 2, 3)


def cable_pulls(
    cables: Sequence[BodyCable], X_WB: Array, lengths: Array, tensions: Array
) -> Iterator[tuple[int, Array, Array]]:
    """What cables do to bodies but the world: the body, a place and a force in the world, shape (3,) each. `lengths`
    [m]; `tensions`, shape (n_cables, 2): before and behind what a cable rubs on [N]."""
    for cable, path, (before, behind) in zip(cables, cable_paths(cables, X_WB, lengths), tensions, strict=True):
        rubs = [number for number, part in enumerate(cable.parts) if part.friction > 0.0]
        for (first, last, weight), (start, end) in zip(path.spans, path.ends, strict=True):
            way = end - start
            length = float(np.linalg.norm(way))
            tension = weight * (before if rubs and last <= rubs[0] else behind)
            if cable.bodies[first] == cable.bodies[last] or length == 0.0:
                continue
            for part, place, sign in ((first, start, 1.0), (last, end, -1.0)):
                if cable.bodies[part]:
                    yield cable.bodies[part], place, sign * tension / length * way


def faults_of_cables(
    cables: Sequence[BodyCable], views: CableViews, slack: float
) -> Iterator[tuple[Source | None, str]]:
    """What is wrong with cables where they lie, and where it is written: ends inside of what they go round, and ways
    that are longer than a rigid cable by more than `slack` [m]."""
    for c, cable in enumerate(cables):
        way = path_length(views, c)
        for part in _inside(views, c, cable):
            yield part.source, f"the cable '{cable.name}' goes round a {part.kind.value} from a point inside of that"
        if not cable.stiffness and way > cable.length * (1.0 + slack) + slack:
            yield cable.source, f"the cable '{cable.name}' is {cable.length:.9g} m long, and its way {way:.9g} m"


def _inside(views: CableViews, c: int, cable: BodyCable) -> Iterator[CablePart]:
    # The first row of a cable is the branch that its first piece begins with.
    first = int(views.begin[c]) + 1
    for number, part in enumerate(cable.parts):
        if views.now[first + number, TOUCHES] == INSIDE:
            yield part


def lay_as_long(views: CableViews, c: int, length: float, lay: Callable[[], object]) -> None:
    """Whole turns are put on cylinders of a cable and taken off, until its way is as long as it is known to be [m], or
    no such turn comes nearer to that by half; `lay` lays it anew."""
    first, end = int(views.begin[c]), int(views.begin[c + 1])
    everything: Any = views.now
    now = everything[first:end]
    away = path_length(views, c) - length
    while abs(away) > SAME * length:
        before = now.copy()
        kept, nearest = before, 0.5 * abs(away)
        for e in range(end - first):
            for turns in _turns_off(views, first + e, away):
                now[:] = before
                now[e, LAST] -= turns * TWO_PI
                now[:, CENTRE] = np.nan  # else it is where it was, and is not looked at again
                lay()
                if abs(path_length(views, c) - length) < nearest:
                    kept, nearest = now.copy(), abs(path_length(views, c) - length)
        now[:] = kept
        if kept is before:
            return
        away = path_length(views, c) - length


def _turns_off(views: CableViews, e: int, away: float) -> set[int]:
    """As many turns as a cable that is too long by `away` [m] may have to be taken off a cylinder: all, and one, as
    where it passes by."""
    if views.part[e, 1] not in (PULLEY, GUIDE):
        return set()
    turn = TWO_PI * float(views.numbers[e, RADIUS] * views.numbers[e, WEIGHT])
    return {round(away / turn), 1, -1} - {0}


def _lines(views: CableViews, c: int) -> Iterator[Array]:
    """Each piece of a cable: ends of spans, and points on the arcs."""
    now: Any = views.now
    places: list[Array] = []
    for e in range(int(views.begin[c]), int(views.begin[c + 1])):
        if views.part[e, 1] == BRANCH:
            if len(places) > 1:
                yield np.array(places)
            places = []
        elif now[e, TOUCHES] > 0.0:
            before = places[-1] if places else now[e, IN : IN + 3]
            places += list(_arc(views, e, before)) if views.part[e, 1] != POINT else [now[e, IN : IN + 3].copy()]
    if len(places) > 1:
        yield np.array(places)


def _arc(views: CableViews, e: int, before: Array) -> Array:
    """Points from where a cable comes to a cylinder or sphere, from `before`, to where it leaves it, shape (n, 3)."""
    everything: Any = views
    now, numbers = everything.now[e], everything.numbers[e]
    centre = now[CENTRE : CENTRE + 3]
    first, last = now[IN : IN + 3] - centre, now[OUT : OUT + 3] - centre
    axis = numbers[SENSE] * now[ABOUT : ABOUT + 3]
    if views.part[e, 1] != GUIDE:
        # In the plane of how it comes; one that begins on it comes along its axis.
        normal = np.cross(first, now[IN : IN + 3] - before)
        length = float(np.linalg.norm(normal))
        axis = normal / length if length > 0.0 else axis
    wrap = float(now[WRAP])
    share = np.linspace(0.0, 1.0, max(2, math.ceil(PER_RADIAN * wrap) + 1))[:, None]
    low, high = float(first @ axis), float(last @ axis)
    out = first - low * axis
    turned = np.cos(share * wrap) * out + np.sin(share * wrap) * np.cross(axis, out)
    arc: Array = centre + turned + (low + share * (high - low)) * axis
    return arc
