"""A made-up checkout in which the scripts run with stand-ins for everything that is slow or changes the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.helpers.repository import ROOT

_PYTHON = rf"""
case "$*" in
    *system_libraries*) PYTHONPATH={ROOT} exec {sys.executable} "$@" ;;
    *helpers.packaging*) echo packed; exit "${{FAKE_PACKAGE_CODE:-0}}" ;;
    *find_spec*) exit "${{FAKE_NO_BULLET:-0}}" ;;
    *sysconfig*) echo /nowhere ;;
    *sys.version_info*-dev* | *-dev*sys.version_info*) echo "python${{FAKE_RELEASE:-3.11}}-dev" ;;
    *'pip wheel'*)
        folder=$(sed 's/.*--wheel-dir \([^ ]*\).*/\1/' <<<"$*")
        touch "$folder/pybullet-3.2.7-cp311-cp311-linux_$(uname -m).whl" ;;
    *cp%d%d*) echo cp311 ;;
    *releaselevel*) echo "${{FAKE_RELEASE:-3.11}} cpython final" ;;
    *ensurepip*) exit "${{FAKE_NO_VENV:-0}}" ;;
    *version_info*) echo "${{FAKE_RELEASE:-3.11}}" ;;
    *--version*) echo "Python ${{FAKE_RELEASE:-3.11}}.0" ;;
    *'pip install'*) sleep "${{FAKE_PIP_SECONDS:-0}}"; echo "pip says hello"; exit "${{FAKE_PIP_CODE:-0}}" ;;
    *pytest*) echo "===== 3 passed, 1 skipped in 0.12s ====="; exit "${{FAKE_PYTEST_CODE:-0}}" ;;
esac"""


class Checkout:
    """The scripts of the project beside empty project files, a stand-in .venv and stand-ins for the system's
    commands."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.commands = folder / "commands"
        self.calls = folder / "calls"
        self.calls.touch()
        self.environment = {
            "PATH": f"{self.commands}:{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder),
        }
        shutil.copytree(ROOT / "scripts", self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "pyproject.toml").touch()
        (self.root / "constraints.txt").touch()

    def command(self, name: str, script: str = "", *, folder: Path | None = None) -> Path:
        """A stand-in for a command; every call of it is written down."""
        path = (folder or self.commands) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>{self.calls}\n{script}\n', encoding="utf-8")
        path.chmod(0o755)
        return path

    def environment_ready(self, kind: str = "runtime") -> None:
        """A .venv that is up to date; its program shows the arguments that it was given."""
        self.environment_there()
        self.bash(f'fingerprint >"$venv/.installed-{kind}"')

    def environment_there(self) -> None:
        """A .venv that was never finished."""
        binaries = self.root / ".venv" / "bin"
        self.command("python", _PYTHON, folder=binaries)
        self.command("simulator", "printf '%s\\n' \"$@\"", folder=binaries)
        plugins = self.root / ".venv/lib/python3.11/site-packages/PyQt6/Qt6/plugins"
        plugins.mkdir(parents=True)

    def bash(self, line: str) -> subprocess.CompletedProcess[str]:
        """A line of bash after all parts of the scripts are loaded."""
        parts = " ".join(
            f"source scripts/lib/{part}.sh;"
            for part in ("common", "packages", "python", "environment", "bullet", "libraries")
        )
        return self.run("bash", "-c", f"set -euo pipefail; {parts} {line}")

    def run(self, *command: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the checkout without any display, with the stand-ins first on the path."""
        surroundings = {**self.environment, **environment}
        where = cwd or self.root
        return subprocess.run(
            command, cwd=where, env=surroundings, capture_output=True, text=True, check=False, timeout=60
        )

    def calls_of(self, name: str) -> list[str]:
        """How a stand-in was called, in order."""
        return [line for line in self.calls.read_text(encoding="utf-8").splitlines() if line.split()[0] == name]


def fake_python(checkout: Checkout, name: str = "python3.11") -> Path:
    """A stand-in interpreter on the path; FAKE_RELEASE, FAKE_NO_VENV and FAKE_PIP_CODE change what it is."""
    return checkout.command(name, _PYTHON)
