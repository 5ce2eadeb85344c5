"""Work on many tasks at once, each in its own process, forked after everything is loaded, so that it costs some
hundredths of a second.

Effects of a task on its process stay there: a crash, an endless loop, all of the memory. Leaving the generator
early, also by Ctrl-C, leaves no process behind; if the program itself is killed, the kernel ends the others.
"""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from simulator.collector import keep_all, let_go
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.process import BaseProcess

Task = TypeVar("Task")
Send = Callable[[dict[str, object]], None]
MEGABYTE = 1 << 20
RAISED = "raised"
"""The key of an unexpected exception."""
FRAMES = "(most recent call first):"
"""Text that faulthandler writes before the lines of a crash."""
C_FRAMES = "Current thread's C stack trace"
"""Text that it writes after them, from Python 3.14 on, before the lines of the interpreter itself."""
DIES_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "out of memory", "Cannot allocate memory")


@dataclass(frozen=True)
class Limits:
    """Limits of one task: `seconds` of wall time; bytes of writable `memory`, without the address space that drivers
    of graphics cards reserve in advance."""

    seconds: float
    memory: int


@dataclass(frozen=True)
class Ended:
    """How a task ended: `how` is "" if it finished, else slow, memory or crashed, `because` of what. `parts`:
    all its messages."""

    parts: dict[str, object]
    how: str = ""
    because: str = ""


@dataclass(eq=False)
class _Running(Generic[Task]):
    task: Task
    process: BaseProcess
    pipe: Connection
    deadline: float
    log: Path
    parts: dict[str, object] = field(default_factory=dict)


def each_in_a_process(
    tasks: Iterable[Task], work: Callable[[Task, Send], None], *, jobs: int, limits: Limits
) -> Iterator[tuple[Task, Ended]]:
    """Call `work(task, send)` for every task, `jobs` at a time; tasks come back in the order in which they end.
    Messages of `work` are merged; the last value of a key counts, also of a task that does not finish."""
    waiting = iter(tasks)
    running: list[_Running[Task]] = []
    keep_all()  # otherwise the collector would touch, and copy, all shared pages
    with tempfile.TemporaryDirectory(prefix="simulator-") as logs:
        try:
            while True:
                _fill(running, waiting, work, jobs, limits, Path(logs))
                if not running:
                    return
                for item, ended in _next_ended(running, limits):
                    running.remove(item)
                    yield item.task, ended
        finally:
            for item in running:
                _kill(item)
            let_go()


def _fill(
    running: list[_Running[Task]],
    waiting: Iterator[Task],
    work: Callable[[Task, Send], None],
    jobs: int,
    limits: Limits,
    logs: Path,
) -> None:
    context = multiprocessing.get_context("fork")
    while len(running) < jobs:
        try:
            task = next(waiting)
        except StopIteration:
            return
        near, far = context.Pipe(duplex=False)
        handle, name = tempfile.mkstemp(dir=logs)
        os.close(handle)
        arguments = (work, task, far, limits, Path(name), os.getpid())
        process = context.Process(target=_live, args=arguments, daemon=True)
        process.start()
        far.close()
        running.append(_Running(task, process, near, time.monotonic() + limits.seconds, Path(name)))


def _next_ended(running: list[_Running[Task]], limits: Limits) -> list[tuple[_Running[Task], Ended]]:
    """Wait until something happens; returns the ended tasks."""
    first = min(item.deadline for item in running)
    ready = wait([item.pipe for item in running], max(first - time.monotonic(), 0.0))
    done: list[tuple[_Running[Task], Ended]] = []
    for item in running:
        if item.pipe in ready and not _receive(item):
            item.process.join()
            done.append((item, _ended(item, limits)))
        elif time.monotonic() >= item.deadline:
            _kill(item)
            done.append((item, Ended(item.parts, "slow", f"ended after {limits.seconds:g} s")))
    for item, _ in done:
        item.pipe.close()
        item.log.unlink()
    return done


def _receive(item: _Running[Task]) -> bool:
    """Receive messages; False after the last."""
    try:
        item.parts.update(item.pipe.recv())
    except (EOFError, OSError):
        return False
    return True


def _ended(item: _Running[Task], limits: Limits) -> Ended:
    code = item.process.exitcode or 0
    raised = str(item.parts.pop(RAISED, ""))
    if code == 0 and not raised:
        return Ended(item.parts)
    said = item.log.read_text(encoding="utf-8", errors="replace")
    if any(mark in text for mark in OUT_OF_MEMORY for text in (said, raised)):
        return Ended(item.parts, "memory", f"needs more than {limits.memory / MEGABYTE:.0f} MB of memory")
    how = f"exit code {code}" if code >= 0 else _signal_name(-code)
    place = crash_place(said)
    return Ended(item.parts, "crashed", raised or f"{how}{f' in {place}' if place else ''}")


def crash_place(said: str) -> str:
    """The innermost line of Python in the output of faulthandler; empty if there is none."""
    python = said.partition(C_FRAMES)[0]
    return python.rpartition(FRAMES)[2].strip().partition("\n")[0] if FRAMES in python else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _kill(item: _Running[Task]) -> None:
    if item.process.pid is not None:
        with suppress(ProcessLookupError, PermissionError):  # it has no group of its own in its first instant
            os.killpg(item.process.pid, signal.SIGKILL)
    item.process.kill()
    item.process.join()


def _live(
    work: Callable[[Task, Send], None], task: Task, pipe: Connection, limits: Limits, log: Path, parent: int
) -> None:
    """The whole life of a process."""
    os.setpgid(0, 0)  # Ctrl-C is for the program, which then ends its processes
    ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        return
    _redirect_output(log)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))

    def send(part: dict[str, object]) -> None:
        pipe.send({**part, "peak_memory_mb": peak_memory() / MEGABYTE})

    try:
        work(task, send)
    except BaseException as error:
        send({RAISED: f"{type(error).__name__}: {error}"})
        raise
    send({})


def _redirect_output(log: Path) -> None:
    """Redirect output, also of C++, which is not part of the survey; its end explains a crash."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
    sys.stdout = sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)
    faulthandler.enable(file=2)


def peak_memory() -> int:
    """Peak memory of this process [bytes], shared pages included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
