"""What the parameters of kinds are said to be is so."""

from __future__ import annotations

import pytest

from simulator.building.parts.catalogue import KINDS
from simulator.building.parts.parameters import LEFT_OPEN, UNITS, WORDS, described
from simulator.errors import UsageError


def test_what_is_said_is_of_parameters_that_exist() -> None:
    known = {f"{name}.{one.name}" for name, kind in KINDS.items() for one in described(kind)}
    assert {*UNITS, *WORDS, *LEFT_OPEN} <= known


def test_parameters_that_take_words_say_which() -> None:
    texts = {
        f"{name}.{one.name}" for name, kind in KINDS.items() for one in described(kind) if isinstance(one.default, str)
    }
    assert texts == set(WORDS)


@pytest.mark.parametrize("key", WORDS)
def test_the_words_are_those_that_are_taken(key: str) -> None:
    kind, _, name = key.partition(".")
    for word in WORDS[key]:
        KINDS[kind](**{name: word})
    with pytest.raises((UsageError, KeyError)):
        KINDS[kind](**{name: "none of these"})


def test_units_follow_from_names_and_defaults() -> None:
    units = {one.name: one.unit for one in described(KINDS["spur_gears"])}
    assert units["module"] == "m"
    assert units["pressure_angle"] == units["helix"] == "rad"
    assert units["teeth"] == units["shifts"] == units["by_teeth"] == ""
    assert {one.name: one.unit for one in described(KINDS["ratchet"])}["stiffness"] == "N m/rad"
