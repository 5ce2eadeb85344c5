"""A crash in one test fails that test, and all others run: see `FilesOnce`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CRASHES = """
import os, signal, pytest

@pytest.mark.parametrize("number", range(3))
def test_crash(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
"""
PASSES = """
import pytest

@pytest.mark.parametrize("number", range({}))
def test_pass(number):
    pass
"""
HOOK = """
from tests.helpers.crashed_workers import FilesOnce

def pytest_xdist_make_scheduler(config, log):
    return FilesOnce(config, log)
"""
BEFORE, AFTER = 6, 2
"""How many files run before the one that crashes, four tests each, and after it, one test each: large files first."""


def test_a_crash_costs_one_test(tmp_path: Path) -> None:
    for number in range(BEFORE):
        (tmp_path / f"test_a{number}.py").write_text(PASSES.format(4))
    (tmp_path / "test_b.py").write_text(CRASHES)
    for number in range(AFTER):
        (tmp_path / f"test_c{number}.py").write_text(PASSES.format(1))
    (tmp_path / "conftest.py").write_text(HOOK)
    options = ["--numprocesses=1", "--dist=loadfile", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"1 failed, {4 * BEFORE + AFTER + 2} passed" in run.stdout, run.stdout
