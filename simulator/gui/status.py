"""The status bar: time, real-time factor, worst residual, strategy, findings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QCoreApplication, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QMenu, QStatusBar, QToolButton, QWidget

from simulator.diagnostics import Diagnostic, Severity
from simulator.engine.snapshot import Snapshot
from simulator.gui.fields import ElidingLabel, PlainLabel, RoomLabel, label
from simulator.gui.menu_button import MenuButton
from simulator.gui.resources import icon
from simulator.gui.strategies import meaning
from simulator.gui.theme import Theme
from simulator.gui.units import compact, number, scientific
from simulator.gui.viewport.hand_on_view import short_reason
from simulator.mechanism.residuals import coupling_slack
from simulator.mechanism.types import Mechanism
from simulator.model.names import tail_name
from simulator.session.commands.hands import HandStatus
from simulator.session.run.client import RunState, Status

GOOD_FACTOR = 0.95
ALL = 0.9
"""Steps that need more than this part of the time have no chance to keep up."""
USUAL_STEP = 1e-3
"""The time step of SDFormat's default physics [s]."""


class StatusBar(QStatusBar):
    """`findings_clicked` asks for the diagnostics panel."""

    findings_clicked = pyqtSignal()

    def __init__(self, theme: Theme, strategies: QMenu) -> None:
        super().__init__()
        self._theme = theme
        self._findings: tuple[Diagnostic, ...] = ()
        self._open = False
        self.setSizeGripEnabled(False)
        self.state, self.time = PlainLabel(), label("", digits=True)
        self.hand = ElidingLabel("", "muted")
        self.factor, self.residual = label("", digits=True), RoomLabel("muted")
        self.residual.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.solver, self.count = MenuButton(theme), QToolButton()
        self.residual.setToolTip(self.tr("Largest violation of a coupling or loop at this moment"))
        self.renderer_name = ""
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(10, 2, 6, 2)
        layout.setSpacing(18)
        for widget in (self.state, self.time, self.factor):
            widget.setProperty("role", "muted")
            layout.addWidget(widget)
        layout.addWidget(self.residual, 3)
        layout.addWidget(self.hand, 2)
        layout.addWidget(self.solver)
        self.time.setMinimumWidth(110)
        # Room for two digits before the point: a number that grows is not cut until the row is laid out again.
        self.factor.setMinimumWidth(self.factor.fontMetrics().horizontalAdvance(self._factor_text(99.99)))
        layout.addWidget(self.count)
        for button in (self.solver, self.count):
            policy = button.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # the bar is as high without them, so that nothing above it moves
            button.setSizePolicy(policy)
        self.addWidget(row, 1)
        self._arrange_solver(strategies)
        self.count.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.count.setIconSize(QSize(15, 15))
        self.count.clicked.connect(lambda _checked=False: self.findings_clicked.emit())
        theme.changed.connect(lambda _tokens: self.show_findings(self._findings))
        self.show_findings(())
        self.clear_run()

    def _arrange_solver(self, strategies: QMenu) -> None:
        self.solver.setObjectName("strategy")
        self.solver.setMenu(strategies)
        self.solver.setAccessibleName(self.tr("Strategy that holds couplings and loops"))

    def clear_run(self, *, drawing: bool = False) -> None:
        """Nothing is simulated: no document is open, or one that is being drawn has nothing to simulate yet."""
        self.state.setText(self.tr("Build mode") if drawing else self.tr("No world open"))
        for widget in (self.time, self.factor, self.residual, self.hand):
            widget.setText("")
        self.solver.hide()
        self._set_open(False)

    def show_run(
        self,
        snapshot: Snapshot | None,
        status: Status,
        mechanism: Mechanism,
        *,
        past: bool = False,
        played: bool = False,
    ) -> None:
        """The newest numbers; `past` where they are those of an earlier moment of the recording, which is `played`."""
        self._set_open(True)
        state = self.tr("Playing back") if played else self.tr("Past moment") if past else ""
        self.state.setText(state or self._state_text(status.state))
        self.solver.setText(self.tr("Strategy: {name}").format(name=status.solver))
        self.solver.show()
        self.solver.setToolTip(self._solver_tip(status))
        reason, explained = why_slow(status)
        self.factor.setText(self._factor_text(status.real_time_factor) + (f" – {reason}" if reason else ""))
        dropped = self.tr("requested {s:g} ×; {d:.2f} s could not be caught up").format(
            s=status.speed, d=status.dropped
        )
        kept = self.tr("keeps up with the requested speed")
        self.factor.setToolTip("\n".join((dropped, explained)) if reason else dropped if status.dropped else kept)
        self.time.setText(f"t = {number(snapshot.time, 3)} s" if snapshot is not None else "")
        self.residual.show_text(*(residual_texts(snapshot, mechanism) if snapshot is not None else ("",)))

    def _factor_text(self, factor: float) -> str:
        return f"{factor:.2f} × {self.tr('real time')}"

    def show_hand(self, hand: HandStatus | None, link: str, strength: float) -> None:
        """What the hand that holds `link` does; nothing without one."""
        text = ""
        if link and hand is not None and hand.force is not None:
            text = self.tr("Pulling {link} with {force} N, strength {strength:.2g}")
            text = text.format(link=tail_name(link), force=compact(hand.force, 3), strength=strength)
        elif link:
            text = self.tr("Moving {link}").format(link=tail_name(link))
            text += f": {short_reason(hand.stopped)}" if hand is not None and hand.stopped else ""
        self.hand.setText(text)
        self.hand.setVisible(bool(text))

    def show_findings(self, findings: Sequence[Diagnostic]) -> None:
        """The number of errors and warnings, or of notes where there is nothing worse; the icon has the colour of the
        worst."""
        self._findings = tuple(findings)
        tokens = self._theme.tokens
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        warnings = sum(finding.severity is Severity.WARNING for finding in findings)
        parts = _count(errors, self.tr("error"), self.tr("errors"))
        parts += _count(warnings, self.tr("warning"), self.tr("warnings"))
        notes = _count(len(findings), self.tr("note"), self.tr("notes"))
        self.count.setText(", ".join(parts or notes) or self.tr("No findings"))
        name = "ok"
        colour = tokens.ok
        if errors:
            name = "error"
            colour = tokens.error
        elif warnings:
            name = "warning"
            colour = tokens.warning
        self.count.setIcon(icon(name, tokens, colour))
        self.count.setToolTip(self.tr("Show the Diagnostics panel"))
        self._set_open(self._open)

    def _set_open(self, on: bool) -> None:
        """That nothing was found is worth a word only where something was read."""
        self._open = on
        self.count.setVisible(on or bool(self._findings))

    def _state_text(self, state: RunState) -> str:
        return {
            RunState.STARTING: self.tr("Starting…"),
            RunState.PAUSED: self.tr("Paused"),
            RunState.RUNNING: self.tr("Running"),
            RunState.FAILED: self.tr("Failed"),
            RunState.DIED: self.tr("Physics process ended"),
            RunState.STOPPED: self.tr("Physics process stopped"),
        }[state]

    def _solver_tip(self, status: Status) -> str:
        lines = [
            f"{status.solver}: {meaning(status.solver)}" if meaning(status.solver) else status.solver,
            self.tr("time step {dt:g} ms, {n:.0f} steps/s").format(dt=1000.0 * status.dt, n=status.steps_per_second),
            self.tr("drawn by {name}").format(name=self.renderer_name) if self.renderer_name else "",
        ]
        return "\n".join(line for line in lines if line)


def why_slow(status: Status) -> tuple[str, str]:
    """What keeps a simulation from the requested speed, in a word and in a sentence; empty if nothing does.

    Steps that would take all the time are too slow themselves, or too many: those of a small time step, where usual
    ones would be in time. Where they would not, the rest of the program and of the machine takes the time.
    """
    running = status.state is RunState.RUNNING and status.real_time_factor > 0.0
    if not running or status.real_time_factor >= GOOD_FACTOR * status.speed:
        return "", ""
    translate = QCoreApplication.translate
    needed = status.speed / status.dt
    if status.making is not None:
        text = translate("StatusBar", "Kernels run as Python until they are ready: {percent} % are.")
        return translate("StatusBar", "kernels"), text.format(percent=status.making)
    load = needed * status.step_time
    numbers = {
        "step": compact(1e6 * status.step_time, 3), "n": f"{needed:.0f}", "dt": compact(1e3 * status.dt, 3),
        "load": f"{100.0 * load:.0f}",
    }  # fmt: skip
    if load < ALL:
        word = translate("StatusBar", "picture")
        text = translate(
            "StatusBar", "Physics would need {load} % of the time; drawing and other programs take too much of it."
        )
    elif status.dt < USUAL_STEP and load * status.dt / USUAL_STEP < ALL:
        word = translate("StatusBar", "small step")
        text = translate(
            "StatusBar", "The time step of {dt} ms needs {n} steps a second, {step} µs each: {load} % of the time."
        )
    else:
        word = translate("StatusBar", "physics")
        text = translate("StatusBar", "A step takes {step} µs, and {n} a second are needed: {load} % of the time.")
    return word, text.format(**numbers)


def _count(number_of: int, one: str, many: str) -> list[str]:
    return [f"{number_of} {one if number_of == 1 else many}"] if number_of else []


def residual_texts(snapshot: Snapshot, mechanism: Mechanism) -> tuple[str, ...]:
    """The worst residual with its unit: of a coupling, and of loops in metres and radians; empty without either. Then
    shorter texts, where there is little room: the first number alone, nothing."""
    parts = []
    first = ""
    if len(mechanism.couplings):
        off = np.abs(snapshot.coupling_residual) - coupling_slack(mechanism)
        worst = int(np.argmax(off))
        value = scientific(max(float(off[worst]), 0.0))
        unit = mechanism.axes[mechanism.couplings[worst].follower].unit
        text = QCoreApplication.translate("StatusBar", "coupling |r| {value} {unit}")
        parts.append(text.format(value=value, unit=unit))
        first = f"|r| {value} {unit}"
    if len(mechanism.loop_joints):
        metres, radians = snapshot.worst_loop_residual()
        text = QCoreApplication.translate("StatusBar", "loop |r| {metres} m, {radians} rad")
        parts.append(text.format(metres=scientific(metres), radians=scientific(radians)))
        first = first or f"|r| {scientific(metres)} m"
    return "     ".join(parts), first, ""
