"""The file of a session's rows: what was simulated is on disk, whatever becomes of the processes.

A file `NAME.rows` in the user's data folder holds the numbers of a `RowStore`, `NAME.json` beside it what they are. It
grows by a block at a time, up to a budget, and goes when the session ends. What is left of a session that did not end
by itself is found by `leftovers`.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import SimulatorError
from simulator.recording.channels import Channel
from simulator.recording.store import FEWEST, RowStore, StoreShape
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.spatial.arrays import Array


BUDGET, VARIABLE = 1024, "SIMULATOR_RECORDING_MB"
"""Megabytes of a recording at most, and the environment variable that says another number."""
OF_FREE = 0.25
"""Part of the free space of the disk that a recording may take."""
SUFFIX, ABOUT = ".rows", ".json"
NUMBER = 8
"""Bytes."""


@dataclass(frozen=True)
class RecordShape:
    """Where a record is and how it is laid out, for another process."""

    path: str
    store: StoreShape


class RecordFile:
    """A store in a file. Made by `create` or, in another process, by `attach`."""

    def __init__(self, shape: RecordShape) -> None:
        self.shape = shape
        memory: Array = np.memmap(shape.path, dtype=np.float64, mode="r+", shape=(shape.store.size,))
        self.store = RowStore(shape.store, memory, self._reserve)

    @staticmethod
    def create(channels: Sequence[Channel], document: Path, dt: float) -> RecordFile:
        """An empty record of rows of these channels, of steps of `dt` [s].

        Raises SimulatorError where neither the data folder nor the temporary one has room.
        """
        refused: OSError | None = None
        for folder in (home(), Path(tempfile.gettempdir()) / "simulator-recordings"):
            try:
                return _created(folder, channels, document, dt)
            except OSError as error:
                refused = error
        assert refused is not None
        raise SimulatorError(f"there is no room for a recording in '{home()}': {refused.strerror or refused}")

    @staticmethod
    def attach(shape: RecordShape) -> RecordFile:
        """A record that another process has made."""
        return RecordFile(shape)

    def close(self) -> None:
        """Delete the file; a store that is in use elsewhere keeps its numbers until it goes, too."""
        _delete(Path(self.shape.path))

    def _reserve(self, slot: int) -> bool:
        """Make sure that the disk has room for a slot: writing to memory that it has not ends the process."""
        store = self.shape.store
        if slot < FEWEST:  # it has been there from the beginning
            return True
        size = NUMBER * store.block
        begin = NUMBER * (store.start + slot * store.block)
        try:
            with Path(self.shape.path).open("r+b") as file:
                _allocate(file.fileno(), begin, size)
        except OSError:
            return False
        return True


def home() -> Path:
    """The folder of recordings."""
    import platformdirs

    return Path(platformdirs.user_data_path("simulator")) / "recordings"


def budget() -> int:
    """Bytes that a recording may have."""
    try:
        megabytes = float(os.environ.get(VARIABLE, ""))
    except ValueError:
        megabytes = BUDGET
    return round(max(megabytes, 1.0) * (1 << 20))


def _created(folder: Path, channels: Sequence[Channel], document: Path, dt: float) -> RecordFile:
    folder.mkdir(parents=True, exist_ok=True)
    room = min(budget(), int(OF_FREE * shutil.disk_usage(folder).free))
    shape = StoreShape.within(len(channels), room)
    path = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}{SUFFIX}"
    try:
        with path.open("xb") as file:
            file.truncate(NUMBER * shape.size)
            _allocate(file.fileno(), 0, NUMBER * (shape.start + FEWEST * shape.block))
        about = {
            "document": str(document),
            "channels": [[one.name, one.group, one.unit, one.index] for one in channels],
            "dt": dt,
            "rows": shape.rows,
            "blocks": shape.blocks,
            "process": os.getpid(),
            "began": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        path.with_suffix(ABOUT).write_text(json.dumps(about), encoding="utf-8")
    except OSError:
        _delete(path)
        raise
    return RecordFile(RecordShape(str(path), shape))


def _allocate(number: int, begin: int, size: int) -> None:
    """Take space of the disk for a part of an open file. Raises OSError where there is none."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(number, begin, size)
        return
    os.lseek(number, begin, os.SEEK_SET)
    os.write(number, bytes(size))


def _delete(path: Path) -> None:
    for one in (path, path.with_suffix(ABOUT)):
        with suppress(OSError):  # on Windows a file stays as long as it is mapped
            one.unlink()


@dataclass(frozen=True)
class Leftover:
    """What is left of a session that did not end by itself."""

    path: Path
    document: Path
    began: datetime
    dt: float
    channels: tuple[Channel, ...]
    shape: StoreShape

    def store(self) -> RowStore:
        """Its rows."""
        found = RecordFile(RecordShape(str(self.path), self.shape)).store
        found.mend()
        return found

    def delete(self) -> None:
        """Let it go."""
        _delete(self.path)


def leftovers() -> list[Leftover]:
    """The newest first; files that are no recordings, or of a session that is still there, are left alone."""
    found = sorted(_leftovers(), key=lambda one: one.began, reverse=True)
    return [one for one in found if len(one.store())]


def _leftovers() -> Iterator[Leftover]:
    for about in sorted(home().glob(f"*{ABOUT}")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            data: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
            path = about.with_suffix(SUFFIX)
            channels = tuple(Channel(*one) for one in data["channels"])
            shape = StoreShape(len(channels), int(data["rows"]), int(data["blocks"]))
            if not _is_alive(int(data["process"])) and path.stat().st_size == NUMBER * shape.size:
                began = datetime.fromisoformat(data["began"])
                yield Leftover(path, Path(data["document"]), began, float(data["dt"]), channels, shape)


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True  # `os.kill` would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
