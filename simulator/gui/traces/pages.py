"""The pages of the traces: plots over time, and those beside them, which are made when they are first shown."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from simulator.gui.traces.kinematics_plot import KinematicsPlot
from simulator.gui.traces.phase import PhasePlot
from simulator.gui.traces.reaction_plot import ReactionPlot

if TYPE_CHECKING:
    from simulator.gui.kinematic_watch import KinematicWatch
    from simulator.gui.theme import Theme, Tokens

PHASE, REACTION, KINEMATICS = 1, 2, 3
"""Pages beside the plots over time."""


class TracePages(QStackedWidget):
    """`chosen` is emitted when another joint, coupling or figure is chosen on a page, or when more of one is known;
    `wanted` as by `ReactionPlot`."""

    chosen = pyqtSignal()
    wanted = pyqtSignal(object)

    def __init__(self, over_time: QWidget, watch: KinematicWatch, theme: Theme) -> None:
        super().__init__()
        self._watch, self._theme = watch, theme
        self._made = dict[int, PhasePlot | ReactionPlot | KinematicsPlot]()
        for page in (over_time, QWidget(), QWidget(), QWidget()):
            self.addWidget(page)
        theme.changed.connect(self._set_tokens)

    def show_page(self, page: int) -> None:
        """Bring up a page; 0: the plots over time."""
        if page:
            _ = (self.phase, self.reaction, self.kinematics)[page - 1]
        self.setCurrentIndex(page)

    @property
    def current(self) -> PhasePlot | ReactionPlot | KinematicsPlot | None:
        """The page on show; None for the plots over time."""
        return self._made.get(self.currentIndex())

    @cached_property
    def phase(self) -> PhasePlot:
        """A follower over its leader."""
        made = PhasePlot(self._theme.tokens)
        made.choice.currentIndexChanged.connect(lambda _index: self.chosen.emit())
        self._put(PHASE, made)
        return made

    @cached_property
    def reaction(self) -> ReactionPlot:
        """What a joint carries over time."""
        made = ReactionPlot(self._theme.tokens)
        made.wanted.connect(self.wanted)
        for choice in (made.joint, made.kind):
            choice.currentIndexChanged.connect(lambda _index: self.chosen.emit())
        self._put(REACTION, made)
        return made

    @cached_property
    def kinematics(self) -> KinematicsPlot:
        """Figures of a driver over time."""
        made = KinematicsPlot(self._watch, self._theme.tokens)
        made.figure.currentIndexChanged.connect(lambda _index: self.chosen.emit())
        made.unfinished.connect(self.chosen)
        made.logarithmic.toggled.connect(lambda _on: self.chosen.emit())
        self._put(KINEMATICS, made)
        return made

    def _put(self, page: int, made: PhasePlot | ReactionPlot | KinematicsPlot) -> None:
        self._made[page] = made
        layout = QVBoxLayout(self.widget(page))
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(made)

    def _set_tokens(self, tokens: Tokens) -> None:
        for page in self._made.values():
            page.set_tokens(tokens)
