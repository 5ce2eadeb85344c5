"""The mechanisms of scripts/bench: four example worlds and trains of gears, each with an effort on its first axis or
none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.model.world import Document
from simulator.session.open.opening import Opened, open_document
from tests.helpers.mechanisms import joint, link, mimic, world
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]
DT = 1e-3
"""The step of all measurements [s]."""


@dataclass(frozen=True)
class Task:
    """A world with one mechanism, and the effort on its first axis [N m]."""

    name: str
    opened: Opened
    effort: float = 0.0

    @property
    def mechanism(self) -> Mechanism:
        """What moves."""
        return self.opened.mechanism

    def efforts(self) -> Array:
        """On all axes."""
        result = np.zeros(len(self.mechanism.axes))
        result[0] = self.effort
        return result

    def tree_axes(self) -> list[int]:
        """The axes that have a coordinate, in the order in which contenders tell positions and velocities."""
        return [axis for axis, info in enumerate(self.mechanism.axes) if info.in_tree]


def gear_train(gears: int) -> Task:
    """Discs of 1 kg and 5 cm side by side, each turning against the one before; 2 rad/s^2 whatever their number."""
    inertia = 0.5 * 0.05**2
    disc = Inertial(1.0, moments=(inertia, inertia, inertia))
    parts: list[Any] = [link(f"g{i}", at=(0.1 * i, 0.0, 0.0), inertial=disc, has_inertial=True) for i in range(gears)]
    for i in range(gears):
        axis = {"mimic": mimic(f"j{i - 1}", multiplier=-1.0)} if i else None
        parts.append(joint(f"j{i}", "revolute", "world", f"g{i}", at=(0.1 * i, 0.0, 0.0), axes=[(0, 1, 0)], axis=axis))
    made = world(*parts)
    name = f"gear train, {gears}"
    opened = Opened(Path(name), Document(name, worlds=(made,)), made, build_mechanism(made))
    opened.require_valid()
    return Task(name, opened, gears * inertia * 2.0)


def example(name: str, document: str, effort: float = 0.0) -> Task:
    """One of the worlds that come with the program."""
    return Task(name, open_document(ROOT / "worlds" / f"{document}.sdf"), effort)


TASKS: dict[str, Callable[[], Task]] = {
    "rack": partial(example, "rack and pinion", "rack_and_pinion", 0.01),
    "gear pair": partial(example, "gear pair", "gearbox_as_mimic", 0.05),
    "pendulums": partial(example, "three pairs of pendulums", "fast_slow_pendulums"),
    "four-bar": partial(example, "four-bar", "four_bar"),
    **{f"train {n}": partial(gear_train, n) for n in (8, 64, 256, 1024)},
}
TRAINS = ("train 64", "train 256", "train 1024")
