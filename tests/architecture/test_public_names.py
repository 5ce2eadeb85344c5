"""The names a script may rely on: a tested list, one path each, and nothing heavy is loaded before one is used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import simulator
from tests.helpers.repository import PACKAGE, project_file

PUBLIC_NAMES = [
    "AssemblyError",
    "DocumentError",
    "DocumentWarning",
    "Multibody",
    "NamedMatrix",
    "NamedVector",
    "Opened",
    "Parameter",
    "Parameters",
    "Profile",
    "Results",
    "Run",
    "Simulation",
    "SimulationError",
    "SimulatorError",
    "Transmission",
    "UsageError",
    "bar",
    "box",
    "build_mechanism",
    "capsule",
    "chirp",
    "cluster_tree_of",
    "condition_of",
    "cone",
    "cylinder",
    "edit",
    "effort",
    "ellipsoid",
    "expression",
    "force",
    "gym",
    "load",
    "mesh",
    "new",
    "open_document",
    "optimise",
    "peer_state",
    "pid",
    "plate",
    "position",
    "ramp",
    "read_document",
    "read_results",
    "sine",
    "sphere",
    "spline",
    "spring",
    "step",
    "study",
    "table",
    "tolerances",
    "velocity",
]
HEAVY = {
    "PyQt6",
    "glcontext",
    "lxml",
    "moderngl",
    "numba",
    "numpy",
    "pybullet",
    "pyqtgraph",
    "rich",
    "trimesh",
    "typer",
}


def modules_after(statement: str) -> set[str]:
    """Which libraries a fresh interpreter has loaded after a statement."""
    code = (
        f"{statement}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(json.loads(output))


def test_the_list_is_the_list() -> None:
    assert simulator.__all__ == PUBLIC_NAMES


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_every_name_exists_and_says_what_it_is(name: str) -> None:
    value = getattr(simulator, name)
    assert value.__doc__
    assert value.__module__.startswith(("simulator.", "textbook."))


def test_a_name_that_does_not_exist_is_told_apart() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'reed_document'.*read_document"):
        simulator.reed_document  # noqa: B018


def test_two_modules_are_public_as_a_whole() -> None:
    assert simulator.parts.spur_gears.__doc__
    assert simulator.synthesis.motion.__doc__


def test_completion_knows_the_names() -> None:
    assert set(PUBLIC_NAMES) <= set(dir(simulator))


def test_import_starts_nothing_heavy() -> None:
    assert modules_after("import simulator") & HEAVY == set()
    assert modules_after("from simulator import SimulatorError") & HEAVY == set()


def test_theory_needs_no_compiler() -> None:
    for name in ("condition_of", "Multibody", "NamedMatrix", "velocity", "pid"):
        assert modules_after(f"from simulator import {name}") & {"numba", "PyQt6", "pybullet", "moderngl"} == set()


def test_a_name_loads_what_it_stands_on_and_no_window() -> None:
    assert (
        modules_after("from simulator import build_mechanism") & {"PyQt6", "pyqtgraph", "pybullet", "moderngl"} == set()
    )


def test_the_version_is_that_of_the_project() -> None:
    assert simulator.__version__ == project_file()["project"]["version"]


def test_type_checkers_find_the_types() -> None:
    assert (PACKAGE / "py.typed").is_file()
