"""The text of a page, as a browser reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.share.page import PageStep, page_of
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings


def shared(*steps: PageStep, duration: float = 0.05) -> dict[str, Any]:
    """What the page holds for its script."""
    text = page_of(steps, "title", duration=duration)
    found = re.search(r'<script id="shared" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_steps_that_show_one_document_share_its_scene() -> None:
    rack, bars = (open_document(find_file(name)) for name in ("rack_and_pinion", "four_bar"))
    content = shared(PageStep(rack), PageStep(bars), PageStep(rack, camera="front"))
    assert [step["content"]["scene"] for step in content["steps"]] == [0, 1, 0]
    links = [{drawable["link"] for drawable in scene["drawables"]} for scene in content["scenes"]]
    assert ["pinion" in names for names in links] == [True, False]
    assert ["coupler" in names for names in links] == [False, True]


def test_a_platform_is_plotted_by_the_axes_that_move_it() -> None:
    """Its tree has other independent axes: those of the first two legs."""
    [step] = shared(PageStep(open_document(find_file("stewart"))))["steps"]
    content = step["content"]
    assert [content["axes"][axis]["name"] for axis in step["traces"]] == [f"leg_{leg}_slide" for leg in range(1, 7)]
    if "reason" not in content["live"]:
        assert [motor["axis"] for motor in content["live"]["motors"]] == step["traces"]


def test_the_picture_holds_the_whole_motion() -> None:
    """The crank of 0.1 m turns about (-0.2, 0, 0.16): its lowest point is 0.1 m and half a bar below."""
    settings = SessionSettings(drives=(parse_drive("crank_joint=velocity:2"),))
    [step] = shared(PageStep(open_document(find_file("four_bar")), settings), duration=3.2)["steps"]
    motion = np.array(step["content"]["corners"])
    assert motion[:, 0].min() == pytest.approx(-0.2 - 0.1 - 0.02, abs=0.01)
    assert motion[:, 2].max() > 0.47, "the rocker of 0.3 m upright on its bearing at 0.16 m"
    assert len(motion) <= 125


def test_what_falls_out_of_sight_does_not_make_the_rest_small(tmp_path: Path) -> None:
    shape = "<geometry><box><size>0.1 0.1 0.1</size></box></geometry>"
    (tmp_path / "box.sdf").write_text(
        f"<sdf version='1.11'><model name='m'><link name='l'><visual name='v'>{shape}</visual></link></model></sdf>"
    )
    [step] = shared(PageStep(open_document(tmp_path / "box.sdf")), duration=1.0)["steps"]
    assert step["content"]["corners"] == []


def test_what_is_driven_is_moved_and_plotted_first() -> None:
    settings = SessionSettings(drives=(parse_drive("rocker_joint=velocity:0.1"),))
    [step] = shared(PageStep(open_document(find_file("four_bar")), settings))["steps"]
    content = step["content"]
    assert content["axes"][step["traces"][0]]["name"] == "rocker_joint"
    if "reason" not in content["live"]:
        assert [motor["axis"] for motor in content["live"]["motors"]] == step["traces"][:1]
