"""A client of a Foxglove server."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Generator
from typing import Any

from websockets.sync.client import connect
from websockets.typing import Subprotocol

PATIENCE = 60.0
PAUSE = 0.05


def messages_of_foxglove(
    port: int, meanwhile: Callable[[], object] = lambda: None
) -> Generator[tuple[dict[str, Any], int, bytes], None, None]:
    """Channel, stamp [ns] and data of each message, for a client that subscribes to everything; `meanwhile` is called
    while there is none.

    Protocol: foxglove/ws-protocol, version 1."""
    channels: dict[int, dict[str, Any]] = {}
    kind = Subprotocol("foxglove.sdk.v1")
    with connect(f"ws://127.0.0.1:{port}", subprotocols=[kind], open_timeout=PATIENCE, max_size=None) as connection:
        while True:
            try:
                received = connection.recv(timeout=PAUSE)
            except TimeoutError:
                meanwhile()
                continue
            if isinstance(received, bytes) and received[0] == 1:
                number, stamp = struct.unpack("<IQ", received[1:13])
                yield channels[number], stamp, received[13:]
            elif isinstance(received, str) and (message := json.loads(received))["op"] == "advertise":
                channels |= {channel["id"]: channel for channel in message["channels"]}
                wanted = [{"id": channel["id"], "channelId": channel["id"]} for channel in message["channels"]]
                connection.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
