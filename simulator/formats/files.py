"""The door through which files that a document or a mesh file names are opened: regular files of a bounded size, nothing else."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def read_regular(path: str | Path, most: int) -> bytes:
    """The bytes of a file of at most `most` bytes. Raises OSError for anything else: a pipe or a device would wait or never end.

    The file is judged after it has been opened, so that nothing can be put into its place in between.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is a folder, a device or a pipe", str(path))
        if found.st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most // 2**20} MiB", str(path))
        return stream.read(most)


def is_regular(path: str | Path, most: int) -> bool:
    """Whether `read_regular` would read the file, as far as can be told without opening it."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= most
