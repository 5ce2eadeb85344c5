"""Mechanisms of a thousand joints in the window: no recursion, no rows before they are needed."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from simulator.collector import keep_all, let_go
from simulator.gui import live
from simulator.gui.laws import law_names, law_text, root_leaders
from simulator.gui.panels import joints_panel
from simulator.gui.selection import Item, ItemKind
from simulator.gui.theme import LIGHT
from simulator.gui.traces.decimation import min_max
from simulator.gui.traces.legend import Legend
from simulator.gui.traces.plan import Group, plan
from simulator.gui.units import Units
from simulator.mechanism.types import Coupling, CouplingKind, Mechanism
from simulator.recording.channels import channels_of
from simulator.session.commands.commands import SetCoupling
from tests.gui.conftest import Bench
from tests.gui.fakes import opened

LONG = 1500


def chain(length: int) -> Mechanism:
    """Every axis follows the one before it."""
    mechanism = opened().mechanism
    turn = mechanism.axes[0]
    axes = tuple(replace(turn, name=f"m::j{i}", joint=f"m::j{i}") for i in range(length))
    couplings = tuple(Coupling(CouplingKind.MIMIC, i, i - 1, -1.0) for i in range(1, length))
    return replace(mechanism, axes=axes, couplings=couplings)


def test_long_chains_are_listed_in_order() -> None:
    mechanism = chain(LONG)
    series = plan(mechanism, channels_of(mechanism), Group.POSITION)
    listed = [line.label for line in series if line.coupling is None and not line.residual]
    assert listed == [f"j{i}" for i in range(LONG)]


def test_the_root_of_a_chain_and_of_a_ring() -> None:
    assert root_leaders(chain(LONG)) == dict.fromkeys(range(1, LONG), 0)
    mechanism = chain(4)
    ring = (Coupling(CouplingKind.MIMIC, 1, 2, 1.0), Coupling(CouplingKind.MIMIC, 2, 1, 1.0))
    roots = root_leaders(replace(mechanism, couplings=ring))
    assert set(roots) <= {1, 2}


def test_names_of_a_law_are_those_of_its_own_axes() -> None:
    mechanism = chain(LONG)
    names = law_names(mechanism.couplings[-1], mechanism.axes)
    assert len(names) == 2
    assert law_text(mechanism.couplings[-1], names) == f"j{LONG - 1} = −j{LONG - 2}"


def test_nothing_on_show_can_be_thinned_out() -> None:
    times = np.linspace(0.0, 10.0, 5000)
    thin_times, thin = min_max(times, np.zeros((5000, 0)), 10.0, 100)
    assert thin.shape == (len(thin_times), 0)


def test_rows_beyond_the_first_are_made_when_asked_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joints_panel, "MOST", 1)
    bench.open()
    panel = bench.window.joints_panel
    assert (list(panel.cards), list(panel.followers)) == ([0], [])
    assert panel.more.text() == "Show 1 more"
    assert panel.more.isVisible()
    panel.more.click()
    assert list(panel.followers) == [1]
    assert not panel.more.isVisible()


def test_many_rows_come_a_few_at_a_time(bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that come later are as the others: selected, with the law that holds now."""
    monkeypatch.setattr(joints_panel, "AT_ONCE", 1)
    bench.open()
    panel = bench.window.joints_panel
    assert (list(panel.cards), list(panel.followers)) == ([0], [])
    bench.live.send(SetCoupling(0, 0.1, 0.0, 0.0))
    bench.live.poll()
    bench.window.selection.select(Item(ItemKind.JOINT, "machine::rack_joint"))
    qtbot.waitUntil(lambda: list(panel.followers) == [1])
    row = panel.followers[1]
    assert row.property("selected") == "true"
    assert "0.1 · pinion_joint" in row.law.text()
    assert not panel.more.isVisible()


def test_a_legend_of_thousands_writes_values_of_what_is_shown(qtbot: QtBot) -> None:
    mechanism = chain(LONG)
    legend = Legend(LIGHT)
    qtbot.addWidget(legend)
    series = plan(mechanism, channels_of(mechanism), Group.POSITION)
    legend.set_series(series, {series[0].key})
    assert [line.key for line in legend.visible_series()] == [series[0].key]
    legend.set_values({series[0].key: 1.0, series[1].key: 2.0}, Units())
    legend.set_values({series[1].key: -2.0}, Units())
    rows = [legend.topLevelItem(i) for i in range(4)]
    assert [(row.text(0), row.text(1)) for row in rows if row is not None] == [
        ("On show", ""), (series[0].label, ""), ("Others", ""), (series[1].label, "−2.000 rad"),
    ]  # fmt: skip


def test_what_is_on_show_is_not_searched_for_garbage(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "keep_all", keep_all)
    monkeypatch.setattr(live, "let_go", let_go)
    let_go()  # of what all tests share
    try:
        bench.open()
        assert gc.get_freeze_count() > 0
        bench.live.close_document()
        assert gc.get_freeze_count() == 0
    finally:
        gc.freeze()
