"""Every room has a sign: what it is for, what goes in and out, what it may import, and the file to read first."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.helpers.repository import PACKAGE, ROOT, named, nodes, packages, rooms, syntax

LINES = ("Purpose:", "Takes:", "Gives:", "May import:", "Start at:")

EVERYWHERE = {"records"}
"""What stands for a part of the standard library: dataclasses."""

in_every_room = pytest.mark.parametrize("room", packages(), ids=named)
in_every_room_below = pytest.mark.parametrize("room", [room for room in packages() if room != PACKAGE], ids=named)


def sign_of(room: Path) -> str:
    return ast.get_docstring(syntax(room / "__init__.py")) or ""


def line_of(sign: str, label: str) -> str:
    """The text after a label; continuation lines are indented by four spaces."""
    found = re.search(rf"^{label}(.*(?:\n    .*)*)$", sign, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def imported_rooms(room: Path) -> set[str]:
    """The rooms that the files of this folder import from, types included."""
    found = set()
    for path in room.glob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            found |= {name.split(".")[1] for name in names if name.startswith("simulator.")}
    return found & set(rooms())


@in_every_room
def test_the_sign_has_its_five_lines(room: Path) -> None:
    sign = sign_of(room)
    assert sign.splitlines()[:1] != [], "no docstring"
    assert [label for label in LINES if not line_of(sign, label)] == []
    assert [label for label in re.findall(r"^[A-Z][a-z ]+:", sign, re.MULTILINE) if label in LINES] == list(LINES)


@in_every_room
def test_the_file_to_start_at_exists(room: Path) -> None:
    start = re.match(r"[\w/]+\.py", line_of(sign_of(room), "Start at:"))
    assert start, "no file is named"
    assert (room / start[0]).is_file(), f"{start[0]} does not exist"


@in_every_room_below
def test_the_sign_is_no_door(room: Path) -> None:
    body = syntax(room / "__init__.py").body
    assert [type(node).__name__ for node in body[1:]] == [], "a sign holds a docstring and nothing else"


@in_every_room_below
def test_the_sign_names_every_room_that_is_imported(room: Path) -> None:
    allowed = line_of(sign_of(room), "May import:")
    own = room.relative_to(ROOT).parts[1:2]
    named_there = set(rooms()) if "everything below" in allowed else set(re.findall(r"\w+", allowed))
    assert sorted(imported_rooms(room) - named_there - {*own} - EVERYWHERE) == []


def test_every_folder_with_python_files_is_a_package() -> None:
    assert [named(room) for room in packages() if not (room / "__init__.py").is_file()] == []
