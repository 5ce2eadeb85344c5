"""What Bullet does with drives, efforts, limits, gravity and loops once it is set up by us."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from simulator.bullet.dynamics import BulletDynamics
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.errors import EngineLimitError, UsageError
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.model.profiles import Constant
from simulator.model.world import World
from simulator.spatial.pose import Pose
from tests.helpers.linkages import four_bar, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import axis_of, joint, link, mimic, world

DT = 0.001
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FLYWHEEL = Inertial(1.0, moments=(0.02, 0.02, 0.02))


@contextmanager
def running(
    made: World, *, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), **initial: float
) -> Iterator[Engine]:
    built = build_mechanism(replace(made, gravity=gravity))
    assert not built.has_errors, built.diagnostics
    start = {axis_of(built, name): value for name, value in initial.items()}
    engine = Engine(built, BulletDynamics(built, dt=DT), dt=DT, initial=start)
    try:
        yield engine
    finally:
        engine.close()


def run(engine: Engine, seconds: float) -> None:
    for _ in range(round(seconds / DT)):
        engine.step()


def drive(engine: Engine, name: str, kind: DriveKind, value: float) -> None:
    engine.set_drive(axis_of(engine.mechanism, name), Drive(kind, Constant(value)))


def at(engine: Engine, name: str) -> tuple[float, float, float]:
    """Position, velocity, effort of an axis."""
    snapshot, axis = engine.snapshot(), axis_of(engine.mechanism, name)
    return float(snapshot.position[axis]), float(snapshot.velocity[axis]), float(snapshot.effort[axis])


def wheel(**axis: object) -> World:
    return world(link("w", inertial=FLYWHEEL), joint("j", "revolute", "world", "w", axis=dict(axis)))


def test_an_effort_accelerates() -> None:
    """qdd = tau / I for a second; a first-order integrator is exact in velocity under constant effort. 1e-9:
    single-precision efforts would show at 1e-8 here, so they are not."""
    with running(wheel()) as engine:
        drive(engine, "j", DriveKind.EFFORT, 0.01)
        run(engine, 1.0)
        assert at(engine, "j")[1] == pytest.approx(0.5, rel=1e-9)
        assert at(engine, "j")[2] == 0.01


def test_nothing_is_damped_by_default() -> None:
    """Bullet damps links and joints and clips speeds at 100 rad/s unless this is switched off."""
    with running(wheel()) as engine:
        drive(engine, "j", DriveKind.EFFORT, 10.0)
        run(engine, 1.0)
        engine.set_drive(axis_of(engine.mechanism, "j"), None)
        assert at(engine, "j")[1] == pytest.approx(500.0, rel=1e-9)
        run(engine, 1.0)
        assert at(engine, "j")[1] == pytest.approx(500.0, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "value"), [(DriveKind.EFFORT, 5.0), (DriveKind.VELOCITY, 100.0), (DriveKind.POSITION, 100.0)]
)
def test_no_drive_exceeds_the_effort_limit(kind: DriveKind, value: float) -> None:
    with running(wheel(effort=0.04)) as engine:
        drive(engine, "j", kind, value)
        run(engine, 0.5)
        _, velocity, effort = at(engine, "j")
        assert velocity == pytest.approx(1.0, rel=1e-6)
        assert effort == pytest.approx(0.04, rel=1e-6)


def test_a_velocity_drive_holds_its_speed() -> None:
    with running(wheel()) as engine:
        drive(engine, "j", DriveKind.VELOCITY, -3.0)
        run(engine, 0.1)
        assert at(engine, "j")[1] == pytest.approx(-3.0, rel=1e-9)


def test_a_position_drive_arrives_without_overshoot() -> None:
    with running(wheel()) as engine:
        drive(engine, "j", DriveKind.POSITION, 0.7)
        highest = 0.0
        for _ in range(400):
            engine.step()
            highest = max(highest, at(engine, "j")[0])
        assert at(engine, "j")[0] == pytest.approx(0.7, abs=1e-6)
        assert highest < 0.7 + 1e-6


def test_a_position_drive_keeps_the_velocity_limit_and_the_position_limit() -> None:
    with running(wheel(velocity=0.5, upper=1.0)) as engine:
        drive(engine, "j", DriveKind.POSITION, 2.0)
        fastest = 0.0
        for _ in range(3000):
            engine.step()
            fastest = max(fastest, at(engine, "j")[1])
        assert fastest < 0.5 + 1e-6
        assert at(engine, "j")[0] == pytest.approx(1.0, abs=1e-4)


def test_a_drive_that_is_let_go_acts_no_more() -> None:
    """Also after a position drive with a velocity limit: nothing of it may stay in the motor."""
    with running(wheel(velocity=0.5)) as engine:
        drive(engine, "j", DriveKind.POSITION, 1.0)
        run(engine, 0.3)
        engine.set_drive(axis_of(engine.mechanism, "j"), None)
        before = at(engine, "j")[1]
        run(engine, 0.3)
        assert at(engine, "j")[1:] == (pytest.approx(before, rel=1e-9), 0.0)
        drive(engine, "j", DriveKind.EFFORT, 0.2)
        run(engine, 0.5)
        assert at(engine, "j")[1] == pytest.approx(before + 5.0, rel=1e-6)


def test_a_follower_takes_no_drive() -> None:
    made = world(
        link("a"),
        link("b"),
        joint("ja", "revolute", "world", "a"),
        joint("jb", "revolute", "world", "b", axis={"mimic": mimic("ja")}),
    )
    with running(made) as engine, pytest.raises(UsageError, match="'m::jb' follows another axis and cannot be driven"):
        drive(engine, "jb", DriveKind.VELOCITY, 1.0)


def test_a_loop_joint_takes_efforts_only_and_a_refused_drive_leaves_no_trace() -> None:
    with running(four_bar()) as engine:
        drive(engine, "close", DriveKind.EFFORT, 0.1)
        with pytest.raises(UsageError, match="'m::close' closes a loop"):
            drive(engine, "close", DriveKind.VELOCITY, 1.0)
        assert engine.drives == {axis_of(engine.mechanism, "close"): Drive(DriveKind.EFFORT, Constant(0.1))}


@pytest.mark.parametrize("name", ["crank_joint", "close"])
def test_an_effort_on_any_axis_of_a_loop_does_its_work(name: str) -> None:
    """Without gravity all the work of an effort becomes kinetic energy, also where the axis closes the loop. 2 %:
    first-order steps."""
    with running(four_bar()) as engine:
        drive(engine, name, DriveKind.EFFORT, 0.02)
        run(engine, 0.3)
        energy = engine.snapshot().energy
        turned = at(engine, name)[0]
        assert abs(turned) > 1e-3
        assert energy.work == pytest.approx(0.02 * turned, rel=0.02)
        assert energy.kinetic == pytest.approx(energy.work, rel=0.02)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_stop_an_axis(kind: str) -> None:
    made = world(link("w"), joint("j", kind, "world", "w", axis={"lower": -0.2, "upper": 0.1}))
    for effort, end in ((1.0, 0.1), (-1.0, -0.2)):
        with running(made) as engine:
            drive(engine, "j", DriveKind.EFFORT, effort)
            run(engine, 1.0)
            assert at(engine, "j")[0] == pytest.approx(end, abs=1e-3)


def test_a_limit_on_one_side_only() -> None:
    with running(wheel(upper=0.1)) as engine:
        drive(engine, "j", DriveKind.EFFORT, -1.0)
        run(engine, 0.5)
        assert at(engine, "j")[0] < -5.0


def test_gravity_can_be_off_for_a_body() -> None:
    """One falls, one floats, one hangs on a hinge with an offset centre and stays. 1e-9 m after a second."""
    off = Inertial(2.0, Pose((0.3, 0.0, 0.1)), (0.01, 0.02, 0.03), (0.001, 0.0, 0.0))
    made = world(
        link("falls"), link("floats", at=(5, 0, 0), gravity=False, inertial=off),
        link("hangs", at=(9, 0, 0), gravity=False, inertial=off),
        joint("j", "revolute", "world", "hangs", at=(9, 0, 0), axes=[Y]),
    )  # fmt: skip
    with running(made, gravity=(0.0, 0.0, -9.8)) as engine:
        run(engine, 1.0)
        bodies = engine.mechanism.link_bodies()
        heights = {name: engine.snapshot().body_poses[bodies[f"m::{name}"], 2] for name in ("falls", "floats", "hangs")}
        assert heights["falls"] == pytest.approx(-4.9, abs=0.01)
        assert heights["floats"] == pytest.approx(0.0, abs=1e-9)
        assert at(engine, "j")[0] == pytest.approx(0.0, abs=1e-9)


def test_friction_holds_and_then_brakes() -> None:
    """0.5 %: work goes with the mean of two speeds, the position with the later one; over 500 steps from rest that
    differs by 1/500."""
    with running(wheel(friction=0.02)) as engine:
        drive(engine, "j", DriveKind.EFFORT, 0.019)
        run(engine, 0.2)
        assert at(engine, "j")[1] == pytest.approx(0.0, abs=1e-9)
        drive(engine, "j", DriveKind.EFFORT, 0.04)
        run(engine, 0.5)
        assert at(engine, "j")[1] == pytest.approx(0.5, rel=1e-6)
        assert engine.snapshot().energy.dissipated == pytest.approx(0.02 * at(engine, "j")[0], rel=5e-3)


def test_friction_of_a_loop_joint_brakes_too() -> None:
    """No motor row holds it, so it is an effort against the motion; its loss is booked. 5 %: first-order steps of
    the loop."""
    with running(four_bar(axis={"friction": 0.001})) as engine:
        drive(engine, "crank_joint", DriveKind.EFFORT, 0.02)
        run(engine, 0.3)
        energy = engine.snapshot().energy
        travelled = abs(at(engine, "close")[0])
        assert travelled > 1e-2
        assert energy.dissipated == pytest.approx(0.001 * travelled, rel=0.05)
        assert energy.kinetic == pytest.approx(energy.work - energy.dissipated, rel=0.05)


def ball_four_bar() -> World:
    bars = four_bar().models[0]
    pin = joint("close", "ball", "coupler", "rocker", at=bars.joints[3].X_WJ.position, must_be_loop_joint=True)
    return world(*bars.links, *bars.joints[:3], pin)


def sliding_loop() -> World:
    """Slider-crank whose slide, on the world's side, is the joint that is cut."""
    parts = slider_crank().models[0]
    joints = [replace(item, must_be_loop_joint=item.name == "m::slide") for item in parts.joints]
    return world(*parts.links, *joints)


def far_away(made: World) -> World:
    """The same mechanism, its closing joint on the world, 50 m from the origin."""
    there = Pose((50.0, -20.0, 5.0))
    bars = made.models[0]
    links = [replace(item, X_WL=there @ item.X_WL) for item in bars.links]
    joints = [
        replace(item, X_WJ=there @ item.X_WJ, must_be_loop_joint=item.name.endswith("rocker_joint"))
        for item in bars.joints
    ]
    return world(*links, *joints)


LOOPS = {
    "planar": (four_bar(), "crank_joint"),
    "ball": (ball_four_bar(), "crank_joint"),
    "spatial": (ring_of_hinges(7), "j0"),
    "prismatic on the world": (sliding_loop(), "crank_joint"),
    "far from the origin": (far_away(four_bar()), "crank_joint"),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_loops_stay_closed(kind: str) -> None:
    """2 mm and 0.02 rad at bars of 0.1 to 1 m: Bullet's position correction lags by a step; exactness is other
    strategies' business."""
    made, crank = LOOPS[kind]
    with running(made, gravity=(0.0, 0.0, -9.81)) as engine:
        worst = np.zeros(2)
        for _ in range(500):
            engine.step()
            worst = np.maximum(worst, engine.snapshot().worst_loop_residual())
        assert abs(at(engine, crank)[0]) > 1e-3, "it moves"
        assert worst[0] < 2e-3
        assert worst[1] < 2e-2


def all_of(kind: str) -> World:
    """Two bodies and a ring of three joints, all of that kind, so that one has to be cut."""
    return world(
        link("a"),
        link("b"),
        *(joint(n, kind, p, c) for n, p, c in (("j", "world", "a"), ("k", "a", "b"), ("l", "world", "b"))),
    )


@pytest.mark.parametrize("kind", ["universal", "revolute2", "screw"])
def test_what_gear_cannot_close_is_refused(kind: str) -> None:
    with (
        pytest.raises(EngineLimitError, match=r"strategy gear cannot .*'m::l.*<must_be_loop_joint>"),
        running(all_of(kind)),
    ):
        pass


def test_a_coupling_on_a_loop_joint_is_refused() -> None:
    made = four_bar(axis={"mimic": mimic("crank_joint")})
    with pytest.raises(EngineLimitError, match="cannot couple 'm::close'"), running(made):
        pass


def gears(multiplier: float, floating: bool) -> tuple[World, Mechanism]:
    parent = "base" if floating else "world"
    made = world(
        link("base"), link("a", inertial=FLYWHEEL), link("b", inertial=FLYWHEEL), joint("ja", "revolute", parent, "a"),
        joint(
            "jb", "revolute", parent, "b", axis={"mimic": mimic("ja", multiplier=multiplier, offset=0.1, reference=0.3)}
        ),
    )  # fmt: skip
    return made, build_mechanism(made)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("multiplier", [2.0, -0.5])
def test_a_gear_row_holds_and_the_leader_feels_its_follower(multiplier: float, floating: bool) -> None:
    """On a fixed base the leader turns with I (1 + m^2). Residual 1e-9: two coupled hinges are exact to the solver's
    round-off."""
    made, _ = gears(multiplier, floating)
    with running(made) as engine:
        drive(engine, "ja", DriveKind.EFFORT, 0.01)
        run(engine, 0.5)
        assert engine.snapshot().worst_coupling_residual() < 1e-9
        if not floating:
            assert at(engine, "ja")[1] == pytest.approx(0.005 / (0.02 * (1 + multiplier**2)), rel=1e-6)


@pytest.mark.parametrize("pitch", [0.5, -0.02])
def test_a_screw_advances_by_its_pitch(pitch: float) -> None:
    with running(world(link("n"), joint("s", "screw", "world", "n", axes=[X], screw_thread_pitch=pitch))) as engine:
        drive(engine, "s", DriveKind.VELOCITY, 2.0 * math.pi)
        run(engine, 1.0)
        assert at(engine, "s")[0] == pytest.approx(2.0 * math.pi, rel=1e-6)
        x = engine.snapshot().body_poses[engine.mechanism.link_bodies()["m::n"], 0]
        assert x == pytest.approx(pitch, rel=1e-6)
