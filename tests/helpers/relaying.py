"""`simulator relay` as a process, its clients, and a rosbridge server."""

from __future__ import annotations

import json
import queue
import re
import signal
import socket
import subprocess
import threading
from collections import defaultdict
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

import simulator
from simulator.building.draft import Draft
from tests.helpers.command import executable, surroundings
from tests.helpers.repository import ROOT

PATIENCE = 60.0
"""Seconds that a test waits for what must come."""
Message = dict[str, Any]


def four_bar_gripper() -> Draft:
    """Two fingers, each the coupler of a parallelogram that its motor's crank moves; the right crank follows the
    left."""
    m = simulator.new("four_bar_gripper")
    palm = m.link("palm", simulator.box((0.14, 0.04, 0.02)))
    m.fixed("mount", m.world, palm)
    y, up = (0.0, 1.0, 0.0), 0.06
    for name, side in (("left", -1.0), ("right", 1.0)):
        a, b = (side * 0.02, 0, 0.02), (side * 0.05, 0, 0.02)
        c, d = (side * 0.04, 0, 0.02 + up), (side * 0.07, 0, 0.02 + up)
        crank = m.link(f"{name}_crank", simulator.bar(a, c, width=0.01))
        rocker = m.link(f"{name}_rocker", simulator.bar(b, d, width=0.01))
        finger = m.link(f"{name}_finger", simulator.bar(c, d, width=0.01, offset=0.008))
        m.revolute(f"{name}_motor", palm, crank, at=a, axis=y, lower=-0.6, upper=0.6, effort=5.0)
        m.revolute(f"{name}_rocker_joint", palm, rocker, at=b, axis=y)
        m.revolute(f"{name}_knuckle", crank, finger, at=c, axis=y)
        m.revolute(f"{name}_tip", rocker, finger, at=d, axis=y, loop=True)
    m.mimic("right_motor", "left_motor", multiplier=-1.0)
    return m


class RelayProcess:
    """A relay of a document that listens on a free port of the loopback address, or where `listen` says. Nothing is
    late there within `timeout` [s]: machines may be busy."""

    def __init__(self, document: str, *options: str, listen: str = "127.0.0.1:0", timeout: float = PATIENCE) -> None:
        command = [*executable(), "relay", document, "--listen", listen, "--timeout", f"{timeout:g}", *options]
        self.process = subprocess.Popen(command, cwd=ROOT, env=surroundings(), stderr=subprocess.PIPE, text=True)
        self.said: queue.Queue[str] = queue.Queue()
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.greeting = self.wait_for("listens on")
        found = re.search(r"listens on (.+):(\d+)(, where .*)?$", self.greeting)
        assert found
        self.address = found[1], int(found[2])
        self._clients: list[RelayClient] = []

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as lines:
            for line in lines:
                self.said.put(line.rstrip())

    def wait_for(self, text: str) -> str:
        """The first line of standard error with this text that no call has returned: lines of other threads come in any
        order."""
        while True:
            for line in self._lines:
                if text in line:
                    self._lines.remove(line)
                    return line
            self._lines.append(self.said.get(timeout=PATIENCE))
            assert "Traceback" not in self._lines[-1]

    def client(self) -> RelayClient:
        self._clients.append(RelayClient(self.address))
        return self._clients[-1]

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Exit code, and the last line."""
        self.process.send_signal(number)
        last = self.wait_for("sent, ")
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert code >= 0, f"ended by {signal.Signals(-code).name}: {list(self.said.queue)}"
        return code, last

    def __enter__(self) -> RelayProcess:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)


class RelayClient:
    """A connection to the socket of a relay."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self._lines = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> Message:
        line = self._lines.readline()
        assert line.endswith(b"\n"), "the relay has closed the connection"
        found: Message = json.loads(line)
        return found

    def is_closed(self) -> bool:
        return self._lines.readline() == b""

    def ask(self, **message: object) -> Message:
        """The answer to a joint state."""
        self.send(json.dumps(message).encode() + b"\n")
        return self.receive()

    def close(self) -> None:
        with suppress(OSError):
            self._lines.close()
            self.socket.close()


class RosbridgeServer:
    """What rosbridge v2 does with `subscribe`, `advertise` and `publish`, for one client or several.

    Protocol: RobotWebTools/rosbridge_suite, ROSBRIDGE_PROTOCOL.md."""

    def __init__(self, port: int = 0) -> None:
        self.published: dict[str, queue.Queue[Message]] = defaultdict(queue.Queue)
        self.types: dict[str, str] = {}
        self.faults: list[str] = []
        self._subscribed: dict[str, list[ServerConnection]] = defaultdict(list)
        self._connected: list[ServerConnection] = []
        self._new_subscriber = threading.Condition()
        self._server: Server = serve(self._serve, "127.0.0.1", port)
        self.port: int = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def _serve(self, connection: ServerConnection) -> None:
        self._connected.append(connection)
        with suppress(ConnectionClosed):
            for text in connection:
                self._take(connection, json.loads(text))

    def _take(self, connection: ServerConnection, message: Message) -> None:
        match message["op"]:
            case "subscribe":
                with self._new_subscriber:
                    self._subscribed[message["topic"]].append(connection)
                    self.types[message["topic"]] = message["type"]
                    self._new_subscriber.notify_all()
            case "advertise":
                self.types[message["topic"]] = message["type"]
            case "publish" if message["topic"] in self.types:
                self.published[message["topic"]].put(message["msg"])
            case other:
                self.faults.append(f"{other} of {message.get('topic')}")

    def publish(self, topic: str, message: Message) -> None:
        """To all that have subscribed, once there is one."""
        with self._new_subscriber:
            assert self._new_subscriber.wait_for(lambda: self._subscribed[topic], PATIENCE)
            receivers = tuple(self._subscribed[topic])
        for connection in receivers:
            with suppress(ConnectionClosed):
                connection.send(json.dumps({"op": "publish", "topic": topic, "msg": message}))

    def next_of(self, topic: str) -> Message:
        return self.published[topic].get(timeout=PATIENCE)

    def close(self) -> None:
        for connection in self._connected:
            connection.close()
        self._server.shutdown()
