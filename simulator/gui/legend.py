"""A legend that covers no curve."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

BEHIND_THE_RIGHT_AXIS = (2, 3)
"""Row and column of the layout of a plot: title and top axis are above, the axes and the curves to the left."""


def legend_beside(plot: Any) -> Any:
    """The legend of a `PlotWidget`, in a column of its own at the right; it names what is plotted from now on."""
    item = plot.getPlotItem()
    item.legend = pg.LegendItem(verSpacing=-4, labelTextSize="9pt")
    item.layout.addItem(item.legend, *BEHIND_THE_RIGHT_AXIS)
    return item.legend
