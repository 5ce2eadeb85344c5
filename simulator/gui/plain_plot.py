"""The common part of plots with one pair of axes: no buttons and menus, the colours of the theme, a
legend that covers no curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QGraphicsGridLayout,
    QGraphicsItem,
    QGraphicsScene,
    QSizePolicy,
    QWidget,
)

from simulator.gui.fields import scaled

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens

BESIDE_THE_CURVES = (0, 2)
"""Row and column of the layout of a plot: the curves are to the left, the axis of values before them."""
RANGES = (
    "autoRange", "disableAutoRange", "enableAutoRange", "register", "setAspectLocked", "setLimits", "setMouseEnabled",
    "setRange", "setXLink", "setXRange", "setYLink", "setYRange", "unregister", "viewRect",
)  # fmt: skip
"""Methods of a plot that are those of its `ViewBox`; `PlotWidget` expects them."""
OPAQUE = 255
"""Of a grid."""
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


class Plot(pg.GraphicsWidget):  # type: ignore[misc]
    """An axis below, one on the left, and curves, with as much of the interface of the plots of pyqtgraph as is used.
    Those make a menu of fifty widgets, which they cannot do without, a title, a button and two more axes: ten times the
    work. `axes`: some of its own, by side."""

    def __init__(self, **axes: Any) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.vb: Any = pg.ViewBox(parent=self, enableMenu=False)
        self.sigRangeChanged = self.vb.sigRangeChanged
        for name in RANGES:
            setattr(self, name, getattr(self.vb, name))
        self.legend: Any = None
        self._axes: dict[str, Any] = {}
        self._grid = QGraphicsGridLayout()
        self._grid.setContentsMargins(1.0, 1.0, 1.0, 1.0)
        self._grid.setSpacing(0.0)
        self.setLayout(self._grid)
        self._grid.addItem(self.vb, 0, 1)
        self.setAxisItems({side: axes.get(side) or PlainAxis(side) for side in ("left", "bottom")})
        self._grid.setRowStretchFactor(0, 100)
        self._grid.setColumnStretchFactor(1, 100)

    def setAxisItems(self, axisItems: dict[str, Any]) -> None:
        """Put axes into their places, by side."""
        for side, place in (("left", (0, 0)), ("bottom", (1, 1))):
            axis = self._axes[side] = axisItems[side]
            axis.linkToView(self.vb)
            self._grid.addItem(axis, *place)
            axis.setZValue(0.5)  # over images and below what is to be over the axes
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)

    def implements(self, interface: str | None = None) -> bool:
        """Views can be linked to this one."""
        return interface == "ViewBoxWrapper"

    def getViewBox(self) -> Any:
        """Where the curves are."""
        return self.vb

    def getAxis(self, side: str) -> Any:
        """The axis on a side, "left" or "bottom"."""
        return self._axes[side]

    def setLabel(self, side: str, *text: Any, **style: Any) -> None:
        """Write along an axis."""
        self._axes[side].setLabel(*text, **style)

    def showGrid(self, x: bool, y: bool, alpha: float) -> None:
        """Lines across the plot at the ticks, in the colour of the axes with this opacity."""
        for side, on in (("bottom", x), ("left", y)):
            self._axes[side].setGrid(int(alpha * OPAQUE) if on else False)

    def setLogMode(self, y: bool) -> None:
        """Values in decades: of the curves that are there, and the axis."""
        for item in self.vb.addedItems:
            if isinstance(item, pg.PlotDataItem):
                item.setLogMode(False, y)
        self._axes["left"].setLogMode(False, y)
        self.vb.enableAutoRange()

    def plot(self, *data: Any, **options: Any) -> Any:
        """A new `PlotDataItem`; the legend names it if it has a name."""
        curve = pg.PlotDataItem(*data, **options)
        self.addItem(curve)
        if self.legend is not None and curve.name() is not None:
            self.legend.addItem(curve, curve.name())
        return curve

    def addItem(self, item: Any, *, ignoreBounds: bool = False) -> None:
        """Add what has a place in the coordinates of the plot."""
        self.vb.addItem(item, ignoreBounds=ignoreBounds)

    def removeItem(self, item: Any) -> None:
        """Take it out again, and its name out of the legend."""
        self.vb.removeItem(item)
        if self.legend is not None:
            self.legend.removeItem(item)

    def clear(self) -> None:
        """Take everything out."""
        for item in tuple(self.vb.addedItems):
            self.removeItem(item)


def unindexed(view: Any) -> Any:
    """A pyqtgraph view whose scene looks at all of its items instead of keeping an index by place: items that change
    their bounds unannounced, as curves and axes do, are still in an index after they are gone, and the next picture
    ends the program."""
    view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
    return view


def plain_plot(name: str, **axes: Any) -> Any:
    """A `PlotWidget` with a grid, figures in the unit that the label says; `name` is what a screen reader says; `axes`:
    some of its own, by side."""
    plot = unindexed(pg.PlotWidget(plotItem=Plot(**axes)))
    plot.setAccessibleName(name)
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
    item.layout().addItem(item.legend, *BESIDE_THE_CURVES)
    item.layout().setAlignment(item.legend, Qt.AlignmentFlag.AlignTop)
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
