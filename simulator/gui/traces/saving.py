"""The plots on show as CSV: numbers as computed, in SI units, independent of the units on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.gui.panel_table import PanelTable, with_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


class ShownTable(NamedTuple):
    """Name and SI unit of each column, times (n,) [s] and values (n, n_columns); where they are known, what curves are
    called on the screen, and the numbers of their colours (-1: that of text) and dashes."""

    columns: tuple[tuple[str, str], ...]
    times: Array
    values: Array
    labels: tuple[str, ...] = ()
    styles: tuple[tuple[int, int], ...] = ()

    def of(self, places: Sequence[int]) -> ShownTable:
        """The columns at these places only."""
        return ShownTable(
            tuple(self.columns[place] for place in places),
            self.times,
            self.values[:, list(places)],
            tuple(self.labels[place] for place in places) if self.labels else (),
            tuple(self.styles[place] for place in places) if self.styles else (),
        )

    def panel_table(self) -> PanelTable:
        """The times and the columns, with units."""
        heads = [with_unit(name, unit) for name, unit in (("time", "s"), *self.columns)]
        return PanelTable(heads, np.column_stack((self.times, self.values)).tolist())
