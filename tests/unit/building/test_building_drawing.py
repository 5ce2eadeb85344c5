"""Drawing without a window: the hand, the plan of a document, and the changes that gestures make."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.drawing import lengths, verbs
from simulator.building.drawing.answers import Answers, answers_of
from simulator.building.drawing.hand import Pen, Tool, deletion
from simulator.building.drawing.plan import PLANES, Place, Plane, Sketch
from simulator.building.drawing.reading import plan_of
from simulator.errors import UsageError
from simulator.model.lengths import expression_value

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


def read(draft: Draft) -> tuple[Sketch, Answers]:
    opened = draft.check()
    sketch = plan_of(opened, FRONT, draft.name)
    return sketch, answers_of(draft, sketch, opened)


def length_of(draft: Draft, name: str) -> float:
    link = plan(draft).link(name)
    assert link is not None
    return link.length


def test_a_length_that_follows_a_name_is_what_its_expression_says() -> None:
    draft, _ = four_bar()
    lengths.say_length(draft, plan(draft), "bar_1", "a")
    lengths.say_length(draft, plan(draft), "bar_2", "b = 2.5*a + 0.05")
    lengths.set_named(draft, plan(draft), "a", 0.09)
    assert length_of(draft, "bar_1") == pytest.approx(0.09, abs=1e-15)
    assert length_of(draft, "bar_2") == pytest.approx(2.5 * 0.09 + 0.05, abs=1e-13), "Newton's method ends at round-off"
    assert '<simulator:parameter name="b" value="2.5*a + 0.05" link="bar_2"/>' in draft.to_sdf()
    assert not [item for item in draft.check().diagnostics if item.is_error]
    assert draft.simulate().mobility == 1


def test_a_value_that_the_text_changed_is_taken_on() -> None:
    draft, _ = four_bar()
    lengths.say_length(draft, plan(draft), "bar_1", "a")
    draft.restore(draft.tree.data.replace(b'name="a" value="0.1"', b'name="a" value="0.08"'))
    assert lengths.differing(plan(draft)) == ["bar_1"]
    assert [item.code for item in draft.check().diagnostics] == ["PARAMETER_DIFFERS"]
    lengths.make_lengths_true(draft, plan(draft))
    assert length_of(draft, "bar_1") == pytest.approx(0.08, abs=1e-14)
    assert not lengths.differing(plan(draft))


def test_a_chain_that_does_not_close_misses_by_what_its_longest_bar_is_too_long() -> None:
    """The polygon inequality: the excess is the longest bar less all others, the ground among them."""
    draft, _ = four_bar()
    for name in ("bar_1", "bar_3"):
        lengths.set_lock(draft, plan(draft), name, on=True)
    excess = 0.7 - 0.1 - math.hypot(0.05, 0.2) - 0.25
    with pytest.raises(UsageError, match=rf"misses by {excess:.4g} m: shorten 'bar_2'"):
        lengths.set_length(draft, plan(draft), "bar_2", 0.7)


def test_a_locked_length_stays_while_another_end_is_dragged() -> None:
    draft, _ = four_bar()
    lengths.set_lock(draft, plan(draft), "bar_2", on=True)
    before = length_of(draft, "bar_2")
    lengths.move_point(draft, plan(draft), B0, (0.3, -0.05))
    lengths.move_point(draft, plan(draft), A0, (-0.05, 0.0))
    lengths.move_point(draft, plan(draft), plan(draft).link("bar_1").places[1], (-0.05, 0.12))  # type: ignore[union-attr]
    assert length_of(draft, "bar_2") == pytest.approx(before, abs=1e-14)
    assert draft.simulate().mobility == 1


def test_a_pin_on_a_bar_keeps_its_share_of_the_length() -> None:
    draft, hand = four_bar()
    hand.take(Tool.BAR)
    drawn(hand, draft, (0.28, 0.12), (0.45, 0.2))
    lengths.move_point(draft, plan(draft), B0, (0.21, -0.04))
    rocker = plan(draft).link("bar_3")
    assert rocker is not None
    a, b = rocker.ends
    pin = (a[0] + 0.4 * (b[0] - a[0]), a[1] + 0.4 * (b[1] - a[1]))
    assert [at for at in rocker.places if math.dist(at, pin) < 1e-12], "0.28 is 0.4 of the way from 0.3 to 0.25"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 2*q", "q"),
        ("1x", "not an expression"),
        ("sin = 3", "no name"),
        ("a = -1", "above zero"),
        ("m 2 z 20", "not an expression"),
    ],
)
def test_a_length_that_cannot_be_is_refused(text: str, said: str) -> None:
    draft, _ = four_bar()
    with pytest.raises(UsageError, match=said):
        lengths.say_length(draft, plan(draft), "bar_1", text)


@pytest.mark.parametrize(
    ("typed", "metres"),
    [("100", "0.1"), ("a = 100", "a = 0.1"), ("b = 2.5*a", "b = 2.5*a"), ("hypot(a, b)", "hypot(a, b)")],
)
def test_what_is_typed_in_millimetres_is_written_in_metres(typed: str, metres: str) -> None:
    assert lengths.in_metres(typed, 1000.0).replace(" ", "") == metres.replace(" ", "")


def test_a_sum_with_a_number_of_millimetres_is_that_of_metres() -> None:
    text = lengths.in_metres("a + 20", 1000.0)
    assert expression_value(text, {"a": 0.1}) == pytest.approx(0.12, rel=1e-15)


def test_gears_of_a_module_touch_and_have_the_ratio_of_their_teeth() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    hand.take(Tool.GEAR)
    drawn(hand, draft, (0.0, 0.0), (0.1, 0.0))
    drawn(hand, draft, (0.15, 0.0), (0.201, 0.0))
    lengths.say_length(draft, plan(draft), "gear_1", "m 2 z 60")
    lengths.say_length(draft, plan(draft), "gear_2", "z 20")
    sketch, answers = read(draft)
    first, second = (sketch.link(name) for name in ("gear_1", "gear_2"))
    assert first is not None
    assert second is not None
    assert (first.radius, second.radius) == (0.06, 0.02), "m z / 2"
    assert math.dist(first.places[0], second.places[0]) == pytest.approx(0.08, abs=1e-15), "they touch"
    assert answers.speeds == pytest.approx({"pin_1": 1.0, "pin_2": -3.0}, abs=1e-12)


def test_a_belt_turns_both_wheels_the_same_way() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    hand.take(Tool.GEAR)
    drawn(hand, draft, (0.0, 0.0), (0.1, 0.0))
    drawn(hand, draft, (0.4, 0.0), (0.45, 0.0))
    hand.take(Tool.BELT)
    drawn(hand, draft, (0.02, 0.05), (0.41, 0.02))
    assert read(draft)[1].speeds == pytest.approx({"pin_1": 1.0, "pin_2": 2.0}, abs=1e-12)
    with pytest.raises(UsageError, match="coupled already"):
        verbs.add_belt(draft, plan(draft), ((0.0, 0.0), (0.4, 0.0)))


def test_a_screw_moves_its_slide_by_its_pitch() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    hand.take(Tool.SCREW)
    drawn(hand, draft, (0.0, 0.0), (0.1, 0.0))
    sketch, answers = read(draft)
    assert sketch.freedoms() == answers.rank == 1
    speeds = answers.speeds
    assert speeds["slide_1"] / speeds["turn_1"] == pytest.approx(verbs.PITCH / (2.0 * math.pi), rel=1e-12)


def test_a_plate_is_one_body_between_three_pins() -> None:
    draft, hand = four_bar()
    hand.take(Tool.PLATE)
    hand.plan = plan(draft)
    gesture = None
    for place in (A, (0.15, 0.3), B, A):
        hand.press(place)
        gesture = hand.release(place)
    assert gesture is not None
    gesture.do(draft)
    sketch, answers = read(draft)
    plate = sketch.link("plate_1")
    assert plate is not None
    assert len(plate.outline) == 3
    assert sketch.freedoms() == 3 * 4 - 2 * 6
    assert answers.rank == 1, "it moves although the count forbids it: the plate is the coupler once more"


def test_a_weight_and_a_force_act_where_they_are_drawn() -> None:
    draft, _ = four_bar()
    verbs.add_weight(draft, plan(draft), A, 0.02)
    verbs.set_mass(draft, plan(draft), "weight_1", 2.5)
    verbs.add_force(draft, plan(draft), B, (0.0, 1.0))
    verbs.set_force(draft, plan(draft), 0, 25.0)
    lengths.move_point(draft, plan(draft), B, (0.3, 0.25))
    lengths.move_point(draft, plan(draft), A, (0.0, 0.12))
    sketch = plan(draft)
    assert sketch.masses == {"weight_1": 2.5}
    assert sketch.link("weight_1").places == ((0.0, 0.12),)  # type: ignore[union-attr]
    assert [(item.place, item.force) for item in sketch.forces] == [((0.3, 0.25), (0.0, 25.0))]
    assert sketch.freedoms() == 1, "a weight is a part of its bar"
    assert sketch.grashof() == "crank-rocker"


@pytest.mark.parametrize(("kind", "freedoms"), [("prismatic", 1), ("fixed", 0)])
def test_a_joint_becomes_another_kind(kind: str, freedoms: int) -> None:
    draft, _ = four_bar()
    verbs.set_kind(draft, plan(draft), "pin_2", kind)
    sketch = plan(draft)
    assert sketch.kinds["pin_2"] == kind
    assert sketch.freedoms() == freedoms
    assert draft.simulate().mobility == freedoms


def test_the_rocker_of_a_crank_rocker_has_dead_points_where_crank_and_coupler_are_in_line() -> None:
    """There the distance of its pin from the crank's pivot is the sum, or the difference, of both lengths: the law of
    cosines gives the rocker's angles."""
    draft, _ = four_bar()
    verbs.set_motor(draft, plan(draft), B0, 1.0)
    sketch, answers = read(draft)
    driver = answers.driver
    assert driver is not None
    crank, coupler, rocker = (sketch.link(f"bar_{n}").length for n in (1, 2, 3))  # type: ignore[union-attr]
    angles = [
        math.pi - math.acos((0.25**2 + rocker**2 - far**2) / (2.0 * 0.25 * rocker))
        for far in (coupler + crank, coupler - crank)
    ]
    assert driver.dead == (True, True)
    assert [driver.now + driver.low, driver.now + driver.high] == pytest.approx(angles, abs=1e-8), (
        "a dead point is flat"
    )


def test_the_other_assembly_is_the_mirror_image_in_the_diagonal() -> None:
    draft, _ = four_bar()
    verbs.set_motor(draft, plan(draft), A0, 1.0)
    sketch, answers = read(draft)
    (other,) = answers.assemblies
    diagonal = (B0[0] - A[0], B0[1] - A[1])
    share = ((B[0] - A[0]) * diagonal[0] + (B[1] - A[1]) * diagonal[1]) / (diagonal[0] ** 2 + diagonal[1] ** 2)
    mirrored = tuple(2.0 * (a + share * d) - b for a, d, b in zip(A, diagonal, B, strict=True))
    pin = sketch.points.index(sketch.point_at(B))  # type: ignore[arg-type]
    assert other[pin] == pytest.approx(mirrored, abs=1e-9), "the search for assemblies ends within 1e-10 of the size"
    lengths.assemble(draft, sketch, other)
    assert [link.length for link in plan(draft).links] == pytest.approx(
        [link.length for link in sketch.links], abs=1e-9
    )
    assert draft.simulate().mobility == 1


def test_the_path_of_the_coupler_pin_is_the_arc_of_the_rocker() -> None:
    draft, _ = four_bar()
    sketch, answers = read(draft)
    radius = sketch.link("bar_3").length  # type: ignore[union-attr]
    on_arc = [path for path in answers.paths if all(abs(math.dist(at, B0) - radius) < 1e-10 for at in path)]
    assert len(answers.paths) == 2
    assert len(on_arc) == 1


def test_an_open_end_says_by_how_much_it_misses() -> None:
    draft, hand = simulator.new("drawn"), Pen()
    drawn(hand, draft, (0.0, 0.0), (0.0, 0.1))
    drawn(hand, draft, (0.3, 0.1), (0.02, 0.1))
    said = read(draft)[1].miss
    assert "misses a point by 0.02 m" in said
    assert "lengthen it to 0.3 m" in said


def test_a_name_that_others_follow_outlives_its_bar() -> None:
    draft, _ = four_bar()
    lengths.say_length(draft, plan(draft), "bar_1", "a")
    lengths.say_length(draft, plan(draft), "bar_2", "b = 3*a")
    deletion(plan(draft), (0.0, 0.05), 0.001).do(draft)
    left = [(item.name, item.value, item.link) for item in plan(draft).parameters]
    assert left == [("b", "3*a", "bar_2"), ("a", "0.1", "")]
    lengths.set_named(draft, plan(draft), "a", 0.11)
    assert length_of(draft, "bar_2") == pytest.approx(0.33, abs=1e-13)
    lengths.set_lock(draft, plan(draft), "bar_2", on=False)
    assert plan(draft).parameters == (), "nothing follows it any more"


def test_a_motor_is_not_put_on_what_follows() -> None:
    """The window would pass over it: nothing would move."""
    draft = simulator.new("gears")
    for centre, radius in (((0.0, 0.0), 0.04), ((0.06, 0.0), 0.02)):
        verbs.add_wheel(draft, plan(draft), centre, radius, 0.02)
    with pytest.raises(UsageError, match="'pin_2' follows 'pin_1': put the motor there"):
        verbs.set_motor(draft, plan(draft), (0.06, 0.0), 2.0)
    verbs.set_motor(draft, plan(draft), (0.0, 0.0), 2.0)
    verbs.add_bar(draft, plan(draft), ((0.2, 0.0), (0.3, 0.0)), 0.02)
    verbs.add_ground(draft, plan(draft), (0.2, 0.0))
    with pytest.raises(UsageError, match="'pin_1' has a motor"):
        verbs.set_follower(draft, plan(draft), (0.2, 0.0), (0.0, 0.0))
