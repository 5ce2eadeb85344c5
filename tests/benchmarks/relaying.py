"""scripts/bench relay: how many states `simulator relay` finds a second, as a Markdown table.

python -m tests.benchmarks.relaying [--states N] [--page]

In this process, through the socket, a rosbridge server and a zenoh router on this computer. States a
second: with `WINDOW` messages under way, as a robot has that does not wait; a relay that falls behind skips messages,
which do not count. Latency: from a message to its state, with one under way.
"""

from __future__ import annotations

import argparse
import json
import math
import queue
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import simulator
from tests.benchmarks.options import offer_page
from tests.benchmarks.report import markdown_row, write_between_markers
from tests.helpers.relaying import PATIENCE, RelayProcess, RosbridgeServer, four_bar_gripper
from tests.helpers.repository import ROOT, named

PAGE = ROOT / "docs" / "how-to" / "relay.md"
MARKERS = ("<!-- relay -->", "<!-- end of relay -->")
WARM, WINDOW = 20, 8
HALF = 5e-4
"""Half of the time between two messages [s]."""
HEAD = ("mechanism", "way", "states/s", "wanted", "median [ms]", "99 % [ms]")
Message = dict[str, Any]
Send, Receive = Callable[[Message], None], Callable[[], float]
"""A message out, and the stamp [s] of the next state."""


@dataclass(frozen=True)
class Machine:
    """`joints` that move by `amplitude` [rad or m], and the rate that is wanted [1/s]."""

    name: str
    document: str
    joints: tuple[str, ...]
    amplitude: float
    wanted: float

    def message(self, step: int) -> Message:
        """The joint state of a sample at 1 kHz."""
        moment = 0.001 * step
        return {
            "header": {"stamp": {"sec": 1 + step // 1000, "nanosec": 10**6 * (step % 1000)}, "frame_id": ""},
            "name": list(self.joints),
            "position": [self.amplitude * math.sin(moment + place) for place in range(len(self.joints))],
            "velocity": [self.amplitude * math.cos(moment + place) for place in range(len(self.joints))],
        }


def machines(folder: Path) -> Iterator[Machine]:
    gripper = folder / "four_bar_gripper.sdf"
    four_bar_gripper().save(gripper)
    yield Machine("four-bar gripper", str(gripper), ("left_motor",), 0.4, 500.0)
    yield Machine("Stewart platform", "stewart", tuple(f"leg_{leg}_slide" for leg in range(1, 7)), 0.02, 200.0)


@contextmanager
def in_process(machine: Machine) -> Iterator[tuple[Send, Receive]]:
    relay = simulator.load(machine.document).relay(efforts=True)
    found: deque[float] = deque()

    def send(message: Message) -> None:
        position, velocity = (dict(zip(message["name"], message[of], strict=True)) for of in ("position", "velocity"))
        motion = relay.update(position, velocity, stamp=stamp_of(message)).motion
        assert motion is not None
        assert motion.stamp is not None
        found.append(motion.stamp)

    yield send, found.popleft


@contextmanager
def by_socket(machine: Machine) -> Iterator[tuple[Send, Receive]]:
    with RelayProcess(machine.document, "--efforts") as relay:
        client = relay.client()
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield (lambda message: client.send(json.dumps(message).encode() + b"\n")), (lambda: client.receive()["stamp"])


@contextmanager
def by_rosbridge(machine: Machine) -> Iterator[tuple[Send, Receive]]:
    bridge = RosbridgeServer()
    with RelayProcess(machine.document, "--efforts", "--rosbridge", bridge.url) as relay:
        relay.wait_for("connected to")
        yield partial(bridge.publish, "/joint_states"), (lambda: stamp_of(bridge.next_of("/relay/joint_states")))
    bridge.close()


@contextmanager
def by_zenoh(machine: Machine) -> Iterator[tuple[Send, Receive]]:
    import zenoh

    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        endpoint = f"tcp/127.0.0.1:{place.getsockname()[1]}"
    config = zenoh.Config()
    wanted = {"mode": "peer", "listen/endpoints": [endpoint], "scouting/multicast/enabled": False}
    for name, value in wanted.items():
        config.insert_json5(name, json.dumps(value))
    found: queue.Queue[bytes] = queue.Queue()
    with zenoh.open(config) as robot, RelayProcess(machine.document, "--efforts", "--zenoh", endpoint) as relay:
        robot.declare_subscriber("relay/state", lambda sample: found.put(sample.payload.to_bytes()))
        relay.wait_for("connected to")
        time.sleep(1.0)  # for the subscriptions to be known on both sides
        yield (
            (lambda message: robot.put("joint_states", json.dumps(message).encode())),
            (lambda: json.loads(found.get(timeout=PATIENCE))["stamp"]),
        )


WAYS = {"Python": in_process, "socket": by_socket, "rosbridge": by_rosbridge, "zenoh": by_zenoh}


def measured(send: Send, receive: Receive, machine: Machine, states: int) -> tuple[float, np.ndarray]:
    """States a second, and seconds from message to state, shape (states,)."""
    messages = map(machine.message, count())
    taken = []
    for _ in range(WARM + states):
        message = next(messages)
        began = time.perf_counter()
        send(message)
        wait_for(stamp_of(message), receive)
        taken.append(time.perf_counter() - began)
    under_way: deque[float] = deque()
    found = 0
    began = time.perf_counter()
    while time.perf_counter() - began < states * float(np.mean(taken)):
        while len(under_way) < WINDOW:
            message = next(messages)
            send(message)
            under_way.append(stamp_of(message))
        stamp = receive()
        found += 1
        while under_way and under_way[0] < stamp + HALF:
            under_way.popleft()
    rate = found / (time.perf_counter() - began)
    return rate, np.array(taken[WARM:])


def wait_for(stamp: float, receive: Receive) -> None:
    while receive() < stamp - HALF:
        pass


def stamp_of(message: Message) -> float:
    stamp = message["header"]["stamp"]
    return float(stamp["sec"]) + 1e-9 * float(stamp["nanosec"])


def row(machine: Machine, way: str, rate: float, taken: np.ndarray) -> tuple[str, ...]:
    """What falls short is bold."""
    told = f"{rate:.0f}" if rate >= machine.wanted else f"**{rate:.0f}**"
    middle, late = (f"{1e3 * value:.2f}" for value in np.percentile(taken, (50, 99)))
    return machine.name, way, told, f"{machine.wanted:.0f}", middle, late


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench relay", description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--states", type=int, default=2000, help="states of each row")
    offer_page(parser, named(PAGE))
    options = parser.parse_args(arguments)
    lines = [markdown_row(*HEAD), markdown_row(*["---"] * len(HEAD))]
    print(*lines, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines(Path(folder)):
            for way, opened in WAYS.items():
                with opened(machine) as (send, receive):
                    found = measured(send, receive, machine, max(options.states, 1))
                lines.append(markdown_row(*row(machine, way, *found)))
                print(lines[-1], flush=True)
    if options.page:
        write_between_markers(PAGE, "\n".join(lines), MARKERS)


if __name__ == "__main__":
    main()
