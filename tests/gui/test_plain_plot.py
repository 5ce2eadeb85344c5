"""What plots with one pair of axes have in common."""

from __future__ import annotations

import pyqtgraph as pg
import pytest
from PyQt6.QtGui import QFontMetricsF
from PyQt6.QtWidgets import QAbstractButton, QApplication, QGroupBox, QMenu
from pytestqt.qtbot import QtBot

from simulator.gui.plain_plot import legend_beside, plain_plot, style_plot
from simulator.gui.tokens import LIGHT


def test_names_of_a_legend_are_beside_their_lines(qtbot: QtBot) -> None:
    """Also where two of them have the height of a plot for themselves."""
    plot = plain_plot("a plot")
    qtbot.addWidget(plot)
    legend = legend_beside(plot)
    style_plot(plot, LIGHT)
    for name in ("one", "other"):
        plot.plot([0.0, 1.0], [0.0, 1.0], name=name)
    plot.resize(600, 200)
    plot.show()
    qtbot.waitExposed(plot)
    for sample, label in legend.items:
        assert abs(sample.geometry().center().y() - label.geometry().center().y()) < 2.0
        assert label.geometry().height() < 2.0 * QFontMetricsF(QApplication.font()).height()


def test_a_plot_brings_no_widgets_that_are_never_seen(qtbot: QtBot) -> None:
    """The style sheet would be worked out for each of them at every change of colours."""
    before = set(QApplication.allWidgets())
    plot = plain_plot("a plot")
    qtbot.addWidget(plot)
    made = set(QApplication.allWidgets()) - before
    assert not [widget for widget in made if isinstance(widget, QMenu | QAbstractButton | QGroupBox)]


def test_decades_are_for_the_curves_and_the_axis_of_values(qtbot: QtBot) -> None:
    plot = plain_plot("a plot")
    qtbot.addWidget(plot)
    curve = plot.plot([0.0, 1.0], [10.0, 1000.0])
    line = pg.InfiniteLine(pos=0.5, angle=90)
    plot.addItem(line)
    plot.setLogMode(y=True)
    assert curve.getData()[1].tolist() == pytest.approx([1.0, 3.0])
    assert plot.getAxis("left").logMode
    assert not plot.getAxis("bottom").logMode
    plot.setLogMode(y=False)
    assert curve.getData()[1].tolist() == [10.0, 1000.0]
    plot.clear()
    assert not plot.getViewBox().addedItems
