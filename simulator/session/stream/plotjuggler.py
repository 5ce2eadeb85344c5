"""Rows of a recording as JSON over UDP, as PlotJuggler's *UDP Server* reads them: one object for every row, channels by
name and `timestamp` [s]."""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING

from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array

ADDRESS = "127.0.0.1:9870"
"""PlotJuggler's default address."""
LONGEST = 60_000
"""Bytes of a datagram; a row of many channels is divided."""


class PlotJugglerStream:
    """Sends rows of `channels`; no receiver is needed. Raises UsageError for a host that does not exist."""

    def __init__(self, channels: Sequence[Channel], host: str, port: int) -> None:
        try:
            [(family, kind, _, _, to), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise UsageError(f"there is no host '{host}': {error.strerror or error}") from None
        self._names = [channel.name for channel in channels]
        self._to = to
        self._socket = socket.socket(family, kind)
        self._socket.setblocking(False)
        self.says = f"sends to PlotJuggler: Streaming ▸ UDP Server, port {port}, JSON"

    def write_rows(self, rows: Array) -> None:
        """Send samples, shape (n, n_channels)."""
        for time, row in zip(rows[:, 0].tolist(), rows.tolist(), strict=True):
            for message in _messages(time, self._names, row):
                try:
                    self._socket.sendto(message, self._to)
                except OSError:
                    continue  # no receiver, or the buffer is full: a plot can miss a row

    def close(self) -> str:
        """Stop sending."""
        self._socket.close()
        return ""


def _messages(time: float, names: Sequence[str], values: Sequence[float]) -> Iterator[bytes]:
    """One object, or several with the same time if it would be too long for a datagram."""
    row = {name: value for name, value in zip(names, values, strict=True) if name != "time" and math.isfinite(value)}
    message = json.dumps({"timestamp": time, **row}).encode()
    if len(message) <= LONGEST or len(row) < 2:
        yield message
        return
    half = len(names) // 2
    yield from _messages(time, names[:half], values[:half])
    yield from _messages(time, names[half:], values[half:])
