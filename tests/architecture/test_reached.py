"""What runs is reached: no file waits for a caller, and only the public names of the package lead to the textbook."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.helpers.repository import PACKAGE, ROOT, nodes

ENTRIES = ("simulator.__main__", "simulator")
PROGRAMS = {
    "simulator.native.build.__main__": "makes the libraries of kernels",
    "simulator.formats.expansion.worker": "xacro runs in a process of its own",
}
"""Modules that are started by name in a process of their own, with the reason."""


@cache
def modules() -> dict[str, Path]:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in names.items()}


@cache
def named_in(module: str) -> set[str]:
    """What a module imports, at any depth of its code, and what it names in a text ("simulator.api.loading").

    Not the package itself, from which everybody takes the version.
    """
    found = set()
    for node in nodes(modules()[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found & (modules().keys() - {"simulator"})


@cache
def reached_from(*entries: str) -> set[str]:
    found, todo = set[str](), list(entries)
    while todo:
        if (module := todo.pop()) not in found:
            found.add(module)
            todo += named_in(module)
    return found


def files(names: set[str]) -> set[str]:
    """Without the signs of folders, which hold no code."""
    return {name for name in names if modules()[name].name != "__init__.py"}


def test_every_file_that_runs_is_reached() -> None:
    assert files(modules().keys() - reached_from(*ENTRIES, *PROGRAMS)) == set()


def test_programs_of_their_own_are_reached_no_other_way() -> None:
    assert {name for name in PROGRAMS if name in reached_from(*ENTRIES)} == set()


def test_nothing_that_runs_needs_the_textbook() -> None:
    found = {name for name, path in modules().items() if re.search(r"\btextbook\.", path.read_text(encoding="utf-8"))}
    assert found == {"simulator"}
