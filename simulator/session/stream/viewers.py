"""Programs that show a run live, by their names on the command line."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.errors import UsageError
from simulator.session.stream.plotjuggler import ADDRESS as PLOTJUGGLER
from simulator.session.stream.plotjuggler import PlotJugglerStream
from simulator.session.text.addresses import host_and_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array

ADDRESSES = {"foxglove": "127.0.0.1:8765", "rerun": "127.0.0.1:9876", "plotjuggler": PLOTJUGGLER}
"""Where Foxglove connects to, and where the others listen, by default."""
PICTURES_A_SECOND = 100.0
"""Samples that are sent for each second, unless `--every` says otherwise."""
SAME = 1e-3
"""Of the time between samples: far less than a step, and more than rounding."""


class Stream(Protocol):
    """Takes rows while a run is made."""

    @property
    def says(self) -> str:
        """What a user does to see it."""
        ...

    def write_rows(self, rows: Array) -> None:
        """Send samples, shape (n, n_channels)."""
        ...

    def close(self) -> str:
        """Send what waits, and end; returns a remark if that did not succeed."""
        ...


def check_viewer(text: str) -> tuple[str, str, int]:
    """Name, host and port in NAME or NAME=HOST:PORT. Raises UsageError for what is neither."""
    name, equals, address = text.partition("=")
    if name not in ADDRESSES:
        raise UsageError(f"'{name}' is no viewer that runs are sent to: {', '.join(ADDRESSES)}")
    known = ADDRESSES[name]
    return name, *host_and_port(address if equals else known, known, is_free=name == "foxglove")


def stream_to(viewer: str, opened: Opened, channels: Sequence[Channel]) -> Stream:
    """A stream to a viewer, NAME or NAME=HOST:PORT, that has the shapes of the document.

    Raises UsageError for a viewer that does not exist or an address that cannot be used, MissingLibraryError without
    its library.
    """
    name, host, port = check_viewer(viewer)
    if name == "foxglove":
        from simulator.session.stream.foxglove_stream import FoxgloveStream

        return FoxgloveStream(opened, channels, host, port)
    if name == "plotjuggler":
        return PlotJugglerStream(channels, host, port)
    from simulator.session.stream.rerun_stream import RerunStream

    return RerunStream(opened, channels, host, port)


def sampling(dt: float) -> float:
    """Seconds between samples: whole steps of `dt` [s], about `PICTURES_A_SECOND`."""
    return max(round(1.0 / (PICTURES_A_SECOND * dt)), 1) * dt


class RealTime:
    """Keeps a run from being ahead of the clock. A run that is slower than the clock is not made up for later."""

    def __init__(
        self,
        begin: float = 0.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`begin`: the simulated time now [s]."""
        self._sleep, self._clock = sleep, clock
        self._start = clock() - begin

    def wait(self, moment: float) -> None:
        """Until the clock has come to a simulated time [s]."""
        ahead = self._start + moment - self._clock()
        if ahead > 0.0:
            self._sleep(ahead)
        else:
            self._start -= ahead


class Live:
    """A run that a viewer shows while it is made: `take` receives its rows, `wait` the time that it has come to."""

    def __init__(self, stream: Stream, begin: float, every: float) -> None:
        self.wait = RealTime(begin).wait
        self._stream, self._begin, self._every = stream, begin, every

    def take(self, rows: Array) -> None:
        """Show rows of all channels, shape (n, n_channels); of those that are closer together than `every` [s], only
        some."""
        samples = (rows[:, 0] - self._begin) / self._every
        self._stream.write_rows(rows[np.abs(samples - np.round(samples)) < SAME])


@contextmanager
def shown_live(
    viewer: str, opened: Opened, channels: Sequence[Channel], begin: float, every: float, say: Callable[[str], None]
) -> Iterator[Live]:
    """Show a run from `begin` [s] on, a sample `every` [s]. `say`: what a user is to read. Raises the errors of
    `stream_to`."""
    stream = stream_to(viewer, opened, channels)
    say(stream.says)
    try:
        yield Live(stream, begin, every)
    finally:
        say(stream.close())
