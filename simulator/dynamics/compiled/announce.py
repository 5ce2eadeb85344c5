"""The first compilation takes minutes: it is announced before, told while it goes on, and timed."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from numba.core.dispatcher import Dispatcher

from simulator.dynamics.compile_times import minutes_text
from simulator.dynamics.jit import is_cached, is_compiling
from simulator.dynamics.stored_kernels import has_listener, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST_KERNEL = "step_kernels.advance"
EVERY = 3.0
"""Seconds between lines where there is nothing better than lines."""


@dataclass(frozen=True)
class Compilation:
    """How far the compilation of kernels is: `done` of `total`, `seconds` after its start, `before` [s] when that was
    told last.

    `finished`: it is over, where a kernel or two may never have been needed; `kept`: on disk, so that it was once for
    this version.
    """

    done: int
    total: int
    seconds: float = 0.0
    before: float = 0.0
    finished: bool = False
    kept: bool = False

    def __str__(self) -> str:
        if self.finished:
            return f"… compiled in {self.seconds:.0f} s{', kept on disk for the next time' if self.kept else ''}"
        left = minutes_text(self.total - self.done)
        return f"compiling {self.done} of {self.total} dynamics kernels, once for this version ({left} to go) …"

    def is_due(self, every: float) -> bool:
        """Whether one who wants to hear every so many seconds should be told: first, last, and when that time has
        passed."""
        return self.finished or self.seconds == 0.0 or int(self.seconds / every) > int(self.before / every)


def report_on_stderr(compilation: Compilation) -> None:
    """Where nothing else shows it: a line on standard error every few seconds."""
    if compilation.is_due(EVERY):
        with suppress(OSError):
            print(compilation, file=sys.stderr, flush=True)


@contextmanager
def announced_compilation(
    announce: Callable[[Compilation], None], kernel: str = LARGEST_KERNEL, *, beside: str = __file__
) -> Iterator[None]:
    """Around the first use of `kernel` (`module.function`, the module in the folder of the file `beside`): `announce`
    hears of each kernel. Says nothing where compiled code is on disk, and inside of another that is announced."""
    module, _, name = kernel.partition(".")
    source = Path(beside).with_name(f"{module}.py")
    if not is_compiling() or is_cached(source, name) or has_listener():
        yield
        return
    started, told = time.perf_counter(), Compilation(*kernels_ready())
    announce(told)

    def report() -> None:
        nonlocal told
        done, total = kernels_ready()
        told = replace(told, done=done, total=total, seconds=time.perf_counter() - started, before=told.seconds)
        announce(told)

    with listening(report):
        yield
    announce(replace(told, seconds=time.perf_counter() - started, finished=True, kept=is_cached(source, name)))


def kernels_ready() -> tuple[int, int]:
    """How many kernels of this folder are compiled, and how many there are in the modules that are loaded."""
    kernels = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith(f"{__package__}.")
        for value in vars(module).values()
        if isinstance(value, Dispatcher) and value.__module__ == name and _stands_alone(value)
    ]
    return sum(bool(kernel.overloads) for kernel in kernels), len(kernels)


def _stands_alone(kernel: Dispatcher) -> bool:
    """Others are compiled as a part of those that call them."""
    return bool(kernel.targetoptions.get("inline", "never") == "never")
