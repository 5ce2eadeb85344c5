"""The writer of a recording, by the ending of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from simulator.recording.csv_file import CsvWriter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array

MCAP = ".mcap"
"""The ending of MCAP files."""


class RowWriter(Protocol):
    """A file that takes rows, and is closed at the end of its `with`."""

    def write_rows(self, rows: Array) -> None:
        """Append samples, shape (n, n_channels)."""
        ...

    def __enter__(self) -> RowWriter: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def writer_of(path: Path, channels: Iterable[Channel], mechanism: Mechanism) -> RowWriter:
    """MCAP for `.mcap`, else CSV.

    Raises UsageError if the file cannot be written, MissingLibraryError for MCAP without the extra `mcap`.
    """
    if path.suffix.lower() == MCAP:
        from simulator.recording.mcap_file import McapWriter

        return McapWriter(path, channels, mechanism)
    return CsvWriter(path, channels)
