"""Memory that the window owns and the physics process writes: the newest snapshot and the ring of traces."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import shared_memory

import numpy as np
from numpy.typing import NDArray

from simulator.engine.snapshot import Snapshot
from simulator.recording.packing import SnapshotLayout
from simulator.recording.ring import RingShape, TraceRing

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SharedShape:
    """Name and layout of the memory, sent to the physics process."""

    name: str
    layout: SnapshotLayout
    ring: RingShape


class SharedMemory:
    """A sequence number, the count of statuses heard, one packed snapshot, then the ring.

    The writer makes the sequence number odd while it writes; a reader that met an odd or changed number reads again.
    """

    def __init__(self, shape: SharedShape | None, layout: SnapshotLayout, ring: RingShape) -> None:
        size = 8 * (2 + layout.size + ring.size)
        self._owner = shape is None
        self._memory = (
            shared_memory.SharedMemory(create=True, size=size)
            if shape is None
            else shared_memory.SharedMemory(shape.name)
        )
        self.shape = SharedShape(self._memory.name, layout, ring)
        assert self._memory.buf is not None
        numbers: Array = np.frombuffer(self._memory.buf, dtype=np.float64, count=size // 8)
        self._sequence, self._heard, self._snapshot = numbers[:1], numbers[1:2], numbers[2 : 2 + layout.size]
        self.ring = TraceRing(ring, numbers[2 + layout.size :])

    @staticmethod
    def create(layout: SnapshotLayout, ring: RingShape) -> SharedMemory:
        """New memory, owned by the caller."""
        return SharedMemory(None, layout, ring)

    @staticmethod
    def attach(shape: SharedShape) -> SharedMemory:
        """Memory that another process owns."""
        return SharedMemory(shape, shape.layout, shape.ring)

    def write(self, snapshot: Snapshot) -> None:
        """Publish a snapshot."""
        self._sequence[0] += 1.0
        self._snapshot[:] = self.shape.layout.pack(snapshot)
        self._sequence[0] += 1.0

    def read(self) -> Snapshot | None:
        """The newest snapshot; None before the first, or while it is just being written."""
        for _ in range(8):
            before = float(self._sequence[0])
            row = self._snapshot.copy()
            if before == float(self._sequence[0]) and before > 0.0 and before % 2.0 == 0.0:
                return self.shape.layout.unpack(row)
        return None

    def hear(self) -> None:
        """The reader took one status out of the pipe."""
        self._heard[0] += 1.0

    def heard(self) -> int:
        """How many it took: a writer that is far ahead stops sending, for a full pipe would hold physics up."""
        return int(self._heard[0])

    def mend(self) -> None:
        """After a writer died, perhaps in the middle of a snapshot: make the sequence even, and count statuses from the start."""
        self._heard[0] = 0.0
        if float(self._sequence[0]) % 2.0 == 1.0:
            self._sequence[0] += 1.0

    def close(self) -> None:
        """Let go of the memory; its owner also frees it. Safe to call twice."""
        del self._sequence, self._heard, self._snapshot, self.ring
        self._sequence, self._heard, self._snapshot = np.zeros(1), np.zeros(1), np.zeros(self.shape.layout.size)
        self.ring = TraceRing(RingShape(16, self.shape.ring.columns))
        with suppress(BufferError):
            self._memory.close()
        if self._owner:
            self._owner = False
            with suppress(FileNotFoundError):
                self._memory.unlink()
