"""Docstrings, comments, messages and pages name who acts or use a plain passive: no "somebody", "is told", "is kept" or
"goes on", which leave open what is meant."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING

import pytest

from tests.helpers.repository import ROOT, files_below, named, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VAGUE = re.compile(
    r"\b(?:somebody|nobody|anybody|whoever)\b"
    r"|\b(?:is|are|was|were|be|been|being)\s+(?:told|kept)\b"
    r"|\b(?:go|goes|going|went|gone)\s+on\b",
    re.IGNORECASE,
)
MAY_BE = re.compile(r"\b(?:somebody|nobody|anybody|whoever|told|kept|go|goes|going|went|gone)\b", re.IGNORECASE)
"""One of these words is in each of them; what has none is not looked through."""
INSTEAD = "name the subject (the reader, the user, a step), or write stored, retained, reported, continue"
CODE = re.compile(r"```.*?```|``?[^`]*``?|(?<!\w)'[^'\n]*'(?!\w)", re.DOTALL)
"""Names and examples in a text, which may be anything."""
PAGES = (".md", ".toml")
FOLDERS = ("simulator", "scripts", "tests", "docs", "lessons")
MESSAGE = 3
"""A string with so many spaces is a message; shorter ones are names, elements and keys."""


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of what a file says to a reader; of a test, docstrings and comments only, as its strings are
    data."""
    content = path.read_text(encoding="utf-8")
    if path.suffix in PAGES:
        yield from enumerate(_without_code(content).split("\n"), 1)
        return
    if not MAY_BE.search(content):
        return
    has_messages = not named(path).startswith("tests/")
    if any(MAY_BE.search(line.partition("#")[2]) for line in content.split("\n")):
        for token in tokenize.generate_tokens(io.StringIO(content).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
        elif isinstance(node, ast.Constant) and has_messages and str(node.value).count(" ") >= MESSAGE:
            yield node.lineno, str(node.value)


def _without_code(text: str) -> str:
    """A text without what is quoted in it, in as many lines."""
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def vague_in(path: Path) -> list[str]:
    """`file:line: words` for each vague expression of a file."""
    return [
        f"{named(path)}:{line + text[: found.start()].count(chr(10))}: {' '.join(found[0].split())}"
        for line, text in texts_of(path)
        if MAY_BE.search(text)
        for found in VAGUE.finditer(_without_code(text))
    ]


def read_files() -> list[Path]:
    """Files with text for readers; those without a suffix are scripts in Python."""
    files = [*files_below(*FOLDERS), *(path for path in ROOT.iterdir() if path.suffix == ".md")]
    return [path for path in files if path.suffix in (".py", *PAGES)]


def test_no_vague_words() -> None:
    found = [line for path in read_files() if path != _HERE for line in vague_in(path)]
    assert not found, "\n".join([INSTEAD, *sorted(set(found))])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("what nobody reads is kept", 2),
        ("the run goes\non, whoever asks", 2),
        ("as it was told", 1),
        ("the link 'nobody' has no parent", 0),
        ("`kept` rows; the flag that is on", 0),
        ("it retains its value and continues", 0),
    ],
)
def test_what_is_found(text: str, count: int) -> None:
    assert len(VAGUE.findall(_without_code(text))) == count


_HERE = ROOT / "tests" / "architecture" / "test_language.py"
