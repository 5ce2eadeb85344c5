"""Nobody should wonder why the first start takes half a minute."""

from __future__ import annotations

import pytest

from simulator.dynamics.compiled import announce
from simulator.dynamics.compiled.announce import announced_compilation


def said_when(monkeypatch: pytest.MonkeyPatch, *, cached: bool, compiling: bool) -> list[str]:
    monkeypatch.setattr(announce, "is_cached", lambda *_: cached)
    monkeypatch.setattr(announce, "is_compiling", lambda: compiling)
    said: list[str] = []
    with announced_compilation(said.append):
        pass
    return said


def test_the_first_compilation_is_announced_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = said_when(monkeypatch, cached=False, compiling=True)
    assert "compiling" in before
    assert "compiled in" in after


@pytest.mark.parametrize(("cached", "compiling"), [(True, True), (False, False)])
def test_nothing_is_said_where_nothing_is_compiled(
    monkeypatch: pytest.MonkeyPatch, cached: bool, compiling: bool
) -> None:
    assert said_when(monkeypatch, cached=cached, compiling=compiling) == []
