"""The page of the window has every key."""

from __future__ import annotations

import pytest

from simulator.gui.actions import TABLE
from tests.helpers.repository import ROOT

PAGE = (ROOT / "docs" / "reference" / "window.md").read_text(encoding="utf-8")
KEYS = [key for spec in TABLE for key in spec.keys]


@pytest.mark.parametrize("key", KEYS)
def test_the_page_of_the_window_has_the_key(key: str) -> None:
    cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("|")]
    listed = {
        name.strip(" `")
        for cell in cells
        for part in cell.split(" or ")
        for name in part.replace("`,`", "comma").split(",")
    }
    assert {",": "comma"}.get(key, key) in listed


def test_each_key_does_one_thing() -> None:
    """Of two actions with one key Qt triggers neither."""
    assert sorted(KEYS) == sorted(set(KEYS))
