"""Sizes that describe code and do not shape it: a file has at most 500 lines and a function at most 60, without its
docstring. An assignment sets one thing, for functions of few packed lines are no shorter to read. How many ways lead
through a function is ruff's to count (C901)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT, files_below, named, syntax

FILE_LIMIT = 501
FUNCTION_LIMIT = 61
PACKED = 0.03
"""Greatest share of assignments in functions that set several unrelated values."""

# "file" or "file::function": why it may be longer. An entry that is no longer needed fails the last test.
LONGER_FOR_A_REASON: dict[str, str] = {
    "simulator/api/simulation.py": "the public interface: each member with its documentation",
    "simulator/physics/layout/bounded.py::open_bounded": "a list, one line for each view",
}

STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What functions and assignments stand in; expressions have neither."""

_BASH_FUNCTION = re.compile(r"^(\w+)\(\) \{.*?^\}", re.MULTILINE | re.DOTALL)


def python_files() -> list[Path]:
    return [path for path in files_below("simulator", "textbook", "tests", "scripts") if path.suffix == ".py"]


def bash_files() -> list[Path]:
    return [
        path for path in files_below("scripts", ".ci") if path.read_bytes().startswith((b"#!/usr/bin/env bash", b"# "))
    ]


def files_too_long() -> Iterator[tuple[str, int]]:
    for path in {*python_files(), *bash_files()}:
        length = len(path.read_text(encoding="utf-8").splitlines())
        if length >= FILE_LIMIT:
            yield named(path), length


@cache
def functions_too_long() -> list[tuple[str, int]]:
    return list(_functions_too_long())


def _functions_too_long() -> Iterator[tuple[str, int]]:
    for path in python_files():
        for name, length in python_functions(syntax(path)):
            if length >= FUNCTION_LIMIT:
                yield f"{named(path)}::{name}", length
    for path in bash_files():
        for match in _BASH_FUNCTION.finditer(path.read_text(encoding="utf-8")):
            if match[0].count("\n") + 1 >= FUNCTION_LIMIT:
                yield f"{named(path)}::{match[1]}", match[0].count("\n") + 1


def python_functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Every function with its qualified name and its number of lines, the docstring not counted."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, STATEMENTS):
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield name, last_line(child) - child.lineno + 1 - docstring_length(child)
            yield from python_functions(child, f"{name}.")
        else:
            yield from python_functions(child, prefix)


def docstring_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = function.body[0]
    if ast.get_docstring(function) is None:
        return 0
    return last_line(first) - first.lineno + 1


def last_line(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno


def test_files_are_short() -> None:
    assert [f"{name}: {length} lines" for name, length in files_too_long() if name not in LONGER_FOR_A_REASON] == []


def test_functions_are_short() -> None:
    assert [f"{name}: {length} lines" for name, length in functions_too_long() if name not in LONGER_FOR_A_REASON] == []


def test_every_exception_has_a_reason_and_is_still_needed() -> None:
    too_long = {name for name, _ in [*files_too_long(), *functions_too_long()]}
    assert [name for name, reason in LONGER_FOR_A_REASON.items() if not reason.strip() or name not in too_long] == []


@pytest.mark.parametrize(
    ("body", "length"), [("pass", 2), ("'''One\n    two.'''\n    pass", 2), ("'''One.'''\n    pass\n    pass", 3)]
)
def test_docstrings_do_not_count(body: str, length: int) -> None:
    tree = ast.parse(f"class C:\n  def f(self):\n    {body}\n")
    assert list(python_functions(tree)) == [("C.f", length)]


def test_the_rulers_measure_something() -> None:
    assert ROOT / "scripts" / "lib" / "common.sh" in bash_files()
    assert ROOT / "simulator" / "errors.py" in python_files()
    assert _BASH_FUNCTION.search((ROOT / "scripts" / "lib" / "common.sh").read_text(encoding="utf-8"))


def assignments(path: Path) -> Iterator[ast.Assign | ast.AnnAssign | ast.AugAssign]:
    """Those inside functions, each once."""
    pending: list[tuple[ast.AST, bool]] = [(syntax(path), False)]
    while pending:
        node, is_inside = pending.pop()
        if is_inside and isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            yield node
        is_inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        pending += [(child, is_inside) for child in ast.iter_child_nodes(node) if isinstance(child, STATEMENTS)]


def is_packed(node: ast.stmt) -> bool:
    """`a, b = f(x), y.z`; a pair of one shape, `x, y = p.x, p.y` or `low, high = 0.0, 1.0`, is one thing."""
    if not (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
    ):
        return False
    shapes = {shape_of(value) for value in node.value.elts}
    return len(node.value.elts) > 2 or len(shapes) > 1


def shape_of(value: ast.expr) -> str:
    """What it is made of, names and numbers left out."""
    return re.sub(r"(id|attr)='[^']*'|value=(-?[\d.e+]+|'[^']*'|True|False|None)", "_", ast.dump(value))


def test_an_assignment_sets_one_thing() -> None:
    found = [node for path in python_files() if named(path).startswith("simulator/") for node in assignments(path)]
    share = sum(map(is_packed, found)) / len(found)
    assert share <= PACKED, f"{share:.1%} of assignments set several unrelated values; write one a line"


def test_packed_assignments_are_recognised() -> None:
    packed = {"a, b = f(x), y.z", "a, b, c = 1, 2, 3"}
    single = {"a, b = p.x, p.y", "low, high = 0.0, 1.0", "a = f(x)", "a, b = f(x)", "a, b = f(x), f(y)"}
    assert {text for text in packed | single if is_packed(ast.parse(text).body[0])} == packed
