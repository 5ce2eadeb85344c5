"""The first compilation takes half a minute: it is announced before, and timed."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.dynamics.jit import is_cached, is_compiling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST_KERNEL = "step_kernels.advance"


def tell_on_stderr(text: str) -> None:
    """Where nothing else is said: a line on standard error."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


@contextmanager
def announced_compilation(announce: Callable[[str], None], kernel: str = LARGEST_KERNEL) -> Iterator[None]:
    """Around the first use of `kernel` (`module.function`); says nothing where compiled code is on disk."""
    folder = Path(__file__).parent
    if not is_compiling() or is_cached(folder, kernel):
        yield
        return
    announce("compiling the dynamics kernels, once for this version (half a minute or so) …")
    started = time.perf_counter()
    yield
    kept = ", kept on disk for the next time" if is_cached(folder, kernel) else ""
    announce(f"… compiled in {time.perf_counter() - started:.0f} s{kept}")
