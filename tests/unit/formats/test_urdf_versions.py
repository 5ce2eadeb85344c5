"""What URDF 1.1 and 1.2 added (urdfdom 6.0, README), beside Pinocchio, which reads URDF by urdfdom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.model.world import Document
from simulator.spatial.rotation import matrix_from_quat

MASS = (
    "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.3'/></inertial>"
)  # fmt: skip
QUATERNION = (0.1, -0.7, 0.2, 0.4)
"""Not of length 1: readers normalize it."""


def robot(
    limit: str = "<limit lower='-1' upper='1' effort='5' velocity='2'/>", turn: str = "", version: str = "1.2"
) -> str:
    return (
        f"<robot name='r' version='{version}'><link name='base'>{MASS}</link><link name='arm'>{MASS}</link>"
        f"<joint name='j' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>\n"
        f"<origin xyz='0.1 0.2 0.3' {turn}/>\n{limit}\n</joint></robot>"
    )


def read(tmp_path: Path, text: str, *, strict: bool = False) -> Document:
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return read_document(path, ReadingOptions(strict=strict))


def findings(document: Document) -> list[str]:
    return [f"{item.severity} {item.code} {item.message}" for item in document.diagnostics if item.severity != "info"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_quaternion_turns_a_joint(tmp_path: Path, *, strict: bool) -> None:
    document = read(tmp_path, robot(turn=f"quat_xyzw='{' '.join(map(str, QUATERNION))}'"), strict=strict)
    assert not findings(document)
    (joint,) = (item for item in document.root_models[0].joints if item.name.endswith("j"))
    whole = np.array(QUATERNION) / np.linalg.norm(QUATERNION)
    assert np.allclose(joint.X_WJ.rotation(), matrix_from_quat(tuple(whole)), atol=1e-15)
    assert joint.X_WJ.position == (0.1, 0.2, 0.3)


def test_the_turned_joint_is_where_urdfdom_has_it(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this system")
    text = robot(turn=f"quat_xyzw='{' '.join(map(str, QUATERNION))}'")
    (joint,) = (item for item in read(tmp_path, text).root_models[0].joints if item.name.endswith("j"))
    placement = pin.buildModelFromXML(text).jointPlacements[1]
    assert np.allclose(joint.X_WJ.rotation(), placement.rotation, atol=1e-15)
    assert np.allclose(joint.X_WJ.position, placement.translation, atol=1e-15)


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        ("rpy='0 0 1' quat_xyzw='0 0 0 1'", "has rpy and quat_xyzw"),
        ("quat_xyzw='0 0 0 0'", "has no length"),
        ("quat_xyzw='0 0 1'", "has 3 of the 4 numbers"),
    ],
)
def test_a_wrong_quaternion_is_an_error_in_its_line(tmp_path: Path, turn: str, says: str) -> None:
    document = read(tmp_path, robot(turn=turn))
    wrong = [item for item in document.diagnostics if item.is_error]
    assert says in wrong[0].message
    assert wrong[0].line == 2


@pytest.mark.parametrize("strict", [False, True])
def test_effort_and_velocity_are_optional_since_1_2(tmp_path: Path, *, strict: bool) -> None:
    document = read(tmp_path, robot("<limit lower='-1' upper='1'/>"), strict=strict)
    assert not findings(document)
    (joint,) = (item for item in document.root_models[0].joints if item.name.endswith("j"))
    assert (joint.axes[0].effort, joint.axes[0].velocity) == (np.inf, np.inf)


def test_before_they_were_not(tmp_path: Path) -> None:
    text = robot("<limit lower='-1' upper='1'/>", version="1.1")
    assert "JOINT_LIMITS_MISSING" in findings(read(tmp_path, text))[0]
    assert read(tmp_path, text, strict=True).has_errors


def test_limits_of_planners_are_a_finding(tmp_path: Path) -> None:
    limit = "<limit lower='-1' upper='1' effort='5' velocity='2' acceleration='3' jerk='9'/>"
    document = read(tmp_path, robot(limit))
    assert not findings(document)
    (found,) = (item for item in document.diagnostics if item.code == "NOT_SIMULATED")
    assert found.message.startswith("acceleration and jerk of joint 'j' are not simulated")
    assert found.line == 3
