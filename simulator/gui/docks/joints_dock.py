"""The joints of the mechanism: a card for every axis that can be moved, its followers below it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, Qt
from PyQt6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from simulator.engine.snapshot import Snapshot
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.docks.actuator_card import ActuatorCard
from simulator.gui.docks.actuator_rows import ActuatorRows
from simulator.gui.docks.axis_card import AxisCard
from simulator.gui.docks.follower_row import FollowerRow
from simulator.gui.docks.law_editor import LawEditor
from simulator.gui.docks.panel import Panel
from simulator.gui.fields import label
from simulator.gui.laws import law_names, root_leaders, short_names
from simulator.gui.live import LiveSession
from simulator.gui.selection import Item, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.mechanism.types import Mechanism
from simulator.session.client import Status
from simulator.session.commands import Command, SetDriveText

if TYPE_CHECKING:
    from simulator.session.opening import Opened

INDENT = 16

MOST = 100
"""Rows of a mechanism with more joints are made only when they are asked for: a thousand of them take seconds to lay out."""


class JointsDock(Panel):
    """Shows positions of every snapshot and sends what the user asks for."""

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__("joints", QCoreApplication.translate("JointsDock", "Joints"), "sliders", theme)
        self._live, self._selection, self.units = live, selection, units
        self.cards: dict[int, AxisCard] = {}
        self.followers: dict[int, FollowerRow] = {}
        self.actuators: ActuatorRows | None = None
        self._residual_of: dict[int, int] = {}
        self.more = QPushButton()
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_main(self._scroll)
        self.setMinimumWidth(300)
        self.show_document(None)
        live.document_changed.connect(self.show_document)
        selection.changed.connect(self._show_selection)
        live.laws_changed.connect(self._show_laws)
        live.ticked.connect(self._hear)
        theme.changed.connect(self._set_tokens)

    def show_document(self, opened: Opened | None) -> None:
        """Make the rows for a mechanism."""
        self._forget()
        self._scroll.setWidget(QWidget())
        if opened is None:
            self.show_empty(self.tr("Open a world to move its joints."))
        elif not opened.mechanism.axes:
            self.show_empty(self.tr("This world has no joint that can move. Bodies may still fall and collide."))
        else:
            self._fill(opened, MOST)
            self.show_main()

    def _fill(self, opened: Opened, most: int) -> None:
        self._scroll.setWidget(self._rows(opened, most))
        self._show_drives(opened)
        hidden = len(opened.mechanism.axes) - len(self.cards) - len(self.followers)
        self.more.setVisible(hidden > 0)
        self.more.setText(self.tr("Show {n} more").format(n=hidden))
        self.more.clicked.connect(lambda _checked=False: self._show_all(opened))

    def _forget(self) -> None:
        self.cards.clear()
        self.followers.clear()
        self.actuators = None

    def _show_all(self, opened: Opened) -> None:
        self._forget()
        self._fill(opened, len(opened.mechanism.axes))
        if self._live.laws is not None:
            self._show_laws(self._live.laws)

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
        if self.actuators is not None and self._live.client is not None:
            self.actuators.show_state(self._live.client, snapshot)

    def _show_drives(self, opened: Opened) -> None:
        """The cards say how their axes and actuators are driven from the start."""
        for name, drive in self._live.drives_of(opened):
            text = drive if isinstance(drive, str) else f"{drive.kind.value}:{drive.value!r}"
            for actuator in self.actuators.cards if self.actuators is not None else ():
                if actuator.target == name:
                    actuator.show_drive_text(text)
            index = opened.mechanism.axis_index(name)
            card = self.cards.get(index) if index is not None else None
            if card is not None and isinstance(drive, str):
                card.show_drive_text(drive)
            elif card is not None and not isinstance(drive, str):
                card.show_drive(drive.kind, drive.value)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        for row in self.followers.values():
            if row.editor is not None:
                row.editor.set_units(units)
        for card in (*self.cards.values(), *(self.actuators.cards if self.actuators is not None else ())):
            card.set_units(units)
        if self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)

    def _rows(self, opened: Opened, most: int) -> QWidget:
        mechanism, body = opened.mechanism, QWidget()
        body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # never wider than the panel
        column = QVBoxLayout(body)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(8)
        names = short_names(mechanism.axes)
        self._residual_of = {coupling.follower: i for i, coupling in enumerate(mechanism.couplings)}
        independent = dict.fromkeys(mechanism.independent_axes())
        following: dict[int, list[int]] = {}
        for follower, leader in root_leaders(mechanism).items():
            following.setdefault(leader, []).append(follower)
        order = [axis for index in independent for axis in (index, *following.get(index, ()))]
        for index in list(dict.fromkeys((*order, *range(len(mechanism.axes)))))[:most]:
            if index in independent:
                column.addWidget(self._card(mechanism, index, names))
            else:
                column.addLayout(self._follower(mechanism, index, names))
        self.more = QPushButton()
        column.addWidget(self.more)
        self._add_actuators(opened, column)
        column.addStretch(1)
        return body

    def _add_actuators(self, opened: Opened, column: QVBoxLayout) -> None:
        client = self._live.client
        if not len(opened.actuators) or client is None:
            return
        self.actuators = ActuatorRows(opened, client.channels, self.theme.tokens, self.units)
        column.addSpacing(6)
        column.addWidget(label(self.tr("Actuators"), "muted"))
        for card in self.actuators.cards:
            card.commanded.connect(self._live.send)
            card.commanded.connect(partial(self._tell_held, card))
            column.addWidget(card)

    def _tell_held(self, card: ActuatorCard, command: Command) -> None:
        """A joint with a motor of its own does not heed its actuator: that must not look like a fault."""
        joints = self.actuators.joints_of(card) if self.actuators is not None else ()
        held = [self.cards[axis].name for axis in joints if axis in self.cards and self.cards[axis].holds]
        if held and isinstance(command, SetDriveText):
            text = self.tr("Held by drives of their own: {joints}. Choose “No drive” there to let them go.")
            card.note(text.format(joints=", ".join(held)))

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
        make_editor = partial(self._editor, mechanism, number) if number is not None else None
        row = FollowerRow(index, mechanism.axes[index], names[index], coupling, laws, self.theme.tokens, make_editor)
        row.picked.connect(self._pick)
        self.followers[index] = row
        layout = QVBoxLayout()
        layout.setContentsMargins(INDENT if coupling else 0, 0, 0, 0)
        layout.addWidget(row)
        return layout

    def _editor(self, mechanism: Mechanism, number: int) -> LawEditor:
        coupling, axes = mechanism.couplings[number], mechanism.axes
        editor = LawEditor(number, coupling, axes[coupling.follower], axes[coupling.leader], self.units)
        editor.commanded.connect(self._live.send)
        return editor

    def _show_laws(self, laws: CurrentLaws) -> None:
        for index, row in self.followers.items():
            number = self._residual_of.get(index)
            if number is not None:
                row.show_law(laws.coupling(number))

    def _hear(self, _snapshot: Snapshot | None, status: Status) -> None:
        for row in self.followers.values():
            if row.editor is not None and row.edit.isChecked():
                row.editor.hear(status.message)
        for card in (*self.cards.values(), *(self.actuators.cards if self.actuators is not None else ())):
            card.hear(status.message)

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
        for card in (*self.cards.values(), *(self.actuators.cards if self.actuators is not None else ())):
            card.set_tokens(tokens)
        for row in self.followers.values():
            row.set_tokens(tokens)
