"""Ctrl-C, SIGTERM and SIGHUP while there is something to save: the command ends in order, with the exit code that
shells expect."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
"""What shells give a command that Ctrl-C ended: 128 and the number of the signal."""
SIGNALS = tuple(signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__)
"""Windows has no SIGHUP."""
PATIENCE = 1.0
"""Seconds after a signal in which others add nothing to it: a session that ends sends several."""


class Interruption:
    """What asked a command to end, if anything did."""

    def __init__(self) -> None:
        self._signal = 0
        self._since = 0.0
        self._held = False

    @property
    def exit_code(self) -> int:
        """Of a command that ended early."""
        return 128 + self._signal if self._signal else INTERRUPTED

    @property
    def story(self) -> str:
        """How it ended, e.g. `interrupted` or `ended by SIGTERM`."""
        other = self._signal not in (0, signal.SIGINT)
        return f"ended by {signal.Signals(self._signal).name}" if other else "interrupted"

    def __call__(self, number: int, _frame: object) -> None:
        """Take a signal."""
        now = time.monotonic()
        first = not self._signal
        if not first and now - self._since < PATIENCE:
            return
        self._signal = self._signal or number
        self._since = now
        if not (first and self._held):  # who asks again does not want to wait for what holds
            raise KeyboardInterrupt

    @contextmanager
    def in_one_piece(self) -> Iterator[None]:
        """What a signal does not break off in the middle: it waits for the end of it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._signal:
            raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Let signals raise KeyboardInterrupt: from here on there is something to save. Who started us deaf to a hang-up
    (nohup) is obeyed."""
    interruption = Interruption()
    wanted = [one for one in SIGNALS if one is signal.SIGINT or signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, interruption) for one in wanted}
    try:
        yield interruption
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
