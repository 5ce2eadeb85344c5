"""The checkout seen from its tests: where things are and what they hold."""

from __future__ import annotations

import ast
import gc
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from simulator.collector import collector_paused

# Python 3.10 has no reader of TOML; there pytest brings one.
_toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "simulator"
TEXTBOOK = ROOT / "textbook"

_NOT_OURS = {"__pycache__", "build", "dist", "_share"}


@cache
def project_file() -> dict[str, Any]:
    """What pyproject.toml says."""
    content: dict[str, Any] = _toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return content


def files_below(*folders: str) -> list[Path]:
    """Every file of these folders of the checkout, without caches, hidden folders and the `.git` of a worktree, which
    is a file; '.' is all of it, `.ci` included."""
    return [*_files_below(*folders)]


@cache
def _files_below(*folders: str) -> tuple[Path, ...]:
    found = list[Path]()
    for folder in folders:
        for place, inner, names in os.walk(ROOT / folder):
            inner[:] = filter(_is_ours, inner)
            found += [Path(place, name) for name in names if name != ".git"]
    return tuple(sorted(path for path in found if path.is_file()))


@cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of a Python file, which a dozen tests look through: read once, never changed. The cycle collector
    leaves it alone: all trees are two million objects."""
    with collector_paused():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        gc.freeze()
    return tree


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """The nodes of the syntax tree of a Python file, as `ast.walk` gives them, without those that say whether a name is
    read or set."""
    return tuple(nodes_below(syntax(path)))


def nodes_below(tree: ast.AST) -> list[ast.AST]:
    """A node and all below it, level by level."""
    found = [tree]
    for node in found:  # which grows
        for value in vars(node).values():
            if isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append(value)
    return found


def _is_ours(folder: str) -> bool:
    return folder not in _NOT_OURS and not folder.endswith(".egg-info") and (folder[0] != "." or folder == ".ci")


def named(path: Path) -> str:
    """The name by which a file is talked about: its place in the checkout."""
    return path.relative_to(ROOT).as_posix()


def packages() -> list[Path]:
    """Every folder of the package that holds Python files, the package itself first, then those of the textbook."""
    return sorted({path.parent for path in files_below("simulator", "textbook") if path.suffix == ".py"})


def rooms() -> list[str]:
    """The modules and folders right below the package, by their place in the layers, top to bottom."""
    layers = next(contract for contract in contracts() if contract["id"] == "layers")["layers"]
    return [room.strip(" ()") for layer in layers for room in layer.split("|")]


def contracts() -> list[dict[str, Any]]:
    """The import contracts of pyproject.toml."""
    found: list[dict[str, Any]] = project_file()["tool"]["importlinter"]["contracts"]
    return found
