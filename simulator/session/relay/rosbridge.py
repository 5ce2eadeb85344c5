"""Joint states from ROS 1 or ROS 2 and back by a rosbridge server, without ROS here.

In ROS's own messages: joint states and transforms with every state that is not held, residuals as an array whose label
has their names, and diagnostics when remarks change, else once a second.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simulator.diagnostics import Severity
from simulator.errors import MissingLibraryError, UsageError
from simulator.session.relay.text import WORLD, numbers_of
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.session.relay.completion import Motion
    from simulator.session.relay.hub import Hub
    from simulator.session.relay.relay import Relayed
    from simulator.session.relay.remarks import Remark

JOINTS, TRANSFORMS = "sensor_msgs/JointState", "tf2_msgs/TFMessage"
ARRAY, DIAGNOSTICS = "std_msgs/Float64MultiArray", "diagnostic_msgs/DiagnosticArray"
PERIOD = 1.0
"""Seconds between diagnostics while remarks stay the same."""
RETRY = 2.0
"""Seconds between attempts to connect, at most."""
PULSE = 5.0
"""Seconds between looks at whether the server still answers."""
LEVELS = {Severity.WARNING: 1, Severity.ERROR: 2}


class Rosbridge:
    """A connection to a rosbridge server, which is made again when it is lost.

    Raises UsageError for a URL that is none, MissingLibraryError without roslibpy.
    """

    def __init__(self, hub: Hub, url: str, topic: str, prefix: str, say: Callable[[str], None]) -> None:
        """`topic`: of the joint states of others; `prefix`: before the names of topics that are published. `say`: what
        a person is to read; from another thread."""
        parts = urlsplit(url)
        if parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise UsageError(f"'{url}' is no address of a rosbridge server: write ws://HOST:PORT")
        try:
            import roslibpy
        except ImportError as error:
            raise MissingLibraryError("--rosbridge needs roslibpy: pip install 'simulator[rosbridge]'") from error
        _hear_only_news()
        self._hub, self._say = hub, say
        self._is_ros1 = False
        self._said: tuple[str, ...] | None = None
        self._said_at = -PERIOD
        self._ros: Any = roslibpy.Ros(url if parts.port else f"{url}:9090")
        self._ros.factory.set_max_delay(RETRY)
        self._ros.factory.setProtocolOptions(autoPingInterval=PULSE, autoPingTimeout=PULSE)
        self._ros.on("ready", lambda connection: self._begin(connection, f"connected to {url}"))
        self._ros.on("close", lambda _: say(f"lost {url}"))
        self._input: Any = roslibpy.Topic(self._ros, topic, JOINTS, queue_length=1)
        named = (("joint_states", JOINTS), ("tf", TRANSFORMS), ("residuals", ARRAY), ("diagnostics", DIAGNOSTICS))
        self._topics: dict[str, Any] = {
            name: roslibpy.Topic(self._ros, f"{prefix}/{name}", kind, queue_size=1) for name, kind in named
        }
        for published in self._topics.values():
            published.advertise()
        self._input.subscribe(lambda message: hub.receive_from_thread(self._noted(message), self))
        try:
            self._ros.run(timeout=0.0)
        except roslibpy.core.RosTimeoutError:  # it is not there yet, and is tried again
            say(f"connects to {url}")

    def _begin(self, connection: Any, words: str) -> None:
        """Send every frame at once: Autobahn sets this before it knows its options, and fails without a word, so that
        Nagle's algorithm holds each second state for 40 ms."""
        connection.transport.setTcpNoDelay(True)
        self._say(words)

    def _noted(self, message: Any) -> object:
        """The message; how its stamp is written says which ROS is there."""
        try:
            self._is_ros1 = "secs" in message["header"]["stamp"]
        except (KeyError, TypeError):
            self._is_ros1 = False
        return message

    def send(self, found: Relayed, _line: Callable[[], bytes]) -> None:
        """Publish a state; one that is held has been published before."""
        if not self._ros.is_connected:
            return
        motion = found.motion
        header = self._header(None if motion is None else motion.stamp)
        if motion is not None and not found.is_held:
            self._publish("joint_states", self._joints(motion, header))
            self._publish("tf", self._transforms(motion, header))
            self._publish("residuals", self._residuals(motion))
        self._diagnose(found.remarks, header)

    def answer(self, remark: Remark) -> None:
        """Publish a remark on a message that cannot be used."""
        if self._ros.is_connected:
            self._diagnose((remark,), self._header(None))

    def close(self) -> None:
        """End the connection."""
        self._ros.factory.stopTrying()
        self._ros.terminate()

    def _publish(self, topic: str, message: dict[str, object]) -> None:
        self._topics[topic].publish(message)

    def _header(self, stamp: float | None, frame: str = "") -> dict[str, object]:
        whole, part = divmod(round((time.time() if stamp is None else stamp) * 1e9), 10**9)
        names = ("secs", "nsecs") if self._is_ros1 else ("sec", "nanosec")
        return {"stamp": dict(zip(names, (whole, part), strict=True)), "frame_id": frame}

    def _joints(self, motion: Motion, header: dict[str, object]) -> dict[str, object]:
        return {
            "header": header,
            "name": list(self._hub.relay.joints),
            "position": motion.position.tolist(),
            "velocity": numbers_of(motion.velocity),
            "effort": numbers_of(motion.effort),
        }

    def _transforms(self, motion: Motion, header: dict[str, object]) -> dict[str, object]:
        made = []
        for link, X in zip(self._hub.relay.links, motion.X_WL, strict=True):
            place = dict(zip("xyz", X[:3, 3].tolist(), strict=True))
            turn = dict(zip("xyzw", quat_from_matrix(X[:3, :3]), strict=True))
            moved = {"translation": place, "rotation": turn}
            made.append({"header": {**header, "frame_id": WORLD}, "child_frame_id": link, "transform": moved})
        return {"transforms": made}

    def _residuals(self, motion: Motion) -> dict[str, object]:
        count = len(motion.residual)
        dimension = {"label": ",".join(self._hub.relay.residuals), "size": count, "stride": count}
        return {"layout": {"dim": [dimension], "data_offset": 0}, "data": motion.residual.tolist()}

    def _diagnose(self, remarks: tuple[Remark, ...], header: dict[str, object]) -> None:
        """A status for each code, or one that all is well."""
        now = time.monotonic()
        codes = tuple(remark.code for remark in remarks)
        if self._said == codes and now - self._said_at < PERIOD:
            return
        self._said, self._said_at = codes, now
        told = [(LEVELS[remark.severity], remark.code, remark.message) for remark in remarks] or [(0, "OK", "follows")]
        made = [
            {"level": level, "name": f"relay: {code}", "message": message, "hardware_id": "simulator", "values": []}
            for level, code, message in told
        ]
        self._publish("diagnostics", {"header": header, "status": made})


def _hear_only_news() -> None:
    """Of Twisted, which roslibpy has write to `logging`, and which otherwise prints failures by itself, too."""
    from twisted.logger import globalLogBeginner

    globalLogBeginner.beginLoggingTo((), redirectStandardIO=False, discardBuffer=True)
    logging.getLogger("twisted").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a person should read it: a message that meets the end of its connection is none, which is said anyway."""
    from autobahn.exception import Disconnected

    kind = record.exc_info[0] if record.exc_info else None
    return record.levelno >= logging.CRITICAL and not (kind is not None and issubclass(kind, Disconnected))
