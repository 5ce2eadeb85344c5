"""`simulator analyse`, `equilibrium` and `linearise` as a user types them."""

from __future__ import annotations

import cmath
import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.cli.app import run_app
from tests.helpers.repository import ROOT
from tests.physics.four_bar_motions import Bars

MOVE = ["analyse", "four_bar", "--move", "crank_joint=0:6.283185307179586", "--points", "73", "--velocity", "6"]


def columns_of(path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_columns_are_named_as_those_of_runs(tmp_path: Path) -> None:
    """Ends are counted, the crank goes with its speed, and the point's velocity is the slope of its place (differences
    of second order)."""
    out = tmp_path / "out.csv"
    assert run_app([*MOVE, "--point", "coupler:0.2,0,0", "--csv", str(out)]) == 0
    columns = columns_of(out)
    crank = columns["joint/four_bar::crank_joint/position"]
    assert len(crank) == 73
    assert (crank[0], crank[-1]) == (0.0, 6.283185307179586)
    np.testing.assert_allclose(columns["joint/four_bar::crank_joint/velocity"], 6.0)
    np.testing.assert_allclose(
        np.gradient(columns["point/1/x"], crank)[1:-1] * 6.0, columns["point/1/vx"][1:-1], atol=2e-3
    )
    assert "reaction/four_bar::closing_joint/moment_z" in columns
    assert "transmission_angle/four_bar::closing_joint" in columns


def test_every_branch_is_a_number_in_the_first_column(tmp_path: Path) -> None:
    """Two ways to assemble a four-bar."""
    out = tmp_path / "out.csv"
    assert run_app([*MOVE, "--branch", "all", "--csv", str(out)]) == 0
    columns = columns_of(out)
    assert next(iter(columns)) == "branch"
    assert sorted(set(columns["branch"].tolist())) == [1.0, 2.0]


def test_findings_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One object on standard output."""
    assert run_app([*MOVE, "--json"]) == 0
    (branch,) = json.loads(capsys.readouterr().out)["branches"]
    assert branch["axes"]["four_bar::rocker_joint"]["time_ratio"] == pytest.approx(1.089437, abs=1e-6)
    assert branch["undetermined"]["four_bar::crank_joint"] == ["force_y", "moment_x", "moment_z"]


def test_ranges_efforts_and_forces_are_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """The same figures as JSON has, in six digits."""
    assert run_app([*MOVE, "--json"]) == 0
    (branch,) = json.loads(capsys.readouterr().out)["branches"]
    assert run_app(MOVE) == 0
    rows = {
        (heading, cells[0]): cells[1:]
        for heading, *cells in _rows_of(capsys.readouterr().out, ("axis", "effort of", "joint"))
    }
    rocker = branch["axes"]["four_bar::rocker_joint"]
    wanted = [f"{rocker[key]:.6g}" for key in ("minimum", "maximum", "stroke", "time_ratio")]
    assert rows["axis", "four_bar::rocker_joint"] == [*wanted, "rad"]
    effort = branch["channels"]["joint/four_bar::crank_joint/effort"]
    assert rows["effort of", "four_bar::crank_joint"][0] == f"{effort['peak']:.6g}"
    assert rows["effort of", "four_bar::crank_joint"][2:] == [f"{effort['rms']:.6g}", "N·m"]
    carried = branch["envelope"]["four_bar::closing_joint"]
    assert rows["joint", "four_bar::closing_joint"][:2] == [f"{carried['force']:.6g}", f"{carried['force_at']:.6g}"]


def _rows_of(text: str, headings: tuple[str, ...]) -> list[list[str]]:
    """Cells of tables, each behind the heading of its table's first column."""
    found, heading = [], ""
    for line in text.splitlines():
        cells = line.split()
        begins = [name for name in headings if line.startswith(f"{name} ")]
        if begins:
            heading = begins[0]
        else:
            found.append([heading, *cells])
    return found


def test_the_report_needs_no_network(tmp_path: Path) -> None:
    """Pictures are inside, and nothing is fetched."""
    out = tmp_path / "out.html"
    assert run_app([*MOVE, "--point", "coupler:0.2,0,0", "--report", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.count("Path of point 1") == 2
    assert "e-17" not in page, "round-off is no result"
    assert page.count("<svg") >= 6
    assert page.count("data:image/png;base64,") == 4
    assert "http://" not in page
    assert "https://" not in page


def test_the_report_says_what_it_is_of(tmp_path: Path) -> None:
    """Version, digest of the files, what differs from the document; motor and bearings; tolerances on request."""
    document = ROOT / "worlds" / "slider_crank.sdf"
    study, folder, out = tmp_path / "study.toml", tmp_path / "results", tmp_path / "out.html"
    study.write_text(
        f"""document = "{document}"
samples = 20
[positions]
moves = {{ crank_joint = [0.0, 3.0] }}
points = 7
[tolerances]
"crank.length" = 0.0001
[measures]
stroke = "peak_to_peak(piston_joint/position)"
"""
    )
    assert run_app(["tolerances", str(study), "-o", str(folder)]) == 0
    options = ["--move", "crank_joint=0:3", "--set", "piston.mass=2", "--tolerances", str(folder)]
    assert run_app(["analyse", str(document), *options, "--report", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    files = simulator.load(str(document)).files
    digest = hashlib.sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()
    for text in (f"simulator {simulator.__version__}", digest, "piston.mass", "<h2>Motor</h2>", "<h2>Bearings</h2>"):
        assert text in page
    assert "<h2>Tolerances</h2>" in page
    assert "of another state" not in page
    assert run_app(["analyse", "four_bar", "--move", "crank_joint=0:3", *options[4:], "--report", str(out)]) == 0
    assert "of another state" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("crank_joint", "write AXIS=FROM:TO"),
        ("crank=0:1", "no axis is named"),
        ("crank_joint=0:x", "is not a number"),
        ("crank_joint=1:1", "from one position to another"),
    ],
)
def test_moves_that_cannot_be_read_are_told(move: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With exit code 2."""
    assert run_app(["analyse", "four_bar", "--move", move]) == 2
    assert told in capsys.readouterr().err


def test_equilibrium_and_small_motion_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    """What holds the start is what `inverse_dynamics` says; the modes of one freedom are one."""
    assert run_app(["equilibrium", "four_bar", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["holding"]) == {"four_bar::crank_joint"}
    assert found["stable"]
    assert run_app(["linearise", "four_bar", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["A"]["values"]) == 2


CART = """<sdf version="1.10"><world name="w"><model name="m">
  <link name="cart"/>
  <link name="pole"><pose>0 0 0.5 0 0 0</pose></link>
  <joint name="slide" type="prismatic"><parent>world</parent><child>cart</child>
    <axis><xyz>1 0 0</xyz>{spring}</axis></joint>
  <joint name="hinge" type="revolute"><pose>0 0 -0.5 0 0 0</pose><parent>cart</parent><child>pole</child>
    <axis><xyz>0 1 0</xyz></axis></joint>
</model></world></sdf>"""
SPRING = "<dynamics><spring_stiffness>10</spring_stiffness></dynamics>"


@pytest.mark.parametrize(("spring", "says"), [
    ("", "no stable pose was found: nothing pulls m::slide back"),
    (SPRING, "stable pose 1"),
])  # fmt: skip
def test_why_nothing_is_stable(tmp_path: Path, capsys: pytest.CaptureFixture[str], spring: str, says: str) -> None:
    """A cart on a level slide stays wherever it is put; the pole on it hangs. With a spring both have their place."""
    path = tmp_path / "cart.sdf"
    path.write_text(CART.format(spring=spring), encoding="utf-8")
    assert run_app(["equilibrium", str(path)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert says in told
    assert ("no stable pose" in told) == (not spring)


def test_the_response_of_a_held_start_is_that_of_its_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    """C (iω - A)⁻¹ B + D of the matrices beside it; held, nothing accelerates by itself."""
    start = ["linearise", "four_bar", "--initial", "crank_joint=0.5", "--hold"]
    assert run_app([*start, "--response", "0.1:10:7", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    A, B, C, D = (np.array(found[letter]["values"]) for letter in "ABCD")
    response = found["response"]
    assert np.diff(np.log(response["frequency_hz"])) == pytest.approx(np.log(100.0) / 6.0)
    for frequency, gain, phase in zip(*(response[key] for key in ("frequency_hz", "gain", "phase_rad")), strict=True):
        wanted = C @ np.linalg.inv(2j * np.pi * frequency * np.eye(2) - A) @ B + D
        np.testing.assert_allclose(np.array(gain) * np.exp(1j * np.array(phase)), wanted, rtol=1e-9, atol=1e-12)
    assert abs(found["drift"]["four_bar::crank_joint"]) < 1e-9
    assert run_app([*start, "--response", "1:10:3"]) == 0
    assert "Hz, effort on crank_joint" in capsys.readouterr().out
    assert run_app([*start, "--response", "10:1"]) == 2


def test_reactions_are_columns_of_a_run(tmp_path: Path) -> None:
    """Of every joint, behind the other channels: a driven crank's moment about its axis is its drive's effort."""
    out = tmp_path / "run.csv"
    drive = ["--drive", "crank_joint=velocity:6"]
    assert run_app(["run", "four_bar", "--duration", "0.02", *drive, "--reactions", "--csv", str(out)]) == 0
    columns = columns_of(out)
    moment, effort = columns["reaction/four_bar::crank_joint/moment_y"], columns["joint/four_bar::crank_joint/effort"]
    np.testing.assert_allclose(moment[1:], -effort[1:], atol=1e-12)


def test_forces_are_typed_as_for_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A moment on the crank about its own axis, 0 -1 0, changes its holding effort by as much, everywhere; and
    equilibrium knows it."""
    found = {}
    for name, extra in {"bare": [], "loaded": ["--force", "crank=0,0,0,0,0.2,0"]}.items():
        out = tmp_path / f"{name}.csv"
        assert run_app([*MOVE, "--csv", str(out), *extra]) == 0
        found[name] = columns_of(out)["joint/four_bar::crank_joint/effort"]
        capsys.readouterr()
        assert run_app(["equilibrium", "four_bar", "--json", *extra]) == 0
        found[f"{name} at rest"] = json.loads(capsys.readouterr().out)["holding"]["four_bar::crank_joint"]
    np.testing.assert_allclose(found["loaded"] - found["bare"], 0.2, atol=1e-12)
    assert found["loaded at rest"] - found["bare at rest"] == pytest.approx(0.2, abs=1e-12)
    assert run_app(["linearise", "four_bar", "--force", "crnk=0,0,1"]) == 2
    assert "no link is named" in capsys.readouterr().err


def test_an_end_is_told_with_its_cause(capsys: pytest.CaptureFixture[str]) -> None:
    """The rocker turns round at its dead point. An end is a finding: the exit code is 0."""
    assert run_app(["analyse", "four_bar", "--move", "rocker_joint=0:1", "--points", "41", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)["branches"][0]
    assert found["reached"] < found["points"]
    assert found["ended"] == {"driver": found["dead_point"], "cause": "dead point"}
    assert "cannot move beyond 0.671687" in err


def test_change_points_and_values_that_have_no_limit_there_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A parallelogram from 60 degrees on: points in whole degrees fall on where its bars are in line."""
    tip = 0.2 * cmath.exp(1j * np.pi / 3.0)
    file, out = tmp_path / "bars.sdf", tmp_path / "out.csv"
    file.write_text(Bars(0.2, 0.4, 0.2, 0.4).document(tip, tip + 0.4), encoding="utf-8")
    move = ["analyse", str(file), "--move", "j1=0:6.283185307179586", "--csv", str(out), "--json"]
    assert run_app([*move, "--report", str(tmp_path / "out.html")]) == 0
    told, err = capsys.readouterr()
    found = json.loads(told)["branches"][0]
    assert (found["reached"], found["ended"]) == (361, None)
    wanted = [np.radians(120.0), np.radians(300.0)]
    assert found["change_points"] == pytest.approx(wanted, abs=1e-11)
    assert found["unbounded"] == pytest.approx(wanted)
    columns = columns_of(out)
    assert np.flatnonzero(np.isnan(columns["reaction/m::j1/force_x"])).tolist() == [120, 300]
    assert err.count("change point at") == err.count("grow without bound") == 2
