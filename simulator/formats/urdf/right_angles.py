"""Pitches that libsdformat takes for right angles.

It writes the rotations of a URDF as roll, pitch and yaw again, and where the pitch is almost ±pi/2 those two are one
angle to it. RViz, MuJoCo and Pinocchio take 1.5708 as it is written, in all three angles; so does all reading but the
strict one, for parts that are parallel by what the document says stay so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.values import numbers_text, plain_numbers

if TYPE_CHECKING:
    from simulator.formats.nodes import Node

TOLERANCE = 1e-5
"""A pitch this near to ±pi/2 [rad] is ±pi/2."""


def snap_pitches(robot: Node) -> None:
    """Rewrite `rpy` in place."""
    for origin in (node for node in robot.walk() if node.tag == "origin"):
        angles = plain_numbers(origin.attributes.get("rpy", ""))
        if len(angles) == 3 and abs(abs(angles[1]) - math.pi / 2.0) < TOLERANCE:
            roll, pitch, yaw = angles
            origin.attributes["rpy"] = numbers_text((roll, math.copysign(math.pi / 2.0, pitch), yaw))
