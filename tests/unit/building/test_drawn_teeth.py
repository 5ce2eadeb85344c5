"""Wheels of a sheet whose pitch circles touch have teeth: of one module, whole in number, in each other's spaces."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.drawing import lengths, verbs
from simulator.building.drawing.plan import FRONT, RIGHT, TOP, Plane, Sketch
from simulator.building.drawing.reading import plan_of
from simulator.building.drawing.teeth import common_module
from simulator.building.parts.involute import InvoluteGear
from tests.unit.worlds.gear_polygons import overlap, rotated

CENTRES = ((0.0, 0.0), (0.06, 0.0), (0.06 + 0.04 * math.cos(0.7), 0.04 * math.sin(0.7)))
"""Of wheels of 40, 20 and 20 mm."""


def plan(draft: Draft, plane: Plane = FRONT) -> Sketch:
    return plan_of(draft.check(), plane, draft.name)


def train(plane: Plane = FRONT) -> Draft:
    draft = simulator.new("drawn")
    for centre, radius in zip(CENTRES, (0.04, 0.02, 0.02), strict=True):
        verbs.add_wheel(draft, plan(draft, plane), centre, radius, 0.02)
    return draft


def outlines(draft: Draft, plane: Plane, angle: float) -> list[np.ndarray]:
    """Teeth in the plane while the first wheel is turned by `angle` about the normal: by the poses of a simulation and
    the places of the meshes on their links."""
    sketch = plan(draft, plane)
    sim = draft.simulate()
    state = sim.assemble({"pin_1": angle})
    found = []
    for link in sketch.links:
        assert link.teeth is not None
        module, teeth = link.teeth
        turned = sim.poses([state])[0][[name.rpartition("::")[2] for name in sim.links].index(link.name)]
        way = turned[:3, :3] @ plane.u
        turn = math.atan2(float(way @ plane.v), float(way @ plane.u))
        found.append(rotated(InvoluteGear(module, teeth).outline(16), link.turn + turn, link.places[0]))
    return found


@pytest.mark.parametrize(("plane", "angle"), [(FRONT, 0.0), (TOP, 0.05), (RIGHT, 0.11)])
def test_teeth_touch_and_do_not_cut_each_other(plane: Plane, angle: float) -> None:
    """Without backlash flanks touch: chords of involutes overlap by less than 1e-4 of a module, and leave no play."""
    for one, other in pairwise(outlines(train(plane), plane, angle)):
        assert -2e-5 < overlap(one, other) < 2e-7


def test_the_pitch_circles_give_module_and_teeth() -> None:
    assert [link.teeth for link in plan(train()).links] == [(0.002, 40), (0.002, 20), (0.002, 20)]
    assert train().joints["mesh_1"].get("gearbox_ratio") == "2"


@pytest.mark.parametrize(
    ("radii", "module"),
    [((0.1, 0.05), 0.005), ((0.02, 0.02), 0.002), ((0.06, 0.02), 0.002), ((0.0333, 0.07), None), ((0.001, 0.1), None)],
)
def test_the_module_is_the_largest_without_undercut(radii: tuple[float, float], module: float | None) -> None:
    assert common_module(radii) == module


def test_a_radius_without_a_module_stays_a_pitch_circle_and_gets_teeth_again() -> None:
    draft = train()
    lengths.say_length(draft, plan(draft), "gear_3", "0.0333")
    assert [link.teeth for link in plan(draft).links] == [(0.002, 40), (0.002, 20), None]
    lengths.say_length(draft, plan(draft), "gear_3", "m 1 z 40")
    assert [link.teeth for link in plan(draft).links] == [(0.001, 80), (0.001, 40), (0.001, 40)]


def test_a_wheel_weighs_what_its_teeth_do() -> None:
    link = next(item for item in train().check().world.models[0].links if item.name.endswith("gear_2"))
    outline = InvoluteGear(0.002, 20).outline(200)
    after = np.roll(outline, -1, axis=0)
    area = 0.5 * float((outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum())
    assert link.inertial.mass == pytest.approx(2700.0 * 0.01 * area, rel=1e-7)
