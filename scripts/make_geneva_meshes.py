"""Makes the meshes of the Geneva drive, as binary STL in metres: the wheel with slots and hollows, and the disc that
fits into a hollow.

    python scripts/make_geneva_meshes.py            writes assets/meshes/geneva_*.stl
    python scripts/make_geneva_meshes.py --check    makes them again in memory and compares them byte by byte

Both lie in the x-y plane, centred at the axis they turn about. The pin runs into a slot along the slot, where the radii
of pin and slot meet at a right angle: the pin's circle has the radius a, the slots reach to b = a / tan(pi / n), and
the axes are a / sin(pi / n) apart. The wheel has a slot along +x; the disc's cut looks along +x, where the pin is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from make_gear_meshes import Faces, Points, circle, make, plate, snapped

SLOTS = 4
PIN_CIRCLE, PIN = 50e-3, 5e-3
REACH = PIN_CIRCLE / math.tan(math.pi / SLOTS)
DISTANCE = PIN_CIRCLE / math.sin(math.pi / SLOTS)
CLEARANCE = 0.1e-3  # between pin and slot, on each side
LOCK, LOCK_CLEARANCE = 34e-3, 0.3e-3
BOTTOM = DISTANCE - PIN_CIRCLE - PIN - 0.8e-3  # where a slot ends [m from the axis of the wheel]


def arc(centre: tuple[float, float], radius: float, start: float, end: float, points: int) -> Points:
    """Return points on a circle from one angle to another, both included."""
    angle = np.linspace(start, end, points)
    return np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])


def turned(points: Points, angle: float) -> Points:
    """Return the points, turned about the origin."""
    c, s = math.cos(angle), math.sin(angle)
    return np.column_stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1]])


def wheel_outline() -> Points:
    """Return the outline of the wheel, counter-clockwise: a slot, a tip, a hollow for the disc, a tip, and so on."""
    half, pitch = PIN + CLEARANCE, 2.0 * math.pi / SLOTS
    mouth, ground = math.sqrt(REACH**2 - half**2), BOTTOM + half
    slot = np.vstack([[(mouth, -half)], arc((ground, 0.0), half, 1.5 * math.pi, 0.5 * math.pi, 13), [(mouth, half)]])
    # Where the hollow, about the disc's axis at half a pitch from the slot, meets the circle of the tips.
    hollow = LOCK + LOCK_CLEARANCE
    off = math.acos((REACH**2 + DISTANCE**2 - hollow**2) / (2.0 * REACH * DISTANCE))
    tip = arc((0.0, 0.0), REACH, math.asin(half / REACH), pitch / 2.0 - off, 6)[1:]
    inside = math.asin(REACH * math.sin(off) / hollow)
    cut = turned(arc((DISTANCE, 0.0), hollow, math.pi + inside, math.pi - inside, 25), pitch / 2.0)[1:-1]
    quarter = np.vstack([slot, tip, cut, turned(tip[::-1] * (1.0, -1.0), pitch)])
    return np.vstack([turned(quarter, index * pitch) for index in range(SLOTS)])


def lock_outline() -> Points:
    """Return the outline of the disc, counter-clockwise; its cut lets the tips of the wheel pass while the pin
    drives."""
    tips = REACH + 1.5e-3
    off = math.acos((LOCK**2 + DISTANCE**2 - tips**2) / (2.0 * LOCK * DISTANCE))
    inside = math.asin(LOCK * math.sin(off) / tips)
    cut = arc((DISTANCE, 0.0), tips, math.pi + inside, math.pi - inside, 25)[1:-1]
    return np.vstack([arc((0.0, 0.0), LOCK, off, 2.0 * math.pi - off, 61), cut])


def recipes() -> dict[str, Callable[[], Faces]]:
    """Return what each file holds."""
    mm = 1e-3
    return {
        "geneva_wheel": lambda: plate(snapped(wheel_outline()), 10 * mm, [snapped(circle(5 * mm, 24))]),
        "geneva_lock": lambda: plate(snapped(lock_outline()), 10 * mm, [snapped(circle(5 * mm, 24))]),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the meshes, or compare them with `--check`."""
    return make(recipes(), "make_geneva_meshes.py", __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
