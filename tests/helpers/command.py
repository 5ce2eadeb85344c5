"""The installed command as a subprocess, as a user's shell runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.repository import ROOT

WORLDS = sorted((ROOT / "worlds").glob("*.sdf"))
HEEDING = ["env", "--default-signal=HUP"]
"""Before a command that is to be sent SIGHUP, which a process below `nohup` ignores from the start."""
Finished = subprocess.CompletedProcess[str]


def executable() -> list[str]:
    """The console script beside this interpreter, or the module where it is not installed."""
    script = Path(sys.executable).with_name("simulator")
    return [str(script)] if script.exists() else [sys.executable, "-m", "simulator"]


def surroundings(**changes: str) -> dict[str, str]:
    """The environment without any display, and with these changes."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return {**{name: value for name, value in os.environ.items() if name not in hidden}, **changes}


def simulator(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Finished:
    """Run the command to its end."""
    return subprocess.run(
        [*executable(), *map(str, arguments)], cwd=cwd or ROOT, env=surroundings(**environment),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def python(*arguments: str | Path, cwd: Path) -> str:
    """What a Python program prints that this interpreter runs to its end; it must not fail."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=surroundings(),
        capture_output=True, text=True, check=False, timeout=150,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
