"""Kernels take named views of the buffers of a mechanism; how many still index the buffers themselves may only fall."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.helpers.repository import PACKAGE, syntax

PHYSICS = PACKAGE / "physics"
BUFFERS = {("F", "Floats"), ("N", "Ints"), ("B", "Floats"), ("C", "Ints"), ("buffers", "Buffers")}
NAMES = {"F", "N", "B", "C", "m.F", "m.N"}
WRITTEN_OVER_VIEWS = {"solver"}
"""Folders whose kernels take no buffer."""
TAKE, INDEX = 133, 71
"""Kernels that take a buffer, and those of them that index one, `layout` with its openers included."""
HEADS = {"N", "C", "bounded.sizes"}
WRITTEN = {
    "COUNT": "rows that are gathered",
    "ISLANDS": "islands of these rows, 0 where all are solved together",
    "SWEEPS": "count of the solver's work, for tests",
    "BLOCKED": "result of a step, for Python",
    "MATRIX_WANTED": "result of a gathering without room, for Python",
    "RANK": "rows of loops that are solved: a sweep takes all of them where the motion needs it",
    "PLANAR": "a variant of a mechanism may leave its plane",
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


def takes_buffer(node: ast.FunctionDef) -> bool:
    given = {(one.arg, ast.unparse(one.annotation)) for one in node.args.args if one.annotation}
    return bool(given & BUFFERS)


def indexes_buffer(node: ast.FunctionDef) -> bool:
    """Whether a kernel indexes a buffer: an argument, or that of the views of a mechanism."""
    indexed = (one.value for one in ast.walk(node) if isinstance(one, ast.Subscript))
    return any(ast.unparse(one) in NAMES for one in indexed)


def test_fewer_and_fewer_kernels_take_buffers() -> None:
    take, index = Counter[str](), Counter[str]()
    for path in PHYSICS.rglob("*.py"):
        take[path.parent.name] += sum(map(takes_buffer, kernels(path)))
        index[path.parent.name] += sum(map(indexes_buffer, kernels(path)))
    assert not any(take[folder] for folder in WRITTEN_OVER_VIEWS)
    assert (take.total(), index.total()) == (TAKE, INDEX), "write the smaller numbers here"


def written_numbers(path: Path) -> set[str]:
    """Numbers at the heads of buffers that kernels of a file assign to."""
    stores = [
        one
        for kernel in kernels(path)
        for one in ast.walk(kernel)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)
    ]
    heads = [one for one in stores if ast.unparse(one.value) in HEADS and isinstance(one.slice, ast.Attribute)]
    return {ast.unparse(one.slice).split(".")[-1] for one in heads}


def test_few_numbers_of_the_buffers_steer_kernels() -> None:
    written = {name for path in PHYSICS.rglob("*.py") for name in written_numbers(path)}
    assert written == set(WRITTEN), "make it an argument or a result; one that is written no more goes off the list"
