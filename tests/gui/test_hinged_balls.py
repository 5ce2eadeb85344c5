"""Hinges that are one ball joint, in the window: their angles are curves, and the model says what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.gui.facts import facts
from simulator.gui.relations import Relations
from simulator.gui.selection import Item, ItemKind
from simulator.gui.traces.plan import Group, plan
from simulator.gui.units import Units
from simulator.recording.channels import channels_of
from simulator.session.open.opening import Opened, open_document
from tests.physics.test_balls_of_hinges import linkage


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A spatial four-bar whose rod has three hinges at both ends."""
    path = tmp_path / "rods.sdf"
    path.write_text(linkage(hinged=True), encoding="utf-8")
    return open_document(path)


@pytest.mark.parametrize("group", [Group.POSITION, Group.VELOCITY])
def test_their_angles_and_rates_are_curves_behind_those_of_axes(opened: Opened, group: Group) -> None:
    channels = channels_of(opened.mechanism)
    every = [curve for curve in plan(opened.mechanism, channels, group) if not curve.residual]
    curves = [curve for curve in every if channels[curve.column].name.startswith("joint/")]
    assert [curve.label for curve in curves] == [
        "crank_joint",
        "rocker_joint",
        *(f"{e}_{i}" for e in "pq" for i in range(3)),
    ]
    assert [channels[curve.column].name for curve in curves[2:4]] == [f"joint/m::p_{i}/{group.value}" for i in range(2)]


def test_they_have_no_effort(opened: Opened) -> None:
    labels = [curve.label for curve in plan(opened.mechanism, channels_of(opened.mechanism), Group.EFFORT)]
    assert "p_0" not in labels


def test_the_model_says_of_each_what_it_is_a_part_of(opened: Opened) -> None:
    relations = Relations(opened.world, opened.mechanism)
    for name in ("m::p_0", "m::p_2"):
        rows = facts(relations, Item(ItemKind.JOINT, name), Units())[1]
        assert ("role", "one ball joint: p_0, p_1, p_2") in rows
    rows = facts(relations, Item(ItemKind.JOINT, "m::crank_joint"), Units())[1]
    assert not any(label == "role" for label, _ in rows)
