"""Heaps of loose bodies: few of the contacts that are near push, and the motion is the same each time."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.physics.solids import box_shape, ground, solid, wall
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[[str], Path]
DT = 1e-3


def heap(count: int) -> str:
    """Cubes of 0.1 m, turned at random, dropped on each other."""
    chance = random.Random(2)
    parts = []
    for k in range(count):
        turned = " ".join(repr(chance.uniform(-1.5, 1.5)) for _ in range(3))
        pose = f"{chance.uniform(-0.05, 0.05)!r} {chance.uniform(-0.05, 0.05)!r} {0.1 + 0.15 * k!r} {turned}"
        parts.append(model(solid("b", box_shape("0.1 0.1 0.1"), pose=pose, mu=0.5), name=f"c{k}"))
    return world(ground(0.5) + "".join(parts))


def test_a_heap_falls_the_same_way_each_time(write_document: Write) -> None:
    """To the last bit, from the start on and after a reset: rooms that had to be made larger on the way the first time
    change nothing."""
    with running(write_document(heap(12)), dt=DT) as engine:
        ends = []
        for _ in range(2):
            for _ in range(14):
                make_steps(engine, 50)
            ends.append(engine.snapshot().body_poses.copy())
            engine.reset()
        np.testing.assert_array_equal(ends[0], ends[1])
        assert np.abs(engine.snapshot().body_poses - ends[0])[1:, 2].max() > 0.1, "it has fallen"


@pytest.mark.parametrize("ahead", [2e-4, 7e-4, 9e-4])
def test_what_a_blow_makes_fast_does_not_go_into_what_is_behind_it(ahead: float, write_document: Write) -> None:
    """A cube of 100 kg slides into one of 1 kg at 1 m/s, which is pushed against a wall that is so far behind it [m]:
    all within one step of 1 ms. Before the blow nothing approaches the wall, and its contacts are far from pushing."""
    cube = box_shape("0.1 0.1 0.1")
    heavy = solid("b", cube, mass=100.0, inertia="0.2 0.2 0.2", pose="-0.1 0 0.05 0 0 0", mu=0.0)
    light = solid("b", cube, mass=1.0, inertia="2e-3 2e-3 2e-3", pose="0 0 0.05 0 0 0", mu=0.0)
    stop = wall(box_shape("1 1 1"), pose=f"{0.55 + ahead!r} 0 0.5 0 0 0")
    path = write_document(world(ground(0.0) + stop + model(heavy, name="heavy") + model(light, name="light")))
    with running(path, dt=DT) as engine:
        names = [body.name for body in engine.mechanism.bodies]
        first, second = names.index("heavy::b"), names.index("light::b")
        snapshot = engine.snapshot()
        velocities = snapshot.body_velocities.copy()
        velocities[first, 3] = 1.0
        engine.resume(dataclasses.replace(snapshot, body_velocities=velocities))
        make_steps(engine, 1)
        pushed = engine.snapshot().body_velocities[[first, second], 3]
        assert pushed == pytest.approx([ahead / DT] * 2, abs=1e-9), "as fast as they get to the wall in the step"
        for _ in range(3):
            make_steps(engine, 1)
            x = engine.snapshot().body_poses[:, 0]
            assert x[second] <= ahead + 1e-9
            assert x[first] <= x[second] - 0.1 + 1e-9
        assert x[second] == pytest.approx(ahead, abs=1e-6), "it has got there"
