"""Files of the cache that show whether they are whole: behind the content stands its digest, which neither an ELF
library nor a pickle minds. A disk that was full, or a bit that has turned, must not become wrong figures."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from simulator.native.digest import SIZE, digest


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that others see all of it or nothing."""
    new = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    try:
        new.write_bytes(content + digest(content))
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def read_whole(path: Path) -> bytes | None:
    """The content of a file; None where there is none, or where it is damaged."""
    with suppress(OSError):
        content = path.read_bytes()
        if digest(content[:-SIZE]) == content[-SIZE:]:
            return content[:-SIZE]
    return None
