"""Text for people goes to standard error, data to standard output; exit codes say whose fault it was."""

from __future__ import annotations

import errno
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.cli.streams import StandardOutputError, discard_output
from simulator.diagnostics import printable
from simulator.errors import DocumentError, SimulatorError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.diagnostics import Diagnostic

OK, DOCUMENT_ERRORS, WRONG_USAGE, FAILED = 0, 1, 2, 3


def exit_code_of(error: SimulatorError) -> int:
    """1 for the document, 2 for the usage, 3 for the simulation and everything else."""
    if isinstance(error, DocumentError):
        return DOCUMENT_ERRORS
    if isinstance(error, UsageError):
        return WRONG_USAGE
    return FAILED


def say(text: str) -> None:
    """A line on standard error; names in it cannot make it two, nor talk to the terminal."""
    print(printable(text), file=sys.stderr, flush=True)


def note(text: str) -> None:
    """A remark on standard error; nothing where there is nothing to say."""
    if text:
        say(f"simulator: {text}")


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """One line each on standard error: `file:line: severity[CODE]: message (hint: …)`."""
    for diagnostic in diagnostics:
        say(str(diagnostic))


@contextmanager
def hide_broken_pipe() -> Iterator[None]:
    """A reader that closes early (`| head`) is not a fault; say nothing about it. Raises UsageError if standard output
    is closed or the disk behind it full."""
    try:
        yield
        sys.stdout.flush()
    except StandardOutputError as error:
        discard_output()
        if error.number != errno.EPIPE:
            raise UsageError(f"cannot write standard output: {error}") from error
