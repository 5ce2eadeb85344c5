"""Bullet looks only at those pairs that geometry of our own does not find: planes that move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pybullet

from simulator.bullet.collisions import BulletCollisions
from simulator.session.open.opening import open_document
from tests.physics.solids import ball_shape, solid
from tests.physics.worlds import model, world

REACH = 0.01
PLANE = "<plane><normal>0 0 1</normal><size>1 1</size></plane>"


def test_bullet_looks_at_no_pair_that_is_found_here(tmp_path: Path) -> None:
    """Balls that overlap each other, the second of them in a plane that moves: the plane's pair is Bullet's alone."""
    parts = (("a", ball_shape(0.1), 0.25), ("b", ball_shape(0.1), 0.095), ("tray", PLANE, 0.0))
    path = tmp_path / "world.sdf"
    path.write_text(
        world("".join(model(solid("b", shape, pose=f"0 0 {z} 0 0 0"), name=name) for name, shape, z in parts)), "utf-8"
    )
    finder = BulletCollisions(open_document(path).mechanism)
    poses = np.zeros((4, 7))
    poses[:, 6] = 1.0
    poses[1:, 2] = [z for *_, z in parts]
    table = finder.detect(poses, REACH)
    assert table is not None
    assert {tuple(sorted(pair)) for pair in table.bodies.tolist()} == {(1, 2), (2, 3)}
    pairs = {frozenset(raw[1:3]) for raw in pybullet.getContactPoints(physicsClientId=finder._client)}
    assert len(pairs) == 1
    finder.close()
