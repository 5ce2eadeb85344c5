"""The text of a page, as a browser reads it."""

from __future__ import annotations

import json
import re
from typing import Any

from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.share.page import PageStep, page_of


def shared(*steps: PageStep) -> dict[str, Any]:
    """What the page holds for its script."""
    text = page_of(steps, "title", duration=0.05)
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
