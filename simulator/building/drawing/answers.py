"""What a mechanism on a sheet does, before time passes: freedoms, the range of its driver and where that is dead, the
paths of all its points, its other assemblies, and by how much open ends miss each other."""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.freedoms import Cause, Reach, reach_of
from simulator.analysis.sweeps import Move, Route, Sweeper
from simulator.analysis.table import TracedPoint, body_point
from simulator.api.simulation import Simulation
from simulator.building.drawing.collisions import collisions
from simulator.building.drawing.plan import SAME, Sketch
from simulator.errors import SimulatorError
from simulator.formats.sdf.names import SCOPE
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.mechanism.types import MotionKind
from simulator.records import dataclass
from simulator.session.look.freedoms import free_axes_at_start
from simulator.session.open.reading_choices import FALLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.sweeps import Swept
    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, PlanLink
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Link
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

POINTS = 181
"""Of the paths of points."""
MOST = 12
"""Links of a mechanism whose other assemblies are looked for: the search begins at many places at random."""
SHOWN = 7
"""Other assemblies that are shown: more would hide the sheet."""
LOOSE = "it hangs on nothing yet"
NEARLY = 0.15
"""Part of the length of a bar by which its open end may miss another point for that to be meant."""


@dataclass(frozen=True)
class DriverRange:
    """How far the driver goes. `joint`: its name; `place`: where it is drawn [m]; `now`: where a bar of it points, or
    the unit along it is [rad]; `low` and `high`: its ends from now on [rad or m]; `dead`: whether these are dead
    points, `limited`: whether there is an end at all; `turns`: whether it turns or slides."""

    joint: str
    place: Place
    now: float
    low: float
    high: float
    dead: tuple[bool, bool] = (False, False)
    limited: tuple[bool, bool] = (False, False)
    turns: bool = True

    @property
    def is_full(self) -> bool:
        """Whether it turns fully."""
        return self.turns and not any(self.limited)


@dataclass(frozen=True)
class Answers:
    """`rank`: freedoms by rank, None where that cannot be said; `loose`: what falls, or ""; `paths`: of all points that
    move [m]; `assemblies`: places of all points of the sketch in other assemblies; `speeds`: velocities of joints over
    that of the driver; `miss`: an open end beside a point, in words; `collisions`: names of links, or a pin and a link,
    that meet along the range of the driver."""

    rank: int | None = None
    loose: str = ""
    driver: DriverRange | None = None
    paths: tuple[tuple[Place, ...], ...] = ()
    assemblies: tuple[tuple[Place, ...], ...] = ()
    speeds: dict[str, float] = field(default_factory=dict)
    miss: str = ""
    collisions: tuple[tuple[str, str], ...] = ()


def answers_of(draft: Draft, plan: Sketch, opened: Opened) -> Answers:
    """Everything about a draft that was read as `opened` and is on the sheet as `plan`."""
    miss = near_miss(plan)
    still = Answers(miss=miss, collisions=collisions(plan))
    loose = next((item for item in opened.diagnostics if item.code == FALLS), None)
    if loose is not None:
        return replace(still, loose=LOOSE)
    if opened.has_errors or plan.is_empty:
        return still
    try:
        start = opened.start or starting_pose(Kinematics(opened.mechanism), {}).state
    except SimulatorError:
        return still
    axes = free_axes_at_start(opened.mechanism, _driven(opened), start)
    if not axes:
        return replace(still, rank=0) if plan.joints else replace(still, loose=LOOSE)
    try:
        return _moving(draft, plan, replace(opened, start=start), axes, still)
    except SimulatorError:
        return replace(still, rank=len(axes))


def near_miss(plan: Sketch) -> str:
    """An open end of a bar that is beside another point: by how much it misses, and what the length would be."""
    found = [
        (math.dist(end, other.place), bar, end, other.place)
        for bar in plan.movers
        if bar.is_bar
        for end in bar.ends
        if _is_open(plan, end)
        for other in plan.points
        if bar.name not in other.links and (other.bodies or other.is_ground)
    ]
    near = [item for item in found if SAME < item[0] <= NEARLY * item[1].length]
    if not near:
        return ""
    gap, bar, end, target = min(near)
    start = bar.ends[0] if end == bar.ends[1] else bar.ends[1]
    wanted = math.dist(start, target)
    cure = "shorten" if wanted < bar.length else "lengthen"
    return f"'{bar.name}' misses a point by {gap:.4g} m: {cure} it to {wanted:.6g} m"


def _is_open(plan: Sketch, end: Place) -> bool:
    point = plan.point_at(end)
    return point is not None and not (point.joints or point.slides or point.is_ground)


def _driven(opened: Opened) -> list[int]:
    """The axes that the document drives."""
    driven = {drive.axis for drive in opened.world.drives}
    return [number for number, axis in enumerate(opened.mechanism.axes)
            if axis.name in driven or axis.name.rpartition(SCOPE)[2] in driven]  # fmt: skip


def _moving(draft: Draft, plan: Sketch, opened: Opened, axes: tuple[int, ...], still: Answers) -> Answers:
    """The first driven axis moves, the others stay."""
    mechanism, start = opened.mechanism, opened.start
    assert start is not None
    axis = _first_driver(plan, mechanism, [axis for axis in _driven(opened) if axis in axes] or axes)
    sweeper = Sweeper(Kinematics(mechanism).as_meant)
    others = [other for other in axes if other != axis]
    reach = reach_of(sweeper, start, mechanism, axis, axes)
    held = tuple(Move(other, float(start.position[other]), float(start.position[other])) for other in others)
    position = float(start.position[axis])
    sweeps = _sweeps(opened, sweeper, axis, held, reach)
    speeds = sweeper.along(start, Route((Move(axis, position, position + 1e-4), *held), 2), loads=False).ratio[0]
    names = [info.name.rpartition(SCOPE)[2] for info in mechanism.axes]
    return replace(
        still,
        rank=len(axes),
        driver=_range_of(plan, opened, axis, reach, position),
        paths=_paths(plan, opened, sweeps),
        assemblies=_assemblies(draft, plan, opened, {names[other]: float(start.position[other]) for other in axes}),
        speeds=dict(zip(names, speeds.tolist(), strict=True)),
        collisions=collisions(plan, partial(_track, plan, opened, sweeps)) if sweeps else still.collisions,
    )


def _first_driver(plan: Sketch, mechanism: Mechanism, axes: Sequence[int]) -> int:
    """The first axis of a joint that is on the sheet, or else of all."""
    shown = {name for point in plan.points for name in (*point.joints, *point.slides)}
    return next((axis for axis in axes if mechanism.axes[axis].joint.rpartition(SCOPE)[2] in shown), axes[0])


def _sweeps(opened: Opened, sweeper: Sweeper, axis: int, held: tuple[Move, ...], reach: Reach) -> list[Swept]:
    """Over the whole range of the driver: down from where it is, and up; one turn where it has no ends."""
    start = opened.start
    assert start is not None
    position = float(start.position[axis])
    whole = opened.mechanism.axes[axis].kind is MotionKind.ROTATION and not (reach.low.cause or reach.high.cause)
    ends = [position + 2.0 * math.pi] if whole else [reach.low.position, reach.high.position]
    if not whole and not any(end.cause for end in (reach.low, reach.high)):
        return []
    return [
        sweeper.along(start, Route((Move(axis, position, end), *held), POINTS), loads=False)
        for end in ends
        if abs(end - position) > SAME
    ]


def _paths(plan: Sketch, opened: Opened, sweeps: Sequence[Swept]) -> tuple[tuple[Place, ...], ...]:
    """Of every point that moves."""
    found = []
    for point in plan.points if sweeps else ():
        if point.bodies and not point.is_ground:
            joined = _track(plan, opened, sweeps, point.bodies[0], point.place)
            if float(np.ptp(joined, axis=0).max()) > SAME:
                found.append(tuple((float(x), float(y)) for x, y in joined))
    return tuple(found)


def _track(plan: Sketch, opened: Opened, sweeps: Sequence[Swept], link: str, place: Place) -> Array:
    """Places of a point of a link over the range of the driver, from end to end [m], shape (n, 2)."""
    parts = [_path(plan, opened, swept, link, place) for swept in sweeps]
    return np.array([*reversed(parts[0]), *parts[1]] if len(parts) == 2 else parts[0])


def _path(plan: Sketch, opened: Opened, swept: Swept, link: str, place: Place) -> list[Place]:
    model = next(item for item in opened.world.models if any(one.name.endswith(f"{SCOPE}{link}") for one in item.links))
    body = next(one for one in model.links if one.name == f"{model.name}{SCOPE}{link}")
    where = _moved(swept, body, plan.seen.point(place))
    base = next((one for one in model.links if one.name == f"{model.name}{SCOPE}{plan.plane.link}"), None)
    if base is None:
        return [plan.seen.place(at) for at in where.tolist()]
    plane = plan.seen  # it moves with the link on which it lies
    origin, u, v = (_moved(swept, base, plane.point(at)) for at in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    flat = [np.einsum("ni,ni->n", where - origin, end - origin) for end in (u, v)]
    return [(float(x), float(y)) for x, y in zip(*flat, strict=True)]


def _moved(swept: Swept, body: Link, point: Vec3) -> Array:
    """Places of a point of a link along a sweep [m], shape (n, 3); `point` is its place at the start of the
    document."""
    local = body.X_WL.inverse().transform(point)
    return np.asarray(swept.point_motion(*body_point(swept, TracedPoint(body.name, local)))[0])


def _range_of(plan: Sketch, opened: Opened, axis: int, reach: Reach, position: float) -> DriverRange | None:
    info = opened.mechanism.axes[axis]
    name = info.name.rpartition(SCOPE)[2]
    point = next((item for item in plan.points if name in (*item.joints, *item.slides)), None)
    if point is None:
        return None
    ends = (reach.low, reach.high)
    low, high = (end.position - position for end in ends)
    limited, dead = (bool(end.cause) for end in ends), (end.cause is Cause.DEAD_POINT for end in ends)
    flags = {"dead": tuple(dead), "limited": tuple(limited)}
    if info.kind is MotionKind.TRANSLATION:
        unit = plan.slides[name][1] if name in plan.slides else (1.0, 0.0)
        return DriverRange(name, point.place, math.atan2(unit[1], unit[0]), low, high, turns=False, **flags)  # type: ignore[arg-type]
    child = opened.mechanism.axes[axis].joint
    joint = next(one for model in opened.world.models for one in model.joints if one.name == child)
    bar = plan.link(joint.child_link.rpartition(SCOPE)[2])
    if float(np.dot(joint.axes[0].xyz_world, plan.seen.normal)) < 0.0:
        low, high = -high, -low
        flags = {key: value[::-1] for key, value in flags.items()}
    return DriverRange(name, point.place, _points_to(bar, point.place), low, high, **flags)  # type: ignore[arg-type]


def _points_to(link: PlanLink | None, place: Place) -> float:
    """Direction from a pin to the point of a link that is furthest from it [rad]."""
    places = [] if link is None else list(link.places)
    far = max(places, key=lambda at: math.dist(at, place), default=place)
    return math.atan2(far[1] - place[1], far[0] - place[0])


def _assemblies(draft: Draft, plan: Sketch, opened: Opened, at: dict[str, float]) -> tuple[tuple[Place, ...], ...]:
    """Places of all points where the chain closes otherwise, with the driver where it is."""
    if len(plan.links) > MOST or not opened.mechanism.loop_joints:
        return ()
    try:
        sim = Simulation(opened, solver="rows", dt=None, text=draft.to_sdf())
        branches = sim.branches(at)[1:]
        poses = sim.poses(branches) if len(branches) <= SHOWN else ()
    except SimulatorError:
        return ()
    names = [name.rpartition(SCOPE)[2] for name in sim.links]
    starts = {link.name.rpartition(SCOPE)[2]: link.X_WL for model in opened.world.models for link in model.links}
    found = []
    for branch in poses:
        places = []
        for point in plan.points:
            link = point.bodies[0] if point.bodies and not point.is_ground else ""
            if not link:
                places.append(point.place)
                continue
            local = starts[link].inverse().transform(plan.seen.point(point.place))
            there = branch[names.index(link)] @ np.array((*local, 1.0))
            places.append(plan.seen.place(there[:3].tolist()))
        if max(math.dist(a, b.place) for a, b in zip(places, plan.points, strict=True)) > SAME:
            found.append(tuple(places))
    return tuple(found)
