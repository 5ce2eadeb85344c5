"""Messages above the view: documents being opened, errors, and remarks of the simulation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from simulator.gui.banner import Banner
from simulator.gui.fields import shown
from simulator.gui.live import LiveSession
from simulator.gui.theme import Theme
from simulator.model.names import tail_name
from simulator.session.commands.commands import Reset
from simulator.session.run.client import RunState, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.diagnostics import Diagnostic
    from simulator.gui.units import Units
    from simulator.session.open.opening import Opened

_QUOTED = re.compile(r"'([^']+)'")
SLOW = 150
"""Time after which a document is announced as being opened [ms]."""
READ = 10_000
"""Time after which it is no longer said that a file was written [ms]."""
LEFTOVER = "leftover"
"""Topic of the notice about a recording of another session, which has nothing to do with a document."""


class Announcements(QWidget):
    """Three strips, usually hidden: `busy` while a document is read, `banner` for decisions, `notice`
    for remarks."""

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__()
        self._live, self._units = live, units
        self.busy, self.banner, self.notice = Banner(theme), Banner(theme), Banner(theme)
        self.progress = QProgressBar()
        self._opening: Path | None = None
        self._making = False
        self._said, self._said_under = "", ""
        self._dismissed: set[str] = set()
        self._timer, self.saved_timer = QTimer(self), QTimer(self)
        for timer, time, act in (
            (self._timer, SLOW, self._say_opening),
            (self.saved_timer, READ, lambda: self.notice.take_back("saved")),
        ):
            timer.setSingleShot(True)
            timer.setInterval(time)
            timer.timeout.connect(act)
        self._arrange()
        self.notice.dismissed.connect(self._dismiss)
        live.opening.connect(self._show_opening)
        live.document_changed.connect(lambda _opened: self._forget())
        live.cut.connect(self._say_cut)

    def show_status(self, status: Status) -> None:
        """The end of a simulation or how far its kernels are, else its last remark."""
        self._show_making(status.making)
        if status.state is RunState.DIED and self.banner.topic != "died":
            text = self.tr("The simulation process ended: {why}.").format(why=status.message.rstrip("."))
            self.banner.say("died", "error", text, self.tr("Restart"), self._restart)
        elif status.state is RunState.STOPPED and self.banner.topic != "stopped":
            text = self.tr("The simulation does not answer: {why}.").format(why=status.message)
            self.banner.say("stopped", "error", text, self.tr("Restart"), self._restart)
        elif status.state is RunState.FAILED and self.banner.topic != "failed":
            text = self.tr("The simulation stopped: {why}").format(why=status.message)
            self.banner.say("failed", "error", text, self.tr("Reset"), self._reset)
        elif status.state in {RunState.RUNNING, RunState.PAUSED}:
            for topic in ("died", "failed", "stopped"):
                self.banner.take_back(topic)
            self._remark(status)

    def set_units(self, units: Units) -> None:
        """Give what the simulation says in other units from now on."""
        self._units = units

    def say_changed(self, path: Path) -> None:
        """A file that the document was read from is another one now."""
        text = self.tr("{name} changed on disk.").format(name=path.name)
        self.banner.say("changed", "info", text, self.tr("Reload"), self._live.reload)

    def say_last_good(self, path: Path) -> None:
        """A reload was refused."""
        text = self.tr("{name} has errors now; the last good version is still shown.").format(name=path.name)
        self.banner.say("rejected", "error", text)

    def say_incomplete(self, opened: Opened) -> None:
        """A document with errors is drawn as far as it could be read."""
        errors = sum(finding.is_error for finding in opened.diagnostics)
        text = self.tr("{name} cannot be simulated; the readable part is drawn. Errors: {n}.")
        self.banner.say("rejected", "error", text.format(name=shown(opened.path.name), n=errors))

    def say_left_out(self, add_folder: Callable[[], None], show_findings: Callable[[], None]) -> None:
        """Models that a document includes are missing: what is shown is not all of it."""
        text = self.tr("Models that this world includes were not found and are left out.")
        self.banner.say("left out", "warning", text, self.tr("Add resource folder…"), add_folder)
        self.banner.offer(self.tr("Show searched folders"), show_findings)

    def say_leaderless(self, findings: Sequence[Diagnostic], show_findings: Callable[[], None]) -> None:
        """Joints that should follow another do not."""
        first = findings[0]
        others = sum(finding.count for finding in findings) - 1
        text = f"{first.message[:1].upper()}{first.message[1:]}"
        text += self.tr(" ({n} more do not follow either)").format(n=others) if others else ""
        self.banner.say("leaderless", "warning", f"{shown(text)}.", self.tr("Show the line"), show_findings)

    def ask_about_base(self, answer: Callable[[bool], None], finding: Diagnostic) -> None:
        """Whether the base of a robot is to be fixed."""
        name = _QUOTED.search(finding.message)
        others = self.tr(" (and {n} more like it)").format(n=finding.count - 1) if finding.count > 1 else ""
        text = self.tr("Nothing holds '{name}'{others}, and there is nothing under it.")
        text = text.format(name=tail_name(name[1]) if name else "", others=others)
        self.banner.say("base", "info", text, self.tr("Hold it"), lambda: answer(True))
        self.banner.offer(self.tr("Let it fall"), lambda: answer(False))

    def _say_cut(self, first: float, last: float) -> None:
        text = self.tr("The motion continues from {first}; the recording from there to {last} is gone.")
        self.notice.say("cut", "info", text.format(first=f"{first:.4g} s", last=f"{last:.4g} s"))

    def say_saved(self, text: str) -> None:
        """What a file has that was written, for as long as it takes to read it."""
        self.notice.say("saved", "info", text)
        self.saved_timer.start()

    def say_other(self, text: str, save: Callable[[], None]) -> None:
        """A recording is of another mechanism than its document now has."""
        self.banner.say("rejected", "warning", text, self.tr("Save as CSV…"), save)

    def say_failed(self, text: str) -> None:
        """Something could not be read or started."""
        self.banner.say("rejected", "error", text)

    def _arrange(self) -> None:
        self.busy.closable = False
        self.progress.setObjectName("busy")
        self._be_busy_without_end()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(3)
        self.progress.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for strip in (self.busy, self.progress, self.banner, self.notice):
            column.addWidget(strip)

    def _show_making(self, percent: int | None) -> None:
        """How far kernels are, in words and as a bar; a document that is being read comes first."""
        if percent is None or self._opening is not None:
            if self._making:
                self._making = False
                self._be_busy_without_end()
                if self._opening is None:
                    self.busy.hide()
                    self.progress.hide()
            return
        self._making = True
        text = self.tr("Compiling kernels, once for this version: {percent} %. Until then motion is slow.")
        self.busy.say("making", "info", text.format(percent=percent))
        self.progress.setRange(0, 100)
        self.progress.setValue(percent)
        self.progress.setAccessibleName(self.tr("Kernels are being compiled"))
        self.progress.show()

    def _be_busy_without_end(self) -> None:
        self.progress.setRange(0, 0)
        self.progress.setAccessibleName(self.tr("A document is being read"))

    def _remark(self, status: Status) -> None:
        """Remarks stay, also when the next command has wiped them, until they are dismissed or another strategy is at
        work."""
        if self._said_under != status.solver:
            self._said_under = status.solver
            self._take_back()
        there = {reason for number, reason in status.refused if number in self._live.answered_there}
        if not status.message:
            self._dismissed.clear()
        elif status.message in there:
            self._said = status.message
        elif status.message != self._said and status.message not in self._dismissed:
            self._said = status.message
            self.notice.say("remark", "info", _sentence(self._units.in_text(status.message)))

    def _dismiss(self) -> None:
        self._dismissed.add(self._said)
        self._said = ""

    def _take_back(self) -> None:
        self._said = ""
        self._dismissed.clear()
        self.notice.take_back("remark")

    def _forget(self) -> None:
        """Another document, or none: what was said about the last one is over, but not that a copy was saved."""
        self._take_back()
        self.banner.clear()
        if self.notice.topic not in {LEFTOVER, "saved"}:
            self.notice.clear()

    def _show_opening(self, path: Path | None) -> None:
        self._opening = path
        if path is None or path == self._live.drawn:  # what is drawn is read again after each gesture
            self._timer.stop()
            self.busy.hide()
            self.progress.hide()
        elif self.busy.isVisible():
            self._say_opening()
        else:
            self._timer.start()

    def _say_opening(self) -> None:
        if self._opening is not None:
            text = self.tr("Opening {name} …").format(name=self._opening.name)
            self.busy.say("opening", "info", text, self.tr("Cancel"), self._live.cancel_opening)
            self.progress.show()

    def _restart(self) -> None:
        self.banner.topic = ""
        self._live.restart()

    def _reset(self) -> None:
        self.banner.topic = ""
        self._live.send(Reset())


def _sentence(text: str) -> str:
    """With a capital and a full stop."""
    return text[:1].upper() + text[1:].rstrip(".") + "."
