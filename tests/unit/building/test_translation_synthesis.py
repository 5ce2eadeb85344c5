"""Watt's first six-bar leads a body along a path without turning it, by the exact analysis of its document."""

from __future__ import annotations

from collections import Counter

import pytest

from simulator import synthesis
from simulator.building.synthesis.design import FourBarDesign
from simulator.errors import UsageError

PATH = ((0.0, 0.0), (0.1, 0.03), (0.2, 0.02), (0.15, -0.05), (0.05, -0.05))


def test_a_body_goes_along_a_path_and_does_not_turn() -> None:
    """The body is at every point, and has its direction all the way (R. Norton, Design of Machinery, ch. 3: parallel
    motion by a cognate). Two links have three pins and share one, and the ground has two: Watt's first chain."""
    designs = synthesis.translation(PATH)
    assert len(designs) >= 2
    for design in designs:
        assert design.error < 1e-9
        assert not design.defects
        assert design.exact_turn(31) < 1e-10
    best = designs[0]
    simulation = best.draft().simulate()
    assert simulation.mobility == 1
    for turn, (x, z) in zip(best.crank_turns[1:], PATH[1:], strict=True):
        moved = simulation.analyse({"crank_joint": (0.0, turn)}, points=31, loads=False)
        place = moved.point("body", (PATH[0][0], 0.0, PATH[0][1]))[0][-1]
        assert place == pytest.approx((x, 0.0, z), abs=1e-7)
    joints = [*simulation.mechanism.joints, *simulation.mechanism.loop_joints]
    pins = Counter(end for joint in joints for end in (joint.parent, joint.child))
    assert sorted(pins.values()) == [2, 2, 2, 2, 3, 3]
    assert pins[0] == 2


def test_the_further_pin_may_be_on_the_rocker() -> None:
    """The link keeps its length and the body its direction, while the crank of a four-bar turns."""
    four = FourBarDesign(0j, 0.4 + 0j, 0.1j, 0.3 + 0.3j, 0.2 + 0.4j, crank_turns=(0.0, 1.0))
    for design in synthesis.watt_of(four):
        for turn in (0.0, 0.4, 0.8):
            places = design.places(turn)
            assert places is not None
            arm, pin, point = places
            assert abs(pin - arm) == pytest.approx(design.lengths[4], abs=1e-12)
            assert pin - point == pytest.approx(design.pin - four.point, abs=1e-12)
    assert [design.on_rocker for design in synthesis.watt_of(four)] == [False, True]


def test_link_and_body_in_line_are_a_defect() -> None:
    """With a crank that turns fully, the link at the rocker does so, too: twice it is in line with the body."""
    four = FourBarDesign(0j, 0.4 + 0j, 0.1j, 0.3 + 0.3j, 0.2 + 0.4j, crank_turns=(0.0, 1.0))
    assert synthesis.watt_of(four)[1].defects == ("branch: link and body come into line",)


def test_what_makes_no_six_bar() -> None:
    """A point on a pin goes along a circle, which has no cognates."""
    assert synthesis.watt_of(FourBarDesign(0j, 0.4 + 0j, 0.1j, 0.4 + 0.3j, 0.1j)) == []
    with pytest.raises(UsageError, match="three to nine"):
        synthesis.translation(PATH[:2])
