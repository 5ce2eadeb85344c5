"""Planar linkages driven and pushed through their change points for ten seconds; and against maximal coordinates.

Tolerances as in `test_change_points`: loops 1e-12 m, the ledger to 1e-6 of the largest kinetic energy.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from tests.physics.four_bar_motions import Angles, Bars, crossed, folded, parallel
from tests.physics.maximal_coordinates import pushed
from tests.physics.test_change_points import CLOSED, KITE, PARALLELOGRAM, double, written
from tests.physics.worlds import advance_to, make_steps, running

SOLVERS = pytest.mark.parametrize("solver", ["rows", "reduced"])
DRIVES = {"driven": "j1=velocity:3", "pushed": "j1=effort:sine(8,0.7)"}
WAYS = pytest.mark.parametrize("way", DRIVES)
Look = Callable[[float, float], None]


def ten_seconds(engine: Engine, look: Look, other: str = "j3") -> tuple[float, float]:
    """Loops and ledger close; `look` is shown by how much the crank and another joint have turned. The least and
    greatest turn."""
    crank, joint = engine.mechanism.axis_index("j1"), engine.mechanism.axis_index(other)
    worst = largest = 0.0
    turns = []
    while engine.time < 10.0 - 0.5 * engine.dt:
        most, position = make_steps(engine, 10), engine.snapshot().position
        worst, largest = max(worst, *most.loop), max(largest, most.kinetic)
        look(float(position[crank]), float(position[joint]))
        turns.append(float(position[crank]))
    assert worst <= CLOSED
    assert abs(engine.snapshot().energy.error) <= 1e-6 * largest
    return min(turns), max(turns)


@SOLVERS
@WAYS
@pytest.mark.parametrize(
    ("bars", "angles", "start"),
    [(PARALLELOGRAM, parallel, 0.4), (PARALLELOGRAM, crossed(PARALLELOGRAM), -0.4), (KITE, folded, 0.3)],
    ids=["parallelogram", "antiparallelogram", "folded kite"],
)
def test_a_four_bar_stays_on_its_branch(
    bars: Bars, angles: Angles, start: float, way: str, solver: str, tmp_path: Path
) -> None:
    """The rocker is where the branch has it: 1e-8 rad, a loop's residual over the least singular value where that is
    looked at."""
    coupler, rocker = angles(start)
    tip = bars.crank * cmath.exp(1j * start)
    path = written(tmp_path, bars.document(tip, tip + bars.coupler * cmath.exp(1j * coupler)))

    def on_branch(crank: float, turned: float) -> None:
        assert abs(cmath.exp(1j * (rocker + turned)) - cmath.exp(1j * angles(start + crank)[1])) < 1e-8

    with running(path, solver=solver, drives=(DRIVES[way],)) as engine:
        least, most = ten_seconds(engine, on_branch)
    assert any(least < flat - start < most for flat in (-np.pi, 0.0, np.pi)), "the motion is to pass a flat position"


@SOLVERS
@WAYS
def test_a_six_bar_with_two_change_points_stays_two_parallelograms(way: str, solver: str, tmp_path: Path) -> None:
    """Both loops may cross where all bars are in line; all three bars still turn alike."""

    def alike(crank: float, third: float) -> None:
        assert third == pytest.approx(crank, abs=1e-8)

    with running(written(tmp_path, double(0.4)), solver=solver, drives=(DRIVES[way],)) as engine:
        least, most = ten_seconds(engine, alike, "j5")
    assert least < -0.4 < most or least < np.pi - 0.4 < most


@SOLVERS
@pytest.mark.parametrize(("effort", "seconds"), [(12.0, 0.6), (3.0, 1.0)], ids=["up and over", "down and through"])
def test_a_pushed_parallelogram_is_that_of_maximal_coordinates(
    effort: float, seconds: float, solver: str, tmp_path: Path
) -> None:
    """Through one change point each: 1e-7 rad, what three stabilised bodies lose where their forces are lost."""
    tip = 0.5 * cmath.exp(1j)
    times = np.arange(1, round(10.0 * seconds) + 1) * 0.1
    wanted = pushed(PARALLELOGRAM, tip, tip + 1.0, effort, times)
    assert wanted[-1] > np.pi - 1.0 or wanted[-1] < -1.0
    path = written(tmp_path, PARALLELOGRAM.document(tip, tip + 1.0))
    with running(path, solver=solver, drives=(f"j1=effort:{effort}",)) as engine:
        crank, found = engine.mechanism.axis_index("j1"), []
        for time in times:
            advance_to(engine, time)
            found.append(float(engine.snapshot().position[crank]))
    assert np.abs(np.array(found) - wanted).max() < 1e-7
