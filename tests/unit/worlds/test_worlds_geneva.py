"""The Geneva drive as it is drawn: its parts pass each other at every angle, and what touches lies where what is drawn
does."""

import math

import numpy as np
import pytest
from gear_polygons import meshes, overlap, rotated
from lxml import etree

from tests.helpers.repository import ROOT


def wheel_angle(crank):
    """The wheel of a drive without clearance, its slots at 45 degrees in the beginning; in the first turn, crank 0 ..
    360 degrees."""
    t = crank - math.pi
    if abs(t) > math.pi / 4.0:
        return 0.0 if t < 0.0 else -math.pi / 2.0
    a, c = meshes.PIN_CIRCLE, meshes.DISTANCE
    return -math.pi / 4.0 - math.atan2(a * math.sin(t), c - a * math.cos(t))


@pytest.mark.parametrize("degrees", [0, 60, 120, 134, 136, 140, 150, 165, 180, 200, 215, 224, 226, 300])
def test_pin_disc_and_wheel_pass_each_other_at_every_angle(degrees):
    """Never an overlap; the pin in a slot has its clearance of 0.1 mm, the disc in a hollow 0.3 mm less what its 61
    corners cut off."""
    crank = math.radians(degrees)
    wheel = rotated(meshes.geneva_wheel(), wheel_angle(crank) + math.pi / 4.0)
    axis = (-meshes.DISTANCE, 0.0)
    disc = rotated(meshes.geneva_lock(), math.pi + crank, axis)
    assert overlap(disc, wheel) <= -0.2e-3
    middle = rotated(np.array([[meshes.PIN_CIRCLE, 0.0]]), math.pi + crank, axis)[0]
    pin = middle + meshes.PIN * np.array([[math.cos(v), math.sin(v)] for v in np.linspace(0.0, 2.0 * math.pi, 73)[:-1]])
    assert overlap(pin, wheel) <= -0.09e-3
    if 140 <= degrees <= 220:
        assert overlap(pin, wheel) == pytest.approx(-meshes.CLEARANCE, abs=1e-5)


def test_the_walls_that_touch_lie_on_those_that_are_drawn():
    """Boxes beside the slots: their inner faces half a slot from its middle, from the ground of the slot to the tip."""
    model = etree.parse(str(ROOT / "worlds" / "geneva.sdf")).getroot().find("world/model[@name='geneva']")
    walls = model.findall("link[@name='wheel']/collision")
    assert len(walls) == 2 * meshes.SLOTS
    half = meshes.PIN + meshes.CLEARANCE
    for wall in walls:
        x, y = (float(v) for v in wall.findtext("pose").split()[:2])
        length, width, _ = (float(v) for v in wall.findtext("geometry/box/size").split())
        assert abs(y) - width / 2.0 == pytest.approx(half, abs=1e-12)
        assert x - length / 2.0 == pytest.approx(meshes.BOTTOM, abs=1e-4)
        assert math.hypot(x + length / 2.0, half) == pytest.approx(meshes.REACH, abs=3e-4)
    pin = model.find("link[@name='crank']/collision[@name='pin']")
    assert float(pin.findtext("geometry/cylinder/radius")) == meshes.PIN
    assert float(pin.findtext("pose").split()[0]) == meshes.PIN_CIRCLE
