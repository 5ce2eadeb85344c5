"""Makes the meshes of the example worlds as binary STL in metres: gears, a rack, wheels, bars, a thread, a cam.

    python scripts/make_world_meshes.py            writes assets/meshes/*.stl
    python scripts/make_world_meshes.py --check    makes them again in memory and compares them byte by byte

Toothed parts, cams and Geneva wheels are those of `simulator.building.parts`; what is here is their sizes, and how
wheels are lightened. Everything lies in the x-y plane, centred at the axis that it turns about, extruded along z. A
gear has a tooth centred at +x, an internal gear a space; a rack runs along x with its pitch line at y = 0 and, as its
number of teeth is even, a tooth space centred at x = 0. A bevel gear has its apex at the origin and its axis along +z.
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

from simulator.building.meshes import MeshData, cap, circle, extruded, grid_surface, triangulated, wall
from simulator.building.parts.cam import CamLaw, cam_profile
from simulator.building.parts.gears import bevel_shape
from simulator.building.parts.involute import InvoluteGear, RingGear, rack_outline
from simulator.building.parts.step_kinds import geneva_lock_outline, geneva_wheel_outline

Points = NDArray[np.float64]  # (n, 2) or (n, 3)
Faces = NDArray[np.float64]  # (n, 3, 3): triangles, corners counter-clockwise seen from outside

MESHES = Path(__file__).resolve().parent.parent / "assets" / "meshes"
GRID = 1e-8  # [m] coordinates are rounded to it, so that the files do not depend on the last digit of a sine
BACKLASH = 0.04  # of the module, along the pitch circle; each gear of a pair gives half
FLANK = 5  # points of an involute

SLOTS, PIN_CIRCLE, PIN = 4, 50e-3, 5e-3
"""Of the Geneva drive. The pin runs into a slot along the slot, where the radii of pin and slot meet at a right angle:
the pin's circle has the radius a, the slots reach to b = a / tan(pi / n), and the axes are a / sin(pi / n) apart."""
REACH = PIN_CIRCLE / math.tan(math.pi / SLOTS)
DISTANCE = PIN_CIRCLE / math.sin(math.pi / SLOTS)
CLEARANCE = 0.1e-3  # between pin and slot, on each side
LOCK, LOCK_CLEARANCE = 34e-3, 0.3e-3
BOTTOM = DISTANCE - PIN_CIRCLE - PIN - 0.8e-3  # where a slot ends [m from the axis of the wheel]

HALF_AXIS, ECCENTRICITY = 40e-3, 0.4  # of the pitch ellipse of the elliptic gears
ELLIPSE_TEETH, WAVE = 31, 1.9e-3
CAM = CamLaw(tuple((math.pi / 2.0, lift) for lift in (0.0, 12e-3, 12e-3, 0.0)))  # rest, cycloidal rise, rest, return


def snapped(points: Points) -> Points:
    """Return the points on the rounding grid."""
    return np.round(points / GRID) * GRID


def toothed(module: float, teeth: int) -> InvoluteGear:
    """Return the spur gear of these worlds."""
    return InvoluteGear(module, teeth, thinning=BACKLASH * module / 2.0)


def ring(module: float, teeth: int, planet: int) -> RingGear:
    """Return the internal gear of these worlds, around a planet of so many teeth."""
    return RingGear(module, teeth, planet, thinning=BACKLASH * module / 2.0)


def rack() -> Points:
    """Return the outline of the rack under the pinion of 20 teeth."""
    return rack_outline(2e-3, 48, 11e-3, thinning=BACKLASH * 1e-3)


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


def plate(outline: Points, thickness: float, *holes: Points) -> Faces:
    """Return an extruded outline with holes through it."""
    return extruded(snapped(outline), thickness, "", [snapped(hole) for hole in holes]).faces


def gear(module: float, teeth: int, thickness: float, form: Wheel) -> Faces:
    """Return a lightened spur gear."""
    return wheel(snapped(toothed(module, teeth).outline(FLANK)), thickness, form)


def bevel(module: float, teeth: int, mate: int, face: float, bore: float) -> Faces:
    """Return a bevel gear."""
    shape = bevel_shape(module, teeth, mate, face, bore=bore, thinning=BACKLASH * module / 2.0)
    mesh = shape.pieces[0][0]
    assert isinstance(mesh, MeshData)
    return mesh.faces


def slot(start: float, end: float, radius: float) -> Points:
    """Return the outline of a bar along x with round ends centred at x = start and x = end, counter-clockwise."""
    angle = np.linspace(-math.pi / 2.0, math.pi / 2.0, 13)
    right = np.column_stack([end + radius * np.cos(angle), radius * np.sin(angle)])
    left = np.column_stack([start - radius * np.cos(angle), -radius * np.sin(angle)])
    return np.vstack([right, left])


def bar(length: float, width: float, thickness: float, *, window: bool = False) -> Faces:
    """Return a link bar from the origin to x = length, with a slot in its middle where it has a `window`."""
    margin = 1.3 * width
    return plate(
        slot(0.0, length, width / 2.0), thickness, *([slot(margin, length - margin, 0.17 * width)] if window else [])
    )


def torus(radius: float, tube: float) -> Faces:
    """Return a ring about z."""
    u, v = np.meshgrid(np.arange(40) * (2 * math.pi / 40), np.arange(18) * (2 * math.pi / 18), indexing="ij")
    around = radius + tube * np.cos(v)
    points = np.stack([around * np.cos(u), around * np.sin(u), tube * np.sin(v)], axis=2)
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


def geneva_wheel() -> Points:
    """Return the outline of the wheel, counter-clockwise: a slot, a tip, a hollow for the disc, a tip, and so on."""
    return geneva_wheel_outline(SLOTS, REACH, DISTANCE, LOCK + LOCK_CLEARANCE, (PIN + CLEARANCE, BOTTOM), points=25)


def geneva_lock() -> Points:
    """Return the outline of the disc that fits into a hollow, counter-clockwise; its cut, where the pin is, lets the
    tips of the wheel pass."""
    return geneva_lock_outline(REACH + 1.5e-3, DISTANCE, LOCK)


def elliptic_outline() -> Points:
    """Return the outline of a gear about a focus of its pitch ellipse, the far apex along +x; it has an odd number of
    teeth, waves along the arc, so that a tooth meets a space of its equal."""
    angle = np.linspace(0.0, 2.0 * math.pi, 40001)
    radius = HALF_AXIS * (1.0 - ECCENTRICITY**2) / (1.0 - ECCENTRICITY * np.cos(angle))
    ellipse = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    arc = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(ellipse, axis=0), axis=1))))
    # As many points for each tooth, from the far apex on.
    wanted = np.linspace(0.0, arc[-1], 16 * ELLIPSE_TEETH + 1)[:-1]
    even = np.column_stack([np.interp(wanted, arc, ellipse[:, k]) for k in range(2)])
    along = np.roll(even, -1, axis=0) - np.roll(even, 1, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    wave = WAVE * np.clip(1.5 * np.cos(2.0 * math.pi * ELLIPSE_TEETH * wanted / arc[-1]), -1.0, 1.0)
    return even + np.column_stack([along[:, 1], -along[:, 0]]) * wave[:, None]


def recipes() -> dict[str, Callable[[], Faces]]:
    """Return what each file holds."""
    mm = 1e-3
    return {
        "gear_m2_z20": lambda: gear(2 * mm, 20, 14 * mm, Wheel(4 * mm, 7 * mm, 15 * mm, 8 * mm, 6, 2.6 * mm)),
        "gear_m4_z16": lambda: gear(4 * mm, 16, 14 * mm, Wheel(5 * mm, 9 * mm, 23 * mm, 8 * mm, 5, 4.5 * mm)),
        "gear_m4_z24": lambda: gear(4 * mm, 24, 14 * mm, Wheel(5 * mm, 12 * mm, 38 * mm, 8 * mm, 6, 8.5 * mm)),
        "gear_m4_z32": lambda: gear(4 * mm, 32, 14 * mm, Wheel(5 * mm, 14 * mm, 53 * mm, 8 * mm, 6, 12.5 * mm)),
        "rack_m2_z48": lambda: plate(rack(), 18 * mm),
        "ring_m4_z64": lambda: plate(circle(150 * mm, 128), 14 * mm, ring(4 * mm, 64, 16).outline(FLANK)),
        "bevel_m4_z22": lambda: bevel(4 * mm, 22, 22, 22.4 * mm, 9 * mm),
        "bevel_m6_z18_12": lambda: bevel(6 * mm, 18, 12, 21 * mm, 10 * mm),
        "bevel_m6_z12_18": lambda: bevel(6 * mm, 12, 18, 21 * mm, 7 * mm),
        "bevel_m4_z48_16": lambda: bevel(4 * mm, 48, 16, 24 * mm, 36 * mm),
        "bevel_m4_z16_48": lambda: bevel(4 * mm, 16, 48, 24 * mm, 6 * mm),
        "flywheel": lambda: wheel(
            snapped(circle(90 * mm, 72)), 24 * mm, Wheel(10 * mm, 26 * mm, 74 * mm, 10 * mm, 6, 15 * mm)
        ),
        "bar_16": lambda: bar(16 * mm, 5.2 * mm, 3 * mm),
        "bar_36": lambda: bar(36 * mm, 12 * mm, 4 * mm),
        "bar_50": lambda: bar(50 * mm, 38 * mm, 12 * mm),
        "bar_96": lambda: bar(96 * mm, 30 * mm, 6 * mm, window=True),
        "bar_100": lambda: bar(100 * mm, 30 * mm, 12 * mm, window=True),
        "bar_140": lambda: bar(140 * mm, 24 * mm, 10 * mm, window=True),
        "bar_190": lambda: bar(190 * mm, 52 * mm, 24 * mm, window=True),
        "bar_200": lambda: bar(200 * mm, 20 * mm, 10 * mm, window=True),
        "bar_300": lambda: bar(300 * mm, 30 * mm, 12 * mm, window=True),
        "bar_350": lambda: bar(350 * mm, 26 * mm, 12 * mm, window=True),
        "bar_400": lambda: bar(400 * mm, 22 * mm, 10 * mm),
        "ring": lambda: torus(1.0, 0.1),
        "thread_p10": lambda: thread(14 * mm, 11 * mm, 10 * mm, 20),
        "geneva_wheel": lambda: plate(geneva_wheel(), 10 * mm, circle(5 * mm, 24)),
        "geneva_lock": lambda: plate(geneva_lock(), 10 * mm, circle(5 * mm, 24)),
        "elliptic_gear": lambda: plate(elliptic_outline(), 12 * mm, circle(5 * mm, 24)),
        "cam": lambda: plate(cam_profile(CAM, 22 * mm, roller=9 * mm, count=360).points, 14 * mm, circle(6 * mm, 24)),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the meshes, or compare them with `--check`; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare with the files that exist, write nothing")
    parser.add_argument("--out", type=Path, default=MESHES, help="folder of the meshes")
    options = parser.parse_args(arguments)
    stale = []
    for name, recipe in recipes().items():
        path = options.out / f"{name}.stl"
        data = MeshData(name, snapped(recipe())).stl()
        if not options.check:
            options.out.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{path}: {(len(data) - 84) // 50} triangles, {len(data)} bytes")
        elif not path.is_file() or path.read_bytes() != data:
            stale.append(path.name)
    if stale:
        print("not what this script makes: " + ", ".join(stale), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
