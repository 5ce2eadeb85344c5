"""Every relation of the mechanism: mimics, gearboxes, screws, loops and transmissions, with laws that can be changed
and saved."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, pyqtSignal
from PyQt6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from simulator.engine.snapshot import Snapshot
from simulator.errors import SimulatorError
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.docks.law_editor import LawEditor
from simulator.gui.docks.panel import Panel, column_layout, scrolled_column, side_by_side
from simulator.gui.docks.relation_row import Relation, RelationRow
from simulator.gui.fields import label, scaled
from simulator.gui.laws import actuator_law, book_text, distinct_tails, short_names, tail_name
from simulator.gui.live import LiveSession
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.mechanism.book_law import book_law, combined_laws
from simulator.session.client import Status
from simulator.session.commands import SetCoupling
from simulator.session.saving import save_laws

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.session.opening import Opened

RECENT = 10.0
"""The curves show this much [s of simulated time]."""
MOST = 100
"""More relations than this are not listed."""


class RelationsDock(Panel):
    """A list on the left; on the right the law of the chosen one, to be changed while it runs. `saved` is emitted with
    a file that was written."""

    saved = pyqtSignal(object)

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__("relations", QCoreApplication.translate("RelationsDock", "Relations"), "coupling", theme)
        self._live, self._selection, self.units = live, selection, units
        self.rows: list[RelationRow] = []
        self.editor: LawEditor | None = None
        self._chosen: RelationRow | None = None
        self.law, self.together, self.message = label("", "law"), label("", "muted"), label("", "muted")
        self.save = QPushButton(self.tr("Save into the document"))
        self._list, self._detail = scrolled_column(), QVBoxLayout()
        self._arrange()
        self.save.clicked.connect(lambda _checked=False: self._save())
        live.document_changed.connect(self.show_document)
        live.laws_changed.connect(self._show_laws)
        live.ticked.connect(self._on_status)
        theme.changed.connect(self._set_tokens)
        self.show_document(None)

    def show_document(self, opened: Opened | None) -> None:
        """The relations of another mechanism."""
        self.rows, self._chosen = [], None
        self._drop_editor()
        relations = relations_of(opened, self._live.client.channels) if opened and self._live.client else ()
        if not relations:
            self.show_empty(
                self.tr("Mimics, gearboxes, screws, loops and transmissions of an open world are listed here.")
            )
            return
        body = QWidget()
        column = column_layout(body)
        for relation in relations[:MOST]:
            row = RelationRow(relation, self.theme.tokens)
            row.chosen.connect(partial(self._choose, row))
            self.rows.append(row)
            column.addWidget(row)
        if len(relations) > MOST:
            column.addWidget(label(self.tr("and {n} more").format(n=len(relations) - MOST), "muted"))
        column.addStretch(1)
        self._list.setWidget(body)
        self.show_main()
        self._show(self.rows[0])

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Residuals up to the moment on show."""
        client = self._live.client
        if client is None or self.is_empty or self.visibleRegion().isEmpty():
            return
        start = max(snapshot.time - RECENT, 0.0)
        rows = [(row, row.relation.column) for row in self.rows if row.relation.column is not None]
        if not rows:
            return
        times, values = client.trace([column for _, column in rows], start)
        shown = times <= snapshot.time
        for place, (row, _) in enumerate(rows):
            row.show_residual(times[shown], values[shown, place], start, max(snapshot.time, start + 1e-3))

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        if self.editor is not None:
            self.editor.set_units(units)

    def _arrange(self) -> None:
        detail = QWidget()
        column = column_layout(detail, margin=12, spacing=8)
        for text in (self.law, self.together, self.message):
            text.setWordWrap(True)
        column.addWidget(self.law)
        column.addWidget(self.together)
        column.addLayout(self._detail)
        column.addWidget(self.save)
        column.addWidget(self.message)
        column.addStretch(1)
        self.save.setToolTip(self.tr("Writes the numbers that were changed into the file, and nothing else"))
        scroll = scrolled_column()
        scroll.setWidget(detail)
        scroll.setMinimumWidth(scaled(230))
        splitter = side_by_side(self._list, scroll, 640, 320)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 1)
        self.set_main(splitter)

    def _choose(self, row: RelationRow) -> None:
        self._show(row)
        if row.relation.item is not None:
            self._selection.select(row.relation.item)

    def _show(self, row: RelationRow) -> None:
        """Its law on the right."""
        for other in self.rows:
            other.set_selected(other is row)
        self._drop_editor()
        self._chosen, opened, laws = row, self._live.opened, self._live.laws
        index = row.relation.coupling
        if opened is not None and laws is not None and index >= 0:
            mechanism = opened.mechanism
            self.editor = LawEditor(index, mechanism.couplings[index], mechanism.axes, self.units)
            self.editor.commanded.connect(self._send)
            self.editor.show_law(laws.coupling(index))
            self._detail.addWidget(self.editor)
        self._show_texts()

    def _show_texts(self) -> None:
        row, laws = self._chosen, self._live.laws
        if row is None or laws is None:
            return
        self.law.setText(row.law.text())
        mechanism, index = laws.now(), row.relation.coupling
        names = short_names(mechanism.axes)
        about = combined_laws(mechanism.couplings) if index >= 0 else ()
        follower = mechanism.couplings[index].follower if index >= 0 else -1
        texts = dict.fromkeys(book_text(law, names) for law in about if follower in dict((*law.left, *law.right)))
        self.together.setText(self.tr("it follows that {laws}").format(laws="; ".join(texts)) if texts else "")
        self.together.setVisible(bool(texts))
        self.save.setVisible(index >= 0)
        self.save.setEnabled(bool(laws.changes))

    def _send(self, command: SetCoupling) -> None:
        if self.editor is not None:
            self.editor.sent(self._live.send(command))
        self.message.setText("")

    def _drop_editor(self) -> None:
        if self.editor is not None:
            self._detail.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
        self.message.setText("")

    def _show_laws(self, laws: CurrentLaws) -> None:
        mechanism = laws.now()
        names = short_names(mechanism.axes)
        for row in self.rows:
            if row.relation.coupling >= 0:
                row.law.setText(book_text(book_law(mechanism.couplings[row.relation.coupling]), names))
        if self.editor is not None and self._chosen is not None:
            self.editor.show_law(laws.coupling(self._chosen.relation.coupling))
        self._show_texts()

    def _on_status(self, _snapshot: Snapshot | None, status: Status) -> None:
        if self.editor is not None:
            self.editor.on_status(status)

    def _save(self) -> None:
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return
        try:
            edit = save_laws(opened, laws.now())
        except SimulatorError as error:
            self.message.setText(str(error))
            return
        self._live.edited(edit, self.tr("Saving of laws"))
        self.message.setText(self.tr("Saved into {files}.").format(files=", ".join(file.name for file in edit.files)))
        for file in edit.files:
            self.saved.emit(Path(file))

    def _set_tokens(self, tokens: Tokens) -> None:
        for row in self.rows:
            row.curve.set_tokens(tokens)


def relations_of(opened: Opened, channels: tuple[Channel, ...]) -> tuple[Relation, ...]:
    """Couplings, then loops, then transmissions."""
    columns = {(channel.group, channel.index): i for i, channel in enumerate(channels)}
    return (*_couplings(opened.mechanism, columns), *_loops(opened.mechanism, columns), *_transmissions(opened))


def _couplings(mechanism: Mechanism, columns: dict[tuple[str, int], int]) -> list[Relation]:
    names = short_names(mechanism.axes)
    found = []
    for index, coupling in enumerate(mechanism.couplings):
        follower = mechanism.axes[coupling.follower]
        item, column = Item(ItemKind.COUPLING, follower.name), columns.get(("coupling", index))
        law = book_text(book_law(coupling), names)
        found.append(Relation(coupling.kind.value, names[coupling.follower], law, item, index, column, follower.unit))
    return found


def _loops(mechanism: Mechanism, columns: dict[tuple[str, int], int]) -> list[Relation]:
    found = []
    for index, loop in enumerate(mechanism.loop_joints):
        parent, child = (tail_name(mechanism.bodies[body].name) for body in (loop.parent, loop.child))
        name = tail_name(loop.name)
        law = QCoreApplication.translate("RelationsDock", "{name}: {child} on {parent}, {n} equations").format(
            name=name, child=child, parent=parent, n=loop.rows
        )
        item, column = Item(ItemKind.LOOP, loop.name), columns.get(("loop_m", index))
        found.append(Relation("loop", name, law, item, -1, column, "m"))
    return found


def _transmissions(opened: Opened) -> list[Relation]:
    actuators, names = opened.actuators, short_names(opened.mechanism.axes)
    short = distinct_tails(actuators.names)
    return [
        Relation(
            "transmission",
            name,
            f"{name} = {actuator_law(actuators.terms(index), float(actuators.constant[index]), names)}",
        )
        for index, name in enumerate(short)
    ]
