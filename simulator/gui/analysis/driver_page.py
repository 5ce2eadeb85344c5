"""Plots over the position of a driver, with the present pose marked, and motion along it without time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QBoxLayout, QGridLayout, QPushButton, QWidget

from simulator.errors import SimulatorError
from simulator.gui.analysis.columns import QUANTITIES, Curve, curves_of
from simulator.gui.analysis.driver_form import DriverForm, DriverQuestion
from simulator.gui.background import Background
from simulator.gui.fields import NoWheelComboBox, RoomLabel, scaled, set_slim
from simulator.gui.file_names import ask_target
from simulator.gui.laws import short_names
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable, with_unit
from simulator.gui.panels.panel import column_layout
from simulator.gui.plain_plot import ACROSS, DOWN, legend_beside, plain_plot, style_plot
from simulator.gui.units import Units, compact
from simulator.mechanism.types import WORLD_BODY, MotionKind
from simulator.session.batch.report import write_sweep
from simulator.session.commands.commands import Pause, SetPosition
from simulator.session.look.driver_analysis import along_driver, look, suggested_ends
from simulator.session.look.freedoms import reaches_at
from simulator.session.text.force_text import parse_forces

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.analysis.analysis import Analysis
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Mechanism
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


PERIOD = 33
"""Of motion along the driver [ms]."""
ONE_WAY = 4000
"""How long it takes from end to end [ms]."""
ROWS_OF_LEGEND = 6
"""More names are in further columns."""
LOW, BESIDE = 180, 150
"""Below the first height the form is short, below the second one it is beside the curves, see `scaled`."""
WIDEST = 16_777_215
"""As Qt has it [px]."""
LARGE = 50
"""Mechanisms with more bodies than this are analysed in the background."""
CARRIED = ("force", "moment")
"""Quantities of which the summary has the largest, and not the effort of the driver."""
FLAT = 1e-9
"""Relative range below which a curve is constant but for round-off."""


def _analysed(opened: Opened, mechanism: Mechanism, snapshot: Snapshot, axis: int, asked: DriverQuestion) -> Analysis:
    """The sweep that was asked for, from the pose of a snapshot. Raises the errors of `look` and `along_driver`."""
    seen = look(opened, mechanism, snapshot, parse_forces(asked.force))
    return along_driver(
        opened, seen, axis, (asked.begin, asked.end), velocity=abs(asked.velocity), acceleration=asked.acceleration
    )


class DriverPage(QWidget):
    """Analysis of one axis at a time. `found`: the analysis on show."""

    def __init__(self, live: LiveSession, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._live = live
        self.units = units
        self._tokens = tokens
        self.found: Analysis | None = None
        self._asked: dict[tuple[Path, str], DriverQuestion] = {}
        self._is_early = False
        self._working: Background[Analysis] = Background()
        self.reporting: Background[str] = Background()
        self._kept: dict[int, tuple[Mechanism, DriverQuestion, Analysis]] = {}
        self.form, self.quantity = DriverForm(), NoWheelComboBox()
        self.driver, self.along = self.form.driver, self.form.along
        self.figures, self.report_button = RoomLabel("muted"), QPushButton(self.tr("Report…"))
        self._drawn = 0
        self.plot = plain_plot(self.tr("Analysis over the driver"))
        self.marker: Any = pg.InfiniteLine(angle=90, movable=True)
        self._legend: Any = legend_beside(self.plot)
        self._special: list[Any] = []
        self._controls, self._below, self._whole = QWidget(), QGridLayout(), QBoxLayout(DOWN, self)
        self._timer = QTimer(self)
        self._way = 0.0
        self._axes: tuple[int, ...] = ()
        self._arrange()
        self._connect()
        self.set_tokens(tokens)

    @property
    def axis(self) -> int | None:
        """The axis that is moved."""
        index = self.driver.currentIndex()
        return self._axes[index] if 0 <= index < len(self._axes) else None

    def show_mechanism(self, mechanism: Mechanism | None) -> None:
        """Offer the axes that can drive."""
        self.stop()
        self._working.cancel()
        self._kept.clear()
        self._show(None)
        self._axes = ()
        self.driver.clear()
        if mechanism is not None:
            # first those by which the mechanism is moved in the Joints panel, too
            self._axes = tuple(dict.fromkeys((*self._live.free_axes, *mechanism.independent_axes())))
            names = short_names(mechanism.axes)
            self.driver.addItems([names[axis] for axis in self._axes])
            self.form.offer_links(link for link, body in mechanism.link_bodies().items() if body != WORLD_BODY)
        self.look_soon()

    def showEvent(self, event: QShowEvent | None) -> None:
        """It is computed as soon as it is seen."""
        super().showEvent(event)
        self.look_soon()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What is low has room for the curves first."""
        super().resizeEvent(event)
        beside = self.height() < scaled(BESIDE) and self.width() > 2 * self.form.narrow()
        self.form.set_brief(self.height() < scaled(LOW), slim=beside)
        if beside != (self._whole.direction() == ACROSS):
            self._whole.setDirection(ACROSS if beside else DOWN)
            self._controls.setMaximumWidth(self.form.narrow() if beside else WIDEST)
            set_slim((self.quantity, self.report_button), beside)
            self._below.removeWidget(self.figures)
            self._below.addWidget(self.figures, *((1, 0, 1, 3) if beside else (0, 1)))

    def select(self, axis: int) -> None:
        """Take another axis for the driver, where it can drive."""
        if axis in self._axes:
            self.driver.setCurrentIndex(self._axes.index(axis))

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self._suggest()
        self._draw()

    def refresh(self) -> None:
        """Mark the pose on show, the first of which may have been waited for."""
        if self._is_early:
            self.look_soon()
        snapshot = self._live.snapshot
        axis = self._driven()
        if snapshot is not None and axis is not None and not self.marker.moving:
            self.marker.setValue(self._inside(axis, float(snapshot.position[axis])) * self._factor(axis))

    def run(self) -> None:
        """Move the axis from end to end, beginning with the pose on show, and draw what follows."""
        axis = self.axis
        snapshot = self._live.snapshot
        opened = self._live.opened
        laws = self._live.laws
        if axis is None or snapshot is None or opened is None or laws is None:
            return
        asked = self.form.asked(self._factor(axis))
        mechanism = laws.now()
        self._asked[opened.path, opened.mechanism.axes[axis].name] = asked

        def work() -> Analysis:
            return _analysed(opened, mechanism, snapshot, axis, asked)

        def done(found: Analysis | None, error: Exception | None) -> None:
            if found is not None:
                self._kept[axis] = mechanism, asked, found
                self._show(found)
            elif isinstance(error, SimulatorError):
                self._show(None, str(error), self.tr("This motion is not possible."))
            elif error is not None:
                self._live.add_exception(error)

        self._working.cancel()
        self._working = Background(threaded=len(mechanism.bodies) > LARGE)
        self._show(None, self.tr("computing …"))
        self._working.start(work, done)

    def _show(self, found: Analysis | None, why: str = "", short: str = "") -> None:
        self.found = found
        if found is None:
            self._clear()
            self.figures.show_text(why, short)
        else:
            self._draw()

    def look_if_seen(self) -> None:
        """If the page is seen, show the analysis that its fields ask for, computed now or kept from before."""
        axis = self.axis
        laws = self._live.laws
        if axis is None or laws is None or self._working.busy or self.visibleRegion().isEmpty():
            return
        if self._is_early and self._live.snapshot is not None:
            self._suggest()
            return
        mechanism, asked, found = self._kept.get(axis, (None, None, None))
        if mechanism is not laws.now() or asked != self.form.asked(self._factor(axis)) or found is None:
            self.run()
        elif self.found is not found:
            self._show(found)

    def report(self) -> None:
        """Ask for a file and write the page of what is on show."""
        axis, snapshot = self._driven(), self._live.snapshot
        opened, laws = self._live.opened, self._live.laws
        if self.found is None or axis is None or snapshot is None or opened is None or laws is None:
            return
        pattern, name = self.tr("Pages (*.html)"), f"{opened.path.stem}.html"
        path = ask_target(self, "report", self.tr("Save the report"), pattern, name, opened.path)
        if path is None:
            return
        asked, mechanism = self.form.asked(self._factor(axis)), laws.now()
        conditions = [("forces", asked.force)] if asked.force else []

        def work() -> str:
            # A sweep of its own: the one on show is at the pose on show.
            write_sweep(path, opened, _analysed(opened, mechanism, snapshot, axis, asked).swept, conditions)
            return self.tr("{name} written").format(name=path.name)

        def done(told: str | None, error: Exception | None) -> None:
            self.report_button.setEnabled(True)
            if isinstance(error, SimulatorError):
                self.figures.show_text(str(error), self.tr("The report was not written."))
            elif error is not None:
                self._live.add_exception(error)
            else:
                self.figures.show_text(told or "", "")

        self.report_button.setEnabled(False)
        self.figures.show_text(self.tr("writing {name} …").format(name=path.name), "")
        self.reporting.start(work, done)

    def as_table(self) -> PanelTable | None:
        """What is found, as `simulator analyse --csv` writes it, with units."""
        if self.found is None:
            return None
        table = self.found.table
        heads = [with_unit(name, unit) for name, unit in zip(table.names, table.units, strict=True)]
        return PanelTable(heads, table.array.tolist())

    def stop(self) -> None:
        """No longer move along."""
        self.along.setChecked(False)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        style_plot(self.plot, tokens)
        self.marker.setPen(pg.mkPen(tokens.accent, width=2))
        self.marker.setHoverPen(pg.mkPen(tokens.accent, width=4))
        self._draw()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        names = (self.tr("Positions"), self.tr("Velocities"), self.tr("Accelerations"), self.tr("Velocity ratios"),
                 self.tr("Effort of the driver"), self.tr("Efforts of couplings"), self.tr("Transmission angles"),
                 self.tr("Forces of joints"), self.tr("Moments of joints"),
                 self.tr("Shaking force and moment"))  # fmt: skip
        for name, key in zip(names, QUANTITIES, strict=True):
            self.quantity.addItem(name, key)
        self.quantity.setAccessibleName(self.tr("Quantity on show"))
        self.quantity.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        below = self._below
        below.setContentsMargins(10, 2, 10, 2)
        below.setSpacing(8)
        below.addWidget(self.quantity, 0, 0)
        below.addWidget(self.figures, 0, 1)
        below.addWidget(self.report_button, 0, 2)
        below.setColumnStretch(1, 1)
        self.report_button.setToolTip(self.tr("A page to print, with motor, bearings, plots and pictures"))
        self.plot.addItem(self.marker, ignoreBounds=True)
        column = column_layout(self._controls)
        column.addWidget(self.form)
        column.addLayout(below)
        column.addStretch(1)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        self._whole.addWidget(self._controls)
        self._whole.addWidget(self.plot, 1)

    def _connect(self) -> None:
        self.driver.currentIndexChanged.connect(lambda _index: self._suggest())
        self.quantity.currentIndexChanged.connect(lambda _index: self._draw())
        self.form.start.clicked.connect(lambda _checked=False: self.run())
        self.report_button.clicked.connect(lambda _checked=False: self.report())
        self.form.edited.connect(self.look_soon)
        self._live.laws_changed.connect(lambda _laws: self.look_soon())
        self.along.toggled.connect(self._set_moving)
        self.marker.sigDragged.connect(lambda line: self._go(float(line.value())))
        self._timer.setInterval(PERIOD)
        self._timer.timeout.connect(self._move_on)

    def look_soon(self) -> None:
        """`look_if_seen` once the events at hand are done: while panels change, several are visible for a moment."""
        QTimer.singleShot(0, self.look_if_seen)

    def _factor(self, axis: int) -> float:
        mechanism = self._live.opened.mechanism if self._live.opened is not None else None
        return self.units.factor(mechanism.axes[axis]) if mechanism is not None else 1.0

    def _inside(self, axis: int, position: float) -> float:
        """A position within what is on show, by whole turns where the axis turns."""
        found = self.found
        opened = self._live.opened
        if found is None or opened is None or opened.mechanism.axes[axis].kind is not MotionKind.ROTATION:
            return position
        low, high = sorted(found.swept.position[[0, -1], axis].tolist())
        turn = 2.0 * math.pi
        return position if low <= position <= high else low + (position - low) % turn

    def _driven(self) -> int | None:
        return self.found.swept.route.moves[0].axis if self.found is not None else self.axis

    def _suggest(self) -> None:
        axis = self.axis
        snapshot = self._live.snapshot
        opened = self._live.opened
        self.stop()
        if axis is None or opened is None:
            return
        self._is_early = snapshot is None  # how far it goes is known then
        info = opened.mechanism.axes[axis]
        now = float(snapshot.position[axis]) if snapshot is not None else 0.0
        asked = self._asked.get((opened.path, info.name))
        asked = asked or DriverQuestion(*self._reached(axis, *suggested_ends(info, now)), force=self.form.force.text())
        self.form.show_asked(asked, self.units.factor(info), self.units.unit(info))
        self.look_soon()

    def _reached(self, axis: int, begin: float, end: float) -> tuple[float, float]:
        """Ends of a way [rad or m] as far as the mechanism goes, rounded inwards to what a field shows."""
        snapshot, laws = self._live.snapshot, self._live.laws
        if snapshot is None or laws is None or len(laws.now().bodies) > LARGE:
            return begin, end
        reach = reaches_at(laws.now(), snapshot, (axis,)).get(axis)
        grid = 1e3 * self._factor(axis)
        if reach is None:
            return begin, end
        low, high = reach.low.position, reach.high.position
        begin = begin if begin >= low else math.ceil(low * grid) / grid
        return begin, end if end <= high else math.floor(high * grid) / grid

    def _clear(self) -> None:
        for item in self._special:
            self.plot.removeItem(item)
        self._special.clear()
        self._legend.clear()

    def _draw(self) -> None:
        self._clear()
        found = self.found
        if found is None:
            return
        axis = found.swept.route.moves[0].axis
        info = found.swept.mechanism.axes[axis]
        factor = self._factor(axis)
        at = found.swept.position[:, axis] * factor
        curves = curves_of(found, self.quantity.currentData())
        shown_units = list(dict.fromkeys(self.units.name_of(curve.unit) for curve in curves))
        for number, curve in enumerate(curves):
            pen = pg.mkPen(self._tokens.series[number % len(self._tokens.series)], width=2)
            values = np.asarray(curve.values) * self.units.factor_of(curve.unit)
            self._special.append(self.plot.plot(at, values, pen=pen, name=curve.name, connect="finite"))
        for place in self._places():
            line = pg.InfiniteLine(place * factor, 90, pen=pg.mkPen(self._tokens.warning, style=Qt.PenStyle.DashLine))
            self.plot.addItem(line, ignoreBounds=True)
            self._special.append(line)
        self._legend.setColumnCount(1 + len(curves) // ROWS_OF_LEGEND)
        self.plot.setLabel("bottom", f"{short_names(found.swept.mechanism.axes)[axis]} [{self.units.unit(info)}]")
        self._drawn = len(curves)
        self.plot.setLabel("left", ", ".join(shown_units))  # what it is stands above
        self.plot.enableAutoRange()
        self._widen([np.asarray(curve.values) * self.units.factor_of(curve.unit) for curve in curves])
        self.figures.show_text(self._summary(), "")
        self.refresh()

    def _widen(self, drawn: list[Array]) -> None:
        """Constant curves have an axis of their size, not that of the quantity before."""
        values = np.concatenate([np.zeros(0), *drawn])
        values = values[np.isfinite(values)]
        if len(values) and np.ptp(values) <= FLAT * np.abs(values).max():
            middle = float(values.mean())
            half = max(0.5 * float(np.abs(values).max()), FLAT)
            self.plot.setYRange(middle - half, middle + half)

    def _places(self) -> tuple[float, ...]:
        """Dead and change points."""
        found = self.found
        if found is None:
            return ()
        dead = found.dead_point
        return (*found.change_points, *(() if dead is None else (dead,)))

    def _summary(self) -> str:
        found = self.found
        if found is None:
            return ""
        axis = found.swept.route.moves[0].axis
        carried = curves_of(found, self.quantity.currentData()) if self.quantity.currentData() in CARRIED else ()
        parts = [self._largest(carried) if carried else self._of_driver(found)]
        info = found.swept.mechanism.axes[axis]
        if found.dead_point is not None:
            parts.append(self.tr("dead point at {at}").format(at=self.units.text(info, found.dead_point)))
        elif found.swept.ended:
            parts.append(self.tr("ends at {at}").format(at=self.units.text(info, found.swept.stopped)))
        if found.change_points:
            places = ", ".join(self.units.text(info, place) for place in found.change_points)
            parts.append(self.tr("change points at {at}").format(at=places))
        if not self._drawn:
            parts.append(self.tr("this quantity has no values here"))
        return "   ".join(parts)

    def _of_driver(self, found: Analysis) -> str:
        effort = np.nan_to_num(np.abs(found.swept.driving_effort))
        unit = found.swept.mechanism.axes[found.swept.route.moves[0].axis].effort_unit
        text = self.tr("driver: peak {peak}, rms {rms} {unit}")
        if found.swept.friction is not None:
            text = self.tr("driver, with dry friction: peak {peak}, rms {rms} {unit}")
        return text.format(peak=compact(effort.max(), 4), rms=compact(float(np.mean(effort**2)) ** 0.5, 4), unit=unit)

    def _largest(self, curves: Sequence[Curve]) -> str:
        """The joint that carries most, and how much."""
        peaks = [float(np.nan_to_num(np.abs(curve.values)).max()) for curve in curves]
        most = peaks.index(max(peaks))
        text = self.tr("largest: {peak} {unit}, {name}")
        return text.format(peak=compact(peaks[most], 4), unit=curves[most].unit, name=curves[most].name)

    def _set_moving(self, on: bool) -> None:
        if on and self.found is None:
            self.run()
        if on and self.found is not None and self._live.opened is not None:
            if self._live.running:
                self._live.send(Pause())
            self._way = 0.0
            self._timer.start()
        else:
            self._timer.stop()

    def _move_on(self) -> None:
        found = self.found
        if found is None or self._live.running:
            self.stop()
            return
        self._way = (self._way + PERIOD / ONE_WAY) % 2.0
        row = round((1.0 - abs(1.0 - self._way)) * (len(found) - 1))
        axis = found.swept.route.moves[0].axis
        self._live.pass_on(SetPosition(axis, float(found.swept.position[row, axis]), found.swept.held_axes))

    def _go(self, shown: float) -> None:
        """The marker was dragged: the mechanism follows, paused."""
        axis = self._driven()
        found = self.found
        if axis is None or found is None:
            return
        self.stop()
        if self._live.running:
            self._live.send(Pause())
        ends = found.swept.position[[0, -1], axis]
        value = float(np.clip(shown / self._factor(axis), ends.min(), ends.max()))
        self._live.pass_on(SetPosition(axis, value, found.swept.held_axes))
