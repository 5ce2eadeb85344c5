"""Every example world introduces itself: a title comment in the file, a line in the table of worlds/README.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT, named

WORLDS = sorted((ROOT / "worlds").rglob("*.sdf"))
TABLE = ROOT / "worlds" / "README.md"


def names_in_the_table() -> set[str]:
    """The names of the first table; the tables below it give figures."""
    table = re.search(r"(?:^\|.*\n)+", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    assert table is not None
    return set(re.findall(r"^\| `(\w+)` \|", table[0], re.MULTILINE))


def test_the_table_lists_exactly_the_worlds() -> None:
    assert WORLDS != []
    assert names_in_the_table() == {path.stem for path in WORLDS}


@pytest.mark.parametrize("path", WORLDS, ids=named)
def test_a_world_begins_with_its_title(path: Path) -> None:
    title = re.match(r"(?:<\?xml[^>]*\?>)?\s*<!--\s*(\S[^\n]*?)\s*-->", path.read_text(encoding="utf-8"))
    assert title, "the first thing in the file is its title, a comment of one line"
    assert len(title[1]) < 120
