"""Commands load what they need: reading a document takes no compiler, no solver's library, no window."""

from __future__ import annotations

import subprocess
import sys

from tests.helpers.repository import ROOT

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


def test_run_with_compiled_code_on_disk() -> None:
    """The first run compiles where there is none: the second has neither the compiler's types nor what they need."""
    loaded_by("run", "four_bar", "--duration", "0.01")
    loaded = loaded_by("run", "four_bar", "--duration", "0.01")
    assert "numba" in loaded
    assert not loaded & {"numba.np.arraymath", "scipy.linalg", "PyQt6.QtCore", "pybullet", "moderngl"}
