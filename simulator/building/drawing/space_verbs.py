"""Changes out of the plane of a sheet: hinges whose axes are tilted, and bevel gears between wheels of two planes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.bodies import clear_shapes, frame_name, thickness_of
from simulator.building.drawing.plan import HUB
from simulator.building.drawing.space import bevel_ratio
from simulator.building.drawing.teeth import common_module
from simulator.building.parts.gears import bevel_shape
from simulator.building.shapes import cylinder, placed
from simulator.errors import UsageError
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import OtherWheel, Place, Sketch
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

HINGES = ("revolute", "continuous")
FACE = 0.3
"""Length of the teeth of bevel gears over that of their pitch cone."""
SQUARE = 1e-9
"""Cosine of the angle of two shafts below which they are at a right angle."""


def tilt_pin(draft: Draft, plan: Sketch, place: Place, axis: Vec3) -> None:
    """Give the hinges at a place another axis, by its components along u, v and the normal of the plane."""
    point = plan.point_at(place)
    names = [] if point is None else [name for name in point.joints if plan.kinds.get(name) in HINGES]
    if point is None or not names:
        raise UsageError("there is no hinge here: press on a pin and drag its axis")
    meshing = {name for mesh in plan.meshes for name in (mesh.first, mesh.second)} | plan.bevels
    held = [link for link in point.bodies if link in meshing]
    if held:
        raise UsageError(f"'{held[0]}' meshes: its axis stays across the plane")
    plane = plan.plane
    ways = np.column_stack([plane.u, plane.v, plane.normal])
    xyz = tuple(round(float(value), 15) + 0.0 for value in ways @ np.array(axis))
    for name in names:
        part = draft.joints[name]
        part.set("axis/xyz", xyz)
        part.set("axis/xyz@expressed_in", frame_name(plane))


def tilt_by(draft: Draft, plan: Sketch, name: str, angle: float) -> None:
    """Tilt the axis of a hinge by an angle [rad] from the normal, to the side to which it leans, or else about the
    first bar that it holds."""
    if not abs(angle) <= math.pi / 2.0:
        raise UsageError(f"an axis is tilted by at most 90 degrees, not {math.degrees(angle):g}")
    point = next(point for point in plan.points if name in point.joints)
    place = point.place
    bars = [link.ends for link in plan.links if link.name in point.bodies and link.is_bar]
    ways = [(a[1] - b[1], b[0] - a[0]) for a, b in bars]
    lean = plan.tilts.get(name, ways[0] if ways else (1.0, 0.0))
    size = math.hypot(*lean) or 1.0
    flat = math.sin(angle)
    tilt_pin(draft, plan, place, (flat * lean[0] / size, flat * lean[1] / size, math.cos(angle)))


def mesh_bevel(draft: Draft, plan: Sketch, wheel: OtherWheel, name: str, centre: Place, joint: str) -> None:
    """Let the wheel `name` about a place of the plane mesh with one of another plane, by a gear `joint`; at a right
    angle both get teeth of a module that gives each a whole number of them, if there is one."""
    carrier = next(item.get("parent") for item in draft.joints.values() if item.get("child") == name)
    assert wheel.touch is not None
    radius = math.dist(wheel.touch, centre)
    ratio = math.copysign(wheel.radius / radius, -bevel_ratio(plan.plane, wheel, centre))
    draft.gear(joint, wheel.name, name, ratio=ratio, carrier=carrier)
    module = common_module((wheel.radius, radius))
    square = abs(float(np.dot(wheel.axis, plan.plane.normal))) < SQUARE
    if module is None or not square or wheel.name in plan.bevels or _is_cut(draft, wheel.name):
        return
    one, two = (round(2.0 * size / module) for size in (wheel.radius, radius))
    contact, here = (np.array(plan.plane.point(place)) for place in (wheel.touch, centre))
    _cut(draft, wheel.name, (module, one, two), np.array(wheel.centre), (contact, here), turn=0.0)
    _cut(draft, name, (module, two, one), here, (contact, np.array(wheel.centre)), turn=math.pi / two)


def _is_cut(draft: Draft, name: str) -> bool:
    return bool(draft.links[name].get("visual[teeth]/geometry/mesh/uri"))


def _cut(
    draft: Draft, name: str, sizes: tuple[float, int, int], centre: Array, others: tuple[Array, Array], *, turn: float
) -> None:
    """Bevel teeth on a wheel. `sizes`: module [m], its teeth and those of its mate; `others`: the point of contact and
    the centre of the mate; `turn`: of a tooth from the contact [rad]."""
    module, teeth, mate = sizes
    contact, there = others
    item = draft.links[name]
    thickness = thickness_of(item)
    x = (contact - centre) / np.linalg.norm(contact - centre)
    apex = centre + there - contact  # shafts at a right angle: the corner opposite to the contact
    z = (centre - apex) / np.linalg.norm(centre - apex)
    y = np.cross(z, x)
    c, s = math.cos(turn), math.sin(turn)
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([c * x + s * y, c * y - s * x, z, apex])
    face = FACE * module * math.hypot(teeth, mate) / 2.0
    shape = placed(bevel_shape(module, teeth, mate, face), Pose.from_matrix(matrix))
    hub = cylinder(0.2 * module * teeth / 2.0, HUB * thickness, tuple(centre.tolist()), axis=tuple(z.tolist()))
    clear_shapes(item)
    item.weigh(shape)
    item.add_shapes(hub, shape)
