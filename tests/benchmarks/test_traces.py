"""How long a refresh of the traces takes: twenty curves of ten thousand samples have to be redrawn 30 times a
second."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.tokens import LIGHT
from simulator.gui.traces.decimation import min_max
from simulator.gui.traces.plan import Series
from simulator.gui.traces.plots import PlotStack

CURVES, SAMPLES, WIDTH = 20, 10_000, 1000
BUDGET = 1.0 / 30.0


def samples() -> tuple[Any, Any]:
    times = np.linspace(0.0, 10.0, SAMPLES)
    rates = 2.0 * np.pi * (0.3 + 0.1 * np.arange(CURVES))
    noise = np.random.default_rng(0).normal(0.0, 0.01, (SAMPLES, CURVES))
    return times, np.sin(times[:, None] * rates) + noise


def test_thinning_twenty_curves(benchmark: Any) -> None:
    times, values = samples()
    thin_times, _thin = benchmark(min_max, times, values, 10.0, WIDTH)
    assert len(thin_times) <= 2 * (WIDTH + 1)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_refreshing_twenty_curves(benchmark: Any, qtbot: QtBot, qapp: QApplication) -> None:
    """Thin, hand over, paint: all that the window's thread does for one refresh."""
    times, values = samples()
    stack = PlotStack(LIGHT)
    qtbot.addWidget(stack.frame)
    stack.frame.resize(WIDTH, 330)
    units = ("rad", "m")
    series = [Series(f"s{k}", f"s{k}", k, units[k % 2], k % 8, 0 if k < 8 else 2) for k in range(CURVES)]
    stack.show_series(series, {unit: unit for unit in units})
    stack.set_time_range(0.0, 10.0)
    stack.frame.show()
    qapp.processEvents()

    def refresh() -> None:
        nonlocal values
        values = np.roll(values, -40, axis=0)
        thin_times, thin = min_max(times, values, 10.0, stack.width_in_pixels())
        stack.set_data(thin_times, {f"s{k}": thin[:, k] for k in range(CURVES)})
        stack.show_values({f"s{k}": f"{thin[-1, k]:.3f}" for k in range(CURVES)})
        stack.frame.grab()

    benchmark(refresh)
    if benchmark.stats is not None:
        assert benchmark.stats["median"] < BUDGET
