"""Tells when the document on show changes on disk, also where an editor replaces the file instead of writing into it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer, pyqtSignal

DEBOUNCE = 200
"""Editors write in several steps; the file is compared this long after the last of them [ms]."""


class DocumentWatcher(QObject):
    """Watches the file and its folder; `changed` is emitted when the content is another one."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._path: Path | None = None
        self._digest = b""
        self._watcher = QFileSystemWatcher()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE)
        self._timer.timeout.connect(self._compare)
        self._watcher.fileChanged.connect(lambda _path: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _path: self._timer.start())

    def watch(self, path: Path | None) -> None:
        """Watch that file from now on, as it is now."""
        for old in (*self._watcher.files(), *self._watcher.directories()):
            self._watcher.removePath(old)
        self._timer.stop()
        self._path, self._digest = path, _digest(path)
        if path is not None and path.exists():
            self._watcher.addPath(str(path))
            self._watcher.addPath(str(path.resolve().parent))

    def _compare(self) -> None:
        path = self._path
        if path is None or not path.exists():
            return
        if str(path) not in self._watcher.files():
            self._watcher.addPath(str(path))
        digest = _digest(path)
        if digest and digest != self._digest:
            self._digest = digest
            self.changed.emit()


def _digest(path: Path | None) -> bytes:
    if path is None:
        return b""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b""
