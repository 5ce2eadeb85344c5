"""`<simulator:cable>` of a world or model (docs/how-to/ropes.md)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.profile_text import finite_number
from simulator.formats.sdf.extensions import CABLE, PARTS_OF_CABLE
from simulator.model.cables import Cable, CablePart, PartKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.cursor import Cursor
    from simulator.spatial.rotation import Vec3

EXAMPLE = (
    f"e.g. <{CABLE} name='rope' length='2'><simulator:point link='world' at='0 0 1'/>"
    "<simulator:pulley link='block' radius='0.1' axis='0 1 0' wrap='clockwise'/><simulator:point link='load'/>"
    f"</{CABLE}>"
)
CLOCKWISE, COUNTERCLOCKWISE = "clockwise", "counterclockwise"
KIND_OF = dict(zip(PARTS_OF_CABLE, PartKind, strict=True))
FINEST = 1e-12
"""An axis that is shorter has no direction."""


def read_cable(cursor: Cursor, before: Sequence[str]) -> Cable:
    """The cable that an element states, behind those of its owner with the names `before`; names of links as written.
    Raises UsageError."""
    name = cursor.get("name") or f"cable_{len(before) + 1}"
    if name in before:
        raise UsageError(f"there is a cable '{name}' already")
    parts = tuple(_part(replace(cursor, node=node)) for node in cursor.node.children if node.tag in KIND_OF)
    cable = Cable(
        name,
        parts,
        number_of(cursor, "length", required=True),
        number_of(cursor, "stiffness"),
        number_of(cursor, "damping"),
        number_of(cursor, "restitution"),
        cursor.source,
    )
    if cable.length <= 0.0:
        raise UsageError("its length must be above 0")
    if cable.restitution > 1.0:
        raise UsageError(f"restitution is between 0 and 1, not {cable.restitution:g}")
    if cable.damping and not cable.stiffness:
        raise UsageError("damping belongs to a cable with a stiffness")
    if cable.restitution and cable.stiffness:
        raise UsageError("restitution belongs to a rigid cable; leave it or the stiffness away")
    check_parts(parts)
    return cable


def check_parts(parts: Sequence[CablePart]) -> None:
    """Raises UsageError for a list that no cable can run along, by the line of what is wrong."""
    pieces: list[list[CablePart]] = [[]]
    for part in parts:
        if part.kind is PartKind.BRANCH:
            pieces.append([])
        else:
            pieces[-1].append(part)
    for piece in pieces:
        points = [part for part in piece if part.kind is PartKind.POINT]
        if len(points) < 2 or piece[0] is not points[0] or piece[-1] is not points[-1]:
            where = _place(piece[0]) if piece else ""
            raise UsageError(f"a piece of a cable begins and ends with a point, and one of it does not{where}")
        for part, other in pairwise(piece):
            if part.is_round and other.is_round and (part.link, part.at) == (other.link, other.at):
                raise UsageError(
                    f"a {other.kind.value} is where the part before it is{_place(other)}: a cable that goes round "
                    "again has turns"
                )
    rubbing = [number for number, part in enumerate(parts) if part.friction > 0.0]
    if not rubbing:
        return
    first, last = rubbing[0], rubbing[-1]
    others = [part for part in parts[first : last + 1] if part.link != parts[first].link]
    if others or any(part.kind is PartKind.BRANCH for part in parts):
        raise UsageError(
            "a cable rubs on what is fixed to one link, one part after the other, and has no branches: its tension "
            f"changes there alone{_place(parts[last])}"
        )


def _place(part: CablePart) -> str:
    return f" (line {part.source.line})" if part.source else ""


def number_of(cursor: Cursor, attribute: str, *, required: bool = False) -> float:
    """A number of 0 or more. Raises UsageError."""
    text = cursor.get(attribute).strip()
    if not text and required:
        raise UsageError(f"it has no attribute '{attribute}'{_line(cursor)}")
    value = _finite(cursor, attribute, text) if text else 0.0
    if value < 0.0:
        raise UsageError(f"{attribute} must be 0 or more, not {value:g}{_line(cursor)}")
    return value


def _finite(cursor: Cursor, attribute: str, text: str) -> float:
    try:
        return finite_number(text, text)
    except UsageError as error:
        raise UsageError(f"{attribute}: {error}{_line(cursor)}") from None


def _line(cursor: Cursor) -> str:
    return f" (line {cursor.source.line})" if cursor.node.tag != CABLE else ""


def _part(cursor: Cursor) -> CablePart:
    kind = KIND_OF[cursor.node.tag]
    if kind is PartKind.BRANCH:
        divisor = number_of(cursor, "divisor") if cursor.get("divisor") else 1.0
        if divisor == 0.0:
            raise UsageError(f"divisor must be above 0{_line(cursor)}")
        return CablePart(kind, divisor=divisor, source=cursor.source)
    link = cursor.get("link")
    if not link:
        raise UsageError(f"<{cursor.node.tag}> has no attribute 'link'{_line(cursor)}")
    part = CablePart(kind, link, _vector(cursor, "at", (0.0, 0.0, 0.0)), source=cursor.source)
    return _round(cursor, part) if part.is_round else part


def _round(cursor: Cursor, part: CablePart) -> CablePart:
    """With what a cylinder or a sphere has."""
    radius = number_of(cursor, "radius", required=True)
    if radius == 0.0:
        raise UsageError(f"radius must be above 0: a point leads a cable through an eye{_line(cursor)}")
    part = replace(part, radius=radius, friction=number_of(cursor, "friction"))
    if part.kind is PartKind.SPHERE:
        return part
    axis = _vector(cursor, "axis", (0.0, 0.0, 1.0))
    if math.hypot(*axis) < FINEST:
        raise UsageError(f"axis has no direction{_line(cursor)}")
    wrap = cursor.get("wrap")
    if wrap not in (CLOCKWISE, COUNTERCLOCKWISE):
        said = f"not '{wrap}'" if wrap else "and it is not stated"
        raise UsageError(
            f"wrap is '{CLOCKWISE}' or '{COUNTERCLOCKWISE}', as seen with the axis towards the eye, {said}"
            f"{_line(cursor)}"
        )
    turns = number_of(cursor, "turns")
    if turns != int(turns):
        raise UsageError(f"turns is a whole number, not {turns:g}{_line(cursor)}")
    return replace(part, axis=axis, clockwise=wrap == CLOCKWISE, turns=int(turns))


def _vector(cursor: Cursor, attribute: str, default: Vec3) -> Vec3:
    text = cursor.get(attribute)
    numbers = [_finite(cursor, attribute, word) for word in text.split()] or list(default)
    if len(numbers) != 3:
        raise UsageError(f"{attribute}='{text}' has {len(numbers)} of the 3 numbers x y z{_line(cursor)}")
    return (numbers[0], numbers[1], numbers[2])
