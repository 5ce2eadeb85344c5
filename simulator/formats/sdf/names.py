"""Rules for names: reserved ones, doubled ones, and what old files are allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from simulator.formats.cursor import Cursor, offered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MODEL_FRAME = "__model__"
LONGEST_NAME = 500
"""Characters; a scoped name repeats those of all models around it."""
SCOPE = "::"
T = TypeVar("T")


def is_reserved(name: str) -> bool:
    """`world`, and every name of four or more characters that starts and ends with two underscores."""
    return name == "world" or (len(name) >= 4 and name.startswith("__") and name.endswith("__"))


def read_name(cursor: Cursor) -> str:
    """The name attribute; an error where it is missing or reserved."""
    name = cursor.required("name")
    if not name and "name" in cursor.node.attributes:
        cursor.reading.fatal("ATTRIBUTE_INVALID", cursor.source, f"the name of a <{cursor.tag}> is empty")
    elif len(name) > LONGEST_NAME:
        message = f"the name of a <{cursor.tag}> has {len(name)} characters; {LONGEST_NAME} are the most"
        cursor.reading.fatal("ATTRIBUTE_INVALID", cursor.source, message, f"it starts with '{name[:40]}'")
        return name[:LONGEST_NAME]
    elif is_reserved(name):
        hint = "choose a name that is not 'world' and does not both start and end with '__'"
        cursor.log.error("RESERVED_NAME", cursor.source, f"the name '{name}' of a <{cursor.tag}> is reserved", hint)
    elif SCOPE in name and cursor.version >= (1, 8):
        hint = "'::' separates scopes since SDFormat 1.8; nest the model instead, or rename it"
        cursor.reading.fatal("RESERVED_NAME", cursor.source, f"the name '{name}' contains '::'", hint)
    return name


def read_named(owner: Cursor, tag: str, read: Callable[[Cursor, str], T | None]) -> list[T]:
    """`read(child, name)` of every child `tag`; the second of two with one name is reported and left out."""
    lines: dict[str, int] = {}
    found: list[T] = []
    for cursor in owner.children(tag):
        name = read_name(cursor)
        if name in lines:
            cursor.log.error(
                "DUPLICATE_NAME",
                cursor.source,
                f"<{owner.tag}> has two <{tag}> elements named '{name}' (the first in line {lines[name]}); the second is left out",
                offered(cursor.log, "", lines, "names in use"),
            )
            continue
        lines[name] = cursor.source.line
        item = read(cursor, name)
        if item is not None:
            found.append(item)
    return found


def free_name(name: str, suffix: str, taken: Iterable[str]) -> str:
    """`name_suffix`, or `name_suffix0`, `name_suffix1`, … where that is taken too (libsdformat's rule for old files)."""
    used = set(taken)
    candidate, count = f"{name}_{suffix}", 0
    while candidate in used:
        candidate, count = f"{name}_{suffix}{count}", count + 1
    return candidate
