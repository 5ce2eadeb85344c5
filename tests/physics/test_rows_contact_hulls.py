"""Bodies with many corners come to rest on those that hold them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.physics.contacts.separation import CONTACT_SLOP
from tests.physics.solids import box_shape, ground, wall
from tests.physics.worlds import make_steps, model, running, world
from tests.unit.physics.test_collision_convex import hull

Array = NDArray[np.float64]
Write = Callable[[str], Path]
FEET, RING, RISE = 0.03, 0.06, 3e-4
"""Radius of three feet, and of a ring of further corners, that much higher [m]."""


def dish() -> Array:
    """Corners: three feet, a ring of 24 corners around them that are a little higher, each by another amount, and a
    smaller top at 0.03 m."""
    feet = [(FEET * math.cos(a), FEET * math.sin(a), 0.0) for a in 2.0 * math.pi * np.arange(3) / 3]
    angles = 2.0 * math.pi * (np.arange(24) + 0.3) / 24
    ring = [(RING * math.cos(a), RING * math.sin(a), RISE * (1.0 + 0.1 * math.sin(5.0 * a))) for a in angles]
    top = [(0.05 * math.cos(a), 0.05 * math.sin(a), 0.03) for a in angles]
    return np.array(feet + ring + top)


def document(folder: Path, below: str) -> str:
    """The dish, dropped from 1 mm, tilted by 0.02 rad, onto a plane, a box, or a slab that is a hull, free to move."""
    shape = hull(folder / "dish.obj", dish())
    inertial = (
        "<inertial><pose>0 0 0.015 0 0 0</pose><mass>0.5</mass><inertia><ixx>4e-4</ixx><iyy>4e-4</iyy><izz>6e-4</izz>"
        "</inertia></inertial>"
    )
    body = f"{inertial}<collision name='c'><geometry>{shape}</geometry></collision>"
    falls = model(f"<link name='dish'><pose>0 0 0.0022 0.02 0 0</pose>{body}</link>", name="falls")
    if below == "plane":
        return world(ground(0.5) + falls)
    if below == "box":
        return world(wall(box_shape("1 1 1"), pose="0 0 -0.5 0 0 0") + falls)
    slab = 0.1 * np.array([(x, y, 0.2 * z) for x in (-1, 1) for y in (-1, 1) for z in (-2, 0)])
    heavy = "<inertial><pose>0 0 -0.02 0 0 0</pose><mass>5</mass><inertia><ixx>2e-2</ixx><iyy>2e-2</iyy><izz>4e-2</izz>"
    lies = f"<collision name='c'><geometry>{hull(folder / 'slab.obj', slab)}</geometry></collision>"
    held = model(f"<link name='slab'>{heavy}</inertia></inertial>{lies}</link>", name="lies")
    return world(wall(box_shape("1 1 1"), pose="0 0 -0.54 0 0 0") + held + falls)


@pytest.mark.parametrize("below", ["plane", "box", "hull"])
def test_a_dish_rests_on_its_feet(below: str, tmp_path: Path, write_document: Write) -> None:
    """Corners of the ring come into reach first and are further out than the feet, and there are more of them than of
    stored points. Two seconds after the fall it stands on its feet: at rest, no deeper than the slop within
    which contacts touch, and as high as its feet are; nothing is pushed apart any more."""
    with running(write_document(document(tmp_path, below)), dt=1e-3) as engine:
        make_steps(engine, 2000)
        before, at = engine.snapshot().energy.error, engine.snapshot().body_poses[-1].copy()
        make_steps(engine, 1000)
        snapshot = engine.snapshot()
        assert np.abs(snapshot.body_velocities).max() <= 1e-9
        assert np.abs(snapshot.body_poses[-1] - at).max() <= 1e-9
        assert abs(snapshot.energy.error - before) <= 1e-12
        assert snapshot.body_poses[-1, 2] == pytest.approx(0.0, abs=CONTACT_SLOP)
        x, y = snapshot.body_poses[-1, 3:5]
        assert 2.0 * math.hypot(x, y) <= 2.0 * CONTACT_SLOP / FEET
