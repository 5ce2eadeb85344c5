"""Which links never collide: welded ones, jointed ones, those of one model without self_collide, those whose bitmasks
share nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.contacts import passing
from simulator.model.joint import Joint
from simulator.model.link import Collision, Link
from simulator.model.material import Surface
from simulator.model.shape import Sphere
from simulator.model.world import World
from tests.helpers.mechanisms import joint, link, model


def ball(name: str, mask: int = 0xFFFF, **fields: object) -> Link:
    return link(name, collisions=(Collision("c", Sphere(0.1), surface=Surface(collide_bitmask=mask)),), **fields)


def apart(*models: object, joints: tuple[Joint, ...] = ()) -> set[tuple[str, ...]]:
    built = build_mechanism(World(models=models, joints=joints))  # type: ignore[arg-type]
    assert not built.has_errors
    return {tuple(name.removeprefix("m::") for name in pair) for pair in built.non_colliding}


def test_links_of_one_model_do_not_meet_unless_one_says_so() -> None:
    assert apart(model(ball("a"), ball("b"))) == {("a", "b")}
    assert apart(model(ball("a"), ball("b"), self_collide=True)) == set()
    assert apart(model(ball("a", self_collide=True), ball("b"), ball("c"))) == {("b", "c")}


def test_links_of_two_models_meet() -> None:
    assert apart(model(ball("a")), model(ball("n::b"), name="n")) == set()


def test_links_without_collisions_are_not_listed() -> None:
    assert apart(model(ball("a"), link("b"))) == set()


@pytest.mark.parametrize("kind", ["revolute", "ball", "fixed", "gearbox"])
def test_jointed_links_never_meet(kind: str) -> None:
    hinges = [joint(f"w{x}", "revolute", "world", x) for x in "ab"] if kind == "gearbox" else []
    tie = joint("j", kind, "a", "b", gearbox_reference="world")
    assert apart(model(ball("a"), ball("b"), *hinges, tie, self_collide=True)) == {("a", "b")}


def test_a_joint_speaks_for_all_that_is_welded_to_its_links() -> None:
    parts = [
        ball("a"),
        ball("a2"),
        ball("b"),
        ball("c"),
        joint("weld", "fixed", "a", "a2"),
        joint("j", "revolute", "a", "b"),
    ]
    assert apart(model(*parts, self_collide=True)) == {("a", "a2"), ("a", "b"), ("a2", "b")}


def test_a_joint_on_the_world_speaks_for_no_other_part_of_it() -> None:
    """A pendulum on a static stand must still hit the ground of another static model."""
    stand = model(ball("stand::post"), name="stand", static=True)
    ground = model(ball("ground::plane"), name="ground", static=True)
    hinge = replace(joint("j", "revolute", "stand::post", "bob"), name="j")
    arm = model(ball("bob"))
    assert apart(stand, ground, arm, joints=(hinge,)) == {("ground::plane", "stand::post"), ("bob", "stand::post")}


def test_bitmasks_that_share_no_bit() -> None:
    left, right = (
        model(ball("a", mask=0b01)),
        model(ball("n::b", mask=0b10), ball("n::c", mask=0b11), name="n", self_collide=True),
    )
    assert apart(left, right) == {("a", "n::b")}


def test_one_meeting_pair_of_shapes_is_enough() -> None:
    both = tuple(Collision(f"c{m}", Sphere(0.1), surface=Surface(collide_bitmask=m)) for m in (1, 2))
    left = model(link("a", collisions=both))
    assert apart(left, model(ball("n::b", mask=2), name="n")) == set()


@pytest.mark.parametrize(
    ("parts", "fields", "models"),
    [
        ((ball("a"), ball("b")), {}, ["m"]),
        ((ball("a"), ball("b")), {"self_collide": True}, []),
        ((ball("a", self_collide=True), ball("b")), {}, []),
        ((ball("a"), link("b")), {}, []),
        ((ball("a"), ball("b"), joint("j", "revolute", "a", "b")), {}, []),
        ((ball("a"), ball("b"), ball("c"), joint("j", "revolute", "a", "b")), {}, ["m"]),
    ],
)
def test_models_whose_links_pass_through_each_other(parts: tuple, fields: dict, models: list[str]) -> None:
    """Only where <self_collide> would change something: jointed links and links without collisions never meet."""
    world = World(models=(model(*parts, **fields),))
    assert passing(build_mechanism(world), world) == models


def test_pairs_that_can_touch() -> None:
    """Sorted, those of different models here."""
    world = World(models=(model(ball("b"), ball("a")), model(ball("n::c"), name="n")))
    assert list(build_mechanism(world).non_colliding.meeting()) == [("m::a", "n::c"), ("m::b", "n::c")]
