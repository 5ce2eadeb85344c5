"""What the pages about tolerances, optimisation and identification show works as they say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.app import run_app
from tests.helpers.repository import ROOT

PAGES = ROOT / "docs" / "how-to"


def write_studies(page: str, folder: Path) -> str:
    """Write each TOML block to the file that its first line names; returns the page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```toml\n(# (\S+\.toml)\n.*?)^```", text, re.MULTILINE | re.DOTALL):
        (folder / block[1]).write_text(block[0], encoding="utf-8")
    return text


def test_tolerances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = write_studies("tolerances.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_app(["tolerances", "crank.toml", "-o", "crank"]) == 0
    shown = capsys.readouterr().out
    (block,) = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block in shown
    assert run_app(["study", "report", "crank", "-o", "crank.html"]) == 0
    assert "<h2>Tolerances</h2>" in Path("crank.html").read_text("utf-8")


def test_dimensions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What is shown has nine digits; a search ends within 1e-7 of the spans, so that six are compared."""
    text = write_studies("optimise.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_app(["optimise", "dimensions.toml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for name in ("coupler.length", "rocker.length"):
        shown = re.search(rf"^{re.escape(name)} +(\S+)", text, re.MULTILINE)
        assert shown is not None
        assert found["parameters"][name] == pytest.approx(float(shown[1]), rel=1e-6)
    assert found["at_bounds"] == ["coupler.length"]
    assert all(found["constraints"].values())


def test_identification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The recording has no noise: what the page puts in comes out, to where least squares end."""
    text = write_studies("optimise.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    command = re.search(r"^simulator (run four_bar.*?)\n(?!    )", text, re.MULTILINE | re.DOTALL)
    assert command is not None
    assert run_app(shlex.split(command[1].replace("\\\n", ""))) == 0
    assert run_app(["optimise", "identify.toml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    put_in = {"coupler.mass": 0.42, "crank_joint.damping": 0.004, "rocker_joint.friction": 0.03}
    assert found["parameters"] == pytest.approx(put_in, rel=1e-6)
    assert found["ended"] == "converged"
