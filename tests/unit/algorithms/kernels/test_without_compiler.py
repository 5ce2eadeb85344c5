"""The kernels are the same with and without the compiler, and `import` of the builders starts no compiler."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.dynamics import jit
from tests.helpers.repository import ROOT
from tests.helpers.tree_results import results


def test_plain_python_gives_the_same_numbers() -> None:
    """Sums are in the same order; a compiler may fuse a product into a sum, so that the last digits differ: 1e-12 of
    the largest number."""
    surroundings = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.helpers.tree_results"]
    answer = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True)
    plain = json.loads(answer.stdout)
    for name, compiled in results().items():
        scale = max(abs(value) for value in compiled)
        assert plain[name] == pytest.approx(compiled, abs=1e-12 * scale), name


USES_COMPILER = "simulator.dynamics.jit import compiled"


def test_a_model_can_be_built_without_a_compiler() -> None:
    modules = ", ".join(f"simulator.algorithms.{name}" for name in ("multibody", "tree_dynamics", "body_motion"))
    program = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_changed_sources_have_a_cache_of_their_own(tmp_path: Path) -> None:
    """The name is a hash of the kernel's file and of all that it uses: no kernel meets a helper it was not compiled
    with."""
    below, above, beside = (tmp_path / name for name in ("below.py", "above.py", "beside.py"))
    below.write_text("SIZE = 1\n")
    above.write_text("from somewhere.below import (\n    SIZE,\n)\n")
    beside.write_text("from somewhere import other\n")

    def folders() -> list[Path]:
        for kept in (jit.cache_folder, jit._digest, jit._sources_beside, jit._names_beside, jit._kernels_elsewhere):
            kept.cache_clear()
        return [jit.cache_folder(path) for path in (below, above, beside)]

    first = folders()
    assert len(set(first)) == 3
    below.write_text("SIZE = 2\n")
    second = folders()
    assert {path.parent for path in first + second} == {first[0].parent}
    assert [one == other for one, other in zip(first, second, strict=True)] == [False, False, True]


@pytest.mark.parametrize("folder", ["dynamics/compiled", "algorithms/kernels"])
def test_stale_sources_are_those_that_python_imports(folder: str) -> None:
    """Read from the text, because it is asked at every start; here against Python's own grammar."""
    for path in (ROOT / "simulator" / folder).glob("*.py"):
        nodes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
        beside = f"simulator.{folder}".replace("/", ".")
        named = {
            str(node.module).removeprefix(f"{beside}.") for node in nodes if str(node.module).startswith(f"{beside}.")
        }
        named |= {alias.name for node in nodes if node.module == beside for alias in node.names}
        assert {path.with_name(f"{name}.py") for name in named} <= jit.sources_of(path)


def test_every_source_of_a_kernel_is_known() -> None:
    """Else the hash would not tell that it has changed: what files with kernels import when they run is in
    `sources_of`."""
    room = ROOT / "simulator"
    users = [path for path in room.rglob("*.py") if USES_COMPILER in path.read_text(encoding="utf-8")]
    assert {path.parent.name for path in users} >= {"compiled", "kernels", "collision"}
    for path in users:
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("simulator."):
                module = ROOT.joinpath(*str(node.module).split("."))
                named = {module.with_suffix(".py"), *(module / f"{alias.name}.py" for alias in node.names)}
                found = {file for file in named if file.is_file()} - {Path(jit.__file__)}
                assert found <= jit.sources_of(path), f"{path}: {ast.unparse(node)}"
