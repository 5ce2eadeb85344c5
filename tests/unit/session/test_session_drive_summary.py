"""What drives had to give, and impulses as findings."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from simulator.cli.app import app
from simulator.engine.effort_log import Impulse
from simulator.session.drive_summary import impulse_findings, impulse_objects
from simulator.session.opening import open_document
from tests.helpers.repository import ROOT

WORLD = ROOT / "worlds" / "slider_crank.sdf"


def test_an_impulse_is_a_finding_at_the_joint() -> None:
    mechanism = open_document(WORLD).mechanism
    (finding,) = impulse_findings(mechanism, [Impulse(0, 0.25, 1.5, 0.0, 2.0)])
    assert finding.code == "DRIVE_IMPULSE"
    assert finding.line > 0
    assert "jumps from 0 to 2 rad/s at 0.25 s: an impulse of 1.5 N·m·s" in finding.message


def test_an_impulse_names_its_drive_and_units() -> None:
    mechanism = open_document(WORLD).mechanism
    (item,) = impulse_objects(mechanism, [Impulse(0, 0.25, 1.5, 0.0, 2.0)])
    assert item["drive"] == "slider_crank::crank_joint"
    assert (item["time"], item["impulse"], item["unit"]) == (0.25, 1.5, "N·m·s")


def test_run_tells_what_drives_had_to_give_and_their_impulses() -> None:
    told = CliRunner().invoke(
        app, ["run", str(WORLD), "--duration", "0.05", "--drive", "crank_joint=velocity:6", "--json"]
    )
    summary = json.loads(told.stdout)
    drive = summary["drives"]["slider_crank::crank_joint"]
    assert set(drive) == {"peak", "rms", "mean_power", "energy"}
    assert 0.0 < drive["rms"] <= drive["peak"] < 1.0
    assert summary["impulses"][0]["velocity_after"] == 6.0
    assert "DRIVE_IMPULSE" in told.stderr
