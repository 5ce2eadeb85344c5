"""What one RK4 step costs when Python calls it; with MuJoCo's beside it where the extra `bench` is installed (see scripts/bench)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.contenders import TASKS, MuJoCo, Ours
from tests.helpers.mjcf import TIGHT


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("raw", [False, True], ids=["step", "advance"])
def test_one_step(benchmark: Any, name: str, raw: bool) -> None:
    ours = Ours(TASKS[name](), raw=raw)
    benchmark(ours.call, *ours.arguments)


@pytest.mark.parametrize("name", TASKS)
def test_one_step_of_mujoco(benchmark: Any, name: str) -> None:
    pytest.importorskip("mujoco", minversion="4.0", reason="the extra `bench` is not installed: scripts/bench does it")
    theirs = MuJoCo(TASKS[name](), TIGHT)
    benchmark(theirs.call, *theirs.arguments)
