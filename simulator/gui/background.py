"""Work that takes too long for the window's own thread: reading a document, the condition of a large mechanism."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

from PyQt6.QtCore import QObject, QTimer

T = TypeVar("T")

LOOK_EVERY = 10
"""How often the window's thread looks whether the work is done [ms]."""
NAME = "simulator background"
"""Of every thread."""
PATIENCE = 5.0
"""Longest wait for unfinished work at the end of the program [s]: reading a large document takes two seconds."""


class Background(QObject, Generic[T]):
    """Runs one piece of work at a time; new work cancels the work before it, whose result is not reported.

    A thread cannot be ended from outside: cancelled work runs to its end, and `discard` receives its result, in that
    thread. Without `threaded` the work is done at once, which makes tests simple.
    """

    def __init__(self, *, threaded: bool = True, discard: Callable[[T], None] | None = None) -> None:
        super().__init__()
        self._threaded, self._discard = threaded, discard
        self._current = object()
        self._lock = threading.Lock()
        self._results: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()
        self._done: Callable[[T | None, Exception | None], None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether work is in progress that has not been cancelled."""
        return self._done is not None

    def start(self, work: Callable[[], T], done: Callable[[T | None, Exception | None], None]) -> None:
        """Do `work` elsewhere; later `done` gets its result or its exception, here."""
        self.cancel()
        self._done = done
        results: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()
        self._results = results  # a queue of its own, so that late results of other work are never taken for these
        if not self._threaded:
            results.put(_outcome(work))
            self._look()
            return
        ticket = self._current
        threading.Thread(target=lambda: self._work(work, results, ticket), name=NAME, daemon=True).start()
        self._timer.start()

    def cancel(self) -> None:
        """Cancel the work in progress."""
        with self._lock:
            self._current = object()
            unheard = None if self._results.empty() or self._done is None else self._results.get()[0]
        if unheard is not None and self._discard is not None:
            self._discard(unheard)
        self._done = None
        self._timer.stop()

    def _work(
        self, work: Callable[[], T], results: SimpleQueue[tuple[T | None, Exception | None]], ticket: object
    ) -> None:
        outcome = _outcome(work)
        with self._lock:
            wanted = ticket is self._current
            if wanted:
                results.put(outcome)
        if not wanted and outcome[0] is not None and self._discard is not None:
            self._discard(outcome[0])

    def _look(self) -> None:
        done = self._done
        if done is None or self._results.empty():
            return
        result, error = self._results.get()
        self.cancel()
        done(result, error)


def background_threads() -> list[threading.Thread]:
    """The threads of all work in progress, cancelled or not."""
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def wait_for_background(patience: float = PATIENCE) -> bool:
    """Wait until all background work is done, at most `patience` [s]; returns whether it is. A thread that still runs
    while the interpreter shuts down can crash it."""
    until = time.monotonic() + patience
    for thread in background_threads():
        thread.join(max(until - time.monotonic(), 0.0))
    return not background_threads()


def _outcome(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    try:
        return work(), None
    except Exception as error:  # reported to the caller of the work
        return None, error
