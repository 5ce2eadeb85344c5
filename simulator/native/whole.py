"""Files of the cache that show whether they are whole: behind the content stands its SHA-256, which neither an ELF
library nor a pickle minds. A disk that was full, or a bit that has turned, must not become wrong figures."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

LENGTH = hashlib.sha256().digest_size


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that others see all of it or nothing."""
    new = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    try:
        new.write_bytes(content + hashlib.sha256(content).digest())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def read_whole(path: Path) -> bytes | None:
    """The content of a file; None where there is none, or where it is damaged."""
    with suppress(OSError):
        content = path.read_bytes()
        if hashlib.sha256(content[:-LENGTH]).digest() == content[-LENGTH:]:
            return content[:-LENGTH]
    return None
