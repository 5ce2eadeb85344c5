"""Shows and saves changes of a document, and asks before they are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QObject
from PyQt6.QtWidgets import QMainWindow, QMessageBox

from simulator.errors import SimulatorError
from simulator.gui.fields import shown, tip
from simulator.gui.file_names import ask_target
from simulator.gui.saved import say_saved
from simulator.session.save.document_edit import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from PyQt6.QtGui import QCloseEvent

    from simulator.gui.actions import Actions
    from simulator.gui.live import LiveSession

BUTTON = QMessageBox.StandardButton


class DocumentSaving(QObject):
    """Marks the title of the window, writes changes into the document or a copy of it, and asks before unsaved changes
    are lost. `asks`: whether to ask at all, which a window without a user cannot. `open_copy` opens a copy that was
    written in place of its document, without a question about changes: they are in it."""

    def __init__(self, window: QMainWindow, live: LiveSession, open_copy: Callable[[Path], object]) -> None:
        super().__init__(window)
        self._window = window
        self._live = live
        self._open_copy = open_copy
        self.asks = False
        live.ticked.connect(lambda *_: self._mark())

    def connect(self, actions: Actions) -> None:
        """What the File menu does with the document."""
        actions.connect("gallery", self._close_document)
        actions.connect("reload", self._live.reload)
        actions.connect("save_document", self.save)
        actions.connect("save_as", self.save_as)

    def _mark(self) -> None:
        """The title has a mark while there are changes. Qt would write it anew in every picture."""
        if self.is_changed != self._window.isWindowModified():
            self._window.setWindowModified(self.is_changed)

    def _close_document(self) -> None:
        if self.may_leave():
            self._live.close_document()

    def may_close(self, event: QCloseEvent | None) -> bool:
        """Ask, as `may_leave`, before the window is closed."""
        if self.may_leave():
            return True
        if event is not None:
            event.ignore()
        return False

    @property
    def is_changed(self) -> bool:
        """Whether laws or numbers differ from the document."""
        laws = self._live.laws
        return laws is not None and bool(laws.changes or laws.numbers)

    def save(self) -> bool:
        """Write the changes into the document; into a copy where it came with the program. Whether they were."""
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return False
        if is_ours(opened.path):
            return self.save_as()
        if not self.is_changed:
            return True
        from simulator.session.save.saving_changes import save_changes

        try:
            edit = save_changes(opened, laws.now(), dict(laws.numbers))
        except SimulatorError as error:
            return self._refuse(str(error))
        about = about_shapes(laws.numbers)
        self._live.edited(edit, self.tr("Saving of changes"))
        if about:
            say_saved(self._window, about)
        return True

    def save_as(self) -> bool:
        """Write the document with its changes to another file and open that; returns whether it was written."""
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return False
        kind = f"*{opened.path.suffix}"
        path = ask_target(self._window, "document", self.tr("Save as"), kind, opened.path.name, opened.path)
        if path is None:
            return False
        from simulator.session.save.saving_changes import save_copy

        try:
            save_copy(opened, path, laws.now(), dict(laws.numbers))
        except SimulatorError as error:
            return self._refuse(str(error))
        about = about_shapes(laws.numbers)
        self.forget()
        self._open_copy(path)
        if about:
            say_saved(self._window, about)
        return True

    def may_leave(self) -> bool:
        """Ask what becomes of changes; False where the user wants to stay."""
        opened = self._live.opened
        if not self.asks or not self.is_changed or opened is None:
            return True
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(tip(self.tr("{name} has changes that are not saved.").format(name=shown(opened.path.name))))
        box.setInformativeText(self._listed())
        box.setStandardButtons(BUTTON.Save | BUTTON.Discard | BUTTON.Cancel)
        if is_ours(opened.path):
            save = box.button(BUTTON.Save)
            assert save is not None
            save.setText(self.tr("Save as…"))
        box.setDefaultButton(BUTTON.Save)
        answer = box.exec()
        if answer == BUTTON.Save:
            return self.save()
        return bool(answer == BUTTON.Discard)

    def forget(self) -> None:
        """Note that the changes have been saved elsewhere."""
        self._window.setWindowModified(False)

    def _listed(self) -> str:
        """What was changed, at most some of it."""
        laws = self._live.laws
        assert laws is not None
        axes = laws.mechanism.axes
        names = [
            axes[laws.mechanism.couplings[index].follower].name for index in (law.coupling for law in laws.changes)
        ]
        names = [*(self.tr("law of {name}").format(name=name) for name in names), *(name for name, _ in laws.numbers)]
        more = self.tr(" and {n} more").format(n=len(names) - MOST) if len(names) > MOST else ""
        return tip(self.tr("Changed: {names}").format(names=", ".join(names[:MOST]) + more))

    def _refuse(self, why: str) -> bool:
        QMessageBox.warning(self._window, self.tr("Not saved"), tip(why))
        return False


MOST = 6
"""Names that a question lists."""


def about_shapes(numbers: Sequence[tuple[str, float]]) -> str:
    """What is said when lengths are saved: what does not follow them."""
    from simulator.session.save.saving_lengths import LENGTH

    links = [name.removesuffix(LENGTH).rpartition("::")[2] for name, _ in numbers if name.endswith(LENGTH)]
    text = QCoreApplication.translate("DocumentSaving", "{links}: drawn at the saved length. Mass, inertia and "
                                      "the shapes that touch are as they were.")  # fmt: skip
    return text.format(links=", ".join(links)) if links else ""
