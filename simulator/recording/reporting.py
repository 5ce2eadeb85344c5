"""What a disk refuses, in words."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing_to(path: Path | str) -> Iterator[None]:
    """Raise UsageError with the path where the system refuses to write."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
