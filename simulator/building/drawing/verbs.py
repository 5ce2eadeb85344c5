"""The changes that a gesture makes: bars, ground, slides, wheels, racks, motors, and what they join.

Each function changes a draft by the methods of `simulator.new`, and raises UsageError, in words for the user, for what
cannot be; the draft may then be changed in part, and the caller restores it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.drives import velocity
from simulator.api.loads import spring
from simulator.building.drawing.plan import SAME, PlanLink, distance_to
from simulator.building.shapes import bar, box, cylinder, placed
from simulator.errors import UsageError
from simulator.formats.sdf.extensions import DRIVE, SPRING
from simulator.model.joint import WORLD
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, Sketch
    from simulator.building.links import LinkDraft
    from simulator.building.shapes import PlacedShape

BAR, WHEEL, RACK, SLIDER = "bar", "gear", "rack", "slider"
"""Names of what is drawn begin with these."""
BLOCK = 1.2
"""Height of the block of a slide over the width of a bar."""
MOTOR = 2.0
"""Rate of a new motor [rad/s or m/s]."""
STIFFNESS, DAMPING = 100.0, 0.5
"""Of a new spring [N/m, N s/m]."""
TOUCHING = 1e-6
"""Pitch circles nearer than this mesh [m]."""


def add_bar(draft: Draft, plan: Sketch, ends: tuple[Place, Place], width: float) -> str:
    """A bar between two places, `width` [m] across; an end on a point or on a body becomes a pin there. Gives its
    name."""
    if math.dist(*ends) <= SAME:
        raise UsageError("a bar has a length: draw it from one place to another")
    joined = [plan.point_at(end) for end in ends]
    if joined[0] is not None and joined[1] is not None:
        shared = [link for link in joined[0].bodies if link in joined[1].bodies]
        if shared:
            raise UsageError(f"'{shared[0]}' joins these two points already")
    name = _free(draft, BAR)
    layer = _layer(draft, plan, [link for point in joined if point is not None for link in point.bodies])
    a, b = (plan.plane.point(end) for end in ends)
    draft.link(name, bar(a, b, width=width, normal=plan.plane.normal, offset=layer * width / 2.0))
    for mark, at in zip("ab", (a, b), strict=True):
        draft.frame(f"{name}_{mark}", at, attached_to=name)
    for end in ends:
        join(draft, plan, name, end, within=width / 2.0)
    return name


def join(draft: Draft, plan: Sketch, link: str, place: Place, *, within: float) -> None:
    """Pin a link to what is at a place: a point, or the body that is drawn there."""
    point = plan.point_at(place)
    others = _first_ground(point.links) if point is not None else []
    if point is None:
        body = plan.link_at(place, within)
        others = [body.name] if body is not None and body.name != link else []
    if others:
        _pin(draft, plan, others[0], link, place)


def add_ground(draft: Draft, plan: Sketch, place: Place) -> None:
    """Ground at a place: a pin to the world of the link that has a point there, else a mark to which ends snap."""
    point = plan.point_at(place)
    if point is not None and point.is_ground:
        raise UsageError("this point is on the ground already")
    if point is None or not point.bodies:
        draft.world.frame(_free(draft, "ground"), plan.plane.point(place))
        return
    _pin(draft, plan, WORLD, point.bodies[0], place)


def add_slider(draft: Draft, plan: Sketch, place: Place, way: Place, width: float) -> str:
    """A block that slides on the ground along a direction of the plane, pinned to what is at its place. Gives its
    name."""
    length = math.hypot(*way)
    if length <= SAME:
        raise UsageError("a slide has a direction: press on a point and drag along the slide")
    point = plan.point_at(place)
    if point is not None and point.is_ground:
        raise UsageError("this point is on the ground: it cannot slide, too")
    unit = (way[0] / length, way[1] / length)
    name = _free(draft, SLIDER)
    draft.link(name, _block(plan, place, unit, width))
    draft.frame(f"{name}_a", plan.plane.point(place), attached_to=name)
    draft.prismatic(_free(draft, "slide"), WORLD, name, at=plan.plane.point(place), axis=plan.plane.point(unit))
    if point is not None and point.bodies:
        _pin(draft, plan, point.bodies[0], name, place)
    return name


def add_wheel(draft: Draft, plan: Sketch, centre: Place, radius: float, width: float) -> str:
    """A wheel by its pitch circle, pinned to the point at its centre, else to the ground; it meshes with the wheels
    and racks whose pitch circle or line it touches. Gives its name."""
    if not radius > 2.0 * TOUCHING:
        raise UsageError("a wheel has a radius: press at its centre and drag")
    name = _free(draft, WHEEL)
    at = plan.plane.point(centre)
    draft.link(name, cylinder(radius, width / 2.0, at, axis=plan.plane.normal))
    draft.frame(f"{name}_a", at, attached_to=name)
    point = plan.point_at(centre)
    carrier = _first_ground(point.links)[0] if point is not None and point.links else WORLD
    _pin(draft, plan, carrier, name, centre)
    for other in plan.links:
        if other.radius and abs(math.dist(other.places[0], centre) - other.radius - radius) < TOUCHING:
            draft.gear(_free(draft, "mesh"), other.name, name, ratio=other.radius / radius, carrier=carrier)
        elif other.name.startswith(RACK) and _touches(other, centre, radius):
            _mesh_rack(draft, plan, other, _hinge(draft, name), centre)
    return name


def add_rack(draft: Draft, plan: Sketch, ends: tuple[Place, Place], width: float) -> str:
    """A rack by its pitch line, sliding on the ground along it; it meshes with the wheel whose pitch circle it
    touches. Gives its name."""
    if math.dist(*ends) <= SAME:
        raise UsageError("a rack has a length: draw its pitch line from one end to the other")
    name = _free(draft, RACK)
    a, b = (plan.plane.point(end) for end in ends)
    draft.link(name, bar(a, b, width=width / 2.0, normal=plan.plane.normal))
    for mark, at in zip("ab", (a, b), strict=True):
        draft.frame(f"{name}_{mark}", at, attached_to=name)
    way = tuple(y - x for x, y in zip(a, b, strict=True))
    draft.prismatic(_free(draft, "slide"), WORLD, name, at=a, axis=way)
    from_here = PlanLink(name, ends)
    for wheel in plan.links:
        if wheel.radius and _touches(from_here, wheel.places[0], wheel.radius):
            _mesh_rack(draft, plan, from_here, _hinge(draft, wheel.name), wheel.places[0])
            break
    return name


def add_spring(draft: Draft, plan: Sketch, ends: tuple[Place, Place]) -> None:
    """A spring between points of two bodies, or of a body and the ground, relaxed at its present length."""
    sides = []
    for place in ends:
        point = plan.point_at(place)
        body = None if point is not None else plan.link_at(place, SAME)
        link = point.links[0] if point is not None and point.links else body.name if body is not None else WORLD
        link = WORLD if point is not None and point.is_ground else link
        if link != WORLD and draft.links[link].element.child("pose") is not None:
            raise UsageError(f"'{link}' has a frame of its own: write its spring in the document")
        sides.append((link, plan.plane.point(place)))
    (first, at), (second, other_at) = sorted(sides, key=lambda side: side[0] == WORLD)
    if first == second:
        raise UsageError("a spring acts between two bodies, or a body and the ground: draw it from one to the other")
    length = math.dist(*ends)
    draft.load(
        spring(first, second, at=at, other_at=other_at, stiffness=STIFFNESS, damping=DAMPING, free_length=length)
    )


def set_follower(draft: Draft, plan: Sketch, leader: Place, follower: Place) -> None:
    """Let the joint at one place turn or slide as that at another one does, 1 to 1; a second time, no longer."""
    names = [_joint_at(draft, plan, place) for place in (leader, follower)]
    if plan.follows.get(names[1]) == names[0]:
        draft.joints[names[1]].remove("axis/mimic")
    else:
        draft.mimic(names[1], names[0])


def set_motor(draft: Draft, plan: Sketch, place: Place, rate: float | None) -> str:
    """A motor at a pin or slide that turns or moves at a constant `rate` [rad/s or m/s], or none. Gives the joint."""
    name = _joint_at(draft, plan, place)
    for item in draft.world.element.all(DRIVE):
        if item.get("axis") == name:
            draft.world.element.remove(item)
    if rate is not None:
        draft.drive(name, velocity(rate))
    return name


def move_point(draft: Draft, plan: Sketch, place: Place, to: Place) -> None:
    """Put the point at a place elsewhere: the bars that end there change their length, all joints stay closed."""
    point, other = plan.point_at(place), plan.point_at(to)
    if point is None:
        raise UsageError("there is no point here to move")
    if other is not None and other is not point:
        raise UsageError("there is a point already: draw a bar to it instead")
    for name in point.bodies:
        link = plan.link(name)
        if link is None or not _is_drawn(draft, link):
            raise UsageError(f"'{name}' was not drawn here: its shape would no longer fit its pins")
        moved = tuple(to if math.dist(at, point.place) <= SAME else at for at in link.places)
        _redraw(draft, plan, link, moved)
    target = plan.plane.point(to)
    joints, frames = draft.joints, {**draft.world.frames, **draft.frames}
    for joint in (*point.joints, *point.slides):
        joints[joint].place(target)
    for frame in point.frames:
        frames[frame].place(target)


def set_length(draft: Draft, plan: Sketch, name: str, length: float) -> None:
    """Make a bar as long as `length` [m]: the end moves that is not on the ground, the second where both may."""
    link = plan.link(name)
    if link is None or not link.is_bar:
        raise UsageError(f"'{name}' has no length that could be set")
    if not 2.0 * SAME < length < 1e6:
        raise UsageError(f"a length is above 0 [m], not {length!r}")
    a, b = link.places
    if _is_ground(plan, b) and not _is_ground(plan, a):
        a, b = b, a
    elif _is_ground(plan, b):
        raise UsageError(f"both ends of '{name}' are on the ground")
    factor = length / link.length
    move_point(draft, plan, b, (a[0] + factor * (b[0] - a[0]), a[1] + factor * (b[1] - a[1])))


def delete_at(draft: Draft, plan: Sketch, place: Place, within: float) -> list[str]:
    """Delete the pins at a point, or the body that is drawn there with all that hangs on it; gives the names of what
    is gone."""
    point = plan.point_at(place, within)
    gone: list[str] = []
    if point is not None and (point.joints or point.slides):
        for name in (*point.joints, *point.slides):
            gone += draft.delete(name, everything=True) if name in draft.joints else []
        return gone
    if point is not None and not point.bodies:
        for name in point.frames:
            gone += draft.world.delete(name, everything=True)
        return gone
    number = plan.spring_at(place, within)
    if number is not None:
        item = draft.element.all(SPRING)[number]
        draft.element.remove(item)
        return [item.tag]
    link = plan.link_at(place, within)
    if link is None:
        raise UsageError("there is nothing to delete here")
    return draft.delete(link.name, everything=True)


def _joint_at(draft: Draft, plan: Sketch, place: Place) -> str:
    """The joint at a place, that on the ground first. Raises UsageError where there is none."""
    point = plan.point_at(place)
    names = [] if point is None else [*point.joints, *point.slides]
    if not names:
        raise UsageError("there is no pin or slide here")
    return sorted(names, key=lambda name: draft.joints[name].get("parent") != WORLD)[0]


def _pin(draft: Draft, plan: Sketch, parent: str, child: str, place: Place) -> None:
    name = _free(draft, "pin")
    draft.revolute(name, parent, child, at=plan.plane.point(place), axis=plan.plane.normal)


def _first_ground(links: Iterable[str]) -> list[str]:
    return sorted(links, key=lambda link: link != WORLD)


def _is_ground(plan: Sketch, place: Place) -> bool:
    point = plan.point_at(place)
    return point is not None and point.is_ground


def _free(draft: Draft, stem: str) -> str:
    """A name that nothing has."""
    taken = {*draft.named("link", "joint", "frame", "model"), *draft.world.named("link", "joint", "frame", "model")}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{stem}_{number}") not in taken)


def _layer(draft: Draft, plan: Sketch, neighbours: list[str]) -> int:
    """The lowest layer along the normal in which no bar is that the new one is pinned to."""
    taken = {_layer_of(draft.links[name], plan) for name in neighbours if name.startswith(BAR)}
    return next(layer for layer in range(len(taken) + 1) if layer not in taken)


def _layer_of(link: LinkDraft, plan: Sketch) -> int:
    """Of a bar: how many thicknesses it is drawn off the plane."""
    offset = sum(a * float(b) for a, b in zip(plan.plane.normal, link.get("visual[bar]/pose").split(), strict=False))
    return round(offset / (_width_of(link) / 2.0))


def _width_of(link: LinkDraft) -> float:
    return float(link.get("visual[bar]/geometry/box/size").split()[1])


def _is_drawn(draft: Draft, link: PlanLink) -> bool:
    """Whether its shape is one of those made here."""
    item = draft.links[link.name]
    paths = {
        BAR: "visual[bar]/geometry/box/size",
        WHEEL: "visual[visual]/geometry/cylinder/length",
        SLIDER: "visual[slider]/geometry/box/size",
    }
    known = next((path for stem, path in paths.items() if link.name.startswith(f"{stem}_")), "")
    return bool(known and item.get(known)) and item.element.child("pose") is None


def _redraw(draft: Draft, plan: Sketch, link: PlanLink, places: tuple[Place, ...]) -> None:
    """The same kind of body through other points, with the mass that follows."""
    item = draft.links[link.name]
    if link.radius:
        thickness = float(item.get("visual[visual]/geometry/cylinder/length"))
        shape = cylinder(link.radius, thickness, plan.plane.point(places[0]), axis=plan.plane.normal)
    elif link.name.startswith(SLIDER):
        way = next((unit for at, unit in plan.slides.values() if math.dist(at, link.places[0]) <= SAME), (1.0, 0.0))
        width = float(item.get("visual[slider]/geometry/box/size").split()[1]) / BLOCK
        shape = _block(plan, places[0], way, width)
    else:
        a, b = (plan.plane.point(place) for place in _ends_of(places))
        width = _width_of(item)
        shape = bar(a, b, width=width, normal=plan.plane.normal, offset=_layer_of(item, plan) * width / 2.0)
    for tag in ("inertial", "visual"):
        for old in item.element.all(tag):
            item.element.remove(old)
    item.weigh(shape)
    item.add_shapes(shape)


def _ends_of(places: tuple[Place, ...]) -> tuple[Place, Place]:
    """The two that are furthest apart: others are pins on the bar between them."""
    pairs = [(a, b) for number, a in enumerate(places) for b in places[number + 1 :]]
    return max(pairs, key=lambda pair: math.dist(*pair))


def _block(plan: Sketch, place: Place, unit: Place, width: float) -> PlacedShape:
    """A block along a direction of the plane, below the bars."""
    plane = plan.plane
    x, z = plane.point(unit), plane.normal
    y = tuple(np.cross(z, x).tolist())
    middle = tuple(a - width / 2.0 * n for a, n in zip(plane.point(place), z, strict=True))
    turned = Pose.from_matrix(_matrix(x, y, z, middle))
    return placed(box((1.8 * width, BLOCK * width, width / 2.0), color="steel", name=SLIDER), turned)


def _matrix(x: Sequence[float], y: Sequence[float], z: Sequence[float], at: Sequence[float]) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([x, y, z, at])
    return matrix


def _touches(line: PlanLink, centre: Place, radius: float) -> bool:
    return abs(distance_to(line, centre) - radius) < TOUCHING


def _hinge(draft: Draft, link: str) -> str:
    """The joint about which a wheel turns on the ground."""
    for name, joint in draft.joints.items():
        if joint.get("child") == link and joint.get("parent") == WORLD and joint.type == "revolute":
            return name
    raise UsageError(f"'{link}' does not turn on the ground; a rack meshes with a wheel that does")


def _mesh_rack(draft: Draft, plan: Sketch, rack: PlanLink, hinge: str, centre: Place) -> None:
    """The rack's way = the velocity of the pitch point per angle, along the rack."""
    a, b = rack.places[:2]
    length = math.dist(a, b)
    unit = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    share = (centre[0] - a[0]) * unit[0] + (centre[1] - a[1]) * unit[1]
    arm = (a[0] + share * unit[0] - centre[0], a[1] + share * unit[1] - centre[1])
    slide = next(name for name, joint in draft.joints.items() if joint.get("child") == rack.name)
    draft.mimic(slide, hinge, multiplier=-arm[1] * unit[0] + arm[0] * unit[1])
