"""What the Model panel says about a mechanism as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.gui.facts import facts
from simulator.gui.relations import Relations
from simulator.gui.units import Units
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from tests.helpers.documents import joint, link, model, world


def told(path: Path) -> tuple[str, dict[str, str]]:
    opened = open_document(path)
    title, rows = facts(Relations(opened.world, opened.mechanism), None, Units())
    return title, dict(rows)


@pytest.mark.parametrize(
    ("name", "mobility"),
    [
        ("four_bar", "1 = 3 of joints − 2 of loops"),
        ("rack_and_pinion", "1 = 2 of joints − 1 of couplings"),
    ],
)
def test_mobility_is_told_with_its_sum(name: str, mobility: str) -> None:
    title, rows = told(find_file(name))
    assert title == name
    assert rows["mobility by count"] == mobility
    assert not any("rows" in caption for caption in rows)


def test_a_pendulum_has_its_number_alone_and_a_world_named_default_goes_by_its_file(tmp_path: Path) -> None:
    swing = joint("swing", "revolute", parent="world", child="bob", axis="0 1 0")
    text = world(model("pendulum", link("bob"), swing), name="default")
    path = tmp_path / "my_pendulum.sdf"
    path.write_text(text)
    title, rows = told(path)
    assert title == "my_pendulum"
    assert rows["mobility by count"] == "1"


def test_a_robot_goes_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "left_hand.urdf"
    path.write_text('<robot name="r"><link name="base"/></robot>')
    assert told(path)[0] == "left_hand"


def test_cables_are_counted_where_there_are_some() -> None:
    assert told(find_file("crane"))[1]["cables"] == "2"
    assert "cables" not in told(find_file("four_bar"))[1]
