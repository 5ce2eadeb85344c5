"""What was chosen to be drawn of each document: noted as long as the window is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from simulator.gui.traces.arrangement import Plots, arranged
from simulator.gui.traces.plan import Group, Series


class ChosenCurves:
    """Keys of the curves on show and their plots, of each quantity of the document that was opened last."""

    def __init__(self) -> None:
        self._shown: dict[tuple[Path | None, Group], frozenset[str]] = {}
        self._plots: dict[tuple[Path | None, Group], Plots] = {}
        self._path: Path | None = None

    def choose(self, path: Path | None) -> None:
        """Go on with what was chosen of another document."""
        self._path = path

    def shown(self, group: Group, series: Sequence[Series]) -> frozenset[str]:
        """The curves that were checked, at first those that are shown at the start."""
        return self._shown.get((self._path, group), frozenset(one.key for one in series if one.shown))

    def show(self, group: Group, keys: Iterable[str]) -> None:
        """Note what is checked."""
        self._shown[self._path, group] = frozenset(keys)

    def plots(self, group: Group) -> Plots:
        """As they were arranged by hand; none where they are as at first, one for every unit."""
        return self._plots.get((self._path, group), ())

    def rearrange(
        self, group: Group, visible: Sequence[Series], change: Callable[..., Plots], *arguments: object
    ) -> None:
        """Arrange the plots of the curves on show by a function of `arrangement`."""
        self._plots[self._path, group] = change(arranged(self.plots(group), visible), *arguments)

    def forget_plots(self, group: Group) -> None:
        """One plot for every unit."""
        self._plots.pop((self._path, group), None)
