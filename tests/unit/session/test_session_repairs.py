"""Slips in names are mended where the place is certain; every other byte of the document stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.diagnostics import Diagnostic, Severity
from simulator.errors import UsageError
from simulator.formats.options import STANDARD
from simulator.session.open.opening import open_document
from simulator.session.save.repairs import Repair, mend, repair_of

ROBOT = """<robot name="r"><!-- left_finger is left as it is -->
  <link name="base"/>
  <link name="left_finger">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right_finger">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="left_finger_joint" type="prismatic"><parent link="base"/>
    <child link = 'left_finger'/><limit lower="0" upper="1" effort="1" velocity="1"/><dynamics damping="1"/></joint>
  <joint name="right_finger_joint" type="prismatic"><parent link="base"/><child link="right_finger"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="left_finger_joint"/></joint>
</robot>
"""

SLIPS = [
    ('<mimic joint="left_finger_joint"/>', '<mimic joint="left_fingr_joint"/>'),
    ("<child link = 'left_finger'/>", "<child link = 'left_fingr'/>"),
    ('damping="1"', 'dampng="1"'),
    ('<dynamics damping="1"/>', '<dynamcs damping="1"/>'),
    ('<joint name="left_finger_joint" type="prismatic">', '<joint name="left_finger_joint" type="prismatik">'),
]


@pytest.mark.parametrize(("right", "wrong"), SLIPS)
def test_a_slip_is_found_and_mended(tmp_path: Path, right: str, wrong: str) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.replace(right, wrong))
    repairs = [repair for finding in open_document(path).diagnostics if (repair := repair_of(finding)) is not None]
    assert len(repairs) == 1
    edit = mend(repairs[0], path, STANDARD)
    assert path.read_text() == ROBOT
    edit.take_back()
    assert path.read_text() == ROBOT.replace(right, wrong)


def test_an_element_with_an_end_tag(tmp_path: Path) -> None:
    good = "<sdf version='1.11'><model name='m'><link name='a'><inertial><mass>2</mass></inertial></link></model></sdf>"
    path = tmp_path / "m.sdf"
    path.write_text(good.replace("mass>", "maas>"))
    repair = next(r for f in open_document(path).diagnostics if (r := repair_of(f)) is not None)
    mend(repair, path, STANDARD)
    assert path.read_text() == good


def finding(path: Path, message: str, hint: str) -> Diagnostic:
    return Diagnostic(Severity.ERROR, "CODE", str(path), 8, message, hint)


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("'left_finger_joint' is wrong", "links: base"),  # no guess
        ("'nothing' is wrong", "did you mean 'base'? links: base"),  # not there
        ("'1' is wrong", "did you mean '2'?"),  # in several places
        ("'right_finger_joint' is wrong", "did you mean 'left'?"),  # in a definition
    ],
)
def test_what_is_not_certain_is_not_offered(tmp_path: Path, message: str, hint: str) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    assert repair_of(finding(path, message, hint)) is None


def test_a_repair_that_makes_it_worse_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    content = path.read_bytes()
    spoilt = content.replace(b"'left_finger'", b"'nobody'", 1)
    worse = Repair(finding(path, "", ""), path, "nobody", content, spoilt)
    with pytest.raises(UsageError, match="left as it was"):
        mend(worse, path, STANDARD)
    assert path.read_bytes() == content
