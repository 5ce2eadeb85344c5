"""Kernels give the same numbers as Python and as machine code, and no model needs the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.helpers.repository import ROOT
from tests.helpers.tree_results import results


def test_plain_python_gives_the_same_numbers() -> None:
    """Sums are in the same order; a compiler may fuse a product into a sum, so that the last digits differ: 1e-12 of
    the largest number."""
    surroundings = {**os.environ, "SIMULATOR_KERNELS": "python"}
    command = [sys.executable, "-m", "tests.helpers.tree_results"]
    answer = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True)
    plain = json.loads(answer.stdout)
    for name, compiled in results().items():
        scale = max(abs(value) for value in compiled)
        assert plain[name] == pytest.approx(compiled, abs=1e-12 * scale), name


def test_a_model_can_be_built_without_a_compiler() -> None:
    modules = ", ".join(f"simulator.algorithms.{name}" for name in ("multibody", "tree_dynamics", "body_motion"))
    program = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0
