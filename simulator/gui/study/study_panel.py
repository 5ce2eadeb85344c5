"""Varies one or two numbers of the open mechanism and draws a measure while samples are made in the background."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QHBoxLayout, QMessageBox, QPushButton, QWidget

from simulator.errors import SimulatorError
from simulator.gui.background import NAME, Background
from simulator.gui.fields import RoomLabel, label, mark, scaled, tip
from simulator.gui.file_names import ask_target
from simulator.gui.laws import short_names
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import Panel, column_layout
from simulator.gui.sent_command import SentCommand
from simulator.gui.study.choices import START, choices_of, measured_channels, measured_columns, study_table
from simulator.gui.study.course_row import Driver
from simulator.gui.study.halves import Halves
from simulator.gui.study.study_form import StudyForm
from simulator.gui.study.study_plot import StudyPlot
from simulator.gui.units import Units, compact
from simulator.session.commands.commands import Reset
from simulator.session.look.driver_analysis import along_driver, look, suggested_ends

if TYPE_CHECKING:
    from types import ModuleType

    from simulator.gui.live import LiveSession
    from simulator.gui.study.choices import Varied
    from simulator.gui.study.study_form import Question
    from simulator.gui.theme import Theme, Tokens
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Status
    from simulator.studies.live import LiveStudy
    from simulator.studies.workers import Pool

BESIDE = 1e-3
"""How far a joint is moved to find which columns its sweep has [rad or m]."""
PERIOD = 50
"""Between two looks at a study [ms]."""
DIGITS = 5
MOST_PROCESSES = 4
FORM = 400
"""Width of the controls at first, see `scaled`."""


class StudyPanel(Panel):
    """`found`: the study on show. `in_process`: samples are made in a thread of this process, which tests do."""

    in_process = False

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__(theme)
        self._live, self.units = live, units
        self.form, self.plot, self.message = StudyForm(), StudyPlot(theme.tokens), RoomLabel("muted")
        self.open_button, self.save_button = QPushButton(self.tr("Open this sample")), QPushButton(self.tr("Save…"))
        self.hint = label(
            self.tr("Each sample begins at the start of the document, with the present drives and numbers."), "muted"
        )
        self.found: LiveStudy | None = None
        self._pool: Pool | None = None
        self._loading: Background[ModuleType] | None = None
        self._is_seen, self._is_stale = False, True
        self._question: Question | None = None
        self._sent = SentCommand()
        self._timer = QTimer(self)
        self._arrange()
        self._connect()
        self.show_document(live.opened)

    def show_document(self, opened: Opened | None) -> None:
        """Offer what can be varied and measured of another mechanism."""
        self.leave()
        self.found = self._question = None
        if opened is None or not opened.mechanism.axes or self._live.client is None:
            self.show_empty(self.tr("Open a world to see the effect of one or two of its numbers."))
            return
        self.form.course.offer(self._drivers(opened))
        self._renew()
        self.plot.hide()
        self._enable()
        self.hint.show()
        self._say("")
        self.show_main()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self.form.set_units(units)
        if self._question is not None:
            self._show_plot(self._question)

    def leave(self) -> None:
        """Make no more samples; the processes that made them end."""
        if self.found is not None and self._timer.isActive():
            self.found.stop()
        elif self._pool is not None:
            self._pool.close()
        self._pool = None
        self._timer.stop()

    def as_table(self) -> PanelTable | None:
        """The samples that are there: parameters, measures and, of those that failed, why."""
        found = self.found
        if found is None:
            return None
        rows = [
            (part.begin + i, *part.parameters[i].tolist(), *part.measures[i].tolist(), part.status[i], part.reason[i])
            for _, part in sorted(found.rows.items())
            for i in range(len(part.status))
        ]
        measures = (measure.name for measure in found.plan.measures)
        return PanelTable(("sample", *found.plan.parameters, *measures, "status", "reason"), rows)

    # -- a study -------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Begin, or stop what was begun."""
        from simulator.studies.live import LiveStudy
        from simulator.studies.workers import Pool, Workers

        if self._timer.isActive():
            self._stop()
            return
        live = self._live
        self._offer()
        if live.opened is None or live.laws is None or live.client is None or live.status is None:
            return
        try:
            asked = self.form.question()
            table = study_table(
                live.opened, live.laws, live.client.asked_drives, solver=live.status.solver, varied=asked.varied,
                measure=asked.measure, course=asked.course,
            )  # fmt: skip
            if self._pool is None:
                processes = max(1, min((os.cpu_count() or 1) - 2, MOST_PROCESSES))
                self._pool = Pool(Workers(1, 0 if self.in_process else processes))
            self.found = LiveStudy(table, live.opened, self._pool, thread=NAME)
        except SimulatorError as error:
            self._say(str(error), is_error=True)
            return
        self._question = asked
        self._show_plot(asked)
        self._timer.start()
        self._enable()
        self._say(self.tr("starting …"))

    def look(self) -> None:
        """Draw what has been made since the last look."""
        found = self.found
        if found is None:
            self._timer.stop()
            return
        is_done = found.is_done
        news = found.poll()
        for rows in news:
            for i, status in enumerate(rows.status):
                self.plot.see(rows.begin + i, self._shown(float(rows.measures[i, 0])), failed=status != "ok")
        if news:
            self.plot.draw()
            if self.plot.selected < 0:
                self._say(self._progress())
        if is_done:
            self._timer.stop()
            self._enable()
            self._say(found.error or self._progress(), is_error=bool(found.error))

    def open_sample(self, place: int) -> None:
        """Let the window show a sample: its numbers, from the start."""
        values = self._values_at(place)
        commands = [(one.choice, value) for one, value in zip(self._varied, values, strict=True)]
        for choice, value in commands:
            if choice.kind != START:
                self._sent.wait_for(self._live.send(choice.command(value)))
        self._live.send(Reset())
        for choice, value in commands:
            if choice.kind == START:
                self._sent.wait_for(self._live.send(choice.command(value)))

    def save(self) -> None:
        """Ask for a file, and write the study there."""
        document = self._live.path
        proposal = f"{document.stem}_study.toml" if document is not None else "study.toml"
        pattern = self.tr("Studies (*.toml)")
        path = ask_target(self, "study", self.tr("Save as a study"), pattern, proposal, document)
        if path is not None:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write the study, and beside it the folder of the same name with what has been made of it, where pyarrow is
        installed."""
        found = self.found
        if found is None:
            return
        try:
            made = found.save(path, path.with_suffix("") if _can_write_results() else None)
        except (OSError, SimulatorError) as error:
            text = self.tr("{name} could not be written: {why}").format(name=path.name, why=error)
            QMessageBox.warning(self, self.tr("Not saved"), tip(text))
            return
        command = f"simulator study {path.name} -o {path.stem}" + (" --resume" if made else "")
        self._say(self.tr("Saved. To continue: {command}").format(command=command))

    # -- inside --------------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.open_button.setToolTip(self.tr("Give the mechanism on show the numbers of this sample, and reset it"))
        self.save_button.setToolTip(self.tr("Save a study that `simulator study` continues, with the results so far"))
        below = QHBoxLayout()
        below.setContentsMargins(10, 6, 10, 2)
        below.setSpacing(8)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.save_button)
        below.addWidget(self.message, 1)
        below.addLayout(buttons)
        self.hint.setWordWrap(True)
        self.hint.setMargin(20)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        right = QWidget()
        column = column_layout(right)
        column.addLayout(below)
        column.addWidget(self.hint, 1)
        column.addWidget(self.plot, 1)
        column.addStretch(0)
        self.set_main(Halves(self.form.scrolled(), right, below, scaled(FORM)))

    def _connect(self) -> None:
        live = self._live
        self.form.start.clicked.connect(lambda _checked=False: self.run())
        self.form.course.changed.connect(self._offer_measures)
        self.open_button.clicked.connect(lambda _checked=False: self.open_sample(self.plot.selected))
        self.save_button.clicked.connect(lambda _checked=False: self.save())
        self.plot.picked.connect(self._picked)
        self.plot.wanted.connect(self.open_sample)
        self._timer.setInterval(PERIOD)
        self._timer.timeout.connect(self.look)
        live.document_changed.connect(self.show_document)
        live.laws_changed.connect(lambda _laws: self._renew())
        self.seen.connect(self._was_seen)
        live.ticked.connect(lambda _snapshot, status: self._on_status(status))
        self.theme.changed.connect(self._set_tokens)

    def _set_tokens(self, tokens: Tokens) -> None:
        self.plot.set_tokens(tokens)

    def _renew(self) -> None:
        """The parameters that can be varied, or their values, have changed. A large mechanism has thousands of numbers,
        so they are listed when the panel is shown."""
        self._is_stale = True
        self._was_seen(self._is_seen)

    def _was_seen(self, seen: bool) -> None:
        self._is_seen = seen
        if seen and self._is_stale:
            self._offer()
        if seen and self._loading is None and self._live.opened is not None:  # half a second, long before it is needed
            self._loading = Background()
            self._loading.start(lambda: import_module("simulator.studies.live"), lambda *_: None)

    def _offer(self) -> None:
        """What can be varied, with the values of now."""
        live = self._live
        self._is_stale = False
        if live.opened is None or live.laws is None or live.client is None:
            return
        choices = choices_of(live.opened, live.laws, live.client.asked_drives)
        self.form.offer(choices)

    def _drivers(self, opened: Opened) -> list[Driver]:
        """Joints that can be moved without time, as in the panel Analysis."""
        axes, snapshot = opened.mechanism.axes, self._live.snapshot
        names = short_names(axes)
        found = []
        for place in dict.fromkeys((*self._live.free_axes, *opened.mechanism.independent_axes())):
            now = axes[place].axis.initial_position if snapshot is None else float(snapshot.position[place])
            found.append(Driver(place, axes[place], names[place], suggested_ends(axes[place], now)))
        return found

    def _offer_measures(self) -> None:
        """Channels of a run, or columns of the sweep of a joint."""
        live = self._live
        driver = self.form.course.driver
        if live.opened is None or live.client is None:
            return
        if driver is None:
            self.form.offer_channels(measured_channels(live.client.channels))
            return
        if live.laws is None or live.snapshot is None:
            return
        now = float(live.snapshot.position[driver.axis])
        try:
            seen = look(live.opened, live.laws.now(), live.snapshot)
            table = along_driver(live.opened, seen, driver.axis, (now, now + BESIDE), points=2).table
        except SimulatorError as error:
            self._say(str(error), is_error=True)
            return
        self.form.offer_channels(measured_columns(table))

    def _show_plot(self, asked: Question) -> None:
        """An empty plot of what is varied, in the units of now, and what has been made."""
        axes = []
        labels = []
        now = []
        for one in asked.varied:
            factor = self.units.factor_of(one.choice.unit)
            axes.append(np.array(one.values) * factor)
            labels.append(self._with_unit(one.choice.label, one.choice.unit))
            now.append(one.choice.value * factor)
        selected = self.plot.selected
        self.hint.hide()
        self.plot.begin(axes, labels, now, self.units.name_of(asked.unit))
        self.plot.show()
        for rows in self.found.rows.values() if self.found is not None else ():
            for i, status in enumerate(rows.status):
                self.plot.see(rows.begin + i, self._shown(float(rows.measures[i, 0])), failed=status != "ok")
        self.plot.select(selected if self.found is not None and self.found.rows else -1)
        self.plot.draw()

    def _with_unit(self, text: str, unit: str) -> str:
        name = self.units.name_of(unit)
        return text if name in ("", "1") else f"{text} [{name}]"

    @property
    def _varied(self) -> tuple[Varied, ...]:
        return () if self._question is None else self._question.varied

    @property
    def _unit(self) -> str:
        return "1" if self._question is None else self._question.unit

    def _shown(self, value: float) -> float:
        return value * self.units.factor_of(self._unit)

    def _stop(self) -> None:
        self.look()
        self.leave()
        self._enable()
        self._say(self._progress())

    def _progress(self) -> str:
        """How many samples there are, and why some failed."""
        found = self.found
        if found is None:
            return ""
        text = self.tr("{made} of {all} samples").format(made=found.made, all=found.total)
        reasons = [
            reason
            for rows in found.rows.values()
            for status, reason in zip(rows.status, rows.reason, strict=True)
            if status != "ok"
        ]
        if reasons:
            text += self.tr(", {count} failed: {why}").format(count=len(reasons), why=reasons[0])
        return text

    def _picked(self, place: int) -> None:
        self._enable()
        found = self.found
        rows = None if found is None else next(
            (rows for rows in found.rows.values() if 0 <= place - rows.begin < len(rows.status)), None
        )  # fmt: skip
        if rows is None:
            return
        i = place - rows.begin
        where = ", ".join(
            f"{one.choice.label} {self._number_text(value, one.choice.unit)}"
            for one, value in zip(self._varied, self._values_at(place), strict=True)
        )
        is_error = rows.status[i] != "ok"
        what = rows.reason[i] if is_error else self._number_text(float(rows.measures[i, 0]), self._unit)
        self._say(f"{where}  →  {what}", is_error=is_error)

    def _number_text(self, value: float, unit: str) -> str:
        name = self.units.name_of(unit)
        return f"{compact(value * self.units.factor_of(unit), DIGITS)} {'' if name == '1' else name}".rstrip()

    def _values_at(self, place: int) -> list[float]:
        """What is varied, of a sample [SI]."""
        shape = tuple(one.count for one in self._varied)
        places = np.unravel_index(place, shape)
        return [one.values[int(at)] for one, at in zip(self._varied, places, strict=True)]

    def _enable(self) -> None:
        is_busy = self._timer.isActive()
        self.form.start.setText(self.tr("Stop") if is_busy else self.tr("Run the study"))
        self.open_button.setEnabled(self.plot.selected >= 0 and self.found is not None)
        self.save_button.setEnabled(self.found is not None)

    def _on_status(self, status: Status) -> None:
        """The simulation may have refused the numbers of a sample."""
        refusal = self._sent.answer(status)
        if refusal:
            self._say(self.units.in_text(refusal), is_error=True)

    def _say(self, text: str, *, is_error: bool = False) -> None:
        mark(self.message, "level", "error" if is_error else "")
        self.message.show_text(" ".join(map(str.strip, text.splitlines())))  # more lines would take the plot's room


def _can_write_results() -> bool:
    from importlib.util import find_spec

    return find_spec("pyarrow") is not None
