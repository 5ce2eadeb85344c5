"""The kernels are the same with and without the compiler, and `import` of the builders starts no compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.repository import ROOT
from tests.helpers.tree_results import results


def test_plain_python_gives_the_same_numbers() -> None:
    """Sums are in the same order; a compiler may fuse a product into a sum, so that the last digits differ: 1e-12 of the largest number."""
    surroundings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.helpers.tree_results"]
    answer = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True)
    plain = json.loads(answer.stdout)
    for name, compiled in results().items():
        scale = max(abs(value) for value in compiled)
        assert plain[name] == pytest.approx(compiled, abs=1e-12 * scale), name


def test_a_model_can_be_built_without_a_compiler() -> None:
    modules = ", ".join(f"simulator.dynamics.{name}" for name in ("multibody", "tree_dynamics", "body_motion"))
    program = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_changed_sources_have_a_cache_of_their_own() -> None:
    """The folder's name is a hash of all sources beside the kernel, so that no kernel meets a helper it was not compiled with."""
    program = "from pathlib import Path; from simulator.dynamics import jit; print(jit.cache_folder(Path('simulator/dynamics/kernels')))"
    first, second = (
        subprocess.run(
            [sys.executable, "-c", prepare + program], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for prepare in ("", "from pathlib import Path; Path.read_bytes = lambda path: b'changed'; ")
    )
    assert first
    assert Path(first).parent == Path(second).parent
    assert first != second


def test_kernels_take_nothing_from_beyond_their_folder() -> None:
    """Else the hash of the folder would not tell that they have changed."""
    room = ROOT / "simulator/dynamics"
    users = [
        path
        for path in room.rglob("*.py")
        if "simulator.dynamics.jit import compiled" in path.read_text(encoding="utf-8")
    ]
    assert {path.parent.name for path in users} >= {"compiled", "kernels"}
    allowed = ("simulator.dynamics.jit",)
    for path in users:
        own = ".".join(path.parent.relative_to(ROOT).parts)
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("from simulator."):
                assert line.split()[1].startswith((own, *allowed)), f"{path}: {line}"
