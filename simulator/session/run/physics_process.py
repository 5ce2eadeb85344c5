"""The process of the physics, which may be started before there is a document: it loads its libraries
and kernels while the window loads its own."""

from __future__ import annotations

import multiprocessing
import signal
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.session.run.waiting import wait_for_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.session.run.job import Job

END_PATIENCE = 1.0
"""Seconds in which the process may end by itself."""


class PhysicsProcess:
    """A process and the pipe to it: a `Job` goes there first, then numbered commands; messages come back."""

    def __init__(self) -> None:
        """Start it. It loads what every simulation needs, then waits for its job."""
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=wait_for_job, args=(far,), name="simulator physics", daemon=True)
        with _interrupts_held_back():
            self.process.start()
        far.close()

    def give(self, job: Job) -> None:
        """Send the job. A process that has ended is noticed at the next access to the pipe."""
        with suppress(OSError):
            self.pipe.send(job)

    @property
    def is_usable(self) -> bool:
        """Whether it runs: neither ended nor suspended."""
        return self.process.is_alive() and not self.is_stopped

    @property
    def is_stopped(self) -> bool:
        """Whether a signal or a debugger holds it: its state in proc(5) is T or t."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8", errors="replace")
            return stat.rpartition(")")[2].split()[0] in "Tt"
        except (OSError, IndexError):
            return False

    def end(self) -> None:
        """Ask it to end, and kill it if it does not; free its resources."""
        with suppress(OSError, ValueError):
            self.pipe.send(None)
        self.process.join(END_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()
        self.process.close()


class Spare:
    """A process that is started beforehand, for the first simulation; later ones start their own."""

    def __init__(self) -> None:
        """Start it."""
        self._waiting: PhysicsProcess | None = PhysicsProcess()

    def take(self) -> PhysicsProcess:
        """The process that waits; a new one if it is taken or does not run."""
        taken = self._waiting
        self._waiting = None
        if taken is not None and taken.is_usable:
            return taken
        if taken is not None:
            taken.end()
        return PhysicsProcess()

    def close(self) -> None:
        """End the process if it is still unused: it has nothing to put away, and may not have begun to listen."""
        if self._waiting is not None:
            self._waiting.process.kill()
            self._waiting.end()
            self._waiting = None


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """A terminal signals all its processes, and the window ends this one: children inherit Ctrl-C and the hangup
    blocked, before their first line could ignore them. The parent receives signals that arrive meanwhile
    afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield  # Windows, where the window is a separate console process
        return
    resource_tracker.ensure_running()  # multiprocessing would otherwise start it first and reset the mask
    sent = [number for number in signal.Signals if number.name in ("SIGINT", "SIGHUP")]  # not every system has both
    before = signal.pthread_sigmask(signal.SIG_BLOCK, sent)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
