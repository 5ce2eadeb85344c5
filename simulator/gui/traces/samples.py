"""From the recorded channels to the curves on show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.gui.current_laws import CurrentLaws
    from simulator.gui.traces.plan import Series
    from simulator.spatial.arrays import Array

    Columns = dict[str, Array]


def by_series(visible: Sequence[Series], columns: Sequence[int], times: Array, values: Array) -> Columns:
    """The curve of every series from the fetched columns."""
    place = {column: i for i, column in enumerate(columns)}
    return {
        series.key: series.values(times, *(values[:, place[column]] for column in series.columns)) for series in visible
    }


def ideals_over_time(
    laws: CurrentLaws, visible: Sequence[Series], columns: Sequence[int], times: Array, values: Array
) -> Columns:
    """Ideal followers whose law was changed while it ran: each stretch of time by the law that held then."""
    place = {column: i for i, column in enumerate(columns)}
    curves: Columns = {}
    for series in visible:
        if series.coupling is None:
            continue
        samples = [values[:, place[column]] for column in series.columns]
        curve = np.empty(len(times))
        for inside, coupling in laws.stretches(series.coupling.follower, times):
            curve[inside] = replace(series, coupling=coupling).values(
                times[inside], *(column[inside] for column in samples)
            )
        curves[series.key] = curve
    return curves
