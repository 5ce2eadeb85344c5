"""Named lengths set the links that follow from them, in Python and from the command line."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.drawing import lengths, verbs
from simulator.building.drawing.plan import FRONT
from simulator.building.drawing.reading import plan_of
from simulator.cli.app import run_app
from simulator.errors import UsageError


def named_four_bar() -> Draft:
    """`a` names the crank, `c` the rocker, and the coupler is as long as both and a tenth of a metre; a bar hangs on
    its middle."""
    draft = simulator.new("named")
    at = ((0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.25, 0.0))
    for ends in pairwise(at):
        verbs.add_bar(draft, plan_of(draft.check(), FRONT, draft.name), ends, 0.02)
    for place in (at[0], at[-1]):
        verbs.add_ground(draft, plan_of(draft.check(), FRONT, draft.name), place)
    for name, text in (("bar_1", "a"), ("bar_3", "c"), ("bar_2", "b = a + c + 0.01")):
        lengths.say_length(draft, plan_of(draft.check(), FRONT, draft.name), name, text)
    return draft


def test_a_name_sets_all_lengths_that_follow_from_it() -> None:
    """The same positions as by the length of each link."""
    sim = named_four_bar().simulate()
    rocker = sim.parameters()["c"].value
    by_name = sim.varied({"a": 0.11, "c": rocker + 0.004})
    by_link = sim.varied({"bar_1.length": 0.11, "bar_2.length": 0.11 + rocker + 0.014, "bar_3.length": rocker + 0.004})
    assert by_name.parameters()["a"].value == pytest.approx(0.11, abs=1e-12)
    assert by_name.q == pytest.approx(by_link.q, abs=1e-9)
    assert sim.parameters()["named::a"].unit == "m"
    assert "named::b" not in sim.parameters()


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [("b", 0.2, "'b' follows from a, c; vary these"), ("a", -0.1, "must be"), ("d", 0.1, "no length is named 'd'")],
)
def test_what_no_name_can_be_is_refused(name: str, value: float, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        named_four_bar().simulate().varied({name: value})


def test_a_pin_on_a_bar_keeps_its_share() -> None:
    draft = named_four_bar()
    plan = plan_of(draft.check(), FRONT, draft.name)
    (ax, az), (bx, bz) = plan.link("bar_1").ends  # type: ignore[union-attr]
    middle = (0.75 * ax + 0.25 * bx, 0.75 * az + 0.25 * bz)
    verbs.add_bar(draft, plan, (middle, (middle[0] - 0.1, middle[1])), 0.02)
    other = draft.simulate().varied({"a": 0.12})
    bodies = {body.name: number for number, body in enumerate(other.mechanism.bodies)}
    crank = bodies["named::bar_1"]
    joints = (*other.mechanism.joints, *other.mechanism.loop_joints)
    sides = [
        joint.side(child=joint.child == crank).position for joint in joints if crank in (joint.child, joint.parent)
    ]
    apart = sorted(math.dist(a, b) for a, b in combinations(sides, 2))
    assert apart == pytest.approx([0.03, 0.09, 0.12], abs=1e-12)


def test_the_command_line_takes_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = named_four_bar().save(tmp_path / "named.sdf")
    assert run_app(["describe", str(path), "--parameters"]) == 0
    assert re.search(r"named::a\s+0.1\s+m", capsys.readouterr().out)
    assert run_app(["run", str(path), "--set", "a=0.11", "--duration", "0.01"]) == 0
    assert run_app(["run", str(path), "--set", "b=0.2", "--duration", "0.01"]) == 2
    assert "'b' follows from a, c; vary these" in capsys.readouterr().err
