"""What drives had to give, and impulses as findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import simulator
from simulator.cli.app import app
from simulator.engine.effort_log import Impulse
from simulator.session.commands.commands import Reset, SetDrive, StepOnce
from simulator.session.commands.drive_summary import impulse_findings, impulse_objects
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

WORLD = ROOT / "worlds" / "slider_crank.sdf"
ARM = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m"><link name="bar"/>
<joint name="hinge" type="revolute"><parent>world</parent><child>bar</child><axis><xyz>0 1 0</xyz>
<limit><lower>-0.1</lower><upper>0.1</upper>{}</limit></axis></joint></model></world></sdf>"""


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


def test_the_first_row_counts(tmp_path: Path) -> None:
    """A proportional drive gives most at the start, where its error is largest: 8 N·m/rad of 0.05 rad."""
    (tmp_path / "arm.sdf").write_text(ARM.format(""), encoding="utf-8")
    arguments = ["run", str(tmp_path / "arm.sdf"), "--duration", "0.01", "--drive", "hinge=position:0.05,pid(p=8)"]
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert told["drives"]["m::hinge"]["peak"] == pytest.approx(8.0 * 0.05, abs=1e-12)


@pytest.mark.parametrize(
    ("limit", "drive", "words"),
    [
        ("<velocity>0.5</velocity>", "velocity:10", "asks for 10 rad/s, its joint allows 0.5"),
        ("<velocity>0.5</velocity>", "velocity:10,pid(p=2)", "asks for 10 rad/s, its joint allows 0.5"),
        ("<effort>2</effort>", "effort:-3", "asks for -3 N·m, its joint allows -2"),
        ("", "position:0.3", "asks for 0.3 rad, its joint allows 0.1"),
        ("<effort>2</effort>", "effort:sine(3,5)", "asks for 3 N·m, its joint allows 2"),
        ("<effort>0</effort>", "velocity:1", "has no effect: the effort limit of its joint is 0"),
        ("<effort>0</effort>", "position:0.05", "has no effect: the effort limit of its joint is 0"),
        ("<velocity>0</velocity>", "position:0.05", "has no effect: the velocity limit of its joint is 0"),
        ("<velocity>0</velocity>", "velocity:2", "has no effect: the velocity limit of its joint is 0"),
    ],
)
def test_a_drive_beyond_the_limits_of_its_joint_is_a_finding(
    limit: str, drive: str, words: str, tmp_path: Path
) -> None:
    told = run(tmp_path, limit, drive)
    assert "DRIVE_CUT" in told
    assert words in told


def test_actuators_beyond_the_limit_of_a_joint_are_a_finding(tmp_path: Path) -> None:
    """An actuator behind a reduction of 10 gives the joint ten times its effort."""
    transmission = (
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="hinge"/>'
        '<actuator name="motor"><mechanicalReduction>10</mechanicalReduction></actuator></transmission></model>'
    )
    world = ARM.format("<effort>2</effort>").replace("</model>", transmission)
    (tmp_path / "arm.sdf").write_text(world, encoding="utf-8")
    arguments = ["run", str(tmp_path / "arm.sdf"), "--duration", "0.01", "--drive"]
    told = " ".join(CliRunner().invoke(app, [*arguments, "actuator/motor=effort:0.3"]).stderr.split())
    assert "DRIVE_CUT" in told
    assert "the drives of actuators ask for 3 N·m at 'm::hinge', its joint allows 2" in told
    assert "DRIVE_CUT" not in CliRunner().invoke(app, [*arguments, "actuator/motor=effort:0.1"]).stderr
    (tmp_path / "arm.sdf").write_text(world.replace("<effort>2<", "<effort>0<"), encoding="utf-8")
    told = " ".join(CliRunner().invoke(app, [*arguments, "actuator/motor=effort:0.3"]).stderr.split())
    assert "its joint allows 0: they have no effect" in told


def test_a_drive_whose_effort_limit_is_less_than_the_friction_is_a_finding(tmp_path: Path) -> None:
    """As of a hand that is said to have 10 N m of friction in each joint and motors of 0.7 N m."""
    world = ARM.format("<effort>0.7</effort>").replace("<limit>", "<dynamics><friction>10</friction></dynamics><limit>")
    (tmp_path / "arm.sdf").write_text(world, encoding="utf-8")
    arguments = ["run", str(tmp_path / "arm.sdf"), "--duration", "0.01", "--drive"]
    told = " ".join(CliRunner().invoke(app, [*arguments, "hinge=velocity:1"]).stderr.split())
    assert "DRIVE_CUT" in told
    assert "cannot move its joint by itself: the friction there is 10 N·m, and its effort limit 0.7" in told
    (tmp_path / "arm.sdf").write_text(world.replace(">0.7<", ">11<"), encoding="utf-8")
    assert "by itself" not in CliRunner().invoke(app, [*arguments, "hinge=velocity:1"]).stderr


def test_a_drive_that_may_do_nothing_and_is_not_asked_to_is_no_finding(tmp_path: Path) -> None:
    assert "DRIVE_CUT" not in run(tmp_path, "<effort>0</effort>", "effort:0")
    assert "DRIVE_CUT" not in run(tmp_path, "<velocity>0</velocity>", "velocity:0")
    assert "DRIVE_CUT" not in run(tmp_path, "<velocity>0</velocity>", "effort:1")


def test_a_drive_without_a_limit_against_a_stop_is_a_finding(tmp_path: Path) -> None:
    assert "DRIVE_STOPPED" in run(tmp_path, "", "velocity:2")
    assert "DRIVE_STOPPED" not in run(tmp_path, "", "velocity:0.2")
    assert "DRIVE_STOPPED" not in run(tmp_path, "<effort>5</effort>", "velocity:2")


def test_json_and_scripts_have_what_a_run_showed(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(ARM.format(""), encoding="utf-8")
    arguments = ["run", str(tmp_path / "arm.sdf"), "--duration", "0.2", "--drive", "hinge=velocity:2", "--json"]
    told = json.loads(CliRunner().invoke(app, arguments).stdout)["findings"]
    assert [(finding["code"], finding["line"]) for finding in told] == [("DRIVE_IMPULSE", 2), ("DRIVE_STOPPED", 2)]
    assert "is stopped by the upper limit of 'm::hinge', 0.1 rad at 0.05 s" in told[1]["message"]
    found = simulator.load(tmp_path / "arm.sdf").run(0.2, drives={"hinge": simulator.velocity(2.0)}).findings
    assert [finding.message for finding in found] == [finding["message"] for finding in told]


def test_a_window_has_the_first_finding_of_each_kind_and_forgets_them_at_a_reset(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(ARM.format("<velocity>0.5</velocity>"), encoding="utf-8")
    drive = parse_drive("hinge=velocity:2")
    client = LocalClient(open_document(tmp_path / "arm.sdf"), SessionSettings(paused=True, drives=(drive,)))
    assert client.poll()[1].findings == ()
    client.send(StepOnce(100))
    assert [finding.code for finding in client.poll()[1].findings] == ["DRIVE_CUT"]
    client.send(StepOnce(900))
    assert [finding.code for finding in client.poll()[1].findings] == ["DRIVE_CUT", "DRIVE_STOPPED"]
    client.send(SetDrive("hinge", None))
    client.send(Reset())
    assert client.poll()[1].findings == ()
    client.close()


def run(folder: Path, limit: str, drive: str) -> str:
    """What `run` says of a bar that is driven for 0.2 s."""
    (folder / "arm.sdf").write_text(ARM.format(limit), encoding="utf-8")
    arguments = ["run", str(folder / "arm.sdf"), "--duration", "0.2", "--drive", f"hinge={drive}"]
    return " ".join(CliRunner().invoke(app, arguments).stderr.split())
