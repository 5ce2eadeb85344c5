"""Exudyn's test models of rigid bodies, of which each stores one number: a sum of coordinates at the end, at its own
step.

The mechanisms are those of `main/pythonDev/TestModels/*.py`, the numbers of `runTestSuiteRefSol.py`. Exudyn's steps of
generalised α are of second order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from tests.foreign.documents import document, joint, link, rod
from tests.foreign.motion import Motion
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESULTS = Path("main/pythonDev/TestModels/runTestSuiteRefSol.py")
SUITE = "Exudyn"
HALF, OFFSET = 0.3, 0.1
"""Half the length of a link of the chain, and how far its joints are off its axis [m]."""
SPIN = (0.0, 150.0, -4.61538)
"""Of the heavy top [rad/s]."""


def is_here(folder: Path) -> bool:
    """Whether a folder is a checkout of Exudyn."""
    return (folder / RESULTS).is_file()


@dataclass(frozen=True)
class Case:
    """A model by the name of its file, and its number by a run with a step."""

    name: str
    number: Callable[[float], float]
    step: float
    quantity: str


def rows(folder: Path) -> Iterator[Row]:
    """All comparisons that a checkout has results for."""
    text = (folder / RESULTS).read_text(encoding="utf-8")
    for case in CASES:
        stored = re.search(rf"'{case.name}\.py': ?(-?[\d.e+-]+),", text)
        if stored is not None:
            ours, finer = case.number(case.step), case.number(case.step / 2.0)
            note = f"of {float(stored[1]):.6g}; half our step changes ours by {abs(ours - finer):.0e}"
            yield Row(
                SUITE, case.name, case.quantity, "", abs(ours - float(stored[1])), f"steps of {case.step:g} s", note
            )


def coordinates(motion: Motion, name: str) -> float:
    """The sum of sizes of the place and of the Euler parameters of a link at the end."""
    pose = motion.run.poses(name)[-1]
    return float(np.abs(pose[:3, 3]).sum() + np.abs(Rotation.from_matrix(pose[:3, :3]).as_quat()).sum())


def chain(step: float) -> float:
    """Four bodies in balls one after the other; the first slides along x with its centre."""
    parts = [rod("slider", (-HALF, 0, 0)), joint("slide", "prismatic", "world", "slider", (-HALF, 0, 0), (1, 0, 0))]
    for place in range(4):
        parts.append(link(f"b{place}", (-HALF + 2 * HALF * place, 0, 0), (6.0, 1.0, 6.0), 2.0))
        before, at = (f"b{place - 1}", (2 * HALF * (place - 1), 0, OFFSET)) if place else ("slider", (-HALF, 0, 0))
        parts.append(joint(f"j{place}", "ball", before, f"b{place}", at))
    motion = Motion.of(document(*parts, gravity=(0, -9.81, 0)), 1.0, dt=step, every=1e-3, reactions=False)
    return coordinates(motion, "b0") + coordinates(motion, "b1")


def heavy_top(step: float) -> float:
    """A top on its point: the sum of its Euler parameters and of its angles about x, y and z in turn, which count
    beyond half a turn."""
    text = document(
        link("top", (0, 0, 0), (0.234375, 0.46875, 0.234375), 15.0, centre=(0, 1.0, 0)),
        joint("point", "ball", "world", "top", (0, 0, 0)), gravity=(0, 0, -9.81),
    )  # fmt: skip
    motion = Motion.of(text, 0.2, dt=step, every=1e-4, spin=SPIN, reactions=False)
    turns = Rotation.from_matrix(motion.run.poses("top")[:, :3, :3])
    angles = np.unwrap(turns.as_euler("XYZ"), axis=0)
    return float(np.abs(turns.as_quat()[-1]).sum() + np.abs(angles[-1]).sum())


CASES = (
    Case("sphericalJointTest", chain, 1e-3, "coordinates of two bodies"),
    Case("heavyTop", heavy_top, 1e-4, "Euler parameters and angles"),
)
