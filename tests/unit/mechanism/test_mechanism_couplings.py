"""Couplings: mimics on any axis, chains in any order, rings, contradictions; every error names the lines that make
it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.residuals import coupling_residuals
from simulator.mechanism.types import CouplingKind, Mechanism
from simulator.model.joint import Joint
from simulator.model.world import World
from simulator.session.open.opening import open_document
from tests.helpers import documents
from tests.helpers.mechanisms import Z, axis_of, findings, joint, link, mechanism, mimic, model, scoped, state_of, world


def fan(*joints: Joint) -> list[object]:
    """One link for every joint, all on the world."""
    return [*(link(item.child) for item in joints), *joints]


def hinge(name: str, *, follows: str = "", kind: str = "revolute", line: int = 0, **law: object) -> Joint:
    """A joint of a link of its own on the world, following another one."""
    axis = {"mimic": mimic(follows, line=line, **law)} if follows else None
    return joint(name, kind, "world", f"{name}_link", axis=axis, line=line)


def laws(built: Mechanism) -> set[tuple[str, str, float]]:
    names = [axis.name.removeprefix("m::") for axis in built.axes]
    return {(names[c.follower], names[c.leader], c.multiplier) for c in built.couplings}


def test_the_law_of_a_mimic() -> None:
    built = mechanism(*fan(hinge("a"), hinge("b", follows="a", multiplier=-2.0, offset=0.3, reference=0.1)))
    (coupling,) = built.couplings
    assert coupling.kind is CouplingKind.MIMIC
    assert coupling.terms == ((axis_of(built, "b"), 1.0), (axis_of(built, "a"), 2.0))
    assert coupling.constant == pytest.approx(0.5)
    holds = state_of(built, a=0.7, b=-2.0 * (0.7 - 0.1) + 0.3)
    assert coupling_residuals(built, holds.position) == pytest.approx([0.0], abs=1e-15)
    off = state_of(built, a=0.7, b=-2.0 * (0.7 - 0.1) + 0.3 + 0.01)
    assert coupling_residuals(built, off.position) == pytest.approx([0.01], abs=1e-15)


@pytest.mark.parametrize(("leads", "follows"), list(itertools.product(("axis", "axis2"), repeat=2)))
def test_either_axis_follows_either_axis(leads: str, follows: str) -> None:
    law = {"mimic": mimic("a", axis=leads, multiplier=3.0)}
    follower = joint("b", "universal", "world", "b_link", **{follows: law})
    built = mechanism(*fan(joint("a", "universal", "world", "a_link"), follower))
    names = {"axis": "", "axis2": ":axis2"}
    assert laws(built) == {(f"b{names[follows]}", f"a{names[leads]}", 3.0)}


def test_axis2_follows_the_first_axis_of_its_own_joint() -> None:
    built = mechanism(*fan(joint("u", "universal", "world", "l", axis2={"mimic": mimic("u", multiplier=0.5)})))
    assert laws(built) == {("u:axis2", "u", 0.5)}
    assert built.mobility.count == 1


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_chain_holds_in_any_order(order: tuple[int, ...]) -> None:
    chain = [
        hinge("a"),
        hinge("b", follows="a", multiplier=2.0),
        hinge("c", follows="b", multiplier=-3.0),
        hinge("d", follows="c"),
    ]
    built = mechanism(*fan(*(chain[i] for i in order)))
    assert laws(built) == {("b", "a", 2.0), ("c", "b", -3.0), ("d", "c", 1.0)}
    assert built.mobility.count == 1
    assert [len(cluster.joints) for cluster in built.clusters] == [4]
    assert built.independent_axes() == (axis_of(built, "a"),)


def test_several_followers_of_one_leader() -> None:
    built = mechanism(*fan(hinge("a"), hinge("b", follows="a"), hinge("c", follows="a", multiplier=-1.0)))
    assert laws(built) == {("b", "a", 1.0), ("c", "a", -1.0)}


def test_a_prismatic_follows_a_hinge() -> None:
    built = mechanism(*fan(hinge("a"), hinge("p", follows="a", kind="prismatic", multiplier=0.02)))
    assert built.axes[built.couplings[0].follower].unit == "m"


def test_a_joint_of_the_world_couples_two_models() -> None:
    left = model(link("left::l"), joint("left::a", "revolute", "world", "left::l"), name="left")
    right = model(link("right::l"), joint("right::b", "revolute", "world", "right::l"), name="right")
    tie = joint("tie", "revolute", "left::l", "right::l", axis={"mimic": mimic("left::a", multiplier=2.0)})
    tie = replace(tie, name="tie")
    built = build_mechanism(World(models=(left, right), joints=(tie,)))
    assert not built.has_errors
    assert {(built.axes[c.follower].name, built.axes[c.leader].name) for c in built.couplings} == {("tie", "left::a")}
    assert [item.name for item in built.loop_joints] == ["right::b"]


@pytest.mark.parametrize("pitch", [0.5, -0.01])
def test_a_screw_travels_by_its_pitch(pitch: float) -> None:
    """One turn moves the child by +pitch along +axis: right-handed positive."""
    built = mechanism(*fan(joint("s", "screw", "world", "nut", axes=[Z], screw_thread_pitch=pitch)))
    (coupling,) = built.couplings
    assert coupling.kind is CouplingKind.SCREW
    assert coupling.multiplier * 2.0 * math.pi == pytest.approx(pitch)
    travel = built.axes[coupling.follower]
    assert travel.hidden
    assert travel.unit == "m"
    assert built.mobility.count == 1


def test_a_screw_leads_and_follows_by_its_angle() -> None:
    built = mechanism(
        *fan(hinge("a"), hinge("s", follows="a", kind="screw"), hinge("p", follows="s", kind="prismatic"))
    )
    assert {(f, leader) for f, leader, _ in laws(built)} == {("s", "a"), ("p", "s"), ("s:travel", "s")}
    assert built.mobility.count == 1


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_ring_of_mimics_has_no_leader(size: int) -> None:
    names = [f"j{i}" for i in range(size)]
    ring = [hinge(name, follows=names[(i + 1) % size], line=10 + i) for i, name in enumerate(names)]
    tail = hinge("tail", follows="j0", line=50)
    built = build_mechanism(world(*fan(tail, *ring)))
    (finding,) = findings(built, "MIMIC_CYCLE")
    assert finding.is_error
    for i, name in enumerate(names):
        assert scoped(name) in finding.message
        assert f":{10 + i}" in finding.message
    assert "tail" not in finding.message


def test_two_rings_are_both_said() -> None:
    ring = [hinge(a, follows=b) for a, b in (("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))]
    assert len(findings(build_mechanism(world(*fan(*ring))), "MIMIC_CYCLE")) == 2


def test_a_joint_that_follows_itself_is_no_coupling() -> None:
    """The reader reports it (JOINT_AXIS_MIMIC_INVALID)."""
    assert not build_mechanism(world(*fan(hinge("a", follows="a")))).couplings


def test_the_two_axes_of_a_joint_may_not_follow_each_other() -> None:
    both = joint("u", "universal", "world", "l", axis={"mimic": mimic("u", axis="axis2")}, axis2={"mimic": mimic("u")})
    assert findings(build_mechanism(world(*fan(both))), "MIMIC_CYCLE")


def _with_gearbox(ratio: float, multiplier: float, offset: float = 0.0) -> World:
    law = mimic("a", multiplier=multiplier, offset=offset, line=2)
    return world(
        *fan(hinge("a", line=1), joint("b", "revolute", "world", "b_link", axis={"mimic": law}, line=2)),
        joint("g", "gearbox", "a_link", "b_link", gearbox_ratio=ratio, gearbox_reference="world", line=3),
    )


def test_what_is_said_twice_is_kept_once() -> None:
    built = build_mechanism(_with_gearbox(2.0, -2.0))
    assert not built.has_errors
    assert len(built.couplings) == 1
    (finding,) = findings(built, "COUPLING_REDUNDANT")
    assert finding.line == 3
    assert ":2" in finding.message


def test_a_contradiction_names_both_lines() -> None:
    (finding,) = findings(build_mechanism(_with_gearbox(2.0, -2.0, offset=0.5)), "COUPLING_CONTRADICTORY")
    assert finding.is_error
    assert ":3" in finding.message
    assert ":2" in finding.message


def test_couplings_that_agree_in_one_position_hold_it() -> None:
    """b = 3 a + 0.5 and b = -2 a leave a = -0.1 rad, b = 0.2 rad."""
    built = build_mechanism(_with_gearbox(2.0, 3.0, offset=0.5))
    assert not built.has_errors
    assert (len(built.couplings), built.mobility.count) == (2, 0)
    (finding,) = findings(built, "COUPLING_HOLDS")
    assert (finding.line, finding.severity.value) == (3, "warning")
    assert "they hold 'm::a' at -0.1 rad" in finding.message


@pytest.mark.parametrize("role", ["fixed", "ball", "gearbox"])
def test_a_leader_must_have_a_single_coordinate(role: str) -> None:
    leader = joint("lead", role, "world", "lead_link", line=4, gearbox_reference="world")
    built = build_mechanism(world(*fan(leader, hinge("b", follows="lead", line=9))))
    (finding,) = findings(built, "MIMIC_JOINT_TYPE")
    assert finding.is_error
    assert finding.line == 9
    assert ":4" in finding.message
    assert "cannot follow" in finding.message


@pytest.mark.parametrize("role", ["fixed", "ball", "gearbox"])
def test_a_follower_must_have_a_single_coordinate(role: str, write_document: Callable[..., Path]) -> None:
    """Such joints have no axes in the model, so the reader reports them; the finding must not get lost."""
    parts = [
        documents.joint("a", "revolute", parent="world", child="l"),
        documents.joint("b", role, documents.mimic("a"), parent="world", child="k"),
    ]
    text = documents.world(documents.model("m", documents.link("l"), documents.link("k"), *parts))
    opened = open_document(write_document(text))
    assert "JOINT_AXIS_MIMIC_INVALID" in {item.code for item in opened.diagnostics if item.is_error}
    assert not opened.mechanism.couplings


def test_an_axis_that_the_leader_does_not_have() -> None:
    built = build_mechanism(world(*fan(hinge("a", line=4), hinge("b", follows="a", axis="axis2", line=9))))
    (finding,) = findings(built, "MIMIC_AXIS_UNUSABLE")
    assert finding.line == 9
    assert ":4" in finding.message


def test_a_leader_that_cannot_move() -> None:
    stuck = [link("p"), link("q"), joint("weld", "fixed", "p", "q"), joint("a", "revolute", "p", "q", line=4)]
    built = build_mechanism(world(*stuck, *fan(hinge("b", follows="a", line=9))))
    assert findings(built, "MIMIC_AXIS_UNUSABLE")[0].line == 9
    assert findings(built, "JOINT_BETWEEN_WELDED_LINKS")


def test_a_multiplier_of_zero_holds_the_follower() -> None:
    built = mechanism(*fan(hinge("a"), hinge("b", follows="a", multiplier=0.0, offset=0.4)))
    assert built.couplings[0].constant == 0.4
    assert built.mobility.count == 1
