"""Curves chosen for each document: remembered while the window is open, and permanently if plots were
arranged by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.gui.traces.arrangement import Plots, arranged
from simulator.gui.traces.plan import Group, Series

if TYPE_CHECKING:
    from simulator.gui.preferences import Preferences


class ChosenCurves:
    """Keys of the curves on show and their plots, of each quantity of the document that was opened last."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self._shown: dict[tuple[Path | None, Group], frozenset[str]] = {}
        self._plots: dict[tuple[Path | None, Group], Plots] = {}
        self._path: Path | None = None

    def choose(self, path: Path | None) -> None:
        """Restore what was chosen for another document."""
        self._path = path
        if path is None:
            return
        for group in Group:
            plots, shown = self._preferences.plots_of(path, group.value)
            if plots and (path, group) not in self._plots:
                self._plots[path, group] = plots
                self._shown[path, group] = shown

    def shown(self, group: Group, series: Sequence[Series]) -> frozenset[str]:
        """The curves that were checked, at first those that are shown at the start."""
        return self._shown.get((self._path, group), frozenset(one.key for one in series if one.shown))

    def show(self, group: Group, keys: Iterable[str]) -> None:
        """Note what is checked."""
        self._shown[self._path, group] = frozenset(keys)
        if self.plots(group):
            self._keep(group)

    def plots(self, group: Group) -> Plots:
        """As they were arranged by hand; none where they are as at first, one for every unit."""
        return self._plots.get((self._path, group), ())

    def rearrange(
        self, group: Group, visible: Sequence[Series], change: Callable[..., Plots], *arguments: object
    ) -> None:
        """Arrange the plots of the curves on show by a function of `arrangement`."""
        self._plots[self._path, group] = change(arranged(self.plots(group), visible), *arguments)
        self._shown[self._path, group] = frozenset(one.key for one in visible)
        self._keep(group)

    def forget_plots(self, group: Group) -> None:
        """One plot for every unit."""
        self._plots.pop((self._path, group), None)
        self._keep(group)

    def _keep(self, group: Group) -> None:
        if self._path is not None:
            shown = self._shown.get((self._path, group), frozenset())
            self._preferences.set_plots_of(self._path, group.value, self.plots(group), shown)
