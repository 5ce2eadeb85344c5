"""What a pose is worth to a driver: the figures of a running simulation are those of `simulator analyse`, and of closed
forms of the four-bar linkage.

Both come from the same equations by different code: 1e-9 is what is asked, rounding leaves 1e-12.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.analysis.sweeps import Sweeper
from simulator.condition.condition import condition_of, least_singular_value
from simulator.engine.drives import Drive, DriveKind
from simulator.kinematics.kinematics import Kinematics
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetDrive, SetPosition, StepOnce, WatchForces
from simulator.session.forces.forces_now import MOST, ROOM, ForcesNow, most_waiting
from simulator.session.look.freedoms import free_axes_at_start
from simulator.session.look.kinematics_now import (
    FiguresOverTime,
    KinematicFigures,
    bodies_over_range,
    driver_range,
    moving_axes,
    rollings,
)
from simulator.session.look.motion_now import PointPath
from simulator.session.open.opening import open_document
from simulator.session.run.worker import MOST_UNHEARD
from simulator.session.text.settings import SessionSettings
from simulator.spatial.pose_arrays import matrices
from tests.helpers.checkout import ROOT
from tests.helpers.documents import joint, link, model, world
from tests.helpers.four_bars import bars, turned_to
from tests.helpers.local_client import LocalClient

WORLD = ROOT / "worlds" / "four_bar.sdf"
AGREE = 1e-9
CRANK, ROCKER = "crank_joint", "rocker_joint"
"""Joints on the ground of the four-bars of tests.helpers, which turn from z towards x."""


def started(world: Path = WORLD) -> LocalClient:
    return LocalClient(open_document(world), SessionSettings(paused=True))


def turned(at: float) -> LocalClient:
    client = started()
    client.send(SetPosition(0, at))
    return client


@pytest.mark.parametrize("at", [-2.5, 0.4, 1.9])
def test_figures_are_those_of_the_analysis(at: float) -> None:
    client = turned(at)
    snapshot = client.poll()[0]
    client.close()
    assert snapshot is not None
    figures = KinematicFigures(open_document(WORLD).mechanism, 0)
    found = dict(zip((figure.key for figure in figures.figures), figures.at(snapshot).tolist(), strict=True))
    sim = simulator.load(WORLD)
    sim.set(crank_joint=at)
    table = sim.analyse({"crank_joint": (at, at + 1.0)}, points=2).table
    for key, value in found.items():
        expected = sim.condition().sigma_min if key == "sigma_min" else table[key][0]
        assert value == pytest.approx(expected, abs=AGREE), key
    assert len(found) == 4


def test_transmission_angle_and_advantage_are_those_of_the_books() -> None:
    """cos μ = (b² + c² - e²) / 2bc with the diagonal e from the crank's pin to the rocker's ground pin; the advantage
    is (c sin μ) / (a sin ν), ν between coupler and crank (Uicker, Pennock and Shigley, section 3.19): the two arms of
    the coupler's force about the pins on the ground."""
    client = turned(0.7)
    snapshot = client.poll()[0]
    client.close()
    assert snapshot is not None
    opened = open_document(WORLD)
    X_WB = matrices(snapshot.body_poses)
    names = [body.name.rpartition("::")[2] for body in opened.mechanism.bodies]
    joints = {
        joint.name.rpartition("::")[2]: joint for joint in (*opened.mechanism.joints, *opened.mechanism.loop_joints)
    }

    def place(joint: str) -> np.ndarray:
        found = joints[joint]
        return (X_WB[found.parent] @ found.X_PJ.matrix())[[0, 2], 3]

    assert names[1] == "crank"
    ground_a, pin_a, pin_b, ground_b = (place(f"{n}_joint") for n in ("crank", "coupler", "closing", "rocker"))
    b, c, e = (float(np.linalg.norm(x - y)) for x, y in ((pin_b, pin_a), (ground_b, pin_b), (ground_b, pin_a)))
    mu = math.acos((b * b + c * c - e * e) / (2 * b * c))
    along = (pin_b - pin_a) / b

    def arm(pin: np.ndarray, hinge: np.ndarray) -> float:
        return float((pin - hinge)[0] * along[1] - (pin - hinge)[1] * along[0])

    figures = KinematicFigures(opened.mechanism, 0)
    found = dict(zip((figure.key for figure in figures.figures), figures.at(snapshot).tolist(), strict=True))
    assert found["transmission_angle/four_bar::closing_joint"] == pytest.approx(mu, abs=AGREE)
    advantage = found["mechanical_advantage/four_bar::rocker_joint"]
    assert advantage == pytest.approx(arm(pin_b, ground_b) / arm(pin_a, ground_a), rel=AGREE)
    assert abs(arm(pin_b, ground_b)) == pytest.approx(c * math.sin(mu), abs=AGREE)


def test_polodes_touch_at_the_instant_centre_and_roll() -> None:
    """Kennedy: the coupler's instant centre is where the lines of crank and rocker meet. Both polodes have the same arc
    between two positions, as rolling without slip asks; chords of 2 degrees differ from arcs in the fourth digit."""
    client = turned(0.7)
    snapshot = client.poll()[0]
    client.close()
    assert snapshot is not None
    mechanism = open_document(WORLD).mechanism
    (rolling,) = rollings(mechanism, driver_range(mechanism, snapshot, 0))
    assert mechanism.bodies[rolling.body].name.endswith("coupler")
    X = matrices(snapshot.body_poses)[rolling.body]
    touching = X[:3, :3] @ rolling.moving[0] + X[:3, 3]  # the sweep begins at the pose
    np.testing.assert_allclose(touching, rolling.fixed[0], atol=AGREE)
    poses = matrices(snapshot.body_poses)
    joints = {joint.name.rpartition("::")[2]: joint for joint in (*mechanism.joints, *mechanism.loop_joints)}
    pins = [
        (poses[joints[n].parent] @ joints[n].X_PJ.matrix())[[0, 2], 3]
        for n in ("crank_joint", "coupler_joint", "rocker_joint", "closing_joint")
    ]
    (o_a, a, o_b, b) = pins
    along = np.linalg.solve(np.stack([a - o_a, o_b - b], axis=1), o_b - o_a)
    np.testing.assert_allclose(rolling.fixed[0, [0, 2]], o_a + along[0] * (a - o_a), atol=AGREE)
    steps = [np.linalg.norm(np.diff(curve, axis=0), axis=1) for curve in (rolling.fixed, rolling.moving)]
    near = (steps[0] < 0.05) & (steps[1] < 0.05)
    assert near.sum() > 50
    np.testing.assert_allclose(steps[0][near], steps[1][near], rtol=2e-2)
    assert float(steps[0][near].sum()) == pytest.approx(float(steps[1][near].sum()), rel=2e-3)


def test_a_driver_at_its_dead_point_has_no_ratios() -> None:
    """Crank and coupler in line, by the law of cosines: the rocker drives nothing there, and a milliradian beside its
    ratio is as large as the angle is small."""
    mechanism = bars(3.5, 1.0, 3.0, 2.5)
    in_line = math.pi / 3 - math.acos((4.0**2 + 3.5**2 - 2.5**2) / (2 * 4.0 * 3.5))
    rocker = next(i for i, axis in enumerate(mechanism.axes) if axis.name.endswith(ROCKER))
    figures = KinematicFigures(mechanism, rocker)

    def ratio(beside: float) -> float:
        found = figures._at(turned_to(mechanism, **{CRANK: in_line + beside}))
        keys = [figure.key for figure in figures.figures]
        value = next(value for key, value in zip(keys, found.tolist(), strict=True) if key.startswith("velocity_ratio"))
        return math.inf if math.isnan(value) else value

    assert abs(ratio(0.0)) > 1e9
    assert abs(ratio(1e-3)) == pytest.approx(0.5 * abs(ratio(5e-4)), rel=1e-2)


def test_the_singular_value_vanishes_at_a_change_point_only() -> None:
    """A parallelogram in one line: K loses a row, and what is smallest of the others is not taken for it."""
    mechanism = bars(3.0, 1.0, 3.0, 1.0)
    kinematics = Kinematics(mechanism)
    usual = condition_of(mechanism)
    rank = len(usual.K.columns) - usual.rank
    assert least_singular_value(kinematics, usual.state, rank) == pytest.approx(usual.sigma_min, abs=1e-12)
    values = [
        least_singular_value(kinematics, turned_to(mechanism, **{CRANK: math.pi / 3 - x}), rank) for x in (1e-2, 1e-4)
    ]
    assert values[0] == pytest.approx(100.0 * values[1], rel=2e-2)  # it goes to zero in proportion to the angle


def test_accelerations_of_bodies_and_points_are_those_of_the_api() -> None:
    """α × r + ω × (ω × r) of the window beside the motion of `sim.reactions()`, after the same steps."""
    client, place = started(), (0.1, 0.0, 0.05)
    client.send(WatchForces())
    client.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    client.send(StepOnce(300))
    snapshot, status = client.poll()
    client.close()
    assert snapshot is not None
    (now,) = status.forces
    sim = simulator.load(WORLD)
    sim.run(duration=300 * sim.dt, drives={"crank_joint": simulator.velocity(6.0)})
    motion = sim.reactions().motion
    mechanism = open_document(WORLD).mechanism
    for number, body in enumerate(mechanism.bodies[1:], start=1):
        np.testing.assert_allclose(now.accelerations[number, 3:], motion.point(number, body.com)[2][0], atol=AGREE)
    link = "four_bar::coupler"
    body = mechanism.link_bodies()[link]
    moving = PointPath(link, place).now(mechanism, snapshot, now.accelerations)
    assert moving.acceleration is not None
    expected = motion.point(body, place)
    for mine, other in zip(moving, expected, strict=True):
        np.testing.assert_allclose(mine, other[0], atol=AGREE)
    assert np.linalg.norm(moving.acceleration) > 0.1


def test_accelerations_of_a_hundred_bodies_are_those_of_pendulums(tmp_path: Path) -> None:
    """Of mass m at the distance d from its pivot and with the inertia I: α = m g d sin θ / (I + m d²); the centre of
    mass goes with α d across the arm and with ω² d along it. Both sides are of the moment after the step."""
    parts = []
    for i in range(100):
        parts.append(link(f"bob_{i}", mass=2.0, pose=f"{i} 0 0.5 0 0 0"))
        parts.append(joint(f"j{i}", "revolute", parent="world", child=f"bob_{i}", axis="0 1 0", pose="0 0 0.4 0 0 0"))
    path = tmp_path / "pendulums.sdf"
    path.write_text(world(model("pendulums", *parts)))
    client = started(path)
    client.send(WatchForces())
    for axis in range(100):
        client.send(SetPosition(axis, 0.1 + 0.01 * axis))
    client.send(StepOnce(1))
    snapshot, status = client.poll()
    client.close()
    assert snapshot is not None
    found = status.forces[-1].accelerations
    assert found.shape == (101, 6)
    arm = 0.4
    alpha = -2.0 * 9.8 * arm * np.sin(snapshot.position) / (1.0 + 2.0 * arm**2)
    np.testing.assert_allclose(found[1:, 1], alpha, atol=AGREE)
    inward = arm * snapshot.velocity**2
    np.testing.assert_allclose(np.linalg.norm(found[1:, 3:], axis=1), np.hypot(arm * alpha, inward), atol=AGREE)
    assert len(status.forces[-1].wrenches) == 100


def test_of_large_messages_fewer_wait_in_the_pipe() -> None:
    none = np.zeros((0, 6), dtype=np.float32)
    small, large = (ForcesNow(0.0, np.zeros((n, 6)), none[:, :3], none, "", np.zeros((n + 1, 6))) for n in (5, MOST))
    assert most_waiting(small) > MOST_UNHEARD > most_waiting(large) >= 4
    assert len(pickle.dumps(large)) * most_waiting(large) < 1.1 * ROOM


def test_figures_over_time_are_those_of_each_moment_and_follow_what_is_recorded_anew() -> None:
    client = started()
    figures = KinematicFigures(open_document(WORLD).mechanism, 0)
    over_time = FiguresOverTime(figures)
    columns = [n for n, channel in enumerate(client.channels) if channel.group == "position"]
    client.send(StepOnce(200))
    snapshot, status = client.poll()
    assert snapshot is not None
    span = (0.0, snapshot.time)
    times, values = over_time.trace(client, columns, span, status.dt, points=20, new=5)
    assert len(times) == 5
    assert not over_time.complete
    while not over_time.complete:
        times, values = over_time.trace(client, columns, span, status.dt, points=20, new=5)
    assert len(times) == 21
    for time, row in zip(times.tolist(), values, strict=True):
        moment = client.history.at(time, status.dt)
        assert moment is not None
        np.testing.assert_array_equal(row, figures.at(moment))
    client.send(SetPosition(0, 1.0))
    snapshot, status = client.poll()
    assert snapshot is not None
    _, again = over_time.trace(client, columns, span, status.dt, points=20)
    np.testing.assert_array_equal(again[-1], figures.at(snapshot))
    assert np.abs(again[-1] - values[-1]).max() > 1e-3
    client.close()


@pytest.mark.parametrize("world", ["fast_slow_pendulums", "differential", "stewart", "gripper", "four_bar", "gearbox"])
def test_outputs_are_the_axes_that_move_when_the_driver_does(world: str) -> None:
    """Beside positions along the driver, without any rate. The pendulums of the first world are not tied to each other,
    two of them by a gear; of a differential and a platform, other freedoms are held."""
    sim = simulator.load(world)
    mechanism = open_document(ROOT / "worlds" / f"{world}.sdf").mechanism
    for driver in free_axes_at_start(mechanism):
        name = mechanism.axes[driver].name
        keys = [figure.key for figure in KinematicFigures(mechanism, driver).figures]
        table = sim.analyse({name: (0.0, 0.02)}, points=5).table
        moved = {
            axis.name
            for number, axis in enumerate(mechanism.axes)
            if number != driver and np.ptp(table[f"joint/{axis.name}/position"]) > 1e-9
        }
        for head in ("velocity_ratio", "mechanical_advantage"):
            listed = {key.partition("/")[2] for key in keys if key.startswith(head)}
            assert listed <= moved
            assert bool(listed) == bool(moved)


def test_an_axis_that_is_turning_round_moves_with_the_driver() -> None:
    """Crank and coupler in line: the rocker is at its outermost and has no velocity for a moment."""
    mechanism = bars(3.5, 1.0, 3.0, 2.5)
    in_line = math.pi / 3 - math.acos((4.0**2 + 3.5**2 - 2.5**2) / (2 * 4.0 * 3.5))
    crank = next(i for i, axis in enumerate(mechanism.axes) if axis.name.endswith(CRANK))
    rocker = next(i for i, axis in enumerate(mechanism.axes) if axis.name.endswith(ROCKER))
    swept = Sweeper(Kinematics(mechanism)).here(turned_to(mechanism, **{CRANK: in_line}), crank)
    assert abs(float(swept.ratio[0, rocker])) < AGREE
    assert rocker in moving_axes(swept)


def test_the_range_of_a_driver_goes_over_positions_where_motions_meet() -> None:
    """Legs of a Sarrus linkage are stretched and flat at simple parts of a turn."""
    client = started(ROOT / "worlds" / "sarrus.sdf")
    snapshot = client.poll()[0]
    client.close()
    assert snapshot is not None
    (swept,) = driver_range(open_document(ROOT / "worlds" / "sarrus.sdf").mechanism, snapshot, 0)
    assert not swept.ended
    assert float(np.ptp(swept.position[:, 0])) == pytest.approx(2.0 * math.pi)


def test_the_way_of_a_point_over_the_range_is_one_curve_from_end_to_end() -> None:
    """A coupler pin that hangs on the crank, with the rocker as driver, which ends at its dead points: half of the
    crank's circle, without a jump where the sweeps down and up from the start meet. At a dead point the
    crank goes infinitely fast per rocker: there are its largest steps."""
    client = started()
    snapshot, opened = client.poll()[0], open_document(WORLD)
    client.close()
    assert snapshot is not None
    axis = next(i for i, info in enumerate(opened.mechanism.axes) if info.name.endswith(ROCKER))
    found = bodies_over_range(opened.mechanism, snapshot, axis)
    pin = found.places(opened.mechanism, "four_bar::coupler", (0.0, 0.0, 0.0))
    arms = pin[:, [0, 2]] - [-0.2, 0.16]
    radii, angles = np.linalg.norm(arms, axis=1), np.unwrap(np.arctan2(arms[:, 1], arms[:, 0]))
    assert np.ptp(radii) <= AGREE
    assert radii[0] > 0.01
    steps = np.diff(angles)
    assert (np.sign(steps) == np.sign(steps[0])).all()
    assert np.abs(steps[5:-5]).max() < 0.05
    assert np.abs(steps).max() < 0.3
    assert 2.8 < abs(angles[-1] - angles[0]) < 3.7
