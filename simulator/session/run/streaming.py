"""Rows of a recording as JSON over UDP, as PlotJuggler's *UDP Server* reads them: one object for every row, channels by
name and `timestamp` [s]."""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.session.run.client import SimulationClient

ADDRESS = "127.0.0.1:9870"
"""PlotJuggler's default address."""
AT_ONCE = 100
"""Most rows that are sent at once; of more, an even selection is sent that includes the newest."""
LONGEST = 60_000
"""Bytes of a datagram; a row of many channels is divided."""


class Streamer:
    """Sends new rows to `address`, HOST:PORT; no receiver is needed.

    Raises ValueError for an invalid address, OSError for a host that does not exist.
    """

    def __init__(self, address: str = ADDRESS) -> None:
        host, colon, port = address.rpartition(":")
        if not colon or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError(f"'{address}' is not an address; write HOST:PORT, e.g. {ADDRESS}")
        [(family, kind, _, _, to), *_] = socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)
        self._to = to
        self._socket = socket.socket(family, kind)
        self._socket.setblocking(False)
        self._sent = -math.inf

    def send_new(self, client: SimulationClient, until: float) -> int:
        """Send rows that were recorded since the last call, up to time `until` [s]; returns how many. After a reset or
        a step back it continues from there."""
        if until < self._sent:
            self._sent = -math.inf
        names = [channel.name for channel in client.channels]
        since = self._sent if math.isfinite(self._sent) else until
        times, values = client.trace(range(len(names)), since)
        new = np.flatnonzero((times > self._sent) & (times <= until))
        if not len(new):
            return 0
        chosen = new[np.unique(np.linspace(len(new) - 1, 0, min(len(new), AT_ONCE)).astype(int))]
        for row in chosen:
            for message in _messages(float(times[row]), names, values[row].tolist()):
                try:
                    self._socket.sendto(message, self._to)
                except OSError:
                    continue  # no receiver, or the buffer is full: a plot can miss a row
        self._sent = float(times[new[-1]])
        return len(chosen)

    def close(self) -> None:
        """Stop sending."""
        self._socket.close()


def _messages(time: float, names: list[str], values: list[float]) -> Iterator[bytes]:
    """One object, or several with the same time if it would be too long for a datagram."""
    row = {name: value for name, value in zip(names, values, strict=True) if name != "time" and math.isfinite(value)}
    message = json.dumps({"timestamp": time, **row}).encode()
    if len(message) <= LONGEST or len(row) < 2:
        yield message
        return
    half = len(names) // 2
    yield from _messages(time, names[:half], values[:half])
    yield from _messages(time, names[half:], values[half:])
