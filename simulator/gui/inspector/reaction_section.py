"""Reaction of the selected joint at the moment on show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QPushButton, QWidget

from simulator.gui.fields import NumberLabel, label
from simulator.gui.units import compact
from simulator.session.forces.forces_now import watched_joints

if TYPE_CHECKING:
    from PyQt6.QtGui import QHideEvent, QShowEvent

    from simulator.engine.snapshot import Snapshot
    from simulator.gui.live import LiveSession
    from simulator.spatial.arrays import Array


ROWS = ("x", "y", "z", "| |")


class ReactionSection(QWidget):
    """Force and moment on the child by the parent, in world axes, at the joint. `watches` carries whether they are
    needed, `plotted` the name of a joint whose reaction is to be plotted over time."""

    watches = pyqtSignal(bool)
    plotted = pyqtSignal(str)

    def __init__(self, live: LiveSession) -> None:
        super().__init__()
        self._live = live
        self._joint = ""
        self._wrench: Array | None = None
        self.forces = [NumberLabel() for _ in ROWS]
        self.moments = [NumberLabel() for _ in ROWS]
        self.problem, self.plot = label("", "muted"), QPushButton(self.tr("Over time"))
        self._arrange()
        self.plot.clicked.connect(lambda _checked=False: self.plotted.emit(self._joint))

    def show_joint(self, name: str) -> bool:
        """Another joint; says whether it is one whose reactions are known."""
        relations = self._live.relations
        known = relations is not None and name in watched_joints(relations.mechanism)
        self._joint = name if known else ""
        self._wrench = None
        if known and self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)
        return known

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The reactions nearest to the moment on show."""
        relations = self._live.relations
        if not self._joint or relations is None or not self.isVisible():
            return
        found = self._live.forces.at(snapshot.time)
        index = watched_joints(relations.mechanism).index(self._joint)
        has_some = found is not None and not found.problem and index < len(found.wrenches)
        self.problem.setText(found.problem if found is not None else self.tr("computing …"))
        self.problem.setVisible(not has_some)
        self._wrench = wrench = found.wrenches[index] if found is not None and has_some else None
        if found is None or wrench is None:
            return
        for labels, part, unit in ((self.forces, wrench[:3], "N"), (self.moments, wrench[3:], "N·m")):
            size = float(np.linalg.norm(part))
            for shown, value in zip(labels, (*part, size), strict=True):
                small = abs(float(value)) < 1e-9 * max(found.largest)
                shown.setText(f"{compact(0.0 if small else float(value), 4)} {unit}")

    def rows(self) -> list[tuple[str, float, str]]:
        """Force and moment on the child by the parent, in world axes; none while they are not known."""
        if self._wrench is None:
            return []
        names = [f"{what} {part}" for what in ("force", "moment") for part in "xyz"]
        return list(zip(names, self._wrench.tolist(), ("N",) * 3 + ("N·m",) * 3, strict=True))

    def showEvent(self, event: QShowEvent | None) -> None:
        """Reactions are wanted while they are seen."""
        super().showEvent(event)
        self.watches.emit(True)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Reactions cost time at every step: none are computed for what is folded away."""
        super().hideEvent(event)
        self.watches.emit(False)

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 2, 12, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(label(self.tr("force"), "muted"), 0, 1)
        grid.addWidget(label(self.tr("moment"), "muted"), 0, 2)
        for row, (name, force, moment) in enumerate(zip(ROWS, self.forces, self.moments, strict=True), start=1):
            grid.addWidget(label(name, "muted"), row, 0)
            grid.addWidget(force, row, 1)
            grid.addWidget(moment, row, 2)
        grid.addWidget(self.problem, len(ROWS) + 1, 0, 1, 3)
        grid.addWidget(self.plot, len(ROWS) + 2, 0, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        self.problem.setWordWrap(True)
        self.setToolTip(self.tr("By the parent on the child, in world axes, at the joint"))
