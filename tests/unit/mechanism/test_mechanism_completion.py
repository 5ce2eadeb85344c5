"""What holds still is fixed and nothing else, in models and in the world itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.mechanism.completion import Held, with_held
from simulator.model.joint import JointType
from simulator.model.world import World
from tests.helpers.mechanisms import joint, link, world


@pytest.fixture
def hinged() -> World:
    """Two links of a model on hinges, and two hinges of the world."""
    hinges = (joint("a_joint", "revolute", "world", "a"), joint("b_joint", "revolute", "a", "b"))
    made = world(link("a"), link("b"), *hinges)
    return replace(made, joints=tuple(replace(one, name=f"of_world_{one.name}") for one in made.models[0].joints))


def kinds(made: World) -> dict[str, JointType]:
    return {one.name: one.type for one in (*made.models[0].joints, *made.joints)}


def test_nothing_held_changes_nothing(hinged: World) -> None:
    assert with_held(hinged, Held()) == hinged


def test_only_what_is_named_is_fixed(hinged: World) -> None:
    names = list(kinds(hinged))
    for held in names:
        found = kinds(with_held(hinged, Held(joints=frozenset({held}))))
        assert {name for name in names if found[name] is JointType.FIXED} == {held}


def test_a_link_that_is_held_is_tied_to_the_world_where_it_is(hinged: World) -> None:
    name = hinged.models[0].links[1].name
    (*others, tie) = with_held(hinged, Held(links=frozenset({name}))).joints
    assert tuple(others) == hinged.joints
    assert (tie.type, tie.parent_link, tie.child_link) == (JointType.FIXED, "world", name)
    assert tie.X_WJ == hinged.models[0].links[1].X_WL
