"""Passes messages to a relay and its states to all who listen, in one thread.

A message that waits longer than `LAG` because newer ones arrive faster than states are computed is received without an
answer of its own, so that the relay stays at the present however fast it is fed.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol

from simulator.diagnostics import counted
from simulator.session.relay.joint_state import MessageError, sample_of, sample_of_text
from simulator.session.relay.relay import Relayed
from simulator.session.relay.remarks import Remark
from simulator.session.relay.text import line_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.session.relay.joint_state import JointSample
    from simulator.session.relay.relay import Relay

LAG = 0.05
"""Seconds that a message may wait to be answered by a state of its own."""
MOST_WAITING = 10_000
"""Messages that wait at most; the oldest are dropped."""


class Outlet(Protocol):
    """Where states are sent to."""

    def send(self, found: Relayed, line: Callable[[], bytes]) -> None:
        """Send a state; `line` gives the same as JSON."""

    def answer(self, remark: Remark) -> None:
        """Send a remark on a message from there that cannot be used."""


class Hub:
    """Of one relay and one event loop: `outlets` may be added and removed at any time, in the loop's thread."""

    def __init__(self, relay: Relay, timeout: float) -> None:
        self.relay = relay
        self.outlets: list[Outlet] = []
        self.states = 0
        self.held = 0
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[float, JointSample]] = deque(maxlen=MOST_WAITING)
        self._skipped = 0
        self._is_working = False
        self._said_late = False
        self._watch = asyncio.create_task(self._watch_for_silence(timeout / 4.0))

    def receive(self, message: object, sender: Outlet) -> None:
        """A message from a client, a line of JSON or an object."""
        try:
            sample = sample_of_text(message) if isinstance(message, bytes) else sample_of(message)
        except MessageError as error:
            sender.answer(error.remark)
            return
        self._skipped += len(self._waiting) == MOST_WAITING
        self._waiting.append((time.monotonic(), sample))
        if not self._is_working:
            self._is_working = True
            self._loop.call_soon(self._work)

    def receive_from_thread(self, message: object, sender: Outlet) -> None:
        """The same, from another thread."""
        self._in_loop(lambda: self.receive(message, sender))

    def _in_loop(self, action: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(action)

    def _work(self) -> None:
        """Answer one message, then let the loop read and send."""
        try:
            self.relay.take(self._waiting.popleft()[1])
            while self._waiting and time.monotonic() - self._waiting[0][0] > LAG:
                self._skipped += 1
                self.relay.take(self._waiting.popleft()[1])
            self._send()
        finally:  # whatever happens to one message, the next one is answered
            self._is_working = bool(self._waiting)
            if self._is_working:
                self._loop.call_soon(self._work)

    def _send(self) -> None:
        found = self.relay.solve()
        if self._skipped:
            what = f"{counted(self._skipped, 'message')} that newer ones followed had no state of their own"
            found = Relayed(found.motion, found.is_held, (*found.remarks, Remark("BEHIND", what)))
            self._skipped = 0
        self._said_late = any(remark.code == "LATE" for remark in found.remarks)
        self.states += 1
        self.held += found.is_held
        line = cache(partial(line_of, found, self.relay))  # for all outlets that send it
        for outlet in tuple(self.outlets):
            outlet.send(found, line)

    async def _watch_for_silence(self, pause: float) -> None:
        """Say once that joints are late; until they are received again, nothing is sent."""
        while True:
            await asyncio.sleep(pause)
            if self.relay.is_late and not self._said_late and not self._waiting:
                self._send()

    def close(self) -> None:
        """Stop."""
        self._watch.cancel()
