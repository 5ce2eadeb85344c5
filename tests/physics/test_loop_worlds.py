"""The example worlds of loops and long chains: their closed forms, and loops, couplings and energy at round-off
(strategy `reduced`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.engine.snapshot import Snapshot
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from simulator.spatial.rotation import matrix_from_quat
from tests.physics.worlds import advance, example

Array = NDArray[np.float64]
GRAVITY = 9.81
LOOPS = ("peaucellier", "sarrus", "bennett", "stewart", "scissor_lift")


@contextmanager
def running(name: str, *drives: str) -> Iterator[Engine]:
    settings = SessionSettings(solver="reduced", drives=tuple(parse_drive(text) for text in drives))
    engine = make_engine(open_document(example(name)), settings)
    try:
        yield engine
    finally:
        engine.close()


def course(engine: Engine, duration: float, *, every: float) -> Iterator[Snapshot]:
    """Snapshots along the way, the start included."""
    yield engine.snapshot()
    for _ in range(round(duration / every)):
        advance(engine, every)
        yield engine.snapshot()


def value(engine: Engine, snapshot: Snapshot, joint: str) -> float:
    """Position of an axis."""
    axis = engine.mechanism.axis_index(joint)
    assert axis is not None
    return float(snapshot.position[axis])


def rate(engine: Engine, snapshot: Snapshot, joint: str) -> float:
    """Velocity of an axis."""
    axis = engine.mechanism.axis_index(joint)
    assert axis is not None
    return float(snapshot.velocity[axis])


def frame(engine: Engine, snapshot: Snapshot, link: str) -> tuple[Array, Array]:
    """Rotation and origin of a link that is the first of its body, in the world."""
    (body,) = (index for name, index in engine.mechanism.link_bodies().items() if name.endswith(f"::{link}"))
    pose = snapshot.body_poses[body]
    x, y, z, w = (float(component) for component in pose[3:])
    return matrix_from_quat((x, y, z, w)), pose[:3]


@pytest.mark.parametrize("name", LOOPS)
def test_loops_and_energy_hold(name: str) -> None:
    """1e-10 m and rad asked for, 1e-14 m reached; energy 1e-6 of the largest kinetic one asked for. Every world moves
    by itself."""
    with running(name) as engine:
        seen = list(course(engine, 0.5, every=0.01))
    assert max(max(s.worst_loop_residual()) for s in seen) <= 1e-13
    assert max(s.worst_coupling_residual() for s in seen) <= 1e-13
    kinetic = max(s.energy.kinetic for s in seen)
    assert kinetic > 0.01
    assert max(abs(s.energy.error) for s in seen) <= 1e-7 * kinetic


# --- Peaucellier ------------------------------------------------------------------------------------------------------

LINE = 0.12 / 0.28
"""Distance of the line from O [m]: (0.4^2 - 0.2^2) / (2 * 0.14)."""


def test_peaucellier_draws_a_straight_line() -> None:
    """Along a driven way over 0.49 m the tracing point leaves the line by less than 1e-10 m, and is where D = LINE
    tan(f / 2) says."""
    with running("peaucellier", "crank_joint=position:-2.0943951023931953") as engine:
        travelled = []
        for snapshot in course(engine, 1.0, every=0.01):
            rotation, origin = frame(engine, snapshot, "bar_ad")
            tracer = rotation @ (0.2, 0.0, 0.0) + origin - (0.0, 0.0, 0.59)
            f = math.radians(60.0) + value(engine, snapshot, "crank_joint")
            assert tracer == pytest.approx((LINE * math.tan(f / 2.0), 0.0, -LINE), abs=1e-10)
            travelled.append(float(tracer[0]))
    assert max(travelled) - min(travelled) > 0.48


def test_peaucellier_speed_at_the_bottom() -> None:
    """At f = 0 all bars but the crank turn about O as one body at half the crank's speed, so the energy that gravity
    gave tells it.

    The speed is largest there, so a step of 1 ms that passes the bottom misses it by less than (2.4 ms s^-1)^2 / 2 in
    relation."""

    def heights(f: float) -> float:
        low = -0.14 - 0.14 * math.cos(f)
        middle = (low - LINE) / 2.0
        return 0.14 * (low - 0.14) / 2.0 + 0.4 * middle + 4 * 0.2 * middle

    def about_o(start: Array, end: Array, mass: float) -> float:
        centre, along = (start + end) / 2.0, end - start
        return mass * float(centre @ centre + along @ along / 12.0)

    knee_height = -(0.28 + LINE) / 2.0
    knee = np.array([math.sqrt(0.4**2 - knee_height**2), knee_height])
    ends = [np.array([0.0, -0.28]), np.array([0.0, -LINE])]
    others = 2.0 * (0.4 * 0.4**2 / 3.0 + sum(about_o(knee, end, 0.2) for end in ends))
    inertia = 0.14 * 0.14**2 / 3.0 + others / 4.0
    speed = math.sqrt(2.0 * GRAVITY * (heights(math.radians(60.0)) - heights(0.0)) / inertia)
    assert speed == pytest.approx(4.835644, abs=5e-7)  # as in the world's comment
    with running("peaucellier") as engine:
        fastest = max(-rate(engine, s, "crank_joint") for s in course(engine, 0.5, every=0.001))
    assert fastest == pytest.approx(speed, rel=3e-6)


# --- over-constrained -------------------------------------------------------------------------------------------------


def test_sarrus_goes_straight_up_without_turning() -> None:
    """height = 0.4 sin t, knees fold twice as far, the platform neither turns nor leaves the axis: round-off, so
    1e-13."""
    with running("sarrus") as engine:
        for snapshot in course(engine, 0.5, every=0.01):
            q = value(engine, snapshot, "lower_1_joint")
            rotation, origin = frame(engine, snapshot, "platform")
            assert rotation == pytest.approx(np.eye(3), abs=1e-13)
            assert origin == pytest.approx((0.0, 0.0, 0.05 + 0.4 * math.sin(math.radians(60.0) + q)), abs=1e-13)
            for leg in (1, 2, 3):
                assert value(engine, snapshot, f"lower_{leg}_joint") == pytest.approx(q, abs=1e-12)
                assert value(engine, snapshot, f"knee_{leg}_joint") == pytest.approx(-2.0 * q, abs=1e-12)
                assert value(engine, snapshot, f"top_{leg}_joint") == pytest.approx(q, abs=1e-12)


def test_sarrus_starts_with_the_acceleration_of_its_comment() -> None:
    """-dV/dt / I from rest, where the springs are slack; v / dt of the first step differs by its own size times 46 *
    1e-6."""
    angle = math.radians(60.0)
    gravity = GRAVITY * (3 * 0.3 * (0.1 + 0.3) + 2.0 * 0.4) * math.cos(angle)
    leaf = 0.3 * (0.2**2 + 0.012**2) / 12.0
    low = leaf + 0.3 * 0.1**2
    high = leaf + 0.3 * ((0.1 * math.sin(angle)) ** 2 + (0.3 * math.cos(angle)) ** 2)
    expected = -gravity / (3 * (low + high) + 2.0 * (0.4 * math.cos(angle)) ** 2)
    with running("sarrus") as engine:
        advance(engine, 0.001)
        assert rate(engine, engine.snapshot(), "lower_1_joint") / 0.001 == pytest.approx(expected, rel=1e-4)
    assert expected == pytest.approx(-46.629449, abs=1e-6)


def test_bennett_obeys_his_law() -> None:
    """tan(t1 / 2) tan(t2 / 2) = sin((b + a) / 2) / sin((b - a) / 2), opposite hinges turn alike (Bennett 1903)."""
    law = math.sin(math.radians(60.0)) / math.sin(math.radians(15.0))
    start = -math.radians(40.0)
    second = 2.0 * math.atan(law / math.tan(start / 2.0))
    with running("bennett") as engine:
        swing = []
        for snapshot in course(engine, 0.6, every=0.01):
            t1 = start + value(engine, snapshot, "crank_joint")
            t2 = second + value(engine, snapshot, "coupler_joint")
            assert math.tan(t1 / 2.0) * math.tan(t2 / 2.0) == pytest.approx(law, rel=1e-11)
            assert value(engine, snapshot, "rocker_joint") == pytest.approx(start - t1, abs=1e-12)
            assert value(engine, snapshot, "closing_joint") == pytest.approx(second - t2, abs=1e-12)
            swing.append(math.degrees(t1))
    assert min(swing) == pytest.approx(-125.681, abs=0.5)  # samples every 10 ms miss the end of the swing a little
    assert max(swing) == pytest.approx(-40.0, abs=1e-9)


# --- Stewart ----------------------------------------------------------------------------------------------------------


def circle(radius: float, middles: tuple[int, ...], sides: tuple[int, ...]) -> Array:
    """Points on a circle [m], 12 degrees to one side of each middle, shape (n, 3)."""
    angles = np.radians([middle + 12 * side for middle, side in zip(middles, sides, strict=True)])
    return radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])


def test_stewart_legs_are_as_long_as_the_platforms_pose_says() -> None:
    """Inverse kinematics: |p + R a - b| of every leg, from the platform's pose alone; the slide is its difference to
    the start."""
    base = circle(0.30, (0, 120, 120, 240, 240, 0), (1, -1, 1, -1, 1, -1))
    top = circle(0.18, (60, 60, 180, 180, 300, 300), (-1, 1, -1, 1, -1, 1))
    with running("stewart") as engine:
        start, lowest = None, 1.0
        for snapshot in course(engine, 0.5, every=0.01):
            rotation, origin = frame(engine, snapshot, "platform")
            lengths = np.linalg.norm(origin - (0.0, 0.0, 0.07) + top @ rotation.T - base, axis=1)
            start = lengths if start is None else start
            slides = [value(engine, snapshot, f"leg_{leg}_slide") for leg in range(1, 7)]
            assert slides == pytest.approx(lengths - start, abs=1e-12)
            lowest = min(lowest, float(origin[2]))
    assert lowest < 0.07 + 0.36  # it has sunk through its place of rest


# --- telescope and scissor lift ---------------------------------------------------------------------------------------


def test_telescope_moves_like_an_oscillator() -> None:
    """stage_1 = A (1 - cos w t): RK4 at w dt = 2e-3 leaves 1e-12 of A; stages and belts by their ratios, to
    rounding."""
    moving = sum((1.0 * k**2 for k in (1, 2, 3, 4)), 0.0) + sum(2 * 0.1 * k**2 for k in (1, 2, 3)) + 8 * 0.1 / 2.0
    pulled = GRAVITY * math.sin(math.radians(30.0)) * (1.0 * 10 + 0.2 * 6)
    amplitude, w = 0.4933 - pulled / 160.0, math.sqrt(160.0 / moving)
    with running("telescope") as engine:
        for snapshot in course(engine, 1.0, every=0.02):
            q = amplitude * (1.0 - math.cos(w * snapshot.time))
            assert value(engine, snapshot, "stage_1_joint") == pytest.approx(q, abs=1e-11)
            assert value(engine, snapshot, "drum_joint") == pytest.approx(40.0 * q, abs=4e-10)
            for stage in (2, 3, 4):
                assert value(engine, snapshot, f"stage_{stage}_joint") == pytest.approx(q, abs=1e-11)
                assert value(engine, snapshot, f"pulley_{stage - 1}f_joint") == pytest.approx(40.0 * q, abs=4e-10)
            _, tip = frame(engine, snapshot, "stage_4")
            _, foot = frame(engine, snapshot, "stage_1")
            assert float(np.linalg.norm(tip - foot)) == pytest.approx(math.hypot(0.3 + 3 * q, 3 * 0.084), abs=1e-10)
            assert snapshot.worst_coupling_residual() <= 1e-14


def test_scissor_lift_height_and_screw() -> None:
    """height = 5 l sin t and 0.02 / (2 pi) spindle = l (cos 50 degrees - cos t), with l = 0.4 m."""
    angle = math.radians(50.0)
    with running("scissor_lift") as engine:
        for snapshot in course(engine, 0.5, every=0.02):
            spindle = value(engine, snapshot, "spindle_joint")
            t = math.acos(math.cos(angle) - 0.02 / (2.0 * math.pi) * spindle / 0.4)
            rotation, origin = frame(engine, snapshot, "platform")
            assert origin == pytest.approx((-0.2, 0.0, 0.07 + 2.0 * math.sin(t)), abs=1e-12)
            assert rotation == pytest.approx(np.eye(3), abs=1e-12)
        assert spindle < -5.0  # it has sunk


def test_scissor_lift_starts_with_the_acceleration_of_its_comment() -> None:
    """Lagrange's equation with one coordinate, t, from rest and with a slack spring."""
    angle, bar, mass = math.radians(50.0), 0.4, 0.8
    s, c = math.sin(angle), math.cos(angle)
    levels = [j + 0.5 for j in range(5)]
    bars = sum(2 * mass * bar**2 * (1 / 12 + s**2 / 4 + (level * c) ** 2) for level in levels)
    inertia = bars + bar**2 * (0.5 * s**2 + 4.0 * (5 * c) ** 2 + 0.5 * (s**2 + (5 * c) ** 2))
    inertia += 0.010125 * (2.0 * math.pi / 0.02 * bar * s) ** 2
    torque = -GRAVITY * bar * c * (2 * mass * sum(levels) + 5 * (4.0 + 0.5))
    expected = torque / inertia * bar * s / (0.02 / (2.0 * math.pi))
    with running("scissor_lift") as engine:
        advance(engine, 0.001)
        assert rate(engine, engine.snapshot(), "spindle_joint") / 0.001 == pytest.approx(expected, rel=1e-5)
    assert expected == pytest.approx(-97.338318, abs=1e-5)


# --- 1024 gears -------------------------------------------------------------------------------------------------------


def test_a_train_of_1024_gears_accelerates_as_one_inertia() -> None:
    """J = 6.4e-7 * 32 * 34480 / 256 seen from the first gear; 1e-12 relative as asked for. Couplings within 1e-12 of
    the travel.

    The energy ledger holds 602 J of height, rounded to 1e-13 J, beside a kinetic energy of 1e-4 J.
    """
    inertia = 6.4e-7 * 32 * sum(z * z for z in range(16, 48)) / 16**2
    with running("gear_train_1024", f"gear_1_joint=effort:{5 * inertia!r}") as engine:
        advance(engine, 0.05)
        snapshot = engine.snapshot()
        first, last = (rate(engine, snapshot, f"gear_{i}_joint") for i in (1, 1024))
        assert first == pytest.approx(5.0 * 0.05, rel=1e-12)
        assert last == pytest.approx(-16 / 47 * first, rel=1e-12)
        travel = abs(value(engine, snapshot, "gear_1024_joint"))
        assert snapshot.worst_coupling_residual() <= 1e-12 * travel
        assert abs(snapshot.energy.error) <= 2e-13
