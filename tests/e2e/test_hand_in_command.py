"""`simulator share --hand-in`: a folder with everything, which opens again as a lesson."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.formats.lesson import read_lesson
from tests.helpers.command import called
from tests.helpers.repository import ROOT

WORDS = 'A crank-rocker: $s + l \\le p + q$.\n\n- "it" turns \\ fully\n\n![sketch](sketch.png)\n'
ARGUMENTS = ("--duration", "0.5", "--drive", "crank_joint=velocity:2", "--title", "Ada's linkage")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("handed_in")
    (tmp_path / "words.md").write_text(WORDS, encoding="utf-8")
    (tmp_path / "sketch.png").write_bytes((ROOT / "docs" / "pictures" / "first_mechanism.png").read_bytes())
    out = called("share", "four_bar", "--hand-in", "Ada", *ARGUMENTS, "-o", "mine", "--notes", "words.md", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    assert "open mine/index.html" in out.stderr
    return tmp_path / "mine"


def test_everything_is_in_the_folder_and_it_is_a_lesson(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "four_bar.sdf", "four_bar.lesson.toml", "files", "index.html", "picture.png", "recording.csv", "report.html",
        "sketch.png", "words.md",
    }  # fmt: skip
    assert (folder / "words.md").read_text(encoding="utf-8") == WORDS
    lesson, findings = read_lesson(folder / "four_bar.lesson.toml")
    assert findings == ()
    assert lesson is not None
    assert lesson.title == "Ada's linkage"
    assert lesson.steps[0].notes == f"*Ada*\n\n{WORDS.strip()}"
    assert lesson.steps[0].drives[0][1] == "velocity:2"
    assert "| freedoms | 1 |" in lesson.steps[1].notes
    checked = called("check", folder / "four_bar.lesson.toml")
    assert checked.returncode == 0
    assert "0 errors, 0 warnings" in checked.stderr, "the meshes came along"


def test_the_recording_is_that_of_a_run_with_the_drives(folder: Path) -> None:
    header = (folder / "recording.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    rows = np.genfromtxt(folder / "recording.csv", delimiter=",", skip_header=1)
    crank = next(place for place, name in enumerate(header) if name.endswith("crank_joint/position"))
    sim = simulator.load("four_bar")
    sim.run(0.5, drives={"crank_joint": simulator.velocity(2.0)})
    assert rows[-1, 0] == pytest.approx(0.5, abs=1e-12)
    assert rows[-1, crank] == pytest.approx(sim.positions["four_bar::crank_joint"], rel=1e-15), "the same steps"


def test_the_page_and_the_report_need_no_network(folder: Path) -> None:
    for name in ("index.html", "report.html"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "http" not in text.replace("http://www.w3.org/", "")
    assert "Ada&#x27;s linkage" in (folder / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("four_bar", "-o", "nowhere/mine"), "cannot be made"),
        (("four_bar", "--duration", "0"), "0 s cannot be handed in"),
        (("four_bar", "--notes", "nowhere.md"), "'nowhere.md' cannot be read"),
        (("grashof", "-o", "mine"), "a lesson is no mechanism"),
    ],
)
def test_what_cannot_be_handed_in_is_said(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    out = called("share", *arguments, "--hand-in", "Ada", cwd=tmp_path)
    assert out.returncode == 2
    assert said in out.stderr
    assert [*tmp_path.iterdir()] == []
