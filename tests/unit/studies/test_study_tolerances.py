"""Tolerances of a slider-crank against closed forms: worst case, root sum square, Monte Carlo, contributors, yield."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree
from scipy import stats

import simulator
from simulator.cli.app import run_app
from simulator.errors import UsageError
from simulator.studies.design import Design
from simulator.studies.reading import plan_of
from simulator.studies.results import read_results
from simulator.studies.tolerance_values import ToleranceAnalysis, read_tolerances
from simulator.studies.tolerances import tolerance_task, tolerances

TURN = [-np.pi / 3.0, 5.0 * np.pi / 3.0]
R, L, INNER = 0.05, 0.16, 0.179029218
"""Crank, rod, and where the piston's position is 0 [m]."""


def crank(zones: dict[str, Any], **more: Any) -> dict[str, Any]:
    """In line: the stroke is 2 r, and the outermost position r + l, both at points of the sweep."""
    return {
        "document": "slider_crank",
        "positions": {"moves": {"crank_joint": TURN}, "points": 3},
        "seed": 3,
        "samples": 300,
        "sampling": "random",
        "tolerances": zones,
        "measures": {"stroke": "peak_to_peak(piston_joint/position)", "outer": "max(piston_joint/position)"},
        **more,
    }


def test_the_stroke_in_line() -> None:
    """2 r: linear, so that all methods are exact: slopes 2 and 0; worst case 2 (r ± T); deviation 2 T / 3. Loops are
    closed to 1e-10 m. Mean and variance of 300 independent samples within three of their standard errors."""
    T = 5e-5
    found = tolerances(crank({"crank.length": T, "rod.length": 1e-4}))
    one = found["stroke"]
    assert one.slopes == pytest.approx((2.0, 0.0), abs=1e-9)
    assert one.derived == ("exact", "exact")
    assert one.nominal == pytest.approx(2.0 * R, abs=1e-10)
    assert (one.least.value, one.greatest.value) == pytest.approx((2.0 * (R - T), 2.0 * (R + T)), abs=1e-10)
    assert one.least.parameters[0] == pytest.approx(R - T, rel=1e-12)
    assert one.greatest.parameters[0] == pytest.approx(R + T, rel=1e-12)
    assert one.deviation == pytest.approx(2.0 * T / 3.0, rel=1e-9)
    assert one.shares == pytest.approx((1.0, 0.0), abs=1e-9)
    mean, deviation, *_ = one.sampled
    assert abs(mean - 2.0 * R) <= 3.0 * one.deviation / math.sqrt(one.count)
    assert abs(deviation**2 - one.deviation**2) <= 3.0 * one.deviation**2 * math.sqrt(2.0 / (one.count - 1))
    outer = found["outer"]
    assert outer.slopes == pytest.approx((1.0, 1.0), abs=1e-9)
    assert outer.worst_shares == pytest.approx((1.0 / 3.0, 2.0 / 3.0), abs=1e-9)
    assert outer.shares == pytest.approx((0.2, 0.8), abs=1e-9)
    # Squared coefficients of a linear measure of independent parameters: shares of the samples' own variances.
    assert outer.sampled_shares == pytest.approx((0.2, 0.8), abs=0.06)
    assert outer.explained == pytest.approx(1.0, abs=1e-9)


def stroke(r: float, rod: float, e: float) -> float:
    """Of a slider-crank whose slider's line passes the crankshaft at a distance e."""
    return math.sqrt((rod + r) ** 2 - e**2) - math.sqrt((rod - r) ** 2 - e**2)


def test_the_stroke_of_an_offset_slider_crank() -> None:
    """S = sqrt((l + r)^2 - e^2) - sqrt((l - r)^2 - e^2), which rises with r and e and falls with l: worst cases are at
    its corners. Extremes lie between the 7201 points of the sweep, at most half a step of 8.7e-4 rad away, where the
    piston, whose acceleration is at most r (1 + r / (l - r)) = 0.073 m a radian squared, is off by 7e-9 m."""
    zones = {
        "crank.length": {"tolerance": 1e-4, "distribution": "uniform"},
        "rod.length": {"tolerance": [-3e-4, 1e-4], "distribution": "triangular"},
        "wrist_joint.child_pose.z": {"nominal": 0.02, "tolerance": [0.0, 2e-4]},
    }
    positions = {"moves": {"crank_joint": TURN}, "points": 7201}
    found = tolerances(crank(zones, positions=positions, samples=16))["stroke"]
    middle = np.array([R, L - 1e-4, 0.0201])
    slopes = []
    for i in range(3):
        h = 1e-6 * np.eye(3)[i]
        slopes.append((stroke(*(middle + h)) - stroke(*(middle - h))) / 2e-6)
    assert found.middle == pytest.approx(stroke(*middle), abs=1e-8)
    assert found.nominal == pytest.approx(stroke(R, L, 0.02), abs=1e-8)
    assert found.mean == found.middle
    # At a point up to 4.4e-4 rad from the extreme, a slope is off by that times r or less, beside slopes of up to 2.
    assert found.slopes == pytest.approx(slopes, abs=1e-4)
    assert found.derived == ("exact",) * 3
    assert found.greatest.parameters == pytest.approx((R + 1e-4, L - 3e-4, 0.02 + 2e-4), rel=1e-12)
    assert found.least.parameters == pytest.approx((R - 1e-4, L + 1e-4, 0.02), rel=1e-12)
    assert found.greatest.value == pytest.approx(stroke(R + 1e-4, L - 3e-4, 0.0202), abs=1e-8)
    assert found.least.value == pytest.approx(stroke(R - 1e-4, L + 1e-4, 0.02), abs=1e-8)
    assert found.least.by_slopes
    assert found.greatest.by_slopes
    # T / sqrt(3) of a uniform, T / sqrt(6) of a triangular, T / 3 of a normal distribution, T half of the zone.
    sigma = np.array([1e-4 / math.sqrt(3.0), 2e-4 / math.sqrt(6.0), 1e-4 / 3.0])
    assert found.deviation == pytest.approx(float(np.linalg.norm(slopes * sigma)), rel=1e-4)


@pytest.mark.parametrize(
    ("shape", "divisor", "kurtosis"), [("uniform", 3, 1.8), ("triangular", 6, 2.4), ("normal", 9, 3)]
)
def test_samples_of_each_distribution_have_its_moments(shape: str, divisor: float, kurtosis: float) -> None:
    """Mean and variance of 20 000 lengths, within three standard errors."""
    zone = {"tolerance": [0.0, 2e-4], "distribution": shape}
    plan = tolerance_task(plan_of(crank({"crank.length": zone}, samples=20_000))).plan
    _, rows = Design(plan).rows(0, 20_000)
    values, variance = rows[:, 0], 1e-4**2 / divisor
    assert abs(values.mean() - (R + 1e-4)) <= 3.0 * math.sqrt(variance / 20_000)
    assert abs(values.var(ddof=1) - variance) <= 3.0 * variance * math.sqrt((kurtosis - 1.0) / 20_000)
    if shape != "normal":
        assert values.min() >= R - 1e-12
        assert values.max() <= R + 2e-4 + 1e-12


def test_correlated_lengths() -> None:
    """Of r + l: var = s1^2 + s2^2 + 2 rho s1 s2, of which each has its own part and half of what they share."""
    rho, a, b = -0.6, 5e-5 / 3.0, 1e-4 / 3.0
    table = crank(
        {"crank.length": 5e-5, "rod.length": 1e-4}, correlations=[["crank.length", "rod.length", rho]], samples=300
    )
    found = tolerances(table)["outer"]
    variance = a * a + b * b + 2.0 * rho * a * b
    assert found.deviation == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.shares == pytest.approx(((a * a + rho * a * b) / variance, (b * b + rho * a * b) / variance), rel=1e-6)
    assert abs(found.sampled[1] ** 2 - variance) <= 3.0 * variance * math.sqrt(2.0 / 299)


def test_yield_against_limits() -> None:
    """Limits at two standard deviations: 95.45 % of a normal stroke, within three standard errors of 150 samples."""
    sigma = 2.0 * 5e-5 / 3.0
    limits = {"stroke": [2.0 * R - 2.0 * sigma, 2.0 * R + 2.0 * sigma], "outer": [-math.inf, 0.1]}
    found = tolerances(crank({"crank.length": 5e-5}, limits=limits, samples=150))
    share, low, high = found["stroke"].yielded
    expected = 2.0 * stats.norm.cdf(2.0) - 1.0
    assert abs(share - expected) <= 3.0 * math.sqrt(expected * (1.0 - expected) / 400)
    assert low < share < high
    assert not found["stroke"].holds
    assert found["outer"].holds
    assert found["outer"].yielded[0] == 1.0
    assert int(found.results.feasible.sum()) == found["stroke"].good


def test_a_measure_that_is_not_monotone() -> None:
    """About 0 the offset e lengthens the stroke on either side: least where e = 0, in the middle of the tolerance and
    at no corner; 0 slope. Extremes of this sweep are at its points for e = 0 only, but elsewhere nearly so."""
    zone = {"wrist_joint.child_pose.z": {"tolerance": 0.02, "distribution": "uniform"}}
    positions = {"moves": {"crank_joint": TURN}, "points": 721}
    found = tolerances(crank(zone, positions=positions, samples=64))["stroke"]
    assert found.slopes[0] == pytest.approx(0.0, abs=1e-9)
    assert found.least.value == pytest.approx(2.0 * R, abs=1e-9)
    assert not found.least.by_slopes
    assert abs(found.least.parameters[0]) < 1e-6
    # A step of 8.7e-3 rad makes 0.073 * 4.4e-3**2 / 2 = 7e-7 m.
    assert found.greatest.value == pytest.approx(stroke(R, L, 0.02), abs=1e-6)


def test_numbers_of_drives_and_runs_by_differences() -> None:
    """A crank driven at a speed v for 0.1 s turns by v / 10; no exact derivative is known of such a run."""
    table: dict[str, Any] = {
        "document": "four_bar",
        "duration": 0.1,
        "samples": 16,
        "tolerances": {"speed": {"nominal": 2.0, "tolerance": 0.1}, "coupler.mass": 0.01},
        "drives": {"crank_joint": "velocity:{speed}"},
        "measures": {"turned": "final(crank_joint/position)"},
    }
    found = tolerances(table)["turned"]
    assert found.derived == ("central difference", "central difference")
    # The motor takes hold within a step of 1 ms, of which the crank may miss a part: 1 % of 0.1 s.
    assert found.slopes[0] == pytest.approx(0.1, rel=0.01)
    assert found.greatest.value - found.least.value == pytest.approx(0.2 * found.slopes[0], rel=1e-6)
    del table["tolerances"]["speed"]["nominal"]
    with pytest.raises(UsageError, match="'speed' is a number of a drive or a start: its tolerance needs nominal"):
        tolerances(table)


def test_what_stands_beside_tolerances() -> None:
    """A uniform load case is a zone of its own, a number is held."""
    beside = {"rod.length": {"uniform": [0.15, 0.17]}, "rod.mass": 0.3}
    table = crank({"crank.length": 5e-5}, parameters=beside, samples=16)
    found = tolerances(table)
    zones = {zone.parameter: (zone.nominal, zone.half) for zone in found.tolerances}
    assert zones["rod.length"] == pytest.approx((0.16, 0.01))
    assert found["outer"].greatest.value == pytest.approx(R + 5e-5 + 0.17 - INNER, abs=1e-8)
    for spread, message in (({"lognormal": [0.16, 0.1]}, "beside"), ({"values": [0.16, 0.17]}, "one design")):
        with pytest.raises(UsageError, match=message):
            tolerances(crank({"crank.length": 5e-5}, parameters={"rod.length": spread}))
    with pytest.raises(UsageError, match=r"has no tolerances: write \[tolerances\]"):
        tolerances({**table, "tolerances": {}})


def same(one: ToleranceAnalysis, other: ToleranceAnalysis) -> bool:
    return (one.tolerances, one.units, one.measures) == (other.tolerances, other.units, other.measures)


def test_the_folder_holds_samples_and_analysis(tmp_path: Path) -> None:
    table = crank({"crank.length": 5e-5}, limits={"stroke": [-math.inf, 0.1001]}, samples=64)
    found = tolerances(table, tmp_path / "out")
    read = read_tolerances(tmp_path / "out", read_results(tmp_path / "out"))
    assert read is not None
    assert same(read, found)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert same(tolerances(table, tmp_path / "out", workers=2, resume=True), found)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    with pytest.raises(UsageError, match="no measure is named 'strok'"):
        found["strok"]


STUDY = """document = "slider_crank"
samples = 64
[positions]
moves = { crank_joint = [-1.0471975511965976, 5.235987755982989] }
points = 3
[tolerances]
"crank.length" = 0.00005
"rod.length" = [-0.0001, 0.0]
[measures]
stroke = "peak_to_peak(piston_joint/position)"
[limits]
stroke = [0.09995, inf]
"""


def test_the_command_and_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out, page = tmp_path / "study.toml", tmp_path / "out", tmp_path / "out.html"
    path.write_text(STUDY, "utf-8")
    assert run_app(["tolerances", str(path), "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert "stroke: nominal 0.1\n" in shown.out
    assert "worst case       0.0999 … 0.1001  (at the corners" in shown.out
    assert "rod.length    0.16 +0/-0.0001 m, normal, ± 3 σ" in shown.out
    assert "64 samples" in shown.err
    assert run_app(["tolerances", str(path), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["measures"][0]["slopes"] == pytest.approx([2.0, 0.0], abs=1e-9)
    assert table["measures"][0]["limits"] == [0.09995, None]
    assert run_app(["study", "report", str(out), "-o", str(page)]) == 0
    text = page.read_text("utf-8")
    etree.fromstring(text.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', "").replace(
        '<meta name="viewport" content="width=device-width">', ""
    ))  # fmt: skip
    for part in (
        "<h2>Tolerances</h2>",
        "<h3>stroke</h3>",
        "root sum square",
        "contributors",
        "worst case, least: 0.0999",
    ):
        assert part in text
    assert "simulator view slider_crank --set crank.length=0.0499" in re.sub("<[^>]*>", "", text)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "0.00005",
            "-0.1",
            r"study.toml:7: the tolerance of 'crank.length' must be a number above 0 or \[",
        ),
        ("[-0.0001, 0.0]", "[0.1, -0.1]", r"study.toml:8: the tolerance of 'rod.length'"),
        (
            "0.00005",
            '{ tolerance = 0.1, shape = "normal" }',
            r"study.toml:7: the tolerance of 'crank.length' has no 'shape'",
        ),
        (
            "0.00005",
            '{ tolerance = 0.1, distribution = "flat" }',
            "'distribution' must be one of normal, uniform, triangular",
        ),
        ("crank.length", "crank.lenght", r"has no parameter 'crank.lenght'; did you mean '.*crank.length'"),
        (
            "stroke = [",
            "strok = [",
            r"study.toml:12: 'strok' is not a measure; there are stroke; did you mean 'stroke'",
        ),
        ("[0.09995, inf]", "[0.2, 0.1]", r"study.toml:12: the limits of 'stroke' must be \[least, greatest\]"),
        (
            "samples = 64",
            'sampling = "saltelli"',
            r"study.toml:2: the sampling of tolerances must be sobol, latin or random",
        ),
        (
            '"slider_crank"',
            '["slider_crank", "four_bar"]',
            r"study.toml:1: an analysis of tolerances must have one document",
        ),
        ('[measures]\nstroke = "peak_to_peak(piston_joint/position)"\n[limits]', "[traces]", "traces"),
    ],
)
def test_what_tolerances_say_wrongly(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "study.toml"
    assert old in STUDY
    path.write_text(STUDY.replace(old, new, 1), "utf-8")
    with pytest.raises(UsageError, match=said):
        tolerances(path)


def test_where_nothing_can_be_measured() -> None:
    with pytest.raises(
        UsageError, match="nothing can be measured with all parameters in the middle of their tolerances"
    ):
        tolerances(crank({"rod.length": {"tolerance": [-0.15, -0.13], "distribution": "uniform"}}, samples=4))


def test_a_study_samples_within_tolerances() -> None:
    """The same file is a study, too."""
    found = simulator.study(crank({"crank.length": {"tolerance": 5e-5, "distribution": "uniform"}}, samples=32))
    assert found.parameter_names == ("crank.length",)
    assert np.abs(found["crank.length"] - R).max() <= 5e-5
    assert found["stroke"] == pytest.approx(2.0 * found["crank.length"], abs=1e-9)
