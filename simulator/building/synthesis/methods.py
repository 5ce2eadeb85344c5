"""Linkages from what they are to do: `simulator.synthesis.motion([(0, 0, 0), (0.1, 0.05, 0.4), (0.2, 0, 0.9)])`.

Positions are (x, z, angle), points (x, z) in the plane of the linkage, seen from the front [m, rad]. Designs have
`lengths`, `kind`, `defects`, `error` and a `draft()`, a document that can be run and saved.

pylinkage (MIT), which optimises planar linkages over their joints, is not used: its search is over paths by swarms of
particles, it knows no branches and circuits, and its linkages would have to be translated for the exact analysis that
judges defects here.
"""

from __future__ import annotations

from simulator.building.synthesis.design import FourBarDesign, PlanePosition
from simulator.building.synthesis.dwell import DwellDesign, dwell
from simulator.building.synthesis.function import SliderCrankDesign, freudenstein, function, slider_function
from simulator.building.synthesis.line import straight_line
from simulator.building.synthesis.motion import Dyad, burmester, dyad, four_bar_of, motion
from simulator.building.synthesis.path import cognates, path
from simulator.building.synthesis.series import SeriesDesign, six_bar_function
from simulator.building.synthesis.translation import WattDesign, translation, watt_of

__all__ = [
    "DwellDesign",
    "Dyad",
    "FourBarDesign",
    "PlanePosition",
    "SeriesDesign",
    "SliderCrankDesign",
    "WattDesign",
    "burmester",
    "cognates",
    "dwell",
    "dyad",
    "four_bar_of",
    "freudenstein",
    "function",
    "motion",
    "path",
    "six_bar_function",
    "slider_function",
    "straight_line",
    "translation",
    "watt_of",
]
