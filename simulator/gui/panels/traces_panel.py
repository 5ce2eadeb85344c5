"""Curves of the recording over time: leader, follower and ideal follower above, residuals below, or as arranged by
hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QCoreApplication, QPoint, Qt, pyqtSignal
from PyQt6.QtWidgets import QApplication, QStackedWidget

from simulator.engine.snapshot import Snapshot
from simulator.gui.fields import PlainLabel
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import Panel
from simulator.gui.panels.trace_bar import WINDOWS, TraceBar, TraceLayout
from simulator.gui.theme import Theme, Tokens
from simulator.gui.traces.arrangement import DropPlace, Plots, moved, plot_moved, split
from simulator.gui.traces.channel_list import ChannelList
from simulator.gui.traces.chosen import ChosenCurves
from simulator.gui.traces.decimation import latest_run, min_max
from simulator.gui.traces.figures import save_curves
from simulator.gui.traces.legend import value_text
from simulator.gui.traces.pages import KINEMATICS, PHASE, REACTION, TracePages
from simulator.gui.traces.plan import Group, Series, plan, why_nothing
from simulator.gui.traces.plots import LEAST_HEIGHT, PlotStack
from simulator.gui.traces.samples import by_series, ideals_over_time
from simulator.gui.traces.saving import ShownTable
from simulator.gui.units import Units, number
from simulator.recording.statistics import stretch

if TYPE_CHECKING:
    from simulator.gui.preferences import Preferences
    from simulator.session.open.opening import Opened

SAME_TIME = 1e-9
"""Times [s] nearer than this are the same."""


class TracesPanel(Panel):
    """Refreshed from outside, about 30 times a second while simulated time passes. `watches`: whether forces are on
    show."""

    STRIP, IN_LECTURE = 48, 2 * LEAST_HEIGHT + 4
    """In a lecture, where there are at most two plots, there is room for one below the other: side by side, large type
    leaves nothing for the curves."""

    watches = pyqtSignal(bool)

    def __init__(self, live: LiveSession, theme: Theme, units: Units, preferences: Preferences) -> None:
        super().__init__(theme, "traces", QCoreApplication.translate("TracesPanel", "Traces"), "traces")
        self._live, self.units = live, units
        self._series: tuple[Series, ...] = ()
        self._chosen = ChosenCurves(preferences)
        self._times: NDArray[np.float64] = np.empty(0)
        self._columns: dict[str, NDArray[np.float64]] = {}
        self._cursor = math.nan
        self._head: float | None = None
        self.plots, self.channels = PlotStack(theme.tokens), ChannelList(theme.tokens)
        self._over_time, self._nothing = QStackedWidget(), PlainLabel()
        self.pages = TracePages(self._over_time, live.kinematics, theme)
        self.bar = TraceBar(theme)
        self.legend, self.tools = self.channels.rows, self.bar.tools
        self.span = self.bar.span
        self.follow = self.bar.follow
        self._groups = self.bar.groups
        self._pair: tuple[float, float] | None = None
        self._arrange()
        self._connect()
        self.show_document(None)

    @property
    def group(self) -> Group:
        """The quantity on show; positions beside the phase plot."""
        chosen = self._groups.checkedId()
        return list(Group)[chosen] if chosen < len(Group) else Group.POSITION

    def set_group(self, group: Group) -> None:
        """Show another quantity."""
        button = self._groups.button(list(Group).index(group))
        if button is not None:
            button.click()

    def show_axes(self, axes: Sequence[int]) -> None:
        """Draw these axes alone, beside the residuals that are on show."""
        wanted = self._curves_of(axes)
        self._check(wanted | {s.key for s in self.legend.visible_series() if s.residual})

    def add_axes(self, axes: Sequence[int]) -> None:
        """Draw these axes, too."""
        wanted = self._curves_of(axes)
        self._check(wanted | {series.key for series in self.legend.visible_series()})

    def show_reaction(self, joint: str) -> None:
        """Draw what a joint carries over time."""
        self.bring_up()
        button = self._groups.button(len(Group) + REACTION - 1)
        if button is not None:
            button.click()
        self.redraw()
        self.pages.reaction.choose(joint)

    def _curves_of(self, axes: Sequence[int]) -> set[str]:
        """Curves of axes in the group on show, which is that of positions where energies are."""
        group = self.group if self.group is not Group.ENERGY else Group.POSITION
        if self._groups.checkedId() != list(Group).index(group):
            self.set_group(group)
        return {f"{group.value}/{axis}{tail}" for axis in axes for tail in ("", "/ideal")}

    def _axes_dragged(self, axes: Sequence[int], at: QPoint, ended: bool) -> None:
        """Joints of the tree are over a place of the screen, or were dropped there."""
        if ended:
            self.add_axes(axes)
        key = f"{self.group.value}/{axes[0]}"
        series = next((one for one in self._series if one.key == key), None)
        if series is not None:
            self.plots.drag(series, at, ended)

    def check_all(self, on: bool) -> None:
        """Draw every curve of the group, or none."""
        self._check({series.key for series in self._series} if on else set())

    def as_table(self) -> PanelTable:
        """The numbers behind the page on show."""
        return self._table().panel_table()

    def copy_picture(self) -> None:
        """The plots, to be pasted elsewhere."""
        clipboard = QApplication.clipboard()
        page = self.pages.currentWidget()
        if clipboard is not None and page is not None:
            clipboard.setPixmap(page.grab())

    def show_document(self, opened: Opened | None) -> None:
        """Offer the channels of a simulation."""
        self._chosen.choose(None if opened is None else opened.path)
        if opened is None or self._live.client is None:
            self.show_empty(self.tr("Positions, velocities, efforts and residuals are drawn here while a world runs."))
            return
        self.show_main()
        self._change_group()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self._rebuild()

    def set_plain(self, on: bool) -> None:
        """The first plots alone, without the list of channels and the controls."""
        self._layout.set_plain(on)
        self.STRIP = self.IN_LECTURE if on else type(self).STRIP
        self.plots.show_first(on)

    def refresh(self, snapshot: Snapshot) -> None:
        """Fetch the history on show and draw it."""
        if self.is_empty or not self.isVisible():
            return
        playback = self._live.playback
        self._head = playback.time
        stop = playback.span()[1] if playback.on else snapshot.time
        if self.follow.isChecked():
            span = WINDOWS[self.span.currentIndex()]
            if self._head is not None and self._head < stop - span:
                stop = min(self._head + 0.5 * span, stop)
            start = max(stop - span, 0.0)
            stop = start + (span if math.isfinite(span) else max(stop, 1.0))
            self.plots.set_time_range(start, stop)
        else:
            start, stop = self.plots.time_range()
        self._fetch(start, stop)
        self.plots.show_head(self._head)
        self._show_values()
        self._show_stretches()
        self._refresh_page(snapshot, start, stop)

    def _refresh_page(self, snapshot: Snapshot, start: float, stop: float) -> None:
        """The page beside the plots over time that is on show."""
        page = self.pages.currentIndex()
        live = self._live
        if live.client is None or live.laws is None:
            return
        head = self._head if self._head is not None else snapshot.time
        if page == REACTION:
            reaction = self.pages.reaction
            reaction.show_mechanism(live.laws.mechanism, 1.0 if live.scene is None else live.scene.radius)
            reaction.refresh(live.client, live.forces, snapshot, (start, stop), head)
        elif page == PHASE:
            self.pages.phase.show_laws(live.laws)
            self.pages.phase.refresh(live.client, live.laws, (start, head), self.units)
        elif page == KINEMATICS and live.status is not None:
            self.pages.kinematics.refresh(live.client, (start, stop), head, live.status.dt, self.units)

    def _fetch(self, start: float, stop: float) -> None:
        client = self._live.client
        visible = self.legend.visible_series()
        if client is None:
            return
        columns = sorted({column for series in visible for column in series.columns})
        times, values = latest_run(*client.trace(columns, start))
        if len(times) and times[-1] > stop:
            last = int(np.searchsorted(times, stop, side="right"))
            times, values = times[:last], values[:last]
        self._times, self._columns = times, by_series(visible, columns, times, values)
        if self._live.laws is not None and len(self._live.laws.history) > 1:
            self._columns.update(ideals_over_time(self._live.laws, visible, columns, times, values))
        curves = np.array([self._columns[series.key] for series in visible]).reshape(len(visible), len(times)).T
        thin_times, thin = min_max(times, curves, stop - start, self.plots.width_in_pixels())
        drawn = {series.key: thin[:, i] * self.units.factor_of(series.unit) for i, series in enumerate(visible)}
        self.plots.set_data(thin_times, drawn)

    def _show_values(self) -> None:
        if not len(self._times):
            self.legend.set_values({}, self.units)
            self.plots.show_values({})
            return
        row = len(self._times) - 1
        if math.isfinite(self._cursor):
            row = min(int(np.searchsorted(self._times, self._cursor)), row)
        elif self._head is not None:
            row = max(int(np.searchsorted(self._times, self._head + SAME_TIME, side="right")) - 1, 0)
        text = f"t = {number(float(self._times[row]), 3)} s"
        if self._pair is not None:
            text = f"Δt = {number(abs(self._pair[1] - self._pair[0]), 3)} s"
        self.bar.readout.show_text(text, "")
        values = {key: float(column[row]) for key, column in self._columns.items()}
        self.legend.set_values(values, self.units)
        of = {one.key: one for one in self._series}
        self.plots.show_values({key: value_text(of[key], v, self.units, unit=False) for key, v in values.items()})

    def _arrange(self) -> None:
        self._nothing.setProperty("role", "muted")
        self._nothing.setWordWrap(True)
        self._nothing.setMargin(8)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._over_time.addWidget(self.plots.frame)
        self._over_time.addWidget(self._nothing)
        self._layout = TraceLayout(self.bar, self.channels, self.pages)
        self.set_main(self._layout)

    def _connect(self) -> None:
        self._groups.idClicked.connect(lambda chosen: self.pages.show_page(max(chosen - len(Group) + 1, 0)))
        self.pages.currentChanged.connect(lambda page: self.watches.emit(page == REACTION))
        self.pages.currentChanged.connect(lambda page: self._layout.set_listed(page not in (REACTION, KINEMATICS)))
        self.pages.currentChanged.connect(lambda page: self._live.kinematics.want("traces", page == KINEMATICS))
        self.pages.chosen.connect(self.redraw)
        self._live.kinematics.changed.connect(self.redraw)
        self._groups.idClicked.connect(lambda _id: self._change_group())
        self.tools.cursors.toggled.connect(self._set_cursors)
        self.tools.logarithmic.toggled.connect(self._set_logarithmic)
        self.tools.chosen.connect(self._export)
        self.plots.pair_moved.connect(self._pair_moved)
        self.plots.drags.curve_dropped.connect(self._curve_dropped)
        self.plots.drags.plot_dropped.connect(
            lambda key, target, place: self._rearrange(plot_moved, key, target, place)
        )
        self._layout.axes_dragged.connect(self._axes_dragged)
        self._layout.drag_left.connect(self.plots.drags.leave)
        self.legend.dragged.connect(self.plots.drag)
        self.legend.given_up.connect(self.plots.drags.leave)
        self.legend.chosen.connect(self._choice_changed)
        self.span.currentIndexChanged.connect(lambda _index: self.follow.setChecked(True))
        self.span.currentIndexChanged.connect(lambda _index: self.redraw())
        self.follow.toggled.connect(lambda _on: self.redraw())
        self.plots.dragged.connect(lambda: self.follow.setChecked(False))
        self.plots.dragged.connect(self.redraw)
        self.plots.cursor_moved.connect(self._cursor_moved)
        self._live.document_changed.connect(self.show_document)
        self._live.laws_changed.connect(lambda _laws: self._change_group())
        self.theme.changed.connect(self._set_tokens)

    def _change_group(self) -> None:
        relations, client = self._live.relations, self._live.client
        if relations is None or client is None:
            return
        driven = frozenset(name for name, _ in client.asked_drives)
        self._series = plan(relations.mechanism, client.channels, self.group, driven)
        self.channels.set_series(self._series, self._chosen.shown(self.group, self._series))
        self._rebuild()

    def _check(self, keys: set[str]) -> None:
        self.channels.set_series(self._series, keys)
        self._choice_changed()

    def _choice_changed(self) -> None:
        before = self._chosen.shown(self.group, self._series)
        shown = {series.key for series in self.legend.visible_series()}
        self._chosen.show(self.group, shown)
        self._rebuild()
        for key in sorted(shown - before)[:1]:
            self.plots.scroll_to(key)

    def _curve_dropped(self, key: str, target: str, place: DropPlace) -> None:
        visible = {series.key for series in self.legend.visible_series()}
        if key not in visible:
            self._check(visible | {key})
        self._rearrange(moved, (key,), target, place)

    def _rearrange(self, change: Callable[..., Plots], *arguments: object) -> None:
        """Arrange the plots of the quantity on show anew."""
        self._chosen.rearrange(self.group, self.legend.visible_series(), change, *arguments)
        self._rebuild()

    def one_plot_per_unit(self) -> None:
        """Arrange the plots of the quantity on show as they were at first."""
        self._chosen.forget_plots(self.group)
        self._rebuild()

    def remove_plot(self, curves: Sequence[Series]) -> None:
        """Draw these curves, those of a plot, no longer."""
        self._check({series.key for series in self.legend.visible_series()} - {series.key for series in curves})

    def split_plot(self, curves: Sequence[Series]) -> None:
        """Give each joint of a plot one of its own."""
        self._rearrange(split, curves[0].key)

    @property
    def is_arranged(self) -> bool:
        """Whether the plots on show were arranged by hand."""
        return bool(self._chosen.plots(self.group))

    def _rebuild(self) -> None:
        visible = self.legend.visible_series()
        names = {series.unit: self.units.name_of(series.unit) for series in visible}
        self.plots.show_series(visible, names, self._chosen.plots(self.group))
        self._nothing.setText("" if visible else why_nothing(self.group, self._series))
        self._over_time.setCurrentIndex(0 if visible else 1)
        self.redraw()

    def redraw(self) -> None:
        """Draw what is known now of the moment on show."""
        if self._live.snapshot is not None:
            self.refresh(self._live.snapshot)

    def _cursor_moved(self, time: float) -> None:
        self._cursor = time
        self._show_values()

    def _set_cursors(self, on: bool) -> None:
        start, stop = self.plots.time_range()
        stop = min(stop, float(self._times[-1])) if len(self._times) else stop
        self._pair = (start + 0.25 * (stop - start), start + 0.75 * (stop - start)) if on else None
        self.plots.show_pair(self._pair)
        self._show_stretches()

    def _pair_moved(self, first: float, second: float) -> None:
        self._pair = first, second
        self._show_stretches()

    def _show_stretches(self) -> None:
        if self._pair is None:
            if self.legend.columnCount() > 2:
                self.legend.set_stretches(None, self.units)
            return
        found = {key: stretch(self._times, values, *self._pair) for key, values in self._columns.items()}
        self.legend.set_stretches({key: item for key, item in found.items() if item is not None}, self.units)

    def _set_logarithmic(self, on: bool) -> None:
        self.plots.set_logarithmic(on)
        self.redraw()

    def _export(self, path: Path) -> None:
        opened = self._live.opened
        save_curves(self, path, self._table(), self.units, "" if opened is None else opened.path.stem)

    def _table(self) -> ShownTable:
        """The numbers behind the page on show."""
        page = self.pages.current
        if page is not None:
            return page.table()
        visible = [series for series in self.legend.visible_series() if series.key in self._columns]
        curves = np.array([self._columns[s.key] for s in visible]).reshape(len(visible), len(self._times)).T
        labels = tuple(s.label for s in visible)
        styles = tuple((s.colour, s.dash) for s in visible)
        return ShownTable(tuple((s.key, s.unit) for s in visible), self._times, curves, labels, styles)

    def _set_tokens(self, tokens: Tokens) -> None:
        for part in (self.plots, self.legend):
            part.set_tokens(tokens)
