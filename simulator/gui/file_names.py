"""File dialogs. Each kind of file begins in the folder of the last file of its kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QFileDialog

from simulator.session.save.document_edit import is_ours

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

    from simulator.gui.preferences import Preferences


class Folders:
    """By the kind of file the folder of the last one, kept in preferences where there are any."""

    def __init__(self) -> None:
        self._preferences: Preferences | None = None

    def keep_in(self, preferences: Preferences) -> None:
        """Take and keep them there from now on."""
        self._preferences = preferences

    def of(self, kind: str, beside: Path | None = None) -> Path:
        """The folder to begin in: the last one of its kind that is still there, else that of a document the user owns,
        else the working directory."""
        kept = self._preferences.folder_of(kind) if self._preferences is not None else None
        if kept is not None and kept.is_dir():
            return kept
        return beside.parent if beside is not None and beside.parent.is_dir() and not is_ours(beside) else Path.cwd()

    def note(self, kind: str, folder: Path) -> None:
        """A file of that kind was chosen there."""
        if self._preferences is not None:
            self._preferences.set_folder_of(kind, folder)


FOLDERS = Folders()
"""Those of the program: dialogs are opened from many places, and the user is one."""


def ask_existing(parent: QWidget, kind: str, title: str, pattern: str, beside: Path | None = None) -> Path | None:
    """A file to read; None where the user changed their mind. `beside`: the document on show."""
    name, _ = QFileDialog.getOpenFileName(parent, title, str(FOLDERS.of(kind, beside)), pattern)
    return _noted(kind, name)


def ask_target(
    parent: QWidget, kind: str, title: str, pattern: str, proposal: str, beside: Path | None = None
) -> Path | None:
    """A file to write, `proposal` by name; one without a suffix gets that of the proposal. None where the user changed
    their mind."""
    start = os.path.join(FOLDERS.of(kind, beside), proposal)
    name, _ = QFileDialog.getSaveFileName(parent, title, start, pattern)
    path = _noted(kind, name)
    return path if path is None or path.suffix else path.with_suffix(Path(proposal).suffix)


def ask_folder(parent: QWidget, kind: str, title: str, beside: Path | None = None) -> Path | None:
    """A folder; None where the user changed their mind."""
    name = QFileDialog.getExistingDirectory(parent, title, str(FOLDERS.of(kind, beside)))
    if not name:
        return None
    FOLDERS.note(kind, Path(name))
    return Path(name)


def _noted(kind: str, name: str) -> Path | None:
    if not name:
        return None
    FOLDERS.note(kind, Path(name).absolute().parent)
    return Path(name)
