"""What tutorials and how-to guides show works as they say: documents grow step by step, scripts run from top to
bottom."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.session.relay.defaults import ADDRESS
from tests.helpers.command import python
from tests.helpers.relaying import RelayProcess
from tests.helpers.repository import ROOT

PORT = ADDRESS.rpartition(":")[2]
PAGES = ROOT / "docs"
MECHANISM = (PAGES / "tutorials" / "first_mechanism.md").read_text(encoding="utf-8")
WITH_SCRIPTS = [
    path
    for folder in ("tutorials", "how-to")
    for path in sorted((PAGES / folder).glob("*.md"))
    if "```python" in path.read_text(encoding="utf-8")
]
BEFORE = "import numpy as np\nimport simulator\nsim = simulator.load('four_bar')\n"
"""What a how-to guide takes for granted."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def stages() -> list[str]:
    """The document after each step of the first tutorial."""
    first, *more = blocks(MECHANISM, "xml")
    found = [first]
    for part in more:
        found.append(found[-1].replace("    </model>", f"{part}    </model>"))
    return found


def test_the_linkage_of_the_tutorial_grows_as_it_says() -> None:
    """0, then a crank; three hinges in a row; a loop takes two away."""
    mobilities = [simulator.load(text).mobility for text in stages()]
    assert mobilities == [0, 1, 3, 1]


def test_the_bars_of_the_tutorial_are_as_long_as_it_says() -> None:
    """0.1, sqrt(0.2^2 + 0.1^2) and 0.2 m: in the document's pose the loop is closed to the last digit."""
    sim = simulator.load(stages()[-1])
    pin = sim.pose("rocker") @ [0.0, 0.0, 0.2, 1.0]
    coupler = pin[:3] - sim.pose("coupler")[:3, 3]
    assert np.linalg.norm(coupler) == pytest.approx(np.hypot(0.2, 0.1), abs=1e-15)


def test_the_crank_of_the_tutorial_turns_all_the_way_round() -> None:
    """By Grashof's rule: 0.1 + 0.2236 < 0.2 + 0.2; four seconds at 2 rad/s are more than a turn."""
    run = simulator.load(stages()[-1]).run(4.0, drives={"crank_joint": simulator.velocity(2.0)}, every=0.05)
    assert run["crank_joint/position"][-1] > 2.0 * np.pi
    assert np.ptp(run["rocker_joint/position"]) < np.pi
    assert run.summary.max_loop_residual_m < 1e-14


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("<child>rocker</child>\n        <axis><xyz>0 1 0</xyz></axis>\n      </joint>\n    </model>",
         "<child>roker</child>\n        <axis><xyz>0 1 0</xyz>"
         "</axis>\n      </joint>\n    </model>", "JOINT_CHILD_LINK_INVALID"),
        ("<axis><xyz>0 1 0</xyz></axis>\n      </joint>\n    </model>",
         "<axis><xyz>0 1 0.1</xyz></axis>\n      </joint>\n    </model>", "LOOP_RIGID"),
        ("<axis><xyz>0 1 0</xyz></axis>\n      </joint>\n    </model>",
         "<axis><xyz>0 1 0.00001</xyz></axis>\n      </joint>\n    </model>", "AXIS_OUT_OF_LINE"),
    ],
)  # fmt: skip
def test_the_mistakes_of_the_tutorial_are_found(tmp_path: Path, right: str, wrong: str, code: str) -> None:
    text = stages()[-1]
    assert text.count(right) == 1
    (tmp_path / "linkage.sdf").write_text(text.replace(right, wrong), encoding="utf-8")
    found = simulator.open_document(tmp_path / "linkage.sdf").diagnostics
    (item,) = [item for item in found if item.code == code]
    if code == "JOINT_CHILD_LINK_INVALID":
        (shown,) = [line.strip() for line in MECHANISM.splitlines() if f"[{code}]" in line]
        assert shown == re.sub(r"^.*linkage.sdf:\d+", "linkage.sdf:…", str(item))


NOT_HERE = ("my_robot", "dask_jobqueue", "dask_kubernetes")
"""Documents and clusters of a reader's own."""


@pytest.mark.parametrize("page", WITH_SCRIPTS, ids=lambda path: path.stem)
def test_scripts_of_a_page_run_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one of the relay beside the command that the page starts, which listens elsewhere than its default here."""
    text = page.read_text(encoding="utf-8")
    parts = [part for part in blocks(text, "python") if not any(name in part for name in NOT_HERE)]
    script = BEFORE + "\n".join(parts)
    if page.stem != "relay":
        monkeypatch.chdir(tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as in a program of its own
            exec(compile(script, page.name, "exec"), {"__name__": "__main__"})
        return
    with RelayProcess("four_bar") as relay:
        assert PORT in script
        python("-c", script.replace(PORT, str(relay.address[1])), cwd=tmp_path)
