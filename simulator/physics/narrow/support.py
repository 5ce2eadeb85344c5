"""Selects the points that support a body among many near ones.

A hull may have hundreds of corners near a face, of which a few touch at a time, and any may be next. Kept are those
that would come down first: of the body as it is, and tilted a little and a little more towards eight sides. A small
tilt finds the corners that hold the body now, however close they are to each other; a larger one those on which it
would come down next.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats

SIDES = 8
TILTS = (0.0005, 0.02)
"""Angles [rad]: corners that touch within a micrometre of each other are distinguished from 2 mm on."""
MOST = 1 + 2 * SIDES
"""Most points of a contact."""
ACROSS, ALONG, GAP, WHICH, KEPT, POINT = range(6)
COLUMNS = POINT + 3
"""Columns of room.near: where a point is across the normal, in two directions [m], its gap [m], which one it is, 1
where it is one of the contact, and the point itself, if that is known nowhere else."""


@compiled
def keep_support(near: Floats, count: int) -> int:
    """Of the first `count` rows of `near` (m, 8) keep those that hold a body, in their order, as the first rows;
    returns how many."""
    if count <= SIDES:
        return count
    for c in range(count):
        near[c, KEPT] = 0.0
    for k in range(MOST):
        angle = (k % SIDES) * (2.0 * math.pi / SIDES)
        tilt = TILTS[0] if k < SIDES else TILTS[1]
        x, y = (tilt * math.cos(angle), tilt * math.sin(angle)) if k < MOST - 1 else (0.0, 0.0)
        best = 0
        most = -math.inf
        for c in range(count):
            deep = x * near[c, ACROSS] + y * near[c, ALONG] - near[c, GAP]
            if deep > most:
                best, most = c, deep
        near[best, KEPT] = 1.0
    kept = 0
    for c in range(count):
        if near[c, KEPT] == 1.0:
            for a in range(COLUMNS):
                near[kept, a] = near[c, a]
            kept += 1
    return kept
