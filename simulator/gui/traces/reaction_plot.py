"""Reaction of a joint over time, at as many moments of the recording as a plot has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QLocale, pyqtSignal
from PyQt6.QtWidgets import QStyledItemDelegate, QWidget

from simulator.analysis.wrenches import COMPONENTS
from simulator.gui.fields import NoWheelComboBox, RoomLabel
from simulator.gui.plain_plot import controls_over_plot, legend_beside, plain_plot, style_plot
from simulator.gui.traces.saving import ShownTable
from simulator.gui.traces.trace_plot import TimeAxis
from simulator.gui.units import compact
from simulator.model.names import distinct_tails
from simulator.recording.history import on_grid
from simulator.session.forces.forces_now import NoiseFloor, watched_joints

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Mechanism
    from simulator.session.forces.forces_now import ForceRecord
    from simulator.session.run.client import SimulationClient
    from simulator.spatial.arrays import Array


PARTS = ("x", "y", "z")


POINTS = 1000
"""Moments over the width of the plot."""


class ReactionPlot(QWidget):
    """Reaction of one joint at a time, its force or its moment, world axes, by the parent on the child. The list of
    joints has the largest one of each in the stretch of time on show. `wanted`: the times (n,) [s] of the moments on
    show."""

    wanted = pyqtSignal(object)

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self.joint, self.kind, self.figures = NoWheelComboBox(), NoWheelComboBox(), RoomLabel("muted")
        self._plot = plain_plot(self.tr("Reaction over time"), bottom=TimeAxis())
        self._legend = legend_beside(self._plot)
        self._legend.setColumnCount(2)
        self._curves = [self._plot.plot([], [], name=name, connect="finite") for name in (*PARTS, "| |")]
        self._head: Any = pg.InfiniteLine(angle=90)
        self._plot.addItem(self._head)
        self._names: tuple[str, ...] = ()
        self._record: ForceRecord | None = None
        self._span = 0.0, 0.0
        self._least = 0.0
        self.joint.setItemDelegate(_WithLargest(self))
        self._floor: NoiseFloor | None = None
        self._times, self._wrenches = np.zeros(0), np.zeros((0, 6))
        self.kind.addItems([self.tr("Force"), self.tr("Moment")])
        self.joint.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.joint.setAccessibleName(self.tr("Joint on show"))
        self.kind.setAccessibleName(self.tr("Force or moment"))
        controls_over_plot(self, self._plot, self.joint, self.kind, self.figures)
        self.set_tokens(tokens)

    def show_mechanism(self, mechanism: Mechanism, reach: float) -> None:
        """Offer the joints of a mechanism; `reach`: its size [m]."""
        if self._floor is None or self._floor.mechanism is not mechanism:
            self._floor = NoiseFloor(mechanism, reach)
        self._names = watched_joints(mechanism)
        texts = list(distinct_tails(self._names))
        if texts != [self.joint.itemText(i) for i in range(self.joint.count())]:
            self.joint.clear()
            self.joint.addItems(texts)

    def choose(self, joint: str) -> None:
        """Show a joint, by its scoped name."""
        if joint in self._names:
            self.joint.setCurrentIndex(self._names.index(joint))

    def refresh(
        self, client: SimulationClient, record: ForceRecord, snapshot: Snapshot, span: tuple[float, float], head: float
    ) -> None:
        """Draw what is known of a stretch of time [s]; `head`: the moment on show. What is round-off, where bodies move
        as in a snapshot, is drawn as nothing."""
        recorded, _ = client.trace((), span[0])
        shown = recorded[on_grid(recorded, span, POINTS)]
        self.wanted.emit(shown)
        self._record, self._span = record, span
        times, wrenches, problem = record.trace(max(self.joint.currentIndex(), 0), shown)
        self._times, self._wrenches = times, wrenches
        moment = self.kind.currentIndex() == 1
        chosen = wrenches[:, 3:] if moment else wrenches[:, :3]
        unit = "N·m" if moment else "N"
        size = np.linalg.norm(chosen, axis=1)
        floors = self._floor.at(snapshot, *record.largest(*span)) if self._floor is not None else (0.0, 0.0)
        self._least = least = floors[int(moment)]
        known = np.isfinite(size)
        if known.any() and float(size[known].max()) > least:
            self._plot.enableAutoRange("y")
        else:
            chosen, size = 0.0 * chosen, 0.0 * size
            self._plot.setYRange(-1.0, 1.0)
        for curve, values in zip(self._curves, (*chosen.T, size), strict=True):
            curve.setData(times, values)
        self._head.setValue(head)
        self._plot.setXRange(*span, padding=0.0)
        self._plot.setLabel("left", f"{self.kind.currentText()} [{unit}]")
        self._say(times[known], size[known], head, unit, problem if not known.all() else "")

    def largest_in(self, text: str) -> str:
        """The largest reaction in a joint of the list over the stretch on show, '' while it is not known."""
        place = self.joint.findText(text)
        known = self._record.largest_by_joint(*self._span) if self._record is not None else np.zeros((0, 2))
        if not 0 <= place < len(known):
            return ""
        kind = self.kind.currentIndex()
        size = float(known[place, kind])
        return f"{compact(size if size > self._least else 0.0, 4)} {('N', 'N·m')[kind]}"

    def _say(self, times: Array, size: Array, head: float, unit: str, problem: str) -> None:
        """How large it is and was, and why it is not known at other moments."""
        if not len(size):
            self.figures.show_text(problem or self.tr("computing …"), "")
            return
        at = int(np.argmin(np.abs(times - head)))
        now = self.tr("now {now} {unit}").format(now=compact(float(size[at]), 4), unit=unit)
        peak = self.tr("largest {peak} {unit}").format(peak=compact(float(size.max()), 4), unit=unit)
        gaps = self.tr("gaps: {why}").format(why=problem) if problem else ""
        self.figures.show_text("   ".join(filter(None, (now, peak, gaps))), f"{now}   {peak}", peak)

    def table(self) -> ShownTable:
        """Force and moment of the joint over the stretch of time on show."""
        index = max(self.joint.currentIndex(), 0)
        name = self._names[index] if index < len(self._names) else ""
        units = ("N", "N", "N", "N·m", "N·m", "N·m")
        columns = tuple((f"reaction/{name}/{part}", unit) for part, unit in zip(COMPONENTS, units, strict=True))
        return ShownTable(columns, self._times, self._wrenches)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        style_plot(self._plot, tokens)
        for curve, colour in zip(self._curves, (*tokens.series[:3], tokens.text), strict=True):
            curve.setPen(pg.mkPen(colour, width=2))
        self._head.setPen(pg.mkPen(tokens.accent, width=1))


class _WithLargest(QStyledItemDelegate):
    """Joints of the list with their largest reactions, so that the one that bears most is found in one look."""

    def __init__(self, plot: ReactionPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def displayText(self, value: object, locale: QLocale) -> str:
        """The name and the number."""
        return "   ".join(filter(None, (str(value), self._plot.largest_in(str(value)))))
