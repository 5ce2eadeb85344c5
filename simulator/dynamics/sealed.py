"""Files of compiled code: written whole or not at all, and read only where every byte is as it was written.

A loss of power leaves files empty, cut short or full of zeros; what is in them is run as machine code, so each begins
with its checksum.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"simulator kernel 1\n"
UNFINISHED = ".part"
"""The end of names of files that are being written."""
_DIGEST = hashlib.sha256().digest_size


class DamagedError(Exception):
    """A file that is not as it was written."""


def write_sealed(path: Path, content: bytes) -> None:
    """Put a file into place in one go, its folder made where there is none. Raises OSError, and then leaves nothing
    behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{uuid4().hex[:12]}{UNFINISHED}")
    try:
        with unfinished.open("xb") as file:
            file.write(MAGIC + hashlib.sha256(content).digest() + content)
            file.flush()
            os.fsync(file.fileno())  # else the name may be on disk before what it names
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def read_sealed(path: Path) -> bytes | None:
    """What was written; None where there is no such file or it may not be read. Raises DamagedError for anything
    else."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + _DIGEST
    if found[: len(MAGIC)] != MAGIC or hashlib.sha256(found[start:]).digest() != found[len(MAGIC) : start]:
        raise DamagedError(f"{path} is not as it was written")
    return found[start:]


def is_sealed(path: Path) -> bool:
    """Whether there is such a file and all of it is there."""
    try:
        return read_sealed(path) is not None
    except DamagedError:
        return False
