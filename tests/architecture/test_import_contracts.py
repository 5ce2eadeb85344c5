"""The import contracts of pyproject.toml hold, and each of them catches what it is there for.

The offences are tried on a skeleton: a package that has every room of the layers as an empty folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT, contracts, rooms

# Which rooms may import a foreign library directly. `__main__` is held to its one line by a test below.
HOME_OF_LIBRARY = {
    "lxml": {"formats"},
    "trimesh": {"formats"},
    "collada": {"formats"},
    "xacro": {"formats"},
    "yaml": {"formats"},
    "pxr": {"formats"},
    "mujoco": {"formats"},
    "pybullet": {"bullet"},
    "pybullet_data": {"bullet"},
    "PyQt6": {"gui"},
    "pyqtgraph": {"gui"},
    "moderngl": {"rendering"},
    "glcontext": {"rendering"},
    "numba": {"native"},
    "llvmlite": {"native"},
    "roslibpy": {"session"},
    "zenoh": {"session"},
    "foxglove": {"session"},
    "rerun": {"session"},
}
CONTRACT_OF_LIBRARY = {
    library: contract["id"] for contract in contracts() for library in contract.get("forbidden_modules", [])
}


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package in a folder."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", *arguments]
    surroundings = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)


def broken(folder: Path) -> set[str]:
    """The names of the contracts that are broken there."""
    return set(re.findall(r"^(.*) BROKEN", lint(folder).stdout, re.MULTILINE))


def name_of(contract_id: str) -> str:
    return next(str(contract["name"]) for contract in contracts() if contract["id"] == contract_id)


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """A package with every room, all of them empty, under the contracts of the project."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for room in ("", *rooms()):
        folder = tmp_path / "simulator" / room
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    (tmp_path / "textbook").mkdir()
    (tmp_path / "textbook" / "__init__.py").touch()
    return tmp_path


def offend(skeleton: Path, files: dict[str, str]) -> set[str]:
    """Write these files into the skeleton's package; which contracts break?"""
    for name, text in files.items():
        path = skeleton / "simulator" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return broken(skeleton)


def test_the_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_no_contract_has_a_way_round() -> None:
    assert [contract["id"] for contract in contracts() if contract.get("ignore_imports")] == []


def test_the_skeleton_keeps_every_contract(skeleton: Path) -> None:
    result = lint(skeleton)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("contract", "files"),
    [
        ("layers", {"model/offence.py": "import simulator.session"}),
        ("layers", {"engine/offence.py": "import simulator.bullet"}),
        ("layers", {"session/offence.py": "def late():\n    import simulator.gui"}),
        ("layers", {"recording/offence.py": "import simulator.rendering"}),
        ("layers", {"spatial/offence.py": "import simulator.diagnostics"}),
        ("layers", {"cellar/offence.py": ""}),
        ("acyclic", {"gui/one.py": "import simulator.gui.two", "gui/two.py": "import simulator.gui.one"}),
        (
            "acyclic",
            {
                "gui/panels/one.py": "import simulator.gui.view.two",
                "gui/view/two.py": "import simulator.gui.panels.one",
            },
        ),
    ],
    ids=["upward", "port", "late", "siblings", "twins", "undeclared room", "cycle of files", "cycle of folders"],
)
def test_an_offence_is_caught(skeleton: Path, contract: str, files: dict[str, str]) -> None:
    assert offend(skeleton, files) == {name_of(contract)}


@pytest.mark.parametrize("contract", sorted(set(CONTRACT_OF_LIBRARY.values())))
def test_a_library_is_caught_in_every_room_but_its_own(skeleton: Path, contract: str) -> None:
    libraries = [library for library, its_contract in CONTRACT_OF_LIBRARY.items() if its_contract == contract]
    text = "".join(f"import {library}\n" for library in libraries)
    places = [room for room in rooms() if room != "__main__"]
    assert offend(skeleton, {f"{room}/offence.py": text for room in places}) == {name_of(contract)}
    report = lint(skeleton, "--contract", contract).stdout
    caught = set(re.findall(r"simulator\.(\w+)\S* -> (\w+) \(l", report))
    assert caught == {
        (room, library) for library in libraries for room in places if room not in HOME_OF_LIBRARY[library]
    }


def test_every_library_with_a_home_has_a_contract() -> None:
    assert set(CONTRACT_OF_LIBRARY) == set(HOME_OF_LIBRARY)


def test_the_entry_point_imports_the_command_line_only() -> None:
    text = (ROOT / "simulator" / "__main__.py").read_text(encoding="utf-8")
    imported = set(re.findall(r"^\s*(?:from|import) ([\w.]+)", text, re.MULTILINE)) - set(sys.stdlib_module_names)
    assert {".".join(name.split(".")[:2]) for name in imported} <= {"simulator.cli", "simulator.collector"}
