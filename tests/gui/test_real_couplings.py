"""Losses, play and elasticity of couplings in the inspector: said in words, and numbers that can be changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simulator.gui.selection import Item, ItemKind
from tests.gui.on_view import Hands
from tests.helpers.repository import ROOT

WHEEL = "worm_hoist::wheel_joint"


def test_the_inspector_says_that_a_worm_locks_itself_and_offers_its_numbers(painted: Callable[[str], Hands]) -> None:
    window = painted("worm_hoist").window
    window.selection.select(Item(ItemKind.COUPLING, WHEEL))
    window.tick()
    assert "self-locking: cannot be driven by its follower" in str(window.inspector.facts.rows())
    window.selection.select(Item(ItemKind.JOINT, WHEEL))
    window.tick()
    numbers = window.inspector.numbers.fields
    assert {f"{WHEEL}.thread.friction", f"{WHEEL}.thread.lead_angle"} <= set(numbers)
    assert f"{WHEEL}.thread.mean_diameter" not in numbers  # the document does not state it


FLYWHEEL = "clutch_drive::flywheel_joint"


def test_the_inspector_shows_clutch_brake_and_freewheel(painted: Callable[[str], Hands]) -> None:
    window = painted("clutch_drive").window
    for name, text in (
        (FLYWHEEL, "friction clutch, 0.042 N·m for each newton"),
        ("clutch_drive::fan_joint", "freewheel"),
    ):
        window.selection.select(Item(ItemKind.COUPLING, name))
        window.tick()
        assert text in str(window.inspector.facts.rows())
    window.selection.select(Item(ItemKind.JOINT, FLYWHEEL))
    window.tick()
    assert "friction brake" in str(window.inspector.facts.rows())
    numbers = window.inspector.numbers.fields
    assert {f"{FLYWHEEL}.clutch.radius", f"{FLYWHEEL}.brake.friction"} <= set(numbers)
    assert f"{FLYWHEEL}.clutch.force" not in numbers  # a profile over time


BEARING = '<simulator:bearing friction="0.15" radius="0.02"/>'


def test_the_inspector_shows_the_bearing_of_a_joint_and_offers_its_numbers(
    painted: Callable[[str], Hands], tmp_path: Path
) -> None:
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8").replace("</axis>", f"{BEARING}</axis>")
    document = tmp_path / "four_bar.sdf"
    document.write_text(text.replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ', 1), encoding="utf-8")
    window = painted(str(document.with_suffix(""))).window
    for joint in ("crank_joint", "closing_joint"):
        window.selection.select(Item(ItemKind.JOINT, f"four_bar::{joint}"))
        window.tick()
        assert "bearing friction 0.15 of the force across the axis, friction circle 0.003 m" in str(
            window.inspector.facts.rows()
        )
        numbers = window.inspector.numbers.fields
        assert {f"four_bar::{joint}.bearing.friction", f"four_bar::{joint}.bearing.radius"} <= set(numbers)
