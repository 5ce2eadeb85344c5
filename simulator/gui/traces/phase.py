"""A follower over its leader: the recording, the line of its law, and the measured slope."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from simulator.gui.fields import NoWheelComboBox, RoomLabel
from simulator.gui.laws import short_names
from simulator.gui.plain_plot import controls_over_plot, plain_plot, style_plot
from simulator.gui.traces.decimation import nice_range
from simulator.gui.traces.saving import ShownTable
from simulator.gui.traces.trace_plot import LEAST, TraceCurve
from simulator.gui.units import Units, compact, number, scientific
from simulator.model.tape import NEAREST_TURN
from simulator.recording.statistics import Line, fitted_line

if TYPE_CHECKING:
    from simulator.gui.current_laws import CurrentLaws
    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Coupling
    from simulator.session.run.client import SimulationClient
    from simulator.spatial.arrays import Array


DRAWN = 2_000
"""So many points are drawn at most; the slope is that of all."""
STILL = 1e-12
"""A step below this part of where the leader is, or below this [rad or m], is no motion."""


NOTHING = ShownTable((), np.zeros(0), np.zeros((0, 0)))


class PhasePlot(QWidget):
    """Phase plot of one coupling at a time. `line`: measured over the stretch of time on show, with the present law
    only; the part of further leaders is subtracted from the follower first."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.choice, self.figures = NoWheelComboBox(), RoomLabel("muted")
        self.line: Line | None = None
        self._looked: tuple[object, int, float] | None = None
        self._moved_last = -math.inf
        self._table = NOTHING
        self._plot = plain_plot(self.tr("Follower over leader"))
        self._ideal, self._curve = pg.PlotCurveItem(antialias=True), TraceCurve(antialias=True)
        self._curve.bold = True
        self._here = pg.ScatterPlotItem(size=9)
        for item in (self._ideal, self._curve, self._here):
            self._plot.addItem(item)
        self.choice.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.setAccessibleName(self.tr("Coupling on show"))
        controls_over_plot(self, self._plot, self.choice, self.figures)
        self.set_tokens(tokens)

    def show_laws(self, laws: CurrentLaws) -> None:
        """Offer the couplings of a mechanism."""
        names = short_names(laws.mechanism.axes)
        mechanism = laws.mechanism
        texts = [f"{names[c.follower]} / {names[c.leader]}" for c in mechanism.couplings]
        if texts != [self.choice.itemText(i) for i in range(self.choice.count())]:
            self.choice.clear()
            self.choice.addItems(texts)

    def refresh(self, client: SimulationClient, laws: CurrentLaws, span: tuple[float, float], units: Units) -> None:
        """Draw what was recorded in a stretch of time [s], `span`; its end is the moment on show."""
        index = self.choice.currentIndex()
        if index < 0:
            self._forget()  # what the mechanism before had
            self.figures.show_text(self.tr("This mechanism has no couplings."), "")
            return
        law = laws.coupling(index)
        axes = laws.mechanism.axes
        places = {(channel.group, channel.index): i for i, channel in enumerate(client.channels)}
        columns = [places["position", axis] for axis, _ in law.terms]
        times, values = client.trace(columns, max(span[0], laws.history[-1][0]))
        times, values = times[times <= span[1]], values[times <= span[1]]
        follower = values[:, 0]
        leader = values[:, 1]
        others = values[:, 2:]
        follower = follower - others @ np.array([multiplier for _, multiplier in law.others])
        self.line = fitted_line(leader, follower)
        ideal = _asked(law, leader)
        if law.curve is not None and law.curve.tape.uses(NEAREST_TURN):
            ideal = ideal + 2.0 * math.pi * np.round((follower - ideal) / (2.0 * math.pi))
        numbers = np.column_stack((leader, follower, ideal, follower - ideal))
        of_leader, of_follower = (f"joint/{axes[axis].name}/position" for axis in (law.leader, law.follower))
        heads = (of_leader, of_follower, f"{of_follower}/ideal", f"{of_follower}/delta")
        units_of = (axes[law.leader].unit, *3 * (axes[law.follower].unit,))
        self._table = ShownTable(tuple(zip(heads, units_of, strict=True)), times, numbers)
        across, up = units.factor(axes[law.leader]), units.factor(axes[law.follower])
        every = max(len(leader) // DRAWN, 1)
        self._curve.setData(leader[::every] * across, follower[::every] * up)
        self._here.setData(leader[-1:] * across, follower[-1:] * up)
        for set_range, shown in ((self._plot.setXRange, leader * across), (self._plot.setYRange, follower * up)):
            wanted = nice_range(shown, LEAST)
            if wanted is not None:
                set_range(*wanted, padding=0.0)
        between = 2 if law.curve is None else DRAWN
        ends = np.linspace(leader.min(), leader.max(), between) if len(leader) else np.zeros(2)
        drawn = _asked(law, ends)
        if len(ideal) and law.curve is not None and law.curve.tape.uses(NEAREST_TURN):
            drawn = np.unwrap(drawn)
            # The curve that goes through what was recorded, not one some turns beside it.
            drawn += ideal[int(np.argmin(leader))] - drawn[0]
        self._ideal.setData(ends * across, drawn * up)
        names = short_names(axes)
        self._plot.setLabel("bottom", f"{names[law.leader]} [{units.unit(axes[law.leader])}]")
        self._plot.setLabel("left", f"{names[law.follower]} [{units.unit(axes[law.follower])}]")
        if self.line is None:
            self._look_back(client, index, columns[1])
        self._show_figures(law, follower - ideal)

    def _forget(self) -> None:
        self._table, self.line = NOTHING, None
        for curve in (self._curve, self._ideal, self._here):
            curve.setData([], [])
        for side in ("bottom", "left"):
            self._plot.setLabel(side, "")

    def _look_back(self, client: SimulationClient, index: int, column: int) -> None:
        """Find when the leader moved last, from where that was looked for before: a recording may be long."""
        since = -math.inf
        if self._looked is not None and self._looked[:2] == (client, index):
            since = self._looked[2]
        else:
            self._moved_last = -math.inf
        times, values = client.trace([column], since)
        moved = np.flatnonzero(np.abs(np.diff(values[:, 0])) > STILL * max(1.0, float(np.abs(values).max(initial=0.0))))
        if len(moved):
            self._moved_last = float(times[moved[-1] + 1])
        self._looked = (client, index, float(times[-1]) if len(times) else since)

    def table(self) -> ShownTable:
        """Leader, follower without what further leaders give, what the law asks for, and the difference."""
        return self._table

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        style_plot(self._plot, tokens)
        self._curve.setPen(pg.mkPen(tokens.series[0], width=1))
        self._ideal.setPen(pg.mkPen(tokens.text, width=1, style=Qt.PenStyle.DashLine))
        self._here.setBrush(pg.mkBrush(tokens.accent))
        self._here.setPen(pg.mkPen(tokens.surface))

    def _show_figures(self, law: Coupling, lack: Array) -> None:
        multiplier = law.multiplier
        if self.line is None:
            never, then = self.tr("The leader has not moved yet."), self.tr("at rest since {time} s")
            if math.isfinite(self._moved_last):
                time = number(self._moved_last, 2)
                text = self.tr("The leader is at rest in this stretch of time; it last moved at {time} s.")
                self.figures.show_text(text.format(time=time), then.format(time=time))
            else:
                self.figures.show_text(never, "")
            return
        if law.curve is not None:
            largest = float(np.abs(lack).max(initial=0.0))
            said = self.tr("largest error {error}").format(error=scientific(largest)) if math.isfinite(largest) else ""
            self.figures.show_text(said, said)
            return
        text = self.tr("slope {slope}   multiplier {multiplier}   error {error}")
        slope = compact(self.line.slope, 10)
        error = scientific(self.line.slope - multiplier)
        short = self.tr("slope {slope}").format(slope=slope)
        self.figures.show_text(text.format(slope=slope, multiplier=compact(multiplier, 10), error=error), short)


def _asked(law: Coupling, leader: Array) -> Array:
    """What a law asks of its follower at positions of the leader, (n,); nan for a constraint, which is solved for
    nothing."""
    if law.curve is None:
        found: Array = law.multiplier * leader + law.constant
        return found
    if law.curve.law is None:
        return np.full(len(leader), np.nan)
    return np.asarray(law.curve.law.tape.expand(leader[:, None]).value, dtype=float)
