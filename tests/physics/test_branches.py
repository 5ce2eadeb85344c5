"""Which of the motions that meet at a change point is taken, in space as in the plane: it is reported, and it is the
one that continues.

A spherical four-bar whose opposite arcs are alike, a and b, lies on a great circle twice in a turn. Its motions meet
there: with angles t of the crank and s of the rocker, from the great circle on, the cosine rule of spherical triangles
leaves

    tan(s / 2) = q tan(t / 2),    q = cos((a + b) / 2) / cos((a - b) / 2)    or    q = -sin((a + b) / 2) / sin((b - a) /
                                  2),

whose limits for small arcs are the parallelogram, q = 1, and the crossed one, q = -(b + a) / (b - a).
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from simulator.errors import AssemblyError
from simulator.kinematics.closure import closure_of
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.session.open.opening import open_document
from tests.physics.spatial_linkages import CUT, bennett, stewart
from tests.physics.test_change_points import PARALLELOGRAM, SOLVERS
from tests.physics.worlds import joint, link, make_steps, model, running, world

A, B = math.radians(40.0), math.radians(70.0)
OPEN = math.cos(0.5 * (A + B)) / math.cos(0.5 * (A - B))
CROSSED = -math.sin(0.5 * (A + B)) / math.sin(0.5 * (B - A))
TAKEN = re.compile(r"at ([\d.]+) s the loop closed by 'm::j4' continued from its change point with \((.*)\)")


def spherical(gravity: str = "0 0 -9.81") -> str:
    """On the great circle, which is level: hinges through the origin at 0, A, A + B and B, 1 kg in the middle of every
    arc."""

    def arc(name: str, at: float) -> str:
        return link(name, inertia="1e-3 1e-3 1e-3", com=f"{0.3 * math.cos(at)!r} {0.3 * math.sin(at)!r} 0")

    def axis(at: float) -> str:
        return f"{math.cos(at)!r} {math.sin(at)!r} 0"

    return world(
        model(
            arc("crank", 0.5 * A),
            arc("coupler", A + 0.5 * B),
            arc("rocker", B + 0.5 * A),
            joint("j1", "revolute", "crank", axis=axis(0.0)),
            joint("j2", "revolute", "coupler", parent="crank", axis=axis(A)),
            joint("j3", "revolute", "rocker", axis=axis(B)),
            joint("j4", "revolute", "rocker", parent="coupler", axis=axis(A + B), extra=CUT),
        ),
        gravity=gravity,
    )


def written(folder: Path, text: str) -> Path:
    path = folder / "linkage.sdf"
    path.write_text(text)
    return path


def ratio(text: str) -> float:
    """Rate of the rocker over the crank's, as a finding reports a branch."""
    told = TAKEN.fullmatch(text)
    assert told, text
    rates = {name: float(value) for name, value in (item.split() for item in told[2].split(", "))}
    return rates["j3"] / rates["j1"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("q", [OPEN, CROSSED], ids=["open", "crossed"])
@pytest.mark.parametrize("way", ["thrown", "driven", "pushed"])
def test_a_spherical_four_bar_goes_on_with_the_motion_that_it_tells(
    q: float, way: str, solver: str, tmp_path: Path
) -> None:
    """Ten seconds from the great circle, to which it comes back: the closed form holds throughout to 1e-10 rad, the
    residual of 1e-12 over the least sine of its angles, and every branch that is reported is this one (three digits are
    written)."""
    drives = {"thrown": (), "driven": ("j1=velocity:1",), "pushed": ("j1=effort:sine(0.3,0.4)",)}[way]
    path = written(tmp_path, spherical("0 0 0" if way == "pushed" else "0 0 -9.81"))
    with running(path, solver=solver, drives=drives, velocity=("j1=0.7", f"j3={0.7 * q!r}")) as engine:
        crank, rocker = (engine.mechanism.axis_index(name) for name in ("j1", "j3"))
        largest, seen = 0.0, []
        while engine.time < 10.0 - 0.5 * engine.dt:
            most, position = make_steps(engine, 20), engine.snapshot().position
            t, s = 0.5 * float(position[crank]), 0.5 * float(position[rocker])
            assert abs(math.sin(s) * math.cos(t) - q * math.cos(s) * math.sin(t)) < 1e-10
            assert max(most.loop) <= 1e-12
            largest = max(largest, most.kinetic)
            seen.append(t)
        assert abs(engine.snapshot().energy.error) <= 1e-6 * largest
        assert max(seen) - min(seen) > 0.1
        told = engine.branches()
    assert told
    assert float(TAKEN.fullmatch(told[0])[1]) == 0.001
    assert ratio(told[0]) == pytest.approx(q, rel=2e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_let_go_it_takes_the_motion_that_falls_fastest(solver: str, tmp_path: Path) -> None:
    """Of the speeds that a push of its weight gives to both, v = sum(m g dz) / sum(m dr^2), the greater energy is the
    open one's: Gauss's principle, as in the plane."""
    taken = {}
    for q in (OPEN, CROSSED):
        lift, inertia = work_and_inertia(q)
        taken[q] = lift**2 / inertia
    assert taken[OPEN] > 1.05 * taken[CROSSED]
    with running(written(tmp_path, spherical()), solver=solver) as engine:
        make_steps(engine, 20)
        told = engine.branches()
    assert ratio(told[0]) == pytest.approx(OPEN, rel=2e-3)


def work_and_inertia(q: float) -> tuple[float, float]:
    """Of the arcs' masses, on the great circle where the crank turns with 1 and the rocker with q: sum of dz, and of
    dr^2 and turns."""
    # The coupler turns about the crank's end and the rocker's: w = w1 u(0) + w2 u(A) = q u(B) + w4 u(A + B), along the
    # circle's plane.
    w2 = -(math.sin(A + B) - q * math.sin(A)) / math.sin(B)
    turns = ((1.0, 0.0), (q * math.cos(B), q * math.sin(B)), (1.0 + w2 * math.cos(A), w2 * math.sin(A)))
    lift = inertia = 0.0
    for (x, y), at in zip(turns, (0.5 * A, B + 0.5 * A, A + 0.5 * B), strict=True):
        up = 0.3 * (x * math.sin(at) - y * math.cos(at))
        lift += up
        inertia += up * up + 1e-3 * (x * x + y * y)
    return lift, inertia


def test_velocities_that_are_on_no_motion_are_refused_with_those_that_meet(tmp_path: Path) -> None:
    """K allows every pair of rates on the great circle, the motions have two ratios."""
    path = written(tmp_path, spherical())
    with (
        pytest.raises(
            AssemblyError, match=r"'m::j3' cannot start with .* these motions meet: 'm::j4': \(j1 .*\), \(j1 "
        ) as caught,
        running(path, velocity=("j1=0.7", "j3=0.7")),
    ):
        pass
    assert "change point" in str(caught.value)


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_velocity_at_a_change_point_is_that_of_one_motion(solver: str, tmp_path: Path) -> None:
    """The rest follows on the motion of less kinetic energy, and the first step changes nothing about it."""
    energies = {q: work_and_inertia(q)[1] for q in (OPEN, CROSSED)}
    q = min(energies, key=lambda each: energies[each])
    with running(written(tmp_path, spherical("0 0 0")), solver=solver, velocity=("j1=0.7",)) as engine:
        crank, rocker = (engine.mechanism.axis_index(name) for name in ("j1", "j3"))
        before = engine.snapshot().energy.kinetic
        assert engine.snapshot().velocity[rocker] == pytest.approx(0.7 * q, rel=1e-6)
        engine.step()
        assert engine.snapshot().velocity[crank] == pytest.approx(0.7, rel=1e-4)
        assert engine.snapshot().energy.kinetic == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("rocker", "q"), [(1.0, 1.0), (-3.0, -3.0)], ids=["parallelogram", "crossed"])
def test_a_parallelogram_tells_its_motion_too(rocker: float, q: float, solver: str, tmp_path: Path) -> None:
    """Stretched along its base: the rocker turns as the crank, or (ground + crank) / (ground - crank) = 3 times as fast
    the other way."""
    path = written(tmp_path, PARALLELOGRAM.document(0.5 + 0j, 1.5 + 0j, gravity=0.0))
    with running(path, solver=solver, velocity=("j1=0.5", f"j3={0.5 * rocker!r}")) as engine:
        make_steps(engine, 50)
        told = engine.branches()
    assert len(told) == 1
    assert ratio(told[0]) == pytest.approx(q, rel=2e-3)


@pytest.mark.parametrize("pose", ["folded", "stretched"])
def test_bennetts_linkage_has_one_motion_with_its_bars_in_line(pose: str, tmp_path: Path) -> None:
    """Its hinges cross one line at right angles there: lines of a space of four dimensions, three of them independent
    as everywhere on its motion. No motions meet, so none is reported."""
    path = written(tmp_path, bennett(pose))
    mechanism = open_document(path).mechanism
    with running(path, velocity=("t1=1",)) as engine:
        make_steps(engine, 100)
        assert engine.branches() == ()
    kinematics = Kinematics(mechanism)
    closure = closure_of(kinematics, starting_pose(kinematics, {}).state)
    assert closure.singular == ()
    assert [(item.rank_here, item.rank) for item in closure.clusters] == [(2, 2)]


def test_a_stewart_platform_turned_by_ninety_degrees_has_all_its_motions(tmp_path: Path) -> None:
    """What is singular there is the way from lengths of legs to the platform (Fichter 1986); with legs that are free K
    has its full rank, and no motions meet."""
    path = written(tmp_path, stewart(math.radians(90.0)))
    kinematics = Kinematics(open_document(path).mechanism)
    assert closure_of(kinematics, starting_pose(kinematics, {}).state).singular == ()
    with running(path) as engine:
        make_steps(engine, 20)
        assert engine.branches() == ()
