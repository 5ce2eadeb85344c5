"""Recordings in MCAP files, read by the format's own reader and by ROS's messages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

import simulator
from simulator.errors import MissingLibraryError, UnknownNameError, UsageError
from simulator.model.names import distinct_tails

NANO = 10**9


@pytest.fixture(scope="module")
def run() -> simulator.Run:
    """A loop under a drive."""
    push = {"crank_joint": simulator.effort(simulator.sine(0.3, 1.0))}
    return simulator.load("four_bar").run(0.3, drives=push, every=0.01)


def messages(file: Path, topic: str) -> list[tuple[int, Any]]:
    """Stamps [ns] and messages, by definitions that the file has."""
    with AnyReader([file]) as reader:
        wanted = [one for one in reader.connections if one.topic == topic]
        return [(stamp, reader.deserialize(raw, one.msgtype)) for one, stamp, raw in reader.messages(wanted) if wanted]


@pytest.mark.parametrize("name", ["four_bar", "wrist", "gripper"])
def test_a_recording_comes_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    sim, file = simulator.load(name), tmp_path / "run.mcap"
    run = sim.run(0.05, every=0.01)
    run.to_mcap(file)
    back = simulator.Run.from_mcap(file, simulator.load(name))
    assert back.columns == run.columns
    np.testing.assert_array_equal(back.array, run.array)
    assert back.summary.steps == 50


def test_joint_states_have_the_recorded_numbers(run: simulator.Run, tmp_path: Path) -> None:
    run.to_mcap(tmp_path / "run.mcap")
    found = messages(tmp_path / "run.mcap", "/joint_states")
    assert [stamp for stamp, _ in found] == [round(NANO * time) for time in run.time]
    for row, (stamp, message) in enumerate(found):
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == divmod(stamp, NANO)
        assert message.name == ["crank_joint", "coupler_joint", "rocker_joint", "closing_joint"]
        for quantity in ("position", "velocity", "effort"):
            wanted = [run[f"{name}/{quantity}"][row] for name in message.name]
            np.testing.assert_array_equal(getattr(message, quantity), wanted)


def test_transforms_are_the_poses_of_links(run: simulator.Run, tmp_path: Path) -> None:
    """The rotation, from the quaternion by its textbook formula, to rounding."""
    run.to_mcap(tmp_path / "run.mcap")
    found = messages(tmp_path / "run.mcap", "/tf")
    assert [one.child_frame_id for one in found[0][1].transforms] == ["ground", "crank", "rocker", "coupler"]
    for row, (_, message) in enumerate(found):
        for one in message.transforms:
            X = run.poses(one.child_frame_id)[row]
            place, turn = one.transform.translation, one.transform.rotation
            np.testing.assert_allclose([place.x, place.y, place.z], X[:3, 3], atol=1e-15)
            np.testing.assert_allclose(1.0 - 2.0 * (turn.y**2 + turn.z**2), X[0, 0], atol=1e-14)
            np.testing.assert_allclose(2.0 * (turn.x * turn.z + turn.w * turn.y), X[0, 2], atol=1e-14)
            assert one.header.frame_id == "world"


def test_laws_and_residuals_have_their_own_messages(tmp_path: Path) -> None:
    run = simulator.load("gripper").run(0.05)
    run.to_mcap(tmp_path / "run.mcap")
    [(stamp, laws)] = messages(tmp_path / "run.mcap", "/simulator/laws")
    assert stamp == 0
    assert len(laws.follower) == len(run.mechanism.couplings)
    assert all(text.startswith(f"{name} = ") for name, text in zip(laws.follower, laws.law, strict=True))
    last = messages(tmp_path / "run.mcap", "/simulator/residuals")[-1][1].residuals
    assert [(one.of, one.unit) for one in last] == [(c.name, c.unit) for c in run.columns if "residual" in c.name]
    np.testing.assert_array_equal([one.value for one in last], [run[one.of][-1] for one in last])


def test_part_of_the_columns(run: simulator.Run, tmp_path: Path) -> None:
    """Joint states have nan for what was not recorded; there are no transforms without all positions."""
    sim = simulator.load("four_bar")
    part = sim.run(0.02, every=0.01, channels=["crank_joint/velocity"])
    part.to_mcap(tmp_path / "part.mcap")
    np.testing.assert_array_equal(simulator.Run.from_mcap(tmp_path / "part.mcap", sim).array, part.array)
    [(_, first), *_] = messages(tmp_path / "part.mcap", "/joint_states")
    assert first.name == ["crank_joint"]
    assert np.isnan(first.position).all()
    assert messages(tmp_path / "part.mcap", "/tf") == []


def test_names_without_models_where_these_are_unique() -> None:
    assert distinct_tails(["a::x", "b::x", "a::b::y", "z"]) == ("a::x", "b::x", "y", "z")


def test_what_is_no_recording_is_said(run: simulator.Run, tmp_path: Path) -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UsageError, match="there is no file"):
        simulator.Run.from_mcap(tmp_path / "none.mcap", sim)
    (tmp_path / "text.mcap").write_text("time\n0\n")
    with pytest.raises(UsageError, match="cannot be read"):
        simulator.Run.from_mcap(tmp_path / "text.mcap", sim)
    run.to_mcap(tmp_path / "run.mcap")
    whole = (tmp_path / "run.mcap").read_bytes()
    for part in (20, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.mcap").write_bytes(whole[:part])
        with pytest.raises(UsageError, match="cannot be read"):
            simulator.Run.from_mcap(tmp_path / "cut.mcap", sim)
        with pytest.raises(UsageError, match="cannot be read"):
            sim.read_joints(tmp_path / "cut.mcap")
    with pytest.raises(UnknownNameError, match="channel of this simulation"):
        simulator.Run.from_mcap(tmp_path / "run.mcap", simulator.load("wrist"))
    with pytest.raises(UsageError, match="cannot write"):
        run.to_mcap(tmp_path / "none" / "run.mcap")


@pytest.mark.parametrize("library", ["mcap.writer", "rosbags.typesys"])
def test_without_its_libraries(
    library: str, run: simulator.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'simulator\[mcap\]'"):
        run.to_mcap(tmp_path / "run.mcap")
