"""Points of a sketch so that lengths are what they are to be, and the draft with its points there.

Unknown are the places of the points that nothing holds. Each length, slide, pin on a bar and pair of wheels that mesh
is an equation; Newton's method with the least change of all places in each step finds the nearest solution. Where there
is none, least squares tell by how much the chain misses, and which bar would have to be shorter or longer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.bodies import is_drawn, redraw
from simulator.building.drawing.plan import SAME, edges, from_segment
from simulator.errors import UsageError
from simulator.formats.sdf.extensions import LOAD, SPRING
from simulator.formats.values import numbers_text
from simulator.model.joint import WORLD
from simulator.model.lengths import LengthValues
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, Plane, PlanLink, PlanPoint, Sketch
    from simulator.building.part import PartDraft
    from simulator.formats.editing.tree import EditableElement
    from simulator.spatial.arrays import Array, Ints

STEPS = 60
"""Of Newton's method, at most."""
EXACT = 1e-13
"""Error of an equation over the size of the sketch at which it holds."""
SLIGHT = 1e-9
"""Error over that size above which a chain misses."""


@dataclass(frozen=True)
class Distance:
    """Points `a` and `b`, of the plane or of space, are `length` apart [m]; `link` is what would have to change."""

    a: int
    b: int
    length: float
    link: str

    @property
    def size(self) -> float:
        """By which the worst equation of a chain is chosen."""
        return self.length

    def error(self, x: Array) -> float:
        """Of the points `x` [m], shape (n, 2) or (n, 3)."""
        return float(np.linalg.norm(x[self.b] - x[self.a])) - self.length

    def row(self, x: Array, out: Array) -> None:
        """Add the derivatives by all coordinates."""
        way = x[self.b] - x[self.a]
        unit = way / (float(np.linalg.norm(way)) or 1.0)
        out[self.a] -= unit
        out[self.b] += unit


@dataclass(frozen=True)
class Flat:
    """A weighted sum of points along a direction is `value`: a slide, or a pin that stays on its bar."""

    weights: tuple[tuple[int, float], ...]
    direction: tuple[float, ...]
    value: float
    link: str
    size = 0.0

    def error(self, x: Array) -> float:
        """See `Distance`."""
        return float(sum(share * np.dot(self.direction, x[at]) for at, share in self.weights)) - self.value

    def row(self, _x: Array, out: Array) -> None:
        """See `Distance`."""
        for at, share in self.weights:
            out[at] += share * np.array(self.direction)


def lengths_of(plan: Sketch) -> dict[str, float]:
    """Lengths that are locked or named, by link [m]. Raises UsageError for names without a value."""
    return {item.link: value for item, value in LengthValues(plan.parameters) if item.link}


def solved(
    plan: Sketch,
    lengths: Mapping[str, float],
    put: Mapping[int, Place] | None = None,
    *,
    loose: Sequence[int] = (),
) -> tuple[Place, ...]:
    """Places of all points of a plan, as near to those before as `lengths` of links [m] and the places `put` of some
    points by their number allow. What is on the ground stays, but for points that are `loose`. Raises UsageError, with
    what is missing, where there are none."""
    put = put or {}
    x = np.array([put.get(number, point.place) for number, point in enumerate(plan.points)]).reshape(-1, 2)
    held = [n in put or (point.is_ground and n not in loose) for n, point in enumerate(plan.points)]
    free = np.flatnonzero(~np.array(held, dtype=bool))
    equations = _equations(plan, lengths, put)
    move_least(plan, equations, x, free, max(lengths.values(), default=0.0))
    return tuple((float(a), float(b)) for a, b in x)


def move_least(plan: Sketch, equations: Sequence[Distance | Flat], x: Array, free: Ints, least: float) -> None:
    """Move the `free` ones of the points `x` [m], shape (n, 2) or (n, 3), as little as the equations allow; they hold
    to round-off of the extent of the points, or of `least` [m] where that is more. Raises UsageError, with what is
    missing, where there is no solution."""
    size = max(float(np.ptp(x, axis=0).max(initial=0.0)), least, SAME)
    for _ in range(STEPS):
        errors, rows = _linear(equations, x, free)
        if np.abs(errors).max(initial=0.0) <= EXACT * size:
            break
        x[free] -= np.linalg.lstsq(rows, errors, rcond=1e-10)[0].reshape(-1, x.shape[1])
    if np.abs(errors).max(initial=0.0) > SLIGHT * size:
        _say_miss(plan, equations, x, free)


def _linear(equations: Sequence[Distance | Flat], x: Array, free: Ints) -> tuple[Array, Array]:
    """Errors of the equations and their rows over the free coordinates."""
    errors = np.array([equation.error(x) for equation in equations])
    rows = np.zeros((len(equations), *x.shape))
    for equation, row in zip(equations, rows, strict=True):
        equation.row(x, row)
    return errors, rows[:, free].reshape(len(equations), x.shape[1] * len(free))


def _say_miss(plan: Sketch, equations: Sequence[Distance | Flat], x: Array, free: Ints) -> None:
    """Raise UsageError: by how much the chain is too long or too short where it comes nearest."""
    from scipy.optimize import least_squares  # here: only a chain that does not close needs it

    def errors(values: Array) -> Array:
        x[free] = values.reshape(-1, x.shape[1])
        return _linear(equations, x, free)[0]

    if free.size:
        best = least_squares(errors, x[free].ravel(), xtol=1e-12, ftol=1e-12, gtol=1e-12)
        x[free] = best.x.reshape(-1, x.shape[1])
    missed = [(equation.error(x), equation) for equation in equations]
    total = sum(abs(error) for error, _ in missed)
    most = max(abs(error) for error, _ in missed)
    # Where a chain does not close, its longest bar is longer than all others together, and each shares the error.
    error, worst = max((item for item in missed if abs(item[0]) > 0.3 * most), key=lambda item: item[1].size)
    known = plan.parameter(worst.link)
    name = worst.link if known is None or not known.name else known.name
    raise UsageError(f"it misses by {total:.4g} m: {'shorten' if error < 0.0 else 'lengthen'} '{name}'")


def _equations(plan: Sketch, lengths: Mapping[str, float], put: Mapping[int, Place]) -> list[Distance | Flat]:
    found: list[Distance | Flat] = []
    for link in plan.links:
        numbers = [n for n, point in enumerate(plan.points) if link.name in point.links]
        if not link.is_bar:
            continue
        a, b = (_number_at(plan, end) for end in link.ends)
        if link.name in lengths:
            found.append(Distance(a, b, lengths[link.name], link.name))
        for n in numbers:
            if n not in (a, b, *put) and from_segment(plan.points[n].place, *link.ends) <= SAME:
                found += _on_bar(plan, link, n, (a, b))
    for joint, (_, unit) in plan.slides.items():
        for n, point in enumerate(plan.points):
            if joint in point.slides and n not in put and not point.is_ground:
                across = (-unit[1], unit[0])
                value = across[0] * point.place[0] + across[1] * point.place[1]
                found.append(Flat(((n, 1.0),), across, value, point.bodies[0]))
    return [*found, *_touching(plan, lengths)]


def _on_bar(plan: Sketch, link: PlanLink, number: int, ends: tuple[int, int]) -> list[Flat]:
    """A pin keeps its share of the length."""
    share = math.dist(plan.points[number].place, link.ends[0]) / math.dist(*link.ends)
    weights = ((number, 1.0), (ends[0], share - 1.0), (ends[1], -share))
    return [Flat(weights, direction, 0.0, link.name) for direction in ((1.0, 0.0), (0.0, 1.0))]


def _touching(plan: Sketch, lengths: Mapping[str, float]) -> list[Distance | Flat]:
    """Wheels that mesh, and a wheel and its rack, stay as far apart as radii say; those of a belt may be anywhere."""
    found: list[Distance | Flat] = []
    for mesh in plan.meshes:
        first, second = plan.link(mesh.first), plan.link(mesh.second)
        if mesh.belt or first is None or second is None:
            continue
        radius = lengths.get(first.name, first.radius)
        centre = _number_at(plan, first.places[0])
        if second.radius:
            other = _number_at(plan, second.places[0])
            total = radius + lengths.get(second.name, second.radius)
            found.append(Distance(centre, other, total, second.name))
        elif second.is_bar:
            (ax, ay), (bx, by) = second.ends
            across = ((ay - by) / second.length, (bx - ax) / second.length)
            far = across[0] * (first.places[0][0] - ax) + across[1] * (first.places[0][1] - ay)
            weights = ((centre, 1.0), (_number_at(plan, second.ends[0]), -1.0))
            found.append(Flat(weights, across, math.copysign(radius, far), first.name))
    return found


def _number_at(plan: Sketch, place: Place) -> int:
    return min(range(len(plan.points)), key=lambda n: math.dist(plan.points[n].place, place))


# -- the draft ---------------------------------------------------------------------------------------------------------


def put_points(draft: Draft, plan: Sketch, places: Sequence[Place], radii: Mapping[str, float] | None = None) -> None:
    """Move the points of a draft to other places, in their order: links that have them are drawn anew, joints, frames,
    loads and springs follow. `radii`: new ones of wheels [m]. Raises UsageError for links that were not drawn here."""
    radii = radii or {}
    moved = {n: at for n, at in enumerate(places) if math.dist(at, plan.points[n].place) > 0.0}
    for link in plan.links:
        numbers = {n for n, point in enumerate(plan.points) if link.name in point.links}
        if numbers.isdisjoint(moved) and link.name not in radii:
            continue
        if not is_drawn(draft, plan, link):
            raise UsageError(f"'{link.name}' was not drawn here: its shape would no longer fit its pins")
        if link.name in plan.bevels:
            raise UsageError(f"'{link.name}' meshes with a wheel of another plane: delete one of them first")
        redraw(draft, plan, link, _corners(plan, link, places), radii.get(link.name, 0.0))
    _move_ends(draft, plan, places)
    for n, at in moved.items():
        _move_marks(draft, plan, plan.points[n], at)


def _corners(plan: Sketch, link: PlanLink, places: Sequence[Place]) -> tuple[Place, ...]:
    """Where its corners are to be, with pins that are no longer on the lines between them."""
    corners = [places[_number_at(plan, at)] for at in (link.corners or link.outline)]
    pins = [places[n] for n, point in enumerate(plan.points) if link.name in point.links]
    if len(corners) < 2 or link.name.startswith("rack"):
        return tuple(corners)
    off = [at for at in pins if min(from_segment(at, a, b) for a, b in edges(corners)) > SAME]
    return (*corners, *off)


def _move_marks(draft: Draft, plan: Sketch, point: PlanPoint, to: Place) -> None:
    joints, frames, marks = draft.joints, draft.frames, draft.world.frames
    own: list[PartDraft] = [joints[name] for name in (*point.joints, *point.slides)]
    own += [frames[name] for name in point.frames if name in frames]
    _put_parts(own, plan.plane, point.place, to)
    _put_parts([marks[name] for name in point.frames if name not in frames], plan.seen, point.place, to)


def _put_parts(parts: Sequence[PartDraft], plane: Plane, place: Place, to: Place) -> None:
    """Joints and frames, whose places are in the frame of a plane."""
    target = np.array(plane.point(to))
    shift = target - np.array(plane.point(place))
    for part in parts:
        frame = part.get("pose@relative_to")
        kept = frame if frame == plane.link else ""
        part.place(_moved(part, target, shift, is_own=kept == frame), kept)


def _moved(part: PartDraft, target: Array, shift: Array, *, is_own: bool) -> tuple[float, ...]:
    """Where a joint or frame is to be: at the target, or as far off the plane as before, where it `is_own` in the frame
    of the plane."""
    words = [float(word) for word in part.get("pose").split()][:3]
    if len(words) == 3 and is_own:
        old = np.array(words)
        off = old + shift - target
        if float(np.abs(off).max()) > SAME:
            return tuple((old + shift).tolist())
    return tuple(target.tolist())


def _move_ends(draft: Draft, plan: Sketch, places: Sequence[Place]) -> None:
    """Loads and springs that act at a point, or along a body, stay where they are on it."""
    for tag, sides in ((LOAD, (("link", "at"),)), (SPRING, (("link", "at"), ("other", "other_at")))):
        for item in draft.element.all(tag):
            for link, at in sides:
                _move_end(plan, places, item, link, at)


def _move_end(plan: Sketch, places: Sequence[Place], item: EditableElement, link: str, at: str) -> None:
    owner = plan.link(item.get(link))
    words = [float(word) for word in item.get(at, "0 0 0").split()]
    if item.get(link) == WORLD or owner is None or len(words) != 3:
        return
    place = plan.plane.place(words)
    near = plan.point_at(place)
    if near is not None:
        moved = places[plan.points.index(near)]
    elif owner.is_bar:
        share = math.dist(place, owner.ends[0]) / math.dist(*owner.ends)
        a, b = (places[_number_at(plan, end)] for end in owner.ends)
        moved = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    else:
        return
    if math.dist(moved, place) > 0.0:
        item.set(at, numbers_text(plan.plane.point(moved)))
