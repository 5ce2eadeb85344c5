"""A run served to Foxglove: the topics of our MCAP files, and the shapes of links.

Foxglove connects to us. A client that connects late receives shapes and laws when it subscribes to them.
"""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

from simulator.errors import MissingLibraryError, UsageError
from simulator.recording.ros_messages import LAWS, Messages, nanoseconds
from simulator.recording.row_readings import LAWS_TOPIC, RowReadings, ros_topics
from simulator.session.stream.shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from foxglove.websocket import ChannelView, Client, ServerListener

    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened
    from simulator.session.stream.shapes import LinkShape
    from simulator.spatial.arrays import Array

SHAPES = "/simulator/shapes"
PATIENCE, PAUSE = 2.0, 0.01
"""Seconds in which a server ends, and between two looks at it."""


class FoxgloveStream:
    """A server of its own. Stamps are those of the clock on the wall at which the run begins, and the time of the run;
    if that goes back, it begins anew.

    Raises UsageError for an address that is not free, MissingLibraryError without the extra `foxglove`.
    """

    def __init__(self, opened: Opened, channels: Sequence[Channel], host: str, port: int) -> None:
        try:
            import foxglove
        except ImportError as error:
            raise MissingLibraryError(
                "--stream foxglove needs its library: pip install 'simulator[foxglove]'"
            ) from error
        readings, messages = RowReadings(channels, opened.mechanism), Messages()
        self._host, self._family = host, socket.AF_INET6 if ":" in host else socket.AF_INET
        self._begun, self._newest = time.time(), 0.0
        self._context = foxglove.Context()
        self._topics = [
            (self._channel(foxglove, one.name, one.kind, messages), one) for one in ros_topics(readings, messages)
        ]
        names = dict(zip(opened.mechanism.placed_links(), readings.links, strict=True))
        shapes = foxglove.channels.SceneUpdateChannel(SHAPES, context=self._context)
        update = _scene(foxglove.messages, [(names[shape.link], shape) for shape in shapes_of(opened)])
        once: dict[str, Callable[[int], None]] = {SHAPES: lambda to: shapes.log(update, sink_id=to)}
        if opened.mechanism.couplings:
            laws = self._channel(foxglove, LAWS_TOPIC, LAWS, messages)
            words = messages.laws(*readings.laws())
            once[LAWS_TOPIC] = lambda to: laws.log(words, sink_id=to)
        try:
            self._server: Any = foxglove.start_server(
                name=opened.world.name, host=host, port=port, context=self._context, server_listener=_listener(once)
            )
        except RuntimeError as error:
            raise UsageError(f"cannot serve Foxglove at {host}:{port}: {error}; --stream foxglove=HOST:PORT") from None
        self._port: int = self._server.port
        self.says = f"serves Foxglove: Open connection ▸ Foxglove WebSocket ▸ ws://{host}:{self._port}"

    def _channel(self, foxglove: Any, topic: str, kind: str, messages: Messages) -> Any:
        schema = foxglove.Schema(name=kind, encoding="ros2msg", data=messages.definition(kind))
        return foxglove.Channel(topic, schema=schema, message_encoding="cdr", context=self._context)

    def write_rows(self, rows: Array) -> None:
        """Send samples, shape (n, n_channels)."""
        if rows[0, 0] < self._newest:
            self._begun = time.time() - rows[0, 0]
        self._newest = float(rows[-1, 0])
        times = self._begun + rows[:, 0]
        stamps = nanoseconds(times).tolist()
        made = [(channel, topic.form.filled(times, topic.numbers(rows))) for channel, topic in self._topics]
        for row, stamp in enumerate(stamps):
            for channel, messages in made:
                channel.log(messages[row], log_time=stamp)

    def close(self) -> str:
        """End the server; its address is free then."""
        self._server.stop()
        end = time.monotonic() + PATIENCE
        while self._is_there() and time.monotonic() < end:
            time.sleep(PAUSE)
        return ""

    def _is_there(self) -> bool:
        """Whether the server still listens, which it does for a moment after `stop`."""
        with socket.socket(self._family) as client:
            return client.connect_ex((self._host, self._port)) == 0


def _listener(once: dict[str, Callable[[int], None]]) -> ServerListener:
    """Sends what is sent once to each client that subscribes to it."""
    from foxglove.websocket import ServerListener

    class Listener(ServerListener):
        def on_subscribe(self, client: Client, channel: ChannelView) -> None:
            if channel.topic in once:
                once[channel.topic](client.id)

    return Listener()


def _scene(kinds: Any, named: Sequence[tuple[str, LinkShape]]) -> Any:
    """An entity for each shape, in the frame of its link."""
    return kinds.SceneUpdate(
        entities=[
            kinds.SceneEntity(
                frame_id=link, id=f"{link}/{shape.name}", frame_locked=True, triangles=[_triangles(kinds, shape)]
            )
            for link, shape in named
        ]
    )


def _triangles(kinds: Any, shape: LinkShape) -> Any:
    red, green, blue, opacity = shape.colour
    return kinds.TriangleListPrimitive(
        points=[kinds.Point3(x=x, y=y, z=z) for x, y, z in shape.points.tolist()],
        color=kinds.Color(r=red, g=green, b=blue, a=opacity),
        indices=shape.triangles.ravel().tolist(),
    )
