"""URDF+: loops, couplings and independent coordinates mean what they say, with type, axis and sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.condition.condition import condition_of
from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.writing import document as writing
from simulator.kinematics.kinematics import constrained_directions
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.session.open.opening import open_document
from tests.helpers.urdf_plus import coupling, fixed, hinge, knee_and_ankle, link, loop, robot, six_links
from textbook.clusters.from_mechanism import cluster_tree_of

Write = Callable[..., Path]
BASE = ('<link name="world"/>', link("base"), fixed("mount", "world", "base"))


def mechanism_of(path: Path) -> Mechanism:
    document = read_document(path)
    assert [str(item) for item in document.diagnostics] == []
    found = build_mechanism(document.world())
    assert [str(item) for item in found.diagnostics if item.code != "BASE_FALLS"] == []
    return found


def errors_of(path: Path) -> list[tuple[str, int]]:
    return [(item.code, item.line) for item in read_document(path).diagnostics if item.is_error]


def law(mechanism: Mechanism) -> dict[str, float]:
    """Multipliers of the only coupling, by the name of the axis, the follower's negative."""
    (row,) = mechanism.couplings
    return {mechanism.axes[axis].name.removeprefix("r::"): -a for axis, a in row.terms}


def test_knee_and_ankle_belts_of_twelve(write_document: Write) -> None:
    """Both rotors on the thigh: G over (knee, knee motor, ankle motor, ankle) as RevolutePairWithRotor has it, n b = 12
    and 12, 12."""
    condition = condition_of(mechanism_of(write_document(knee_and_ankle(), "r.urdf")))
    assert condition.independent == ("r::knee", "r::ankle")
    order = [condition.G.rows.index(f"r::{name}") for name in ("knee", "knee_motor", "ankle_motor", "ankle")]
    np.testing.assert_allclose(condition.G.array[order], [[1, 0], [12, 0], [12, 12], [0, 1]], atol=1e-12)


def test_six_links_make_three_clusters(write_document: Write) -> None:
    """6 links, 5 joints, 1 loop, 1 coupling: the base, the four-bar and the geared pair."""
    path = write_document(six_links(), "r.urdf")
    (model,) = read_document(path).root_models
    assert (len(model.links), len(model.joints)) == (6, 5 + 2)
    mechanism = mechanism_of(path)
    assert [loop.name for loop in mechanism.loop_joints] == ["r::closing"]
    tree = cluster_tree_of(mechanism).grouped.tree
    bodies = [name.removeprefix("r::") for name in tree.body_names]
    names = sorted(sorted(bodies[body] for body in cluster.bodies) for cluster in tree.clusters)
    assert names == [["arm_joint", "rotor_joint"], ["base:free"], ["coupler_joint", "crank_joint", "rocker_joint"]]
    assert {"r::crank_joint", "r::arm_joint"} <= set(condition_of(mechanism).independent)


@pytest.mark.parametrize(
    ("predecessor", "successor", "ratio", "multiplier"),
    [
        ("0 0 1", "0 0 1", 6.0, 6.0),
        ("0 0 1", "0 0 -1", 6.0, -6.0),
        ("0 0 -1", "0 0 -1", -2.5, -2.5),
        ("0 1 0", "0 1 0", 3.0, 3.0),
    ],
)
def test_a_coupling_has_the_sign_of_its_axes(
    predecessor: str, successor: str, ratio: float, multiplier: float, write_document: Write
) -> None:
    """Turns are about one direction, so a hinge that points the other way counts negatively."""
    text = robot(
        *BASE, link("a"), link("b"), hinge("p", "base", "a", axis=predecessor), hinge("s", "base", "b", axis=successor),
        coupling("belt", "a", "b", ratio),
    )  # fmt: skip
    assert law(mechanism_of(write_document(text, "r.urdf"))) == {"s": -1.0, "p": pytest.approx(multiplier)}


def test_crossed_shafts_turn_by_their_own_senses(write_document: Write) -> None:
    """Bevel gears have no common direction: each angle is about its own hinge. Frames that are turned do not matter."""
    text = robot(
        *BASE, link("a"), link("b"), hinge("p", "base", "a", rpy="0.3 0.2 0.1"),
        hinge("s", "base", "b", axis="1 0 0", rpy="0 0 1"),
        coupling("bevel", "a", "b", 4.0),
    )  # fmt: skip
    assert law(mechanism_of(write_document(text, "r.urdf"))) == {"s": -1.0, "p": pytest.approx(4.0)}


def test_a_dependent_link_follows_an_independent_one_whatever_the_order(write_document: Write) -> None:
    text = robot(
        *BASE, link("a"), link("b"), hinge("p", "base", "a", independent="false"),
        hinge("s", "base", "b", independent="true"),
        coupling("belt", "a", "b", 4.0),
    )  # fmt: skip
    assert law(mechanism_of(write_document(text, "r.urdf"))) == {"p": -1.0, "s": pytest.approx(0.25)}


def test_a_link_that_was_lumped_still_ends_a_coupling(write_document: Write) -> None:
    text = robot(
        *BASE, link("a"), link("tip"), link("b"), hinge("p", "base", "a"), fixed("weld", "a", "tip"),
        hinge("s", "base", "b"),
        coupling("belt", "tip", "b", 2.0),
    )  # fmt: skip
    assert law(mechanism_of(write_document(text, "r.urdf"))) == {"s": -1.0, "p": pytest.approx(2.0)}


def four_bar(kind: str = "revolute", *, crank: str = "", rocker: str = "", axis: str = "0 0 1") -> str:
    """Ground 0.4 m, crank 0.1, coupler 0.35, rocker 0.3; open at position zero."""
    return robot(
        '<link name="world"/>',
        *(link(name) for name in ("crank", "coupler", "rocker")),
        hinge("crank_joint", "world", "crank", rpy="0 0 1", independent=crank),
        hinge("coupler_joint", "crank", "coupler", at="0.1 0 0", rpy="0 0 -0.4", independent="false"),
        hinge("rocker_joint", "world", "rocker", at="0.4 0 0", rpy="0 0 1.7", independent=rocker),
        loop("closing", ("coupler", "0.35 0 0"), ("rocker", "0.3 0 0"), kind=kind, axis=axis),
    )


def test_a_loop_that_starts_open_is_closed(write_document: Write) -> None:
    """The two ends are where the document has them, not where one of them happens to be; the freed angles close a
    triangle."""
    mechanism = mechanism_of(write_document(four_bar(), "r.urdf"))
    condition = condition_of(mechanism)
    assert condition.message == ""
    assert (mechanism.mobility.count, condition.rank) == (1, 1)
    q = dict(zip((axis.name for axis in mechanism.axes), condition.state.position, strict=True))
    first, second, third = 1.0 + q["r::crank_joint"], q["r::coupler_joint"] - 0.4, 1.7 + q["r::rocker_joint"]
    end = np.array(
        [
            0.1 * math.cos(first) + 0.35 * math.cos(first + second),
            0.1 * math.sin(first) + 0.35 * math.sin(first + second),
        ]
    )
    np.testing.assert_allclose(end, [0.4 + 0.3 * math.cos(third), 0.3 * math.sin(third)], atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "axis", "rows"),
    [
        ("revolute", "0 0 1", 5),
        ("continuous", "0 0 1", 5),
        ("prismatic", "1 0 0", 5),
        ("fixed", "0 0 1", 6),
        ("planar", "0 0 1", 3),
    ],
)
def test_a_loop_has_the_rows_of_its_type(kind: str, axis: str, rows: int, write_document: Write) -> None:
    """Unlike in GRBDA, where every loop is a point."""
    (found,) = mechanism_of(write_document(four_bar(kind, axis=axis), "r.urdf")).loop_joints
    assert found.rows == rows
    alone = [] if kind == "fixed" else [tuple(map(float, axis.split()))]
    directions = [motion.direction for motion in found.motions]
    assert directions == ([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), *alone] if kind == "planar" else alone)


def test_a_planar_loop_slides_and_turns_in_its_plane(write_document: Write) -> None:
    """It takes away the two tilts and the way along the normal, and nothing of a linkage that lies in its plane."""
    mechanism = mechanism_of(write_document(four_bar("planar"), "r.urdf"))
    (found,) = mechanism.loop_joints
    rows = constrained_directions(found, np.zeros(3))
    np.testing.assert_allclose(rows.T @ rows, np.diag([1.0, 1.0, 0.0, 0.0, 0.0, 1.0]), atol=1e-12)
    assert (mechanism.mobility.count, condition_of(mechanism).rank) == (3, 3)


def test_the_axis_is_x_where_none_is_written(write_document: Write) -> None:
    text = four_bar().replace('<axis xyz="0 0 1"/></loop>', "</loop>")
    (found,) = build_mechanism(read_document(write_document(text, "r.urdf")).world()).loop_joints
    assert found.motions[0].direction == (1.0, 0.0, 0.0)


def test_the_document_says_which_coordinate_of_a_loop_is_independent(write_document: Write) -> None:
    by_crank = mechanism_of(write_document(four_bar(rocker="false"), "a.urdf"))
    by_rocker = mechanism_of(write_document(four_bar(crank="false"), "b.urdf"))
    for mechanism, name in ((by_crank, "r::crank_joint"), (by_rocker, "r::rocker_joint")):
        assert [mechanism.axes[i].name for i in mechanism.independent_axes()] == [name]
        assert condition_of(mechanism).independent == (name,)
    none = mechanism_of(write_document(four_bar(crank="false", rocker="false"), "c.urdf"))
    assert len(none.independent_axes()) == 3, "where all are called dependent, the choice is free"


def test_a_loop_may_close_on_the_world(write_document: Write) -> None:
    """The world cannot be a child: the joint is turned round, its axis with it."""
    closing_slide = loop("closing", ("b", "-1 0 0"), ("world", "0 0 0"), kind="prismatic", axis="1 0 0")
    hinges = hinge("p", "world", "a"), hinge("s", "a", "b", at="1 0 0")
    text = robot('<link name="world"/>', link("a"), link("b"), *hinges, closing_slide)
    (model,) = read_document(write_document(text, "r.urdf")).root_models
    closing = model.joints[-1]
    assert (closing.parent, closing.child, closing.axes[0].xyz_joint) == ("world", "b", (-1.0, 0.0, 0.0))
    assert closing.X_WJ_parent is None, "both ends are at the origin"


def test_everything_survives_a_conversion(write_document: Write, tmp_path: Path) -> None:
    for text in (knee_and_ankle(), six_links(), four_bar(crank="false"), four_bar("fixed"), four_bar("planar")):
        path = write_document(text, "r.urdf")
        source = writing.read_source(path)
        for place, made in (("with.sdf", source), ("without.sdf", None)):
            (tmp_path / place).write_text(
                writing.write_document(source.document, tmp_path, made).text, encoding="utf-8"
            )
        assert read_document(tmp_path / "with.sdf").root_models == source.document.root_models
        (again,), (model,) = read_document(tmp_path / "without.sdf").root_models, source.document.root_models
        assert [joint.independent for joint in again.joints] == [joint.independent for joint in model.joints]
        for ours, theirs in zip(again.joints, model.joints, strict=True):
            assert (ours.X_WJ_parent is None) == (theirs.X_WJ_parent is None)
            if ours.X_WJ_parent is not None and theirs.X_WJ_parent is not None:
                np.testing.assert_allclose(ours.X_WJ_parent.matrix(), theirs.X_WJ_parent.matrix(), atol=1e-15)


PAIR = (*BASE, link("a"), link("b"), hinge("p", "base", "a"), hinge("s", "base", "b"))


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (coupling("c", "a", "nobody", 2.0), "the successor link 'nobody' of <coupling> 'c' does not exist"),
        ('<coupling name="c"><predecessor link="a"/></coupling>', "has no <successor link='…'/>"),
        (coupling("c", "a", "b", 0.0), "must not be zero"),
        (coupling("c", "a", "b", 1.0).replace("1.0", "fast"), "is not a number"),
        (coupling("c", "a", "a", 1.0), "ties link 'a' to itself"),
        (coupling("c", "a", "b", 1.0).replace(' name="c"', ""), "has no attribute 'name'"),
        (
            coupling("c", "a", "b", 1.0) + loop("c", ("a", "0 0 0"), ("b", "0 0 0")),
            "two loops or couplings are named 'c'",
        ),
        (
            loop("l", ("a", "0 0 0"), ("b", "0 0 0"), kind="wobbly"),
            "of type 'wobbly' is not known; types are: revolute",
        ),
        (loop("l", ("a", "0 0 0"), ("b", "0 0 0")).replace(' type="revolute"', ""), "has no type"),
        (loop("l", ("a", "0 0 0"), ("b", "0 0 0"), axis="0 0 0"), "the axis of <loop> 'l' must not be zero"),
        (loop("l", ("a", "0 0"), ("b", "0 0 0")), "has 2 of the 3 numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_names_its_line(element: str, message: str, write_document: Write) -> None:
    path = write_document(robot(*PAIR, element), "r.urdf")
    found = [item for item in read_document(path).diagnostics if item.is_error]
    assert [(item.code, item.line) for item in found] == [("PARSING_ERROR", 9)]
    assert message in found[0].message


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ((link("c"), hinge("t", "a", "c"), coupling("k", "a", "c", 2.0)), "its predecessor 'a' cannot turn in 'a'"),
        (
            (link("c"), hinge("t", "a", "c", axis="1 0 0"), coupling("k", "c", "b", 2.0)),
            "its predecessor 'c' hangs by joints 't' and 'p' that are not parallel on 'base'",
        ),
        (
            (link("c"), hinge("t", "a", "c").replace("continuous", "floating"), coupling("k", "b", "c", 2.0)),
            "its successor 'c' hangs by the floating joint 't' on 'base'",
        ),
    ],
)
def test_a_coupling_without_two_turns_is_left_out_and_said(
    elements: tuple[str, ...], message: str, write_document: Write
) -> None:
    path = write_document(robot(*PAIR, *elements), "r.urdf")
    (found,) = [item for item in read_document(path).diagnostics if item.is_error]
    assert (found.code, found.line) == ("URDF_COUPLING_INVALID", 11)
    assert message in found.message


def test_a_hinge_of_a_coupling_without_direction_is_said_with_its_line(write_document: Write) -> None:
    elements = (link("c"), hinge("t", "a", "c", axis="0 0 0"), coupling("k", "c", "b", 2.0))
    found = [
        item for item in read_document(write_document(robot(*PAIR, *elements), "r.urdf")).diagnostics if item.is_error
    ]
    assert [(item.code, item.line) for item in found] == [("PARSING_ERROR", 10)]
    assert found[0].message == "the axis of <joint> 't' must not be zero"


def test_independent_is_true_or_false(write_document: Write) -> None:
    path = write_document(robot(*BASE, link("a"), hinge("p", "base", "a", independent="maybe")), "r.urdf")
    assert [(item.code, item.line) for item in read_document(path).diagnostics] == [("ATTRIBUTE_INVALID", 6)]
    assert not errors_of(path)


@pytest.mark.parametrize("strict", [False, True])
def test_a_link_that_hangs_on_two_joints_closes_a_loop(tmp_path: Path, strict: bool) -> None:
    """The joint further from the root is the one that closes it; strictly, it is left out with an error."""
    hinges = [hinge("j", "base", "a"), hinge("k", "base", "b"), hinge("l", "a", "tip"), hinge("second", "b", "tip")]
    text = robot(*(link(name) for name in ("base", "a", "b", "tip")), *hinges)
    path = tmp_path / "diamond.urdf"
    path.write_text(text, encoding="utf-8")
    opened = open_document(path, ReadingOptions(strict=strict))
    (finding,) = [item for item in opened.diagnostics if item.code == "DUPLICATE_NAME"]
    assert finding.is_error == strict
    assert "link 'tip' is the child of two joints; joint 'second'" in finding.message
    if not strict:
        assert [joint.name for joint in opened.mechanism.loop_joints] == ["r::second"]
