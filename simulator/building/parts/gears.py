"""Shapes of toothed parts: spur and helical gears, internal gears, racks, bevel gears, worms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.meshes import MeshData, circle, counter_clockwise, grid_surface
from simulator.building.parts.involute import ADDENDUM, DEDENDUM, RingGear, from_polar, involute, rack_outline, repeated
from simulator.building.parts.solids import prism, prism_mesh, prism_solid
from simulator.building.shapes import ALUMINIUM, PlacedShape, from_mesh
from simulator.errors import UsageError
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.building.parts.involute import InvoluteGear
    from simulator.building.shapes import Color

    Points = NDArray[np.float64]

FINE = 200
"""Points of an involute of which the mass is computed: the chords miss less than 1e-7 of it."""


def gear_shape(
    gear: InvoluteGear,
    width: float,
    *,
    bore: float = 0.0,
    pose: Pose = IDENTITY,
    helix: float = 0.0,
    points: int = 10,
    density: float = ALUMINIUM,
    color: Color = "",
    collides: bool = False,
) -> PlacedShape:
    """An external gear about z, `width` [m] thick, a tooth towards +x; `helix` [rad] is the helix angle at the pitch
    circle, right-handed where positive. Raises UsageError for a bore that reaches into the teeth."""
    if not 0.0 <= bore < 0.95 * gear.root_radius:
        raise UsageError(
            f"a bore of radius {bore:g} m leaves nothing of a gear whose root radius is {gear.root_radius:g}"
        )
    name = f"gear_m{gear.module * 1e3:g}_z{gear.teeth}"
    twist = width * math.tan(helix) / gear.pitch_radius
    if collides and twist:
        raise UsageError("helical teeth do not touch each other here: contact is of convex pieces")
    return prism(
        gear.outline(points),
        gear.outline(FINE),
        _width(width),
        name,
        bore=bore,
        pose=pose,
        twist=twist,
        density=density,
        color=color,
        collides=collides,
        touched=_teeth(gear, width, name, points, pose) if collides else (),
        repeats=gear.teeth,
    )


def _teeth(gear: InvoluteGear, width: float, name: str, points: int, pose: Pose) -> tuple[tuple[MeshData, Pose], ...]:
    """The teeth one by one, from where their involutes begin: each is convex."""
    flank = gear.flank(points)
    flank = flank[flank[:, 0] >= gear.form_radius * (1.0 - 1e-12)]
    tooth = from_polar(np.vstack([flank * (1.0, -1.0), flank[::-1]]))
    mesh = prism_mesh(tooth, width, f"{name}_tooth")
    turns = (2.0 * math.pi * i / gear.teeth for i in range(gear.teeth))
    return tuple((mesh, pose @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, turn))) for turn in turns)


def ring_shape(
    ring: RingGear,
    width: float,
    *,
    outer: float = 0.0,
    pose: Pose = IDENTITY,
    points: int = 10,
    density: float = ALUMINIUM,
    color: Color = "",
    collides: bool = False,
) -> PlacedShape:
    """An internal gear about z; `outer` is the radius of its rim [m], two and a half modules beyond the teeth by
    default."""
    rim = outer or ring.root_radius + 2.5 * ring.module
    if rim <= ring.root_radius:
        raise UsageError(f"the rim of an internal gear is outside of its teeth, beyond {ring.root_radius:g} m")
    mesh = prism_mesh(
        circle(rim, 120), _width(width), f"ring_m{ring.module * 1e3:g}_z{ring.teeth}", [ring.outline(points)]
    )
    disc = prism_solid(circle(rim, 2000), width)
    hole = prism_solid(ring.outline(FINE), width)
    volume = disc[0] - hole[0]
    inertia = (disc[0] * disc[2] - hole[0] * hole[2]) / volume
    solid = (volume, (0.0, 0.0, 0.0), inertia)
    return PlacedShape(((mesh, pose),), ((solid, pose),), density, None, color, collides, "teeth")


def rack_shape(
    module: float,
    teeth: int,
    width: float,
    *,
    back: float = 0.0,
    pressure_angle: float = math.radians(20.0),
    thinning: float = 0.0,
    pose: Pose = IDENTITY,
    density: float = ALUMINIUM,
    color: Color = "",
    collides: bool = False,
) -> PlacedShape:
    """A rack along x, teeth towards +y, its pitch line at y = 0."""
    outline = rack_outline(module, teeth, back or 4.0 * module, pressure_angle=pressure_angle, thinning=thinning)
    name = f"rack_m{module * 1e3:g}_z{teeth}"
    return prism(outline, outline, _width(width), name, pose=pose, density=density, color=color, collides=collides)


def bevel_shape(
    module: float,
    teeth: int,
    mate: int,
    face: float,
    *,
    bore: float = 0.0,
    thinning: float = 0.0,
    pressure_angle: float = math.radians(20.0),
    pose: Pose = IDENTITY,
    density: float = ALUMINIUM,
    color: Color = "",
) -> PlacedShape:
    """A straight bevel gear about z with its apex at the origin and a tooth towards +x; it meets one of `mate` teeth at
    a right angle. `face` [m] is the length of its teeth along the pitch cone, `module` that at their outer ends.

    Tredgold's approximation: unrolled, the back cone shows a spur gear of z / cos(cone angle) teeth. Raises UsageError
    for a face that reaches the apex.
    """
    cone = math.hypot(teeth, mate) * module / 2.0
    if not 0.0 < face <= 0.5 * cone:
        raise UsageError(
            f"the face of a bevel gear is above 0 and at most half of its cone, {cone / 2.0:g} m, not {face:g}"
        )
    heel = bevel_heel(module, teeth, mate, pressure_angle=pressure_angle, thinning=thinning)
    toe = heel * (1.0 - face / cone)
    azimuth = np.arctan2(heel[:, 1], heel[:, 0])

    def ring(radius: float, z: float) -> Points:
        return np.column_stack([radius * np.cos(azimuth), radius * np.sin(azimuth), np.full(len(azimuth), z)])

    front, back = float(toe[:, 2].max()), float(heel[:, 2].max()) + 0.8 * module
    inner = float(np.linalg.norm(toe[:, :2], axis=1).min())
    outer = float(np.linalg.norm(heel[:, :2], axis=1).min())
    hole = bore or 0.3 * inner
    if hole >= inner:
        raise UsageError(f"a bore of radius {bore:g} m reaches into the teeth of a bevel gear, from {inner:g} m on")
    hub = max(0.8 * inner, 0.5 * (inner + hole))
    loops = [ring(hole, front), ring(hub, front), toe, heel, ring(0.8 * outer, back), ring(hole, back)]
    faces = grid_surface(np.stack(loops, axis=1), close_u=True, close_v=True)
    mesh = MeshData(f"bevel_m{module * 1e3:g}_z{teeth}_{mate}", faces)
    return from_mesh(mesh, pose, density=density, color=color, name="teeth")


def bevel_heel(
    module: float, teeth: int, mate: int, *, pressure_angle: float = math.radians(20.0), thinning: float = 0.0
) -> Points:
    """The outer ends of the teeth (n, 3) of a bevel gear, as in `bevel_shape`, counter-clockwise from +x."""
    angle = math.atan2(teeth, mate)
    cosine = math.cos(angle)
    virtual = teeth / cosine
    radius = module * virtual / 2.0
    base = radius * math.cos(pressure_angle)
    heights = np.array([-DEDENDUM, -1.1, -0.9, -0.6, -0.3, 0.0, 0.35, 0.7, ADDENDUM]) * module
    flank = []
    for height in heights.tolist():
        r = radius + height
        at_pitch = (math.pi * module / 2.0 - thinning) / (2.0 * radius)
        half = at_pitch + involute(pressure_angle) - involute(math.acos(min(base / r, 1.0)))
        flank.append((r * cosine, half / cosine))
    one = np.array(flank)
    polar = repeated(np.vstack([one * (1.0, -1.0), one[::-1]]), teeth)
    along = module * mate / 2.0 - (polar[:, 0] - module * teeth / 2.0) * math.tan(angle)
    return np.column_stack([from_polar(polar), along])


def worm_shape(
    module: float,
    starts: int,
    diameter: float,
    length: float,
    *,
    pressure_angle: float = math.radians(20.0),
    thinning: float = 0.0,
    pose: Pose = IDENTITY,
    density: float = ALUMINIUM,
    color: Color = "",
) -> PlacedShape:
    """A right-handed worm about z with straight flanks in its axial section (ZA of ISO 10828): axial module `module`,
    `diameter` at its pitch cylinder, `length` [m]. Its threads end at half their pitch from the ends of the core.

    The surface is a grid over turn and height: the radius that the section has there.
    """
    lead = math.pi * module * starts
    root, tip = diameter / 2.0 - DEDENDUM * module, diameter / 2.0 + ADDENDUM * module
    if root <= 0.0:
        raise UsageError(f"a worm of diameter {diameter:g} m has no core at a module of {module:g} m")
    steps = 48
    turns = np.arange(steps) * (2.0 * math.pi / steps)
    heights = np.linspace(-length / 2.0, length / 2.0, 24 * max(1, math.ceil(length / (math.pi * module))) + 1)
    phase = (heights[None, :] - lead * turns[:, None] / (2.0 * math.pi)) / (math.pi * module)
    off = np.abs(phase - np.round(phase)) * math.pi * module  # from the middle of the next thread
    slope = math.tan(pressure_angle)
    at_pitch = math.pi * module / 4.0 - thinning / 2.0
    radius = np.clip(diameter / 2.0 + (at_pitch - off) / slope, root, tip)
    fade = np.clip((length / 2.0 - np.abs(heights)) / (math.pi * module / 2.0), 0.0, 1.0)
    radius = root + (radius - root) * fade[None, :]
    surface = np.stack([radius * np.cos(turns)[:, None], radius * np.sin(turns)[:, None],
                        np.broadcast_to(heights, radius.shape)], axis=2)  # fmt: skip
    sides = grid_surface(surface, close_u=True, close_v=False)
    ends = []
    for place, z in ((-1, heights[-1]), (0, heights[0])):
        rim = surface[:, place]
        middle = np.broadcast_to(np.array([0.0, 0.0, z]), rim.shape)
        fan = np.stack([middle, rim, np.roll(rim, -1, axis=0)], axis=1)
        ends.append(fan if place else fan[:, ::-1])
    mesh = MeshData(f"worm_m{module * 1e3:g}_{starts}", np.concatenate([sides, *ends]))
    return from_mesh(mesh, pose, density=density, color=color, name="thread")


def outline_shape(
    outline: Points,
    thickness: float,
    name: str,
    *,
    bore: float = 0.0,
    pose: Pose = IDENTITY,
    density: float = ALUMINIUM,
    color: Color = "",
    collides: bool = False,
) -> PlacedShape:
    """Any other outline (n, 2), extruded, with a bore about its origin."""
    points = counter_clockwise(outline)
    return prism(
        points, points, _width(thickness), name, bore=bore, pose=pose, density=density, color=color, collides=collides
    )


def _width(width: float) -> float:
    if not 0.0 < width < 100.0:
        raise UsageError(f"a width is above 0 [m], not {width!r}")
    return float(width)
