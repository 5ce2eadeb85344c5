"""What is left of a URDF with errors is drawn: each fault takes only what it spoils, and is reported once."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.model.joint import JointType
from simulator.model.world import Model

MASS = """<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
BOX = """<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>"""
ROBOT = f"""<robot name="arm">
<link name="base">{MASS}{BOX}</link>
<link name="upper">{MASS}{BOX}</link>
<link name="lower">{MASS}{BOX}</link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 2"/></joint>
<joint name="tip" type="fixed"><parent link="lower"/><child link="hand"/></joint>
<link name="hand">{MASS}{BOX}</link>
</robot>
"""


def read(tmp_path: Path, old: str, new: str, *, strict: bool = False) -> tuple[list[str], Model | None]:
    """Errors with their lines, and the robot, after a change of the text."""
    assert old in ROBOT
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.replace(old, new, 1), encoding="utf-8")
    document = read_document(path, ReadingOptions(strict=strict))
    models = document.world().models
    findings = [
        f"{item.line}: {item.message}" for item in document.diagnostics if item.is_error or "root" in item.message
    ]
    return findings, models[0] if models else None


@pytest.mark.parametrize(
    ("old", "new", "error", "drawn", "moving"),
    [
        ('link="upper"/><origin', 'link="uper"/><origin', "5: the child link 'uper'", 3, 1),
        ('parent link="upper"', 'parent link="uper"', "6: the parent link 'uper'", 3, 1),
        ('"elbow" type="continuous"', '"elbow" type="hinge"', "6: a joint of type 'hinge'", 3, 1),
        ('<origin xyz="0 0 2"/>', '<origin xyz="0 0 zwei"/>', "6: xyz of <origin>", 3, 2),
        ('<mass value="1"/>', '<mass value="heavy"/>', "2: value of <mass>", 3, 2),
        ('<mass value="1"/>', '<mass value="-1"/>', "2: the mass of link 'base' is negative", 3, 2),
        ('<link name="hand">', '<link name="">', "8: <link> has no attribute 'name'", 3, 2),
    ],
)
def test_a_fault_takes_what_it_spoils(tmp_path: Path, old: str, new: str, error: str, drawn: int, moving: int) -> None:
    findings, model = read(tmp_path, old, new)
    assert findings[0].startswith(error)
    assert model is not None
    assert len(model.links) == drawn, "the hand is a part of the lower arm, or gone"
    assert sum(joint.type is not JointType.FIXED for joint in model.joints) == moving


def test_what_follows_from_a_fault_is_not_reported(tmp_path: Path) -> None:
    findings, _model = read(tmp_path, 'parent link="upper"', 'parent link="uper"')
    assert len(findings) == 1, "not that there are two roots now"


def test_a_link_stays_where_its_wrong_joint_holds_it(tmp_path: Path) -> None:
    _findings, model = read(tmp_path, '"elbow" type="continuous"', '"elbow" type="hinge"')
    assert model is not None
    lower = next(link for link in model.links if link.name.endswith("lower"))
    upper = next(link for link in model.links if link.name.endswith("upper"))
    assert lower.X_WL.position[2] - upper.X_WL.position[2] == pytest.approx(2.0)


def test_followers_of_a_joint_that_is_left_out_follow_none(tmp_path: Path) -> None:
    follower = '<joint name="elbow" type="continuous"><mimic joint="shoulder"/>'
    path = tmp_path / "arm.urdf"
    text = ROBOT.replace('<joint name="elbow" type="continuous">', follower)
    path.write_text(text.replace('"shoulder" type="continuous"', '"shoulder" type="hinge"'), encoding="utf-8")
    document = read_document(path)
    assert [item.code for item in document.diagnostics if item.is_error] == ["PARSING_ERROR"]
    assert document.world().models


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('parent link="base"', 'parent link="hand"'),
        ('<link name="base">', '<link name="base"/><link name="base">'),
    ],
)
def test_reading_ends_whatever_is_left_out(tmp_path: Path, old: str, new: str) -> None:
    findings, _model = read(tmp_path, old, new)
    assert findings


def test_strict_reading_gives_up_as_libsdformat_does(tmp_path: Path) -> None:
    findings, model = read(tmp_path, 'parent link="upper"', 'parent link="uper"', strict=True)
    assert findings
    assert model is None


@pytest.mark.parametrize("strict", [False, True])
def test_a_part_of_another_robot_is_fixed_to_the_world(tmp_path: Path, strict: bool) -> None:
    """All links hang on one that is in the other document; libsdformat has no root then."""
    path = tmp_path / "part.urdf"
    path.write_text(ROBOT.replace(f'<link name="base">{MASS}{BOX}</link>\n', ""), encoding="utf-8")
    document = read_document(path, ReadingOptions(strict=strict))
    assert document.has_errors == strict
    if strict:
        return
    (finding,) = document.diagnostics
    assert (finding.code, finding.line) == ("ELEMENT_MISSING", 4)
    assert "'base', which does not exist" in finding.message
    (model,) = document.world().models
    assert [joint.parent_link for joint in model.joints if joint.name.endswith("shoulder")] == ["world"]
