"""Our elements for loads of a world or model: `<simulator:load>`, `<simulator:spring>`, `<simulator:torsion_spring>`
(docs/how-to/load.md), and `<simulator:cable>`.

A load that cannot be read is an error and left out: without it something else would be simulated than the document
says.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.cursor import offered
from simulator.formats.profile_text import finite_number, words
from simulator.formats.sdf.cables import EXAMPLE, read_cable
from simulator.formats.sdf.extensions import CABLE, LOAD, SPRING, TORSION_SPRING
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.profiles import read_profile
from simulator.formats.sdf.specs import FrameSpec, JointSpec, LinkSpec
from simulator.model.cables import Cable, PartKind
from simulator.model.joint import WORLD
from simulator.model.loads import LINK_AXES, NOTHING, WORLD_AXES, Load, PointSpring, SpringTable, TorsionSpring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.scopes import Scope, Vertex
    from simulator.model.loads import AnyLoad, Profiles3
    from simulator.spatial.rotation import Vec3

INVALID = "LOAD_INVALID"
EXAMPLES = {
    LOAD: f"e.g. <{LOAD} link='arm' at='0 0 0.5' force='0 0 ramp(0,-10,2)' moment='0 0 0' frame='world'/>",
    SPRING: f"e.g. <{SPRING} link='arm' at='0 0 0.5' other='world' other_at='1 0 0' stiffness='200' damping='5' "
    "free_length='0.3'/>",
    TORSION_SPRING: f"e.g. <{TORSION_SPRING} joint='hinge' stiffness='20' damping='0.1' angle='0.5'/>",
    CABLE: EXAMPLE,
}


def read_loads(owner: Cursor) -> tuple[AnyLoad, ...]:
    """The loads of a world or model, in the order of the document; names of links and joints as written."""
    makers: dict[str, Callable[[Cursor], AnyLoad]] = {
        LOAD: _load,
        SPRING: _spring,
        TORSION_SPRING: _torsion_spring,
        CABLE: lambda cursor: read_cable(cursor, [load.name for load in found if isinstance(load, Cable)]),
    }
    found: list[AnyLoad] = []
    for node in owner.node.children:
        if node.tag in makers:
            cursor = replace(owner, node=node)
            try:
                found.append(makers[node.tag](cursor))
            except UsageError as error:
                message = f"<{node.tag}> is not used: {error}"
                cursor.log.error(INVALID, cursor.source, message, EXAMPLES[node.tag])
    return tuple(found)


def _load(cursor: Cursor) -> Load:
    frame = cursor.get("frame", WORLD_AXES)
    if frame not in (WORLD_AXES, LINK_AXES):
        raise UsageError(f"frame is '{WORLD_AXES}' or '{LINK_AXES}', not '{frame}'")
    if not cursor.get("force") and not cursor.get("moment"):
        raise UsageError("it has neither a force nor a moment")
    force, moment = _profiles(cursor, "force"), _profiles(cursor, "moment")
    return Load(_named(cursor, "link"), _vector(cursor, "at"), force, moment, frame, cursor.source)


def _spring(cursor: Cursor) -> PointSpring:
    table = _table(cursor)
    if table is not None and (cursor.get("stiffness") or cursor.get("free_length")):
        raise UsageError("a table of forces takes the place of stiffness and free_length; leave one of them away")
    if table is None and not cursor.get("stiffness") and not cursor.get("damping"):
        raise UsageError("it has no stiffness, no damping and no table")
    return PointSpring(
        link=_named(cursor, "link"),
        other=_named(cursor, "other"),
        at=_vector(cursor, "at"),
        other_at=_vector(cursor, "other_at"),
        stiffness=_number(cursor, "stiffness", least=0.0),
        damping=_number(cursor, "damping", least=0.0),
        free_length=_number(cursor, "free_length", least=0.0),
        table=table,
        source=cursor.source,
    )


def _torsion_spring(cursor: Cursor) -> TorsionSpring:
    axis = cursor.get("axis", "axis")
    if axis not in ("axis", "axis2"):
        raise UsageError(f"axis is 'axis' or 'axis2', not '{axis}'")
    stiffness, damping = (_number(cursor, name, least=0.0) for name in ("stiffness", "damping"))
    return TorsionSpring(_named(cursor, "joint"), axis, stiffness, damping, _number(cursor, "angle"), cursor.source)


# -- values of attributes ----------------------------------------------------------------------------------------------


def _named(cursor: Cursor, attribute: str) -> str:
    name = cursor.get(attribute)
    if not name:
        raise UsageError(f"it has no attribute '{attribute}'")
    return name


def _number(cursor: Cursor, attribute: str, *, least: float | None = None) -> float:
    text = cursor.get(attribute).strip()
    value = finite_number(text, text) if text else 0.0
    if least is not None and value < least:
        raise UsageError(f"{attribute} must be {least:g} or more, not {value:g}")
    return value


def _numbers(cursor: Cursor, attribute: str) -> list[float]:
    text = cursor.get(attribute)
    return [finite_number(word, text) for word in text.split()]


def _vector(cursor: Cursor, attribute: str) -> Vec3:
    numbers = _numbers(cursor, attribute) or [0.0, 0.0, 0.0]
    if len(numbers) != 3:
        raise UsageError(f"{attribute}='{cursor.get(attribute)}' has {len(numbers)} of the 3 numbers x y z")
    return (numbers[0], numbers[1], numbers[2])


def _profiles(cursor: Cursor, attribute: str) -> Profiles3:
    """Three components, each a number or a profile; files are looked for beside the document."""
    parts = words(cursor.get(attribute))
    if not parts:
        return (NOTHING, NOTHING, NOTHING)
    if len(parts) != 3:
        raise UsageError(f"{attribute}='{cursor.get(attribute)}' has {len(parts)} of the 3 components x y z")
    x, y, z = (read_profile(cursor, part) for part in parts)
    return (x, y, z)


def _table(cursor: Cursor) -> SpringTable | None:
    numbers = _numbers(cursor, "table")
    if not numbers:
        return None
    lengths = tuple(numbers[::2])
    forces = tuple(numbers[1::2])
    if len(numbers) < 4 or len(numbers) % 2:
        raise UsageError(f"a table is pairs of a length and a force, two at least; this one has {len(numbers)} numbers")
    if lengths[0] < 0.0 or any(after <= before for before, after in pairwise(lengths)):
        raise UsageError("the lengths of a table start at 0 or more and rise")
    return SpringTable(lengths, forces)


# -- names -------------------------------------------------------------------------------------------------------------


def resolved_loads(loads: tuple[AnyLoad, ...], scope: Scope, log: DiagnosticLog) -> tuple[AnyLoad, ...]:
    """Loads with the scoped names of their links and joints; an error about those that do not exist, which are left
    out."""
    found = (_resolved(load, scope, log) for load in loads)
    return tuple(load for load in found if load is not None)


def _resolved(load: AnyLoad, scope: Scope, log: DiagnosticLog) -> AnyLoad | None:
    if isinstance(load, Cable):
        return _resolved_cable(load, scope, log)
    if isinstance(load, TorsionSpring):
        joint = _scoped(load.joint, "joint", load, scope, log)
        return replace(load, joint=joint) if joint else None
    link = _scoped(load.link, "link", load, scope, log)
    if isinstance(load, Load):
        return replace(load, link=link) if link else None
    other = _scoped(load.other, "link", load, scope, log)
    return replace(load, link=link, other=other) if link and other else None


def _resolved_cable(cable: Cable, scope: Scope, log: DiagnosticLog) -> Cable | None:
    parts = []
    for part in cable.parts:
        branches = part.kind is PartKind.BRANCH
        link = "" if branches else _scoped(part.link, "link", replace(cable, source=part.source), scope, log)
        if not link and not branches:
            return None
        parts.append(replace(part, link=link))
    return replace(cable, parts=tuple(parts))


def _scoped(name: str, kind: str, load: AnyLoad, scope: Scope, log: DiagnosticLog) -> str:
    """The scoped name; "" and an error where there is no such link or joint. The last part of a name will do where that
    is clear."""
    if name == WORLD and isinstance(load, PointSpring | Cable):
        return WORLD
    found, every = named_in_scope(name, kind, scope)
    if not found and isinstance(load, Cable):
        found, _ = named_in_scope(name, "frame", scope)
    if found:
        return found
    tags = {Load: LOAD, PointSpring: SPRING, TorsionSpring: TORSION_SPRING, Cable: CABLE}
    what = "could mean several" if any(path.endswith(f"{SCOPE}{name}") for path in every) else "does not exist"
    message = f"the {kind} '{name}' of <{tags[type(load)]}> {what} in {scope.label}"
    log.error(INVALID, load.source, message, offered(log, name, every, f"{kind}s there"))
    return ""


def named_in_scope(name: str, kind: str, scope: Scope) -> tuple[str, list[str]]:
    """The scoped name of a link, joint or frame, of which the last part will do where that is clear, "" where there is
    none; and the names of all of them, as seen from the scope."""
    every = {vertex.scoped_name: path for path, vertex in _all(scope, kind)}
    exact = scope.vertex(name)
    if exact is not None and exact.scoped_name in every:
        return exact.scoped_name, list(every.values())
    tail = [scoped for scoped in every if scoped.endswith(f"{SCOPE}{name}")]
    return tail[0] if len(tail) == 1 else "", list(every.values())


def _all(scope: Scope, kind: str, path: str = "") -> Iterator[tuple[str, Vertex]]:
    """Every link or joint in a scope and those inside it, with its name as seen from there."""
    wanted = {"link": LinkSpec, "joint": JointSpec, "frame": FrameSpec}[kind]
    for name, vertex in scope.vertices.items():
        if isinstance(vertex.spec, wanted):
            yield path + name, vertex
        if vertex.inner is not None:
            yield from _all(vertex.inner, kind, f"{path}{name}{SCOPE}")
