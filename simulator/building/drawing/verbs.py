"""The changes that a gesture makes: bars, ground, slides, wheels, racks, motors, and what they join.

Each function changes a draft by the methods of `simulator.new`, and raises UsageError, in words for the user, for what
cannot be; the draft may then be changed in part, and the caller restores it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from string import ascii_lowercase
from typing import TYPE_CHECKING

from simulator.api.drives import velocity
from simulator.api.loads import force, spring
from simulator.building.drawing.bodies import (
    below,
    block,
    frame_name,
    frame_of,
    frame_of_bars,
    hang,
    is_drawn,
    move_to_layer,
    plain_wheel,
    redraw,
    shares_frame,
    spindle,
    weight,
)
from simulator.building.drawing.collisions import MOST_LAYERS, free_layer
from simulator.building.drawing.plan import (
    BAR,
    BELT,
    PLATE,
    RACK,
    SAME,
    SCREW,
    SLIDER,
    WEIGHT,
    WHEEL,
    PlanLink,
    distance_to,
    edges,
    from_segment,
)
from simulator.building.drawing.space import bevel_radius
from simulator.building.drawing.space_verbs import mesh_bevel
from simulator.building.drawing.teeth import cut_teeth
from simulator.building.shapes import bar
from simulator.errors import UsageError
from simulator.formats.sdf.extensions import DRIVE, LOAD, SPRING
from simulator.formats.sdf.names import SCOPE
from simulator.formats.values import numbers_text
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, Sketch
    from simulator.building.joints import JointDraft

MOTOR = 2.0
"""Rate of a new motor [rad/s or m/s]."""
STIFFNESS, DAMPING = 100.0, 0.5
"""Of a new spring [N/m, N s/m]."""
MASS, FORCE = 1.0, 10.0
"""Of a new weight [kg], of a new force [N]."""
PITCH = 0.005
"""Way of a new screw for each turn [m]."""
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
    _add_flat(draft, plan, name, ends, width)
    for end in ends:
        join(draft, plan, name, end, within=width / 2.0)
    return name


def add_plate(draft: Draft, plan: Sketch, corners: Sequence[Place], width: float) -> str:
    """A frame of bars between three or more corners; corners on points or bodies become pins. Gives its name."""
    if len(corners) < 3 or min(math.dist(a, b) for a, b in edges(corners)) <= SAME:
        raise UsageError("a plate has three corners or more: click on each, and on the first one again")
    across = [math.hypot(b[0] - corners[0][0], b[1] - corners[0][1]) for b in corners[1:]]
    if max(from_segment(at, corners[0], corners[1]) for at in corners[2:]) <= SAME * max(1.0, *across):
        raise UsageError("the corners of a plate are not in one line")
    name = _free(draft, PLATE)
    _add_flat(draft, plan, name, corners, width)
    for corner in corners:
        join(draft, plan, name, corner, within=width / 2.0)
    return name


def _add_flat(draft: Draft, plan: Sketch, name: str, corners: Sequence[Place], width: float) -> None:
    """A bar or plate in a layer that is free where it is drawn, with a frame at each corner."""
    hang(draft, plan.plane, name, *frame_of_bars(plan.plane, corners, width, free_layer(plan, corners, width)))
    for mark, at in zip(ascii_lowercase, corners, strict=False):
        draft.frame(f"{name}_{mark}", plan.plane.point(at), attached_to=name)


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
        name = _free(draft, "ground")
        if plan.plane.link == WORLD:
            draft.world.frame(name, plan.seen.point(place))
        else:
            draft.frame(name, plan.plane.point(place), attached_to=plan.plane.link)
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
    hang(draft, plan.plane, name, block(plan.plane, place, unit, width))
    draft.frame(f"{name}_a", plan.plane.point(place), attached_to=name)
    _slide(draft, plan, name, place, unit)
    if point is not None and point.bodies:
        _pin(draft, plan, point.bodies[0], name, place)
    return name


def add_wheel(draft: Draft, plan: Sketch, centre: Place, radius: float, width: float) -> str:
    """A wheel by its pitch circle, pinned to the point at its centre, else to the ground; it meshes with the wheels
    and racks whose pitch circle or line it touches. Gives its name."""
    if not radius > 2.0 * TOUCHING:
        raise UsageError("a wheel has a radius: press at its centre and drag")
    name = _free(draft, WHEEL)
    hang(draft, plan.plane, name, plain_wheel(plan.plane, centre, radius, width / 2.0))
    draft.frame(f"{name}_a", plan.plane.point(centre), attached_to=name)
    point = plan.point_at(centre)
    carrier = _first_ground(point.links)[0] if point is not None and point.links else WORLD
    _pin(draft, plan, carrier, name, centre)
    for other in plan.links:
        if meets(other, centre, radius):
            over = plan.plane.link if carrier == WORLD else carrier
            draft.gear(_free(draft, "mesh"), other.name, name, ratio=other.radius / radius, carrier=over)
        elif other.name.startswith(RACK) and _touches(other, centre, radius):
            _mesh_rack(draft, plan, other, _hinge(draft, plan, name), centre)
    cut_teeth(draft, plan.plane)
    for wheel in plan.wheels:
        size = bevel_radius(wheel, centre)
        if size and abs(size - radius) < TOUCHING and _carrier(draft, wheel.name) == _carrier(draft, name):
            mesh_bevel(draft, plan, wheel, name, centre, _free(draft, "mesh"))
    return name


def add_rack(draft: Draft, plan: Sketch, ends: tuple[Place, Place], width: float) -> str:
    """A rack by its pitch line, sliding on the ground along it; it meshes with the wheel whose pitch circle it
    touches. Gives its name."""
    if math.dist(*ends) <= SAME:
        raise UsageError("a rack has a length: draw its pitch line from one end to the other")
    name = _free(draft, RACK)
    a, b = (plan.plane.point(end) for end in ends)
    hang(draft, plan.plane, name, bar(a, b, width=width / 2.0, normal=plan.plane.normal))
    for mark, at in zip("ab", (a, b), strict=True):
        draft.frame(f"{name}_{mark}", at, attached_to=name)
    _slide(draft, plan, name, ends[0], (ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]))
    from_here = PlanLink(name, ends)
    for other in plan.links:
        if other.radius and _touches(from_here, other.places[0], other.radius):
            _mesh_rack(draft, plan, from_here, _hinge(draft, plan, other.name), other.places[0])
            cut_teeth(draft, plan.plane)
            break
    return name


def add_screw(draft: Draft, plan: Sketch, place: Place, way: Place, width: float) -> str:
    """A slide on the ground, and a spindle along it that moves it: `PITCH` for each turn. Gives the spindle's name."""
    slider = add_slider(draft, plan, place, way, width)
    unit = (way[0] / math.hypot(*way), way[1] / math.hypot(*way))
    name, turn = _free(draft, SCREW), _free(draft, "turn")
    hang(draft, plan.plane, name, spindle(plan.plane, place, unit, width))
    draft.frame(f"{name}_a", plan.plane.point(place), attached_to=name)
    at, axis = below(plan.plane, place, width), plan.plane.way(unit)
    draft.revolute(turn, plan.plane.link, name, at=at, axis=axis, **frame_of(plan.plane))
    slide = next(key for key, joint in draft.joints.items() if _ends(joint) == (plan.plane.link, slider))
    draft.mimic(slide, turn, multiplier=PITCH / (2.0 * math.pi))
    return name


def add_belt(draft: Draft, plan: Sketch, ends: tuple[Place, Place]) -> str:
    """An open belt around two wheels on one carrier: both turn the same way. Gives the name of its joint."""
    found = [plan.link_at(end, SAME) for end in ends]
    wheels = [link for link in found if link is not None and link.radius]
    if len(wheels) != 2 or wheels[0] is wheels[1]:
        raise UsageError("a belt runs around two wheels: draw it from one to the other")
    first, second = wheels
    if any({mesh.first, mesh.second} == {first.name, second.name} for mesh in plan.meshes):
        raise UsageError(f"'{first.name}' and '{second.name}' are coupled already")
    carriers = [_carrier(draft, wheel.name) for wheel in wheels]
    if carriers[0] != carriers[1]:
        raise UsageError("both wheels of a belt turn on the ground, or on one body")
    name = _free(draft, BELT)
    draft.gear(name, first.name, second.name, ratio=-first.radius / second.radius, carrier=carriers[0])
    return name


def add_weight(draft: Draft, plan: Sketch, place: Place, width: float) -> str:
    """A disc of `MASS` on the body at a place. Gives its name."""
    body = _body_at(draft, plan, place)
    if body == WORLD:
        raise UsageError("a weight hangs on a body: click on one")
    name = _free(draft, WEIGHT)
    hang(draft, plan.plane, name, weight(plan.plane, place, MASS, width))
    draft.frame(f"{name}_a", plan.plane.point(place), attached_to=name)
    draft.fixed(_free(draft, "weld"), body, name)
    return name


def set_mass(draft: Draft, plan: Sketch, name: str, mass: float) -> None:
    """Give a weight another mass [kg]."""
    link = plan.link(name)
    if link is None or name not in plan.masses:
        raise UsageError(f"'{name}' is no weight")
    if not 0.0 < mass < 1e9:
        raise UsageError(f"a mass is above 0 kg, not {mass!r}")
    redraw(draft, replace(plan, masses={**plan.masses, name: mass}), link, link.corners)


def add_force(draft: Draft, plan: Sketch, place: Place, way: Place) -> None:
    """A force of `FORCE` on the body at a place, along a direction of the plane that stays."""
    body = _body_at(draft, plan, place)
    if body == WORLD:
        raise UsageError("a force acts on a body: press on one and drag along the force")
    length = math.hypot(*way)
    unit = plan.seen.way((way[0] / length, way[1] / length))
    draft.load(force(body, tuple(FORCE * part for part in unit), at=plan.plane.point(place)))


def set_force(draft: Draft, plan: Sketch, number: int, size: float) -> None:
    """Give a force of the plan another size [N]; a negative one turns it round."""
    found = next(item for item in plan.forces if item.number == number)
    if not (math.isfinite(size) and size):
        raise UsageError("a force is a number other than 0 N; Delete removes it")
    share = size / math.hypot(*found.force)
    item = draft.element.all(LOAD)[number]
    item.set("force", numbers_text(plan.seen.way((share * found.force[0], share * found.force[1]))))


def _body_at(draft: Draft, plan: Sketch, place: Place) -> str:
    """The body of a point, or that which is drawn at a place; the world where there is none, and for what does not
    move. Raises UsageError for one whose frame is elsewhere."""
    point = plan.point_at(place)
    body = None if point is not None else plan.link_at(place, SAME)
    link = point.links[0] if point is not None and point.links else body.name if body is not None else WORLD
    link = WORLD if point is not None and point.is_ground else link
    if link != WORLD and not shares_frame(draft.links[link], plan.plane):
        raise UsageError(f"'{link}' has a frame of its own: write what acts on it in the document")
    return link


def add_spring(draft: Draft, plan: Sketch, ends: tuple[Place, Place]) -> None:
    """A spring between points of two bodies, or of a body and the ground, relaxed at its present length."""
    sides = [(_body_at(draft, plan, place), place) for place in ends]
    (first, here), (second, there) = sorted(sides, key=lambda side: side[0] == WORLD)
    is_world = second == plan.plane.link == WORLD
    at, other_at = plan.plane.point(here), (plan.seen if is_world else plan.plane).point(there)
    if first == second:
        raise UsageError("a spring acts between two bodies, or a body and the ground: draw it from one to the other")
    length = math.dist(*ends)
    other = plan.plane.link if second == WORLD else second
    draft.load(spring(first, other, at=at, other_at=other_at, stiffness=STIFFNESS, damping=DAMPING, free_length=length))


def set_follower(draft: Draft, plan: Sketch, leader: Place, follower: Place) -> None:
    """Let the joint at one place turn or slide as that at another one does, 1 to 1; a second time, no longer."""
    names = [_joint_at(draft, plan, place) for place in (leader, follower)]
    if names[1] in plan.motors:
        raise UsageError(f"'{names[1]}' has a motor: click on it with Motor to remove that first")
    if plan.follows.get(names[1]) == names[0]:
        draft.joints[names[1]].remove("axis/mimic")
    else:
        draft.mimic(names[1], names[0])


def set_motor(draft: Draft, plan: Sketch, place: Place, rate: float | None) -> str:
    """A motor at a pin or slide that turns or moves at a constant `rate` [rad/s or m/s], or none. Gives the joint.
    Raises UsageError for a joint that follows another one."""
    name = _joint_at(draft, plan, place)
    leader = "" if rate is None else _leader_of(draft, name)
    if leader:
        raise UsageError(f"'{name}' follows '{leader}': put the motor there")
    for item in draft.world.element.all(DRIVE):
        if item.get("axis") == name:
            draft.world.element.remove(item)
    if rate is not None:
        draft.drive(name, velocity(rate))
    return name


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
            gone += (draft if name in draft.frames else draft.world).delete(name, everything=True)
        return gone
    drawn = plan.spring_at(place, within)
    pushed = next((item.number for item in plan.forces if math.dist(item.place, place) <= within), None)
    for tag, number in ((SPRING, drawn), (LOAD, pushed)):
        if number is not None:
            item = draft.element.all(tag)[number]
            draft.element.remove(item)
            return [item.tag]
    link = plan.link_at(place, within)
    if link is None:
        raise UsageError("there is nothing to delete here")
    return draft.delete(link.name, everything=True)


def set_layer(draft: Draft, plan: Sketch, name: str, layer: int) -> None:
    """Draw a bar or plate `layer` thicknesses in front of the plane, behind it where that is negative; joints stay."""
    link = plan.link(name)
    if link is None or link.layer is None or not is_drawn(draft, plan, link):
        raise UsageError(f"'{name}' is in no layer: bars and plates that were drawn here are")
    if abs(layer) > MOST_LAYERS:
        raise UsageError(f"a layer is a whole number from -{MOST_LAYERS} to {MOST_LAYERS}, not {layer}")
    move_to_layer(draft, plan, link, layer)


def set_kind(draft: Draft, plan: Sketch, joint: str, kind: str) -> None:
    """Make a joint one of another kind: a slide along the first bar that has it, a hinge across the plane; axes of
    others are those of the hinge. Raises UsageError for what nothing can be drawn with."""
    part = draft.joints[joint]
    child, parent = (plan.link(part.get(end)) for end in ("child", "parent"))
    part.become(kind)
    if kind == "fixed":
        return
    bars = [link for link in (child, parent) if link is not None and link.is_bar]
    way = plan.plane.normal
    if kind == "prismatic":
        a, b = bars[0].ends if bars else ((0.0, 0.0), (1.0, 0.0))
        way = plan.plane.way(((b[0] - a[0]) / math.dist(a, b), (b[1] - a[1]) / math.dist(a, b)))
    for tag in ("axis", "axis2"):
        if part.element.child(tag) is not None:
            part.set(f"{tag}/xyz", way if tag == "axis" else plan.plane.u)
            part.set(f"{tag}/xyz@expressed_in", frame_name(plan.plane))


def _joint_at(draft: Draft, plan: Sketch, place: Place) -> str:
    """The joint at a place, that on the ground first. Raises UsageError where there is none."""
    point = plan.point_at(place)
    names = [] if point is None else [*point.joints, *point.slides]
    if not names:
        raise UsageError("there is no pin or slide here")
    return sorted(names, key=lambda name: draft.joints[name].get("parent") != plan.plane.link)[0]


def _leader_of(draft: Draft, name: str) -> str:
    """The joint that another one follows, by a gear, a belt, a rack or a relation, or ""."""
    mechanism = draft.check().mechanism
    axis = mechanism.axis_index(f"{draft.name}{SCOPE}{name}")
    found = next((one.leader for one in mechanism.couplings if one.ties and one.follower == axis), None)
    return "" if found is None else mechanism.axes[found].name.rpartition(SCOPE)[2]


def _pin(draft: Draft, plan: Sketch, parent: str, child: str, place: Place) -> None:
    plane = plan.plane
    over = plane.link if parent == WORLD else parent
    draft.revolute(_free(draft, "pin"), over, child, at=plane.point(place), axis=plane.normal, **frame_of(plane))


def _slide(draft: Draft, plan: Sketch, link: str, place: Place, way: Place) -> None:
    """On the ground, along a direction of the plane."""
    plane = plan.plane
    at, axis = plane.point(place), plane.way(way)
    draft.prismatic(_free(draft, "slide"), plane.link, link, at=at, axis=axis, **frame_of(plane))


def _first_ground(links: Iterable[str]) -> list[str]:
    return sorted(links, key=lambda link: link != WORLD)


def _free(draft: Draft, stem: str) -> str:
    """A name that nothing has."""
    taken = {*draft.named("link", "joint", "frame", "model"), *draft.world.named("link", "joint", "frame", "model")}
    return next(name for number in range(1, len(taken) + 2) if (name := f"{stem}_{number}") not in taken)


def meets(other: PlanLink, centre: Place, radius: float) -> bool:
    """Whether the pitch circle of a wheel touches that of another one from outside."""
    return bool(other.radius) and abs(math.dist(other.places[0], centre) - other.radius - radius) < TOUCHING


def _touches(line: PlanLink, centre: Place, radius: float) -> bool:
    return abs(distance_to(line, centre) - radius) < TOUCHING


def _hinge(draft: Draft, plan: Sketch, link: str) -> str:
    """The joint about which a wheel turns on the ground."""
    for name, joint in draft.joints.items():
        if joint.get("child") == link and joint.get("parent") == plan.plane.link and joint.type == "revolute":
            return name
    raise UsageError(f"'{link}' does not turn on the ground; a rack meshes with a wheel that does")


def _ends(joint: JointDraft) -> tuple[str, str]:
    return joint.get("parent"), joint.get("child")


def _carrier(draft: Draft, link: str) -> str:
    """What a wheel turns on."""
    for joint in draft.joints.values():
        if joint.get("child") == link and joint.type == "revolute":
            return joint.get("parent")
    raise UsageError(f"'{link}' turns on nothing")


def _mesh_rack(draft: Draft, plan: Sketch, rack: PlanLink, hinge: str, centre: Place) -> None:
    """The rack's way = the velocity of the pitch point per angle, along the rack."""
    a, b = rack.places[:2]
    length = math.dist(a, b)
    unit = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    share = (centre[0] - a[0]) * unit[0] + (centre[1] - a[1]) * unit[1]
    arm = (a[0] + share * unit[0] - centre[0], a[1] + share * unit[1] - centre[1])
    slide = next(name for name, joint in draft.joints.items() if joint.get("child") == rack.name)
    draft.mimic(slide, hinge, multiplier=-arm[1] * unit[0] + arm[0] * unit[1])
