"""`simulator relay` as other programs meet it: through its socket, rosbridge and zenoh, all on the loopback address."""

from __future__ import annotations

import json
import queue
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import zenoh

import simulator
from tests.helpers.command import called
from tests.helpers.relaying import PATIENCE, RelayClient, RelayProcess, RosbridgeServer

CRANK = 0.3
LEGS = [f"leg_{leg}_slide" for leg in range(1, 7)]


@pytest.fixture
def four_bar() -> Iterator[RelayProcess]:
    with RelayProcess("four_bar", "--efforts") as relay:
        yield relay


def codes(message: dict[str, list[dict[str, str]]]) -> list[str]:
    return [remark["code"] for remark in message["status"]]


def crank_at(angle: float, **more: object) -> bytes:
    return json.dumps({"name": ["crank_joint"], "position": [angle], **more}).encode() + b"\n"


def states_of(client: RelayClient, messages: int) -> list[dict[str, Any]]:
    """States until so many messages have one or are counted as skipped, which a busy machine may do to any that are
    sent at once."""
    states = []
    while messages > 0:
        states.append(client.receive())
        skipped = [one["message"] for one in states[-1]["status"] if one["code"] == "BEHIND"]
        messages -= 1 + sum(int(message.split()[0]) for message in skipped)
    assert messages == 0
    return states


# -- the socket --------------------------------------------------------------------------------------------------------


def test_a_crank_moves_the_whole_four_bar(four_bar: RelayProcess) -> None:
    """The numbers of `assemble` and `inverse_dynamics`, through text with all digits."""
    client = four_bar.client()
    sim = simulator.load("four_bar")
    for step in range(1, 50):
        angle = 0.02 * step
        found = client.ask(
            name=["crank_joint"], position=[angle], velocity=[1.5], acceleration=[-2.0], stamp=0.01 * step
        )
        q, v = sim.assemble({"crank_joint": angle}, velocity={"crank_joint": 1.5})
        np.testing.assert_allclose(found["position"], q, atol=1e-12)
        np.testing.assert_allclose(found["velocity"], v, atol=1e-12)
        efforts = sim.inverse_dynamics(q, {"crank_joint": 1.5}, {"crank_joint": -2.0})
        np.testing.assert_allclose(found["effort"], efforts, atol=1e-12)
        assert (found["stamp"], found["is_held"], found["status"]) == (0.01 * step, False, [])
    assert found["name"] == ["crank_joint", "coupler_joint", "rocker_joint", "closing_joint"]
    assert max(found["residuals"].values()) < 1e-14
    sim.set(crank_joint=angle)
    for pose in found["transforms"]:
        X = sim.pose(pose["child"])
        assert pose["parent"] == "world"
        np.testing.assert_allclose(pose["translation"], X[:3, 3], atol=1e-12)
        x, y, z, w = pose["rotation"]
        turned = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)]
        np.testing.assert_allclose(turned, X[:3, 2], atol=1e-12)


def test_a_stewart_platform_over_the_socket() -> None:
    sim = simulator.load("stewart")
    with RelayProcess("stewart") as relay:
        client = relay.client()
        for step in range(20):
            at = [0.02 * np.sin(0.05 * step + leg) for leg in range(6)]
            found = client.ask(name=LEGS, position=at)
            q = sim.assemble(dict(zip(LEGS, at, strict=True)))
            np.testing.assert_allclose(found["position"], q, atol=1e-12)
            assert (found["velocity"], found["effort"], found["status"]) == ([], [], [])


def test_faults_are_answered_and_the_last_good_state_is_held(four_bar: RelayProcess) -> None:
    client = four_bar.client()
    assert codes(client.ask(name=["wheel"], position=[0.1])) == ["UNKNOWN_JOINT", "WAITING"]
    good = client.ask(name=["crank_joint"], position=[CRANK], stamp=1.0)
    for text, code in (
        (b"hello\n", "BAD_JSON"),
        (b"\xff\xfe\n", "BAD_JSON"),
        (b"[]\n", "BAD_JSON"),
        (b'{"name": ["crank_joint"], "position": [\n', "BAD_JSON"),
        (b'{"name": ["crank_joint"]}\n', "BAD_MESSAGE"),
        (b'{"name": ["crank_joint"], "position": [0.1, 0.2]}\n', "BAD_MESSAGE"),
    ):
        client.send(text)
        answer = client.receive()
        assert (codes(answer), answer.keys()) == ([code], {"status"})
    for message, code in (
        ({"name": ["crank_joint"], "position": [float("nan")]}, "NOT_A_NUMBER"),
        ({"name": ["crank_joint", "rocker_joint"], "position": [0.4, 0.9]}, "CONTRADICTION"),
        ({"name": ["crank_joint"], "position": [0.4], "stamp": 0.5}, "OLD_STAMP"),
    ):
        answer = client.ask(**message)
        assert code in codes(answer)
        assert (answer["is_held"], answer["position"], answer["stamp"]) == (True, good["position"], 1.0)


def test_silence_is_said_once() -> None:
    with RelayProcess("four_bar", timeout=0.5) as relay:
        client = relay.client()
        good = client.ask(name=["crank_joint"], position=[CRANK])
        late = client.receive()
        assert (codes(late), late["is_held"], late["position"]) == (["LATE"], True, good["position"])
        after = client.ask(name=["crank_joint"], position=[CRANK])
        assert (codes(after), after["is_held"]) == ([], False)


def test_lines_in_pieces_and_several_at_once(four_bar: RelayProcess) -> None:
    client = four_bar.client()
    for piece in (b'{"name": ["crank', b'_joint"], "posi', b'tion": [0.1]}', b"\r\n"):
        client.send(piece)
    assert client.receive()["position"][0] == 0.1
    client.send(b"\n\n" + b"".join(map(crank_at, (0.2, 0.3, 0.4))))
    states = states_of(client, 3)
    assert states[-1]["position"][0] == 0.4


def test_a_line_without_its_end(four_bar: RelayProcess) -> None:
    """A client that ends with half a line, and still reads, as `printf … | nc` does."""
    client = four_bar.client()
    client.send(crank_at(CRANK)[:-1])
    client.socket.shutdown(socket.SHUT_WR)
    assert client.receive()["position"][0] == CRANK
    half = four_bar.client()
    half.send(b'{"name": ["crank_j')
    half.socket.shutdown(socket.SHUT_WR)
    assert codes(half.receive()) == ["BAD_JSON"]


def test_a_line_that_is_too_long(four_bar: RelayProcess) -> None:
    client = four_bar.client()
    client.send(b"x" * 1_500_000)
    assert codes(client.receive()) == ["TOO_LONG"]
    client.send(b"x" * 10 + b"\n" + crank_at(CRANK))
    assert client.receive()["position"][0] == CRANK


def test_clients_share_one_mechanism(four_bar: RelayProcess) -> None:
    """All get every state, and answers to what is wrong only who sent it; one that goes away is forgotten."""
    first, second, third = (four_bar.client() for _ in range(3))
    first.send(b"nonsense\n")
    assert codes(first.receive()) == ["BAD_JSON"]
    second.send(crank_at(CRANK))
    assert [client.receive()["position"][0] for client in (first, second, third)] == [CRANK] * 3
    third.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    third.close()
    second.send(crank_at(0.4) * 50)
    assert states_of(first, 50) == states_of(second, 50)


def test_a_client_that_does_not_read_holds_up_no_other() -> None:
    """It misses states, more than a megabyte of which wait for it, and gets the next ones once it reads again."""
    with RelayProcess("stewart") as relay:
        deaf, client = relay.client(), relay.client()
        sent = 0
        while sent < 4000:  # of 4 kB each: more than the system has room for
            sent += not client.ask(name=LEGS, position=[1e-6 * sent] * 6)["is_held"]
        received, missed = 0, 0
        while not missed:
            client.ask(name=LEGS, position=[0.0] * 6)
            sent += 1
            for _ in range(50):
                message = deaf.receive()
                received += "position" in message
                if "DROPPED" in codes(message):
                    missed = int(message["status"][0]["message"].split()[0])
                    break
        assert 0 < missed < sent - received


def test_a_flood_of_messages_is_answered_by_the_newest() -> None:
    """Every message has a state or is counted as skipped, and the last one has one."""
    count = 3000
    with RelayProcess("stewart") as relay:
        client = relay.client()
        lines = [
            json.dumps({"name": LEGS, "position": [1e-5 * step] * 6, "stamp": 1.0 + step}) for step in range(count)
        ]
        Thread(target=client.send, args=("".join(f"{line}\n" for line in lines).encode(),), daemon=True).start()
        states = states_of(client, count)
    assert states[-1]["stamp"] == float(count)
    assert len(states) < count, "3000 states take longer than a message may wait"


def test_too_many_clients_are_refused(four_bar: RelayProcess) -> None:
    clients = [four_bar.client() for _ in range(64)]
    clients[0].ask(name=["crank_joint"], position=[CRANK])
    last = four_bar.client()
    assert codes(last.receive()) == ["TOO_MANY_CLIENTS"]
    assert last.is_closed()


def test_a_page_in_a_browser_moves_nothing(four_bar: RelayProcess) -> None:
    """It can send HTTP to this computer, with what it likes in the body."""
    page, client = four_bar.client(), four_bar.client()
    page.send(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + crank_at(1.0))
    assert codes(page.receive()) == ["BAD_JSON"]
    assert page.is_closed()
    assert client.ask(name=["crank_joint"], position=[CRANK])["position"][0] == CRANK


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(four_bar: RelayProcess, number: signal.Signals) -> None:
    client = four_bar.client()
    client.ask(name=["crank_joint"], position=[CRANK])
    code, last = four_bar.end(number)
    assert code == 0
    assert last.startswith("simulator: ")
    assert client.is_closed()


def test_it_listens_on_this_computer_only(four_bar: RelayProcess) -> None:
    assert four_bar.address[0] == "127.0.0.1"
    taken = called("relay", "four_bar", "--listen", f"127.0.0.1:{four_bar.address[1]}")
    assert taken.returncode == 2
    assert "cannot listen on 127.0.0.1:" in taken.stderr


def test_others_are_warned_of() -> None:
    """Also where an address of IPv6 is one of this computer alone."""
    with RelayProcess("four_bar", listen="0.0.0.0:0") as relay:
        assert relay.address[0] == "0.0.0.0"
        assert "every computer that reaches this one can send joint states" in relay.greeting
    if socket.has_ipv6 and Path("/proc/net/if_inet6").exists():
        with RelayProcess("four_bar", listen="[::1]:0") as relay:
            assert relay.greeting.endswith(f"listens on [::1]:{relay.address[1]}")


def test_the_start_chooses_the_branch() -> None:
    sim = simulator.load("four_bar")
    sim.set(crank_joint=2.0)
    with RelayProcess("four_bar", "--initial", "crank_joint=2", "--joints", "crank_joint") as relay:
        found = relay.client().ask(name=["crank_joint", "wheel"], position=[2.1, 1.0])
    np.testing.assert_allclose(found["position"], sim.assemble({"crank_joint": 2.1}), atol=1e-12)
    assert found["status"] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--listen", "9871"), "'9871' is no address: write HOST:PORT"),
        (("--listen", ":9871"), "':9871' is no address"),
        (("--listen", "127.0.0.1:99999"), "is no address"),
        (("--listen", "nowhere.invalid:1"), "cannot listen on nowhere.invalid:1"),
        (("--joints", "elbow"), "no axis is named 'elbow'"),
        (("--timeout", "0"), "must be more than 0"),
        (("--initial", "crank_joint=x"), "crank_joint=x"),
        (("--listen", "127.0.0.1:0", "--rosbridge", "http://a"), "'http://a' is no address of a rosbridge server"),
        (("--listen", "127.0.0.1:0", "--zenoh", "nowhere"), "'nowhere' with 'joint_states' and 'relay'"),
    ],
)
def test_what_it_cannot_do_is_said(options: tuple[str, ...], said: str) -> None:
    out = called("relay", "four_bar", *options)
    assert out.returncode == 2
    assert said in out.stderr


# -- rosbridge ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def bridge() -> Iterator[RosbridgeServer]:
    server = RosbridgeServer()
    yield server
    server.close()


def ros_state(angle: float | None, stamp: dict[str, int]) -> dict[str, object]:
    """As rosbridge writes a `sensor_msgs/JointState`: without velocities, and null for nan."""
    header = {"stamp": stamp, "frame_id": "base_link"}
    return {"header": header, "name": ["crank_joint"], "position": [angle], "velocity": [], "effort": [None]}


def test_joint_states_of_ros_2(bridge: RosbridgeServer) -> None:
    sim = simulator.load("four_bar")
    with RelayProcess("four_bar", "--rosbridge", bridge.url, "--efforts") as relay:
        relay.wait_for("connected to ws://")
        stamp = {"sec": 1_700_000_000, "nanosec": 250_000_000}
        bridge.publish("/joint_states", ros_state(CRANK, stamp))
        joints = bridge.next_of("/relay/joint_states")
        np.testing.assert_allclose(joints["position"], sim.assemble({"crank_joint": CRANK}), atol=1e-12)
        assert joints["header"]["stamp"].keys() == {"sec", "nanosec"}
        assert abs(joints["header"]["stamp"]["nanosec"] - 250_000_000) < 1000
        assert joints["velocity"] == []
        moved = {one["child_frame_id"]: one for one in bridge.next_of("/relay/tf")["transforms"]}
        sim.set(crank_joint=CRANK)
        place = moved["rocker"]["transform"]["translation"]
        np.testing.assert_allclose([place[axis] for axis in "xyz"], sim.pose("rocker")[:3, 3], atol=1e-12)
        assert moved["rocker"]["header"]["frame_id"] == "world"
        residuals = bridge.next_of("/relay/residuals")
        assert residuals["layout"]["dim"][0]["label"].split(",")[0] == "loop/four_bar::closing_joint/residual_m"
        assert max(residuals["data"]) < 1e-14
        [status] = bridge.next_of("/relay/diagnostics")["status"]
        assert (status["level"], status["name"]) == (0, "relay: OK")
    assert bridge.types == {
        "/joint_states": "sensor_msgs/JointState",
        "/relay/joint_states": "sensor_msgs/JointState",
        "/relay/tf": "tf2_msgs/TFMessage",
        "/relay/residuals": "std_msgs/Float64MultiArray",
        "/relay/diagnostics": "diagnostic_msgs/DiagnosticArray",
    }
    assert bridge.faults == []


def test_what_is_held_is_not_published_again(bridge: RosbridgeServer) -> None:
    """As a joint state that is new, it would be a lie; diagnostics say why there is none."""
    with RelayProcess("four_bar", "--rosbridge", bridge.url, "--from", "/arm/joints", "--to", "/arm/whole") as relay:
        relay.wait_for("connected to ws://")
        named = []
        for second, angle in enumerate((0.1, None, 0.2), start=1):
            bridge.publish("/arm/joints", ros_state(angle, {"sec": second, "nanosec": 0}))
            status = bridge.next_of("/arm/whole/diagnostics")["status"][0]
            named.append((status["name"], status["level"]))
        seconds = [bridge.next_of("/arm/whole/joint_states")["header"]["stamp"]["sec"] for _ in range(2)]
    assert seconds == [1, 3]
    assert named == [("relay: OK", 0), ("relay: NOT_A_NUMBER", 2), ("relay: OK", 0)]


def test_ros_1_has_stamps_of_its_own(bridge: RosbridgeServer) -> None:
    with RelayProcess("four_bar", "--rosbridge", bridge.url) as relay:
        relay.wait_for("connected to ws://")
        bridge.publish("/joint_states", ros_state(CRANK, {"secs": 7, "nsecs": 500}))
        assert bridge.next_of("/relay/joint_states")["header"]["stamp"] == {"secs": 7, "nsecs": 500}


def test_messages_of_other_types_are_said(bridge: RosbridgeServer) -> None:
    with RelayProcess("four_bar", "--rosbridge", bridge.url) as relay:
        relay.wait_for("connected to ws://")
        bridge.publish("/joint_states", {"data": "hello"})
        assert bridge.next_of("/relay/diagnostics")["status"][0]["name"] == "relay: BAD_MESSAGE"


def test_a_server_may_come_later_and_come_again() -> None:
    """Until then the socket works, and what is lost is connected again."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    with RelayProcess("four_bar", "--rosbridge", f"ws://127.0.0.1:{port}") as relay:
        client = relay.client()
        assert client.ask(name=["crank_joint"], position=[CRANK])["status"] == []
        for angle in (0.4, 0.5):
            server = RosbridgeServer(port)
            try:
                relay.wait_for("connected to ws://")
                server.publish("/joint_states", ros_state(angle, {"sec": round(10 * angle), "nanosec": 0}))
                assert server.next_of("/relay/joint_states")["position"][0] == angle
            finally:
                server.close()
            relay.wait_for("lost ws://")
        assert relay.end()[0] == 0


# -- zenoh -------------------------------------------------------------------------------------------------------------


def zenoh_session(mode: str, **wanted: object) -> zenoh.Session:
    config = zenoh.Config()
    for name, value in {"mode": mode, "scouting/multicast/enabled": False, **wanted}.items():
        config.insert_json5(name, json.dumps(value))
    return zenoh.open(config)


@pytest.fixture
def endpoint() -> str:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return f"tcp/127.0.0.1:{place.getsockname()[1]}"


def test_a_router_of_zenoh(endpoint: str) -> None:
    """A robot and a viewer at a router, to which the relay connects as well; the router comes later than the relay."""
    sim = simulator.load("four_bar")
    with RelayProcess("four_bar", "--zenoh", endpoint) as relay:
        relay.wait_for(f"connects to {endpoint}")
        with (
            zenoh_session("router", **{"listen/endpoints": [endpoint]}),
            zenoh_session("client", **{"connect/endpoints": [endpoint]}) as robot,
            zenoh_session("client", **{"connect/endpoints": [endpoint]}) as viewer,
        ):
            relay.wait_for(f"connected to {endpoint}")
            found: queue.Queue[bytes] = queue.Queue()
            viewer.declare_subscriber("relay/state", lambda sample: found.put(sample.payload.to_bytes()))
            state = first_state(robot, found)
            np.testing.assert_allclose(state["position"], sim.assemble({"crank_joint": CRANK}), atol=1e-12)
            robot.put("joint_states", b"nonsense")
            while "BAD_JSON" not in codes(json.loads(found.get(timeout=PATIENCE))):
                pass
            assert relay.end()[0] == 0


def first_state(robot: zenoh.Session, found: queue.Queue[bytes]) -> dict[str, list[float]]:
    """Subscriptions take a moment to be known everywhere: the robot sends until there is an answer."""
    for _ in range(100):
        robot.put("joint_states", crank_at(CRANK))
        try:
            state: dict[str, list[float]] = json.loads(found.get(timeout=0.2))
        except queue.Empty:
            continue
        return state
    raise AssertionError("no state was published")


def test_a_peer_of_zenoh(endpoint: str) -> None:
    with zenoh_session("peer", **{"listen/endpoints": [endpoint]}) as robot:
        found: queue.Queue[bytes] = queue.Queue()
        robot.declare_subscriber("arm/whole/state", lambda sample: found.put(sample.payload.to_bytes()))
        with RelayProcess("four_bar", "--zenoh", endpoint, "--to", "arm/whole") as relay:
            relay.wait_for(f"connected to {endpoint}")
            assert first_state(robot, found)["position"][0] == CRANK
