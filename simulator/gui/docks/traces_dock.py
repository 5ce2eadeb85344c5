"""Curves of the recording over time: leader, follower and ideal follower above, residuals below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QCoreApplication
from PyQt6.QtWidgets import QButtonGroup, QPushButton

from simulator.engine.snapshot import Snapshot
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.docks.panel import Panel, bar_layout, segments, side_by_side, under_bar
from simulator.gui.fields import QuietCombo, RoomLabel, label, scaled
from simulator.gui.live import LiveSession
from simulator.gui.theme import Theme, Tokens
from simulator.gui.traces.decimation import latest_run, min_max
from simulator.gui.traces.legend import Legend
from simulator.gui.traces.plan import Group, Series, plan
from simulator.gui.traces.plots import PlotStack
from simulator.gui.units import Units, number

if TYPE_CHECKING:
    from simulator.session.opening import Opened

WINDOWS = (2.0, 5.0, 10.0, 30.0, 60.0, math.inf)
Columns = dict[str, NDArray[np.float64]]


class TracesDock(Panel):
    """Refreshed from outside, about 30 times a second while simulated time passes."""

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__("traces", QCoreApplication.translate("TracesDock", "Traces"), "traces", theme)
        self._live, self.units = live, units
        self._series: tuple[Series, ...] = ()
        self._shown: dict[Group, set[str]] = {}
        self._times: NDArray[np.float64] = np.empty(0)
        self._columns: Columns = {}
        self._cursor = math.nan
        self.plots, self.legend = PlotStack(theme.tokens), Legend(theme.tokens)
        self.span, self.follow = QuietCombo(), QPushButton(self.tr("Follow"))
        self._groups = QButtonGroup(self)
        self._readout = RoomLabel("muted")
        self._arrange()
        self._connect()
        self.show_document(None)

    @property
    def group(self) -> Group:
        """The quantity on show."""
        return list(Group)[self._groups.checkedId()]

    def set_group(self, group: Group) -> None:
        """Show another quantity."""
        button = self._groups.button(list(Group).index(group))
        if button is not None:
            button.click()

    def show_document(self, opened: Opened | None) -> None:
        """Offer the channels of a simulation."""
        self._shown.clear()
        if opened is None or self._live.client is None:
            self.show_empty(self.tr("Positions, velocities, efforts and residuals are drawn here while a world runs."))
            return
        self.show_main()
        self._change_group()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self._rebuild()

    def refresh(self, snapshot: Snapshot) -> None:
        """Fetch the history on show and draw it."""
        if self.is_empty or self.visibleRegion().isEmpty():
            return
        stop = snapshot.time
        if self.follow.isChecked():
            span = WINDOWS[self.span.currentIndex()]
            start = max(stop - span, 0.0)
            stop = start + (span if math.isfinite(span) else max(stop, 1.0))
            self.plots.set_time_range(start, stop)
        else:
            start, stop = self.plots.time_range()
        self._fetch(start, stop)
        self._show_values()

    def _fetch(self, start: float, stop: float) -> None:
        client, visible = self._live.client, self.legend.visible_series()
        if client is None:
            return
        columns = sorted({column for series in visible for column in series.columns})
        times, values = latest_run(*client.trace(columns, start))
        if len(times) and times[-1] > stop:
            last = int(np.searchsorted(times, stop, side="right"))
            times, values = times[:last], values[:last]
        self._times, self._columns = times, by_series(visible, columns, values)
        if self._live.laws is not None and len(self._live.laws.history) > 1:
            self._columns.update(ideals_over_time(self._live.laws, visible, columns, times, values))
        curves = np.array([self._columns[series.key] for series in visible]).reshape(len(visible), len(times)).T
        thin_times, thin = min_max(times, curves, stop - start, self.plots.width_in_pixels())
        drawn = {series.key: thin[:, i] * self.units.factor_of(series.unit) for i, series in enumerate(visible)}
        self.plots.set_data(thin_times, drawn, smooth=not self._live.running)

    def _show_values(self) -> None:
        if not len(self._times):
            self.legend.set_values({}, self.units)
            return
        row = len(self._times) - 1
        if math.isfinite(self._cursor):
            row = min(int(np.searchsorted(self._times, self._cursor)), row)
        self._readout.show_text(f"t = {number(float(self._times[row]), 3)} s", "")
        self.legend.set_values({key: float(values[row]) for key, values in self._columns.items()}, self.units)

    def _arrange(self) -> None:
        bar, row = bar_layout()
        names = (self.tr("Position"), self.tr("Velocity"), self.tr("Effort"), self.tr("Energy"))
        buttons = [QPushButton(name) for name in names]
        for index, button in enumerate(buttons):
            self._groups.addButton(button, index)
        row.addLayout(segments(*buttons))
        buttons[0].setChecked(True)
        row.addWidget(self._readout, 1)
        row.addWidget(label(self.tr("Window"), "muted"))
        self.span.addItems([self.tr("all") if math.isinf(w) else f"{w:.0f} s" for w in WINDOWS])
        self.span.setCurrentIndex(2)
        self.span.setAccessibleName(self.tr("Stretch of time on show"))
        row.addWidget(self.span)
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.setProperty("segment", "true")
        self.follow.setToolTip(self.tr("Keep the newest time in sight; dragging or zooming a plot switches this off"))
        row.addWidget(self.follow)
        self.legend.setMinimumWidth(scaled(240))
        splitter = side_by_side(self.legend, self.plots.widget, 350, 970)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 2)
        self.set_main(under_bar(bar, splitter))

    def _connect(self) -> None:
        self._groups.idClicked.connect(lambda _id: self._change_group())
        self.legend.chosen.connect(self._choice_changed)
        self.span.currentIndexChanged.connect(lambda _index: self.follow.setChecked(True))
        self.span.currentIndexChanged.connect(lambda _index: self._redraw())
        self.follow.toggled.connect(lambda _on: self._redraw())
        self.plots.dragged.connect(lambda: self.follow.setChecked(False))
        self.plots.dragged.connect(self._redraw)
        self.plots.cursor_moved.connect(self._cursor_moved)
        self._live.document_changed.connect(self.show_document)
        self._live.laws_changed.connect(lambda _laws: self._change_group())
        self.theme.changed.connect(self._set_tokens)

    def _change_group(self) -> None:
        relations, client = self._live.relations, self._live.client
        if relations is None or client is None:
            return
        self._series = plan(relations.mechanism, client.channels, self.group)
        default = {series.key for series in self._series if series.shown}
        self.legend.set_series(self._series, self._shown.get(self.group, default))
        self._rebuild()

    def _choice_changed(self) -> None:
        self._shown[self.group] = {series.key for series in self.legend.visible_series()}
        self._rebuild()

    def _rebuild(self) -> None:
        visible = self.legend.visible_series()
        self.plots.show_series(visible, {series.unit: self.units.name_of(series.unit) for series in visible})
        self._redraw()

    def _redraw(self) -> None:
        if self._live.snapshot is not None:
            self.refresh(self._live.snapshot)

    def _cursor_moved(self, time: float) -> None:
        self._cursor = time
        self._show_values()

    def _set_tokens(self, tokens: Tokens) -> None:
        self.plots.set_tokens(tokens)
        self.legend.set_tokens(tokens)


def by_series(visible: Sequence[Series], columns: Sequence[int], values: NDArray[np.float64]) -> Columns:
    """The curve of every series from the fetched columns."""
    place = {column: i for i, column in enumerate(columns)}
    return {series.key: series.values(*(values[:, place[column]] for column in series.columns)) for series in visible}


def ideals_over_time(
    laws: CurrentLaws,
    visible: Sequence[Series],
    columns: Sequence[int],
    times: NDArray[np.float64],
    values: NDArray[np.float64],
) -> Columns:
    """Ideal followers whose law was changed while it ran: each stretch of time by the law that held then."""
    place = {column: i for i, column in enumerate(columns)}
    curves: Columns = {}
    for series in visible:
        if series.coupling is None:
            continue
        samples = [values[:, place[column]] for column in series.columns]
        curve = np.empty(len(times))
        for inside, coupling in laws.stretches(series.coupling.follower, times):
            curve[inside] = replace(series, coupling=coupling).values(*(column[inside] for column in samples))
        curves[series.key] = curve
    return curves
