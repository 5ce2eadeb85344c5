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
from simulator.building.parts.involute import InvoluteGear, rack_outline
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


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("ends", [(-0.2, 0.3), (0.307, -0.2)])
def test_the_teeth_of_a_rack_are_in_the_spaces_of_its_wheel(side: float, ends: tuple[float, float]) -> None:
    """On either side, drawn from either end, with an even and an odd number of teeth; the rail has the rack's ends."""
    draft = simulator.new("drawn")
    verbs.add_wheel(draft, plan(draft), (0.02, 0.01), 0.04, 0.02)
    assert plan(draft).links[0].teeth is None, "alone it is a pitch circle"
    level = 0.01 + side * 0.04
    verbs.add_rack(draft, plan(draft), ((ends[0], level), (ends[1], level)), 0.02)
    wheel, rack = plan(draft).links
    assert wheel.teeth == (0.004, 20)
    assert rack.teeth == (0.004, int(abs(ends[1] - ends[0]) / (0.004 * math.pi)))
    assert [place[0] for place in rack.ends] == pytest.approx(ends, abs=1e-12)
    cut = rotated(InvoluteGear(*wheel.teeth).outline(16), wheel.turn, wheel.cut_at)
    line = rotated(rack_outline(*rack.teeth, 0.01), rack.turn, rack.cut_at)
    assert -1e-6 < overlap(cut, line) < 1e-7
    assert draft.joints["slide_1"].get("axis/mimic/multiplier") == f"{-side * math.copysign(0.04, ends[1] - ends[0]):g}"
