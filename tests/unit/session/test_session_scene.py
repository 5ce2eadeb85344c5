"""What is drawn where numbers differ from the document: bars from joint to joint, in pictures of a session, of scripts
and of lanes beside each other."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.rendering.build import build_scene
from simulator.rendering.scene import Scene
from simulator.session.look.scene_of import scene_of
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.variants import with_numbers
from tests.helpers.repository import ROOT

FOUR_BAR = ROOT / "worlds" / "four_bar.sdf"
SINGLE = 1e-6
"""Surfaces are of single precision: seven digits of some decimetres [m]."""


def pin_end(scene: Scene) -> float:
    """How far along the rocker, whose frame is at its pin on the ground with x along it, the middle of its other pin
    is [m]; the bar has a round end of 20 mm about that."""
    link = scene.link_numbers["four_bar::rocker"]
    bar, pin = (drawable for drawable in scene.drawables if drawable.link == link)
    ends = [
        float(
            (scene.surfaces[one.surface].positions.astype(float) @ one.matrix[:3, :3].T + one.matrix[:3, 3])[:, 0].max()
        )
        for one in (bar, pin)
    ]
    radius = 0.0065
    assert ends[1] - radius < ends[0], "the pin is in the bar"
    return ends[1] - radius


@pytest.fixture(scope="module")
def opened() -> Opened:
    return open_document(FOUR_BAR)


def test_a_bar_is_as_long_as_its_number_says(opened: Opened) -> None:
    assert pin_end(scene_of(opened)) == pytest.approx(0.3, abs=SINGLE)
    longer = with_numbers(with_numbers(opened, (("rocker.length", 0.33),)), (("rocker.length", 0.36),))
    assert longer.written is opened.mechanism
    assert pin_end(scene_of(longer)) == pytest.approx(0.36, abs=SINGLE)


def test_the_document_alone_is_drawn_as_it_is(opened: Opened) -> None:
    scene, plain = scene_of(opened), build_scene(opened.world)
    for one, other in zip(scene.drawables, plain.drawables, strict=True):
        np.testing.assert_array_equal(one.matrix, other.matrix)


def test_a_script_draws_its_own_lengths() -> None:
    sim = simulator.load(FOUR_BAR)
    other = sim.varied({"rocker.length": 0.36})
    assert pin_end(sim._core.scene) == pytest.approx(0.3, abs=SINGLE)
    assert pin_end(other._core.scene) == pytest.approx(0.36, abs=SINGLE)
    assert pin_end(other.varied({"rocker.mass": 1.0})._core.scene) == pytest.approx(0.36, abs=SINGLE)
    assert pin_end(other.copy()._core.scene) == pytest.approx(0.36, abs=SINGLE)
