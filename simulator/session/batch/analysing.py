"""Parses the options of sweeps: `--move AXIS=FROM:TO`, `--point LINK:x,y,z`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.branches import branches_at
from simulator.analysis.sweeps import Move, Route, Sweeper, Swept
from simulator.analysis.table import TracedPoint
from simulator.errors import UsageError
from simulator.records import dataclass
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism


FREQUENCIES = 25
"""Default number of frequencies of a response."""
MOST_FREQUENCIES = 100_000


def parsed_move(mechanism: Mechanism, text: str) -> Move:
    """`AXIS=FROM:TO` in radians or metres. Raises UsageError, UnknownNameError."""
    name, equals, ends = text.rpartition("=")
    begin, colon, end = ends.partition(":")
    if not (equals and colon):
        raise UsageError(f"'{text}' is not a move: write AXIS=FROM:TO, e.g. --move crank_joint=0:6.2832")
    return Move(find_axis(mechanism, name), _number(text, begin), _number(text, end))


def parsed_point(text: str) -> TracedPoint:
    """`LINK:x,y,z`, metres in the link's frame. Raises UsageError."""
    link, colon, place = text.rpartition(":")
    parts = place.split(",")
    if not (colon and link and len(parts) == 3):
        raise UsageError(f"'{text}' is not a point: write LINK:x,y,z, e.g. --point coupler:0.1,0,0")
    x, y, z = (_number(text, part) for part in parts)
    return TracedPoint(link, (x, y, z))


def parsed_frequencies(text: str) -> tuple[float, ...]:
    """`FROM:TO` or `FROM:TO:N` in Hz as N frequencies, evenly spaced on a logarithmic scale. Raises UsageError."""
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise UsageError(f"'{text}' is not a range of frequencies: write FROM:TO or FROM:TO:N, e.g. --response 0.1:10")
    begin, end = (_number(text, part) for part in parts[:2])
    count = int(_number(text, parts[2])) if len(parts) == 3 else FREQUENCIES
    if begin <= 0.0 or end <= begin or not 2 <= count <= MOST_FREQUENCIES:
        raise UsageError(f"'{text}' must rise from more than 0 Hz, in 2 to {MOST_FREQUENCIES} frequencies")
    return tuple(np.geomspace(begin, end, count).tolist())


def _number(text: str, part: str) -> float:
    try:
        value = float(part)
    except ValueError:
        raise UsageError(f"'{part}' in '{text}' is not a number") from None
    if not np.isfinite(value):
        raise UsageError(f"'{part}' in '{text}' is not a finite number")
    return value


@dataclass(frozen=True)
class Branch:
    """A sweep on one branch of the mechanism; the first is that of the start."""

    number: int
    swept: Swept


def sweeps_of(sweeper: Sweeper, start: JointState, route: Route, *, every_branch: bool = False) -> tuple[Branch, ...]:
    """The sweep from `start`; with `every_branch` also those of all other branches that are found at its start.

    Raises the errors of `Sweeper.along`.
    """
    first = sweeper.along(start, route)
    if not every_branch:
        return (Branch(1, first),)
    machine = sweeper.swept
    begin = np.array([move.begin for move in route.moves])
    machine.y[:] = first.begin
    ways = branches_at(machine, first.plan, begin)
    swept = [sweeper.from_here(way, route) for way in ways[1:]]
    # Where motions meet at the start, another branch may be a dead end for these axes.
    others = [one for one in swept if len(one)]
    return (Branch(1, first), *(Branch(number, swept) for number, swept in enumerate(others, start=2)))
