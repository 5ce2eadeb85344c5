"""How much one reads to follow a step: the functions and files that it passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.helpers.repository import ROOT

MOST = {"rack_and_pinion": (60, 15), "boxes": (258, 44)}
"""Functions and files of a step, by world; a few more than today where that is more than a hundred."""


def test_a_step_passes_few_functions_and_files() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.helpers.step_path", *MOST],
        cwd=ROOT,
        env={**os.environ, "SIMULATOR_KERNELS": "python"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {one["world"]: (one["functions"], one["files"]) for one in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == MOST.keys()
    assert all(found[world] <= most and found[world][1] <= most[1] for world, most in MOST.items()), found
