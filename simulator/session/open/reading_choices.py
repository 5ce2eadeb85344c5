"""Choices of reading that a user makes while the program runs, beside those of the command line."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from simulator.formats.options import STANDARD, ReadingOptions
from simulator.records import dataclass
from simulator.session.open.opening import open_document

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import Diagnostic
    from simulator.session.open.opening import Opened

FALLS, HELD = "BASE_FALLS", "BASE_HELD"
EMPTY_MODEL = "MODEL_WITHOUT_LINK"
"""The finding about a sheet on which nothing is drawn yet."""


@dataclass
class ReadingChoices:
    """`options` are those of the command line. `folders` are searched after theirs for files of documents. `held`:
    whether the base of a falling robot is fixed, by the absolute path of the document for which that was answered."""

    options: ReadingOptions = STANDARD
    folders: tuple[Path, ...] = ()
    held: dict[Path, bool] = field(default_factory=dict)

    def options_for(self, path: Path) -> ReadingOptions:
        """The options for reading a document."""
        folders = (*self.options.resource_paths, *self.folders)
        hold_base = self.held.get(path.absolute(), self.options.hold_base)
        return replace(self.options, resource_paths=folders, hold_base=hold_base)

    def read(self, path: Path) -> Opened:
        """The document, read as chosen. Never raises for errors in it."""
        return open_document(path, self.options_for(path))

    def question(self, opened: Opened) -> Diagnostic | None:
        """The finding that a base falls, before the choice."""
        if opened.path.absolute() in self.held or opened.has_errors:
            return None
        return next((finding for finding in opened.diagnostics if finding.code == FALLS), None)

    def add_folder(self, folder: Path) -> bool:
        """Search another folder from now on. Returns whether it is a new one."""
        folder = folder.resolve()
        if folder in self.folders:
            return False
        self.folders = (*self.folders, folder)
        return True

    def remove_folder(self, folder: Path) -> None:
        """Do not search that folder any more."""
        self.folders = tuple(kept for kept in self.folders if kept != folder)
