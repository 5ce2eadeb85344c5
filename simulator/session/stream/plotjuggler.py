"""Rows of a recording as JSON over UDP, as PlotJuggler's *UDP Server* reads them: one object for every row, channels by
name and `timestamp` [s]."""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.session.text.addresses import host_and_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.recording.channels import Channel
    from simulator.session.run.client import SimulationClient
    from simulator.spatial.arrays import Array

ADDRESS = "127.0.0.1:9870"
"""PlotJuggler's default address."""
AT_ONCE = 100
"""Most rows that are sent at once; of more, an even selection is sent that includes the newest."""
LONGEST = 60_000
"""Bytes of a datagram; a row of many channels is divided."""


class PlotJugglerStream:
    """Sends rows of `channels`; no receiver is needed. Raises UsageError for a host that does not exist."""

    def __init__(self, channels: Sequence[Channel], host: str, port: int) -> None:
        self._names = [channel.name for channel in channels]
        self._rows = _Rows(host, port)
        self.says = f"sends to PlotJuggler: Streaming ▸ UDP Server, port {port}, JSON"

    def write_rows(self, rows: Array) -> None:
        """Send samples, shape (n, n_channels), or an even selection of many."""
        self._rows.send(self._names, rows[:, 0], rows)

    def close(self) -> str:
        """Stop sending."""
        self._rows.close()
        return ""


class Streamer:
    """Sends new rows of a simulation that runs to `address`, HOST:PORT; no receiver is needed.

    Raises UsageError for an address that is none, or a host that does not exist.
    """

    def __init__(self, address: str = ADDRESS) -> None:
        self._rows = _Rows(*host_and_port(address, ADDRESS))
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
        self._sent = float(times[new[-1]])
        return self._rows.send(names, times[new], values[new])

    def close(self) -> None:
        """Stop sending."""
        self._rows.close()


class _Rows:
    """A socket that sends rows to one address."""

    def __init__(self, host: str, port: int) -> None:
        try:
            [(family, kind, _, _, to), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise UsageError(f"there is no host '{host}': {error.strerror or error}") from None
        self._to = to
        self._socket = socket.socket(family, kind)
        self._socket.setblocking(False)

    def send(self, names: Sequence[str], times: Array, values: Array) -> int:
        """Send rows, shape (n, n_channels), at most `AT_ONCE`; returns how many."""
        chosen = np.unique(np.linspace(len(times) - 1, 0, min(len(times), AT_ONCE)).astype(int))
        for row in chosen:
            for message in _messages(float(times[row]), names, values[row].tolist()):
                try:
                    self._socket.sendto(message, self._to)
                except OSError:
                    continue  # no receiver, or the buffer is full: a plot can miss a row
        return len(chosen)

    def close(self) -> None:
        self._socket.close()


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
