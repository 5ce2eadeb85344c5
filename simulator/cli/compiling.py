"""The compilation of kernels on the way to a simulation: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.dynamics.compiled.announce import EVERY, Compilation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def compilation_shown() -> Iterator[Callable[[Compilation], None]]:
    """Gives what hears of the compilation; bar and lines are over afterwards, whatever happens meanwhile."""
    show: Bar | Lines = Bar() if sys.stderr.isatty() else Lines()
    try:
        yield show
    finally:
        show.stop()


class Lines:
    """A line every few seconds, also while a single kernel takes longer than that."""

    def __init__(self, every: float = EVERY) -> None:
        self._every, self._over = every, threading.Event()
        self._last, self._heard = Compilation(0, 0), 0.0
        self._thread = threading.Thread(target=self._go_on, name="simulator compilation", daemon=True)

    def __call__(self, compilation: Compilation) -> None:
        """Hear how far it is."""
        self._last, self._heard = compilation, time.monotonic()
        if compilation.finished:
            self.stop()
            _say(str(compilation))
        elif not self._thread.is_alive() and not self._over.is_set():
            _say(str(compilation))
            self._thread.start()

    def stop(self) -> None:
        """Say nothing more."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _go_on(self) -> None:
        while not self._over.wait(self._every):
            now = replace(self._last, seconds=self._last.seconds + time.monotonic() - self._heard)
            _say(f"{now} {now.seconds:.0f} s")


class Bar:
    """A bar that goes on while there is something to compile, and then a line that says how long it took."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("compiling"),
            BarColumn(),
            TextColumn("{task.completed} of {task.total} dynamics kernels, once for this version"),
            TimeElapsedColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=None)

    def __call__(self, compilation: Compilation) -> None:
        """Hear how far it is."""
        if compilation.finished:
            self.stop()
            _say(str(compilation))
        else:
            self._bar.start()
            self._bar.console.show_cursor()  # which nobody would bring back after Ctrl-C
            self._bar.update(self._task, completed=compilation.done, total=compilation.total)

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()


def _say(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)
