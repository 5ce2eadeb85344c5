"""Bodies as they are drawn: bars, frames of bars, wheels, blocks, spindles and weights, with the mass that follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.plan import (
    BAR,
    HUB,
    PLATE,
    RACK,
    SAME,
    SCREW,
    SLIDER,
    WEIGHT,
    WHEEL,
    edges,
)
from simulator.building.shapes import bar, box, cylinder, placed
from simulator.formats.sdf import extensions
from simulator.formats.sdf.names import MODEL_FRAME
from simulator.model.joint import WORLD
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, Plane, PlanLink, Sketch
    from simulator.building.links import LinkDraft
    from simulator.building.shapes import PlacedShape
    from simulator.spatial.arrays import Array

BLOCK = 1.2
"""Height of the block of a slide over the width of a bar."""
SPINDLE = (8.0, 0.25)
"""Length and radius of a spindle over the width of a bar."""
STEEL = 7850.0
"""Density of a weight [kg/m^3]."""
SIZES = {
    BAR: "visual[bar]/geometry/box/size",
    PLATE: "visual[bar]/geometry/box/size",
    RACK: "visual[bar]/geometry/box/size",
    WHEEL: "visual[visual]/geometry/cylinder/length",
    WEIGHT: "visual[visual]/geometry/cylinder/length",
    SCREW: "visual[visual]/geometry/cylinder/length",
    SLIDER: "visual[slider]/geometry/box/size",
}
"""Where the document has the size by which a body is drawn, by the stem of its name."""


def stem_of(name: str) -> str:
    """What a body is, by its name; "" where that is none of those that are drawn."""
    return next((stem for stem in SIZES if name.startswith(f"{stem}_")), "")


def is_drawn(draft: Draft, plan: Sketch, link: PlanLink) -> bool:
    """Whether its shape is one of those made here, in this plane."""
    item, path = draft.links[link.name], SIZES.get(stem_of(link.name), "")
    return bool(path and item.get(path)) and not link.ghost and shares_frame(item, plan.plane)


def shares_frame(item: LinkDraft, plane: Plane) -> bool:
    """Whether the frame of a link is that of a plane, so that places are the same in both."""
    pose = item.element.child("pose")
    if pose is None or plane.link == WORLD:
        return pose is None and plane.link == WORLD
    return pose.get("relative_to") == plane.link and not any(map(float, pose.words()))


def hang(draft: Draft, plane: Plane, name: str, *shapes: PlacedShape) -> None:
    """A link made of shapes in the frame of a plane; that is its own frame, too."""
    if plane.link == WORLD:
        draft.link(name, *shapes)
    else:
        draft.link(name, *shapes, pose=(0.0, 0.0, 0.0), relative_to=plane.link)


def frame_name(plane: Plane) -> str:
    """The frame of a plane, by its name in a model."""
    return MODEL_FRAME if plane.link == WORLD else plane.link


def frame_of(plane: Plane) -> dict[str, str]:
    """The keyword of a joint whose place and axes are in the frame of a plane."""
    return {} if plane.link == WORLD else {"relative_to": plane.link}


def frame_of_bars(plane: Plane, corners: Sequence[Place], width: float, layer: int = 0) -> tuple[PlacedShape, ...]:
    """A bar between two corners; a closed frame of bars along the edges between three or more."""
    return tuple(
        bar(plane.point(a), plane.point(b), width=width, normal=plane.normal, offset=layer * width / 2.0)
        for a, b in edges(corners)
    )


def plain_wheel(plane: Plane, centre: Place, radius: float, thickness: float) -> PlacedShape:
    """A disc of the radius of its pitch circle."""
    return cylinder(radius, thickness, plane.point(centre), axis=plane.normal)


def weight(plane: Plane, place: Place, mass: float, thickness: float) -> PlacedShape:
    """A disc of steel of that mass [kg]."""
    radius = math.sqrt(mass / (STEEL * math.pi * thickness))
    return cylinder(radius, thickness, plane.point(place), axis=plane.normal, mass=mass, color="steel")


def block(plane: Plane, place: Place, unit: Place, width: float) -> PlacedShape:
    """A block along a direction of the plane, below the bars."""
    x, z = plane.way(unit), plane.normal
    y = tuple(np.cross(z, x).tolist())
    turned = Pose.from_matrix(_matrix(x, y, z, below(plane, place, width)))
    return placed(box((1.8 * width, BLOCK * width, width / 2.0), color="steel", name=SLIDER), turned)


def spindle(plane: Plane, place: Place, unit: Place, width: float) -> PlacedShape:
    """A rod along a direction of the plane, through the block."""
    length, radius = (share * width for share in SPINDLE)
    return cylinder(radius, length, below(plane, place, width), axis=plane.way(unit), color="steel")


def below(plane: Plane, place: Place, width: float) -> tuple[float, ...]:
    """The middle of a block or spindle at a place of the plane [m]."""
    return tuple(a - width / 2.0 * n for a, n in zip(plane.point(place), plane.normal, strict=True))


def clear_shapes(link: LinkDraft) -> None:
    """Remove what the link looks like, and what it weighs by that."""
    for tag in ("inertial", "visual", extensions.BAR):
        for old in link.element.all(tag):
            link.element.remove(old)


def redraw(draft: Draft, plan: Sketch, link: PlanLink, corners: Sequence[Place], radius: float = 0.0) -> None:
    """The same kind of body through other points, with the mass that follows; `radius` of a wheel [m]."""
    item = draft.links[link.name]
    shapes = _shapes(plan, link, item, corners, radius)
    clear_shapes(item)
    item.weigh(*shapes)
    item.add_shapes(*shapes)


def _shapes(
    plan: Sketch, link: PlanLink, item: LinkDraft, corners: Sequence[Place], radius: float
) -> tuple[PlacedShape, ...]:
    stem, plane = stem_of(link.name), plan.plane
    if stem == SLIDER:
        width = float(item.get(SIZES[SLIDER]).split()[1]) / BLOCK
        return (block(plane, corners[0], _direction(plan, link), width),)
    if stem == SCREW:
        width = float(item.get(SIZES[SCREW])) / SPINDLE[0]
        return (spindle(plane, corners[0], _direction(plan, link), width),)
    if stem == WEIGHT:
        return (weight(plane, corners[0], plan.masses[link.name], float(item.get(SIZES[WEIGHT]))),)
    if stem == WHEEL:
        return (plain_wheel(plane, corners[0], radius or link.radius, thickness_of(item)),)
    return frame_of_bars(plane, corners, width_of(item), layer_of(item, plane))


def _direction(plan: Sketch, link: PlanLink) -> Place:
    """Of the slide at its place."""
    near = (unit for at, unit in plan.slides.values() if math.dist(at, link.places[0]) <= SAME)
    return next(near, (1.0, 0.0))


def move_to_layer(draft: Draft, plan: Sketch, link: PlanLink, layer: int) -> None:
    """Draw a bar or plate in another layer; its joints stay in the plane."""
    item = draft.links[link.name]
    shapes = frame_of_bars(plan.plane, link.outline, width_of(item), layer)
    clear_shapes(item)
    item.weigh(*shapes)
    item.add_shapes(*shapes)


def layer_of(link: LinkDraft, plane: Plane) -> int:
    """Of a bar: how many thicknesses it is drawn off the plane."""
    middle = [float(word) for word in link.get("visual[bar]/pose").split()[:3]]
    return round(plane.depth(middle) / (width_of(link) / 2.0))


def width_of(link: LinkDraft) -> float:
    """Of a bar [m]."""
    return float(link.get(SIZES[BAR]).split()[1])


def thickness_of(wheel: LinkDraft) -> float:
    """Of a wheel; one with teeth has a hub that is a little thicker [m]."""
    length = float(wheel.get(SIZES[WHEEL]))
    return length if not wheel.get("visual[teeth]/geometry/mesh/uri") else length / HUB


def _matrix(x: Sequence[float], y: Sequence[float], z: Sequence[float], at: Sequence[float]) -> Array:
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([x, y, z, at])
    return matrix
