"""The table of `scripts/bench relay`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.benchmarks.relaying import in_process, machines, measured, row


def test_both_machines_follow_every_message(tmp_path: Path) -> None:
    for machine in machines(tmp_path):
        with in_process(machine) as (send, receive):
            rate, taken = measured(send, receive, machine, 30)
        assert rate > 0.0
        assert taken.shape == (30,)


def test_a_rate_that_falls_short_is_bold(tmp_path: Path) -> None:
    gripper = next(machines(tmp_path))
    taken = np.array([0.001, 0.002, 0.003])
    assert row(gripper, "socket", 400.0, taken) == ("four-bar gripper", "socket", "**400**", "500", "2.00", "2.98")
    assert row(gripper, "socket", 600.4, taken)[2] == "600"
