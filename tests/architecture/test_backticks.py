"""Names in backticks exist: those in docstrings of the package, and those in pages that explain it."""

from __future__ import annotations

import ast
import builtins
import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.helpers.repository import PACKAGE, TEXTBOOK, files_below, named, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
IS_NAME = re.compile(r".*\w[._]\w.*|[A-Z][A-Z0-9]{2,}|_?[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+|\w+\(\)")
"""What looks like a name of code, and not like a word: with a dot or an underscore, in capitals, in camel case, a
call."""
ELSEWHERE = {
    # Other programs.
    "parse_control_resources_from_urdf": "ros2_control",
    "update_interface_limits": "ros2_control",
    "BallRpyJoint": "Drake",
    # Files and names of a user's.
    "closing_NAME_1": "frames that a document of the Solo robots has",
    "closing_NAME_2": "as the first",
    "ground_plane": "a model of Gazebo",
    "name_0": "a name that libsdformat makes",
    "name_1": "as the first",
    "name_suffix": "as before",
    "name_suffix0": "as before",
    "name_suffix1": "as before",
    "NOTICE": "a file of the checkout",
    # Columns and parameters whose names are put together.
    "FOLLOWER.a0": "a parameter",
    "FOLLOWER.multiplier": "a parameter",
    "FOLLOWER.efficiency.forward": "a parameter",
    "direction_x": "a column",
    "load1.force.x": "a parameter",
    "moment.x": "a parameter",
    "spring1.stiffness": "a parameter",
    "X_frame": "ends of names",
    "X_joint": "as the first",
    "X_link": "as the first",
    "X_model": "as the first",
}
"""Names that are none of this package, and whose they are."""
OF_OTHERS = {f"docs/explanation/{page}.md" for page in ("benchmarks", "other_programs", "verification")}
"""Pages that name functions of other programs."""
LIBRARIES = {"lxml", "np", "numba", "numpy", "os", "pybullet", "scipy", "sys", "tests", "trimesh"}
ENDINGS = {"config", "csv", "dae", "gz", "jpg", "json", "md", "obj", "png", "py", "sdf", "stl", "toml", "urdf", "yaml"}
DOCSTRING_OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def modules() -> dict[str, Path]:
    """Files of the package and of the textbook by dotted name."""
    found = {}
    for path in sorted(
        [*PACKAGE.rglob("*.py"), *TEXTBOOK.rglob("*.py")]
    ):  # with native/build, which `files_below` takes to be made by a tool
        name = named(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found[name] = path
    return found


def docstrings(path: Path) -> Iterator[tuple[int, str, ast.Constant]]:
    """(line, text, node) of every docstring: of modules, classes and functions, and behind assignments."""
    for node in nodes(path):
        for part in node.body if isinstance(node, DOCSTRING_OWNERS) else []:
            if (
                isinstance(part, ast.Expr)
                and isinstance(part.value, ast.Constant)
                and isinstance(part.value.value, str)
            ):
                yield part.lineno, part.value.value, part.value


@cache
def names_in(module: str) -> set[str]:
    """What a module defines or spells out: functions, classes, arguments, variables, attributes, imports, and words of
    strings that are no docstrings (elements of documents, columns, keys)."""
    path = modules()[module]
    texts = {id(constant) for _, _, constant in docstrings(path)}
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.update(part for part in (node.name.rpartition(".")[2], node.asname) if part)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            found.update(re.findall(r"\w+", node.value))
    return found


@cache
def known() -> set[str]:
    """All names of the package, with those of its modules and of Python."""
    found = set(dir(builtins))
    for module in modules():
        found |= names_in(module) | set(module.split("."))
    return found


@cache
def modules_by_ending() -> dict[str, list[str]]:
    """Modules by each way to end their dotted names: `simulator.a.b`, `a.b` and `b`."""
    found = defaultdict(list)
    for module in modules():
        parts = module.split(".")
        for begin in range(len(parts)):
            found[".".join(parts[begin:])].append(module)
    return dict(found)


def exists(name: str, module: str = "") -> bool:
    """Whether the package has a name that stands in a docstring of `module`. A dotted one has to be in the module that
    it begins with; else, or where it begins with a variable of the same name, each part has to be known."""
    parts = name.removesuffix("()").split(".")
    if name in ELSEWHERE or parts[0] in LIBRARIES or parts[-1] in ENDINGS:
        return True
    if not module or parts[0] not in names_in(module):
        for end in range(len(parts), 0, -1):
            owners = modules_by_ending().get(".".join(parts[:end]))
            if owners:
                return any(set(parts[end : end + 1]) <= names_in(owner) for owner in owners)
    return set(parts) <= known()


def wrong_names(text: str, module: str = "") -> list[str]:
    """Names in backticks that look like code and do not exist; what has spaces or signs is not one name."""
    quoted = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    names = [name for name in quoted if IS_NAME.fullmatch(name) and PATH.fullmatch(name.removesuffix("()"))]
    return [name for name in names if not exists(name, module)]


def test_what_looks_like_a_name_is_looked_up() -> None:
    assert wrong_names("`simulator.load`, `Mechanism`, `layout.row_layout.CURVED`, `a word`, `rows`, `x + y_z`") == []
    gone = "`simulator.lode`, `MechanismOfOld`, `row_layout.CURVY`, `was_here_once`, `GONE_CONSTANT`, `gone_call()`"
    assert len(wrong_names(gone)) == 6


def test_names_in_docstrings_exist() -> None:
    wrong = [
        f"{module}, line {line}: `{name}`"
        for module, path in modules().items()
        for line, text, _ in docstrings(path)
        for name in wrong_names(text, module)
    ]
    assert not wrong, "no such name in the package:\n" + "\n".join(wrong)


@pytest.mark.parametrize("folder", ["explanation", "reference"])
def test_names_in_pages_exist(folder: str) -> None:
    wrong = [
        f"{named(path)}: `{name}`"
        for path in files_below(f"docs/{folder}")
        if path.suffix == ".md" and named(path) not in OF_OTHERS
        for name in wrong_names(re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
    ]
    assert not wrong, "no such name in the package:\n" + "\n".join(wrong)
