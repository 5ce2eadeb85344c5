"""How the window paints, in a process of its own: Qt decides at its start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PAINTS = """
import numpy as np
from pathlib import Path
from simulator.gui.application import make_application
application = make_application()
from simulator.gui.tokens import LIGHT
from simulator.gui.traces.plan import Series
from simulator.gui.traces.plots import PlotStack
stack = PlotStack(LIGHT)
stack.widget.resize(900, 400)
stack.show_series([Series("s", "s", 0, "rad", 0)], {"rad": "rad"})
stack.set_data(np.linspace(0.0, 1.0, 1000), {"s": np.sin(np.linspace(0.0, 9.0, 1000))})
stack.widget.show()
application.processEvents()
stack.widget.grab()
print(*[task.joinpath("comm").read_text().strip() for task in Path("/proc/self/task").iterdir()], sep="|")
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are listed by proc(5), which Linux has")
def test_lines_are_not_shared_out_among_threads() -> None:
    """Qt's pool of painters, whose threads are called so, made plots wait ten times as long as they took to paint."""
    done = subprocess.run([sys.executable, "-c", PAINTS], capture_output=True, text=True, check=True)
    names = done.stdout.strip().split("|")
    assert names
    assert "Thread (pooled)" not in names
