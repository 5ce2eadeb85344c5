"""Loops of joints in space that move in a plane: their motion is that of the planar chain, and no row is missed where
those that lead out of the plane lose a rank.

The motion is compared with free bars that stabilised forces hold together (`loops_in_a_plane.planar_motion`), solved to
1e-11."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Constant
from tests.physics.loops_in_a_plane import Chain, document, five_bar, in_line, planar_motion, random_chain

Array = NDArray[np.float64]

COUNT = int(os.environ.get("SIMULATOR_EXAMPLES", "0"))
TIMES = np.array([0.1, 0.2, 0.3])
CLOSED = 1e-9
"""Residual [m] that rows may show which are not solved."""
SOLVERS = ("rows", "reduced")
AGREES = 1e-6
"""Angles [rad]: what steps of order four and 1 ms leave of motions of some rad/s in tenths of a second; halving the
step takes a sixteenth of it or less."""


def moved(chain: Chain, solver: str, times: Array = TIMES) -> tuple[Array, float]:
    """Angles of the bars at `times` [s], shape (len(times), bars), and the largest residual of the loop [m, rad]."""
    sim, angles, worst = simulator.load(document(chain), solver=solver), [], 0.0
    for time in times.tolist():
        run = sim.run(time - sim.time)
        worst = max(worst, run.summary.max_loop_residual_m, run.summary.max_loop_residual_rad)
        angles.append([heading(sim, f"b{i}") for i in range(chain.bars)])
    return np.array(angles), worst


def heading(sim: simulator.Simulation, bar: str) -> float:
    """Angle of a bar's x axis in the world, from x to z."""
    x_axis = sim.pose(f"m::{bar}")[:3, 0]
    return math.atan2(x_axis[2], x_axis[0])


def require_planar(chain: Chain, solver: str) -> None:
    """The motion is that of the planar chain, and all rows of its loop hold."""
    angles, worst = moved(chain, solver)
    assert np.abs(np.exp(1j * angles) - np.exp(1j * planar_motion(chain, TIMES))).max() < AGREES
    assert worst < CLOSED


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(COUNT or 4))
def test_random_chains(seed: int, solver: str) -> None:
    require_planar(random_chain(seed), solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(COUNT or 2))
def test_second_axes_in_line_at_the_start(seed: int, solver: str) -> None:
    """Rows have a rank less there than on the planar motion; where another motion meets it, that has fewer freedoms."""
    require_planar(in_line(seed), solver)


@pytest.mark.parametrize("hips", [0.0, 0.05])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_leg_released_from_the_symmetric_shape(hips: float, solver: str) -> None:
    """Rows are of lower rank along a curve within the motion, on which the leg starts."""
    require_planar(five_bar(hips=hips), solver)


@pytest.mark.parametrize("hips", [0.0, 0.05])
def test_its_mobility_is_two(hips: float) -> None:
    sim = simulator.load(document(five_bar(hips=hips)))
    assert sim.condition().rank == 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_leg_driven_along_the_singular_poses(solver: str) -> None:
    """Both hips turn at 1 rad/s: the leg swings as a rigid body about them, its second axes in line all the time. The
    motor of the hip that closes the loop is 3e-5 slow in a leg of hinges, too."""
    sim = simulator.load(document(five_bar(hips=0.0)), solver=solver)
    start = [heading(sim, f"b{i}") for i in range(4)]
    for hip in ("m::j0", "m::jn"):
        sim.drive(hip, Drive(DriveKind.VELOCITY, Constant(1.0)))
    summary = sim.run(1.0).summary
    assert summary.max_loop_residual_m < CLOSED
    turned = np.exp(1j * np.array([heading(sim, f"b{i}") for i in range(4)])) / np.exp(1j * np.array(start))
    assert turned == pytest.approx(np.exp(-1j), abs=3e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("turn", [(0.3, 0.2), (0.2, -0.2), (0.0, 0.0)])
def test_a_rounded_axis_lets_it_move_as_it_was_meant(turn: tuple[float, float], solver: str) -> None:
    """A hip is 4.6e-5 rad out of parallel, as pi/2 is with five digits. Rows by the letter would keep the second axes
    from coming in line. Its axis is corrected when the document is opened: its motion is that of the exact leg."""
    angles, worst = moved(five_bar(turn=turn, tilt=4.6e-5), solver, TIMES[:2])
    exact, _ = moved(five_bar(turn=turn), solver, TIMES[:2])
    assert angles == pytest.approx(exact, abs=1e-9)
    assert np.abs(np.exp(1j * angles) - np.exp(1j * planar_motion(five_bar(turn=turn), TIMES[:2]))).max() < 1e-5
    assert worst < CLOSED


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_rounded_axis_does_not_lead_a_driven_leg_out_of_its_plane(solver: str) -> None:
    """One hip turns, the other is held, from the symmetric shape on. Near it a row by the letter asks the second axes
    for rates that grow as one over the way from there, and in a few milliseconds they were at a tenth of a radian."""
    sims = [simulator.load(document(five_bar(tilt=tilt)), solver=solver) for tilt in (0.0, 4.6e-5)]
    for sim in sims:
        sim.drive("m::j0", simulator.position(simulator.sine(0.5, 0.5)))
        sim.drive("m::jn", simulator.position(0.0))
    exact, rounded = (sim.run(1.0) for sim in sims)
    assert rounded.summary.max_loop_residual_m < CLOSED
    names = [f"b{i}" for i in range(4)]
    for name in names:
        np.testing.assert_allclose(rounded.poses(name), exact.poses(name), rtol=0.0, atol=1e-6)
    assert np.ptp(exact["m::j0/position"]) > 0.4
