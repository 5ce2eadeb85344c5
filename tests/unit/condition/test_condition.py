"""Mobility, K, G, redundant and contradictory rows of mechanisms that are known from books."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.world import World
from simulator.spatial.pose import Pose
from tests.helpers.four_bars import bars, slides, turned_to
from tests.helpers.linkages import four_bar, planetary, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import joint, link, mechanism, mimic, world

WEDGE = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0))

CLASSICS = {
    "four-bar": (four_bar(), 1, 1, 3),
    "slider-crank": (slider_crank(), 1, 1, 3),
    "7R": (ring_of_hinges(7), 1, 1, 0),
    "6R": (ring_of_hinges(6), 0, 0, 0),
    "9R": (ring_of_hinges(9), 3, 3, 0),
    "platform": (platform(), 6, 6, 0),
    "planetary": (planetary(), 2, 2, 0),
    "wedge": (slides(*WEDGE), 1, 1, 4),
    "wedge in space": (slides(*WEDGE, (0.0, 1.0, 0.0)), 1, 1, 3),
    "two rails": (slides((1, 0, 0), (1, 0, 0)), 1, 1, 5),
    "free box": (world(link("box")), 6, 6, 0),
    "nothing": (world(), 0, 0, 0),
}


@pytest.mark.parametrize(("made", "count", "rank", "redundant"), CLASSICS.values(), ids=CLASSICS)
def test_classics(made: World, count: int, rank: int, redundant: int) -> None:
    condition = condition_of(build_mechanism(made))
    assert (condition.count, condition.rank, len(condition.redundant)) == (count, rank, redundant)
    assert len(condition.independent) == rank


@pytest.mark.parametrize("made", [made for made, *_ in CLASSICS.values()], ids=CLASSICS)
def test_K_and_G_belong_to_each_other(made: World) -> None:
    built = build_mechanism(made)
    condition = condition_of(built)
    K, G = condition.K, condition.G
    assert K.array.shape == (len(K.rows), len(K.columns))
    assert G.array.shape == (len(G.rows), len(G.columns))
    assert K.columns == G.rows
    assert np.abs(K.array @ G.array).max(initial=0.0) <= 1e-10
    assert len(G.columns) == 0 or np.linalg.matrix_rank(G.array) == len(G.columns)
    for name, column in zip(G.columns, G.array.T, strict=True):
        assert column[G.rows.index(name)] == 1.0
    theirs = Kinematics(built).constraint_matrix(condition.state)
    if condition.sigma_min is not None:
        values = np.linalg.svd(theirs, compute_uv=False)
        assert condition.singular_values == pytest.approx(values, abs=1e-12)
        assert condition.sigma_min == pytest.approx(values[np.linalg.matrix_rank(theirs) - 1])
        assert condition.sigma_min_dependent is not None
        assert 0.0 < condition.sigma_min_dependent <= values[0]


def test_a_planar_four_bar_in_space_names_its_three_redundant_rows() -> None:
    condition = condition_of(build_mechanism(four_bar()))
    assert [row.row for row in condition.redundant] == [
        "m::close: turn about x", "m::close: turn about z", "m::close: gap along y",
    ]  # fmt: skip
    assert {row.joint for row in condition.redundant} == {"m::close"}
    assert all("planar" in row.reason for row in condition.redundant)


def test_a_third_parallel_crank_is_redundant_and_says_what_it_follows_from() -> None:
    """Two cranks of 0.1 m under a coupler, and a third one in between: one row of its loop follows from the first
    loop."""
    condition = condition_of(build_mechanism(three_cranks()))
    assert (condition.count, condition.rank) == (0, 1)
    (extra,) = [row for row in condition.redundant if "planar" not in row.reason]
    assert extra.joint == "m::close3"
    assert extra.reason == "follows from m::close2"


def test_a_linkage_that_moves_against_the_count_says_why() -> None:
    """Bennett's four hinges in space: bars 1 and 1.3 with sin(alpha) / 1 = sin(beta) / 1.3; count -2, yet it moves."""
    condition = condition_of(bennett())
    assert (condition.count, condition.rank) == (-2, 1)
    assert {(row.joint, row.reason) for row in condition.redundant} == {("m::close", "follows from its other rows")}
    assert condition.singular == ()
    assert (condition.loops[0].type, condition.loops[0].planar) == ("4R", False)


def bennett() -> Mechanism:
    bars, first = (1.0, 1.3, 1.0, 1.3), math.radians(40.0)
    twists = [first, math.asin(1.3 * math.sin(first))] * 2
    half = math.sin((twists[1] + first) / 2) / math.sin((twists[1] - first) / 2) / math.tan(0.5)
    turns = (1.0, 2 * math.atan(half), -1.0, -2 * math.atan(half))
    frame, frames = np.eye(4), []
    for turn, bar, twist in zip(turns, bars, twists, strict=True):
        frames.append(frame)
        frame = (
            frame @ Pose.from_rpy((0, 0, 0), (0, 0, turn)).matrix() @ Pose.from_rpy((bar, 0, 0), (twist, 0, 0)).matrix()
        )
    assert frame == pytest.approx(np.eye(4), abs=1e-12)
    ends = [("world", "p"), ("p", "q"), ("q", "r"), ("world", "r")]
    hinges = [
        joint(name, "revolute", *end, at=tuple(at[:3, 3]), axes=[tuple(at[:3, 2])], must_be_loop_joint=name == "close")
        for name, end, at in zip(("a", "b", "c", "close"), ends, frames, strict=True)
    ]
    return mechanism(*(link(name) for name in "pqr"), *hinges)


def three_cranks() -> World:
    tip = (0.06, 0.0, 0.08)
    feet = {1: 0.0, 2: 0.4, 3: 0.15}
    y = [(0.0, 1.0, 0.0)]
    return world(
        link("coupler", at=tip),
        *(link(f"crank{i}", at=(x, 0.0, 0.0)) for i, x in feet.items()),
        *(joint(f"foot{i}", "revolute", "world", f"crank{i}", at=(x, 0.0, 0.0), axes=y) for i, x in feet.items()),
        *(
            joint(
                f"close{i}",
                "revolute",
                f"crank{i}",
                "coupler",
                at=(x + tip[0], 0.0, tip[2]),
                axes=y,
                must_be_loop_joint=i > 1,
            )
            for i, x in feet.items()
        ),
    )


def test_a_plane_at_a_slant_is_named_by_its_normal() -> None:
    turned = [(0.6, 0.8, 0.0)] * 4
    parts = [
        joint(f"j{i}", "revolute", a, b, at=at, axes=[turned[i]], must_be_loop_joint=i == 3)
        for i, (a, b, at) in enumerate(
            [
                ("world", "p", (0, 0, 0)),
                ("p", "q", (0, 0, 0.2)),
                ("world", "r", (0.4, -0.3, 0)),
                ("q", "r", (0.4, -0.3, 0.3)),
            ]
        )
    ]
    condition = condition_of(mechanism(*(link(name) for name in "pqr"), *parts))
    assert condition.rank == 1
    assert "m::j3: gap along (0.6 0.8 0)" in [row.row for row in condition.redundant]


def test_an_axis_that_leads_is_independent_before_one_that_follows() -> None:
    built = mechanism(
        link("a"), link("b"), link("c"),
        joint("slow", "revolute", "world", "a", axis={"mimic": mimic("fast", multiplier=-0.01)}),
        joint("fast", "revolute", "world", "b"),
        joint("rack", "prismatic", "world", "c", axis={"mimic": mimic("slow", multiplier=30.0)}),
    )  # fmt: skip
    assert condition_of(built).independent == ("m::fast",)


def test_the_choice_of_independents_is_stable() -> None:
    """Around the whole turn of a crank-rocker, and on both sides of the rocker's dead points, it is the crank."""
    built = bars(0.4, 0.1, 0.35, 0.3)
    for angle in np.linspace(-math.pi, math.pi, 37):
        assert condition_of(built, turned_to(built, crank_joint=float(angle))).independent == ("m::crank_joint",)


def test_another_axis_is_taken_where_the_crank_is_at_a_dead_point() -> None:
    """The crank of a triple-rocker stops where coupler and rocker are in line: cos a = (0.4² + 0.3² - 0.55²) / (2 · 0.4
    · 0.3)."""
    stop = math.acos((0.4**2 + 0.3**2 - 0.55**2) / (2 * 0.4 * 0.3))
    condition = condition_of(bars(0.4, 0.3, 0.3, 0.25, at=stop - 1e-9))
    assert condition.rank == 1
    assert condition.independent != ("m::crank_joint",)
    assert any(item.joints == ("m::crank_joint",) for item in condition.singular)


def test_a_mimic_that_a_loop_forbids_is_named() -> None:
    """A rigid triangle (two bars and the ground) whose corner is asked to stand elsewhere."""
    built = mechanism(
        link("a"), link("b", at=(1.0, 0, 0)), link("c"),
        joint("free", "revolute", "world", "c", axes=[(0, 1, 0)]),
        joint("left", "revolute", "world", "a", axes=[(0, 1, 0)]),
        joint("right", "revolute", "world", "b", at=(1.0, 0, 0), axes=[(0, 1, 0)],
              axis={"mimic": mimic("left", multiplier=1.0, offset=0.5)}),
        joint("pin", "revolute", "a", "b", at=(0.5, 0, 0.5), axes=[(0, 1, 0)], must_be_loop_joint=True),
    )  # fmt: skip
    condition = condition_of(built)
    assert set(condition.contradictory) == {"m::pin", "m::right"}
    assert "m::pin" in condition.message
    assert condition.rank == 1


def test_couplings_that_agree_in_one_position_hold_it() -> None:
    gear = {"gearbox_reference_body": "world", "gearbox_reference": "world"}
    built = build_mechanism(
        world(
            link("a"), link("b"), joint("lead", "revolute", "world", "a"),
            joint("follow", "revolute", "world", "b", axis={"mimic": mimic("lead", multiplier=2.0)}),
            joint("box", "gearbox", "a", "b", gearbox_ratio=3.0, **gear),
        )
    )  # fmt: skip
    assert not built.has_errors, "both agree at 0, and hold the axes there"
    assert condition_of(built).rank == 0
