"""Motions that other programs recorded, on the mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

import simulator
from simulator.errors import UnknownNameError, UsageError

PUSH = {"crank_joint": simulator.effort(simulator.sine(0.3, 1.0))}
STAMP = 1_700_000_000


@pytest.fixture(scope="module")
def run() -> simulator.Run:
    return simulator.load("four_bar").run(0.3, drives=PUSH, every=0.01)


def write_bag(path: Path, run: simulator.Run, plugin: StoragePlugin, *, velocity: bool) -> None:
    """A bag of ROS 2, as its recorder writes it, of the crank alone, with stamps of a clock on the wall."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    kind = "sensor_msgs/msg/JointState"
    state, header, time = (store.types[name] for name in (kind, "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        topic = writer.add_connection("/joint_states", kind, typestore=store)
        for row, moment in enumerate(run.time):
            nano = round(1e9 * moment)
            moving = run["crank_joint/velocity"][row : row + 1] if velocity else np.zeros(0)
            position = run["crank_joint/position"][row : row + 1]
            message = state(header(time(STAMP, nano), ""), ["crank_joint"], position, moving, np.zeros(0))
            writer.write(topic, STAMP * 10**9 + nano, store.serialize_cdr(message, kind))


@pytest.mark.parametrize("plugin", [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_a_bag_of_the_motor_moves_all_joints(run: simulator.Run, plugin: StoragePlugin, tmp_path: Path) -> None:
    """The motion of the simulation, from its crank alone. Loops are closed to 1e-12 [m, rad], positions through angles
    of transmission of 30° at worst."""
    write_bag(tmp_path / "bag", run, plugin, velocity=True)
    found = simulator.load("four_bar").read_joints(tmp_path / "bag")
    np.testing.assert_allclose(found.time, run.time, atol=1e-9)
    for joint in ("crank_joint", "coupler_joint", "rocker_joint"):
        np.testing.assert_allclose(found[f"{joint}/position"], run[f"{joint}/position"], atol=1e-11)
        np.testing.assert_allclose(found[f"{joint}/velocity"], run[f"{joint}/velocity"], atol=1e-9)
    assert found.summary.max_loop_residual_m < 1e-12
    np.testing.assert_allclose(found.poses("coupler"), run.poses("coupler"), atol=1e-11)


def test_our_own_file_has_joint_states_too(run: simulator.Run, tmp_path: Path) -> None:
    run.to_mcap(tmp_path / "run.mcap")
    found = simulator.load("four_bar").read_joints(tmp_path / "run.mcap")
    np.testing.assert_allclose(found["rocker_joint/position"], run["rocker_joint/position"], atol=1e-11)


def test_velocities_follow_from_positions(run: simulator.Run, tmp_path: Path) -> None:
    """Second differences of samples h = 10 ms apart are off by h²/6 of the third derivative, at most 3000 rad/s³
    here, and at the ends by h/2 of the second."""
    write_bag(tmp_path / "bag", run, StoragePlugin.MCAP, velocity=False)
    found = simulator.load("four_bar").read_joints(tmp_path / "bag")
    inside = slice(1, -1)
    wanted = np.gradient(run["crank_joint/position"], run.time)
    np.testing.assert_allclose(found["crank_joint/velocity"], wanted, atol=1e-6)
    np.testing.assert_allclose(found["crank_joint/velocity"][inside], run["crank_joint/velocity"][inside], atol=0.05)


def test_a_table_of_a_mimics_leader(tmp_path: Path) -> None:
    """The rack goes 0.02 m per rad of its pinion, whatever a column says of it."""
    sim = simulator.load("rack_and_pinion")
    [coupling] = sim.mechanism.couplings
    (tmp_path / "m.csv").write_text("t,pinion_joint,temperature/motor\n0.5,0,20\n0.6,0.1,21\n0.8,0.3,21\n")
    found = sim.read_joints(tmp_path / "m.csv")
    np.testing.assert_allclose(found.time, [0.0, 0.1, 0.3], atol=1e-12)
    follower = sim.mechanism.axes[coupling.follower].name
    wanted = coupling.multiplier * np.array([0.0, 0.1, 0.3]) + coupling.offset
    np.testing.assert_allclose(found[f"{follower}/position"], wanted, atol=1e-15)
    np.testing.assert_allclose(found[f"{follower}/velocity"], coupling.multiplier, rtol=1e-12)


def test_a_moment_of_it_is_a_state(run: simulator.Run, tmp_path: Path) -> None:
    run.to_csv(tmp_path / "run.csv")
    sim = simulator.load("four_bar")
    sim.restore(sim.read_joints(tmp_path / "run.csv").moment(0.2))
    assert sim.positions["rocker_joint"] == pytest.approx(run["rocker_joint/position"][20], abs=1e-11)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("four_bar", "t,nozzle\n0,0\n", "nozzle"),
        ("four_bar", "t\n0\n", "no positions of joints"),
        ("four_bar", "t,crank_joint\n0,x\n", "m.csv:2: 'x' is not a number"),
        ("four_bar", "t,crank_joint,joint/crank_joint/position\n0,0,0\n", "two columns"),
        ("four_bar", "t,rocker_joint\n0,0\n1,3\n", "do not reach the recorded positions"),
        ("wrist", "t,roll_joint\n0,0\n", "do not determine the motion: it lacks"),
    ],
)
def test_what_cannot_be_followed_is_said(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(text)
    sim = simulator.load(name)
    text = text.replace("roll_joint", sim.mechanism.axes[0].name)
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises((UsageError, UnknownNameError), match=told):
        sim.read_joints(tmp_path / "m.csv")


def test_bags_that_cannot_be_read(tmp_path: Path) -> None:
    sim = simulator.load("four_bar")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.mcap").write_text("no")
    for name in ("none.mcap", "folder", "text.mcap", "none.csv"):
        with pytest.raises(UsageError, match=r"cannot be read|there is no file"):
            sim.read_joints(tmp_path / name)
