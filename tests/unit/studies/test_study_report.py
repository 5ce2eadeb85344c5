"""The page of a study: what it shows of results, and that its commands open the samples."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

import simulator
from simulator.cli.app import run_app
from simulator.errors import UsageError
from simulator.session.text.variants import parse_numbers
from simulator.studies.figures import WIDTH, histogram, scatter_matrix, tornado
from simulator.studies.report import write_study_report
from simulator.studies.study import study

TABLE: dict[str, Any] = {
    "document": "four_bar",
    "duration": 0.05,
    "samples": 4,
    "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}, "coupler.length": {"values": [0.05, 0.35, 0.36]}},
    "drives": {"crank_joint": "velocity:1"},
    "measures": {"torque": "rms(crank_joint/effort)", "angle": "final(rocker_joint/position)"},
    "constraints": ["torque < 0.1"],
}


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its results. A third of its samples cannot be assembled, which takes a second each."""
    folder = tmp_path_factory.mktemp("study") / "out"
    study(TABLE, folder)
    return folder


def test_the_page_of_a_study(studied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["study", "report", str(studied), "-o", str(tmp_path / "out.html")]) == 0
    assert "12 samples, 4 failed" in capsys.readouterr().err
    page = (tmp_path / "out.html").read_text("utf-8")
    etree.fromstring(page.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', "").replace(
        '<meta name="viewport" content="width=device-width">', ""
    ))  # fmt: skip
    results = simulator.read_results(studied)
    good = int(results.feasible.sum())
    assert f"{good} of 12, {100.0 * good / 12:.2f} %" in page
    for title in ("Measures", "Sensitivities", "Measures over parameters", "Samples at the ends", "Failures"):
        assert f"<h2>{title}</h2>" in page
    assert "<td>4 ×</td><td>not_assembled</td>" in page
    assert "http" not in page.replace("http-equiv", "")


def plain(text: str) -> str:
    """Without tags."""
    return re.sub("<[^>]*>", "", text)


def test_its_commands_are_the_samples(studied: Path, tmp_path: Path) -> None:
    """What is set is what was simulated, to the last digit."""
    results = write_study_report(studied, tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text("utf-8")
    command = re.search(r"greatest torque: \S+, sample (\d+)</dt><dd><code>(.*?)</code>", page)
    assert command is not None
    words = shlex.split(plain(command[2]))
    assert words[:4] == ["simulator", "view", "four_bar", "--set"]
    assert words[5:] == ["--drive", "crank_joint=velocity:1"]
    sim = simulator.load("four_bar").varied(dict(parse_numbers(words[4:5])))
    sim.drive("crank_joint", simulator.velocity(1.0))
    effort = sim.run(0.05)["crank_joint/effort"]
    greatest = float(results["torque"][int(command[1])])
    assert greatest == np.nanmax(results["torque"])
    mean = float(np.mean(0.5 * (effort[1:] ** 2 + effort[:-1] ** 2)))
    assert mean**0.5 == pytest.approx(greatest, rel=1e-12)


def test_failures_that_differ_in_numbers_are_one_cause_with_a_sample_to_open(tmp_path: Path) -> None:
    table = {
        "document": "four_bar",
        "duration": 0.002,
        "samples": 8,
        "parameters": {"coupler.mass": {"uniform": [-0.3, -0.1]}, "angle": 0.25, "speed": {"uniform": [1.0, 2.0]}},
        "initial": {"crank_joint": "{angle}"},
        "drives": {"crank_joint": "velocity:{speed}"},
        "measures": {"torque": "rms(crank_joint/effort)"},
    }
    results = study(table, tmp_path / "out")
    write_study_report(tmp_path / "out", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert len(set(results.reason.tolist())) == 8
    assert "<td>8 ×</td><td>invalid</td><td>e.g. " in page
    assert "more cause" not in page
    (command,) = re.findall("<code>(simulator view .*?)</code>", page)
    speed, mass = (float(results[name][0]) for name in ("speed", "coupler.mass"))
    chosen = ["--set", f"coupler.mass={mass!r}", "--drive", f"crank_joint=velocity:{speed!r}"]
    assert shlex.split(plain(command)) == ["simulator", "view", "four_bar", *chosen, "--initial", "crank_joint=0.25"]


def test_a_folder_without_results(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no results of a study"):
        write_study_report(tmp_path, tmp_path / "out.html")


def test_figures_hold_what_they_are_given() -> None:
    values = np.concatenate((np.random.default_rng(0).normal(size=500), [np.nan, np.nan]))
    counts = [int(text) for text in re.findall(r"<title>\S+ to \S+: (\d+)</title>", histogram("m", "m", values))]
    assert sum(counts) == 500
    assert 5 <= len(counts) <= 60
    assert ": 3</title>" in histogram("m", "m", np.ones(3))
    stray = histogram("m", "m", np.append(values, [80.0, -90.0, 1e9]))
    assert [int(text) for text in re.findall(r"<title>\S+ to \S+: (\d+)</title>", stray)] == counts
    assert "m; 3 more beyond the ends" in stray
    names = re.findall(r">([a-c])</text>", tornado("t", [("a", 0.1, 0.01), ("b", -2.0, np.nan), ("c", 1.0, 0.2)]))
    assert names == ["b", "c", "a"]
    ends = [
        float(x) + 8.0 * len(text)
        for x, text in re.findall(
            r'<text x="([\d.]+)" y="[\d.]+">([^<]+)</text>', tornado("t", [("a", -1.2345e-12, 0.0123)])
        )
    ]
    assert ends
    assert max(ends) <= WIDTH, "numbers are in the picture"
    figure = scatter_matrix([("p", np.arange(502.0))], [("m", values)])
    assert 390 <= figure.count("h0") <= 400
