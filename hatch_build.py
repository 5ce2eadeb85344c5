"""What a wheel has beside Python: with SIMULATOR_TARGET, the native libraries of kernels for that system.

    SIMULATOR_TARGET=linux-x86_64 python -m build --wheel

One wheel serves all Pythons, for the libraries know nothing of Python. Where zig is installed, it has the binary of
FMUs for that system and the kernels for browsers, which shared pages hold, too. Without
SIMULATOR_TARGET it has none of them: kernels are then compiled where numba is installed, and run as Python elsewhere.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAGS = {
    "linux-x86_64": "manylinux_2_28_x86_64",
    "linux-aarch64": "manylinux_2_28_aarch64",
    "macos-arm64": "macosx_11_0_arm64",
    "windows-x86_64": "win_amd64",
}
HERE = sysconfig.get_platform().replace("-", "_").replace(".", "_")
"""Without zig, a linker of this machine makes the library, which then needs the C library of this machine."""


class Kernels(BuildHookInterface[Any]):
    """Builds them and names the wheel after their system."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel is written."""
        target = os.environ.get("SIMULATOR_TARGET")
        if self.target_name != "wheel" or version == "editable" or not target:
            return
        self._folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-m", "simulator.native.build", "--output", self._folder.name]
        subprocess.run([*command, "--target", target], cwd=self.root, check=True)
        if importlib.util.find_spec("ziglang"):
            subprocess.run([*command, "--target", target, "--parts", "fmu"], cwd=self.root, check=True)
            subprocess.run([*command, "--target", "wasm32", "--parts", "page"], cwd=self.root, check=True)
        for path in sorted(Path(self._folder.name).glob("*-*.*")):
            build_data["force_include"][str(path)] = f"simulator/_native/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[target] if importlib.util.find_spec('ziglang') else HERE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After it is written."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
