"""The site documents every public name, and every type that a public signature names."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import simulator
from tests.helpers.repository import ROOT

REFERENCE = ROOT / "docs" / "reference"
OBJECT = re.compile(r"^::: (\S+)", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
DOCUMENTED = [name for page in ("python", "types") for name in OBJECT.findall((REFERENCE / f"{page}.md").read_text())]


@functools.cache
def home_of(name: str) -> object:
    """What a dotted name means."""
    owner, _, rest = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return inspect.getattr_static(home_of(owner), rest) if owner != "simulator" else getattr(simulator, rest)


def public_members(owner: type) -> Iterator[tuple[str, object]]:
    """What a class and those that it inherits from in this package show."""
    for base in owner.__mro__:
        if base.__module__.startswith("simulator"):
            yield from ((name, member) for name, member in vars(base).items() if not name.startswith("_"))


def annotations_of(value: object) -> Iterator[tuple[str, str]]:
    """Annotations with the modules in which they are to be read: of a function, or of all that a class shows."""
    if isinstance(value, type):
        for base in value.__mro__:
            own = inspect.get_annotations(base) if base.__module__.startswith("simulator") else {}
            yield from ((str(text), base.__module__) for name, text in own.items() if not name.startswith("_"))
        for _, member in public_members(value):
            yield from annotations_of(member)
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    if inspect.isfunction(function):
        yield from ((str(text), function.__module__) for text in inspect.get_annotations(function).values())


@functools.cache
def names_in(module: str) -> dict[str, tuple[str, str]]:
    """Names that a module imports from this package, for types alone or not, or defines: where they are at home."""
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))
    found = {node.name: (module, node.name) for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simulator."):
            found |= {item.asname or item.name: (str(node.module), item.name) for item in node.names}
    return found


def types_in(value: object) -> Iterator[type]:
    """Classes of this package that the signatures of a value name."""
    for text, module in annotations_of(value):
        for word in WORD.findall(text):
            if word in names_in(module):
                home, name = names_in(module)[word]
                found = getattr(importlib.import_module(home), name, None)
                if isinstance(found, type):
                    yield found


def test_nothing_is_documented_twice() -> None:
    assert sorted(set(DOCUMENTED)) == sorted(DOCUMENTED)


@pytest.mark.parametrize("name", simulator.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert f"simulator.{name}" in DOCUMENTED


def test_every_member_of_a_simulation_is_documented() -> None:
    members = {f"simulator.Simulation.{name}" for name, _ in public_members(simulator.Simulation)}
    assert members == {name for name in DOCUMENTED if name.startswith("simulator.Simulation.")}


@pytest.mark.parametrize("name", simulator.__all__)
def test_every_type_of_a_public_signature_is_documented(name: str) -> None:
    there = [value for value in map(home_of, DOCUMENTED) if isinstance(value, type)]
    missing = {found for found in types_in(getattr(simulator, name)) if found not in there}
    assert not missing, f"docs/reference/types.md lacks {sorted(map(str, missing))}"


def test_what_is_documented_says_what_it_is() -> None:
    for name in DOCUMENTED:
        value = home_of(name)
        document: Callable[[object], str | None] = inspect.getdoc
        assert document(value.fget if isinstance(value, property) else value), name
