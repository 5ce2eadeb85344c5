"""PyBullet without its greeting: the import prints a line that would end up among a command's data."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def _silenced() -> Iterator[None]:
    """Point the process' standard output and error at nothing, C's buffers included."""
    flush = ctypes.CDLL(None).fflush if os.name == "posix" else ctypes.cdll.msvcrt.fflush
    sys.stdout.flush()
    sys.stderr.flush()
    flush(None)
    saved = os.dup(1), os.dup(2)
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        try:
            yield
        finally:
            flush(None)
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            os.close(saved[0])
            os.close(saved[1])


if "pybullet" in sys.modules:
    import pybullet
else:
    with _silenced():
        import pybullet

__all__ = ["pybullet"]
