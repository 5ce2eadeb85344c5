"""What is asked of this project's speed, and what a report says about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.peers import mujoco_peer, ours, pybullet_peer
from tests.benchmarks.tasks import TASKS, TRAINS

GROWTH = 18.0
"""1024 gears may cost so many times what 64 do."""


@dataclass(frozen=True)
class Asked:
    """Median of `over` / median of `under`: at least `least` and at most `most`, on each of these columns."""

    text: str
    over: str
    under: str
    columns: tuple[str, ...]
    least: float = 0.0
    most: float = math.inf

    def reached(self, ratio: float) -> bool:
        """Whether a ratio is what was asked."""
        return self.least <= ratio <= self.most


ALL = tuple(TASKS)
ASKED = (
    Asked("a call a step, MuJoCo RK4 tight / ours: at least 1.5", mujoco_peer.RK4, ours.REDUCED, ALL, least=1.5),
    Asked(
        "a call a step, trains of 64 and more, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER,
        ours.REDUCED,
        TRAINS,
        least=1.0,
    ),
    Asked(
        "many steps a call, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER_MANY,
        ours.REDUCED_MANY,
        ALL,
        least=1.0,
    ),
    Asked(
        "strategy rows free of contact / raw PyBullet: at most 3",
        ours.strategy_name("rows"),
        pybullet_peer.RAW,
        ("rack", "four-bar"),
        most=3.0,
    ),
    Asked(
        "the goal: a call a step, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER,
        ours.REDUCED,
        ALL,
        least=1.0,
    ),
)


def evaluate(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The ratios of medians with the least and the largest of one round, by column, and where they were missed."""
    rows = []
    for asked in ASKED:
        ratios: dict[str, Any] = {}
        for task in report["tasks"]:
            found = task["contenders"]
            if task["column"] in asked.columns and asked.over in found and asked.under in found:
                over, under = found[asked.over], found[asked.under]
                rounds = [a / b for a, b in zip(over["every_round"], under["every_round"], strict=True)]
                ratio = over["microseconds"] / under["microseconds"]
                ratios[task["column"]] = {"ratio": ratio, "rounds": [min(rounds), max(rounds)]}
        missed = [column for column, entry in ratios.items() if not asked.reached(entry["ratio"])]
        rows.append({"asked": asked.text, "ratios": ratios, "missed": missed})
    return rows
