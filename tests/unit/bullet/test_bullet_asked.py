"""Bullet is asked for those pairs only that geometry of our own does not find, and only where they could be near."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet
import pytest
import trimesh

from simulator.bullet.collisions import BulletCollisions
from simulator.session.opening import open_document
from tests.physics.solids import ball_shape, solid
from tests.physics.worlds import model, world

REACH = 0.01


@pytest.fixture
def finder(tmp_path: Path) -> Iterator[BulletCollisions]:
    """Two hulls that overlap and a ball, 1 m above a mesh that is fixed, and a plane."""
    trimesh.creation.icosphere(2, radius=0.1).export(tmp_path / "ball.stl")
    trimesh.creation.box((4.0, 4.0, 0.2)).export(tmp_path / "plate.stl")
    meshes = [f"<mesh><uri>{name}.stl</uri></mesh>" for name in ("ball", "plate")]
    plate = (
        f'<static>true</static><link name="l"><collision name="c"><geometry>{meshes[1]}</geometry></collision></link>'
    )
    moving = (
        model(solid("b", shape, pose=f"{x} 0 1 0 0 0"), name=name)
        for name, shape, x in (("a", meshes[0], 0.0), ("b", meshes[0], 0.15), ("c", ball_shape(0.1), 0.3))
    )
    path = tmp_path / "world.sdf"
    path.write_text(world("".join((model(plate, name="plate"), *moving))), "utf-8")
    made = BulletCollisions(open_document(path).mechanism)
    yield made
    made.close()


def placed(height: float) -> np.ndarray:
    """X_WB of the world, both hulls and the ball; the first hull is that high."""
    poses = np.zeros((4, 7))
    poses[:, 6] = 1.0
    poses[1:, :3] = (0.0, 0.0, height), (0.15, 0.0, 1.0), (0.3, 0.0, 1.0)
    return poses


def asked(finder: BulletCollisions, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows when Bullet looks for collisions."""
    calls, look = list[int](), pybullet.performCollisionDetection

    def count(physicsClientId: int) -> None:
        calls.append(physicsClientId)
        look(physicsClientId=physicsClientId)

    monkeypatch.setattr(pybullet, "performCollisionDetection", count)
    return calls


def test_bullet_looks_at_no_pair_that_is_found_here(finder: BulletCollisions) -> None:
    """Convex shapes that overlap are no pair of Bullet's; the mesh and what touches it are."""
    table = finder.find(placed(1.0), REACH)
    assert table is not None
    assert {tuple(sorted(pair)) for pair in table.bodies.tolist()} == {(1, 2), (2, 3)}
    finder.find_in_bullet(placed(1.0), REACH)
    assert not pybullet.getContactPoints(physicsClientId=finder._client)
    touching = finder.find(placed(0.199), REACH)
    assert touching is not None
    assert (0, 1) in {tuple(sorted(pair)) for pair in touching.bodies.tolist()}
    pairs = {frozenset(raw[1:3]) for raw in pybullet.getContactPoints(physicsClientId=finder._client)}
    assert len(pairs) == 1


def test_bullet_is_not_asked_where_nothing_is_near(finder: BulletCollisions, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hull of a mesh holds the mesh: 0.5 m above it nothing touches; it is simplified by 2 % at most."""
    calls = asked(finder, monkeypatch)
    finder.find(placed(0.7), REACH)
    assert not calls
    finder.find(placed(0.205), REACH)
    assert calls
