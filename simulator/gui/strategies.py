"""The strategies that enforce couplings and loops: a description of each, and a menu that shows the present one."""

from __future__ import annotations

from PyQt6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, pyqtSignal
from PyQt6.QtGui import QAction, QActionGroup
from PyQt6.QtWidgets import QMenu, QWidget

from simulator.session.text.settings import SOLVERS


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP("Strategies", text))


MEANINGS = {
    "rows": _("couplings and loops exact, with contacts"),
    "reduced": _("exact in independent coordinates, conserves energy, no contacts"),
    "gear": _("Bullet's own gears and pins, with contacts and small residuals"),
}


def meaning(solver: str) -> str:
    """One line about a strategy; empty for one that is not known here."""
    return QCoreApplication.translate("Strategies", MEANINGS[solver]) if solver in MEANINGS else ""


class StrategyMenu(QMenu):
    """One exclusive entry per strategy. `chosen` carries a name; the mark stays with the last argument of
    `show_solver`."""

    chosen = pyqtSignal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("S&trategy"))
        self.setToolTipsVisible(True)
        self._group = QActionGroup(self)
        self._solver = ""
        for solver in SOLVERS:
            action = QAction(f"{solver} \u2013 {meaning(solver)}" if meaning(solver) else solver, self)
            action.setObjectName(f"strategy_{solver}")
            action.setData(solver)
            action.setCheckable(True)
            self._group.addAction(action)
            self.addAction(action)
        self._group.triggered.connect(self._triggered)
        self.show_solver("")

    def show_solver(self, solver: str) -> None:
        """Mark the strategy that the simulation says it uses; none while nothing is simulated."""
        self._solver = solver
        self._group.setEnabled(bool(solver))
        known = False
        for action in self._group.actions():
            if action.data() == solver:
                known = True
                action.setChecked(True)
        if not known:
            self._unmark()

    def _unmark(self) -> None:
        checked = self._group.checkedAction()
        if checked is not None:
            self._group.setExclusive(False)
            checked.setChecked(False)
            self._group.setExclusive(True)

    def _triggered(self, action: QAction) -> None:
        """Qt has moved the mark to what was clicked; it goes back until the simulation agrees."""
        wanted = str(action.data())
        self.show_solver(self._solver)
        if wanted != self._solver:
            self.chosen.emit(wanted)
