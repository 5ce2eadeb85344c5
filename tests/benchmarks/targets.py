"""Targets for speed, as ratios to other simulators, and what a report says about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.peers import mujoco_peer, ours, pybullet_peer
from tests.benchmarks.tasks import TASKS, TRAINS

GROWTH = 18.0
"""Most that a step of 1024 gears may cost, in steps of 64."""


@dataclass(frozen=True)
class Target:
    """Median of `over` / median of `under`: at least `least` and at most `most`, on each of these columns."""

    text: str
    over: str
    under: str
    columns: tuple[str, ...]
    least: float = 0.0
    most: float = math.inf

    def reached(self, ratio: float) -> bool:
        """Whether a ratio meets the target."""
        return self.least <= ratio <= self.most


ALL = tuple(TASKS)
TARGETS = (
    Target("a call a step, MuJoCo RK4 tight / ours: at least 1.5", mujoco_peer.RK4, ours.REDUCED, ALL, least=1.5),
    Target(
        "a call a step, trains of 64 and more, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER,
        ours.REDUCED,
        TRAINS,
        least=1.0,
    ),
    Target(
        "many steps a call, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER_MANY,
        ours.REDUCED_MANY,
        ALL,
        least=1.0,
    ),
    Target(
        "strategy rows free of contact / raw PyBullet: at most 3",
        ours.strategy_name("rows"),
        pybullet_peer.RAW,
        ("rack", "four-bar"),
        most=3.0,
    ),
    Target(
        "a call a step, MuJoCo Euler default / ours: at least 1",
        mujoco_peer.EULER,
        ours.REDUCED,
        ALL,
        least=1.0,
    ),
)


def evaluate(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The ratios of medians with the least and the largest of one round, by column, and where they were missed."""
    rows = []
    for target in TARGETS:
        ratios: dict[str, Any] = {}
        for task in report["tasks"]:
            found = task["contenders"]
            if task["column"] in target.columns and target.over in found and target.under in found:
                over, under = found[target.over], found[target.under]
                rounds = [a / b for a, b in zip(over["every_round"], under["every_round"], strict=True)]
                ratio = over["microseconds"] / under["microseconds"]
                ratios[task["column"]] = {"ratio": ratio, "rounds": [min(rounds), max(rounds)]}
        missed = [column for column, entry in ratios.items() if not target.reached(entry["ratio"])]
        rows.append({"target": target.text, "ratios": ratios, "missed": missed})
    return rows
