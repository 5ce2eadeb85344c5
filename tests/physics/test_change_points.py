"""Loops at, through and beside positions where motions meet, and in positions where nothing can move.

References are free of constraints: `four_bar_motions` integrates one coordinate on a branch that is a smooth function
of it."""

from __future__ import annotations

import cmath
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.engine.snapshot import Extremes
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.session.open.opening import open_document
from tests.physics.four_bar_motions import Angles, Bars, crossed, folded, parallel
from tests.physics.worlds import advance_to, make_steps, running

PARALLELOGRAM = Bars(0.5, 1.0, 0.5, 1.0)
KITE = Bars(0.5, 0.5, 1.0, 1.0)
STRETCHED = Bars(1.0, 1.0, 1.0, 3.0)
SOLVERS = ("rows", "reduced")
FLAT = {
    "parallelogram, stretched": (PARALLELOGRAM, 0.5, 1.5),
    "parallelogram, folded": (PARALLELOGRAM, -0.5, 0.5),
    "kite, short bars folded": (KITE, 0.5, 0.0),
    "kite, stretched": (KITE, -0.5, 0.0),
    "kite, long bars folded": (Bars(0.5, 1.0, 1.0, 0.5), 0.5, -0.5),
}
CLOSED = 1e-12


def written(folder: Path, text: str) -> Path:
    path = folder / "bars.sdf"
    path.write_text(text)
    return path


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FLAT)
def test_let_go_at_a_change_point_a_loop_stays_closed_and_keeps_its_energy(
    name: str, solver: str, tmp_path: Path
) -> None:
    """Ten seconds, through many change points. Tolerances: the loop to 1e-12 m, the energy to 1e-6 of the largest
    kinetic energy, which is the error of the fourth-order method there."""
    bars, tip, end = FLAT[name]
    with running(written(tmp_path, bars.document(complex(tip), complex(end))), solver=solver) as engine:
        most = make_steps(engine, 10_000)
        assert most.kinetic > 1.0
        assert max(most.loop) <= CLOSED
        assert abs(engine.snapshot().energy.error) <= 1e-6 * most.kinetic


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("bars", "angles", "start"),
    [
        (PARALLELOGRAM, parallel, 0.4),
        (PARALLELOGRAM, crossed(PARALLELOGRAM), -0.4),
        (KITE, folded, 0.3),
    ],
    ids=["parallelogram", "antiparallelogram", "folded kite"],
)
def test_through_change_points_a_motion_goes_on(
    bars: Bars, angles: Angles, start: float, solver: str, tmp_path: Path
) -> None:
    """Three seconds against one smooth coordinate. Tolerance: 1e-6 rad, what the fourth-order method loses where a step
    meets the change point; the wrong branch would be off by radians."""
    coupler, _ = angles(start)
    tip = bars.crank * cmath.exp(1j * start)
    document = bars.document(tip, tip + bars.coupler * cmath.exp(1j * coupler))
    times = np.arange(1, 31) * 0.1
    wanted = bars.released(angles, start, times)
    assert wanted.min() < -0.1 < 0.1 < wanted.max(), "the motion is to pass the flat position"
    with running(written(tmp_path, document), solver=solver) as engine:
        crank = engine.mechanism.axis_index("j1")
        assert crank is not None
        found = []
        for _ in times:
            make_steps(engine, 100)
            found.append(start + float(engine.snapshot().position[crank]))
            assert float(engine.snapshot().loop_residual.max()) <= CLOSED
    assert np.abs(np.array(found) - wanted).max() < 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_from_a_change_point_at_rest_the_motion_that_falls_fastest_is_taken(solver: str, tmp_path: Path) -> None:
    """A parallelogram stretched along its base is let go: both motions are possible. Gauss's principle takes the one
    that keeps more of the free motion's energy: the parallelogram falls with 3 g/(2 a) x 4/5, the crossed one would
    lift its coupler."""
    with running(written(tmp_path, PARALLELOGRAM.document(0.5 + 0j, 1.5 + 0j)), solver=solver) as engine:
        crank, rocker = engine.mechanism.axis_index("j1"), engine.mechanism.axis_index("j3")
        assert crank is not None
        assert rocker is not None
        times = np.arange(1, 11) * 0.1
        wanted = PARALLELOGRAM.released(parallel, 0.0, times)
        for time, angle in zip(times, wanted, strict=True):
            advance_to(engine, time)
            now = engine.snapshot().position
            assert now[crank] == pytest.approx(angle, abs=1e-7)
            assert now[rocker] == pytest.approx(angle, abs=1e-7)


@pytest.mark.parametrize("beside", [1e-3, 1e-6, 1e-8, 1e-9])
def test_beside_a_change_point_the_loop_is_held_too(beside: float, tmp_path: Path) -> None:
    """As near as that K has full rank, by a singular value of as much."""
    tip = 0.5 * cmath.exp(1j * beside)
    with running(written(tmp_path, PARALLELOGRAM.document(tip, tip + 1.0))) as engine:
        most = make_steps(engine, 2000)
        assert max(most.loop) <= CLOSED
        assert abs(engine.snapshot().energy.error) <= 1e-6 * most.kinetic


@pytest.mark.parametrize("solver", SOLVERS)
def test_driven_through_its_change_points_a_parallelogram_stays_one(solver: str, tmp_path: Path) -> None:
    """Five turns at 3 rad/s pass ten change points; the rocker is to be where the crank is. 1e-9 rad: the drive's own
    figure."""
    tip = 0.5 * cmath.exp(1j)
    path = written(tmp_path, PARALLELOGRAM.document(tip, tip + 1.0))
    with running(path, solver=solver, drives=("j1=velocity:3",)) as engine:
        crank, rocker = engine.mechanism.axis_index("j1"), engine.mechanism.axis_index("j3")
        advance_to(engine, 10.0)
        now = engine.snapshot()
        assert now.position[crank] == pytest.approx(30.0, abs=0.01)  # the first step brings it to speed
        assert now.position[rocker] == pytest.approx(float(now.position[crank]), abs=1e-9)
        assert float(now.loop_residual.max()) <= CLOSED


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_is_rigid_to_second_order_stands_still(solver: str, tmp_path: Path) -> None:
    """Three bars stretched to the fourth: K allows two velocities, and every one of them opens the loop in its second
    order."""
    path = written(tmp_path, STRETCHED.document(1 + 0j, 2 + 0j))
    condition = condition_of(open_document(path).mechanism)
    assert (condition.count, condition.rank, condition.rank_here) == (1, 0, 2)
    with running(path, solver=solver) as engine:
        make_steps(engine, 2000)
        now = engine.snapshot()
        assert np.abs(now.position).max() < 1e-12
        assert float(now.loop_residual.max()) <= CLOSED


@pytest.mark.parametrize(
    ("document", "code", "said"),
    [
        (PARALLELOGRAM.document(0.5 + 0j, 1.5 + 0j), "CHANGE_POINT", "2 motions meet"),
        (KITE.document(-0.5 + 0j, 0j), "CHANGE_POINT", "2 motions meet"),
        (STRETCHED.document(1 + 0j, 2 + 0j), "LOOP_RIGID", "nothing can move further along it"),
    ],
    ids=["parallelogram", "kite", "stretched"],
)
def test_a_start_at_a_singular_position_is_said_before_anything_moves(
    document: str, code: str, said: str, tmp_path: Path
) -> None:
    (found,) = open_document(written(tmp_path, document)).diagnostics
    assert found.code == code
    assert said in found.message
    assert found.line > 0


def double(flat: float) -> str:
    """Two parallelograms side by side that share the middle bar, at the angle `flat`."""
    tip = 0.5 * cmath.exp(1j * flat)
    first = PARALLELOGRAM.document(tip, tip + 1.0)
    rod = first[first.index('<link name="rocker">') : first.index("<joint")]
    third = rod.replace('"rocker"', '"third"').replace("<pose>1.0 0.0", "<pose>2.0 0.0", 1)
    coupler = first[first.index('<link name="coupler">') : first.index('<link name="rocker">')]
    place = f"{tip.real!r} {tip.imag!r}"
    assert f"<pose>{place}" in coupler
    second = coupler.replace('"coupler"', '"second"').replace(place, f"{tip.real + 1.0!r} {tip.imag!r}", 1)
    hinge = (
        '<joint name="{}" type="revolute">{}<parent>{}</parent><child>{}</child><axis><xyz>0 0 1</xyz></axis></joint>'
    )
    more = (
        hinge.format("j5", "", "world", "third")
        + hinge.format("j6", "<pose>0 0 0 0 0 0</pose>", "rocker", "second")
        + hinge.format("j7", '<pose relative_to="third">0.5 0 0 0 0 0</pose>', "second", "third")
    )
    return first.replace("</model>", f"{third}{second}{more}</model>")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_six_bar_with_two_change_points_at_once_falls_as_a_pendulum(solver: str, tmp_path: Path) -> None:
    """Two parallelograms in a row, all bars in line: each of the two loops could cross. Let go it falls as
    parallelograms do: three bars of a^2/3 and two couplers of a^2 about their pivots, 3 a/2 + 2 a of weight: a t'' =
    -(3.5/3) g cos t."""
    path = written(tmp_path, double(0.0))
    with running(path, solver=solver) as engine:
        assert max(make_steps(engine, 500).loop) <= CLOSED
        now = engine.snapshot()
        t, speed = now.position[engine.mechanism.axis_index("j1")], now.velocity[engine.mechanism.axis_index("j1")]
        assert t < -0.5
        assert speed * speed == pytest.approx(-2.0 * (3.5 / 3.0) * 9.81 / 0.5 * math.sin(t), rel=1e-6)
        for name in ("j3", "j5"):
            assert now.position[engine.mechanism.axis_index(name)] == pytest.approx(t, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_steps_are_made_in_blocks_but_at_change_points(solver: str, tmp_path: Path) -> None:
    """Where motions meet each step decides which one continues, so none is made unseen; a quarter of a second later the
    bars are past it. 250 steps in blocks, as `run` makes them, lead where single ones do, to the last bit."""
    bars, tip, end = FLAT["parallelogram, folded"]
    path = written(tmp_path, bars.document(complex(tip), complex(end)))
    with running(path, solver=solver) as one, running(path, solver=solver) as other:
        dynamics = one.core.dynamics
        assert isinstance(dynamics, ReducedDynamics)
        assert not dynamics.can_step_blocks()
        left = 250
        while left:
            left -= one.advance(left, Extremes())[0]
            other.step()
            while other.steps < one.steps:
                other.step()
        assert dynamics.can_step_blocks()
        np.testing.assert_array_equal(one.snapshot().position, other.snapshot().position)
