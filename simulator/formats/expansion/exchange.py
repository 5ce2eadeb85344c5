"""What `expand` asks of its worker, and what the worker answers, both as JSON."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

Row: TypeAlias = "tuple[str, dict[str, str], str, int, list[Row]]"
"""An element: tag, attributes, text, number of its place, children (lists where they come from JSON)."""


class Request(TypedDict):
    """What is to be expanded: the document, its arguments, and folders of packages."""

    path: list[str]
    document: str
    arguments: dict[str, str]
    folders: list[str]
    more: list[str]


class Answer(TypedDict, total=False):
    """What came of it: `tree` and `title`, or `fault`, `message`, `name` and `place`; `places` as `Places.table` has
    them, `missing` arguments, which have no value, `files` that were read, and the `arguments` that the document asks
    for with their defaults."""

    places: list[tuple[str, int, int]]
    tree: Row
    title: str
    fault: str
    message: str
    name: str
    place: int
    missing: list[str]
    files: list[str]
    arguments: dict[str, str | None]
