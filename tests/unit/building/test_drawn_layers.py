"""Bars in layers: who meets whom along the motion, and that a layer changes no joint."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.drawing import verbs
from simulator.building.drawing.answers import Answers, answers_of
from simulator.building.drawing.collisions import collisions
from simulator.building.drawing.plan import FRONT, Place, Sketch
from simulator.building.drawing.reading import plan_of
from simulator.errors import UsageError

WIDTH = 0.02
POINTS = ((0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.25, 0.0))


def plan(draft: Draft) -> Sketch:
    return plan_of(draft.check(), FRONT, draft.name)


def read(draft: Draft) -> Answers:
    return answers_of(draft, plan(draft), draft.check())


def four_bar(points: tuple[Place, ...] = POINTS) -> Draft:
    draft = simulator.new("drawn")
    for ends in pairwise(points):
        verbs.add_bar(draft, plan(draft), ends, WIDTH)
    for place in (points[0], points[-1]):
        verbs.add_ground(draft, plan(draft), place)
    verbs.set_motor(draft, plan(draft), points[0], 2.0)
    return draft


def layers(draft: Draft) -> list[int | None]:
    return [link.layer for link in plan(draft).links]


def test_neighbours_are_drawn_in_other_layers() -> None:
    draft = four_bar()
    assert layers(draft) == [0, 1, 0]
    assert read(draft).collisions == ()


@pytest.mark.parametrize(
    ("ends", "layer"),
    [
        (((0.275, 0.1), (0.4, 0.1)), 2),
        (((0.1, 0.0), (0.1, 0.2)), 0),
        (((-0.1, 0.05), (0.1, 0.16)), 2),
        (((0.4, 0.0), (0.5, 0.0)), 0),
    ],
    ids=["from the middle of the rocker", "across the coupler", "across crank and coupler", "free"],
)
def test_a_new_bar_is_drawn_in_a_layer_that_is_free_there(ends: tuple[Place, Place], layer: int) -> None:
    draft = four_bar()
    name = verbs.add_bar(draft, plan(draft), ends, WIDTH)
    found = plan(draft).link(name)
    assert found is not None
    assert found.layer == layer
    assert not any(name in pair for pair in collisions(plan(draft)))


def test_bars_of_a_pin_in_one_layer_collide() -> None:
    draft = four_bar()
    verbs.set_layer(draft, plan(draft), "bar_2", 0)
    assert read(draft).collisions == (("bar_1", "bar_2"), ("bar_2", "bar_3"))


def test_a_layer_changes_no_joint_and_no_motion() -> None:
    """Joints stay byte for byte; the bar is half its width further to the front, and so is its centre."""
    draft = four_bar()
    before = draft.simulate()
    joints = draft.to_sdf().partition("<joint ")[2]
    verbs.set_layer(draft, plan(draft), "bar_1", -2)
    assert draft.to_sdf().partition("<joint ")[2] == joints
    after = draft.simulate()
    tables = [sim.analyse({"pin_3": (0.0, 1.0)}, points=5, loads=False) for sim in (before, after)]
    for name in ("bar_2", "bar_3"):
        one, two = (table.point(name, (0.1, 0.0, 0.1))[0] for table in tables)
        assert np.abs(one - two).max() < 1e-12
    link = next(item for item in draft.check().world.models[0].links if item.name.endswith("bar_1"))
    assert link.inertial.X_LI.position[1] == pytest.approx(2.0 * WIDTH / 2.0, abs=1e-12)


def test_bars_that_meet_only_along_the_motion_are_found() -> None:
    """The crank of 0.1 m sweeps a circle; a bar that stands 0.105 m away is in its way for half the width of each."""
    draft = four_bar()
    away = ((-0.105, -0.03), (-0.105, 0.03))
    verbs.add_bar(draft, plan(draft), away, WIDTH)
    for place in away:
        verbs.add_ground(draft, plan(draft), place)
    assert ("bar_1", "bar_4") in read(draft).collisions
    verbs.set_layer(draft, plan(draft), "bar_4", 3)
    assert read(draft).collisions == ()


def test_a_pin_through_the_layer_of_another_bar_meets_it() -> None:
    """Crank and coupler in layers 0 and 2; a bar at rest in layer 1 is on the circle of their pin."""
    draft = four_bar()
    verbs.set_layer(draft, plan(draft), "bar_2", 2)
    away = ((-0.1, -0.03), (-0.1, 0.03))
    verbs.add_bar(draft, plan(draft), away, WIDTH)
    for place in away:
        verbs.add_ground(draft, plan(draft), place)
    verbs.set_layer(draft, plan(draft), "bar_4", 1)
    assert [pair for pair in read(draft).collisions if "bar_4" in pair] == [("bar_4", "pin_1")]


@pytest.mark.parametrize(("name", "layer"), [("bar_9", 1), ("bar_1", 21)])
def test_what_is_in_no_layer_is_refused(name: str, layer: int) -> None:
    draft = four_bar()
    with pytest.raises(UsageError, match="layer"):
        verbs.set_layer(draft, plan(draft), name, layer)


def test_wheels_and_blocks_meet_what_is_in_their_layer() -> None:
    """A wheel lies in the plane, the block of a slide behind it. Wheels that mesh touch as they should, a bar that is
    pinned to a wheel lies in front of it."""
    draft = simulator.new("drawn")
    for centre, radius in (((0.0, 0.0), 0.04), ((0.1, 0.0), 0.06), ((0.0, 0.07), 0.04)):
        verbs.add_wheel(draft, plan(draft), centre, radius, WIDTH)
    assert read(draft).collisions == (("gear_1", "gear_3"),), "their axes are 0.07 m apart, their radii are 0.08 m"
    draft.delete("gear_3", everything=True)
    verbs.add_bar(draft, plan(draft), ((0.1, 0.0), (0.2, 0.1)), WIDTH)
    assert layers(draft) == [None, None, 1]
    assert read(draft).collisions == ()
    verbs.set_layer(draft, plan(draft), "bar_1", 0)
    assert read(draft).collisions == (("gear_2", "bar_1"),)
    verbs.set_layer(draft, plan(draft), "bar_1", 1)
    verbs.add_slider(draft, plan(draft), (0.2, 0.1), (1.0, 0.0), WIDTH)
    assert read(draft).collisions == ()
    verbs.set_layer(draft, plan(draft), "bar_1", -1)
    assert ("bar_1", "slider_1") in read(draft).collisions
