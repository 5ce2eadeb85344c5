"""Worlds of many shapes: what is done to keep them quick changes no contact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.bullet import builder
from simulator.bullet.collisions import BulletCollisions
from simulator.collision import faces
from simulator.dynamics.compiled.contact_table import ContactTable
from simulator.session.opening import open_document
from tests.physics.solids import ball_shape, box_shape, solid
from tests.physics.worlds import model, world

Write = Callable[..., Path]


def touched(path: Path) -> list[tuple[float, ...]]:
    """Bodies, gap and place of every contact at the start, sorted."""
    mechanism = open_document(path).mechanism
    finder = BulletCollisions(mechanism)
    try:
        poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
        table = finder.find(poses, 0.01)
    finally:
        finder.close()
    assert isinstance(table, ContactTable)
    return sorted((*map(float, pair), *point) for pair, point in zip(table.bodies, table.points.tolist(), strict=True))


def balls_and_boxes(rows: int) -> str:
    """Rows of boxes, on each of which a ball rests over a face and another leans over an edge, and a floor under all of
    them."""
    parts = [model(solid("floor", box_shape("100 1 1"), pose="0 0 -1.0 0 0 0"), name="floor")]
    for i in range(rows):
        parts.append(model(solid("b", box_shape("1 1 1"), pose=f"{1.5 * i} 0 0 0 0 0"), name=f"box{i}"))
        parts.append(model(solid("b", ball_shape(0.2), pose=f"{1.5 * i} 0 0.699 0 0 0"), name=f"over{i}"))
        parts.append(model(solid("b", ball_shape(0.2), pose=f"{1.5 * i + 0.64} 0 0.64 0 0 0"), name=f"edge{i}"))
    return world("".join(parts))


def test_shapes_that_are_nowhere_near_are_not_measured(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each ball were measured against each box."""
    path = write_document(balls_and_boxes(12))
    everything = touched(path)
    assert len(everything) > 24
    monkeypatch.setattr(faces, "FEW_PAIRS", 0)
    assert touched(path) == everything


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
