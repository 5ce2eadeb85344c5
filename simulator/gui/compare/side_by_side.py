"""A separate window: two or three runs with the same drives, their views linked, their traces overlaid, and their
differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QElapsedTimer, Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSlider,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from simulator.gui.background import Background
from simulator.gui.compare.lane_view import LaneView
from simulator.gui.compare.overlay_plot import OverlayPlot
from simulator.gui.fields import NoWheelComboBox, ValueSpin, label, scaled
from simulator.gui.file_names import ask_existing, ask_target
from simulator.gui.resources import DOCUMENT_SUFFIXES
from simulator.gui.traces.figures import FORMATS, save_curves
from simulator.gui.units import compact, scientific
from simulator.model.names import tail_name
from simulator.rendering.camera import Camera
from simulator.session.batch.side_by_side import Contender, Lane, drifts, run_side_by_side
from simulator.session.text.settings import SOLVERS

if TYPE_CHECKING:
    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Theme, Tokens
    from simulator.gui.units import Units

STRATEGIES, DOCUMENT, CHANGES = "strategies", "document", "changes"
FRAME = 33
"""Between two pictures [ms]."""
TICKS = 1000
THIN = "\u202f"
"""Between thousands."""
SEEN = 1e-3
"""Residuals and differences above this are no round-off."""


class SideBySide(QWidget):
    """`run` begins; `lanes` are those on show. `apart`: physics in a process of its own."""

    def __init__(self, live: LiveSession, theme: Theme, units: Units, *, apart: bool = True) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("Side by side"))
        self.resize(scaled(1180), scaled(760))
        self._live = live
        self._theme = theme
        self._units = units
        self._apart = apart
        self._background: Background[tuple[Lane, ...]] = Background(threaded=apart)
        self.lanes: tuple[Lane, ...] = ()
        self.views: list[LaneView] = []
        self.kind, self.duration = NoWheelComboBox(), ValueSpin(2, "s")
        self.run, self.message = QPushButton(self.tr("Run")), label("", "muted")
        self.play, self.slider, self.time = QPushButton(self.tr("Play")), QSlider(Qt.Orientation.Horizontal), label()
        self.plot, self.table = OverlayPlot(theme.tokens, units), QTableWidget()
        self._explanation = label("", "muted")
        self._row, self._clock, self._timer = QHBoxLayout(), QElapsedTimer(), QTimer(self)
        self._began, self._said = 0.0, ""
        self._turned, self._seen = False, np.zeros((0, 3))
        self._kind = STRATEGIES
        self.save = QPushButton(self.tr("Save…"))
        self._arrange()
        if live.laws is not None and (live.laws.numbers or live.laws.changes):
            self.kind.setCurrentIndex(self.kind.findData(CHANGES))
        self.run.clicked.connect(lambda _checked=False: self.begin())
        self.play.clicked.connect(lambda _checked=False: self._play())
        self.slider.valueChanged.connect(lambda _value: self._show_time())
        self._timer.setInterval(FRAME)
        self._timer.timeout.connect(self._advance)
        theme.changed.connect(self._set_tokens)

    def contenders(self) -> tuple[Contender, ...]:
        """What is compared, by the choice that is made; empty where there is nothing."""
        live = self._live
        if live.opened is None or live.client is None or live.laws is None or live.status is None:
            return ()
        drives, solver = live.client.asked_drives, live.status.solver
        now = live.opened.with_mechanism(live.laws.now()) if live.laws.numbers or live.laws.changes else live.opened
        if self.kind.currentData() == STRATEGIES:
            return tuple(Contender(name, now, name, drives) for name in SOLVERS)
        solver = solver if solver in SOLVERS else SOLVERS[0]
        if self.kind.currentData() == CHANGES:
            before = Contender(self.tr("As in the document"), live.opened, solver, drives)
            return before, Contender(self.tr("As it is now"), now, solver, drives)
        other = self._ask_document()
        if other is None:
            return ()
        opened = live.reading.read(other)
        if opened.has_errors:
            errors = sum(finding.is_error for finding in opened.diagnostics)
            self.message.setText(self.tr("{name} cannot be simulated. Errors: {n}.").format(name=other.name, n=errors))
            return ()
        return (
            Contender(live.opened.path.name, now, solver, drives),
            Contender(other.name, opened, solver, drives),
        )

    def begin_with_changes(self) -> None:
        """Run at once where something was changed: that is what is to be compared."""
        if self.kind.currentData() == CHANGES:
            self.begin()

    def begin(self) -> None:
        """Run them all from their starts."""
        self.message.setText("")
        contenders = self.contenders()
        if not contenders:
            return
        self._kind = self.kind.currentData()
        left_out = sorted({tail_name(name) for one in contenders for name in one.left_out()})
        self._said = self.tr("Not driven in all: {names}").format(names=", ".join(left_out)) if left_out else ""
        self.run.setEnabled(False)
        self.message.setText(self.tr("Simulating …"))
        duration = self.duration.value()
        self._background.start(lambda: run_side_by_side(contenders, duration, apart=self._apart), self._done)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Cancel what is in progress."""
        self._background.cancel()
        self._timer.stop()
        super().closeEvent(event)

    def _ask_document(self) -> Path | None:
        path = self._live.path
        kinds = " ".join(f"*{suffix}" for suffix in DOCUMENT_SUFFIXES[:-1])
        pattern = self.tr("Worlds and models ({kinds})").format(kinds=kinds)
        return ask_existing(self, "document", self.tr("Compare with"), pattern, path)

    def _save(self) -> None:
        """Ask for a file and write the curves on show, as numbers or drawn anew."""
        path = ask_target(self, "traces", self.tr("Save the curves"), FORMATS, "side_by_side.csv")
        if path is not None:
            title = " · ".join(filter(None, (self.plot.quantity.currentText(), self.plot.where.currentText())))
            save_curves(self, path, self.plot.table(), self._units, title)

    def _done(self, lanes: tuple[Lane, ...] | None, error: Exception | None) -> None:
        self.run.setEnabled(True)
        self.message.setText(str(error) if error is not None else self._said)
        if lanes is not None:
            self.show_lanes(lanes)

    def show_lanes(self, lanes: tuple[Lane, ...]) -> None:
        """Put runs beside each other."""
        self._timer.stop()
        self._show_results(True)
        for view in self.views:
            self._row.removeWidget(view)
            view.hide()
            view.deleteLater()
        is_first = not self.lanes
        self.lanes, self.views = lanes, [LaneView(lane, self._theme.tokens) for lane in lanes]
        for view in self.views:
            self._row.addWidget(view, 1)
            view.turned.connect(self._turn)
            view.resized.connect(self._fit)
        self._turned, self._seen = False, np.concatenate([view.corners() for view in self.views])
        self._fit()
        self.plot.differences.setChecked(self._kind == STRATEGIES)  # which is round-off beside the motion
        self.plot.show_lanes(lanes)
        if is_first:
            self._choose_what_differs()
        self._fill_table()
        self.slider.setValue(0)
        self._show_time()

    def _choose_what_differs(self) -> None:
        """Begin with the joint in which the runs differ most: the curves of a driver lie on each other."""
        self.plot.choose(next((drift.axis for drift in drifts(self.lanes) if drift.axis), ""))

    def _fit(self) -> None:
        """Fit all of the motion into every view, until the user moves the camera."""
        if not self._turned:
            self._look(Camera().fit(self._seen, min(view.aspect for view in self.views), 1.12))

    def _turn(self, camera: Camera) -> None:
        self._turned = True
        self._look(camera)

    def _look(self, camera: Camera) -> None:
        for view in self.views:
            view.look(camera)

    def moment(self) -> float:
        """The time on show [s]."""
        longest = max((float(lane.times[-1]) for lane in self.lanes if lane.times.size), default=0.0)
        return longest * self.slider.value() / TICKS

    def _show_time(self) -> None:
        time = self.moment()
        self.time.setText(f"t = {time:.3f} s")
        for view in self.views:
            view.show_time(time)
        self.plot.show_time(time)

    def _play(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
        else:
            if self.slider.value() == TICKS:
                self.slider.setValue(0)
            self._began = self.moment()
            self._clock.start()
            self._timer.start()
        self.play.setText(self.tr("Pause") if self._timer.isActive() else self.tr("Play"))

    def _advance(self) -> None:
        longest = max((float(lane.times[-1]) for lane in self.lanes if lane.times.size), default=0.0)
        time = self._began + self._clock.elapsed() / 1000.0
        self.slider.setValue(round(TICKS * min(time / max(longest, 1e-9), 1.0)))
        if time >= longest:
            self._play()

    def _fill_table(self) -> None:
        apart = (self.tr("drift [rad]"), self.tr("drift [m]"))
        if self._kind != STRATEGIES:  # which is what was asked for
            apart = (self.tr("difference [rad]"), self.tr("difference [m]"))
        headings = (
            "", self.tr("couplings"), self.tr("loops [m]"), self.tr("loops [rad]"), self.tr("energy error"), *apart,
            self.tr("most in"), self.tr("steps/s"), self.tr("remark"),
        )  # fmt: skip
        self.table.setColumnCount(len(headings))
        self.table.setHorizontalHeaderLabels(headings)
        self.table.setRowCount(len(self.lanes))
        for row, (lane, drift) in enumerate(zip(self.lanes, drifts(self.lanes), strict=True)):
            summary = lane.summary
            numbers = (
                summary.max_coupling_residual, summary.max_loop_residual_m, summary.max_loop_residual_rad,
                summary.relative_energy_error(), drift.rad, drift.m,
            )  # fmt: skip
            texts = ["" if number is None else _figure(number) for number in numbers]
            rate = lane.rate()
            texts += [tail_name(drift.axis), f"{rate:,.0f}".replace(",", THIN) if rate else "", lane.reason]
            for column, text in enumerate((lane.contender.label, *texts)):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self.table.resizeColumnsToContents()
        self.table.setMaximumHeight(self.table.verticalHeader().length() + scaled(46))  # type: ignore[union-attr]

    def _arrange(self) -> None:
        for text, kind in (
            (self.tr("Strategies"), STRATEGIES),
            (self.tr("With another document…"), DOCUMENT),
            (self.tr("Before and after changes"), CHANGES),
        ):
            self.kind.addItem(text, kind)
        self.kind.setAccessibleName(self.tr("What is compared"))
        self.duration.setRange(0.01, 600.0)
        self.duration.setValue(5.0)
        self.duration.setAccessibleName(self.tr("Simulated time"))
        self.run.setProperty("primary", "true")
        bar = QHBoxLayout()
        below = QHBoxLayout()
        views = QWidget()
        for widget in (self.kind, self.duration, self.run):
            bar.addWidget(widget)
        bar.addWidget(self.message, 1)
        self._row = QHBoxLayout(views)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self.slider.setRange(0, TICKS)
        self.slider.setAccessibleName(self.tr("Moment on show"))
        below.addWidget(self.play)
        below.addWidget(self.slider, 1)
        below.addWidget(self.time)
        self.save.setToolTip(self.tr("The curves on show, as CSV or as a figure: SVG, PDF, PNG"))
        self.save.clicked.connect(lambda _checked=False: self._save())
        self.plot.controls.addWidget(self.save)
        self._arrange_table()
        self._explain()
        splitter = QSplitter(Qt.Orientation.Vertical)
        views.setMinimumHeight(scaled(130))
        splitter.addWidget(views)
        splitter.addWidget(self.plot)
        splitter.setSizes([420, 220])
        column = QVBoxLayout(self)
        column.addLayout(bar)
        column.addWidget(splitter, 1)
        column.addLayout(below)
        column.addWidget(self.table)

    def _explain(self) -> None:
        """What this is for, in the place of the views; the rest comes with the first runs."""
        text = self.tr(
            "Choose a comparison and its duration. All runs begin at the start, with the present drives.\n"
            "Their views, traces and differences are shown side by side."
        )
        self._explanation.setText(text)
        self._explanation.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._explanation.setWordWrap(True)
        self._row.addWidget(self._explanation, 1)
        self._show_results(False)

    def _show_results(self, on: bool) -> None:
        self._explanation.setVisible(not on)
        for widget in (self.plot, self.table, self.play, self.slider, self.time):
            widget.setVisible(on)

    def _arrange_table(self) -> None:
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setAccessibleName(self.tr("Residuals and differences"))
        for header in (self.table.verticalHeader(), self.table.horizontalHeader()):
            if header is not None:
                header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        rows = self.table.verticalHeader()
        if rows is not None:
            rows.hide()

    def _set_tokens(self, tokens: Tokens) -> None:
        for view in self.views:
            view.set_tokens(tokens)
        self.plot.set_tokens(tokens)


def _figure(number: float) -> str:
    """Round-off by its power of ten, what can be seen as it is."""
    return scientific(number) if abs(number) < SEEN else compact(number, 3)
