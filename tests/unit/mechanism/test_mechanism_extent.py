"""Structures of thousands of gears and loops: looked into in time that grows with their number, or refused with a
finding."""

from __future__ import annotations

import pytest

from simulator.mechanism import gear_paths, loops
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.gear_paths import GearPaths
from simulator.mechanism.types import CouplingKind
from simulator.model.world import World
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import joint, link, world


def train(gears: int) -> World:
    """Gears on the world in a row, each a gearbox of ratio 2 away from the one before."""
    wheels = [link(f"w{i}") for i in range(gears)]
    hinges = [joint(f"h{i}", "revolute", "world", f"w{i}", axes=[(0, 0, 1)]) for i in range(gears)]
    boxes = [
        joint(f"g{i}", "gearbox", f"w{i}", f"w{i + 1}", axes=[(0, 0, 1), (0, 0, 1)],
              gearbox_ratio=2.0, gearbox_reference_body="world", gearbox_reference="world")
        for i in range(gears - 1)
    ]  # fmt: skip
    return world(*wheels, *hinges, *boxes)


def test_the_ways_of_a_long_train_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hinge is passed once in all, and each gearbox has two ways of one hinge: 3 n at most, not n^2."""
    made: list[GearPaths] = []
    monkeypatch.setattr("simulator.mechanism.gearbox.GearPaths", lambda found: made.append(GearPaths(found)) or made[0])
    built = build_mechanism(train(200))
    assert [coupling.kind for coupling in built.couplings] == [CouplingKind.GEARBOX] * 199
    assert {(coupling.follower - coupling.leader, coupling.multiplier) for coupling in built.couplings} == {(1, -2.0)}
    assert 200 <= made[0].passed <= 3 * 200


def test_gears_with_too_many_ways_between_them_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gear_paths, "MOST_HINGES_PASSED", 20)
    built = build_mechanism(train(20))
    (found,) = built.diagnostics
    assert (found.code, found.is_error) == ("MECHANISM_TOO_LARGE", True)
    assert "more than 20" in found.message
    assert not built.joints


def test_loops_with_too_many_joints_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A four-bar's loop has four joints."""
    monkeypatch.setattr(loops, "MOST_JOINTS_IN_LOOPS", 4)
    assert not build_mechanism(four_bar()).has_errors
    monkeypatch.setattr(loops, "MOST_JOINTS_IN_LOOPS", 3)
    built = build_mechanism(four_bar())
    assert [found.code for found in built.diagnostics] == ["MECHANISM_TOO_LARGE"]
    assert not built.loop_joints
