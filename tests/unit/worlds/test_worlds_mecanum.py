"""The world of a mecanum platform: rollers that lie on the ground as its friction says."""

import math

import numpy as np
import pytest

from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.spatial.rotation import normalized

RADIUS, BULGE = 0.05, 0.0105
"""Of a wheel, and of the middle of a roller [m]."""


@pytest.mark.parametrize("name", ["front_left", "front_right", "rear_left", "rear_right"])
def test_the_roller_on_the_ground_lies_along_the_friction(name):
    """The lowest one touches the ground with its middle, and its axis is the direction in which friction holds; all are
    alike, each an eighth of a turn on. Poses are written with nine digits."""
    opened = open_document(find_file("mecanum"))
    wheel = next(link for model in opened.world.models for link in model.links if link.name == f"mecanum::{name}")
    rollers = [visual for visual in wheel.visuals if visual.name.startswith("roller")]
    direction = wheel.collisions[0].surface.direction
    assert direction.link == "mecanum::platform"
    assert rollers[0].X_LV.position[2] - BULGE == pytest.approx(-RADIUS, abs=1e-9)
    for number, roller in enumerate(rollers):
        angle = 2.0 * math.pi * number / len(rollers)
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
        axis = roller.X_LV.rotate((0.0, 0.0, 1.0))
        assert axis == pytest.approx(tuple(turn @ normalized(direction.xyz)), abs=1e-8)
        assert roller.X_LV.position == pytest.approx(tuple(turn @ rollers[0].X_LV.position), abs=1e-8)
