"""Memory that the window owns and the physics process writes: the newest snapshot.

It has no name in the file system: however the processes end, the system frees it with the last of them, and a small
/dev/shm (as in containers) is not a limit.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import uuid
from contextlib import suppress
from multiprocessing import reduction
from typing import Protocol

import numpy as np

from simulator.engine.snapshot import Snapshot
from simulator.errors import SimulatorError
from simulator.recording.packing import SnapshotLayout
from simulator.records import dataclass
from simulator.spatial.arrays import Array


class Handle:
    """The number of the memory among the open files; a process that is being started receives it under
    another number. On Windows memory has a `name` instead, which ends with its last user."""

    def __init__(self, number: int, name: str = "") -> None:
        self.number, self.name = number, name

    def __reduce__(self) -> tuple[object, ...]:
        """Only while a process is started."""
        if self.name:
            return Handle, (self.number, self.name)
        return _handed_on, (reduction.DupFd(self.number),)


class _Duplicate(Protocol):
    """A number on its way to another process; `detach` gives the number there."""

    def detach(self) -> int: ...


def _handed_on(duplicate: _Duplicate) -> Handle:
    return Handle(duplicate.detach())


@dataclass(frozen=True)
class SharedShape:
    """Handle and layout of the memory, sent to the physics process."""

    handle: Handle
    layout: SnapshotLayout


class SharedMemory:
    """A sequence number, the count of received statuses, one packed snapshot.

    The writer makes the sequence number odd while it writes; a reader that sees an odd or changed number reads again.
    """

    def __init__(self, shape: SharedShape | None, layout: SnapshotLayout) -> None:
        size = 8 * (2 + layout.size)
        handle = shape.handle if shape is not None else _new_memory(size)
        self.shape = SharedShape(handle, layout)
        self._memory = _mapped(handle, size)
        self._open = True
        numbers: Array = np.frombuffer(self._memory, dtype=np.float64, count=size // 8)
        self._sequence = numbers[:1]
        self._heard = numbers[1:2]
        self._snapshot = numbers[2 : 2 + layout.size]

    @staticmethod
    def create(layout: SnapshotLayout) -> SharedMemory:
        """New memory, owned by the caller."""
        return SharedMemory(None, layout)

    @staticmethod
    def attach(shape: SharedShape) -> SharedMemory:
        """Memory that another process owns."""
        return SharedMemory(shape, shape.layout)

    def write(self, snapshot: Snapshot) -> None:
        """Publish a snapshot."""
        self._sequence[0] += 1.0
        self._snapshot[:] = self.shape.layout.pack(snapshot)
        self._sequence[0] += 1.0

    def read(self) -> Snapshot | None:
        """The newest snapshot; None before the first, or while it is being written."""
        for _ in range(8):
            before = float(self._sequence[0])
            row = self._snapshot.copy()
            if before == float(self._sequence[0]) and before > 0.0 and before % 2.0 == 0.0:
                return self.shape.layout.unpack(row)
        return None

    def acknowledge(self) -> None:
        """Count a status that the reader took out of the pipe."""
        self._heard[0] += 1.0

    def acknowledged(self) -> int:
        """Number of statuses taken: a writer that is far ahead stops sending, because a full pipe would block it."""
        return int(self._heard[0])

    def mend(self) -> None:
        """After a writer died, perhaps in the middle of a snapshot: make the sequence even, and count statuses from
        zero."""
        self._heard[0] = 0.0
        if float(self._sequence[0]) % 2.0 == 1.0:
            self._sequence[0] += 1.0

    def close(self) -> None:
        """Release the memory. Safe to call twice."""
        del self._sequence, self._heard, self._snapshot
        self._sequence, self._heard, self._snapshot = np.zeros(1), np.zeros(1), np.zeros(self.shape.layout.size)
        with suppress(BufferError):
            self._memory.close()
        if self._open and self.shape.handle.number >= 0:
            self._open = False
            os.close(self.shape.handle.number)


def _mapped(handle: Handle, size: int) -> mmap.mmap:
    if sys.platform == "win32":
        return mmap.mmap(-1, size, tagname=handle.name)
    return mmap.mmap(handle.number, size)


def _new_memory(size: int) -> Handle:
    """An open file without a name. Raises SimulatorError if there can be none."""
    if sys.platform == "win32":
        return Handle(-1, f"simulator-{uuid.uuid4()}")
    try:
        number = os.memfd_create("simulator") if hasattr(os, "memfd_create") else _unnamed_file()
        os.ftruncate(number, size)
    except OSError as error:
        raise SimulatorError(f"no memory for the recording, {size / 1e6:.0f} MB: {error.strerror}") from error
    return Handle(number)


def _unnamed_file() -> int:
    """If memory cannot be opened (macOS): a file of the temporary folder that is already unlinked."""
    number, path = tempfile.mkstemp(prefix="simulator-")
    os.unlink(path)
    return number
