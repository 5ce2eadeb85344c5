"""Kernels read and write the buffers of a mechanism as named views."""

from __future__ import annotations

import ast
import re
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
WRITTEN = {
    "gathered": "rows that are gathered",
    "islands": "islands of these rows, 0 where all are solved together",
    "arranged": "rows for which islands were found last",
    "islands_then": "islands that were found then",
    "closed": "whether rows of this step have entries in which loops are closed",
    "loose": "whether all that moves are loose bodies; 2 once their inertia has its factors",
    "rank": "rank of the rows of loops that were factored last",
    "least_rank": "the least of a call",
    "window": "where the spare row has entries",
}
"""Numbers at the heads of buffers that kernels read and write: the lengths of tables, and what is known from before."""
RESULTS = {"left", "blocked", "sweeps", "matrix_wanted"}
"""Such numbers that kernels write for others, and never read."""


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


def heads() -> set[str]:
    """Members of views that are numbers at the heads of buffers, which kernels may write."""
    openers = "".join(path.read_text() for path in PHYSICS.rglob("*.py"))
    return set(re.findall(r"(\w+)=view\([NC], at\.\w+, \(\d,\)\)", openers))


def reads(name: str) -> set[str]:
    """Kernels that read such a number, `views.name[0]`; an increment does not."""
    return {
        kernel.name
        for path in PHYSICS.rglob("*.py")
        for kernel in kernels(path)
        for one in ast.walk(kernel)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and ast.unparse(one).endswith(f".{name}[0]")
    }


def test_few_numbers_of_the_buffers_steer_kernels() -> None:
    assert heads() == WRITTEN.keys() | RESULTS, "make it an argument or a result; one that has gone goes off the list"
    assert reads("gathered")
    assert not any(map(reads, RESULTS))
