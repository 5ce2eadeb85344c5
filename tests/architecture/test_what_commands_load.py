"""Commands load what they need: reading a document takes no compiler, no solver's library, no window."""

from __future__ import annotations

import subprocess
import sys

from tests.helpers.repository import ROOT

NEVER = {"PIL", "PyQt6", "moderngl", "numba", "pybullet", "pyqtgraph", "scipy", "trimesh"}


def test_check() -> None:
    """Also of a document with meshes, which are STL files here."""
    program = "import sys\nfrom simulator.__main__ import main\ntry: main()\nfinally: print(*sys.modules)"
    command = [sys.executable, "-c", program, "check", "worlds/four_bar.sdf"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "simulator" in loaded
    assert not loaded & NEVER
