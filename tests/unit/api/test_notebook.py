"""A simulation and a run in a notebook, without one."""

from __future__ import annotations

import sys
from html.parser import HTMLParser

import pytest

import simulator
from simulator.api.notebook import widget_of
from simulator.errors import MissingLibraryError, UsageError


def test_a_widget_knows_positions_by_name() -> None:
    pytest.importorskip("anywidget")
    widget = widget_of("<p>page</p>", ["crank", "rocker"], 400)
    widget.set_state({"position": [0.5, -1.0], "time": 2.0})
    assert widget.now() == {"crank": 0.5, "rocker": -1.0}
    assert (widget.page, widget.height, widget.time) == ("<p>page</p>", 400, 2.0)


def test_values_that_change_are_observed() -> None:
    pytest.importorskip("anywidget")
    widget = widget_of("", ["crank"], 400)
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), names="position")
    widget.set_state({"position": [0.25]})
    assert seen == [[0.25]]


def test_without_anywidget_an_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingLibraryError, match=r"simulator\[notebook\]"):
        widget_of("", [], 400)


def test_a_page_needs_a_duration() -> None:
    with pytest.raises(UsageError, match="recording of 0 s"):
        simulator.load("four_bar").page(duration=0.0)


def test_a_run_draws_itself() -> None:
    run = simulator.load("slider_crank").run(0.5, drives={"crank_joint": simulator.velocity(2.0)}, every=0.01)
    text = run._repr_html_()
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            opened.append(tag)

    Reader().feed(text)
    assert opened.count("svg") == 2  # angles, and the slider's displacement
    assert "crank_joint" in text
    assert "loop residual m" in text
    assert "script" not in opened


def test_a_run_without_positions_draws_its_residuals_only() -> None:
    run = simulator.load("four_bar").run(0.1, channels=["energy/kinetic"])
    assert "<svg" not in run._repr_html_()
