"""Change points and dead points: where they are known by hand, and how the distance to them goes to zero."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.condition.singular import AT, NEAR
from simulator.mechanism.build import build_mechanism
from tests.helpers.four_bars import bars, turned_to
from tests.helpers.linkages import four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import joint, link, mimic, world

CRANK_ROCKER = (0.4, 0.1, 0.35, 0.3)


def dead_angles() -> tuple[float, float]:
    """Crank angles at which crank and coupler are in line, stretched and folded, by the cosine rule with the rocker's
    pivot."""
    ground, crank, coupler, rocker = CRANK_ROCKER
    stretched, folded = coupler + crank, coupler - crank
    return (
        math.acos((ground**2 + stretched**2 - rocker**2) / (2 * ground * stretched)),
        math.acos((ground**2 + folded**2 - rocker**2) / (2 * ground * folded)) + math.pi,
    )


@pytest.mark.parametrize("dead", dead_angles())
def test_the_distance_goes_to_zero_as_the_crank_nears_a_dead_point_of_the_rocker(dead: float) -> None:
    """Monotone within 0.25 rad on both sides, linear close by; the crank itself stays far from singular."""
    built = bars(*CRANK_ROCKER, at=math.pi / 3)
    for side in (-1.0, 1.0):
        ways = np.array([0.25, 0.2, 0.15, 0.1, 0.05, 0.01, 0.001, 1e-4])
        distances = []
        for way in ways:
            # The crank turns about +y, against the angle that is drawn from x to z.
            condition = condition_of(built, turned_to(built, crank_joint=-(dead + side * way - math.pi / 3)))
            distances.append(condition.distance_of("m::rocker_joint"))
            assert condition.distance_of("m::crank_joint") > 0.3
            assert condition.distance_to_singularity == min(value for _, value in condition.distances.axes)
        assert all(np.diff(distances) < 0.0)
        assert distances[-1] / distances[-2] == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize("ratio", [300.0, -0.002])
def test_a_gear_in_front_of_a_loop_changes_no_distance(ratio: float) -> None:
    """A motor that turns 300 times faster than the crank, behind a second one, is not a sign of a dead point."""

    def geared(ratio: float) -> dict[str, float]:
        motors = [
            joint("motor", "revolute", "world", "wheel", axis={"mimic": mimic("crank_joint", multiplier=ratio)}),
            joint("far", "revolute", "world", "disc", axis={"mimic": mimic("motor", multiplier=ratio)}),
        ]
        (bars_of_four,) = four_bar().models
        built = build_mechanism(
            world(*bars_of_four.links, link("wheel"), link("disc"), *bars_of_four.joints, *motors),
        )
        return dict(condition_of(built).distances.axes)

    one, other = geared(1.0), geared(ratio)
    assert other == pytest.approx(one, rel=1e-9)
    assert min(other.values()) > NEAR


@pytest.mark.parametrize("dead", dead_angles())
def test_a_dead_point_is_said_in_words(dead: float) -> None:
    built = bars(*CRANK_ROCKER, at=math.pi / 3)
    at = condition_of(built, turned_to(built, crank_joint=-(dead - math.pi / 3)))
    (found,) = [item for item in at.singular if item.joints == ("m::rocker_joint",)]
    assert found.kind == "dead point"
    assert found.distance < AT
    assert "'m::rocker_joint' is at a dead point" in found.text
    assert at.rank == 1
    assert at.independent == ("m::crank_joint",)
    near = condition_of(built, turned_to(built, crank_joint=-(dead + 0.05 - math.pi / 3)))
    (found,) = [item for item in near.singular if item.joints == ("m::rocker_joint",)]
    assert AT < found.distance < NEAR
    assert f"threshold {NEAR:g}" in found.text


def test_a_mechanism_that_moves_well_has_nothing_to_report() -> None:
    for made in (four_bar(), ring_of_hinges(7), platform()):
        condition = condition_of(build_mechanism(made))
        assert [item for item in condition.singular if item.kind == "change point"] == []
    assert condition_of(build_mechanism(four_bar())).singular == ()


def test_a_slider_crank_at_its_end_cannot_be_driven_by_the_slider() -> None:
    """Crank and rod in line along the slide."""
    condition = condition_of(build_mechanism(slider_crank()))
    assert [(item.kind, item.joints) for item in condition.singular] == [("dead point", ("m::slide",))]
    assert condition.distance_to_singularity == pytest.approx(0.0, abs=1e-12)


def test_a_parallelogram_at_its_change_point_gains_a_freedom_and_is_named() -> None:
    """All bars in line: K loses a rank, the parallelogram and the antiparallelogram meet."""
    built = build_mechanism(four_bar(ground=0.4, crank=0.1, coupler=0.4, rocker=0.1, angles=(0.0, 0.0, 0.0)))
    condition = condition_of(built)
    assert (condition.count, condition.rank, condition.rank_here) == (1, 1, 2)
    (found,) = condition.singular
    assert (found.kind, found.joints, found.distance) == ("change point", ("m::close",), 0.0)
    assert "2 degrees of freedom instead of 1" in found.text
    assert condition.distance_to_singularity == 0.0
    assert len(condition.redundant) == 3  # those that the plane holds; the fourth counts as soon as it moves
    assert condition.loops[0].sign == 0
    assert np.abs(condition.K.array @ condition.G.array).max() <= 1e-10


def test_the_distance_to_a_change_point_goes_to_zero() -> None:
    """Monotone within 0.5 rad, and the rank does not rise before."""
    distances = []
    for angle in (0.5, 0.3, 0.1, 0.03, 0.01, 1e-3):
        condition = condition_of(bars(0.4, 0.1, 0.4, 0.1, at=angle))
        assert condition.rank == 1
        assert condition.distances.change_point is not None
        distances.append(condition.distances.change_point)
    assert all(np.diff(distances) < 0.0)
    assert distances[-1] < 2e-3
    near = condition_of(bars(0.4, 0.1, 0.4, 0.1, at=0.01))
    assert any(item.kind == "change point" and "near" in item.text for item in near.singular)


def test_the_size_of_the_mechanism_does_not_matter() -> None:
    """Millimetres or kilometres: distances have no unit."""
    sizes = [condition_of(bars(*(scale * bar for bar in CRANK_ROCKER))) for scale in (1e-3, 1.0, 1e3)]
    assert [c.distance_to_singularity for c in sizes] == pytest.approx([sizes[1].distance_to_singularity] * 3, rel=1e-6)
    assert [c.rank for c in sizes] == [1, 1, 1]
