"""The controls of one independent axis: its position, its target, and its drive."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QWidget

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.fields import ElidingLabel, RoomLabel, ValueSpin, mark, set_picture, tip
from simulator.gui.panels.drive_card import FIELD, DriveCard
from simulator.gui.panels.drive_suggestion import suggestion_for_axis
from simulator.gui.panels.slider import AxisSlider
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, compact, effort_text, number, symbol
from simulator.mechanism.types import AxisInfo, MotionKind
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetPosition

if TYPE_CHECKING:
    from simulator.analysis.freedoms import Reach

ROOM = 8
"""Between the things of a row [px]."""
SEND_EVERY = 15
"""A dragged slider sends its newest value this often [ms]."""


class AxisCard(DriveCard):
    """Slider and spin box set a position: the target of a position drive, else the position of the axis
    itself."""

    picked = pyqtSignal(int)

    def __init__(self, index: int, axis: AxisInfo, name: str, tokens: Tokens, units: Units) -> None:
        super().__init__(axis.name, name, suggestion_for_axis(axis), units)
        self.index, self.axis = index, axis
        self._pending: Drive | SetPosition | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SEND_EVERY)
        self._timer.timeout.connect(self._flush)
        self.held: tuple[int, ...] = ()
        self._hint = RoomLabel("muted")
        self._reach: Reach | None = None
        self._ends = ("", "")
        self._slider_row, self._drive_row = QWidget(), QWidget()
        self._brief = False
        self._selected = False
        self.low_end, self.high_end = RoomLabel("muted"), RoomLabel("muted")
        self.low_end.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.slider, self._title = AxisSlider(axis, tokens), ElidingLabel(name, "name")
        self.spin = ValueSpin(units.decimals(axis), units.unit(axis))
        self._arrange()
        self.set_tokens(tokens)
        self.set_units(units)
        self._connect()

    @property
    def holds(self) -> bool:
        """Whether a motor holds a position or a velocity of the axis."""
        return self._drive is not None and self._drive.kind is not DriveKind.EFFORT

    def show_state(self, position: float, velocity: float, effort: float) -> None:
        """The newest numbers [SI]; the handle follows unless it holds a target or the user holds it."""
        self._position = position
        axis, units = self.axis, self._units
        turns = f"{number(position / math.tau, 2)} {self.tr('turns')}" if self._counts(position) else ""
        where = f"{symbol(axis)} = {units.text(axis, position)}"
        counted = f"{where}  ({turns})" if turns else where
        if self._fits(counted):
            self.live.setText(counted)
        else:
            self.live.give_way()
            self.live.setText(where)
        kind = self.drive_kind()
        limit = self._limit_text()
        if kind is not None or self.over_time:
            acts = effort_text(effort, axis.effort_unit)
            short = effort_text(effort, axis.effort_unit, 2)
            self._hint.show_text(f"{acts}  {limit}".strip(), acts, short)
        else:
            self._hint.show_text(limit, limit)
        speed = f"{number(velocity * units.factor(axis), 4)} {units.unit(axis)}/s"
        self.live.setToolTip(f"{turns}\n{speed}" if turns else speed)
        self.slider.show_live(position)
        if kind is not DriveKind.POSITION and not self.slider.isSliderDown() and self._pending is None:
            self._show_target(position)

    def show_reach(self, reach: Reach, low: str, high: str) -> None:
        """The range of the axis and what limits it at both ends; empty if the axis has no ends."""
        self._reach = reach
        self._ends = (low, high)
        begin, end = reach.low.position if low else None, reach.high.position if high else None
        self.slider.set_ends(begin, end, (low, high))
        self._show_ends()

    def forget_reach(self) -> None:
        """Only limits of the axis itself hold wherever the other axes go."""
        if self._reach is None:
            return
        (low, high), axis = self._ends, self.axis.axis
        kept_low = low if self._reach.low.position == axis.lower else ""
        kept_high = high if self._reach.high.position == axis.upper else ""
        self.show_reach(self._reach, kept_low, kept_high)

    def _counts(self, position: float) -> bool:
        """Whether to show the number of turns: for a continuous axis, beyond the first half turn."""
        return self.slider.wraps and abs(position) > math.pi

    def _fits(self, text: str) -> bool:
        """Whether the name has its room beside that number."""
        row = self.rect().marginsRemoved(self._column.contentsMargins()).width()
        left_over = row - self._picture.sizeHint().width() - 2 * ROOM
        needed = self._title.fontMetrics().horizontalAdvance(self.name)
        taken = max(self.live.fontMetrics().horizontalAdvance(text), self.live.minimumWidth())
        return needed + taken <= left_over

    def _show_ends(self) -> None:
        reach = self._reach
        factor = self._units.factor(self.axis)
        if reach is None:
            return
        for target, end, what in ((self.low_end, reach.low, self._ends[0]), (self.high_end, reach.high, self._ends[1])):
            position = self._units.text(self.axis, end.position)
            target.show_text(f"{position}  {what}" if what else "", position if what else "")
            target.setVisible(bool(what))
        low, high = self.slider.reach
        self._bound_spin(low * factor, high * factor)

    def _bound_spin(self, low: float, high: float) -> None:
        self.spin.blockSignals(True)
        self.spin.setRange(low if math.isfinite(low) else -1e6, high if math.isfinite(high) else 1e6)
        self.spin.blockSignals(False)

    def set_selected(self, selected: bool) -> None:
        """Mark the card as selected in the view or the tree."""
        self._selected = selected
        mark(self, "selected", "true" if selected else "false")
        self._show_drive_row()

    def set_brief(self, brief: bool) -> None:
        """Among many: the choice of a drive is seen where there is one, and while the card is selected."""
        self._brief = brief
        self._show_drive_row()

    def _show_drive_row(self) -> None:
        self._drive_row.setVisible(not self._brief or self._selected or self.kind.currentIndex() > 0)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        turning = self.axis.kind is MotionKind.ROTATION
        set_picture(self._picture, "joint-revolute" if turning else "joint-prismatic", tokens.accent)
        self.slider.set_tokens(tokens)

    def set_units(self, units: Units) -> None:
        """Show other units; nothing is sent."""
        target = self.slider.position()
        self._units = units
        factor = units.factor(self.axis)
        low, high = self.axis.axis.lower, self.axis.axis.upper
        self.spin.blockSignals(True)
        self.spin.setDecimals(units.decimals(self.axis))
        self.spin.setSuffix(f" {units.unit(self.axis)}")
        self.spin.setRange(low * factor if math.isfinite(low) else -1e6, high * factor if math.isfinite(high) else 1e6)
        self.spin.setSingleStep(round(0.05 * factor, 3) if factor < 100 else 5.0)
        self.spin.blockSignals(False)
        self._show_target(target)
        self._show_ends()
        self._kind_shown()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Numbers take the room that they need now."""
        super().resizeEvent(a0)
        self.live.give_way()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click beside the controls selects the joint."""
        self.picked.emit(self.index)
        super().mousePressEvent(event)

    def _arrange(self) -> None:
        head, middle, drive = QHBoxLayout(), QHBoxLayout(self._slider_row), QHBoxLayout(self._drive_row)
        head.addWidget(self._picture)
        head.addWidget(self._title, 1)
        head.addWidget(self.live)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addWidget(self.slider, 1)
        self.spin.set_width(FIELD)
        self.spin.setAccessibleName(self.tr("Position of {name}").format(name=self.name))
        middle.addWidget(self.spin)
        ends = QHBoxLayout()
        ends.addWidget(self.low_end, 1)
        ends.addWidget(self.high_end, 1)
        self.low_end.hide()
        self.high_end.hide()
        drive.setContentsMargins(0, 0, 0, 0)
        drive.addWidget(self.kind)
        drive.addWidget(self.value)
        drive.addStretch(0)
        drive.addWidget(self._hint, 1)
        for row in (head, middle, ends, drive):
            row.setSpacing(ROOM)
        self._column.addLayout(head)
        self._column.addWidget(self._slider_row)
        self._column.addLayout(ends)
        self._column.addWidget(self._drive_row)
        self._column.addWidget(self.message)
        self.setToolTip(tip(self.axis.name))

    def _connect(self) -> None:
        self.slider.moved.connect(self._slid)
        self.spin.valueChanged.connect(self._typed)
        self.kind.currentIndexChanged.connect(lambda _i: self._kind_chosen())
        self.value.valueChanged.connect(lambda _v: self._send_drive())

    def _slid(self, position: float) -> None:
        self._set_quietly(self.spin, position * self._units.factor(self.axis))
        self._ask_position(position)

    def _typed(self, shown: float) -> None:
        position = shown / self._units.factor(self.axis)
        self.slider.show_target(position)
        self._ask_position(position)

    def _ask_position(self, position: float) -> None:
        driven = self.drive_kind() is DriveKind.POSITION
        self._pending = (
            Drive(DriveKind.POSITION, Constant(position)) if driven else SetPosition(self.index, position, self.held)
        )
        if not self._timer.isActive():
            self._timer.start()

    def _flush(self) -> None:
        asked = self._pending
        self._pending = None
        if isinstance(asked, Drive):
            self._ask(asked)
        elif asked is not None:
            self._send(asked)

    def _number_field(self) -> ValueSpin:
        return self.spin if self.drive_kind() is DriveKind.POSITION else self.value

    def _under_way(self) -> bool:
        return self._pending is not None

    def _kind_chosen(self) -> None:
        kind = self.drive_kind()
        self._pending = None
        self._kind_shown()
        if self.over_time:
            self._editor().offer(self._position, self._drive)
        elif kind is None:
            self._ask(None)
        elif kind is DriveKind.POSITION:
            self._show_target(self._position)
            self._ask(Drive(kind, Constant(self._position)))
        else:
            self._set_quietly(self.value, self._first_value(kind))
            self._send_drive()

    def _send_drive(self) -> None:
        kind = self.drive_kind()
        if kind is DriveKind.VELOCITY or kind is DriveKind.EFFORT:
            self._ask(Drive(kind, Constant(self.value.value() / self._drive_factor(kind))))

    def _show_value(self, kind: DriveKind, value: float) -> None:
        if kind is DriveKind.POSITION:
            self._show_target(value)
        else:
            self._set_quietly(self.value, value * self._drive_factor(kind))

    def _kind_shown(self) -> None:
        kind = self.drive_kind()
        self._show_drive_row()
        self.note("")
        if self.profile is not None:
            self.profile.setVisible(self.over_time)
        moves = kind in {None, DriveKind.POSITION} and not self.over_time
        self.slider.setEnabled(moves)
        self.spin.setEnabled(moves)
        has_value = not moves and not self.over_time
        self.value.setVisible(has_value)
        self._place_hint(beside_slider=has_value)
        self.value.blockSignals(True)
        if kind is DriveKind.VELOCITY:
            self._bound(self.axis.axis.velocity * self._units.factor(self.axis))
            self.value.setSuffix(f" {self._units.unit(self.axis)}/s")
        elif kind is DriveKind.EFFORT:
            self._bound(self.axis.axis.effort)
            self.value.setSuffix(f" {self.axis.effort_unit}")
        self.value.blockSignals(False)

    def _place_hint(self, *, beside_slider: bool) -> None:
        """The effort is beside the choice of the drive, or has the place of the position where a value is there."""
        self.spin.setVisible(not beside_slider)
        row = (self._slider_row if beside_slider else self._drive_row).layout()
        if isinstance(row, QHBoxLayout) and row.indexOf(self._hint) < 0:
            row.addWidget(self._hint, 1)
            self._hint.show()

    def _bound(self, limit: float) -> None:
        limit = limit if math.isfinite(limit) and limit > 0.0 else 1e6
        self.value.setRange(-limit, limit)

    def _first_value(self, kind: DriveKind) -> float:
        if kind is DriveKind.EFFORT:
            return 0.0
        speed = 1.0 if self.axis.kind is MotionKind.ROTATION else 0.1
        return speed * self._units.factor(self.axis)

    def _drive_factor(self, kind: DriveKind | None) -> float:
        return self._units.factor(self.axis) if kind is DriveKind.VELOCITY else 1.0

    def _limit_text(self) -> str:
        limit = self.axis.axis.effort
        return f"≤ {compact(limit, 3)} {self.axis.effort_unit}" if math.isfinite(limit) and limit < 1e9 else ""

    def _show_target(self, position: float) -> None:
        self.slider.show_target(position)
        if not self.spin.hasFocus() or self.drive_kind() is DriveKind.POSITION:
            self._set_quietly(self.spin, position * self._units.factor(self.axis))

    @staticmethod
    def _set_quietly(spin: ValueSpin, value: float) -> None:
        if spin.isVisible() and spin.hasFocus() and abs(spin.value() - value) < 10.0 ** -spin.decimals():
            return
        spin.blockSignals(True)
        spin.setValue(value)
        spin.blockSignals(False)
