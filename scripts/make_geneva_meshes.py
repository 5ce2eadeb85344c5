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

from make_gear_meshes import Faces, Points, circle, make, plate, snapped

from simulator.building.parts.step_kinds import geneva_lock_outline, geneva_wheel_outline

SLOTS = 4
PIN_CIRCLE, PIN = 50e-3, 5e-3
REACH = PIN_CIRCLE / math.tan(math.pi / SLOTS)
DISTANCE = PIN_CIRCLE / math.sin(math.pi / SLOTS)
CLEARANCE = 0.1e-3  # between pin and slot, on each side
LOCK, LOCK_CLEARANCE = 34e-3, 0.3e-3
BOTTOM = DISTANCE - PIN_CIRCLE - PIN - 0.8e-3  # where a slot ends [m from the axis of the wheel]


def wheel_outline() -> Points:
    """Return the outline of the wheel, counter-clockwise: a slot, a tip, a hollow for the disc, a tip, and so on."""
    slot = (PIN + CLEARANCE, BOTTOM)
    return geneva_wheel_outline(SLOTS, REACH, DISTANCE, LOCK + LOCK_CLEARANCE, slot, points=25)


def lock_outline() -> Points:
    """Return the outline of the disc, counter-clockwise; its cut lets the tips of the wheel pass while the pin
    drives."""
    return geneva_lock_outline(REACH + 1.5e-3, DISTANCE, LOCK)


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
