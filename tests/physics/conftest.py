"""Strategies for the tests of physics: what a module says with `usefixtures` is what `running` starts."""

from __future__ import annotations

import pytest

from tests.physics import worlds


@pytest.fixture
def gear_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is said about Bullet's own step."""
    monkeypatch.setattr(worlds, "SOLVER", "gear")


@pytest.fixture(params=["rows", "gear"])
def strategies_with_contacts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with our own rows, once with Bullet's."""
    monkeypatch.setattr(worlds, "SOLVER", request.param)
