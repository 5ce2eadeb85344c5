"""Text for people goes to standard error, data to standard output; exit codes say whose fault it was."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.errors import DocumentError, SimulatorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.diagnostics import Diagnostic

OK, DOCUMENT_ERRORS, WRONG_USAGE, FAILED = 0, 1, 2, 3
INTERRUPTED = 130
"""What shells give a command that Ctrl-C ended."""


def exit_code_of(error: SimulatorError) -> int:
    """1 for the document, 2 for the usage, 3 for the simulation and everything else."""
    if isinstance(error, DocumentError):
        return DOCUMENT_ERRORS
    if isinstance(error, UsageError):
        return WRONG_USAGE
    return FAILED


def note(text: str) -> None:
    """A remark on standard error; nothing where there is nothing to say."""
    if text:
        print(f"simulator: {text}", file=sys.stderr)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """One line each on standard error: `file:line: severity[CODE]: message (hint: …)`."""
    for diagnostic in diagnostics:
        print(diagnostic, file=sys.stderr)


@contextmanager
def hide_broken_pipe() -> Iterator[None]:
    """A reader that closes early (`| head`) is no fault; say nothing about it. Raises UsageError where the disk is full."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        # What is still in the buffer is lost; at the interpreter's end it must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.ENOSPC:
            raise UsageError(f"cannot write standard output: {error.strerror}") from error


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt: from here on there is something to save."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
