"""Closed forms of linkages, from their bars alone, to compare a simulation with."""

from __future__ import annotations

import math

import numpy as np


def four_bar(crank: float) -> tuple[float, float]:
    """Absolute angles (coupler, rocker) [rad] of worlds/four_bar.sdf at an absolute crank angle, open branch.

    Bars: ground 0.4 m, crank 0.1 m, coupler 0.35 m, rocker 0.3 m. With d from the crank's end to the rocker's pivot the
    law of cosines gives the angle at that pivot (Norton, Design of Machinery, section 4.5).
    """
    ground, a, b, c = 0.4, 0.1, 0.35, 0.3
    end = np.array([a * math.cos(crank), a * math.sin(crank)])
    d = end - np.array([ground, 0.0])
    length = float(np.hypot(*d))
    corner = math.acos((c * c + length * length - b * b) / (2.0 * c * length))
    rocker = math.atan2(d[1], d[0]) - corner
    tip = np.array([ground + c * math.cos(rocker), c * math.sin(rocker)])
    return math.atan2(*(tip - end)[::-1]), rocker


FOUR_BAR_START = (math.pi / 3.0, 0.62871512764554, 1.79577497339621)
"""Absolute angles of crank, coupler and rocker where joint positions are zero, from the head of the file."""
