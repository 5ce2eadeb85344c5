"""The newest rows of a simulation that runs, for a stream."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.session.run.client import SimulationClient
    from simulator.session.stream.viewers import Stream

AT_ONCE = 100
"""Most rows that are sent at once; of more, an even selection is sent that includes the newest."""


class Streamer:
    """Sends the rows of `client` to a stream of its channels, each once."""

    def __init__(self, stream: Stream, client: SimulationClient) -> None:
        self.client = client
        self._stream = stream
        self._sent = -math.inf

    def send_new(self, until: float) -> int:
        """Send rows that were recorded since the last call, up to time `until` [s]; returns how many. After a reset or
        a step back it continues from there."""
        if until < self._sent:
            self._sent = -math.inf
        since = self._sent if math.isfinite(self._sent) else until
        times, values = self.client.trace(range(len(self.client.channels)), since)
        new = np.flatnonzero((times > self._sent) & (times <= until))
        if not len(new):
            return 0
        chosen = new[np.unique(np.linspace(len(new) - 1, 0, min(len(new), AT_ONCE)).astype(int))]
        self._sent = float(times[new[-1]])
        self._stream.write_rows(values[chosen])
        return len(chosen)

    def close(self) -> str:
        """End the stream; returns a remark if it did not take all."""
        return self._stream.close()
