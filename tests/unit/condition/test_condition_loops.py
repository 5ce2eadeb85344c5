"""Loops by themselves: Grashof's classes by hand, bars by name, branches, planar and spatial."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.condition.loops import LoopCondition, grashof_class
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.session.open.opening import open_document
from tests.helpers.four_bars import bars, crossed, slides, turned_to
from tests.helpers.linkages import four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import joint, link, mechanism
from tests.helpers.repository import ROOT


def loop_of(built: Mechanism) -> LoopCondition:
    (loop,) = condition_of(built).loops
    return loop


@pytest.mark.parametrize(
    ("lengths", "grashof", "shortest"),
    [
        ((0.4, 0.1, 0.35, 0.3), "crank-rocker", ("m::crank",)),  # 0.1 + 0.4 < 0.35 + 0.3, beside the ground
        ((0.4, 0.3, 0.35, 0.1), "crank-rocker", ("m::rocker",)),
        ((0.1, 0.3, 0.35, 0.4), "double-crank", ("world",)),  # the same bars, held by the shortest
        ((0.35, 0.3, 0.1, 0.4), "double-rocker", ("m::coupler",)),  # the shortest opposite the ground
        ((0.2, 0.3, 0.35, 0.4), "double-crank", ("world",)),  # 0.2 + 0.4 < 0.3 + 0.35
        ((0.4, 0.3, 0.3, 0.25), "triple-rocker", ("m::rocker",)),  # 0.25 + 0.4 > 0.6
        ((0.4, 0.2, 0.3, 0.3), "change-point", ("m::crank",)),  # 0.2 + 0.4 = 0.3 + 0.3
        ((0.4, 0.1, 0.4, 0.1), "change-point", ("m::crank", "m::rocker")),  # parallelogram
    ],
)
def test_classes_by_hand(lengths: tuple[float, float, float, float], grashof: str, shortest: tuple[str, ...]) -> None:
    """Lengths are (ground, crank, coupler, rocker)."""
    loop = loop_of(bars(*lengths, at=1.2))
    assert loop.type == "four-bar"
    assert loop.planar
    assert loop.four_bar is not None
    assert loop.four_bar.grashof == grashof
    assert set(loop.four_bar.shortest) == set(shortest)
    measured = dict(loop.four_bar.lengths)
    assert [measured[name] for name in ("world", "m::crank", "m::coupler", "m::rocker")] == pytest.approx(list(lengths))


def test_the_class_is_that_of_the_bars_in_any_order_around_the_loop() -> None:
    assert [grashof_class(lengths) for lengths in ((1, 4, 3, 3.5), (3, 1, 3.5, 4), (3.5, 4, 1, 3), (4, 3, 3.5, 1))] == [
        "crank-rocker", "double-rocker", "crank-rocker", "double-crank",
    ]  # fmt: skip


def test_parallel_planes_do_not_change_the_bars() -> None:
    """Hinges at different places along their own axes: the plane counts."""
    made = four_bar()
    parts = made.models[0]
    shifted = [
        joint(
            item.name.removeprefix("m::"), "revolute", item.parent, item.child, axes=[(0, 1, 0)],
            at=(item.X_WJ.position[0], 0.1 * place, item.X_WJ.position[2]),
            must_be_loop_joint=item.must_be_loop_joint,
        )
        for place, item in enumerate(parts.joints)
    ]  # fmt: skip
    # A loop joint's two frames are the same frame, so that the offset is not a gap.
    loop = loop_of(mechanism(*parts.links, *shifted))
    assert loop.four_bar is not None
    assert dict(loop.four_bar.lengths)["m::coupler"] == pytest.approx(0.35)


def test_a_pin_written_as_a_ball_is_a_four_bar_too() -> None:
    parts = four_bar().models[0]
    pin = joint("close", "ball", "coupler", "rocker", at=parts.joints[3].X_WJ.position, must_be_loop_joint=True)
    assert loop_of(mechanism(*parts.links, *parts.joints[:3], pin)).type == "four-bar"


def test_open_and_crossed_are_two_branches() -> None:
    one, other = loop_of(bars(0.4, 0.1, 0.35, 0.3)), loop_of(crossed(0.4, 0.1, 0.35, 0.3))
    assert (one.branch, other.branch) == ("open", "crossed")
    assert one.sign == -(other.sign or 0) != 0


def test_the_sign_stays_on_a_branch_all_the_way_around() -> None:
    """The crank of a crank-rocker has no dead point, so that its loop's sign cannot change."""
    for made in (bars(0.4, 0.1, 0.35, 0.3), crossed(0.4, 0.1, 0.35, 0.3)):
        start = loop_of(made).sign
        for angle in np.linspace(-math.pi, math.pi, 25):
            (loop,) = condition_of(made, turned_to(made, crank_joint=float(angle))).loops
            assert loop.sign == start


def test_a_slider_crank_has_one_sign_all_the_way_around() -> None:
    made = build_mechanism(slider_crank())
    signs = {condition_of(made, turned_to(made, crank_joint=a)).loops[0].sign for a in np.linspace(-3.0, 3.0, 13)}
    assert len(signs) == 1
    assert loop_of(made).type == "slider-crank"


def test_a_parallelogram_may_be_crossed() -> None:
    assert (loop_of(bars(0.4, 0.1, 0.4, 0.1)).branch, loop_of(crossed(0.4, 0.1, 0.4, 0.1)).branch) == (
        "open",
        "crossed",
    )


@pytest.mark.parametrize(
    ("made", "name", "planar", "rows"),
    [
        (ring_of_hinges(7), "7R", False, 5),
        (slides((1, 0, 0), (0, 0, 1), (1, 0, 1)), "3P", True, 5),
        (slider_crank(), "slider-crank", True, 5),
    ],
    ids=["7R", "wedge", "slider-crank"],
)
def test_other_loops_are_named_by_their_joints(made, name: str, planar: bool, rows: int) -> None:
    loop = loop_of(build_mechanism(made))
    assert (loop.type, loop.planar, loop.rows) == (name, planar, rows)
    assert loop.four_bar is None
    assert loop.branch is None


def test_loops_of_a_platform_are_spatial() -> None:
    loops = condition_of(build_mechanism(platform())).loops
    assert len(loops) == 5
    assert all(not loop.planar and loop.rank == 3 for loop in loops)


def test_a_loop_on_a_moving_body_is_held_by_that_body() -> None:
    """The four-bar's ground is the body that carries it, wherever that turns."""
    parts = four_bar().models[0]
    carried = [
        replace(item, parent="base", parent_link="m::base") if item.parent == "world" else item for item in parts.joints
    ]
    built = mechanism(
        link("base"), *parts.links, joint("swing", "revolute", "world", "base", axes=[(1, 0, 0)]), *carried
    )
    condition = condition_of(built, turned_to(built, swing=0.7))
    (loop,) = condition.loops
    assert loop.four_bar is not None
    assert loop.four_bar.lengths[-1] == ("m::base", pytest.approx(0.4))
    assert (condition.rank, len(condition.redundant)) == (2, 3)


def test_a_loop_that_is_over_constrained_everywhere_has_no_sign() -> None:
    """Sarrus' six hinges: five rows over five freedoms whose determinant is zero in every position, not at a change of
    branch alone."""
    found = condition_of(open_document(ROOT / "worlds" / "sarrus.sdf").mechanism)
    assert [(loop.type, loop.rows, loop.rank, loop.sign) for loop in found.loops] == [("6R", 5, 4, None)] * 2
    assert found.singular == ()
