"""Kernels read and write the buffers of a mechanism as named views."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.helpers.repository import PACKAGE, syntax

PHYSICS = PACKAGE / "physics"
BUFFERS = {("F", "Floats"), ("N", "Ints"), ("C", "Ints")}
"""Arguments that are buffers; B comes with C, and is a body elsewhere."""
OF_MECHANISM = {"m.F", "m.N", "bounded.B", "bounded.C"}
"""The same as members of views."""
LAYOUT = {"layout"}
"""Folders whose kernels know where things are in buffers."""
BY_PLACE = {"_begin"}
"""Kernels that write to places of a buffer that Python names: the numbers in which variants differ."""
HEADS = {"N", "C", "bounded.sizes"}
VIEWS_OF_HEADS = {"left": "LEFT"}
WRITTEN = {
    "COUNT": "rows that are gathered",
    "ISLANDS": "islands of these rows, 0 where all are solved together",
    "SWEEPS": "count of the solver's work, for tests",
    "BLOCKED": "result of a step, for Python",
    "MATRIX_WANTED": "result of a gathering without room, for Python",
    "LEFT": "steps that a call has not made",
    "LOOSE": "becomes 2 once the inertia of loose bodies has its factors",
    "CLOSED": "whether rows of this step have entries in which loops are closed",
    "BLOCKS": "whether blocks of coordinates are known",
    "ARRANGED": "rows for which islands were found last",
    "ISLANDS_THEN": "islands that were found then",
}
"""Numbers at the heads of the buffers that kernels write, and so may steer other kernels; others are arguments and
results."""


def kernels(path: Path) -> list[ast.FunctionDef]:
    tree = syntax(path)
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and is_kernel(node)]


def is_kernel(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).startswith(("compiled", "entry")) for one in node.decorator_list)


def buffers_of(node: ast.FunctionDef) -> set[str]:
    """Names of the buffers that a kernel is given."""
    return {name for name, _ in {(one.arg, ast.unparse(one.annotation or one)) for one in node.args.args} & BUFFERS}


def indexes_buffer(node: ast.FunctionDef) -> bool:
    """Whether a kernel indexes a buffer that is a member of views."""
    return any(ast.unparse(one.value) in OF_MECHANISM for one in ast.walk(node) if isinstance(one, ast.Subscript))


def test_kernels_read_and_write_by_name() -> None:
    """No kernel takes a buffer, also none that Python calls (`native.kernels` opens them for it); where something is in
    one is known to `layout` alone."""
    for path in PHYSICS.rglob("*.py"):
        if path.parent.name not in LAYOUT:
            assert not any(map(buffers_of, kernels(path))), path
            assert not {node.name for node in kernels(path) if indexes_buffer(node)} - BY_PLACE, path


def written_numbers(path: Path) -> set[str]:
    """Numbers at the heads of buffers that kernels of a file assign to."""
    stores = [
        one
        for kernel in kernels(path)
        for one in ast.walk(kernel)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)
    ]
    heads = [one for one in stores if ast.unparse(one.value) in HEADS and isinstance(one.slice, ast.Attribute)]
    of_views = {ast.unparse(one.value).split(".")[-1] for one in stores} & set(VIEWS_OF_HEADS)
    return {ast.unparse(one.slice).split(".")[-1] for one in heads} | {VIEWS_OF_HEADS[name] for name in of_views}


def test_few_numbers_of_the_buffers_steer_kernels() -> None:
    written = {name for path in PHYSICS.rglob("*.py") for name in written_numbers(path)}
    assert written == set(WRITTEN), "make it an argument or a result; one that is written no more goes off the list"
