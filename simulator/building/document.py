"""The text of a document that is edited: reading, running and saving it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from simulator.api.loading import load
from simulator.errors import DocumentError, UsageError
from simulator.formats.editing.tree import EditableTree
from simulator.formats.options import ReadingOptions
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import DocumentEdit, exchange
from simulator.session.save.saving_changes import with_whole_paths

if TYPE_CHECKING:
    import os

    from simulator.api.simulation import Simulation
    from simulator.building.files import DraftFiles
    from simulator.session.open.opening import Opened


class EditedDocument:
    """A document as a tree: a change is one of its elements, and all else stays as it is written."""

    suffix = ".sdf"
    files: DraftFiles

    def __init__(self, data: bytes, path: Path | None) -> None:
        """Raises UsageError where the text is no XML in UTF-8."""
        self.tree = EditableTree(data)
        self.path = path
        self.notes: list[str] = []
        """Figures and warnings of the generator that made it."""
        self._read = data

    def title(self, text: str) -> None:
        """Set the first comment, by which lists of documents call it."""
        self.tree.title(text)

    def to_sdf(self) -> str:
        """The document."""
        return self.tree.data.decode()

    def check(self) -> Opened:
        """Read the document as it is now: its mechanism, and its `diagnostics`."""
        with TemporaryDirectory() as folder:
            path = Path(folder, self.path.name if self.path is not None else f"draft{self.suffix}")
            path.write_text(self.to_sdf(), encoding="utf-8")
            return open_document(path, ReadingOptions(resource_paths=self.files.places))

    def simulate(self, *, solver: str = "rows", dt: float | None = None) -> Simulation:
        """The simulation of the document as it is now: see `simulator.load`, which raises the same."""
        return load(self.to_sdf(), resource_paths=self.files.places, solver=solver, dt=dt)

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the document, and generated meshes beside it. Returns where.

        Without `path` into the file that was opened. Raises UsageError where that has been changed since, or came with
        the program; DocumentError, with every finding, for a document that cannot be simulated.
        """
        opened = self.check()
        errors = [item.message for item in opened.diagnostics if item.is_error]
        if errors:
            raise DocumentError(f"the document cannot be simulated: {errors[0]}", opened.diagnostics)
        target = self.path if path is None else Path(path)
        if target is None:
            raise UsageError("a new document is saved by a path: draft.save('name.sdf')")
        data = self.tree.data
        same = self.path is not None and target.exists() and target.samefile(self.path)
        if same:
            exchange({target: self._read}, {target: data})
        else:
            data = self.moved_to(target.resolve().parent)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            except OSError as error:
                raise UsageError(f"'{target}' cannot be written: {error}") from error
        self.files.save(target.resolve().parent)
        self.files.folder = target.resolve().parent
        self.path = target
        self._read = data
        return target

    def edit_of(self) -> DocumentEdit:
        """What saving would change in the file that was opened, as a change that can be taken back. Raises UsageError
        for a document that was not opened from a file."""
        if self.path is None:
            raise UsageError("a new document has no file yet")
        return DocumentEdit({self.path: self._read}, {self.path: self.tree.data})

    def restore(self, data: bytes) -> None:
        """Take the whole document back to an earlier `tree.data`."""
        self.tree = EditableTree(data)

    def moved_to(self, folder: Path) -> bytes:
        """The document for another folder: what it names from its own is named by whole paths."""
        if self.files.folder == folder:
            return self.tree.data
        text = with_whole_paths(self.to_sdf(), self.files.folder)
        return text.encode()
