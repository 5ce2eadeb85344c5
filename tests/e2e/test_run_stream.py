"""`simulator run --stream`: a run that Foxglove and rerun show while it is made, seen by their own protocols and
readers."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.recording.ros_messages import JOINTS, LAWS, TRANSFORMS, Messages
from tests.helpers.command import called, executable, surroundings
from tests.helpers.foxglove import messages_of_foxglove
from tests.helpers.repository import ROOT

PATIENCE = 60.0


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def test_foxglove_sees_joints_poses_laws_and_shapes() -> None:
    """A client that comes while it runs; joint states are those of the motion, which is the same in every run."""
    command = [*executable(), "run", "gripper", "--duration", "60", "--drive", "lift_joint=velocity:0.01"]
    command += ["--stream", "foxglove=127.0.0.1:0"]
    with subprocess.Popen(command, cwd=ROOT, env=surroundings(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        port = re.search(r"ws://127\.0\.0\.1:(\d+)$", next(line for line in process.stderr if "Foxglove" in line))
        assert port
        found: dict[str, list[tuple[int, bytes]]] = {}
        kinds = {}
        received = messages_of_foxglove(int(port[1]))
        for channel, stamp, data in received:
            kinds[channel["topic"]] = channel["schemaName"]
            found.setdefault(channel["topic"], []).append((stamp, data))
            if len(found.get("/joint_states", ())) > 20 and len(found) >= 5:
                break
        received.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    messages = Messages()
    states = [messages.read(JOINTS, data) for _, data in found["/joint_states"]]
    assert list(states[0].name) == ["lift_joint", "left_finger_joint", "right_finger_joint"]
    for state in states[1:]:  # the first may be that before the drive begins
        assert state.position[1] == pytest.approx(-state.position[2], abs=1e-12)
        assert state.velocity[0] == pytest.approx(0.01, abs=1e-9)
    stamps = np.array([stamp for stamp, _ in found["/joint_states"]]) * 1e-9
    np.testing.assert_allclose(np.diff(stamps), 0.01, atol=1e-6)
    assert abs(stamps[0] - time.time()) < PATIENCE
    moved = messages.read(TRANSFORMS, found["/tf"][0][1]).transforms
    links = {one.child_frame_id for one in moved}
    assert {one.header.frame_id for one in moved} == {"world"}
    assert "left_finger_joint" in str(messages.read(LAWS, found["/simulator/laws"][0][1]))
    [(_, shapes)] = found["/simulator/shapes"]
    assert all(f"{link}/".encode() in shapes for link in links - {"ground"})
    assert (kinds["/joint_states"], kinds["/tf"]) == (JOINTS, TRANSFORMS)


@pytest.mark.filterwarnings("ignore:RRD file has no footer")  # the server was ended by a signal
@pytest.mark.filterwarnings("ignore:Python 3.10 reaches end-of-life:DeprecationWarning")  # rerun, in its last for 3.10
def test_rerun_sees_links_joints_and_residuals(tmp_path: Path) -> None:
    """Its own server writes a recording, and its own reader has the numbers of the CSV file, to the digits of a float
    for poses and all digits for joints."""
    port, recording, table = free_port(), tmp_path / "run.rrd", tmp_path / "run.csv"
    server = [str(Path(sys.executable).with_name("rerun")), "--save", str(recording), "--bind", "127.0.0.1"]
    with subprocess.Popen([*server, "--port", str(port)], stderr=subprocess.STDOUT, stdout=subprocess.PIPE) as viewer:
        assert viewer.stdout
        next(line for line in viewer.stdout if b"Listening" in line)
        threading.Thread(target=viewer.stdout.read, daemon=True).start()
        options = ("--duration", "0.3", "--drive", "crank_joint=velocity:3", "-o", table)
        out = called("run", "four_bar", *options, "--stream", f"rerun=127.0.0.1:{port}")
        assert out.returncode == 0, out.stderr
        viewer.send_signal(signal.SIGINT)
        viewer.wait(PATIENCE)
    run = simulator.Run.from_csv(table, simulator.load("four_bar"))
    assert len(run.time) == 31
    columns = columns_of(recording)
    for name in ("crank_joint", "rocker_joint"):
        np.testing.assert_array_equal(columns[f"/joints/position/{name}"], run[f"{name}/position"])
    [residual] = [path for path in columns if path.startswith("/residuals/") and path.endswith("residual_m")]
    assert columns[residual].max() < 1e-12
    places = np.array(columns["/world/coupler"])
    np.testing.assert_allclose(places, run.poses("coupler")[:, :3, 3], atol=1e-6)
    assert any(path.startswith("/world/coupler/") for path in columns), "the shape of the link"


def columns_of(recording: Path) -> dict[str, np.ndarray]:
    """Numbers of scalars and places of links in the order of their times, by path; nothing for what is always there."""
    from rerun.chunk import RrdReader

    found: dict[str, list[tuple[float, Any]]] = {}
    for chunk in RrdReader(recording).stream():
        batch = chunk.to_record_batch()
        wanted = [name for name in batch.schema.names if name.endswith((":scalars", ":translation"))]
        rows = found.setdefault(chunk.entity_path, [])
        for name in wanted:
            values = np.array([value[0] for value in batch[name].to_pylist()])
            rows += zip(batch["time"].cast("int64").to_pylist(), values, strict=True)
    return {
        path: np.array([value for _, value in sorted(rows, key=lambda row: row[0])]) for path, rows in found.items()
    }


def test_a_stream_is_as_slow_as_the_clock() -> None:
    began = time.monotonic()
    out = called("run", "four_bar", "--duration", "0.5", "--stream", "foxglove=127.0.0.1:0")
    assert out.returncode == 0, out.stderr
    assert time.monotonic() - began >= 0.5


@pytest.mark.parametrize(
    ("viewer", "said"),
    [
        ("meshcat", "'meshcat' is no viewer that runs are sent to: foxglove, rerun, plotjuggler"),
        ("foxglove=8765", "'8765' is no address: write HOST:PORT, as 127.0.0.1:8765"),
        ("foxglove=nowhere.invalid:0", "cannot serve Foxglove at nowhere.invalid:0"),
        (f"rerun=127.0.0.1:{free_port()}", "start one with `rerun`"),
    ],
)
def test_viewers_that_are_not_there(viewer: str, said: str) -> None:
    out = called("run", "four_bar", "--duration", "0.1", "--stream", viewer)
    assert out.returncode == 2
    assert said in out.stderr
