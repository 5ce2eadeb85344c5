"""The joints of the mechanism: a card for every axis that can be moved, its followers below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, Qt
from PyQt6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from simulator.engine.drives import Drive
from simulator.engine.snapshot import Snapshot
from simulator.gui.docks.axis_card import AxisCard
from simulator.gui.docks.follower_row import FollowerRow
from simulator.gui.docks.panel import Panel
from simulator.gui.laws import law_names, root_leader, short_names
from simulator.gui.live import LiveSession
from simulator.gui.selection import Item, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.mechanism.types import Mechanism
from simulator.session.settings import demonstration_drives

if TYPE_CHECKING:
    from simulator.session.opening import Opened

INDENT = 16


class JointsDock(Panel):
    """Shows positions of every snapshot and sends what the user asks for."""

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__("joints", QCoreApplication.translate("JointsDock", "Joints"), "sliders", theme)
        self._live, self._selection, self.units = live, selection, units
        self.cards: dict[int, AxisCard] = {}
        self.followers: dict[int, FollowerRow] = {}
        self._residual_of: dict[int, int] = {}
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_main(self._scroll)
        self.setMinimumWidth(300)
        self.show_document(None)
        live.document_changed.connect(self.show_document)
        selection.changed.connect(self._show_selection)
        theme.changed.connect(self._set_tokens)

    def show_document(self, opened: Opened | None) -> None:
        """Make the rows for a mechanism."""
        self.cards.clear()
        self.followers.clear()
        self._scroll.setWidget(QWidget())
        if opened is None:
            self.show_empty(self.tr("Open a world to move its joints."))
        elif not opened.mechanism.axes:
            self.show_empty(self.tr("This world has no joint that can move. Bodies may still fall and collide."))
        else:
            self._scroll.setWidget(self._rows(opened.mechanism))
            self.show_drives(demonstration_drives(opened.world, opened.mechanism))
            self.show_main()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The newest positions, efforts and residuals."""
        if self.visibleRegion().isEmpty():
            return
        for index, card in self.cards.items():
            card.show_state(
                float(snapshot.position[index]), float(snapshot.velocity[index]), float(snapshot.effort[index])
            )
        for index, row in self.followers.items():
            number = self._residual_of.get(index)
            residual = float(snapshot.coupling_residual[number]) if number is not None else None
            row.show_state(float(snapshot.position[index]), residual, self.units)

    def show_drives(self, drives: Sequence[tuple[str, Drive]]) -> None:
        """Show drives, by axis name, that were set by someone else (the command line, or the document itself)."""
        opened = self._live.opened
        for name, drive in drives:
            index = opened.mechanism.axis_index(name) if opened is not None else None
            card = self.cards.get(index) if index is not None else None
            if card is not None:
                card.show_drive(drive.kind, drive.value)

    def show_no_drives(self) -> None:
        """The drives that the document asks for do not hold: others were given."""
        for card in self.cards.values():
            card.show_drive(None, 0.0)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        for card in self.cards.values():
            card.set_units(units)
        if self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)

    def _rows(self, mechanism: Mechanism) -> QWidget:
        body = QWidget()
        body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # never wider than the panel
        column = QVBoxLayout(body)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(8)
        names = short_names(mechanism.axes)
        self._residual_of = {coupling.follower: i for i, coupling in enumerate(mechanism.couplings)}
        independent = mechanism.independent_axes()
        for index in independent:
            column.addWidget(self._card(mechanism, index, names))
            for follower in self._following(mechanism, index):
                column.addLayout(self._follower(mechanism, follower, names))
        for index in range(len(mechanism.axes)):
            if index not in self.cards and index not in self.followers:
                column.addLayout(self._follower(mechanism, index, names))
        column.addStretch(1)
        return body

    @staticmethod
    def _following(mechanism: Mechanism, leader: int) -> list[int]:
        followers = (coupling.follower for coupling in mechanism.couplings)
        return [follower for follower in followers if root_leader(mechanism, follower) == leader]

    def _card(self, mechanism: Mechanism, index: int, names: tuple[str, ...]) -> AxisCard:
        card = AxisCard(index, mechanism.axes[index], names[index], self.theme.tokens, self.units)
        card.commanded.connect(self._live.send)
        card.picked.connect(self._pick)
        self.cards[index] = card
        return card

    def _follower(self, mechanism: Mechanism, index: int, names: tuple[str, ...]) -> QVBoxLayout:
        number = self._residual_of.get(index)
        coupling = mechanism.couplings[number] if number is not None else None
        laws = law_names(coupling, mechanism.axes) if coupling is not None else names
        row = FollowerRow(index, mechanism.axes[index], names[index], coupling, laws, self.theme.tokens)
        row.picked.connect(self._pick)
        self.followers[index] = row
        layout = QVBoxLayout()
        layout.setContentsMargins(INDENT if coupling else 0, 0, 0, 0)
        layout.addWidget(row)
        return layout

    def _pick(self, index: int) -> None:
        relations = self._live.relations
        if relations is not None:
            self._selection.select(relations.item_of_joint(relations.mechanism.axes[index].joint))

    def _show_selection(self, item: Item | None) -> None:
        relations = self._live.relations
        chosen = relations.axes_of(item) if relations is not None else ()
        for index, card in self.cards.items():
            card.set_selected(index in chosen)
        for index, row in self.followers.items():
            row.set_selected(index in chosen)
        if chosen:
            first = self.cards.get(chosen[0]) or self.followers.get(chosen[0])
            if first is not None:
                self._scroll.ensureWidgetVisible(first, 0, 20)

    def _set_tokens(self, tokens: Tokens) -> None:
        for card in self.cards.values():
            card.set_tokens(tokens)
        for row in self.followers.values():
            row.set_tokens(tokens)
