"""`simulator/formats/DIAGNOSTICS.md` lists every code of reading, of the mechanism and of its start, each with a remedy
and, where a small document shows it, an example that is true; the site has an anchor for each.

An example is a finding of one of the documents beside this file, as it is printed. Other codes are in a test.
After a change of words: `SIMULATOR_ACCEPT_EXAMPLES=1 pytest tests/conformance/test_diagnostics_page.py` writes the
examples anew."""

from __future__ import annotations

import ast
import functools
import html
import os
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from simulator.formats.fuel import CACHES
from simulator.formats.resources import ENVIRONMENT, MORE_ENVIRONMENT, PREFIXES
from simulator.session.open.opening import open_document
from tests.conformance.test_documents import DOCUMENTS, NAMES, document_of, options_of
from tests.helpers.repository import ROOT
from tests.helpers.scripts import script

PAGE = ROOT / "simulator" / "formats" / "DIAGNOSTICS.md"
ROOMS = ("formats", "mechanism", "transmissions", "session")
CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
ROW = re.compile(r"\| `(?P<code>[A-Z0-9_]+)` \| (?P<meaning>.+?) \| (?P<remedy>.+?) \| (?P<example>.*?) \|")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
TEXT = re.compile(r"<[^>]*>")
OF_THE_SYSTEM = {"O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "XDG_DATA_HOME"}
NO_CODES = {*ENVIRONMENT, *MORE_ENVIRONMENT, *PREFIXES, *CACHES, *OF_THE_SYSTEM, "X_UP", "Y_UP", "Z_UP"}
"""Constants of the same look: environment variables, flags of open(2) and axes of mesh files."""


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    code: str
    meaning: str
    remedy: str
    example: str

    def __str__(self) -> str:
        return f"| `{self.code}` | {self.meaning} | {self.remedy} | {self.example} |"


@functools.cache
def examples() -> dict[str, dict[str, int]]:
    """Every finding of every document by its code, as the page writes it, and how many findings its document has."""
    found: dict[str, dict[str, int]] = {}
    for name in NAMES:
        path = document_of(name)
        opened = open_document(path, options_of(name))
        for item in opened.diagnostics:
            place = Path(item.file).relative_to(DOCUMENTS).as_posix()
            message = item.message.replace(f"{DOCUMENTS}/", "").replace("|", "\\|")
            text = f"`{place}:{item.line}: {item.severity.value}: {message}`"
            found.setdefault(item.code, {}).setdefault(text, len(opened.diagnostics))
    return found


def rows() -> list[Row]:
    """The table."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [Row(**match.groupdict()) for line in lines if (match := ROW.fullmatch(line))]


def codes_in_sources() -> set[str]:
    """What looks like a code in the rooms that report findings; remarks of the relay are on its own page."""
    found: set[str] = set()
    relay = ROOT / "simulator" / "session" / "relay"
    for room in ROOMS:
        for path in {*(ROOT / "simulator" / room).rglob("*.py")} - {*relay.glob("*.py")}:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                    found.add(node.value)
    return found - NO_CODES


def test_the_page_lists_every_code_once_in_order() -> None:
    listed = [row.code for row in rows()]
    assert listed == sorted(set(listed))
    assert set(listed) == codes_in_sources(), "add a row: | `CODE` | what it means | what to do | example |"


@pytest.mark.skipif("SIMULATOR_ACCEPT_EXAMPLES" not in os.environ, reason="only on demand: writes the page")
def test_write_the_examples() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for row in rows():
        if row.code in examples():
            text = text.replace(str(row), str(Row(row.code, row.meaning, row.remedy, plainest(row.code))))
    PAGE.write_text(text, encoding="utf-8")


def plainest(code: str) -> str:
    """The shortest finding of the documents with the fewest."""
    return min(examples()[code], key=lambda text: (examples()[code][text], len(text), text))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.code)
def test_the_example_is_true(row: Row) -> None:
    if row.code in examples():
        assert row.example in examples()[row.code], "SIMULATOR_ACCEPT_EXAMPLES=1 writes it anew"
    else:
        assert row.example == ""
        assert f'"{row.code}"' in texts_of_tests(), f"no document beside this file shows {row.code}, and no test"


@functools.cache
def texts_of_tests() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))


def test_the_site_shows_each_code_with_all_its_words_and_an_anchor() -> None:
    """The names of elements in angle brackets are words, not tags of the page."""
    page = script("site_hooks").diagnostics_page()
    content: str = import_module("markdown").markdown(page, extensions=["attr_list", "pymdownx.superfences"])
    shown = " ".join(html.unescape(TEXT.sub("", content)).split())
    for row in rows():
        assert f'id="{row.code}"' in content
        for text in (row.remedy, row.example):
            words = LINK.sub(r"\1", text).replace("`", "").replace("\\|", "|")
            assert " ".join(words.split()) in shown, row.code


def test_users_read_no_paths_of_tests() -> None:
    assert "tests/" not in PAGE.read_text(encoding="utf-8")
