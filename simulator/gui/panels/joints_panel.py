"""The joints of the mechanism: a card for every independent axis, its followers below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from simulator.engine.snapshot import Snapshot
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.fields import label
from simulator.gui.laws import law_names, root_leaders, short_names
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable, joints_table
from simulator.gui.panels.actuator_card import ActuatorCard
from simulator.gui.panels.actuator_rows import ActuatorRows
from simulator.gui.panels.axis_card import AxisCard
from simulator.gui.panels.follower_row import FollowerRow
from simulator.gui.panels.freedoms import Freedoms
from simulator.gui.panels.panel import Panel, column_layout, scrolled_column
from simulator.gui.selection import Item, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.mechanism.types import Mechanism
from simulator.session.commands.commands import Command, SetDrive
from simulator.session.look.freedoms import ends_text
from simulator.session.run.client import Status

if TYPE_CHECKING:
    from simulator.analysis.freedoms import Reach
    from simulator.session.open.opening import Opened

INDENT = 16

MOST = 100
"""Rows of a mechanism with more joints are made only when they are asked for: a thousand of them take seconds to lay
out."""

DETAILED = 4
"""With more freedoms than this, only those that are driven or selected show their drive."""
AT_ONCE = 16
"""Rows are made this many at a time, more than a screen is high, so that the window answers in between."""


class JointsPanel(Panel):
    """Shows positions of every snapshot and sends what the user asks for. `law_wanted` asks for the law of what is
    selected."""

    law_wanted = pyqtSignal()

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__(theme, "joints", QCoreApplication.translate("JointsPanel", "Joints"), "sliders")
        self._live = live
        self._selection = selection
        self.units = units
        self.cards: dict[int, AxisCard] = {}
        self.followers: dict[int, FollowerRow] = {}
        self.actuators: ActuatorRows | None = None
        self._residual_of: dict[int, int] = {}
        self._names: tuple[str, ...] = ()
        self._waiting: list[int] = []
        self._later: list[int] = []
        self._rows, self._moved = QVBoxLayout(), QVBoxLayout()
        self.more, self.fold, self._folded = QPushButton(), QToolButton(), QWidget()
        self.freedoms = Freedoms(live)
        self._slices, self._telling = QTimer(self), QTimer(self)
        self._telling.setSingleShot(True)
        self._telling.timeout.connect(self.grown)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._add_rows)
        self._scroll = scrolled_column()
        self.set_main(self._scroll)
        self.show_document(None)
        live.document_changed.connect(self.show_document)
        selection.changed.connect(self._show_selection)
        live.laws_changed.connect(self._on_laws)
        live.ticked.connect(self._on_status)
        theme.changed.connect(self._set_tokens)
        self.freedoms.changed.connect(self._rebuild)
        self.freedoms.reached.connect(self._show_reaches)
        self.freedoms.left.connect(self._forget_reaches)

    def as_table(self) -> PanelTable | None:
        """All axes at the moment on show."""
        return joints_table(self._live)

    def show_document(self, opened: Opened | None) -> None:
        """Make the rows for a mechanism."""
        self.freedoms.begin()
        self._show_rows(opened)

    def _rebuild(self) -> None:
        self._show_rows(self._live.opened)
        if self._live.status is not None:
            self._on_status(self._live.snapshot, self._live.status)
        if self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)

    def _show_rows(self, opened: Opened | None) -> None:
        self._slices.stop()
        self.cards.clear()
        self.followers.clear()
        self.actuators = None
        self._scroll.setWidget(QWidget())
        if opened is None:
            self.show_empty(self.tr("Open a world to move its joints."))
        elif len(opened.mechanism.bodies) == 1:
            self.show_empty(self.tr("Nothing in this world can move."))
        elif not opened.mechanism.axes:
            self.show_empty(self.tr("This world has no joint that can move. Bodies may still fall and collide."))
        else:
            self._scroll.setWidget(self._body(opened))
            self._add_rows()
            self.show_main()

    def _show_more(self) -> None:
        self._waiting = self._later
        self._later = []
        self.more.hide()
        self._add_rows()

    def _add_rows(self) -> None:
        """The next few rows; the others in turns of the event loop of their own."""
        opened = self._live.opened
        if opened is None:
            return
        now = self._waiting[:AT_ONCE]
        self._waiting = self._waiting[AT_ONCE:]
        for index in now:
            if index in self.freedoms.axes:
                relations = self._live.relations
                mechanism = opened.mechanism if relations is None else relations.mechanism
                self._rows.addWidget(self._card(mechanism, index))
            else:
                rows = self._rows if index in self._residual_of else self._moved
                rows.addLayout(self._follower(opened.mechanism, index))
        count = self._moved.count()
        self.fold.setVisible(count > 0)
        self.fold.setText(self.tr("Moved along ({n})").format(n=count))
        if self._live.laws is not None:
            self._show_laws(self._live.laws, now)
        self._mark(self._selection.item)
        if self._waiting:
            self._slices.start()
        else:
            self._slices.stop()
        self._tell_height()

    def _tell_height(self) -> None:
        """Once the layout knows of the rows."""
        self._telling.start(0)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """A row has become higher: a limit is known now, or a drive has more fields."""
        if event is not None and event.type() is QEvent.Type.LayoutRequest:
            self._tell_height()
        return False

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The newest positions, efforts and residuals."""
        self.freedoms.look(snapshot)
        if not self.isVisible():
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

    def show_item(self, item: Item) -> None:
        """Scroll to the rows of an item; one that moves along is unfolded."""
        relations = self._live.relations
        axes = relations.axes_of(item) if relations is not None else ()
        if any(axis in self.followers and axis not in self._residual_of for axis in axes):
            self.fold.setChecked(True)
        self._show_selection(item)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        for card in self._all_cards():
            card.set_units(units)
        if self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)

    def wanted_height(self) -> int | None:
        """That of its rows."""
        body = self._scroll.widget()
        return body.sizeHint().height() if body is not None else None

    def _all_cards(self) -> Iterator[AxisCard | ActuatorCard]:
        yield from self.cards.values()
        if self.actuators is not None:
            yield from self.actuators.cards

    def _body(self, opened: Opened) -> QWidget:
        """What is scrolled, still without the rows of axes."""
        mechanism = opened.mechanism
        body = QWidget()
        body.installEventFilter(self)
        body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # never wider than the panel
        column = column_layout(body, margin=10, spacing=8)
        self._names = short_names(mechanism.axes)
        self._residual_of = {coupling.follower: i for i, coupling in enumerate(mechanism.couplings)}
        order = _order(mechanism, self.freedoms.axes)
        self._waiting = order[:MOST]
        self._later = order[MOST:]
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        column.addLayout(self._rows)
        self._add_fold(column)
        self.more = QPushButton(self.tr("Show {n} more").format(n=len(self._later)))
        self.more.clicked.connect(lambda _checked=False: self._show_more())
        column.addWidget(self.more)
        self.more.setVisible(bool(self._later))
        self._add_actuators(opened, column)
        column.addStretch(1)
        return body

    def _add_fold(self, column: QVBoxLayout) -> None:
        """Axes that move along with those above, folded at first."""
        self.fold, self._folded = QToolButton(), QWidget()
        self._moved = column_layout(self._folded, spacing=8)
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.setToolTip(self.tr("Joints whose positions follow from those above"))
        self.fold.toggled.connect(self._unfold)
        column.addWidget(self.fold)
        column.addWidget(self._folded)
        self.fold.hide()
        self._folded.hide()

    def _unfold(self, on: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._folded.setVisible(on)
        self._tell_height()

    def _lead(self, row: FollowerRow) -> None:
        if not self.freedoms.lead(row.index):
            row.law.setText(self.tr("cannot lead here: it is at a dead point, or cannot move"))

    def _show_reaches(self, reaches: dict[int, Reach]) -> None:
        mechanism = self._live.relations.mechanism if self._live.relations is not None else None
        for index, reach in reaches.items():
            card = self.cards.get(index)
            if card is not None and mechanism is not None:
                card.show_reach(reach, *ends_text(mechanism, index, reach))

    def _forget_reaches(self) -> None:
        for card in self.cards.values():
            card.forget_reach()

    def _add_actuators(self, opened: Opened, column: QVBoxLayout) -> None:
        client = self._live.client
        if not len(opened.actuators) or client is None:
            return
        self.actuators = ActuatorRows(opened, client.channels, self.theme.tokens, self.units)
        column.addSpacing(6)
        column.addWidget(label(self.tr("Actuators"), "muted"))
        for card in self.actuators.cards:
            card.commanded.connect(partial(self._send, card))
            card.commanded.connect(partial(self._show_held, card))
            column.addWidget(card)

    def _send(self, sender: AxisCard | ActuatorCard, command: Command) -> None:
        sender.sent(self._live.send(command))

    def _show_held(self, card: ActuatorCard, command: Command) -> None:
        """A joint with a motor of its own does not heed its actuator: that must not look like a fault."""
        joints = self.actuators.joints_of(card) if self.actuators is not None else ()
        held = [self.cards[axis].name for axis in joints if axis in self.cards and self.cards[axis].holds]
        if held and isinstance(command, SetDrive) and command.drive is not None:
            text = self.tr("Held by their own drives: {joints}. Choose “No drive” there to release them.")
            card.note(text.format(joints=", ".join(held)))

    def _card(self, mechanism: Mechanism, index: int) -> AxisCard:
        card = AxisCard(index, mechanism.axes[index], self._names[index], self.theme.tokens, self.units)
        card.set_brief(len(self.freedoms.axes) > DETAILED)
        card.held = tuple(axis for axis in self.freedoms.axes if axis != index) if mechanism.loop_joints else ()
        card.commanded.connect(partial(self._send, card))
        card.picked.connect(self._pick)
        self.cards[index] = card
        return card

    def _follower(self, mechanism: Mechanism, index: int) -> QVBoxLayout:
        number = self._residual_of.get(index)
        coupling = mechanism.couplings[number] if number is not None else None
        laws = law_names(coupling, mechanism.axes) if coupling is not None else self._names
        name = self._names[index]
        row = FollowerRow(index, mechanism.axes[index], name, coupling, laws, self.theme.tokens)
        row.picked.connect(self._pick)
        row.edited.connect(self._edit)
        if number is None and mechanism.axes[index].in_tree:
            row.offer_to_lead(name).clicked.connect(lambda _checked=False: self._lead(row))
        self.followers[index] = row
        layout = QVBoxLayout()
        layout.setContentsMargins(INDENT if coupling else 0, 0, 0, 0)
        layout.addWidget(row)
        return layout

    def _on_laws(self, laws: CurrentLaws) -> None:
        """Laws or numbers are others now; limits are part of the rows."""
        axes = laws.now().axes
        if any(card.axis != axes[index] for index, card in self.cards.items()):
            self._rebuild()
        self._show_laws(laws, self.followers)

    def _show_laws(self, laws: CurrentLaws, axes: Iterable[int]) -> None:
        for index in axes:
            row, number = self.followers.get(index), self._residual_of.get(index)
            if row is not None and number is not None:
                row.show_law(laws.coupling(number))

    def _on_status(self, _snapshot: Snapshot | None, status: Status) -> None:
        drives = dict(status.drives)
        for card in self._all_cards():
            card.on_status(drives.get(card.target), status)

    def _pick(self, index: int) -> None:
        relations = self._live.relations
        if relations is not None:
            self._selection.select(relations.item_of_joint(relations.mechanism.axes[index].joint))

    def _edit(self, index: int) -> None:
        self._pick(index)
        self.law_wanted.emit()

    def _show_selection(self, item: Item | None) -> None:
        chosen = self._mark(item)
        first = self.cards.get(chosen[0]) or self.followers.get(chosen[0]) if chosen else None
        if first is not None:
            self._scroll.ensureWidgetVisible(first, 0, 20)

    def _mark(self, item: Item | None) -> tuple[int, ...]:
        """Rows of an item are marked; gives its axes."""
        relations = self._live.relations
        chosen = relations.axes_of(item) if relations is not None else ()
        for index, card in self.cards.items():
            card.set_selected(index in chosen)
        for index, row in self.followers.items():
            row.set_selected(index in chosen)
        return chosen

    def _set_tokens(self, tokens: Tokens) -> None:
        for card in self._all_cards():
            card.set_tokens(tokens)
        for row in self.followers.values():
            row.set_tokens(tokens)


def _order(mechanism: Mechanism, leading: tuple[int, ...]) -> list[int]:
    """Axes in the order of their rows: every leading one with its followers behind it, then what is left."""
    following: dict[int, list[int]] = {}
    for follower, leader in root_leaders(mechanism).items():
        following.setdefault(leader, []).append(follower)
    ordered = (axis for index in leading for axis in (index, *following.get(index, ())))
    return list(dict.fromkeys((*ordered, *range(len(mechanism.axes)))))
