"""Kernels take named views of the buffers of a mechanism; how many still index the buffers themselves may only fall."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.helpers.repository import PACKAGE

PHYSICS = PACKAGE / "physics"
BUFFERS = {("F", "Floats"), ("N", "Ints"), ("B", "Floats"), ("C", "Ints"), ("buffers", "Buffers")}
WRITTEN_OVER_VIEWS = {"solver"}
"""Folders whose kernels take no buffer."""
TAKE, INDEX = 254, 110
"""Kernels that take a buffer, and those of them that index one, `layout` with its openers included."""


def kernels(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and is_kernel(node)]


def is_kernel(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).startswith(("compiled", "entry")) for one in node.decorator_list)


def takes_buffer(node: ast.FunctionDef) -> bool:
    given = {(one.arg, ast.unparse(one.annotation)) for one in node.args.args if one.annotation}
    return bool(given & BUFFERS)


def indexes_buffer(node: ast.FunctionDef) -> bool:
    indexed = (one.value for one in ast.walk(node) if isinstance(one, ast.Subscript))
    return any(isinstance(one, ast.Name) and one.id in "FNBC" for one in indexed)


def test_fewer_and_fewer_kernels_take_buffers() -> None:
    take, index = Counter[str](), Counter[str]()
    for path in PHYSICS.rglob("*.py"):
        taking = [node for node in kernels(path) if takes_buffer(node)]
        take[path.parent.name] += len(taking)
        index[path.parent.name] += sum(map(indexes_buffer, taking))
    assert not any(take[folder] for folder in WRITTEN_OVER_VIEWS)
    assert (take.total(), index.total()) == (TAKE, INDEX), "write the smaller numbers here"
