"""Commands load what they need: reading a document takes no compiler, no solver's library, no window."""

from __future__ import annotations

import subprocess
import sys

from tests.helpers.repository import ROOT

FIRST_USED = {
    "simulator.building.draft", "simulator.gui.analysis.analysis_panel", "simulator.gui.making.build_mode",
    "simulator.gui.panels.kinematics_panel", "simulator.gui.panels.mechanism_panel", "simulator.gui.study.study_panel",
    "simulator.session.batch.conversion", "simulator.session.commands.factory", "simulator.session.share.page",
    "simulator.studies.study",
}  # fmt: skip
NEVER = {"PIL", "PyQt6", "moderngl", "numba", "pybullet", "pyqtgraph", "scipy", "trimesh"}


def loaded_by(*arguments: str) -> set[str]:
    """Modules at the end of a command."""
    program = "import sys\nfrom simulator.__main__ import main\ntry: main()\nfinally: print(*sys.modules)"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "simulator" in loaded
    return loaded


def test_check() -> None:
    """Also of a document with meshes, which are STL files here."""
    loaded = {name.partition(".")[0] for name in loaded_by("check", "worlds/four_bar.sdf")}
    assert not loaded & NEVER


def test_run() -> None:
    """Kernels are a library: no compiler is there, nor what only meshes and contacts need."""
    loaded = {name.partition(".")[0] for name in loaded_by("run", "four_bar", "--duration", "0.01")}
    assert not loaded & NEVER


def test_the_window_comes_before_the_compiler() -> None:
    """Physics has a process of its own, which loads it meanwhile."""
    program = "import sys, simulator.session.run.remote, simulator.gui.application; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numba", "scipy", "pybullet"}
    assert not loaded & FIRST_USED, "panels, and what makes and writes documents, are loaded when they are first used"


def test_the_physics_process_is_started_before_anything_heavy() -> None:
    program = "import sys, simulator.cli.app, simulator.cli.spare; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "lxml", "simulator.formats.document", "PyQt6.QtWidgets"}
