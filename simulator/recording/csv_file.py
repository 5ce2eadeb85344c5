"""Recordings as CSV: the columns of the channels, 17 significant digits, a decimal point whatever the locale."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from simulator.diagnostics import printable
from simulator.recording.reporting import writing_to

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from simulator.recording.channels import Channel

BINARY = getattr(os, "O_BINARY", 0)
"""Windows puts a carriage return before each end of a line otherwise."""


class CsvWriter:
    """Hands rows to the system as they come, in one piece: whatever ends the process, the rows before are in the file.

    What finds no room is taken back to the last whole row, so that a file never ends in the middle of one. Raises
    UsageError if the file cannot be written. (A number costs about a microsecond to put into digits, a row two to hand
    over: there is little to gain from a buffer.)
    """

    def __init__(self, path: Path, channels: Iterable[Channel]) -> None:
        self._path = path
        self._whole = 0
        names = [_quoted(printable(channel.name)) for channel in channels]
        self._format = ",".join(["%.17g"] * len(names))
        with writing_to(self._path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o666)
        try:
            self._append(",".join(names))
        except BaseException:
            os.close(self._file)
            raise

    def write(self, row: NDArray[np.float64]) -> None:
        """Append one sample."""
        self.write_rows(row[None])

    def write_rows(self, rows: NDArray[np.float64]) -> None:
        """Append samples, shape (n, n_channels)."""
        if len(rows):
            self._append("\n".join([self._format % tuple(row) for row in rows.tolist()]))

    def _append(self, line: str) -> None:
        content = f"{line}\n".encode()
        written = 0
        try:
            with writing_to(self._path):
                while written < len(content):
                    written += os.write(self._file, content[written:])
        except BaseException:
            self._whole += content.rfind(b"\n", 0, written) + 1
            self._take_back()
            raise
        self._whole += len(content)

    def _take_back(self) -> None:
        """Let the file end with its last whole row; a pipe has no end to move."""
        with suppress(OSError):
            if stat.S_ISREG(os.fstat(self._file).st_mode):
                os.ftruncate(self._file, self._whole)
                os.lseek(self._file, self._whole, os.SEEK_SET)

    def close(self) -> None:
        """Close the file; some disks tell only now that they could not keep what they took."""
        with writing_to(self._path):
            os.close(self._file)

    def __enter__(self) -> CsvWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _quoted(name: str) -> str:
    """A header field; names with a comma or a quote are quoted as RFC 4180 asks."""
    if any(character in name for character in ',"\n'):
        return '"' + name.replace('"', '""') + '"'
    return name
