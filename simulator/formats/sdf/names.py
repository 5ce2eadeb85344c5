"""Rules for names: reserved ones, doubled ones, and what old files are allowed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from simulator.formats.cursor import Cursor, offered
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container

MODEL_FRAME = "__model__"
LONGEST_NAME = 500
"""Characters; a scoped name repeats those of all models around it."""
SHOWN = 60
"""Characters of a name in a message."""
OWN_NAME = "give it a name of its own"
SCOPE = "::"
NAMELESS_WORLD = "default"
T = TypeVar("T")


def is_reserved(name: str) -> bool:
    """`world`, and every name of four or more characters that starts and ends with two underscores."""
    return name == "world" or (len(name) >= 4 and name.startswith("__") and name.endswith("__"))


def read_name(cursor: Cursor) -> str:
    """The name attribute; an error where it is missing or, if `strict`, reserved."""
    if cursor.tag == "world" and not cursor.get("name") and not cursor.reading.options.strict:
        message = f"<world> has no name; it is called '{NAMELESS_WORLD}' here"
        cursor.log.warning("ATTRIBUTE_MISSING", cursor.source, message, 'write <world name="…">')
        cursor.node.attributes["name"] = NAMELESS_WORLD
        return NAMELESS_WORLD
    name = cursor.required("name")
    if not name and "name" in cursor.node.attributes:
        cursor.reading.fatal("ATTRIBUTE_INVALID", cursor.source, f"the name of a <{cursor.tag}> is empty")
    elif len(name) > LONGEST_NAME:
        message = f"the name of a <{cursor.tag}> has {len(name)} characters; {LONGEST_NAME} are the most"
        cursor.reading.fatal("ATTRIBUTE_INVALID", cursor.source, message, f"it starts with '{name[:40]}'")
        return name[:LONGEST_NAME]
    elif is_reserved(name):
        return _reserved(cursor, name)
    elif SCOPE in name and cursor.version >= (1, 8):
        hint = "'::' separates scopes since SDFormat 1.8; nest the model instead, or rename it"
        message = f"the name '{name}' contains '::'"
        if cursor.reading.options.strict:
            cursor.reading.fatal("RESERVED_NAME", cursor.source, message, hint)
        else:
            cursor.log.warning("RESERVED_NAME", cursor.source, message, hint, fold="::")
    return name


def _reserved(cursor: Cursor, name: str) -> str:
    """What is called `world` gets another name, as joints mean the world itself by it; other reserved names do no harm
    here."""
    hint = "choose a name that is not 'world' and does not both start and end with '__'"
    message = f"the name '{name}' of a <{cursor.tag}> is reserved"
    if cursor.reading.options.strict or name == MODEL_FRAME:
        cursor.log.error("RESERVED_NAME", cursor.source, message, hint)
        return name
    if name != WORLD or cursor.tag == "joint":
        cursor.log.warning("RESERVED_NAME", cursor.source, f"{message}; it is used all the same", hint)
        return name
    new = f"{name}_{cursor.tag}"
    done = "it is empty, and left out" if means_world(cursor) else f"it is called '{new}' here"
    cursor.log.warning("RESERVED_NAME", cursor.source, f"{message}; {done}", hint)
    return new


def means_world(cursor: Cursor) -> bool:
    """Whether a link is there only because a joint names the world as its parent, which a URDF has to declare."""
    empty = cursor.tag == "link" and cursor.get("name") == WORLD and not cursor.node.children
    return empty and not cursor.reading.options.strict


def read_named(owner: Cursor, tag: str, read: Callable[[Cursor, str], T | None]) -> list[T]:
    """`read(child, name)` of every child `tag`; the second of two with one name is reported and renamed, or left out if
    `strict`."""
    lines: dict[str, int] = {}
    copies: Counter[str] = Counter()
    written = {child.attributes.get("name", "") for child in owner.node.children if child.tag == tag}
    found: list[T] = []
    for cursor in owner.children(tag):
        name = read_name(cursor)
        if name in lines:
            message = f"<{owner.tag}> has two <{tag}> elements named '{shown(name)}' (the first in line {lines[name]})"
            if cursor.reading.options.strict:
                hint = offered(cursor.log, "", lines, "names in use")
                cursor.log.error("DUPLICATE_NAME", cursor.source, f"{message}; the second is left out", hint)
                continue
            first = name
            name = _copy(name, copies, written)
            message = f"{message}; the second is called '{shown(name)}' here"
            cursor.log.warning("DUPLICATE_NAME", cursor.source, message, OWN_NAME, fold=tag, about=first)
            cursor.node.attributes["name"] = name
        lines[name] = cursor.source.line
        item = read(cursor, name)
        if item is not None:
            found.append(item)
    return found


def _copy(name: str, copies: Counter[str], taken: Container[str]) -> str:
    """`name_0`, `name_1`, … as Gazebo names a second model; `copies` counts those made of each name."""
    while True:
        candidate = f"{name}_{copies[name]}"
        copies[name] += 1
        if candidate not in taken:
            return candidate


def shown(name: str) -> str:
    """A name for a message."""
    return name if len(name) <= SHOWN else f"{name[: SHOWN - 1]}…"


def free_name(name: str, suffix: str, taken: Collection[str]) -> str:
    """`name_suffix`, or `name_suffix0`, `name_suffix1`, … where that is taken too (libsdformat's rule for old
    files)."""
    used = taken if isinstance(taken, (set, frozenset, dict)) else set(taken)
    candidate = f"{name}_{suffix}"
    count = 0
    while candidate in used:
        candidate = f"{name}_{suffix}{count}"
        count = count + 1
    return candidate
