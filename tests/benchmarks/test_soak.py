"""scripts/soak: what grows, or is lost, is marked; a short one runs as a whole."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.benchmarks.soak import Usage, as_markdown, judged

MIB = 2**20


def report(memory: list[int], **changed: Any) -> dict[str, Any]:
    physics = {"memory": 200 * MIB, "handles": 20, "threads": 3}
    usages = [(float(i), {"memory": of * MIB, "handles": 40, "threads": 9}, physics) for i, of in enumerate(memory)]
    usual = {"rows": 6000, "missing": 0, "behind": 0, "date": "d", "machine": "m", "world": "w", "minutes": 60.0}
    return {**usual, "speed": 10.0, "simulated": 36000.0, "usages": usages, **changed}


def missed(found: dict[str, Any]) -> list[str]:
    return [what for what, _, _, reached in judged(found) if not reached]


def test_a_window_that_stays_as_it_is_misses_nothing() -> None:
    found = report([100, *[400] * 5, *[410] * 14])
    assert missed(found) == [], "what is loaded in the first tenth does not count"
    assert "**" not in as_markdown(found)


def test_growth_and_loss_are_marked() -> None:
    assert missed(report([400] * 15 + [430] * 5)) == ["memory of the window"]
    assert missed(report([400] * 15 + [370] * 5)) == ["memory of the window"]
    assert missed(report([400] * 20, missing=1)) == ["kill -9 of the physics process"]
    found = report([400] * 20, behind=3)
    assert "**6000 rows kept, 0 missing between them, 3 behind the picture**" in as_markdown(found)
    found["usages"][-1][1]["handles"] = 41
    assert "handles of the window" in missed(found)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="reads proc(5)")
def test_usage_of_this_process() -> None:
    before = Usage.of(os.getpid())
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
    after = Usage.of(os.getpid())
    for handle in held:
        os.close(handle)
    assert after.handles == before.handles + 5
    assert before.memory > MIB
    assert before.threads >= 1
