"""Standard streams of a command: a fault of standard output is distinguished from any other, and one of standard error
stops nothing."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUTPUT, ERROR = 1, 2


class StandardOutputError(Exception):
    """Standard output does not take what is written to it; `number` is the errno. (No OSError: libraries answer to
    those in ways of their own.)"""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.number = error.errno


class _Output(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise StandardOutputError(error) from error


class _Error(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        """Where nothing can be printed, the exit code says it."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def open_streams() -> None:
    """Streams of our own for standard output and error.

    Who closed one of them (`>&-`) must not find it opened again as some file: its place is taken, so that writing data
    fails as it should and remarks go nowhere.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == ERROR else os.O_RDONLY)  # takes the lowest number that is free
    sys.stdout = _text(_Output(OUTPUT, "w", closefd=False), sys.stdout, "strict")
    sys.stderr = _text(_Error(ERROR, "w", closefd=False), sys.stderr, "backslashreplace")


def _text(raw: io.FileIO, before: TextIO | None, errors: str) -> TextIO:
    encoding = before.encoding if before is not None else "utf-8"
    errors = (before.errors if before is not None else None) or errors
    at_once = raw.isatty() or raw.fileno() == ERROR
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=at_once)


def discard_output() -> None:
    """What is still in the buffer is lost; at the interpreter's end it must not fail again."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, OUTPUT)
    os.close(nothing)
