"""What a linkage can be asked to do: rows of numbers, and the designs that do it."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from math import pi, radians

import numpy as np

from simulator.building.synthesis.design import FourBarDesign
from simulator.building.synthesis.dwell import DwellDesign, dwell
from simulator.building.synthesis.function import function
from simulator.building.synthesis.line import straight_line
from simulator.building.synthesis.motion import motion
from simulator.building.synthesis.path import path
from simulator.building.synthesis.series import SeriesDesign, six_bar_function
from simulator.building.synthesis.translation import WattDesign, translation
from simulator.records import dataclass

Row = tuple[float, ...]
Design = FourBarDesign | DwellDesign | SeriesDesign | WattDesign
MANY = 8
"""Designs that are shown of a search that is fast."""


@dataclass(frozen=True)
class LinkageTask:
    """`columns`: (heading, unit) of the numbers of a row; `fewest` and `most` rows; `start`: rows to begin with [SI
    units]; `solve` raises UsageError where there is no design. `pause`: between the last change and the search [ms].
    `turns`: whether a row has an angle; `plane`: whether rows are places in the plane of the linkage, else places over
    the angle of the crank; `from_zero`: whether that is counted from the start of the linkage, not from the first
    row."""

    name: str
    columns: tuple[tuple[str, str], ...]
    fewest: int
    most: int
    start: tuple[Row, ...]
    solve: Callable[[Sequence[Row]], Sequence[Design]]
    pause: int
    turns: bool = False
    plane: bool = True
    from_zero: bool = False


def _motion(rows: Sequence[Row]) -> list[FourBarDesign]:
    return motion([(x, z, angle) for x, z, angle in rows], count=MANY)


def _path(rows: Sequence[Row]) -> list[FourBarDesign]:
    return path([(x, z) for x, z in rows])


def _translation(rows: Sequence[Row]) -> list[WattDesign]:
    return translation([(x, z) for x, z in rows])


def _line(rows: Sequence[Row]) -> list[FourBarDesign]:
    (x, z), (to_x, to_z) = rows
    return straight_line((x, z), (to_x, to_z))


def _function(rows: Sequence[Row]) -> list[FourBarDesign]:
    return function([(phi, psi) for phi, psi in rows], ground=0.3, count=MANY)


def _six_bar_function(rows: Sequence[Row]) -> list[SeriesDesign]:
    return six_bar_function([(phi, psi) for phi, psi in rows], ground=0.3)


def _dwell(rows: Sequence[Row]) -> list[DwellDesign]:
    ((turn, swing),) = rows
    return dwell(turn, swing)


PLACE = (("x", "m"), ("z", "m"))
TASKS = (
    LinkageTask(
        "motion",
        (*PLACE, ("angle", "rad")),
        fewest=2,
        most=4,
        start=((0.0, 0.0, 0.0), (0.1, 0.05, radians(20.0)), (0.2, 0.0, radians(50.0))),
        solve=_motion,
        pause=30,
        turns=True,
    ),
    LinkageTask(
        "path",
        PLACE,
        fewest=3,
        most=9,
        start=((0.0, 0.0), (0.1, 0.03), (0.2, 0.02), (0.15, -0.05), (0.05, -0.05)),
        solve=_path,
        pause=400,
    ),
    LinkageTask(
        "translation",
        PLACE,
        fewest=3,
        most=9,
        start=((0.0, 0.0), (0.1, 0.03), (0.2, 0.02), (0.15, -0.05), (0.05, -0.05)),
        solve=_translation,
        pause=400,
    ),
    LinkageTask("line", PLACE, fewest=2, most=2, start=((0.0, 0.0), (0.2, 0.0)), solve=_line, pause=30),
    LinkageTask(
        "function",
        (("crank", "rad"), ("rocker", "rad")),
        fewest=3,
        most=5,
        start=((0.0, 0.0), (radians(20.0), radians(35.0)), (radians(60.0), radians(90.0))),
        solve=_function,
        pause=30,
        plane=False,
    ),
    LinkageTask(
        "six_bar_function",
        (("crank", "rad"), ("output", "rad")),
        fewest=4,
        most=9,
        start=tuple((radians(x), radians(y)) for x, y in ((0, 0), (12, 4), (24, 12), (36, 24), (48, 40), (60, 60))),
        solve=_six_bar_function,
        pause=400,
        plane=False,
    ),
    LinkageTask(
        "dwell",
        (("crank", "rad"), ("output", "rad")),
        fewest=1,
        most=1,
        start=((radians(90.0), radians(30.0)),),
        solve=_dwell,
        pause=400,
        plane=False,
        from_zero=True,
    ),
)


def next_row(rows: Sequence[Row]) -> Row:
    """A row after the last one, as far from it as it is from the one before."""
    last, before = rows[-1], rows[-2]
    return tuple(a + (a - b) for a, b in zip(last, before, strict=True))


def range_of(design: Design) -> tuple[float, float]:
    """From where to where the crank is turned to show what the design does [rad]: a whole turn where it can, else over
    the positions that were asked for."""
    turn = 2.0 * pi
    if isinstance(design, SeriesDesign):
        return min(design.crank_turns), max(design.crank_turns)
    if isinstance(design, DwellDesign) or not four_bar_of(design).cannot_pass(0.0, turn):
        return 0.0, turn
    return min(design.crank_turns, default=0.0), max(design.crank_turns, default=0.0)


def four_bar_of(design: Design) -> FourBarDesign:
    """The design, or the four-bar of a six-bar."""
    return design if isinstance(design, FourBarDesign) else design.four_bar


def coupler_angle(design: FourBarDesign, turn: float) -> float | None:
    """By how much the coupler has turned from the start [rad]; None where the linkage cannot be."""
    pins = design.pins(turn)
    if pins is None:
        return None
    return cmath.phase((pins[1] - pins[0]) / (design.rocker_pin - design.crank_pin))


def output_angle(design: Design, turn: float) -> float | None:
    """By how much the rocker, or the output of a six-bar, has turned from the start [rad], within half a turn; that of
    a dwell to the side to which it swings. None where the linkage cannot be."""
    if isinstance(design, SeriesDesign):
        return design.output_turn(turn)
    if isinstance(design, DwellDesign):
        return float(design.direction * design.output_angle(np.array([turn]))[0])
    four = four_bar_of(design)
    pins = four.pins(turn)
    if pins is None:
        return None
    return cmath.phase((pins[1] - four.rocker_pivot) / (four.rocker_pin - four.rocker_pivot))
