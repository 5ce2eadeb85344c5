"""Modes of small motion around the pose on show, with an animation of the selected one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QElapsedTimer, QTimer, pyqtSignal
from PyQt6.QtWidgets import QListWidget, QPushButton, QVBoxLayout, QWidget

from simulator.diagnostics import printable
from simulator.errors import SimulatorError
from simulator.gui.fields import RoomLabel
from simulator.gui.laws import short_names
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import bar_layout
from simulator.gui.units import compact, effort_text, without_noise
from simulator.mechanism.completion import falling_bases
from simulator.model.names import tail_name
from simulator.session.commands.commands import Pause
from simulator.session.look.driver_analysis import FRAMES, look, modes_at, swing

if TYPE_CHECKING:
    from simulator.analysis.linear import Mode
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.session.look.driver_analysis import SeenState, Swing
    from simulator.spatial.arrays import Array


PERIOD = 33
"""Of the pictures of a swing [ms]."""
SLOWEST, FASTEST = 0.3, 1.5
"""Frequencies that an eye follows [Hz]; modes beyond are shown slower or faster."""
TOLD = 4
"""Axes of a mode that are named."""


class ModesPage(QWidget):
    """`swung` carries body poses (n_bodies, 7) while a mode is on show, None at its end."""

    swung = pyqtSignal(object)

    def __init__(self, live: LiveSession) -> None:
        super().__init__()
        self._live = live
        self.look_button, self.halt = QPushButton(self.tr("Find modes here")), QPushButton(self.tr("Stop"))
        self.hold = QPushButton(self.tr("Hold it"))
        self.modes, self.figures = QListWidget(), RoomLabel("muted")
        self._found: tuple[Mode, ...] = ()
        self._seen: SeenState | None = None
        self._swing: Swing | None = None
        self._timer, self._clock = QTimer(self), QElapsedTimer()
        self._arrange()

    @property
    def swinging(self) -> bool:
        """Whether the view shows a mode."""
        return self._timer.isActive()

    def forget(self) -> None:
        """Another document."""
        self.stop()
        self._found = ()
        self._seen = None
        self.modes.clear()
        self.hold.hide()
        self.figures.show_text("", "")

    def look(self) -> None:
        """Find the modes around the pose on show, at rest and held there."""
        self.forget()
        snapshot = self._live.snapshot
        opened = self._live.opened
        laws = self._live.laws
        if snapshot is None or opened is None or laws is None:
            return
        if self._live.running:
            self._live.send(Pause())
        try:
            self._seen = look(opened, laws.now(), snapshot)
            here = modes_at(self._seen)
        except SimulatorError as error:
            self._say_why_not(opened.mechanism, error)
            return
        self._found, names = here.modes, short_names(self._seen.mechanism.axes)
        self.modes.addItems([_text(number, mode, names) for number, mode in enumerate(self._found, start=1)])
        stable = self.tr("stable") if here.stable else self.tr("not stable: it falls away from here")
        self.figures.show_text(self._with_holding(stable, self._seen.mechanism.axes, names, here.held), "")

    def _say_why_not(self, mechanism: Mechanism, error: SimulatorError) -> None:
        """Of a robot whose base falls: how to hold it, then it has modes."""
        falling = falling_bases(mechanism)
        self.hold.setVisible(bool(falling))
        if not falling:
            self.figures.show_text(str(error), "")
            return
        name = printable(tail_name(falling[0].name))
        text = self.tr("Nothing holds '{name}': it has no modes. 'Hold it' fixes it to the world, as --hold-base does.")
        self.figures.show_text(text.format(name=name), self.tr("Nothing holds it: it has no modes."), "")

    def _with_holding(self, stable: str, axes: tuple[AxisInfo, ...], names: tuple[str, ...], held: Array) -> str:
        """Where it does not rest by itself, what holds it most belongs to how it swings."""
        if without_noise(np.abs(held).max(initial=0.0)) == 0.0:
            return stable
        most = int(np.abs(held).argmax())
        effort = effort_text(float(held[most]), axes[most].effort_unit)
        return self.tr("{stable}; held there at {joint} by {effort}").format(
            stable=stable, joint=names[most], effort=effort
        )

    def as_table(self) -> PanelTable | None:
        """Frequencies, damping ratios, eigenvalues and shapes of the modes."""
        if self._seen is None or not self._found:
            return None
        axes = [axis.name for axis in self._seen.mechanism.axes]
        shapes = [f"{name}/{part}" for name in axes for part in ("re", "im")]
        rows = [
            (number, mode.frequency, mode.damping, mode.eigenvalue.real, mode.eigenvalue.imag,
             *(part for value in mode.shape.tolist() for part in (value.real, value.imag)))
            for number, mode in enumerate(self._found, start=1)
        ]  # fmt: skip
        heads = "mode", "frequency [Hz]", "damping [1]", "eigenvalue/re [1/s]", "eigenvalue/im [1/s]"
        return PanelTable((*heads, *shapes), rows)

    def show_mode(self, number: int) -> None:
        """Let the mechanism swing in a mode, by its place in the list."""
        self.stop()
        if self._seen is None or not 0 <= number < len(self._found):
            return
        if self._live.running:
            self._live.send(Pause())
        try:
            self._swing = swing(self._seen, self._found[number])
        except SimulatorError as error:
            self.figures.show_text(str(error), "")
            return
        self._clock.start()
        self._timer.start()
        self.halt.setEnabled(True)

    def stop(self) -> None:
        """Show the simulation again."""
        self.halt.setEnabled(False)
        if self._timer.isActive():
            self._timer.stop()
            self.swung.emit(None)

    def _next(self) -> None:
        if self._swing is None or self._live.running or self._live.opened is None or not self.isVisible():
            self.stop()
            return
        frequency = min(max(self._swing.mode.frequency, SLOWEST), FASTEST)
        part = self._clock.elapsed() / 1000.0 * frequency
        self.swung.emit(self._swing.frames[int(part * FRAMES) % FRAMES])

    def _arrange(self) -> None:
        bar, row = bar_layout()
        row.addWidget(self.look_button)
        row.addWidget(self.halt)
        row.addWidget(self.hold)
        row.addWidget(self.figures, 1)
        self.halt.setEnabled(False)
        self.hold.hide()
        self.modes.setAccessibleName(self.tr("Modes"))
        self.look_button.clicked.connect(lambda _checked=False: self.look())
        self.halt.clicked.connect(lambda _checked=False: self.stop())
        self.hold.clicked.connect(lambda _checked=False: self._live.answer(True))
        self.modes.currentRowChanged.connect(self.show_mode)
        self._timer.setInterval(PERIOD)
        self._timer.timeout.connect(self._next)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.modes, 1)


def _text(number: int, mode: Mode, names: tuple[str, ...]) -> str:
    """`1   1.52 Hz, damping 0   crank 1, rocker −0.28`."""
    value = mode.eigenvalue.real
    how = f"{compact(mode.frequency, 4)} Hz, damping {compact(round(mode.damping, 6) + 0.0, 3)}"
    if mode.frequency == 0.0:
        how = f"grows with {compact(value, 4)} 1/s" if value > 0.0 else f"decays with {compact(value, 4)} 1/s"
    largest = sorted(zip(names, mode.shape.tolist(), strict=True), key=lambda item: -abs(item[1]))[:TOLD]
    shape = ", ".join(f"{name} {compact(part.real, 3)}" for name, part in largest if abs(part) > 1e-6)
    return f"{number}    {how}    {shape}"
