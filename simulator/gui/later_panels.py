"""Panels that a window makes when they are first shown, and what works while there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QObject, pyqtSignal

from simulator.gui.panels.late_panel import LatePanel

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.actions import Actions
    from simulator.gui.analysis.analysis_panel import AnalysisPanel
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.kinematics_panel import KinematicsPanel
    from simulator.gui.panels.mechanism_panel import MechanismPanel
    from simulator.gui.preferences import Preferences
    from simulator.gui.selection import Item, Selection
    from simulator.gui.study.study_panel import StudyPanel
    from simulator.gui.theme import Theme
    from simulator.gui.units import Units


class LaterPanels(QObject):
    """Panels of the work area other than the first. `swung` carries the body poses of a mode, see `ModesPage`."""

    swung = pyqtSignal(object)

    def __init__(
        self, live: LiveSession, selection: Selection, theme: Theme, preferences: Preferences, actions: Actions
    ) -> None:
        super().__init__()
        self._live, self._selection, self._theme = live, selection, theme
        self._preferences, self._actions = preferences, actions
        tr = QCoreApplication.translate
        self.kinematics = LatePanel("kinematics", tr("KinematicsPanel", "Kinematics"), "kinematics", self._kinematics)
        self.analysis = LatePanel("analysis", tr("AnalysisPanel", "Analysis"), "analysis", self._analysis)
        self.study = LatePanel("study", tr("StudyPanel", "Study"), "study", self._study)
        self.mechanism = LatePanel("mechanism", tr("MechanismPanel", "Mechanism"), "mechanism", self._mechanism)
        selection.changed.connect(self._drive)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        for panel in (self.kinematics.made, self.analysis.made, self.study.made):
            if panel is not None:
                panel.set_units(units)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The numbers of a moment."""
        for panel in (self.kinematics.made, self.mechanism.made):
            if panel is not None:
                panel.show_snapshot(snapshot)

    def _drive(self, item: Item | None) -> None:
        """The selected axis is the driver."""
        relations = self._live.relations
        axes = relations.axes_of(item) if relations is not None else ()
        if len(axes) == 1:
            self._live.kinematics.choose(axes[0])

    def _kinematics(self) -> KinematicsPanel:
        from simulator.gui.panels.kinematics_panel import KinematicsPanel

        return KinematicsPanel(self._live, self._theme, self._preferences.units, self._actions)

    def _analysis(self) -> AnalysisPanel:
        from simulator.gui.analysis.analysis_panel import AnalysisPanel

        panel = AnalysisPanel(self._live, self._selection, self._theme, self._preferences.units)
        panel.modes.swung.connect(self.swung)
        return panel

    def _study(self) -> StudyPanel:
        from simulator.gui.study.study_panel import StudyPanel

        return StudyPanel(self._live, self._theme, self._preferences.units)

    def _mechanism(self) -> MechanismPanel:
        from simulator.gui.panels.mechanism_panel import MechanismPanel

        return MechanismPanel(self._live, self._theme)
