"""Libraries when they are needed: loaded where they are there, made where they are not, and Python until then.

Where numba is installed (extra `compile`), a process of its own makes a library that is missing, in a minute or two for
each version of the program. A call of a kernel waits for that, unless `make_in_background` was called: then kernels run
as Python until the library is there, and as machine code from then on.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.native.library import FMU, PAGE, PARTS, Library, host, mode, read, read_fmus, read_wasm
from simulator.native.sources import PACKAGE
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Listener = Callable[["Making"], None]

MOTION = PARTS[0]
"""Every mechanism needs it."""
LATER = 10
"""How nice a process is to others that makes what nothing waits for."""
EVERY = 3.0
"""Seconds between lines where there is nothing better than lines."""
PURPOSE = {"motion": "kernels", "contacts": "kernels of contacts", "sweeps": "kernels of the analysis",
           PAGE: "kernels for browsers", FMU: "kernels for FMUs"}  # fmt: skip


@dataclass(frozen=True)
class Making:
    """How far libraries are that are being made: `percent` of the work for `part`, `seconds` after the start."""

    part: str = "motion"
    percent: int = 0
    seconds: float = 0.0
    finished: bool = False

    def __str__(self) -> str:
        what = PURPOSE[self.part]
        if self.finished:
            return f"… {what} made ready in {self.seconds:.0f} s, kept on disk for the next time"
        return f"making {what} ready, once for this version: {self.percent} %"


def report_on_stderr(making: Making) -> None:
    """A line of a terminal that changes, a line every few seconds elsewhere."""
    global _said  # noqa: PLW0603 (when the last line was written)
    with suppress(OSError):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{making}", end="\n" if making.finished else "", file=sys.stderr, flush=True)
        elif making.finished or making.seconds == 0.0 or making.seconds - _said >= EVERY:
            _said = making.seconds
            print(making, file=sys.stderr, flush=True)


_said = 0.0
_loaded: dict[str, Library | None] = {}
_lock = threading.Lock()
_listener: ContextVar[Listener] = ContextVar("listener", default=report_on_stderr)
_background: BackgroundBuild | None = None


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report to `listener` the progress of libraries that are made because this thread needs them."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def needed(part: str) -> Library | None:
    """The library of a part; None where its kernels run as Python."""
    try:
        return _loaded[part]
    except KeyError:
        with _lock:
            if part not in _loaded:
                _loaded[part] = _found(part)
    return _loaded[part]


def wasm() -> bytes | None:
    """The kernels for browsers, which are made where they are missing and numba and zig are installed; None where they
    cannot be had."""
    return _hosted(PAGE, read_wasm)


def fmus() -> dict[str, bytes]:
    """The binaries of FMUs by their targets: of this system, made as for `wasm`, and of others that have been built."""
    _hosted(FMU, lambda: read_fmus().get(host()))
    return read_fmus()


def _hosted(part: str, read: Callable[[], bytes | None]) -> bytes | None:
    found = read()
    if found is None and _can_make():
        failure = make(part, _listener.get())
        found = read()
        if found is None:
            _say(f"{PURPOSE[part]} cannot be made ({failure})")
    return found


def _found(part: str) -> Library | None:
    if mode() == "python":
        return None
    library = read(part)
    if library is None and _background is None and _can_make():
        failure = make(part, _listener.get())
        library = read(part)
        if library is None:
            _say_that_none_can_be_made(failure)
    return library


def _can_make() -> bool:
    if importlib.util.find_spec("numba") is not None:
        return True
    _say(
        "kernels have not been compiled for this system, and numba, which could do that, is not installed (pip install "
        "simulator[compile]); they run as Python, hundreds of times slower"
    )
    return False


def described() -> list[str]:
    """For each part what its kernels run as, in a line."""
    found = {part: None if mode() == "python" else read(part) for part in PARTS}
    other = "Python" if mode() == "python" or importlib.util.find_spec("numba") is None else "made when it is needed"
    return [
        f"{PURPOSE[part]}: {other if library is None else f'{library.path} ({library.level})'}"
        for part, library in found.items()
    ]


def make(part: str, listener: Listener, *, nice: int = 0) -> str:
    """Make a library by a process of its own, which is so `nice` to others; returns what went wrong, or nothing."""
    started = time.perf_counter()
    last = Making(part)
    listener(last)
    command = [sys.executable, "-m", "simulator.native.build", "--progress", "--nice", str(nice), "--parts", part]
    command += ["--target", "wasm32"] if part == PAGE else []
    paths = os.pathsep.join(filter(None, (str(PACKAGE.parent), os.environ.get("PYTHONPATH", ""))))
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            last = replace(Making(**json.loads(line)), seconds=time.perf_counter() - started)
            listener(last)
        said = process.stderr.read().strip().splitlines()
    if process.returncode == 0:
        listener(replace(last, seconds=time.perf_counter() - started, finished=True))
    return "" if process.returncode == 0 else (said[-1] if said else f"exit {process.returncode}")


class BackgroundBuild:
    """Libraries that a thread builds while the program runs."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._percent = dict.fromkeys(parts, 0)
        threading.Thread(target=self._make, name="simulator kernels", daemon=True).start()

    @property
    def making(self) -> Making | None:
        """How far the first library is that kernels wait for, running as Python; None where none does."""
        waiting = (part for part, percent in self._percent.items() if percent < 100 and _is_waited_for(part))
        return next((Making(part, self._percent[part]) for part in waiting), None)

    def _make(self) -> None:
        left = [*self._percent]
        while left:
            part = next((one for one in left if one == MOTION or _is_waited_for(one)), None)
            nice = 0 if part else LATER
            part = part or left[0]
            left.remove(part)
            failure = make(part, self._take, nice=nice)
            if failure:
                self._percent.clear()
                _say_that_none_can_be_made(failure)
                return

    def _take(self, making: Making) -> None:
        if making.percent == 100 and self._percent[making.part] < 100:
            _loaded[making.part] = read(making.part)
        self._percent[making.part] = making.percent


def _is_waited_for(part: str) -> bool:
    """Whether kernels of a part have been called, and run as Python."""
    return _loaded.get(part, True) is None


def make_in_background() -> BackgroundBuild | None:
    """Make all libraries that are missing while kernels run as Python; None where nothing is missing, or nothing can be
    made. Once in a process."""
    global _background  # noqa: PLW0603 (one for the process)
    if _background is None and mode() != "python":
        found = {part: read(part) for part in PARTS if part not in _loaded}
        _loaded.update({part: library for part, library in found.items() if library is not None})
        missing = [part for part, library in found.items() if library is None]
        if missing and _can_make():
            _background = BackgroundBuild(missing)
    return _background


def _say_that_none_can_be_made(failure: str) -> None:
    _say(f"kernels cannot be compiled ({failure}); they run as Python, hundreds of times slower")


def _say(text: str) -> None:
    with suppress(OSError):
        print(f"simulator: {text}", file=sys.stderr, flush=True)
