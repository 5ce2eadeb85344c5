"""Forces as they are typed, and links by name."""

from __future__ import annotations

import pytest

from simulator.errors import UnknownNameError, UsageError
from simulator.model.profiles import Constant, Ramp
from simulator.session.open.opening import open_document
from simulator.session.text.force_text import parse_force, with_loads
from tests.helpers.repository import ROOT

FOUR_BAR = ROOT / "worlds" / "four_bar.sdf"


def test_a_force_has_a_link_a_point_and_components() -> None:
    load = parse_force("m::rod@0,0.5,-1=1,ramp(0,-10,2),0")
    assert (load.link, load.at, load.frame) == ("m::rod", (0.0, 0.5, -1.0), "world")
    assert load.force == (Constant(1.0), Ramp(0.0, -10.0, 2.0), Constant(0.0))
    assert load.moment == (Constant(0.0),) * 3


def test_the_point_may_be_left_out_and_a_moment_added() -> None:
    load = parse_force("rod=0,0,0,0,2,0")
    assert load.at == (0.0, 0.0, 0.0)
    assert load.moment == (Constant(0.0), Constant(2.0), Constant(0.0))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rod", "is not a force"),
        ("rod@0,0=1,2,3", "2 of the 3 numbers"),
        ("rod@0,0,x=1,2,3", "is not a finite number"),
        ("rod@0,0,0=1,2", "2 components, not 3 or 6"),
        ("rod@0,0,0=1,2,ramp(1)", "ramp(1) lacks"),
    ],
)
def test_what_is_wrong_with_a_force_is_named(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("(", r"\(").replace(")", r"\)")):
        parse_force(text)


def test_a_link_is_found_by_the_last_part_of_its_name() -> None:
    mechanism = with_loads(open_document(FOUR_BAR).mechanism, [parse_force("coupler=0,0,1")])
    (force,) = mechanism.loads.forces
    assert mechanism.bodies[force.body].name == "four_bar::coupler"


def test_a_link_that_does_not_exist_or_cannot_move_is_refused() -> None:
    mechanism = open_document(FOUR_BAR).mechanism
    with pytest.raises(UnknownNameError, match="Available"):
        with_loads(mechanism, [parse_force("couplr=0,0,1")])
    with pytest.raises(UsageError, match="fixed to the world"):
        with_loads(mechanism, [parse_force("ground=0,0,1")])
