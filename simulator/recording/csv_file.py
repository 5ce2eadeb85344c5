"""Recordings as CSV: the columns of the channels, 17 significant digits, a decimal point whatever the locale."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from simulator.recording.channels import Channel


class CsvWriter:
    """Writes rows as they come, so that a run that ends early leaves everything up to there.

    Raises UsageError where the file cannot be written.
    """

    def __init__(self, path: Path, channels: Iterable[Channel]) -> None:
        self._path = path
        with self._told():
            self._file: TextIO = path.open("w", encoding="utf-8", newline="\n")
        self._file.write(",".join(_quoted(channel.name) for channel in channels) + "\n")

    def write(self, row: NDArray[np.float64]) -> None:
        """Append one sample."""
        with self._told():
            self._file.write(",".join([f"{value:.17g}" for value in row.tolist()]) + "\n")

    def close(self) -> None:
        """Flush and close."""
        with self._told():
            self._file.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(f"cannot write {self._path}: {error.strerror}") from error

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
