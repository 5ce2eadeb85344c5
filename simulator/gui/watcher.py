"""Notices when the document on show, or a file that it includes, changes on disk; also if an editor replaces the file
by another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer, pyqtSignal

from simulator.formats.files import read_regular
from simulator.records import dataclass

DEBOUNCE = 200
"""Editors write in several steps; the files are compared this long after the last of them [ms]."""

LARGEST = 8_000_000
"""Longer files are compared by length and time of writing only [bytes]."""


@dataclass(frozen=True)
class _Content:
    """`stamp`: length and time of writing; a file with the same stamp is not read again."""

    stamp: tuple[int, int]
    digest: bytes


class DocumentWatcher(QObject):
    """Watches files and their folders; `changed` carries the first of them whose content is another one."""

    changed = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[Path, _Content | None] = {}
        self._watcher = QFileSystemWatcher()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE)
        self._timer.timeout.connect(self._compare)
        self._watcher.fileChanged.connect(lambda _path: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _path: self._timer.start())

    @property
    def files(self) -> tuple[Path, ...]:
        """What is watched."""
        return tuple(self._known)

    def watch(self, path: Path | None, others: Iterable[Path] = ()) -> None:
        """Watch that file, and those that it is made of, from now on, as they are now."""
        old = (*self._watcher.files(), *self._watcher.directories())
        if old:
            self._watcher.removePaths(old)
        self._timer.stop()
        paths = dict.fromkeys((path, *others)) if path is not None else {}
        self._known = {file: _content(file, None) for file in paths}
        there = [file for file, content in self._known.items() if content is not None]
        if there:
            folders = {str(file.resolve().parent) for file in there}
            self._watcher.addPaths([*(str(file) for file in there), *sorted(folders)])

    def _compare(self) -> None:
        watched = set(self._watcher.files())
        first: Path | None = None
        for file, before in self._known.items():
            now = _content(file, before)
            if now is None:
                continue  # away while an editor replaces it, or for good
            if str(file) not in watched:
                self._watcher.addPath(str(file))
            self._known[file] = now
            if before is None or now.digest != before.digest:
                first = first or file
        if first is not None:
            self.changed.emit(first)


def _content(path: Path, before: _Content | None) -> _Content | None:
    try:
        stat = path.stat()
        stamp = (stat.st_size, stat.st_mtime_ns)
        if before is not None and before.stamp == stamp:
            return before
        if stat.st_size > LARGEST:
            return _Content(stamp, repr(stamp).encode())
        return _Content(stamp, hashlib.sha256(read_regular(path, LARGEST)).digest())
    except OSError:
        return None
