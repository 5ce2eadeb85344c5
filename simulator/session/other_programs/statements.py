"""The statements of `programs.toml`: which program does what with which feature of a document."""

from __future__ import annotations

import sys
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.records import dataclass

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from typing import Any

FILE = Path(__file__).with_name("programs.toml")
READ, RUN = "read", "run"
"""How a statement was checked: by reading the source or the documentation, or by running the program."""


class Verdict(str, Enum):
    """What a program does with a feature. `REFUSED`: it does not make the element, or does not load the document."""

    IGNORED = "ignored"
    APPROXIMATED = "approximated"
    REFUSED = "refused"


@dataclass(frozen=True)
class Program:
    """A program that reads documents. `reads`: formats of documents; one of another format is judged as if it were
    converted to `via`. `version`: the checked version; `runs`: whether tests run it if it is
    installed."""

    key: str
    name: str
    version: str
    reads: tuple[str, ...]
    via: str
    runs: bool = True

    def format_of(self, document: str) -> str:
        """The format in which it receives a document of that format."""
        return document if document in self.reads else self.via


@dataclass(frozen=True)
class Statement:
    """What `program` does with `feature` in documents of `formats`, as it receives them.

    `documents`: formats of the original document to which it is restricted, empty for all. `source` names files, pages
    or issues, and is "" if it was tested.
    """

    feature: str
    program: str
    verdict: Verdict
    says: str
    remedy: str
    source: str
    checked: str
    formats: tuple[str, ...]
    documents: tuple[str, ...] = ()

    def concerns(self, document: str, form: str) -> bool:
        """Whether it applies to a document of one format that the program receives in another."""
        return form in self.formats and document in (self.documents or (document,))


@dataclass(frozen=True)
class Knowledge:
    """The whole file: titles of features by name, programs by name, statements in the order of the file."""

    features: dict[str, str]
    programs: dict[str, Program]
    statements: tuple[Statement, ...]


@cache
def known() -> Knowledge:
    """Contents of the file."""
    table: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    programs = {
        key: Program(key, one["name"], one["version"], tuple(one["reads"]), one["via"], one.get("runs", True))
        for key, one in table["program"].items()
    }
    statements = tuple(
        Statement(
            feature=one["feature"],
            program=program,
            verdict=Verdict(one["verdict"]),
            says=one["says"],
            remedy=one["remedy"],
            source=one["source"],
            checked=one["checked"] if programs[program].runs else READ,
            formats=tuple(
                form for form in one.get("formats", programs[program].reads) if form in programs[program].reads
            ),
            documents=tuple(one.get("documents", ())),
        )
        for one in table["statement"]
        for program in one["programs"]
    )
    return Knowledge(table["features"], programs, statements)
