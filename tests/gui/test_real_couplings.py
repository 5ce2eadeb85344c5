"""Losses, play and elasticity of couplings in the inspector: said in words, and numbers that can be changed."""

from __future__ import annotations

from collections.abc import Callable

from simulator.gui.selection import Item, ItemKind
from tests.gui.on_view import Hands

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
