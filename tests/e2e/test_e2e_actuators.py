"""What the command tells of actuators: the laws of a document's transmissions, and the lines of what is wrong with
them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.helpers.command import called
from tests.helpers.repository import ROOT

DOCUMENTS = ROOT / "tests" / "conformance" / "documents"


def test_describe_tells_the_law_of_every_motor() -> None:
    done = called("describe", "belt_arm")
    assert done.returncode == 0, done.stderr
    assert "shoulder_joint" in done.stdout
    assert "position -0.7 … 1.2, effort -200 … 200" in done.stdout
    assert "belt_pulley_joint (mimic)" in done.stdout
    assert "mimic in arm_hardware: belt_pulley_joint = 2·elbow_joint" in done.stdout
    assert "belts (FourBarLinkageTransmission)" in done.stdout
    assert "50·shoulder_joint + 47.9966" in done.stdout
    assert "20·shoulder_joint + 40·elbow_joint − 47.1239" in done.stdout
    assert (
        "reflected inertia of the rotors: belt_arm::shoulder_joint 0.022, "
        "between belt_arm::shoulder_joint and belt_arm::elbow_joint 0.004, belt_arm::elbow_joint 0.008"
    ) in done.stdout


def test_described_as_data_it_is_the_hardware_info_and_the_map() -> None:
    (line,) = called("describe", "--json", "wrist").stdout.splitlines()
    told = json.loads(line)
    (model,) = told["worlds"][0]["models"]
    (hardware,) = model["hardware"]
    assert (hardware["name"], hardware["type"]) == ("wrist_hardware", "system")
    assert [joint["name"] for joint in hardware["joints"]][:2] == ["pitch_joint", "roll_joint"]
    assert hardware["mimic_joints"] == [
        {"joint_index": 2, "mimicked_joint_index": 1, "multiplier": -1.0, "offset": 0.0},
        {"joint_index": 3, "mimicked_joint_index": 1, "multiplier": 1.0, "offset": 0.0},
    ]
    (bound,) = told["mechanism"]["transmissions"]
    assert bound["actuators"] == ["wrist::right_motor", "wrist::left_motor"]
    assert bound["axes"] == ["wrist::pitch_joint", "wrist::roll_joint"]
    assert bound["matrix"] == [[24.0, 24.0], [24.0, -24.0]]
    assert told["mechanism"]["actuators"][1] == {
        "name": "wrist::left_motor",
        "transmission": "wrist::differential",
        "terms": {"wrist::pitch_joint": 24.0, "wrist::roll_joint": -24.0},
        "constant": 0.0,
        "rotor_inertia": 2e-6,
    }
    assert told["mechanism"]["reflected_inertia"]["values"][0] == pytest.approx([0.002304, 0.0], abs=1e-15)
    assert told["mechanism"]["actuator_diagnostics"] == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("ros2_control_mimic_commanded", ":14: error[ROS2_CONTROL_MIMIC_COMMANDED]: joint 'left' follows 'right'"),
        ("ros2_control_mimic_missing", ":11: error[ROS2_CONTROL_MIMIC_MISSING]: joint 'right' is marked mimic='true'"),
        ("ros2_control_mimic_leader_missing", ":11: error[ROS2_CONTROL_MIMIC_LEADER_MISSING]: joint 'left' follows"),
        ("ros2_control_joint_unknown", ":12: error[ROS2_CONTROL_JOINT_UNKNOWN]: joint 'lefd' of <ros2_control>"),
        ("ros2_control_joint_fixed", ":12: error[ROS2_CONTROL_JOINT_FIXED]: joint 'stand' of <ros2_control> is fixed"),
        ("transmission_reduction_zero", ":16: error[TRANSMISSION_REDUCTION_INVALID]: the reduction of joint 'right'"),
    ],
)
def test_a_bad_document_names_its_line(name: str, found: str) -> None:
    done = called("check", f"{DOCUMENTS / name}.urdf")
    assert done.returncode == 1
    assert f"{name}.urdf{found}" in done.stderr


def test_a_transmission_that_nobody_knows_is_refused_before_anything_runs(tmp_path: Path) -> None:
    text = (DOCUMENTS / "transmission.urdf").read_text(encoding="utf-8")
    file = tmp_path / "robot.urdf"
    file.write_text(text.replace("transmission_interface/Differential", "my_robot/Cycloidal"), encoding="utf-8")
    done = called("run", str(file), "--duration", "1")
    assert done.returncode == 1
    assert "error[TRANSMISSION_PLUGIN_UNKNOWN]" in done.stderr
    assert "Available: transmission_interface/DifferentialTransmission" in done.stderr


def test_actuators_and_axes_are_driven_over_time(tmp_path: Path) -> None:
    """A ramp of a motor, a CSV of a joint with a loop of its own; columns of actuators stand behind all others."""
    (tmp_path / "motion.csv").write_text("time,pitch\n0,0\n0.2,0.02\n5,0.02\n", encoding="utf-8")
    drives = (f"pitch_joint=position:@{tmp_path / 'motion.csv'}#pitch", "actuator/right_motor=effort:sine(0.002,5)")
    out = tmp_path / "out.csv"
    options = [part for drive in drives for part in ("--drive", drive)]
    done = called("run", "wrist", "--duration", "0.4", "--csv", out, *options)
    assert done.returncode == 0, done.stderr
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[-6:] == [
        f"actuator/wrist::{side}_motor/{what}"
        for side in ("right", "left")
        for what in ("position", "velocity", "effort")
    ]
    assert list(rows[0])[-7] == "energy/overlap"
    assert float(rows[100]["joint/wrist::pitch_joint/position"]) == pytest.approx(0.01, abs=1e-4)
    assert float(rows[-1]["joint/wrist::pitch_joint/position"]) == pytest.approx(0.02, abs=1e-6)
    assert float(rows[50]["actuator/wrist::right_motor/effort"]) == pytest.approx(0.002, abs=1e-9)
    right = 24.0 * sum(float(rows[-1][f"joint/wrist::{name}_joint/position"]) for name in ("pitch", "roll"))
    assert float(rows[-1]["actuator/wrist::right_motor/position"]) == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize(
    ("drive", "says"),
    [
        ("actuator/up=velocity:1", "no actuator is named 'up'. Available: wrist::left_motor, wrist::right_motor"),
        ("actuator/left_motor=velocity:sine(1)", "lacks frequency"),
        ("pitch_joint=position:@nowhere.csv", "there is no file 'nowhere.csv'"),
        (
            "right_gear_joint=effort:1",
            "wrist::right_gear_joint = wrist::roll_joint; drive 'wrist::roll_joint' instead",
        ),
    ],
)
def test_drives_that_cannot_be_are_wrong_usage(drive: str, says: str) -> None:
    done = called("run", "wrist", "--duration", "0.01", "--drive", drive)
    assert done.returncode == 2
    assert says in done.stderr


def test_gear_says_that_it_leaves_out_rotors() -> None:
    done = called("compare", "wrist", "--duration", "0.01", "--drive", "actuator/left_motor=velocity:1")
    assert done.returncode == 0, done.stderr
    assert "strategy gear leaves out the inertia of rotors" in done.stderr
