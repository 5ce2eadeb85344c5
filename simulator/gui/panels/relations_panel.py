"""Every relation of the mechanism: mimics, gearboxes, screws, loops and transmissions, with their residuals."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QTimer
from PyQt6.QtWidgets import QWidget

from simulator.engine.snapshot import Snapshot
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.fields import label
from simulator.gui.laws import actuator_law, short_names, written_law
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable, relations_table
from simulator.gui.panels.panel import Panel, column_layout, scrolled_column
from simulator.gui.panels.relation_row import Relation, RelationRow
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.model.names import distinct_tails, tail_name

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened

RECENT = 10.0
"""The curves show this much [s of simulated time]."""
MOST = 100
"""More relations than this are not listed."""


class RelationsPanel(Panel):
    """A row for each; a click selects it, and the inspector shows its law."""

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme) -> None:
        super().__init__(theme, "relations", QCoreApplication.translate("RelationsPanel", "Relations"), "coupling")
        self._live, self._selection = live, selection
        self.rows: list[RelationRow] = []
        self._list = scrolled_column()
        self.set_main(self._list)
        live.document_changed.connect(self.show_document)
        live.laws_changed.connect(self._show_laws)
        selection.changed.connect(self._show_selection)
        theme.changed.connect(self._set_tokens)
        self.show_document(None)

    def as_table(self) -> PanelTable | None:
        """Laws and residuals of now."""
        return relations_table(self._live)

    def show_document(self, opened: Opened | None) -> None:
        """The relations of another mechanism."""
        self.rows = []
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
        QTimer.singleShot(0, self.grown.emit)

    def wanted_height(self) -> int | None:
        """That of its rows, as wide as they are."""
        body, view = self._list.widget(), self._list.viewport()
        return None if body is None or view is None else body.heightForWidth(view.width())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Residuals up to the moment on show."""
        client = self._live.client
        if client is None or self.is_empty or not self.isVisible():
            return
        start = max(snapshot.time - RECENT, 0.0)
        rows = [(row, row.relation.column) for row in self.rows if row.relation.column is not None]
        if not rows:
            return
        times, values = client.trace([column for _, column in rows], start)
        shown = times <= snapshot.time
        for place, (row, _) in enumerate(rows):
            row.show_residual(times[shown], values[shown, place], start, max(snapshot.time, start + 1e-3))

    def _choose(self, row: RelationRow) -> None:
        if row.relation.item is not None:
            self._selection.select(row.relation.item)

    def _show_selection(self, item: Item | None) -> None:
        """Rows of the selected relation, and of what joints have to do with, are marked."""
        relations = self._live.relations
        axes = set() if relations is None or item is None else set(relations.axes_of(item))
        listed = item in {row.relation.item for row in self.rows}
        for row in self.rows:
            same = row.relation.item is not None and row.relation.item == item
            follower = self._follower(row)
            row.set_selected(same or (not listed and follower is not None and follower in axes))

    def _follower(self, row: RelationRow) -> int | None:
        relations, index = self._live.relations, row.relation.coupling
        couplings = relations.mechanism.couplings if relations is not None else ()
        # Another document may be there before its rows are.
        return couplings[index].follower if 0 <= index < len(couplings) else None

    def _show_laws(self, laws: CurrentLaws) -> None:
        mechanism = laws.now()
        names = short_names(mechanism.axes)
        for row in self.rows:
            if row.relation.coupling >= 0:
                row.law.setText(written_law(mechanism.couplings[row.relation.coupling], names))

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
        item = Item(ItemKind.COUPLING, follower.name)
        column = columns.get(("coupling", index))
        law = written_law(coupling, names)
        name, unit, slips = names[coupling.follower], follower.unit, not coupling.ties
        found.append(Relation(coupling.kind.value, name, law, item, index, column, unit, slips))
    return found


def _loops(mechanism: Mechanism, columns: dict[tuple[str, int], int]) -> list[Relation]:
    found = []
    for index, loop in enumerate(mechanism.loop_joints):
        parent, child = (tail_name(mechanism.bodies[body].name) for body in (loop.parent, loop.child))
        name = tail_name(loop.name)
        law = QCoreApplication.translate("RelationsPanel", "{name}: {child} on {parent}, {n} equations").format(
            name=name, child=child, parent=parent, n=loop.rows
        )
        item = Item(ItemKind.LOOP, loop.name)
        column = columns.get(("loop_m", index))
        found.append(Relation("loop", name, law, item, -1, column, "m"))
    return found


def _transmissions(opened: Opened) -> list[Relation]:
    actuators = opened.actuators
    names = short_names(opened.mechanism.axes)
    short = distinct_tails(actuators.names)
    return [
        Relation(
            "transmission",
            name,
            f"{name} = {actuator_law(actuators.terms(index), float(actuators.constant[index]), names)}",
        )
        for index, name in enumerate(short)
    ]
