"""The law of the selected follower, to be changed live and saved; or the laws of the followers of the selected
leader."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from simulator.errors import SimulatorError
from simulator.gui.fields import label
from simulator.gui.inspector.curve_editor import CurveEditor
from simulator.gui.inspector.law_editor import LawEditor
from simulator.gui.laws import book_text, short_names, written_law
from simulator.gui.panels.panel import clear_layout, column_layout
from simulator.gui.selection import Item, ItemKind
from simulator.mechanism.book_law import combined_laws
from simulator.session.save.saving import save_laws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.gui.current_laws import CurrentLaws
    from simulator.gui.live import LiveSession
    from simulator.gui.relations import Relations
    from simulator.gui.selection import Selection
    from simulator.gui.units import Units
    from simulator.session.commands.commands import SetCoupling
    from simulator.session.run.client import Status

MOST = 12
"""Followers of a leader that are listed."""


class LawSection(QWidget):
    """The law of a selected follower, and the followers of a selected leader; can be saved into the document."""

    def __init__(self, live: LiveSession, selection: Selection, units: Units) -> None:
        super().__init__()
        self._live = live
        self._selection = selection
        self.units = units
        self.editor: LawEditor | CurveEditor | None = None
        self._coupling = -1
        self._shown: Sequence[int] = ()
        self._item: Item | None = None
        self.law, self.together, self.message = label("", "law"), label("", "muted"), label("", "muted")
        self.save = QPushButton(self.tr("Save into the document"))
        self._editors, self._followers = QVBoxLayout(), QVBoxLayout()
        self._arrange()
        self.save.clicked.connect(lambda _checked=False: self._save())
        live.laws_changed.connect(self._show_laws)
        live.ticked.connect(lambda _snapshot, status: self._on_status(status))

    def show_item(self, item: Item | None) -> str:
        """The law of another item. Gives what the section is called: empty where there is none."""
        relations = self._live.relations
        self._drop()
        if item != self._item:  # after a reload what was saved is still said
            self._say("")
        self._item = item
        if item is None or relations is None or item.kind is ItemKind.MODEL:
            return ""
        axes = relations.axes_of(item)
        own = axes[:1] if item.kind is ItemKind.COUPLING else axes
        numbers = [relations.coupling_numbers[axis] for axis in own if axis in relations.coupling_numbers]
        if numbers:
            self._shown = numbers[:1]
            self._edit(relations, numbers[0])
            return self.tr("Law")
        led = [number for number, law in enumerate(relations.mechanism.couplings) if law.leader in own]
        self._shown = led
        self._list(relations, led)
        return self.tr("Leads") if led else ""

    def rows(self) -> list[tuple[str, object, str]]:
        """The laws on show as they are now, each with its numbers in SI units."""
        laws = self._live.laws
        if laws is None:
            return []
        mechanism = laws.now()
        found = list[tuple[str, object, str]]()
        names = short_names(mechanism.axes)
        for number in self._shown:
            law = mechanism.couplings[number]
            follower = mechanism.axes[law.follower]
            found.append((follower.name, written_law(law, names), ""))
            if law.curve is not None:
                continue
            for axis, multiplier in law.leaders:
                leader = mechanism.axes[axis]
                unit = "1" if leader.unit == follower.unit else f"{follower.unit}/{leader.unit}"
                found.append((f"{follower.name}: multiplier of {leader.name}", multiplier, unit))
            found.append((f"{follower.name}: constant", law.constant, follower.unit))
        return found

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        if self.editor is not None:
            self.editor.set_units(units)

    def _edit(self, relations: Relations, number: int) -> None:
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return
        self._coupling = number
        document, axes = opened.mechanism.couplings[number], relations.mechanism.axes
        if document.curve is not None:
            self.editor = CurveEditor(number, document, axes)
        else:
            self.editor = LawEditor(number, document, axes, self.units)
        self.editor.commanded.connect(self._send)
        self.editor.show_law(laws.coupling(number))
        self._editors.addWidget(self.editor)
        self.law.show()
        self.save.show()
        self._show_texts(laws)

    def _list(self, relations: Relations, led: list[int]) -> None:
        """Laws of followers; a click selects one."""
        mechanism = relations.mechanism
        names = short_names(mechanism.axes)
        for number in led[:MOST]:
            law = mechanism.couplings[number]
            button = QPushButton(written_law(law, names).replace("&", "&&"))
            button.setProperty("role", "link")
            item = Item(ItemKind.COUPLING, mechanism.axes[law.follower].name)
            button.clicked.connect(partial(lambda item, _checked=False: self._selection.select(item), item))
            self._followers.addWidget(button)
        if len(led) > MOST:
            self._followers.addWidget(label(self.tr("and {n} more").format(n=len(led) - MOST), "muted"))

    def _show_texts(self, laws: CurrentLaws) -> None:
        mechanism = laws.now()
        names = short_names(mechanism.axes)
        law = mechanism.couplings[self._coupling]
        self.law.setText(written_law(law, names))
        about = combined_laws(mechanism.couplings)
        texts = dict.fromkeys(
            book_text(found, names) for found in about if law.follower in dict((*found.left, *found.right))
        )
        self.together.setText(self.tr("it follows that {laws}").format(laws="; ".join(texts)) if texts else "")
        self.together.setVisible(bool(texts))
        self.save.setEnabled(bool(laws.changes))

    def _send(self, command: SetCoupling) -> None:
        if self.editor is not None:
            self.editor.sent(self._live.send(command))
        self._say("")

    def _drop(self) -> None:
        self._coupling = -1
        self._shown = ()
        self.editor = None
        for layout in (self._editors, self._followers):
            clear_layout(layout)
        for part in (self.law, self.together, self.save):
            part.hide()

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _show_laws(self, laws: CurrentLaws) -> None:
        if self.editor is not None:
            self.editor.show_law(laws.coupling(self._coupling))
            self._show_texts(laws)

    def _on_status(self, status: Status) -> None:
        if self.editor is not None:
            self.editor.on_status(status)

    def _save(self) -> None:
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return
        try:
            edit = save_laws(opened, laws.now())
        except SimulatorError as error:
            self._say(str(error))
            return
        self._live.edited(edit, self.tr("Saving of laws"))
        self._say(self.tr("Saved into {files}.").format(files=", ".join(file.name for file in edit.files)))

    def _arrange(self) -> None:
        column = column_layout(self, spacing=7)
        column.setContentsMargins(12, 2, 12, 10)
        for text in (self.law, self.together, self.message):
            text.setWordWrap(True)
        column.addWidget(self.law)
        column.addWidget(self.together)
        column.addLayout(self._editors)
        column.addLayout(self._followers)
        column.addWidget(self.save)
        column.addWidget(self.message)
        self.save.setToolTip(self.tr("Write the changed numbers into the file, and nothing else"))
