"""Files that a document leads to are opened in one module: what it refuses, a pipe say, is refused for every loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT, named, syntax

DOOR = "simulator/formats/files.py"
OPENING = {"open", "read_bytes", "read_text", "fromfile", "loadtxt", "genfromtxt", "memmap", "fdopen", "open_code"}
"""Functions and methods that open a file, wherever they come from."""
LOADING = {
    "load",
    "load_mesh",
    "load_path",
    "parse",
    "iterparse",
    "fromfilename",
    "parseFile",
    "load_yaml",
    "load_scene",
}
"""Functions of libraries that open a file where they are given a name instead of bytes."""
LIBRARIES = {"trimesh", "etree", "ElementTree", "collada", "np", "numpy", "minidom", "Image", "yaml", "xacro", "json"}

# "file::function": what is opened there, and why that is not a file which a document leads to.
OTHERS = {
    "simulator/bullet/pybullet_import.py::_silenced": "the null device",
    "simulator/cli/streams.py::discard_output": "the null device",
    "simulator/cli/streams.py::open_streams": "the standard streams",
    "simulator/native/build/collect.py": "our own sources",
    "simulator/native/build/link.py": "what the linker made, and what says the level of a processor",
    "simulator/native/build/signatures.py": "our own sources",
    "simulator/native/build/store.py": "our own cache",
    "simulator/native/build/turns.py": "our own cache",
    "simulator/native/library.py::read_fmus": "what the installation has",
    "simulator/native/library.py::read_wasm": "what the installation has",
    "simulator/native/sources.py": "our own sources",
    "simulator/native/whole.py": "our own cache",
    "simulator/gui/resources.py::_svg": "our own icons",
    "simulator/formats/usd_writing/packing.py::packed": "what OpenUSD made a moment ago",
    "simulator/session/other_programs/statements.py::known": "our own file of statements",
    "simulator/recording/csv_file.py::__init__": "written, where the user says",
    "simulator/recording/csv_reading.py::sample_rows": "lines that the door has read",
    "simulator/recording/record_file.py": "recordings that the program has made",
    "simulator/rendering/films.py::_write_gif": "written, where the user says",
    "simulator/rendering/pictures.py::_opened": "bytes that the door has read",
    "simulator/rendering/shader_text.py::source": "our own shaders",
    "simulator/rendering/sheet.py::_opened": "pictures that the survey has drawn itself",
    "simulator/session/batch/desktop.py": "our own icon, and what we have written for the desktop",
    "simulator/session/relay/zenoh_link.py::_connect": "a connection",
    "simulator/session/run/physics_process.py::is_stopped": "what the system says of our own process",
    "simulator/session/share/page.py": "our own page, style and scripts",
    "simulator/session/survey/isolation.py": "what a process of the survey said",
    "simulator/session/survey/page.py": "our own page",
    "simulator/session/survey/survey.py": "the survey's own list",
    "simulator/session/survey/tables.py": "written, where the user says",
    "simulator/studies/results.py": "results that a study has written, and a listing that its plan names",
    "simulator/studies/reading.py::_listing": "a table that the user's plan names",
}


def openings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The function around each call that opens a file by its name, with its line."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, function = pending.pop()
        if isinstance(node, ast.FunctionDef):
            function = node.name
        if isinstance(node, ast.Call) and _opens(node):
            yield function, node.lineno
        pending += [(child, function) for child in ast.iter_child_nodes(node)]


def _opens(call: ast.Call) -> bool:
    target = call.func
    if isinstance(target, ast.Name):
        return target.id in OPENING
    if not isinstance(target, ast.Attribute):
        return False
    owner = target.value.id if isinstance(target.value, ast.Name) else ""
    if target.attr in LOADING:
        return owner in LIBRARIES and not _of_memory(call)
    is_ours = owner in ("live", "self") or (isinstance(target.value, ast.Attribute) and target.value.attr == "live")
    return target.attr in OPENING and not is_ours


def _of_memory(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "BytesIO"


def strangers() -> Iterator[str]:
    for path in sorted((ROOT / "simulator").rglob("*.py")):
        if named(path) != DOOR:
            for function, line in openings(syntax(path)):
                if not {named(path), f"{named(path)}::{function}"} & OTHERS.keys():
                    yield f"{named(path)}:{line} ({function})"


def test_files_are_opened_at_the_door() -> None:
    assert list(strangers()) == [], f"read it with {DOOR}, or say in OTHERS why no document leads there"


def test_every_exception_is_still_needed() -> None:
    for place in OTHERS:
        file, _, function = place.partition("::")
        found = {name for name, _ in openings(syntax(ROOT / file))}
        assert found if not function else function in found, place


@pytest.mark.parametrize(
    "offence",
    [
        "open(path)",
        "Path(path).read_bytes()",
        "path.open('rb')",
        "os.open(path, 0)",
        "np.fromfile(path)",
        "trimesh.load(path)",
        "etree.parse(path)",
        "Image.open(path)",
    ],
)
def test_an_offence_is_seen(offence: str) -> None:
    assert list(openings(ast.parse(f"def f(path: Path) -> None:\n    {offence}\n"))) == [("f", 2)]


def test_bytes_are_no_offence() -> None:
    assert not list(openings(ast.parse("trimesh.load(io.BytesIO(data))\nself.live.open(path)\n")))


def test_the_door_exists() -> None:
    assert Path(ROOT / DOOR).is_file()
