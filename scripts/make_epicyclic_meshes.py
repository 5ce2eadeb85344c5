"""Makes the meshes of the planetary gear and of the differential: an internal gear, bevel gears and a bar, as binary
STL in metres.

    python scripts/make_epicyclic_meshes.py            writes assets/meshes/*.stl
    python scripts/make_epicyclic_meshes.py --check    makes them again in memory and compares them byte by byte

The teeth are those of make_gear_meshes.py, which the spur gears of these worlds come from. The internal gear lies in
the x-y plane and has a tooth space centred at +x. A bevel gear has its apex at the origin, its axis along +z and a
tooth towards +x.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from make_gear_meshes import (
    BACKLASH,
    DEDENDUM,
    PRESSURE_ANGLE,
    Faces,
    Points,
    bar,
    bevel_outline,
    circle,
    from_polar,
    grid_surface,
    involute,
    make,
    plate,
    repeated,
    snapped,
)

RING_ADDENDUM = 0.8  # of the module: shorter teeth stay on the involute of a small planet


def ring_outline(module: float, teeth: int, *, flank_points: int = 6) -> Points:
    """Return the toothed hole of an internal gear, counter-clockwise: its spaces are the teeth of an external one and
    the backlash."""
    pitch_radius = module * teeth / 2.0
    base = pitch_radius * math.cos(PRESSURE_ANGLE)
    at_pitch = (math.pi / 2.0 + BACKLASH / 2.0) / teeth + involute(PRESSURE_ANGLE)
    radii = np.linspace(pitch_radius - RING_ADDENDUM * module, pitch_radius + DEDENDUM * module, flank_points)
    flank = np.array([(radius, at_pitch - involute(math.acos(base / radius))) for radius in radii.tolist()])
    return from_polar(repeated(flank, teeth))


def bevel_heel(module: float, teeth: int, mate: int) -> Points:
    """Return the outer ends of a bevel gear's teeth (n, 3); `mate` is the number of teeth of the gear that it meets at
    a right angle."""
    polar, cone = bevel_outline(module, teeth, mate), math.atan2(teeth, mate)
    pitch_radius = module * teeth / 2.0
    return np.column_stack([from_polar(polar), module * mate / 2.0 - (polar[:, 0] - pitch_radius) * math.tan(cone)])


def bevel(module: float, teeth: int, mate: int, face: float, bore: float) -> Faces:
    """Return a bevel gear with teeth of length `face` along the cone; every part of its outside is a loop at the
    azimuths of the teeth."""
    heel = bevel_heel(module, teeth, mate)
    toe = heel * (1.0 - face / (module * math.hypot(teeth, mate) / 2.0))
    azimuth = np.arctan2(heel[:, 1], heel[:, 0])

    def ring(radius: float, z: float) -> Points:
        return np.column_stack([radius * np.cos(azimuth), radius * np.sin(azimuth), np.full(len(azimuth), z)])

    front, back = float(toe[:, 2].max()), float(heel[:, 2].max()) + 0.8 * module
    inner, outer = (float(np.linalg.norm(end[:, :2], axis=1).min()) for end in (toe, heel))
    hub = max(0.8 * inner, 0.5 * (inner + bore))
    loops = [ring(bore, front), ring(hub, front), toe, heel, ring(0.8 * outer, back), ring(bore, back)]
    return grid_surface(np.stack(loops, axis=1), close_u=True, close_v=True)


def recipes() -> dict[str, Callable[[], Faces]]:
    """Return what each file holds."""
    mm = 1e-3
    return {
        "ring_m4_z64": lambda: plate(snapped(circle(150 * mm, 128)), 14 * mm, [snapped(ring_outline(4 * mm, 64))]),
        "bar_96": lambda: bar(96 * mm, 30 * mm, 6 * mm, window=True),
        "bevel_m6_z18_12": lambda: bevel(6 * mm, 18, 12, 21 * mm, 10 * mm),
        "bevel_m6_z12_18": lambda: bevel(6 * mm, 12, 18, 21 * mm, 7 * mm),
        "bevel_m4_z48_16": lambda: bevel(4 * mm, 48, 16, 24 * mm, 36 * mm),
        "bevel_m4_z16_48": lambda: bevel(4 * mm, 16, 48, 24 * mm, 6 * mm),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the meshes, or compare them with `--check`."""
    return make(recipes(), "make_epicyclic_meshes.py", __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
