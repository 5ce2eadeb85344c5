"""The file of a session's rows: what was simulated is on disk, whatever becomes of the processes.

A file `NAME.rows` in the user's data folder holds the numbers of a `RowStore`, `NAME.json` beside it what they are. It
grows by a block at a time, up to a budget. When the session ends it stays as one of the newest few, which `recent`
finds; what is left of a session that did not end by itself is found by `leftovers`.
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
KEPT, LEAST = 10, 1.0
"""Recordings of ended sessions that stay, and the time that they have at least [s]; all together take no more than
`budget`."""
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

    def close(self, *, keep: bool = False) -> None:
        """Delete the file; a store that is in use elsewhere keeps its numbers until it goes, too. With `keep` its rows
        stay in a file of their size, as the newest of `recent`, if they are of `LEAST` or more."""
        path = Path(self.shape.path)
        if keep:
            with suppress(OSError, ValueError):  # a disk without room keeps less
                self._keep(path)
        _delete(path)

    def _keep(self, path: Path) -> None:
        self.store.mend()
        first, last = self.store.span()
        if not last - first >= LEAST:
            return
        about = json.loads(path.with_suffix(ABOUT).read_text(encoding="utf-8"))
        shape = StoreShape(self.shape.store.columns, len(self.store), 1)
        target = path.with_name(f"kept-{path.name}")
        with target.open("xb") as file:
            file.truncate(NUMBER * shape.size)
            _allocate(file.fileno(), 0, NUMBER * shape.size)
        kept = RecordFile(RecordShape(str(target), shape)).store
        for rows in self.store.chunks():
            kept.extend(rows)
        ended = datetime.now(timezone.utc).isoformat()
        about.update(rows=shape.rows, blocks=shape.blocks, ended=ended)
        target.with_suffix(ABOUT).write_text(json.dumps(about), encoding="utf-8")
        _forget_oldest()

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
            "document": str(document.absolute()),
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


def _forget_oldest() -> None:
    """Delete what is more than stays."""
    room = budget()
    for number, one in enumerate(recent()):
        room -= one.path.stat().st_size
        if number >= KEPT or room < 0:
            one.delete()


@dataclass(frozen=True)
class StoredRecord:
    """The recording of another session; `ended` is None for one that did not end by itself."""

    path: Path
    document: Path
    began: datetime
    dt: float
    channels: tuple[Channel, ...]
    shape: StoreShape
    ended: datetime | None = None

    def store(self) -> RowStore:
        """Its rows."""
        found = RecordFile(RecordShape(str(self.path), self.shape)).store
        found.mend()
        return found

    def delete(self) -> None:
        """Let it go."""
        _delete(self.path)


def leftovers() -> list[StoredRecord]:
    """Those of sessions that did not end by themselves, the newest first; files that are no recordings, or of a session
    that is still there, are left alone."""
    found = sorted((one for one in _stored() if one.ended is None), key=lambda one: one.began, reverse=True)
    return [one for one in found if len(one.store())]


def recent() -> list[StoredRecord]:
    """Those of sessions that have ended, the newest first."""
    found = [(one.ended, one) for one in _stored() if one.ended is not None]
    return [one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _stored() -> Iterator[StoredRecord]:
    for about in sorted(home().glob(f"*{ABOUT}")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            data: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
            path = about.with_suffix(SUFFIX)
            channels = tuple(Channel(*one) for one in data["channels"])
            shape = StoreShape(len(channels), int(data["rows"]), int(data["blocks"]))
            ended = datetime.fromisoformat(data["ended"]) if "ended" in data else None
            is_over = ended is not None or not _is_alive(int(data["process"]))
            if is_over and path.stat().st_size == NUMBER * shape.size:
                began = datetime.fromisoformat(data["began"])
                yield StoredRecord(path, Path(data["document"]), began, float(data["dt"]), channels, shape, ended)


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
