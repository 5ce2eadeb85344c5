"""Rows that arrive over UDP are those of the recording."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from simulator.session.commands.commands import Reset, StepOnce
from simulator.session.open.opening import open_document
from simulator.session.stream.newest import AT_ONCE, Streamer
from simulator.session.stream.plotjuggler import LONGEST, PlotJugglerStream, _messages
from simulator.session.stream.viewers import check_viewer
from simulator.session.text.settings import SessionSettings
from tests.helpers.command import called
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT


@pytest.fixture
def plotjuggler() -> Iterator[socket.socket]:
    """What listens."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**20)
    listening.bind(("127.0.0.1", 0))
    listening.setblocking(False)
    yield listening
    listening.close()


def received(listening: socket.socket) -> list[dict[str, Any]]:
    found = []
    while True:
        try:
            found.append(json.loads(listening.recv(65536)))
        except BlockingIOError:
            return found


def test_rows_are_sent_once_and_anew_after_a_reset(plotjuggler: socket.socket) -> None:
    client = LocalClient(open_document(ROOT / "worlds" / "four_bar.sdf"), SessionSettings(paused=True))
    stream = PlotJugglerStream(client.channels, *plotjuggler.getsockname())
    streamer = Streamer(stream, client)
    assert streamer.send_new(0.0) == 1
    client.send(StepOnce(10))
    newest = client.poll()[0]
    assert newest is not None
    assert streamer.send_new(newest.time) == 10
    assert streamer.send_new(newest.time) == 0
    rows = received(plotjuggler)
    names = [channel.name for channel in client.channels if channel.name != "time"]
    times, values = client.trace(range(len(names) + 1), 0.0)
    assert [row["timestamp"] for row in rows] == times.tolist()
    assert [[row[name] for name in names] for row in rows] == values[:, 1:].tolist(), "to the last bit"
    client.send(Reset())
    assert streamer.send_new(0.0) == 1
    assert received(plotjuggler)[0]["timestamp"] == 0.0
    client.send(StepOnce(1000))
    newest = client.poll()[0]
    assert newest is not None
    assert streamer.send_new(newest.time) == AT_ONCE, "some that lie evenly"
    rows = received(plotjuggler)
    assert rows[-1]["timestamp"] == newest.time
    streamer.close()


def test_many_channels_are_divided_and_nothing_that_json_lacks_is_sent() -> None:
    names = [f"joint/{i}/position" for i in range(5000)]
    values = [float(i) for i in range(5000)]
    values[7] = float("nan")
    messages = list(_messages(1.5, names, values))
    assert len(messages) > 1
    assert max(map(len, messages)) <= LONGEST
    joined: dict[str, float] = {}
    for message in messages:
        row = json.loads(message)
        assert row.pop("timestamp") == 1.5
        joined |= row
    assert joined == {name: value for name, value in zip(names, values, strict=True) if name != names[7]}


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:x", ":9870"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        check_viewer(f"plotjuggler={address}")


def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match=r"there is no host 'nowhere\.invalid'"):
        PlotJugglerStream((), "nowhere.invalid", 9870)


def test_a_run_is_sent_from_the_command_line(plotjuggler: socket.socket) -> None:
    viewer = f"plotjuggler=127.0.0.1:{plotjuggler.getsockname()[1]}"
    out = called("run", "four_bar", "--duration", "0.05", "--stream", viewer)
    assert out.returncode == 0, out.stderr
    rows = received(plotjuggler)
    assert [row["timestamp"] for row in rows] == pytest.approx([0.01 * step for step in range(6)])
    assert "joint/four_bar::crank_joint/position" in rows[0]


@pytest.mark.parametrize(("every", "reactions"), [(None, False), (0.002, False), (0.005, True)])
def test_a_run_from_python_is_sent_at_the_pace_of_the_clock(
    plotjuggler: socket.socket, every: float | None, reactions: bool
) -> None:
    """From where the simulation is; a viewer gets all channels, whatever the run records."""
    sim = simulator.load("four_bar")
    sim.run(0.02)
    began = time.monotonic()
    viewer = f"plotjuggler=127.0.0.1:{plotjuggler.getsockname()[1]}"
    run = sim.run(0.04, every=every, channels=["crank_joint/position"], reactions=reactions, stream=viewer)
    assert time.monotonic() - began >= 0.03  # the last block is not waited for
    rows = received(plotjuggler)
    apart = 0.01 if every is None else every
    assert [row["timestamp"] for row in rows] == pytest.approx(0.02 + apart * np.arange(round(0.04 / apart) + 1))
    assert rows[-1]["joint/four_bar::crank_joint/position"] == run["crank_joint/position"][-1]
    assert "joint/four_bar::rocker_joint/position" in rows[0]
    assert len(run.columns) == 2


def test_a_viewer_that_does_not_exist_is_refused_from_python() -> None:
    with pytest.raises(UsageError, match="'rviz' is no viewer"):
        simulator.load("four_bar").run(0.01, stream="rviz")
