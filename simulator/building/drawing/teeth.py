"""Teeth of the wheels of a sheet: true involutes, where a mesh has a module with whole numbers of teeth.

Wheels that mesh have one module. Their pitch circles give it: the largest standard one that gives each a whole number
of teeth, enough for none to be undercut if possible. Each then turns until its teeth are in the spaces of those before.
"""

from __future__ import annotations

import cmath
import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.bodies import clear_shapes, frame_of_bars, plain_wheel, thickness_of, width_of
from simulator.building.drawing.plan import HUB, RACK, WHEEL, toothed
from simulator.building.drawing.reading import plan_of
from simulator.building.parts.gears import gear_shape, rack_shape
from simulator.building.parts.involute import DEDENDUM, InvoluteGear
from simulator.building.shapes import placed
from simulator.errors import UsageError
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Plane, PlanLink, PlanMesh, Sketch
    from simulator.building.shapes import PlacedShape

MODULES = (0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 25.0)
"""Standard modules [mm] (ISO 54, series I)."""
ENOUGH, FEWEST, MOST = 17, 8, 200
"""Teeth without undercut at 20 degrees; the fewest and most that are chosen for a wheel."""
WHOLE = 1e-6
"""By how much a number of teeth may be off a whole one."""
SAME_ANGLE = 1e-9


def cut_teeth(draft: Draft, plane: Plane) -> None:
    """Give the wheels of a draft that was changed the teeth that they are to have, and a module where pitch circles
    mesh that have none. Wheels with other names for their radii stay as they are."""
    plan = plan_of(draft.check(), plane, draft.name)
    wheels = {link.name: link for link in plan.links if link.radius and link.name.startswith(WHEEL)}
    meshes = [mesh for mesh in plan.meshes if not mesh.belt and mesh.first in wheels and mesh.second in wheels]
    for group in _groups(wheels, meshes):
        racks = [mesh for mesh in plan.meshes if mesh.first in group and mesh.second.startswith(RACK)]
        known = _teeth_of(plan, [wheels[name] for name in group], least=1 if racks else 2)
        turns = _turns(wheels, meshes, known)
        for name, (module, teeth) in known.items():
            link = wheels[name]
            if link.teeth != (module, teeth) or abs(math.remainder(link.turn - turns[name], math.tau)) > SAME_ANGLE:
                _redraw(draft, plan, link, _gear(module, teeth), turns[name])
        for mesh in racks:
            rack = plan.link(mesh.second)
            if mesh.first in known and rack is not None:
                _redraw_rack(draft, plan, rack, wheels[mesh.first], (*known[mesh.first], turns[mesh.first]))


def common_module(radii: Iterable[float]) -> float | None:
    """The module [m] of wheels of these pitch radii [m] that mesh; None where no standard one gives whole numbers of
    teeth."""
    sizes = [2000.0 * radius for radius in radii]
    fitting = [
        module
        for module in reversed(MODULES)
        if all(abs(size / module - round(size / module)) <= WHOLE for size in sizes)
        and min(sizes) / module >= FEWEST
        and max(sizes) / module <= MOST
    ]
    best = next((module for module in fitting if min(sizes) / module >= ENOUGH), fitting[-1] if fitting else None)
    return None if best is None else best / 1000.0


def mating_turn(first: tuple[int, float], second: int, way: float) -> float:
    """How far a wheel of `second` teeth is turned [rad] so that it meshes with a `first` one of (teeth, turn) [rad];
    `way` [rad] points from that to it. Both have a tooth at angle 0 if they are not turned.

    In parts of the pitch: where the first one has a tooth on the line of centres, the second has the middle of a space.
    """
    teeth, turn = first
    at = (way - turn) * teeth / math.tau
    return way + math.pi + (at + 0.5) * math.tau / second


def _groups(wheels: dict[str, PlanLink], meshes: list[PlanMesh]) -> list[list[str]]:
    """Names of wheels that mesh with each other, and of those that are alone."""
    groups = {name: [name] for name in wheels}
    for mesh in meshes:
        one, two = groups[mesh.first], groups[mesh.second]
        if one is not two:
            one += two
            groups.update(dict.fromkeys(two, one))
    return list({id(group): group for group in groups.values()}.values())


def _teeth_of(plan: Sketch, group: list[PlanLink], *, least: int) -> dict[str, tuple[float, int]]:
    """Module and teeth of the wheels of a group that have some; they are chosen where `least` of them mesh."""
    known = {link.name: found for link in group if (found := toothed(plan.parameter(link.name))) is not None}
    open_ones = [link for link in group if plan.parameter(link.name) is None]
    modules = {module for module, _ in known.values()}
    module = next(iter(modules)) if len(modules) == 1 else None
    if not modules and len(group) >= least and len(open_ones) == len(group):
        module = common_module(link.radius for link in group)
    for link in open_ones if module is not None else ():
        teeth = 2.0 * link.radius / module if module else 0.0
        if abs(teeth - round(teeth)) <= WHOLE and FEWEST <= round(teeth) <= MOST:
            known[link.name] = (module or 0.0, round(teeth))
    return {name: found for name, found in known.items() if _can_be_cut(*found)}


def _can_be_cut(module: float, teeth: int) -> bool:
    try:
        InvoluteGear(module, teeth)
    except UsageError:
        return False
    return teeth <= MOST


def _turns(
    wheels: dict[str, PlanLink], meshes: list[PlanMesh], known: dict[str, tuple[float, int]]
) -> dict[str, float]:
    """The turn of each wheel [rad], from wheel to wheel along meshes; the first of each group has a tooth to the
    right."""
    turns: dict[str, float] = {}
    for start in known:
        pending = [] if start in turns else [start]
        turns.setdefault(start, 0.0)
        while pending:
            name = pending.pop()
            for mesh in meshes:
                other = {mesh.first: mesh.second, mesh.second: mesh.first}.get(name)
                if other is None or other in turns or other not in known or known[other][0] != known[name][0]:
                    continue
                (ax, ay), (bx, by) = wheels[name].places[0], wheels[other].places[0]
                way = math.atan2(by - ay, bx - ax)
                turns[other] = mating_turn((known[name][1], turns[name]), known[other][1], way) % math.tau
                pending.append(other)
    return turns


@lru_cache(maxsize=64)
def _gear(module: float, teeth: int) -> InvoluteGear:
    return InvoluteGear(module, teeth)


@lru_cache(maxsize=64)
def _shape(gear: InvoluteGear, thickness: float) -> PlacedShape:
    return gear_shape(gear, thickness, points=6)


def _redraw(draft: Draft, plan: Sketch, link: PlanLink, gear: InvoluteGear, turn: float) -> None:
    """The wheel with its teeth; a hub in its middle has its thickness."""
    item, plane = draft.links[link.name], plan.plane
    thickness = thickness_of(item)
    u, v = (np.array(way) for way in (plane.u, plane.v))
    c, s = math.cos(turn), math.sin(turn)
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([c * u + s * v, c * v - s * u, plane.normal, plane.point(link.places[0])])
    shape = placed(_shape(gear, thickness), Pose.from_matrix(matrix))
    hub = plain_wheel(plane, link.places[0], 0.25 * gear.root_radius, HUB * thickness)
    clear_shapes(item)
    item.weigh(shape)
    item.add_shapes(hub, shape)


def _redraw_rack(draft: Draft, plan: Sketch, rack: PlanLink, wheel: PlanLink, teeth: tuple[float, int, float]) -> None:
    """The rack with teeth of the module of its wheel, in the spaces of the `teeth` of that: module [m], number and turn
    [rad]. A bar behind them has its width."""
    module, count, turn = teeth
    item, plane = draft.links[rack.name], plan.plane
    width = width_of(item)
    a, b, c = (complex(*place) for place in (*rack.ends, wheel.places[0]))
    along = (b - a) / abs(b - a)
    up = 1j * along if ((c - a) / along).imag > 0.0 else -1j * along  # towards the wheel
    right = -1j * up
    pitch = math.pi * module
    number = max(int(abs(b - a) / pitch + WHOLE), 1)
    way = cmath.phase(-up)
    foot = ((c - 0.5 * (a + b)) / right).real - (way - turn) * count / math.tau * pitch  # a tooth of the wheel is there
    shift = math.remainder(foot + (0.5 * pitch if number % 2 else 0.0), pitch)
    middle = 0.5 * (a + b) + shift * right
    back = DEDENDUM * module + 0.5 * width
    u, v = (np.array(direction) for direction in (plane.u, plane.v))
    matrix = np.eye(4)
    matrix[:3] = np.column_stack(
        [right.real * u + right.imag * v, up.real * u + up.imag * v, plane.normal,
         plane.point((middle.real, middle.imag))]
    )  # fmt: skip
    shape = placed(rack_shape(module, number, width, back=back), Pose.from_matrix(matrix))
    ends = [((end - back * up).real, (end - back * up).imag) for end in (a, b)]
    clear_shapes(item)
    rail = frame_of_bars(plane, ends, width)
    item.weigh(*rail, shape)
    item.add_shapes(*rail, shape)
