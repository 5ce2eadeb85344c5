"""Unexpected exceptions: one line for a fault of the machine, a traceback for a fault of the program, each with
its exit code."""

from __future__ import annotations

import errno
import traceback

from simulator.cli.interruption import INTERRUPTED
from simulator.cli.output import FAILED, note

LEAST_MEMORY = 600_000_000
"""Bytes of address space below which numerical libraries hang or abort while they are loaded, before they could report
why."""
SHORT_OF_MEMORY = ("failed to map segment", "Cannot allocate memory", "std::bad_alloc")


def require_memory() -> None:
    """Raise MemoryError if so little address space is allowed (`ulimit -v`) that nothing could be loaded."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= allowed < LEAST_MEMORY:
        raise MemoryError(
            f"only {allowed / 1e6:.0f} MB of memory are allowed (`ulimit -v`), and {LEAST_MEMORY / 1e6:.0f} MB are "
            "needed at least"
        )


def report_fault(error: BaseException) -> int:
    """Say what went wrong; returns the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, SystemExit):
        note(f"{_place(error)} asked this program to end (exit code {error.code}), and is not part of it")
    elif _is_memory(error):
        note(str(error) if isinstance(error, MemoryError) and error.args else "there is not enough memory for this")
    elif isinstance(error, ImportError):
        note(f"a part of this program cannot be loaded: {error}")
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        note(f"{where}{error.strerror or error} (in {_place(error)})")
    else:
        traceback.print_exception(error)
        note("this is a fault of the program, not of the document")
    return FAILED


def _is_memory(error: BaseException | None) -> bool:
    """Whether memory was short, also where a library says something else about it."""
    if error is None:
        return False
    short = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
    told = isinstance(error, ImportError | OSError) and any(text in str(error) for text in SHORT_OF_MEMORY)
    return short or told or _is_memory(error.__cause__ or error.__context__)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "something"
