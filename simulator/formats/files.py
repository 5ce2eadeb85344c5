"""The door: every file that a document leads to is opened here, and none elsewhere. Regular files of a bounded size,
nothing else.

What a document says about the size of a file counts nowhere; what the system says of the opened file does. A `Budget`
adds up what one document leads to.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import field
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILES = 5000
"""Files that one document may lead to."""
MAX_BYTES = 256 * 2**20
"""Bytes that they may have together; those of pictures count when they are drawn."""
MAX_TRIANGLES = 3_000_000
"""Triangles of all meshes of a document, each file, scale and part of it counted once."""
MAX_ELEMENTS = 100_000
"""Elements and attributes of a document and of all that its includes bring, counted before anything is made of them: a
document is read and judged in two seconds of processor. The largest public one, the 3 003 shapes of Gazebo's examples,
has 86 000 and takes most of that."""
MAX_PARTS = 7_000
"""Models, links, joints and frames of a document, with those of its includes, each of which counts as three: it is
looked for in every folder. Each part takes a fifth of a millisecond. The same document has 6 007."""
MEBIBYTE = 2**20


class RefusedError(OSError):
    """A file that is there and is not read: a pipe, one that is too large, or one too many. `strerror` says why in
    words."""


class BudgetError(RefusedError):
    """A file beyond what a document may lead to."""


@dataclass
class Budget:
    """What one document has led to so far. Each method raises BudgetError beyond its limit."""

    files: int = 0
    bytes: int = 0
    triangles: int = 0
    elements: int = 0
    parts: int = 0
    _met: set[object] = field(default_factory=set)

    def take_file(self, size: int) -> None:
        """Count a file that is about to be read."""
        self.files += 1
        self.bytes += size
        if self.files > MAX_FILES:
            raise _beyond(f"the document leads to more than {MAX_FILES} files")
        if self.bytes > MAX_BYTES:
            raise _beyond(f"the files that the document leads to are together larger than {MAX_BYTES // MEBIBYTE} MiB")

    def take_triangles(self, count: int) -> None:
        """Count triangles of a mesh."""
        self.triangles += count
        if self.triangles > MAX_TRIANGLES:
            raise _beyond(f"the meshes of the document have together more than {MAX_TRIANGLES:,} triangles")

    def take_elements(self, count: int) -> None:
        """Count elements and attributes, before they are made."""
        self.elements += count
        if self.elements > MAX_ELEMENTS:
            raise _beyond(
                f"the document has more than {MAX_ELEMENTS:,} elements and attributes, with all that it includes"
            )

    def take_parts(self, count: int) -> None:
        """Count models, links, joints and frames, before they are looked into."""
        self.parts += count
        if self.parts > MAX_PARTS:
            raise _beyond(
                f"the document has more than {MAX_PARTS:,} models, links, joints and frames, with all that it includes"
            )

    def is_new(self, thing: object) -> bool:
        """Whether this is the first request for it."""
        new = thing not in self._met
        self._met.add(thing)
        return new


def _beyond(reason: str) -> BudgetError:
    return BudgetError(errno.EFBIG, reason)


_READING = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):  # not every system has all of them
    _READING |= getattr(os, _flag, 0)


def read_regular(path: str | Path, most: int, budget: Budget | None = None) -> bytes:
    """The bytes of a file of at most `most` bytes. Raises OSError, RefusedError for what is no such file: a pipe or a
    device would wait or never end.

    What is not a file is not even opened, and what was opened is judged again, so that nothing can be put into its
    place in between. No more is read than the system says that there is: files of /proc have no size, and some of them
    never end.
    """
    _judge(os.stat(path), path, most)
    descriptor = os.open(path, _READING)
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        _judge(found, path, most)
        if budget is not None:
            budget.take_file(found.st_size)
        return stream.read(found.st_size) or b""


def read_head(path: str | Path, most: int) -> bytes:
    """The first `most` bytes of a regular file of any size. Raises OSError as `read_regular` does."""
    _judge(os.stat(path), path, None)
    descriptor = os.open(path, _READING)
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        _judge(found, path, None)
        return stream.read(min(most, found.st_size)) or b""


def read_named(path: str | Path, most: int) -> bytes:
    """As `read_regular`, for the file that the user names, who may mean a pipe: `simulator check <(…)`."""
    with open(path, "rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise _too_large(path, most)
    return data


def regular_size(path: str | Path, most: int) -> int:
    """The size of a file [bytes]. Raises what `read_regular` would raise, as far as can be known without opening it."""
    found = os.stat(path)
    _judge(found, path, most)
    return found.st_size


def is_regular(path: str | Path, most: int) -> bool:
    """Whether `read_regular` would read the file, as far as can be known without opening it."""
    try:
        regular_size(path, most)
    except (OSError, ValueError):
        return False
    return True


def _judge(found: os.stat_result, path: str | Path, most: int | None) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise RefusedError(errno.EINVAL, "it is a device or a pipe", str(path))
    if most is not None and found.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str | Path, most: int) -> RefusedError:
    return RefusedError(errno.EFBIG, f"it is larger than {size_text(most)}", str(path))


def size_text(size: int) -> str:
    """A number of bytes for a message."""
    return f"{size // MEBIBYTE} MiB" if size >= MEBIBYTE else f"{size} bytes"
