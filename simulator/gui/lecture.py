"""Lecture mode: the view and one plot, large type, the law and its values, and a bar to run and to move the first
joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QFont, QFontInfo, QFontMetrics, QResizeEvent
from PyQt6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QLabel,
    QLayout,
    QMainWindow,
    QPushButton,
    QToolBar,
    QWidget,
)

from simulator.gui.fields import PlainLabel, tabular
from simulator.gui.laws import short_names, written_law
from simulator.gui.panels.flow import FlowLayout
from simulator.gui.panels.slider import AxisSlider
from simulator.gui.units import Units, symbol
from simulator.mechanism.types import WORLD_BODY
from simulator.session.commands.commands import SetPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.snapshot import Snapshot
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.panel import Panel
    from simulator.gui.theme import Theme
    from simulator.gui.workbench import Workbench
    from simulator.mechanism.types import Mechanism

TYPE = 24
"""Height of labels, axes and notes [px]: at 1280×800 it can be read from the last row, ten metres away."""
FORMS = 20
"""Height of the text in panels [px], which so have room beside the view. Notes of lessons are a fifth larger."""
LARGE, LEAST = 26, 16
"""Height of the law and of the values [px], and that of a law that is longer than the bar."""
LEAST_VALUES = 20
"""Height of the values where these need fewer lines then [px]."""
MOST, BETWEEN = 3, "     "
"""So many values are shown, and this is between them."""
REST = 90
"""Beside a line of values [px]: margins, and what another digit needs."""


class LectureBar(QFrame):
    """Below the view. The law on the left, values on the right, run and a slider under them. `left` is emitted by its
    last button, `run_wanted` by its first."""

    left = pyqtSignal()
    run_wanted = pyqtSignal()

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__()
        self.setObjectName("card")
        self._live = live
        self._theme = theme
        self.units = units
        self.law, self.values = PlainLabel(), PlainLabel()
        self.run, self.leave = QPushButton(self.tr("Run")), QPushButton(self.tr("Leave"))
        self.slider: AxisSlider | None = None
        self._axis = -1
        self._type = LARGE
        self._drawing = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(18, 8, 18, 8)
        texts = QWidget()
        row = FlowLayout(texts, margin=2, spacing=24)  # beside each other where there is room for both
        row.addWidget(self.law)
        row.spring()
        row.addWidget(self.values)
        self._grid.addWidget(texts, 0, 0, 1, 3)
        self._grid.addWidget(self.run, 1, 0)
        self._grid.addWidget(self.leave, 1, 2)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(24)
        for text in (self.law, self.values):
            text.setMinimumWidth(1)  # the window does not grow for them
            _set_type(text, LARGE)
        self.run.clicked.connect(lambda _checked=False: self.run_wanted.emit())
        self.leave.clicked.connect(lambda _checked=False: self.left.emit())
        self.hide()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A long law has smaller type where the bar is short."""
        super().resizeEvent(event)
        self._type = LARGE
        self._fit_law()

    def _fit_law(self) -> None:
        _set_type(self.law, LARGE)
        needed = self.law.fontMetrics().horizontalAdvance(self.law.text()) + REST // 2
        if needed > self.width():
            _set_type(self.law, max(LEAST, LARGE * self.width() // needed))

    def show_document(self) -> None:
        """The law of the first coupling, and a slider for the first joint that can be moved."""
        live = self._live
        if self.slider is not None:
            self._grid.removeWidget(self.slider)
            self.slider.hide()
            self.slider.deleteLater()
            self.slider = None
        if live.opened is None or live.laws is None:
            self.law.clear()
            self.values.clear()
            return
        mechanism = live.laws.now()
        names = short_names(mechanism.axes)
        self.law.setText(written_law(mechanism.couplings[0], names) if mechanism.couplings else "")
        self._type = LARGE
        self._fit_law()
        axes = live.free_axes or mechanism.independent_axes()
        if axes:
            self._axis = axes[0]
            self.slider = AxisSlider(mechanism.axes[self._axis], self._theme.tokens)
            self.slider.moved.connect(lambda value: live.send(SetPosition(self._axis, value)))
            self._grid.addWidget(self.slider, 1, 1)
            self.slider.setVisible(not self._drawing)

    def set_drawing(self, on: bool) -> None:
        """On a sheet time stands: there is nothing to move or to read."""
        self._drawing = on
        for part in (self.law, self.values, self.slider):
            if part is not None:
                part.setVisible(not on)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The values of this moment: those of the law, else of joints on the ground, the first free one before all."""
        laws = self._live.laws
        if laws is None or self.isHidden():
            return
        mechanism = laws.now()
        names = short_names(mechanism.axes)
        texts = [
            f"{names[axis]}: {symbol(mechanism.axes[axis])} = "
            + self.units.text(mechanism.axes[axis], float(snapshot.position[axis]))
            for axis in values_of(mechanism, self._live.free_axes)
        ]
        self.values.setText("\n".join(self._fitted(texts)))
        self.run.setText(self.tr("Pause") if self._live.running else self.tr("Run"))
        if self.slider is not None:
            position = float(snapshot.position[self._axis])
            self.slider.show_live(position)
            if not self.slider.isSliderDown():
                self.slider.show_target(position)

    def _fitted(self, texts: Sequence[str]) -> list[str]:
        """Values in as few lines as there is room for, in type as large as that lets them have; what has become small
        stays so, as running numbers have now more digits and now fewer."""
        ways = [(self._lines(texts, size), size) for size in range(self._type, LEAST_VALUES - 1, -2)]
        lines, self._type = min(ways, key=lambda way: len(way[0]))
        if QFontInfo(self.values.font()).pixelSize() != self._type:
            _set_type(self.values, self._type)
        return lines

    def _lines(self, texts: Sequence[str], size: int) -> list[str]:
        """As many of them in each line as it has room for in type of that height [px]."""
        font = _font(self.values.font(), size)
        font.setWeight(QFont.Weight.DemiBold)
        room = self.width() - REST
        metrics = QFontMetrics(font)
        lines = list[str]()
        for text in texts:
            longer = f"{lines[-1]}{BETWEEN}{text}" if lines else text
            if lines and metrics.horizontalAdvance(longer) < room:
                lines[-1] = longer
            else:
                lines.append(text)
        return lines


def values_of(mechanism: Mechanism, free: Sequence[int]) -> list[int]:
    """Axes whose positions are shown: of the first coupling, else those of joints on the ground, `free` ones first."""
    if mechanism.couplings:
        return [axis for axis, _ in mechanism.couplings[0].terms][:MOST]
    joints = (*mechanism.joints, *mechanism.loop_joints)
    grounded = (
        motion.axis for joint in joints if WORLD_BODY in (joint.parent, joint.child) for motion in joint.motions
    )
    return list(dict.fromkeys((*free, *grounded)))[:MOST]


class Lecture(QObject):
    """Puts a window into lecture mode and back. What it hides comes back as it was. Meanwhile the window has the size
    that it had, whatever its panels would like in their larger type."""

    def __init__(self, window: QMainWindow, bar: LectureBar, theme: Theme, plot: Panel) -> None:
        super().__init__()
        self._window = window
        self._bar = bar
        self._theme = theme
        self._plot = plot
        self._hidden: tuple[QWidget, ...] = ()
        self._font = QFont()
        self._state = b""
        self.on = False

    def set_on(self, on: bool, workbench: Workbench) -> None:
        """Enter or leave it."""
        if on == self.on:
            return
        self.on, size = on, self._window.size()
        if on:
            self._font, self._state = QFont(QApplication.font()), workbench.state()
            bars: tuple[QWidget | None, ...] = (self._window.menuBar(), self._window.statusBar())
            parts = (*self._window.findChildren(QToolBar), *bars)
            self._hidden = tuple(part for part in parts if part is not None and part.isVisible())
        self._bar.setVisible(on)
        self._let_grow(not on)
        if not on:
            self._set_font(self._font)
        for part in self._hidden:
            part.setVisible(not on)
        workbench.set_bare(on)
        if on:
            self._set_font(_font(self._font, FORMS))
            self._bar.show_document()
            workbench.show_only((self._plot.objectName(),))
        else:
            workbench.restore(self._state)
        self._window.resize(size)

    def _let_grow(self, on: bool) -> None:
        """Whether the window is made as large as what is in it needs."""
        layout = self._window.layout()
        if layout is not None:
            constraint = QLayout.SizeConstraint
            layout.setSizeConstraint(constraint.SetDefaultConstraint if on else constraint.SetNoConstraint)
        if not on:
            self._window.setMinimumSize(0, 0)

    def _set_font(self, font: QFont) -> None:
        QApplication.setFont(font)
        self._theme.apply()


def _set_type(text: QLabel, height: int) -> None:
    """`height` of a label's text [px]."""
    font = _font(text.font(), height)
    font.setWeight(QFont.Weight.DemiBold)
    text.setFont(font)
    text.setStyleSheet(f"font-size: {height}px; font-weight: 600;")


def _font(font: QFont, height: int) -> QFont:
    result = tabular(font)
    result.setPixelSize(height)
    return result
