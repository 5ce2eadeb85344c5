"""Half the step, a sixteenth of the error: linkages with springs and dampers within their loops.

Springs and dampers sit where bodies of a milligram hang on them, so that by the coordinate alone they are far faster
than the step (the rocker's spring swings 14 rad in 2 ms); the loops move hundreds of grams with it, which steps
resolve.
Against the published state of Andrews' squeezer, and DOP853 in minimal coordinates (`planar_linkages`)."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.physics import squeezer
from tests.physics.planar_linkages import Linkage, Passive, Pull, five_bar, four_bar
from tests.physics.worlds import advance, running

SOLVERS = pytest.mark.parametrize("solver", ["rows", "reduced"])
LIGHT = 1e-6
DURATION = 0.4
CRANK_ROCKER = four_bar(0.15, 0.45, 0.35, 0.5, 1.0, (1.0, 0.6, LIGHT))
MANIPULATOR = five_bar(0.25, 0.35, 0.3, (2.2, 0.9), (0.8, LIGHT, 0.8, LIGHT))
LINKAGES = {
    "crank-rocker, free": CRANK_ROCKER,
    "crank-rocker, spring in the tree": CRANK_ROCKER.with_hinges(h2=Passive(2.0, rest=0.3)),
    "crank-rocker, spring where it is cut": CRANK_ROCKER.with_hinges(c0=Passive(2.0, rest=0.3)),
    "crank-rocker, damped": CRANK_ROCKER.with_hinges(h2=Passive(2.0, 0.02, 0.3)),
    "crank-rocker, damped where it is cut": CRANK_ROCKER.with_hinges(c0=Passive(damping=0.05)),
    "crank-rocker, spring between points": replace(CRANK_ROCKER, pulls=(Pull(2, 0.3, 0.1 + 0.4j, 60.0, 0.1, 0.5),)),
    "crank-rocker, driven": replace(CRANK_ROCKER.with_hinges(h2=Passive(2.0, 0.02, 0.3)), moment=3.0, frequency=2.0),
    "manipulator, springs": MANIPULATOR.with_hinges(h1=Passive(1.5, rest=0.2), h3=Passive(1.0, rest=-0.1)),
    "manipulator, damped": MANIPULATOR.with_hinges(
        h1=Passive(1.5, 0.02, 0.2), h3=Passive(damping=0.03), c0=Passive(0.5)
    ),
    "manipulator, driven": replace(
        MANIPULATOR.with_hinges(h1=Passive(1.5, 0.02, 0.2), c0=Passive(0.5)), moment=0.3, frequency=1.5
    ),
}


def error_of_linkage(path: Path, linkage: Linkage, exact: np.ndarray, dt: float, solver: str) -> float:
    """Largest of all joints of the tree after `DURATION` [rad]."""
    with running(path, dt=dt, solver=solver) as engine:
        advance(engine, DURATION)
        axes = [engine.mechanism.axis_index(f"h{k}") or 0 for k in range(len(linkage.bodies))]
        return float(np.abs(engine.snapshot().position[axes] - exact).max())


@SOLVERS
@pytest.mark.parametrize("name", list(LINKAGES))
def test_a_linkage_with_springs_and_dampers_is_of_order_four(name: str, solver: str, tmp_path: Path) -> None:
    """The reference errs by less than 1e-10 rad: DOP853 at 1e-12 a step, two hundred of them. At 2 ms a motion with
    rates of 20 rad/s is good for (w dt)^4 / 120 = 2e-8 rad, for four times of that where it is driven through 6 rad.
    Order two, which held springs have, would leave 2e-5, order three 1e-7. Orders found are 3.9 and more."""
    linkage, path = LINKAGES[name], tmp_path / "linkage.sdf"
    path.write_text(linkage.document())
    exact = linkage.moved(DURATION)
    coarse, fine = (error_of_linkage(path, linkage, exact, dt, solver) for dt in (4e-3, 2e-3))
    assert math.log2(coarse / fine) > 3.8
    assert fine < (1e-7 if name == "crank-rocker, driven" else 2e-8)


def error_of_squeezer(path: Path, dt: float, solver: str) -> float:
    """Largest of all angles at 0.03 s against the published ones [rad]."""
    with running(path, dt=dt, solver=solver) as engine:
        advance(engine, 0.03)
        position = engine.snapshot().position
        axes = [engine.mechanism.axis_index(name) or 0 for name in squeezer.NAMES]
        return float(np.abs(squeezer.START + position[axes] - squeezer.END).max())


@SOLVERS
@pytest.mark.parametrize("leg", [False, True], ids=["between points", "on a leg"])
def test_andrews_squeezer_is_where_it_was_published(leg: bool, solver: str, tmp_path: Path) -> None:
    """At 1e-5 s the step is a fortieth of a radian of the crank's 1140 rad/s, and its own error is below 3e-10: what is
    left, 1.5e-9, whatever the step, is in the published figures; the masses of the leg add 8.2e-9. From 1e-4 s to half
    of it the error, 6e-6, falls by 2^4.6 and more."""
    path = tmp_path / "squeezer.sdf"
    path.write_text(squeezer.document(leg=leg))
    coarse, half, fine = (error_of_squeezer(path, dt, solver) for dt in (1e-4, 5e-5, 1e-5))
    assert math.log2(coarse / half) > 3.8
    assert fine < (1.2e-8 if leg else 2e-9)
