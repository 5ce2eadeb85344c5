"""The common part of plots with one pair of axes: no buttons and menus, the colours of the theme, a
legend that covers no curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import QApplication, QBoxLayout, QGraphicsScene, QSizePolicy, QWidget

from simulator.gui.fields import scaled

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens

BEHIND_THE_RIGHT_AXIS = (2, 3)
"""Row and column of the layout of a plot: title and top axis are above, the axes and the curves to the left."""
FAR = ("right", "top")
ACROSS, DOWN = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
LOW, WIDE, BESIDE = 170, 480, 216
"""Controls are beside the plot of a widget that is lower than the first and wider than the second, in a column of the
third, see `scaled`."""
LOWEST = 48
"""Height of a plot at least [px]: where room is short its axes are still to be seen."""


class PlainAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with figures in the unit that its label says. pyqtgraph sets the text of the label of every axis, also
    where there is none, whenever the range changes: a fifth of what a picture of plots that run takes."""

    _written = ""

    def updateAutoSIPrefix(self) -> None:
        """The figures are drawn again; their unit stays."""
        self.picture = None
        self.update()

    def _updateLabel(self) -> None:
        if (text := self.labelString()) != self._written:
            self._written = text
            super()._updateLabel()


def plain_axes(**own: Any) -> dict[str, Any]:
    """Axes of a plot by side, those that are not its `own` plain ones; see `hide_far_axes`."""
    return {side: own.get(side) or PlainAxis(side) for side in ("left", "bottom", *FAR)}


def hide_far_axes(plot: Any) -> None:
    """Those on the right and above, which pyqtgraph shows where it has not made them itself."""
    for side in FAR:
        plot.hideAxis(side)


def unindexed(view: Any) -> Any:
    """A pyqtgraph view whose scene looks at all of its items instead of keeping an index by place: items that change
    their bounds unannounced, as curves and axes do, are still in an index after they are gone, and the next picture
    ends the program."""
    view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    return view


def plain_plot(name: str, **axes: Any) -> Any:
    """A `PlotWidget` with a grid, figures in the unit that the label says; `name` is what a screen reader says; `axes`:
    some of its own, by side."""
    plot = unindexed(pg.PlotWidget(enableMenu=False, axisItems=plain_axes(**axes)))
    plot.setAccessibleName(name)
    hide_far_axes(plot)
    plot.hideButtons()
    plot.setMinimumHeight(LOWEST)
    plot.showGrid(x=True, y=True, alpha=0.2)
    return plot


def style_plot(plot: Any, tokens: Tokens) -> None:
    """Ground, axes and legend of a `PlotWidget` in the colours of a theme and the type of the application."""
    plot.setBackground(tokens.surface)
    font = QApplication.font()
    height = f"{QFontInfo(font).pixelSize()}px"
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(tokens.border))
        axis.setTextPen(pg.mkPen(tokens.muted))
        axis.setTickFont(font)
        axis.setLabel(axis.labelText, axis.labelUnits, color=tokens.muted, **{"font-size": height})
        axis.resizeEvent()  # which puts the label into the middle
    legend = plot.getPlotItem().legend
    if legend is not None:
        legend.setLabelTextColor(tokens.text)
        legend.setLabelTextSize(height)
        for _, label in legend.items:
            label.setText(label.text)  # which it has drawn in its old type


def legend_beside(plot: Any) -> Any:
    """The legend of a `PlotWidget`, in a column of its own at the right; it names what is plotted from now on."""
    item = plot.getPlotItem()
    item.legend = pg.LegendItem(verSpacing=-4)
    item.legend.setMinimumHeight(0.0)  # of a low plot the legend is cut, not the axis
    item.legend.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)  # lines stay with their names
    item.layout.addItem(item.legend, *BEHIND_THE_RIGHT_AXIS)
    item.layout.setAlignment(item.legend, Qt.AlignmentFlag.AlignTop)
    return item.legend


def controls_over_plot(widget: QWidget, plot: Any, *controls: QWidget) -> None:
    """Lay a widget out: a row of controls, the last of which has what room is left, over a `PlotWidget`; in a low
    widget they are beside it, one below the other."""
    _ByRoom(widget, plot, controls)


class _ByRoom(QObject):
    """Lays a widget out anew when its size changes."""

    def __init__(self, widget: QWidget, plot: QWidget, controls: Sequence[QWidget]) -> None:
        super().__init__(widget)
        self._bar = QWidget()
        self._row, self._whole = QBoxLayout(ACROSS, self._bar), QBoxLayout(DOWN, widget)
        self._row.setContentsMargins(8, 4, 8, 2)
        for control in controls:
            self._row.addWidget(control, int(control is controls[-1]))
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        self._whole.addWidget(self._bar)
        self._whole.addWidget(plot, 1)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Lay out."""
        if isinstance(watched, QWidget) and event is not None and event.type() is QEvent.Type.Resize:
            beside = watched.height() < scaled(LOW) and watched.width() > scaled(WIDE)
            self._whole.setDirection(ACROSS if beside else DOWN)
            self._row.setDirection(DOWN if beside else ACROSS)
            self._bar.setMinimumWidth(scaled(BESIDE) if beside else 0)
            self._bar.setMaximumWidth(scaled(BESIDE) if beside else 16_777_215)
        return False
