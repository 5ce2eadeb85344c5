"""Drawing without a window: the hand, the plan of a document, and the changes that gestures make."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.drawing import lengths, verbs
from simulator.building.drawing.hand import Pen, Tool
from simulator.building.drawing.plan import PLANES, Place, Plane, Sketch
from simulator.building.drawing.reading import plan_of
from simulator.errors import UsageError

A0, A, B, B0 = (0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.25, 0.0)
FRONT = PLANES["front"]


def plan(draft: Draft, plane: Plane = FRONT) -> Sketch:
    return plan_of(draft.check(), plane, draft.name)


def drawn(hand: Pen, draft: Draft, *way: Place, plane: Plane = FRONT) -> None:
    """One drag, and the plan anew."""
    hand.plan = plan(draft, plane)
    hand.press(way[0])
    for place in way:
        hand.move(place)
    gesture = hand.release(way[-1])
    if gesture is not None:
        gesture.do(draft)
    hand.plan = plan(draft, plane)


def four_bar(plane: Plane = FRONT, places: tuple[Place, ...] = (A0, A, B, B0)) -> tuple[Draft, Pen]:
    draft, hand = simulator.new("drawn"), Pen()
    for a, b in pairwise(places):
        drawn(hand, draft, a, b, plane=plane)
    hand.take(Tool.GROUND)
    for end in (places[0], places[-1]):
        drawn(hand, draft, end, plane=plane)
    return draft, hand


@pytest.mark.parametrize("name", PLANES)
def test_a_four_bar_has_one_freedom_in_every_plane(name: str) -> None:
    draft, hand = four_bar(PLANES[name])
    assert (len(hand.plan.links), hand.plan.joints, hand.plan.freedoms()) == (3, 4, 1)
    sim = draft.simulate()
    assert sim.mobility == 1
    normal = PLANES[name].normal
    before = [sim.pose(link)[:3, 3] @ normal for link in sim.links]
    sim.run(0.2)
    assert [sim.pose(link)[:3, 3] @ normal for link in sim.links] == pytest.approx(before, abs=1e-12), "in the plane"


LENGTHS = {  # by Grashof: shortest + longest against the others; the ground is between (0, 0) and its length
    "crank-rocker": (0.1, 0.3, 0.25, 0.28),
    "double crank": (0.25, 0.3, 0.28, 0.1),
    "double rocker: the coupler turns fully": (0.25, 0.1, 0.28, 0.3),
    "triple rocker: no bar turns fully": (0.1, 0.12, 0.2, 0.3),
    "change point: it can fold flat": (0.1, 0.3, 0.1, 0.3),
}


@pytest.mark.parametrize("kind", LENGTHS)
def test_a_four_bar_is_classed(kind: str) -> None:
    a, b, c, d = LENGTHS[kind]
    for angle in (math.radians(degree) for degree in range(20, 180, 5)):
        x, y = a * math.cos(angle), a * math.sin(angle)
        far = math.hypot(d - x, y)
        if abs(b - c) < far < b + c:
            along = (b * b - c * c + far * far) / (2.0 * far)
            up = math.sqrt(b * b - along * along)
            u = ((d - x) / far, -y / far)
            pin = (x + along * u[0] - up * u[1], y + along * u[1] + up * u[0])
            break
    hand = Pen()
    draft = simulator.new("drawn")
    for p, q in (((0.0, 0.0), (x, y)), ((x, y), pin), (pin, (d, 0.0))):
        verbs.add_bar(draft, plan(draft), (p, q), 0.02)
    for p in ((0.0, 0.0), (d, 0.0)):
        verbs.add_ground(draft, plan(draft), p)
    hand.plan = plan(draft)
    assert hand.plan.grashof() == kind


def test_the_hand_snaps_to_points_before_the_grid() -> None:
    draft, hand = four_bar()
    hand.grid, hand.reach = 0.05, 0.02
    assert hand.snap((0.26, 0.01)) == B0
    assert hand.snap((0.13, 0.13)) == (0.15, 0.15)
    hand.plan = plan(draft)
    hand.take(Tool.MOVE)
    hand.press((0.5, 0.5))
    assert not hand.is_drawing, "there is nothing to move"


def test_a_rim_snaps_to_the_pitch_circle_of_another_wheel() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    hand.take(Tool.GEAR)
    drawn(hand, draft, (0.0, 0.0), (0.1, 0.0))
    drawn(hand, draft, (0.173, 0.0), (0.24, 0.0))
    assert [link.radius for link in hand.plan.links] == pytest.approx([0.1, 0.07]), "0.173 snaps to 0.17"
    assert hand.plan.couplings == 1


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("flipped", [False, True])
def test_a_rack_rolls_on_either_side_of_its_wheel(side: float, flipped: bool) -> None:
    """No slip at the pitch point: the velocity of the rack is that of the rim, omega x r."""
    draft, radius = simulator.new("drawn"), 0.08
    verbs.add_wheel(draft, plan(draft), (0.02, 0.01), radius, 0.02)
    line = ((-0.2, 0.01 + side * radius), (0.3, 0.01 + side * radius))
    verbs.add_rack(draft, plan(draft), line[::-1] if flipped else line, 0.02)
    sim = draft.simulate()
    before = sim.pose("rack_1")[0, 3]
    sim.run(0.1, drives={"pin_1": simulator.velocity(1.0)})
    angle = sim.positions["drawn::pin_1"]
    assert angle > 0.05
    assert sim.pose("rack_1")[0, 3] - before == pytest.approx(-side * radius * angle, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d, p: verbs.add_bar(d, p, (A, A), 0.02), "has a length"),
        (lambda d, p: verbs.add_slider(d, p, A0, (0.1, 0.0), 0.02), "cannot slide"),
        (lambda d, p: verbs.add_slider(d, p, B, (0.0, 0.0), 0.02), "has a direction"),
        (lambda d, p: verbs.add_wheel(d, p, A, 0.0, 0.02), "has a radius"),
        (lambda d, p: verbs.add_rack(d, p, (A, A), 0.02), "has a length"),
        (lambda d, p: lengths.set_length(d, p, "bar_1", -1.0), "above 0"),
        (lambda d, p: lengths.set_length(d, p, "bar_9", 1.0), "no length"),
        (lambda d, p: lengths.move_point(d, p, A, B), "a point already"),
    ],
)
def test_what_cannot_be_is_said(change: Callable[[Draft, Sketch], object], words: str) -> None:
    draft, hand = four_bar()
    with pytest.raises(UsageError, match=words):
        change(draft, hand.plan)


def test_the_shape_of_another_program_is_not_changed() -> None:
    draft = simulator.edit("four_bar")
    assert isinstance(draft, Draft)
    here = plan(draft)
    point = next(point for point in here.points if len(point.bodies) == 2)
    with pytest.raises(UsageError, match="was not drawn here"):
        lengths.move_point(draft, here, point.place, (1.0, 1.0))


def test_a_mark_of_the_ground_pins_the_end_that_comes_to_it() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    drawn(hand, draft, A0, A)
    hand.take(Tool.GROUND)
    drawn(hand, draft, B0)
    hand.take(Tool.BAR)
    drawn(hand, draft, A, B0)
    assert hand.plan.point_at(B0).is_ground  # type: ignore[union-attr]
    assert draft.joints["pin_2"].get("parent") == "world"


def test_a_spring_holds_a_bar_on_its_pin_and_is_deleted() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    drawn(hand, draft, A0, (0.2, 0.0))
    hand.take(Tool.GROUND)
    drawn(hand, draft, A0)
    hand.take(Tool.SPRING)
    drawn(hand, draft, (0.2, 0.0), (0.2, 0.2))
    assert hand.plan.springs == (((0.2, 0.0), (0.2, 0.2)),)
    mass = float(draft.links["bar_1"].get("inertial/mass"))
    sim = draft.simulate()
    sim.run(8.0)
    end = sim.pose("bar_1") @ (0.2, 0.0, 0.0, 1.0)
    far = math.dist(end[:3], (0.2, 0.0, 0.2))
    pull = verbs.STIFFNESS * (far - 0.2)
    lever = (end[0] * (0.2 - end[2]) - end[2] * (0.2 - end[0])) / far  # of the spring about the pin
    assert pull * lever == pytest.approx(mass * 9.81 * end[0] / 2.0, rel=1e-3), "moments about the pin, when at rest"
    hand.take(Tool.DELETE)
    drawn(hand, draft, (0.2, 0.1))
    assert hand.plan.springs == ()


def test_a_pin_follows_another_one_until_it_is_drawn_again() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    hand.take(Tool.GEAR)
    drawn(hand, draft, (0.0, 0.0), (0.05, 0.0))
    drawn(hand, draft, (0.3, 0.0), (0.35, 0.0))
    hand.take(Tool.FOLLOW)
    drawn(hand, draft, (0.0, 0.0), (0.3, 0.0))
    assert hand.plan.follows == {"pin_2": "pin_1"}
    sim = draft.simulate()
    sim.run(0.1, drives={"pin_1": simulator.velocity(1.0)})
    assert sim.positions["drawn::pin_2"] == sim.positions["drawn::pin_1"] != 0.0
    drawn(hand, draft, (0.0, 0.0), (0.3, 0.0))
    assert hand.plan.follows == {}
    with pytest.raises(UsageError, match="no pin or slide"):
        verbs.set_follower(draft, hand.plan, (0.0, 0.0), (1.0, 0.0))
