"""What is said of loops before anything moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.condition.condition import condition_of
from simulator.kinematics import assembly
from simulator.session.open.opening import Opened, open_document
from tests.helpers.urdf_plus import hinge, link, loop, robot

Write = Callable[..., Path]


def bars(crank: float, coupler: float, rocker: float, ground: float) -> str:
    """A four-bar that is given stretched out along its base, whether that closes it or not."""
    return robot(
        '<link name="world"/>',
        *(link(name) for name in ("crank", "coupler", "rocker")),
        hinge("j1", "world", "crank", independent="true"),
        hinge("j2", "crank", "coupler", at=f"{crank} 0 0", independent="false"),
        hinge("j3", "world", "rocker", at=f"{ground} 0 0", independent="false"),
        loop("closing", ("coupler", f"{coupler} 0 0"), ("rocker", f"{rocker} 0 0")),
    )


def opened(write_document: Write, text: str) -> Opened:
    return open_document(write_document(text, "r.urdf"))


def test_a_loop_that_is_open_in_a_line_is_assembled_from_around_it(write_document: Write) -> None:
    """All bars along x: the gap lies along the bars, where no velocity leads. Newton's method has no way; trial starts
    have."""
    found = opened(write_document, bars(1.0, 1.2, 1.0, 2.0))
    (finding,) = found.diagnostics
    assert finding.code == "LOOP_ASSEMBLED"
    assert "closed poses found near it" in finding.message
    condition = condition_of(found.mechanism)
    assert condition.message == ""
    bars_of = condition.loops[0].four_bar
    assert bars_of is not None
    assert [length for _, length in bars_of.lengths] == pytest.approx([1.0, 1.2, 1.0, 2.0], abs=1e-9)


def test_a_loop_that_cannot_be_closed_says_how_far_it_is_open(write_document: Write) -> None:
    """Bars of 1 + 1.5 + 1 m do not reach 4.5 m away: 1 m are lacking; as given, with the rocker turned outwards, 3
    m."""
    found = opened(write_document, bars(1.0, 1.5, 1.0, 4.5))
    (finding,) = found.diagnostics
    assert finding.code == "LOOP_OPEN"
    assert "open by 3 m at the given positions" in finding.message
    assert "stays open by 1 m where it comes nearest" in finding.message
    assert condition_of(found.mechanism).message


@pytest.mark.parametrize(("last", "lacks"), [(4.5, 1.0), (0.4, 0.1)])
def test_a_bar_that_is_too_long_is_found_without_a_search(
    write_document: Write, last: float, lacks: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4.5 > 1 + 1.5 + 1, and 1.5 > 0.4 + 0.5 + 0.5."""
    short = 1.0 if last > 1.0 else 0.5
    monkeypatch.setattr(assembly, "_close_loops", pytest.fail)
    (finding,) = opened(write_document, bars(short, 1.5, short, last)).diagnostics
    assert f"stays open by {lacks:g} m where it comes nearest" in finding.message


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
def test_a_weld_that_cannot_be_closed_is_asked_whether_a_ball_is_meant(write_document: Write, kind: str) -> None:
    """The ends of two bars meet at 90 degrees, not at the angle at which they are welded."""
    text = robot(
        '<link name="world"/>',
        *(link(name) for name in ("a", "b")),
        hinge("j1", "world", "a"),
        hinge("j2", "world", "b", at="1 1 0", axis="0 1 0"),
        loop("closing", ("a", "1 0 0"), ("b", "0 -1 0"), kind=kind).replace(
            'xyz="0 -1 0" rpy="0 0 0"', 'xyz="0 -1 0" rpy="0.3 0 0"'
        ),
    )
    found = [item for item in opened(write_document, text).diagnostics if item.code == "LOOP_OPEN"]
    assert [item.hint.rpartition("; ")[2] for item in found] == (
        ["the loop is closed by a weld, which allows no turn: a ball joint may be meant (type 3d in robot.yaml)"]
        if kind == "fixed"
        else []
    )


@pytest.mark.parametrize(("tilt", "corrected"), [(5e-5, True), (1e-3, False)])
def test_an_axis_that_locks_nothing_is_corrected_for_a_rounding_alone(
    write_document: Write, tilt: float, corrected: bool
) -> None:
    """A crank-rocker whose coupler has a cross hinge and a ball at its ends moves with any axis of the rocker."""
    text = robot(
        '<link name="world"/>',
        *(link(name) for name in ("crank", "cross", "coupler", "rocker")),
        hinge("j1", "world", "crank", independent="true"),
        hinge("j2", "crank", "cross", at="0.1 0 0", independent="false"),
        hinge("j3", "cross", "coupler", axis="0 1 0", independent="false"),
        hinge("j4", "world", "rocker", at="0.4 0.3 0", axis=f"{tilt} 0 1", independent="false"),
        loop("closing", ("coupler", "0.3 0 0"), ("rocker", "0 -0.3 0"), kind="spherical"),
    )
    found = opened(write_document, text)
    assert [item.code for item in found.diagnostics if item.code == "AXIS_OUT_OF_LINE"] == corrected * [
        "AXIS_OUT_OF_LINE"
    ]
    (rocker,) = (joint for joint in found.mechanism.joints if joint.name.endswith("j4"))
    assert rocker.motions[0].direction[0] == pytest.approx(0.0 if corrected else tilt, rel=1e-5, abs=1e-12)


def test_a_loop_that_moves_well_is_nothing_to_speak_of(write_document: Write) -> None:
    """A closed crank-rocker away from its dead points: 0.1, 0.4, 0.3 and 0.4 m with the crank across the base."""
    text = robot(
        '<link name="world"/>',
        *(link(name) for name in ("crank", "coupler", "rocker")),
        hinge("j1", "world", "crank", rpy="0 0 1.5707963267948966"),
        hinge("j2", "crank", "coupler", at="0.3 0 0", rpy="0 0 -1.5707963267948966"),
        hinge("j3", "world", "rocker", at="0.4 0 0", rpy="0 0 1.5707963267948966"),
        loop("closing", ("coupler", "0.4 0 0"), ("rocker", "0.3 0 0")),
    )
    assert opened(write_document, text).diagnostics == ()


def test_very_many_loops_are_not_judged(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decomposition takes the number of rows times the square of that of freedoms; here there is one loop too
    many."""
    text = bars(1.0, 1.2, 1.0, 2.0)
    monkeypatch.setattr("simulator.session.open.loop_findings.MOST_LOOPS", 0)
    (finding,) = opened(write_document, text).diagnostics
    assert (finding.code, finding.is_error) == ("LOOPS_NOT_JUDGED", False)
    monkeypatch.setattr("simulator.session.open.loop_findings.MOST_LOOPS", 1)
    monkeypatch.setattr("simulator.session.open.loop_findings.MOST_TO_DECOMPOSE", 10.0)
    (finding,) = opened(write_document, text).diagnostics
    assert finding.code == "LOOPS_NOT_JUDGED"
    assert "1 loops have" in finding.message


def test_a_rigid_loop_is_named_before_the_limits_that_it_breaks(write_document: Write) -> None:
    """A triangle of hinges holds its bar at 0, where its limit does not let it be: the loop is at fault."""
    text = robot(
        '<link name="world"/>',
        *(link(name) for name in ("a", "b")),
        hinge("j1", "world", "a", independent="true")
        .replace("continuous", "revolute")
        .replace("</joint>", '<limit lower="0.2" upper="0.5" effort="1" velocity="1"/></joint>'),
        hinge("j2", "a", "b", at="1 0 0", independent="false"),
        loop("closing", ("b", "0 1 0"), ("world", "1 1 0")),
    )
    found = [finding for finding in opened(write_document, text).diagnostics if finding.code != "CHANGE_POINT"]
    assert [finding.code for finding in found] == ["LOOP_RIGID", "LIMITS_CONTRADICTORY"]
