"""Python as it is on other systems: some libraries cannot be loaded, some of POSIX is not there; child processes
included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.command import surroundings
from tests.helpers.repository import ROOT

_SITE = """
import os, signal, sys

sys.modules.update(dict.fromkeys({names!r}))  # None: neither imported nor found
for holder, attribute in ((os, "memfd_create"), (os, "O_NOCTTY"), (signal, "SIGHUP"), (os, "sched_getaffinity")):
    if {foreign!r} and hasattr(holder, attribute):
        delattr(holder, attribute)
"""


class Bare:
    """Runs programs without some libraries, and with `foreign` without what only Linux, or only POSIX, has."""

    def __init__(self, folder: Path, *names: str, foreign: bool = False) -> None:
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_SITE.format(names=names, foreign=foreign), encoding="utf-8")
        self.paths = f"{folder}{os.pathsep}{ROOT}"

    def simulator(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The command, to its end."""
        return self._run("-m", "simulator", *map(str, arguments))

    def python(self, program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A program, to its end."""
        return self._run("-c", program, *arguments, **environment)

    def _run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=surroundings(PYTHONPATH=self.paths, **environment),
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
