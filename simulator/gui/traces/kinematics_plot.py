"""Figures of one driver over time: transmission angles, ratios, mechanical advantage, the smallest singular value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QElapsedTimer, QTimer, pyqtSignal
from PyQt6.QtWidgets import QPushButton, QWidget

from simulator.gui.fields import NoWheelComboBox, RoomLabel
from simulator.gui.kinematic_watch import KinematicWatch, figure_names
from simulator.gui.plain_plot import controls_over_plot, plain_plot, style_plot
from simulator.gui.traces.saving import ShownTable
from simulator.gui.traces.trace_plot import TimeAxis
from simulator.gui.units import compact

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens
    from simulator.gui.units import Units
    from simulator.recording.channels import Channel
    from simulator.session.look.kinematics_now import Figure
    from simulator.session.run.client import SimulationClient
    from simulator.spatial.arrays import Array


SOON = 5
"""Pause of the window between two looks at a recording of which figures are still to be found [ms]."""
BUDGET = 8_000_000
"""So long the window may look for figures at a time [ns]: half a frame."""
MOST_AT_ONCE = 40


class KinematicsPlot(QWidget):
    """One figure at a time; the driver is chosen in the panel *Kinematics*. `unfinished`: there is more to be found."""

    unfinished = pyqtSignal()

    def __init__(self, watch: KinematicWatch, tokens: Tokens) -> None:
        super().__init__()
        self._watch = watch
        self.figure, self.logarithmic, self.readout = NoWheelComboBox(), QPushButton(self.tr("log")), RoomLabel("muted")
        self.times: Array = np.zeros(0)
        self.values: Array = np.zeros((0, 0))
        self._figures: tuple[Figure, ...] = ()
        self._at_once, self._clock = 1, QElapsedTimer()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SOON)
        self._later.timeout.connect(self.unfinished)
        self._plot = plain_plot(self.tr("Figures of the driver over time"), bottom=TimeAxis())
        self._curve = self._plot.plot([], [], connect="finite")
        self._head: Any = pg.InfiniteLine(angle=90)
        self._plot.addItem(self._head)
        self.figure.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.figure.setAccessibleName(self.tr("Figure on show"))
        self.logarithmic.setCheckable(True)
        self.logarithmic.setProperty("segment", "only")
        self.logarithmic.setToolTip(self.tr("Magnitudes in decades"))
        self.logarithmic.toggled.connect(lambda on: self._plot.setLogMode(y=on))
        controls_over_plot(self, self._plot, self.figure, self.logarithmic, self.readout)
        self.set_tokens(tokens)

    def refresh(
        self, client: SimulationClient, span: tuple[float, float], head: float, dt: float, units: Units
    ) -> None:
        """Draw a stretch of time [s]; `head`: the moment on show, `dt` the step."""
        self._offer()
        over_time = self._watch.over_time
        index = self.figure.currentIndex()
        if over_time is None or not 0 <= index < len(self._figures):
            self.readout.show_text(self._watch.problem or self.tr("computing …"), "")
            self._curve.setData([], [])
            return
        self._clock.start()
        columns = position_columns(client.channels)
        self.times, self.values = over_time.trace(client, columns, span, dt, new=self._at_once)
        if over_time.found:
            one = max(self._clock.nsecsElapsed() // over_time.found, 1)
            self._at_once = min(max(BUDGET // one, 1), MOST_AT_ONCE)
        factor, unit = units.quotient(self._figures[index].unit)
        curve = self.values[:, index] * factor
        self._curve.setData(self.times, np.abs(curve) if self.logarithmic.isChecked() else curve)
        self._head.setValue(head)
        self._plot.setXRange(*span, padding=0.0)
        self._plot.setLabel("left", unit)
        if not over_time.complete:
            self._later.start()
        finite = np.flatnonzero(np.isfinite(curve))
        if len(finite):
            at = finite[np.argmin(np.abs(self.times[finite] - head))]
            text = self.tr("now {now}   least {least}   greatest {greatest}")
            now, least, greatest = (compact(float(v), 4) for v in (curve[at], curve[finite].min(), curve[finite].max()))
            self.readout.show_text(text.format(now=now, least=least, greatest=greatest), "")

    def table(self) -> ShownTable:
        """All figures over the stretch of time on show."""
        return ShownTable(tuple((figure.key, figure.unit) for figure in self._figures), self.times, self.values)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        style_plot(self._plot, tokens)
        self._curve.setPen(pg.mkPen(tokens.series[0], width=2))
        self._head.setPen(pg.mkPen(tokens.accent, width=1))

    def _offer(self) -> None:
        """The figures that there are; the one that was chosen stays."""
        figures = self._watch.found.figures.figures if self._watch.found is not None else ()
        if figures == self._figures:
            return
        before = self.figure.currentText()
        self._figures = figures
        self.figure.clear()
        self.figure.addItems(figure_names(figures))
        self.figure.setCurrentIndex(max(self.figure.findText(before), 0))


def position_columns(channels: tuple[Channel, ...]) -> list[int]:
    """Channels of positions, by which a moment of the recording is known again."""
    return [number for number, channel in enumerate(channels) if channel.group == "position"]
