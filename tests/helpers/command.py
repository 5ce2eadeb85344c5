"""The installed command as a subprocess, as a user's shell runs it, or called in this process."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from simulator.cli.app import run_app
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


def called(*arguments: str | Path, cwd: Path | None = None) -> Finished:
    """As `simulator`, in this process: for what a command prints and returns where it makes no difference that a
    process starts, which takes longer than most commands."""
    out, error, before = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(cwd or ROOT)
    try:
        with redirect_stdout(out), redirect_stderr(error):
            code = run_app(list(map(str, arguments)))
    finally:
        os.chdir(before)
    return Finished(arguments, code, out.getvalue(), error.getvalue())


def python(*arguments: str | Path, cwd: Path) -> str:
    """What a Python program prints that this interpreter runs to its end; it must not fail."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=surroundings(),
        capture_output=True, text=True, check=False, timeout=150,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
