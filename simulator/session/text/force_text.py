"""Loads as text, `LINK@X,Y,Z=FX,FY,FZ[,MX,MY,MZ]`, and loads given to a mechanism besides those of its
document.

The point is in the link's frame [m], force [N] and moment [N m] are in world axes; each component is a number or a
profile, as in `rod@0,0,0.5=0,0,ramp(0,-10,2)`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.errors import UsageError, place_of
from simulator.formats.profile_text import finite_number, parse_profile, split, split_profiles
from simulator.mechanism.placed_loads import body_forces, body_springs
from simulator.mechanism.types import WORLD_BODY
from simulator.model.joint import WORLD
from simulator.model.loads import NOTHING, Load, PointSpring

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.types import Mechanism

_FORCE = re.compile(r"(?P<link>[^@=]+)(?:@(?P<at>[^=]*))?=(?P<what>.*)", re.DOTALL)
FORM = "write LINK@X,Y,Z=FX,FY,FZ[,MX,MY,MZ], e.g. rod@0,0,0.5=0,0,-10"


def parse_force(text: str) -> Load:
    """The load of the argument of `--force`. Raises UsageError with the error."""
    match = _FORCE.fullmatch(text)
    if match is None:
        raise UsageError(f"'{text}' is not a force: {FORM}")
    numbers = [finite_number(part, text) for part in split(match["at"])] if match["at"] else [0.0, 0.0, 0.0]
    if len(numbers) != 3:
        raise UsageError(f"'{match['at']}' in '{text}' has {len(numbers)} of the 3 numbers of a point: {FORM}")
    parts = split_profiles(match["what"])
    if len(parts) not in (3, 6):
        raise UsageError(f"'{match['what']}' in '{text}' has {len(parts)} components, not 3 or 6: {FORM}")
    found = [parse_profile(part) for part in parts] + [NOTHING] * (6 - len(parts))
    force, moment = (found[0], found[1], found[2]), (found[3], found[4], found[5])
    return Load(match["link"].strip(), (numbers[0], numbers[1], numbers[2]), force, moment)


def parse_forces(text: str) -> tuple[Load, ...]:
    """Several of them, separated by semicolons. Raises the errors of `parse_force`."""
    return tuple(parse_force(part) for part in text.split(";") if part.strip())


def with_loads(mechanism: Mechanism, loads: Iterable[Load | PointSpring]) -> Mechanism:
    """The mechanism with further forces and springs. The last part of a link's name is enough if it is unique.

    Raises UnknownNameError for a link that does not exist, UsageError for an ambiguous name and for a link
    that cannot move.
    """
    given = list(loads)
    forces = [replace(load, link=_moving(mechanism, load.link)) for load in given if isinstance(load, Load)]
    springs = [
        replace(load, link=_found(mechanism, load.link), other=_found(mechanism, load.other))
        for load in given
        if isinstance(load, PointSpring)
    ]
    if not forces and not springs:
        return mechanism
    before, bodies = mechanism.loads, mechanism.bodies
    more = replace(
        before,
        forces=(*before.forces, *body_forces(forces, bodies)),
        springs=(*before.springs, *body_springs(springs, bodies)),
    )
    return replace(mechanism, loads=more)


def _moving(mechanism: Mechanism, name: str) -> str:
    link = _found(mechanism, name)
    if link == WORLD or mechanism.link_bodies()[link] == WORLD_BODY:
        raise UsageError(f"'{name}' is fixed to the world: a force on it moves nothing")
    return link


def _found(mechanism: Mechanism, name: str) -> str:
    """The scoped name of a link, or the world."""
    links = tuple(mechanism.link_bodies())
    return name if name == WORLD else links[place_of(links, name, "link")]
