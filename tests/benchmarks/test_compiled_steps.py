"""What one RK4 step costs when Python calls it; with MuJoCo's beside it where the extra `bench` is installed (see
scripts/bench)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.contenders import MANY
from tests.benchmarks.peers.mujoco_peer import MuJoCo
from tests.benchmarks.peers.ours import Ours
from tests.benchmarks.tasks import TASKS
from tests.helpers.mjcf import TIGHT


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("steps", [1, MANY], ids=["a call a step", "many steps a call"])
def test_our_step(benchmark: Any, name: str, steps: int) -> None:
    ours = Ours(TASKS[name](), steps=steps)
    benchmark(ours.call, *ours.arguments)


@pytest.mark.parametrize("name", TASKS)
def test_one_step_of_mujoco(benchmark: Any, name: str) -> None:
    pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")
    theirs = MuJoCo(TASKS[name](), TIGHT)
    benchmark(theirs.call, *theirs.arguments)
