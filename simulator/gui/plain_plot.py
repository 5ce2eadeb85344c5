"""What plots with one pair of axes have in common: no buttons and menus of their own, the colours of the theme, a
legend that covers no curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PyQt6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens

BEHIND_THE_RIGHT_AXIS = (2, 3)
"""Row and column of the layout of a plot: title and top axis are above, the axes and the curves to the left."""
LOWEST = 48
"""Height of a plot at least [px]: where room is short its axes are still to be seen."""


def plain_plot(name: str) -> Any:
    """A `PlotWidget` with a grid; `name` is what a screen reader says."""
    plot = pg.PlotWidget(enableMenu=False)
    plot.setAccessibleName(name)
    plot.hideButtons()
    plot.setMinimumHeight(LOWEST)
    plot.showGrid(x=True, y=True, alpha=0.2)
    return plot


def colour_plot(plot: Any, tokens: Tokens) -> None:
    """Ground and axes of a `PlotWidget` in the colours of a theme; figures are in the unit that the label says."""
    plot.setBackground(tokens.surface)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.enableAutoSIPrefix(False)
        axis.setPen(pg.mkPen(tokens.border))
        axis.setTextPen(pg.mkPen(tokens.muted))


def legend_beside(plot: Any) -> Any:
    """The legend of a `PlotWidget`, in a column of its own at the right; it names what is plotted from now on."""
    item = plot.getPlotItem()
    item.legend = pg.LegendItem(verSpacing=-4, labelTextSize="9pt")
    item.legend.setMinimumHeight(0.0)  # of a low plot the legend is cut, not the axis
    item.layout.addItem(item.legend, *BEHIND_THE_RIGHT_AXIS)
    return item.legend


def controls_over_plot(widget: QWidget, plot: Any, *controls: QWidget) -> None:
    """Lay a widget out: a row of controls, the last of which has what room is left, over a `PlotWidget`."""
    row = QHBoxLayout()
    row.setContentsMargins(8, 4, 8, 2)
    for control in controls[:-1]:
        row.addWidget(control)
    row.addWidget(controls[-1], 1)
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(row)
    column.addWidget(plot, 1)
