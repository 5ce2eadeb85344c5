"""Makes the meshes of the worlds with laws that are not straight lines, as binary STL in metres: an elliptic gear and a
cam.

    python scripts/make_law_meshes.py            writes assets/meshes/elliptic_gear.stl and cam.stl
    python scripts/make_law_meshes.py --check    makes them again in memory and compares them byte by byte

Both lie in the x-y plane, centred at the axis they turn about. The gear turns about a focus of its pitch ellipse, the
far apex along +x; it has an odd number of teeth, waves along the arc, so that a tooth meets a space of its equal. The
cam carries a roller that goes along +y when the cam has not turned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from make_gear_meshes import Faces, Points, circle, make, plate, snapped

HALF_AXIS, ECCENTRICITY = 40e-3, 0.4
TEETH, ADDENDUM = 31, 1.9e-3
BASE, ROLLER, LIFT = 22e-3, 9e-3, 12e-3
PHASE = math.pi / 2.0  # of rest, rise, rest and return


def lift(angle: float) -> float:
    """Return how far the roller is out [m]: a rest of 90 degrees, a cycloidal rise, a rest, a return."""
    turn = angle % (2.0 * math.pi)
    part = turn / PHASE - math.floor(turn / PHASE)
    cycloid = part - math.sin(2.0 * math.pi * part) / (2.0 * math.pi)
    return LIFT * (0.0, cycloid, 1.0, 1.0 - cycloid)[min(int(turn / PHASE), 3)]


def offset(points: Points, distance: np.ndarray | float) -> Points:
    """Return a closed curve, counter-clockwise, moved outward."""
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.column_stack([along[:, 1], -along[:, 0]])
    return points + np.reshape(distance, (-1, 1)) * normal


def gear_outline() -> Points:
    """Return the outline of the gear about its focus."""
    angle = np.linspace(0.0, 2.0 * math.pi, 40001)
    radius = HALF_AXIS * (1.0 - ECCENTRICITY**2) / (1.0 - ECCENTRICITY * np.cos(angle))
    ellipse = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    arc = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(ellipse, axis=0), axis=1))))
    # As many points for each tooth, from the far apex on.
    wanted = np.linspace(0.0, arc[-1], 16 * TEETH + 1)[:-1]
    even = np.column_stack([np.interp(wanted, arc, ellipse[:, k]) for k in range(2)])
    wave = np.clip(1.5 * np.cos(2.0 * math.pi * TEETH * wanted / arc[-1]), -1.0, 1.0)
    return offset(even, ADDENDUM * wave)


def cam_outline() -> Points:
    """Return the outline of the cam: the curve of the roller's centre, moved inward by its radius."""
    turned = np.linspace(0.0, 2.0 * math.pi, 361)[:-1]
    radius = np.array([BASE + ROLLER + lift(float(angle)) for angle in turned])
    # What has turned by an angle meets the roller with what was so much short of it.
    place = math.pi / 2.0 - turned
    centres = np.column_stack([radius * np.cos(place), radius * np.sin(place)])[::-1]
    return offset(centres, -ROLLER)


def recipes() -> dict[str, Callable[[], Faces]]:
    """Return what each file holds."""
    mm = 1e-3
    return {
        "elliptic_gear": lambda: plate(snapped(gear_outline()), 12 * mm, [snapped(circle(5 * mm, 24))]),
        "cam": lambda: plate(snapped(cam_outline()), 14 * mm, [snapped(circle(6 * mm, 24))]),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the meshes, or compare them with `--check`."""
    return make(recipes(), "make_law_meshes.py", __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
