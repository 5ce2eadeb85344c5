"""Worlds of many shapes in Bullet: what is done to keep them quick changes no contact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.bullet import builder
from simulator.session.open.opening import open_document
from tests.helpers.contact_points import bullet_points
from tests.physics.solids import ball_shape, solid
from tests.physics.worlds import model, world

Write = Callable[..., Path]


def touched(path: Path) -> list[tuple[float, ...]]:
    """By Bullet, bodies and place of every contact at the start, sorted."""
    points = bullet_points(open_document(path).mechanism, 0.01)
    return sorted((*map(float, bodies), *point.tolist()) for bodies, point, *_ in points)


def test_a_large_family_has_a_group_of_its_own(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Balls in a row that overlap: those of one model do not touch, those of two do; with groups as with filters for
    each pair."""
    near = [solid(f"b{i}", ball_shape(0.5), pose=f"{0.9 * i} 0 0 0 0 0") for i in range(4)]
    text = world(model("".join(near[:2]), name="first") + model("".join(near[2:]), name="second"))
    path = write_document(text)
    by_pairs = touched(path)
    assert {pair[:2] for pair in by_pairs} == {(2.0, 3.0)} or {pair[:2] for pair in by_pairs} == {(3.0, 2.0)}
    monkeypatch.setattr(builder, "LARGE_FAMILY", 1)
    by_groups = touched(path)
    assert [sorted(pair[:2]) for pair in by_groups] == [[2.0, 3.0]]
    assert by_groups[0][2:] == pytest.approx(by_pairs[0][2:], abs=1e-12)
