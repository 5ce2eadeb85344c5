"""Makes the meshes of the example worlds: involute gears, a rack, wheels and a screw thread, as binary STL in metres.

    python scripts/make_gear_meshes.py            writes assets/meshes/*.stl
    python scripts/make_gear_meshes.py --check    makes them again in memory and compares them byte by byte

Everything lies in the x-y plane, centred at the origin, extruded along z. A gear has a tooth centred at +x; a rack runs
along x with its pitch line at y = 0 and, as its number of teeth is even, a tooth space centred at x = 0. The flanks are
true involutes (pressure angle 20 degrees) or, on the rack, the straight lines that they become; they mate with any gear
of the same module.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.building.meshes import cap, grid_surface, triangulated, wall
from simulator.building.parts.involute import involute
from simulator.building.parts.involute import rack_outline as involute_rack

Points = NDArray[np.float64]  # (n, 2) or (n, 3)
Faces = NDArray[np.float64]  # (n, 3, 3): triangles, corners counter-clockwise seen from outside

MESHES = Path(__file__).resolve().parent.parent / "assets" / "meshes"
GRID = 1e-8  # [m] coordinates are rounded to it, so that the files do not depend on the last digit of a sine
PRESSURE_ANGLE = math.radians(20.0)
ADDENDUM, DEDENDUM = 1.0, 1.25  # of the module
BACKLASH = 0.04  # of the module, along the pitch circle; each gear of a pair gives half
FILLET = 0.25  # of the module: stays in the clearance, where no mating tooth comes


# --- outlines ---------------------------------------------------------------------------------------------------------


def half_tooth_angle(radius: float, module: float, teeth: float) -> float:
    """Return half the angle of a tooth at `radius`: involute down to the base circle, radial below, filleted at its
    foot."""
    pitch_radius = module * teeth / 2.0
    base = pitch_radius * math.cos(PRESSURE_ANGLE)
    at_pitch = (math.pi / 2.0 - BACKLASH / 2.0) / teeth
    flank = at_pitch + involute(PRESSURE_ANGLE) - involute(math.acos(base / max(radius, base)))
    fillet = FILLET * module
    depth = min(max(pitch_radius - DEDENDUM * module + fillet - radius, 0.0), fillet)
    return flank + (fillet - math.sqrt(fillet**2 - depth**2)) / radius


def repeated(flank: Points, count: int) -> Points:
    """Return (radius, angle) pairs of a whole outline, counter-clockwise, from one flank with its angle from the
    middle."""
    one = np.vstack([flank * (1.0, -1.0), flank[::-1]])
    return np.vstack([one + np.array([0.0, index * 2.0 * math.pi / count]) for index in range(count)])


def from_polar(polar: Points) -> Points:
    """Return x and y of (radius, angle) pairs."""
    return np.column_stack([polar[:, 0] * np.cos(polar[:, 1]), polar[:, 0] * np.sin(polar[:, 1])])


def gear_outline(module: float, teeth: int, *, flank_points: int = 6) -> Points:
    """Return the outline of a spur gear, counter-clockwise, tooth 0 centred at +x."""
    pitch_radius = module * teeth / 2.0
    root, tip = pitch_radius - DEDENDUM * module, pitch_radius + ADDENDUM * module
    base = pitch_radius * math.cos(PRESSURE_ANGLE)
    foot = root + FILLET * module
    start = max(foot, base)
    roll = np.linspace(math.sqrt((start / base) ** 2 - 1.0), math.sqrt((tip / base) ** 2 - 1.0), flank_points)
    radii = [root, root + 0.3 * (foot - root), *([foot] if start > foot else []), *(base * np.sqrt(1.0 + roll**2))]
    angles = [half_tooth_angle(radius, module, teeth) for radius in radii]
    return from_polar(repeated(np.column_stack([radii, angles]), teeth))


def rack_outline(module: float, teeth: int, depth: float) -> Points:
    """Return the outline of a rack, counter-clockwise: teeth point to +y, the back is at y = -depth."""
    return involute_rack(module, teeth, depth, pressure_angle=PRESSURE_ANGLE, thinning=BACKLASH * module / 2.0)


def circle(radius: float, points: int, centre: tuple[float, float] = (0.0, 0.0)) -> Points:
    """Return a circle, counter-clockwise."""
    angle = np.arange(points) * (2.0 * math.pi / points)
    return np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])


def slot(start: float, end: float, radius: float) -> Points:
    """Return the outline of a bar along x with round ends centred at x = start and x = end, counter-clockwise."""
    angle = np.linspace(-math.pi / 2.0, math.pi / 2.0, 13)
    right = np.column_stack([end + radius * np.cos(angle), radius * np.sin(angle)])
    left = np.column_stack([start - radius * np.cos(angle), -radius * np.sin(angle)])
    return np.vstack([right, left])


def snapped(points: Points) -> Points:
    """Return the points on the rounding grid."""
    return np.round(points / GRID) * GRID


# --- solids -----------------------------------------------------------------------------------------------------------


def plate(outline: Points, thickness: float, holes: Sequence[Points] = ()) -> Faces:
    """Return an extruded outline with holes through it."""
    half = thickness / 2.0
    flat = triangulated(outline, holes)
    inner = [wall(hole, -half, half, inward=True) for hole in holes]
    return np.concatenate([cap(flat, half), cap(flat, -half), wall(outline, -half, half), *inner])


@dataclass(frozen=True)
class Wheel:
    """How a wheel is lightened [m]: a thinner web with round holes between hub and rim."""

    bore: float
    hub: float
    rim: float
    web: float
    holes: int
    hole_radius: float


def wheel(outline: Points, thickness: float, form: Wheel) -> Faces:
    """Return a wheel with the given outline: rim and hub as thick as `thickness`, the web between them thinner and with
    holes."""
    half, web = thickness / 2.0, form.web / 2.0
    rim, hub, bore = (snapped(circle(r, n)) for r, n in ((form.rim, 60), (form.hub, 36), (form.bore, 24)))
    middle = (form.rim + form.hub) / 2.0
    angles = (np.arange(form.holes) + 0.5) * (2.0 * math.pi / form.holes)
    holes = [snapped(circle(form.hole_radius, 20, (middle * math.cos(a), middle * math.sin(a)))) for a in angles]
    thick = np.concatenate([triangulated(outline, [rim]), triangulated(hub, [bore])])
    thin = triangulated(rim, [hub, *holes])
    caps = [cap(flat, side * z) for flat, z in ((thick, half), (thin, web)) for side in (1.0, -1.0)]
    steps = [(web, half), (-half, -web)]
    walls = [wall(outline, -half, half), wall(bore, -half, half, inward=True)]
    walls += [wall(rim, low, high, inward=True) for low, high in steps] + [wall(hub, low, high) for low, high in steps]
    return np.concatenate(caps + walls + [wall(hole, -web, web, inward=True) for hole in holes])


def bevel_outline(module: float, teeth: int, mate: int, *, foot: float = 0.3 * FILLET) -> Points:
    """Return (radius, angle) around the axis of the outline of a bevel gear on its back cone, counter-clockwise, tooth
    0 at angle 0.

    `mate` is the number of teeth of the gear that it meets at a right angle; `foot` the height over the root, in
    modules, of the point in the fillet. Tredgold's approximation: unrolled, the back cone, which meets the pitch cone
    at a right angle, shows a spur gear of teeth / cos(cone angle) teeth; there a point is as far from the pitch line as
    here along the cone.
    """
    cosine = math.cos(math.atan2(teeth, mate))
    virtual = teeth / cosine
    heights = [-DEDENDUM, -DEDENDUM + foot, -DEDENDUM + FILLET, -0.6, -0.3, 0.0, 0.35, 0.7, ADDENDUM]
    radii = module * (virtual / 2.0 + np.array(heights))
    angles = [half_tooth_angle(radius, module, virtual) / cosine for radius in radii.tolist()]
    return repeated(np.column_stack([radii * cosine, angles]), teeth)


def miter(module: float, teeth: int, inner: float, bore: float) -> Faces:
    """Return a miter gear about z whose pitch cone (45 degrees) has its tip at the origin; its teeth reach from z =
    pitch radius down to `inner` (a share) of it, and its bore narrows likewise. The faces beside the teeth are flat."""
    pitch_radius, polar = module * teeth / 2.0, bevel_outline(module, teeth, teeth, foot=0.1)
    back = 2.0 * pitch_radius - float(
        polar[:, 0].min()
    )  # the back cone is z = 2 pitch_radius - radius, down to the foot of the teeth
    flat = from_polar(polar)
    foot, hole = circle(0.94 * float(polar[:, 0].min()), 3 * teeth), circle(bore, 24)
    toothed, disc = triangulated(flat, [foot]), triangulated(foot, [hole])

    def raised(points: Points) -> Points:
        radius = np.linalg.norm(points, axis=-1, keepdims=True)
        return np.concatenate([points, np.minimum(2.0 * pitch_radius - radius, back)], axis=-1)

    outside = raised(np.concatenate([toothed, disc]))
    walls = []
    for loop, turned in ((raised(flat), False), (raised(hole), True)):
        surface = grid_surface(np.stack([loop * inner, loop], axis=1), close_u=True, close_v=False)
        walls.append(surface[:, ::-1] if turned else surface)
    return np.concatenate([outside, outside[:, ::-1] * inner, *walls])


def torus(radius: float, tube: float) -> Faces:
    """Return a ring about z."""
    u, v = np.meshgrid(np.arange(40) * (2 * math.pi / 40), np.arange(18) * (2 * math.pi / 18), indexing="ij")
    ring = radius + tube * np.cos(v)
    points = np.stack([ring * np.cos(u), ring * np.sin(u), tube * np.sin(v)], axis=2)
    return grid_surface(points, close_u=True, close_v=True)


def thread(radius: float, core: float, pitch: float, turns: int) -> Faces:
    """Return a right-handed trapezoidal thread about z (crests at `radius`, roots at `core`), open at its ends."""
    steps = 20
    profile = np.array([(core, -0.5), (core, -0.3), (radius, -0.15), (radius, 0.15), (core, 0.3), (core, 0.5)])
    angle = np.arange(turns * steps + 1) * (2.0 * math.pi / steps)
    height = (angle / (2.0 * math.pi) - turns / 2.0) * pitch
    u = np.broadcast_to(angle[:, None], (len(angle), len(profile)))
    z = height[:, None] + profile[None, :, 1] * pitch
    r = profile[None, :, 0]
    return grid_surface(np.stack([r * np.cos(u), r * np.sin(u), z], axis=2), close_u=False, close_v=False)


# --- files ------------------------------------------------------------------------------------------------------------


def stl(faces: Faces, title: str) -> bytes:
    """Return a binary STL file."""
    corners = snapped(faces)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    corners, normal = corners[length > 0.0], (normal / np.maximum(length, GRID**4)[:, None])[length > 0.0]
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    data = np.zeros(len(corners), dtype=record)
    data["normal"], data["corners"] = normal + 0.0, corners + 0.0  # + 0.0 turns -0 into 0
    return title.encode("ascii").ljust(80)[:80] + np.uint32(len(corners)).astype("<u4").tobytes() + data.tobytes()


def gear(module: float, teeth: int, thickness: float, form: Wheel) -> Faces:
    """Return a lightened spur gear."""
    return wheel(snapped(gear_outline(module, teeth)), thickness, form)


def bar(length: float, width: float, thickness: float, *, window: bool = False) -> Faces:
    """Return a link bar from the origin to x = length, with a slot in its middle where it has a `window`."""
    margin = 1.3 * width
    holes = [snapped(slot(margin, length - margin, 0.17 * width))] if window else []
    return plate(snapped(slot(0.0, length, width / 2.0)), thickness, holes)


def recipes() -> dict[str, Callable[[], Faces]]:
    """Return what each file holds."""
    mm = 1e-3
    return {
        "gear_m2_z20": lambda: gear(2 * mm, 20, 14 * mm, Wheel(4 * mm, 7 * mm, 15 * mm, 8 * mm, 6, 2.6 * mm)),
        "rack_m2_z48": lambda: plate(snapped(rack_outline(2 * mm, 48, 11 * mm)), 18 * mm),
        "gear_m4_z16": lambda: gear(4 * mm, 16, 14 * mm, Wheel(5 * mm, 9 * mm, 23 * mm, 8 * mm, 5, 4.5 * mm)),
        "gear_m4_z24": lambda: gear(4 * mm, 24, 14 * mm, Wheel(5 * mm, 12 * mm, 38 * mm, 8 * mm, 6, 8.5 * mm)),
        "gear_m4_z32": lambda: gear(4 * mm, 32, 14 * mm, Wheel(5 * mm, 14 * mm, 53 * mm, 8 * mm, 6, 12.5 * mm)),
        "flywheel": lambda: wheel(
            snapped(circle(90 * mm, 72)), 24 * mm, Wheel(10 * mm, 26 * mm, 74 * mm, 10 * mm, 6, 15 * mm)
        ),
        "bar_16": lambda: bar(16 * mm, 5.2 * mm, 3 * mm),
        "bar_36": lambda: bar(36 * mm, 12 * mm, 4 * mm),
        "bar_50": lambda: bar(50 * mm, 38 * mm, 12 * mm),
        "bar_100": lambda: bar(100 * mm, 30 * mm, 12 * mm, window=True),
        "bar_140": lambda: bar(140 * mm, 24 * mm, 10 * mm, window=True),
        "bar_190": lambda: bar(190 * mm, 52 * mm, 24 * mm, window=True),
        "bar_200": lambda: bar(200 * mm, 20 * mm, 10 * mm, window=True),
        "bar_300": lambda: bar(300 * mm, 30 * mm, 12 * mm, window=True),
        "bar_350": lambda: bar(350 * mm, 26 * mm, 12 * mm, window=True),
        "bar_400": lambda: bar(400 * mm, 22 * mm, 10 * mm),
        "ring": lambda: torus(1.0, 0.1),
        "bevel_m4_z22": lambda: miter(4 * mm, 22, 0.64, 9 * mm),
        "thread_p10": lambda: thread(14 * mm, 11 * mm, 10 * mm, 20),
    }


def make(recipes: dict[str, Callable[[], Faces]], script: str, purpose: str, arguments: Sequence[str] | None) -> int:
    """Write the meshes of a script, or compare them with `--check`; returns the exit code."""
    parser = argparse.ArgumentParser(description=purpose.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare with the files that exist, write nothing")
    parser.add_argument("--out", type=Path, default=MESHES, help="folder of the meshes")
    options = parser.parse_args(arguments)
    stale = []
    for name, recipe in recipes.items():
        path = options.out / f"{name}.stl"
        data = stl(recipe(), f"{name}, made by scripts/{script}, metres")
        if not options.check:
            options.out.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{path}: {(len(data) - 84) // 50} triangles, {len(data)} bytes")
        elif not path.is_file() or path.read_bytes() != data:
            stale.append(path.name)
    if stale:
        print("not what this script makes: " + ", ".join(stale), file=sys.stderr)
    return 1 if stale else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the meshes, or compare them with `--check`."""
    return make(recipes(), "make_gear_meshes.py", __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
