"""The controls of the traces: quantities, the stretch of time, and tools. If room is short, the quantities are one
drop-down and the rest are icons."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QIcon, QResizeEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from simulator.gui.fields import NoWheelComboBox, RoomLabel, scaled, set_slim
from simulator.gui.panels.flow import FlowLayout
from simulator.gui.panels.joint_tree import dragged_axes
from simulator.gui.panels.panel import segments, side_by_side
from simulator.gui.panels.trace_tools import TraceTools
from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens
from simulator.gui.traces.channel_list import ChannelList
from simulator.gui.traces.plan import Group

WINDOWS = (2.0, 5.0, 10.0, 30.0, 60.0, math.inf)
LOW, NARROW, ABREAST = 220, 700, 560
"""Below this height the bar is folded, below that or this width the list of channels is; from the last width on, the
folded bar is beside the plots, see `scaled`."""
TOOLS = 74
"""Least height of the folded bar beside the plots for its tools, see `scaled`."""
COLUMN, ROW = 132, 28
"""Width of the folded bar beside the plots, and its height above them, see `scaled`."""


class TraceBar(QWidget):
    """`groups` are the buttons of the quantities and pages, `quantity` is the drop-down instead of them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panelBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.groups, self.quantity, self.tools = QButtonGroup(self), NoWheelComboBox(), TraceTools(theme)
        self.span, self.follow, self.readout = NoWheelComboBox(), QPushButton(self.tr("Follow")), RoomLabel("muted")
        self.folded = False
        self._row = FlowLayout(self)
        names = (self.tr("Position"), self.tr("Velocity"), self.tr("Acceleration"), self.tr("Effort"), self.tr("Power"),
                 self.tr("Energy"), self.tr("Phase"), self.tr("Reaction"), self.tr("Kinematics"))  # fmt: skip
        buttons = [QPushButton(name) for name in names]
        for index, button in enumerate(buttons):
            self.groups.addButton(button, index)
        self._segments: list[QWidget] = []
        for part in (buttons[: len(Group)], buttons[len(Group) :]):  # two groups: the second may wrap
            quantities = QWidget()
            quantities.setLayout(segments(*part))
            self._row.addWidget(quantities)
            self._segments.append(quantities)
        buttons[0].setChecked(True)
        self.quantity.addItems(names)
        self.quantity.setAccessibleName(self.tr("Quantity on show"))
        self._row.addWidget(self.quantity)
        self._row.spring()
        self.readout.setFixedWidth(scaled(96))
        self.readout.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._row.add_spare(self.readout)
        self._add_span()
        self._row.addWidget(self.tools)
        self.quantity.hide()
        self.groups.idToggled.connect(lambda chosen, on: self.quantity.setCurrentIndex(chosen) if on else None)
        self.quantity.activated.connect(self._choose)
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)

    def _add_span(self) -> None:
        self.span.addItems([self.tr("all") if math.isinf(w) else f"{w:.0f} s" for w in WINDOWS])
        self.span.setCurrentIndex(2)
        self.span.setAccessibleName(self.tr("Stretch of time on show"))
        self.span.setToolTip(self.tr("Stretch of time on show"))
        self._row.addWidget(self.span)
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.setProperty("segment", "only")
        self.follow.setToolTip(self.tr("Keep the newest time in sight; dragging or zooming a plot switches this off"))
        self.follow.setAccessibleName(self.tr("Follow"))
        self._row.addWidget(self.follow)

    def wide(self) -> int:
        """Width at which all is in one line, unfolded [px]."""
        rest = (self.span, self.follow, self.tools)
        parts = [*self._segments, *rest]
        return sum(part.sizeHint().width() + 8 for part in parts) + scaled(16)

    def fold(self, on: bool, beside: bool) -> None:
        """The quantities as one drop-down and small controls; `beside` the plots, else above them."""
        self.setMaximumWidth(scaled(COLUMN) if on and beside else 16_777_215)
        self._row.sprung = not (on and beside)
        if on == self.folded:
            return
        self.folded = on
        for part in self._segments:
            part.setVisible(not on)
        self.quantity.setVisible(on)
        self.follow.setText("" if on else self.tr("Follow"))
        self.follow.setIcon(self._icon if on else QIcon())
        set_slim((self.quantity, self.span, self.follow), on)
        self.readout.setVisible(not on)
        across, down, gap = (5, 2, 3) if on else (8, 6, 8)
        self._row.setContentsMargins(across, down, across, down)
        self._row.setSpacing(gap)
        self.tools.set_small(on)
        self._row.invalidate()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A column too low for all leaves out the tools, which the menu of the plots has, too."""
        super().resizeEvent(event)
        column = self.folded and self.maximumWidth() < scaled(2 * COLUMN)
        self.tools.setVisible(not column or self.height() >= scaled(TOOLS))

    def _choose(self, index: int) -> None:
        button = self.groups.button(index)
        if button is not None:
            button.click()

    def _set_tokens(self, tokens: Tokens) -> None:
        self._icon = icon("follow", tokens)
        self.follow.setIconSize(QSize(14, 14))
        self.follow.setIcon(self._icon if self.folded else QIcon())


class TraceLayout(QWidget):
    """Bar, list of channels and page, laid out for the room there is. The list is open where there is room for it,
    unless its button says otherwise; that is noted for little and for much room.

    `axes_dragged` gives axes that are dragged out of the tree of the model, the place on the screen, and whether they
    were dropped there; `drag_left` follows where they were not.
    """

    axes_dragged = pyqtSignal(object, QPoint, bool)
    drag_left = pyqtSignal()

    def __init__(self, bar: TraceBar, channels: ChannelList, pages: QStackedWidget) -> None:
        super().__init__()
        self.bar, self.channels = bar, channels
        self.splitter: QSplitter = side_by_side(channels, pages, 300, 1000)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(bar)
        self._box.addWidget(self.splitter, 1)
        self._open = {True: True, False: False}
        self._roomy = self._listed = True
        self._plain = False
        self.setAcceptDrops(True)
        bar.tools.channels.clicked.connect(self._choose)

    def set_listed(self, on: bool) -> None:
        """Whether the page on show has channels."""
        self._listed = on
        self._arrange()

    def set_plain(self, on: bool) -> None:
        """The page alone."""
        self._plain = on
        self._arrange()

    def resizeEvent(self, _event: object) -> None:
        """Lay out anew."""
        self._arrange()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Take joints of the tree."""
        if event is not None and dragged_axes(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent | None) -> None:
        """Show where they would be drawn."""
        self._dragged(event, ended=False)

    def dragLeaveEvent(self, _event: QDragLeaveEvent | None) -> None:
        """They are elsewhere."""
        self.drag_left.emit()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Draw them."""
        self._dragged(event, ended=True)

    def _dragged(self, event: QDropEvent | None, *, ended: bool) -> None:
        axes = dragged_axes(event.mimeData()) if event is not None else ()
        if event is not None and axes:
            event.acceptProposedAction()
            self.axes_dragged.emit(axes, self.mapToGlobal(event.position().toPoint()), ended)

    def _choose(self, on: bool) -> None:
        self._open[self._roomy] = on
        self._arrange()

    def _arrange(self) -> None:
        low = self.height() < scaled(LOW)
        width = self.width()
        self._roomy = not low and width >= scaled(NARROW)
        beside = low and width >= scaled(ABREAST)
        directions = QBoxLayout.Direction
        self._box.setDirection(directions.LeftToRight if beside else directions.TopToBottom)
        self.bar.fold(low or self.bar.wide() > width, beside)
        self.bar.setVisible(not self._plain)
        self.channels.setVisible(self._open[self._roomy] and self._listed and not self._plain)
        self.bar.tools.channels.setEnabled(self._listed)
        self.bar.tools.channels.setChecked(self._open[self._roomy])
