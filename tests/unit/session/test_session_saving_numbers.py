"""Numbers are written back into the document; every other byte stays, and what it cannot say leaves it alone."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from simulator.errors import UsageError
from simulator.mechanism.varied import number_of, parameters_of
from simulator.mechanism.varied_couplings import RealNumbers
from simulator.session.open.opening import Opened, open_document
from simulator.session.save.saving_numbers import save_numbers
from tests.helpers.repository import ROOT

URDF = """<robot name="r"><!-- a remark -->
  <link name="base"/>
  <link name="a">
    <inertial><mass value = '1'/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="ja" type="revolute">
    <parent link="base"/><child link="a"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""
SDF = """<sdf version="1.11">
  <model name="m"><!-- <mass>1</mass> -->
    <link name="a"><inertial><mass> 2 <!-- kg --></mass></inertial></link>
    <link name="b">
      <pose>0 0 1 0 0 0</pose>
      <inertial>
        <mass>1</mass>
      </inertial>
    </link>
    <joint name="j" type="revolute">
      <parent>a</parent>
      <child>b</child>
      <axis>
        <xyz>1 0 0</xyz>
      </axis>
    </joint>
  </model>
</sdf>
"""


def opened(folder: Path, name: str, text: str) -> Opened:
    path = folder / name
    path.write_text(text)
    document = open_document(path)
    assert not document.has_errors
    return document


@pytest.mark.parametrize(
    ("numbers", "edits"),
    [
        ({"m::a.mass": 2.5}, [("> 2 <", "> 2.5 <")]),
        ({"m::j.damping": 0.25}, [
            ("1 0 0</xyz>", "1 0 0</xyz>\n        <dynamics><damping>0.25</damping></dynamics>")]),
        ({"m::b.com.y": -0.125}, [
            ("<mass>1</mass>\n ", "<mass>1</mass>\n        <pose>0 -0.125 0 0 0 0</pose>\n ")]),
        ({"m::j.pose.z": -0.5}, [("</axis>", "</axis>\n      <pose>0 0 -0.5 0 0 0</pose>")]),
        ({"m::b.mass": 3.0, "m::j.upper": 1.5, "m::j.damping": 0.5}, [
            ("<mass>1</mass>\n ", "<mass>3</mass>\n "),
            ("1 0 0</xyz>", "1 0 0</xyz>\n        <limit><upper>1.5</upper></limit>"
                            "\n        <dynamics><damping>0.5</damping></dynamics>")]),
    ],
)  # fmt: skip
def test_numbers_of_an_sdformat_document(
    tmp_path: Path, numbers: dict[str, float], edits: list[tuple[str, str]]
) -> None:
    document, expected = opened(tmp_path, "m.sdf", SDF), SDF
    for old, new in edits:
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    edit = save_numbers(document, numbers)
    assert document.path.read_text() == expected
    again = open_document(document.path)
    for name, value in numbers.items():
        assert number_of(again.mechanism, again.world, name) == value
    edit.take_back()
    assert document.path.read_text() == SDF


def test_numbers_of_a_urdf(tmp_path: Path) -> None:
    document = opened(tmp_path, "r.urdf", URDF)
    save_numbers(document, {"r::a.mass": 1.5, "r::ja.upper": 2.0, "r::ja.damping": 0.125, "r::a.com.x": 0.25})
    assert document.path.read_text() == URDF.replace("value = '1'", "value = '1.5'").replace(
        'upper="1"', 'upper="2"'
    ).replace('velocity="1"/>', 'velocity="1"/><dynamics damping="0.125"/>').replace(
        'iyz="0"/></inertial>', 'iyz="0"/><origin xyz="0.25 0 0"/></inertial>'
    )


PLACED = """<robot name="r">
  <link name="base"/>
  <link name="a">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="b">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="ja" type="continuous">
    <parent link="base"/><child link="a"/><origin rpy="0.1 0.2 0.3"/>
  </joint>
  <joint name="jb" type="continuous">
    <parent link="a"/><child link="b"/><origin xyz="0.02  0 0.05"  rpy = "0 0 1.5" />
  </joint>
</robot>
"""


@pytest.mark.parametrize(
    ("numbers", "old", "new"),
    [
        ({"r::jb.parent_pose.z": 0.06}, 'xyz="0.02  0 0.05"', 'xyz="0.02  0 0.06"'),
        ({"r::jb.parent_pose.yaw": 1.25}, 'rpy = "0 0 1.5"', 'rpy = "0 0 1.25"'),
        ({"r::ja.parent_pose.y": -0.5}, 'rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2 0.3" xyz="0 -0.5 0"'),
        ({"r::ja.parent_pose.x": 1.0, "r::ja.parent_pose.z": 2.0, "r::ja.parent_pose.roll": 0.5},
         'rpy="0.1 0.2 0.3"', 'rpy="0.5 0.2 0.3" xyz="1 0 2"'),
    ],
)  # fmt: skip
def test_the_origin_of_a_urdf_joint_is_its_pose_in_the_parent(
    tmp_path: Path, numbers: dict[str, float], old: str, new: str
) -> None:
    document = opened(tmp_path, "r.urdf", PLACED)
    save_numbers(document, numbers)
    assert document.path.read_text() == PLACED.replace(old, new)
    again = open_document(document.path)
    for name, value in numbers.items():
        assert number_of(again.mechanism, again.world, name) == pytest.approx(value, abs=1e-15)


MERGED = """<robot name="r">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="plate"/>
  <link name="pin"/>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
  <joint name="f" type="fixed"><parent link="a"/><child link="plate"/><origin xyz="1 0 0" rpy="0.1 0.2 0.3"/></joint>
  <joint name="g" type="fixed"><parent link="plate"/><child link="pin"/><origin xyz="0 2 0" rpy="0 0 0.7"/></joint>
  <joint name="jb" type="continuous"><parent link="pin"/><child link="b"/><origin xyz="0.02 0 0.05"/></joint>
</robot>
"""


def test_the_origin_on_a_link_that_is_a_part_of_another_is_that_in_the_link_named(tmp_path: Path) -> None:
    """Fixed joints make `plate` and `pin` parts of `a`; the numbers are those of the document."""
    document = opened(tmp_path, "r.urdf", MERGED)
    numbers = {"r::jb.parent_pose.x": 0.02, "r::jb.parent_pose.z": 0.05, "r::jb.parent_pose.yaw": 0.0}
    for name, value in numbers.items():
        assert number_of(document.mechanism, document.world, name) == pytest.approx(value, abs=1e-15)
    save_numbers(document, {"r::jb.parent_pose.z": 0.06})
    assert document.path.read_text() == MERGED.replace("0.02 0 0.05", "0.02 0 0.06")


def test_a_turn_that_the_document_writes_by_other_angles_is_written_whole(tmp_path: Path) -> None:
    """0 π 0 is π 0 π, which is what is shown."""
    text = PLACED.replace('rpy = "0 0 1.5"', 'rpy="0 3.14159265359 0"')
    document = opened(tmp_path, "r.urdf", text)
    shown = [number_of(document.mechanism, document.world, f"r::jb.parent_pose.{turn}") for turn in ("roll", "yaw")]
    assert [abs(value) for value in shown] == pytest.approx([math.pi, math.pi])
    save_numbers(document, {"r::jb.parent_pose.pitch": 0.25})
    again = open_document(document.path)
    found = [number_of(again.mechanism, again.world, f"r::jb.parent_pose.{turn}") for turn in ("roll", "pitch", "yaw")]
    assert found == pytest.approx([shown[0], 0.25, shown[1]], abs=1e-12)


def test_what_differs_is_said_where_a_document_is_not_read_as_it_is_to_be(tmp_path: Path) -> None:
    """The file has got another mass since it was read."""
    document = opened(tmp_path, "r.urdf", PLACED)
    text = PLACED.replace('<mass value="1"/>', '<mass value="3"/>', 1)
    document.path.write_text(text)
    with pytest.raises(UsageError, match="would not give this mechanism with these numbers: masses of bodies differ"):
        save_numbers(document, {"r::jb.parent_pose.z": 0.06})
    assert document.path.read_text() == text


@pytest.mark.parametrize(
    ("name", "text", "numbers", "reason"),
    [
        ("r.urdf", URDF, {"r::ja.spring_stiffness": 1.0}, "no place"),
        ("r.urdf", URDF, {"r::ja.pose.x": 0.1}, "no place .* parent_pose"),
        ("m.sdf", SDF, {"m::j.initial_position": 0.1}, "model_state"),
    ],
)
def test_what_a_document_cannot_say_leaves_it_alone(
    tmp_path: Path, name: str, text: str, numbers: dict[str, float], reason: str
) -> None:
    document = opened(tmp_path, name, text)
    with pytest.raises(UsageError, match=reason):
        save_numbers(document, numbers)
    assert document.path.read_text() == text


def test_a_model_that_is_included_twice_is_not_changed_for_one_of_them(tmp_path: Path) -> None:
    part = opened(tmp_path, "part.sdf", SDF).path
    two = "".join(f"<include><uri>part.sdf</uri><name>{name}</name></include>" for name in ("left", "right"))
    document = opened(tmp_path, "two.sdf", f'<sdf version="1.11"><world name="w">{two}</world></sdf>')
    with pytest.raises(UsageError, match="left as it was"):
        save_numbers(document, {"left::b.mass": 2.0})
    assert part.read_text() == SDF


@pytest.mark.parametrize("name", ["four_bar", "rack_and_pinion", "planetary", "stewart", "telescope"])
def test_every_number_of_an_example_is_written_and_read_back(tmp_path: Path, name: str) -> None:
    document = copied(tmp_path, name)
    body = document.mechanism.bodies[-1].links[0].name
    axis = document.mechanism.axes[0]
    numbers = {f"{body}.mass": 3.25, f"{axis.name}.damping": 0.375, f"{axis.name}.friction": 0.0625}
    save_numbers(document, numbers)
    again = open_document(document.path)
    assert {key: number_of(again.mechanism, again.world, key) for key in numbers} == numbers


def copied(folder: Path, name: str) -> Opened:
    """A world in a folder where its meshes are found, too."""
    (folder / "worlds").mkdir()
    (folder / "assets").symlink_to(ROOT / "assets")
    path = folder / "worlds" / f"{name}.sdf"
    shutil.copy(ROOT / "worlds" / path.name, path)
    return open_document(path)


def numbers_of_couplings(document: Opened) -> dict[str, float]:
    """Those that the document states, by name."""
    return {
        parameter.name: number_of(document.mechanism, document.world, parameter.name)
        for parameter in parameters_of(document.mechanism, document.world)
        if parameter.name.rpartition("::")[2].partition(".")[2] in RealNumbers.fields
    }


@pytest.mark.parametrize("name", ["worm_hoist", "belt_drive", "power_split", "backlash_arm"])
def test_every_number_of_a_real_coupling_is_written_and_read_back(tmp_path: Path, name: str) -> None:
    document = copied(tmp_path, name)
    before = document.path.read_text()
    numbers = {key: 0.875 * value if value else 0.125 for key, value in numbers_of_couplings(document).items()}
    assert numbers
    edit = save_numbers(document, numbers)
    assert numbers_of_couplings(open_document(document.path)) == numbers
    edit.take_back()
    assert document.path.read_text() == before


GEARED = """<sdf version="1.12" xmlns:simulator="urn:simulator">
  <model name="m">
    <link name="a"/>
    <link name="b"/>
    <joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="jb" type="revolute">
      <parent>world</parent>
      <child>b</child>
      <axis>
        <xyz>0 0 1</xyz>
        <mimic joint="ja">
          <multiplier>-0.5</multiplier>
          <simulator:efficiency forward="0.9"/>
          <simulator:bearing_friction speeds="0 10" forward="0.1 0.2" backward="0.3"/>
          <simulator:backlash width="0.01"/>
        </mimic>
      </axis>
    </joint>
  </model>
</sdf>
"""


@pytest.mark.parametrize(
    ("numbers", "old", "new"),
    [
        ({"m::jb.efficiency.forward": 0.75}, 'forward="0.9"/>', 'forward="0.75" backward="0.9"/>'),
        ({"m::jb.efficiency.backward": 0.5}, 'forward="0.9"/>', 'forward="0.9" backward="0.5"/>'),
        ({"m::jb.efficiency.forward": 0.75, "m::jb.efficiency.backward": 0.75}, '"0.9"', '"0.75"'),
        ({"m::jb.backlash.restitution": 0.25}, 'width="0.01"/>', 'width="0.01" restitution="0.25"/>'),
        ({"m::jb.bearing_friction.forward": 0.5}, 'forward="0.1 0.2"', 'forward="0.25 0.5"'),
        ({"m::jb.bearing_friction.backward": 0.5}, 'backward="0.3"', 'backward="0.5"'),
    ],
)
def test_what_losses_are_by_default_stays_as_it_was(
    tmp_path: Path, numbers: dict[str, float], old: str, new: str
) -> None:
    document = opened(tmp_path, "m.sdf", GEARED)
    save_numbers(document, numbers)
    assert document.path.read_text() == GEARED.replace(old, new)
    found = numbers_of_couplings(open_document(document.path))
    assert {key: found[key] for key in numbers} == numbers


MIMIC = """<robot name="r" xmlns:simulator="urn:simulator">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
  <joint name="jb" type="continuous">
    <parent link="base"/><child link="b"/>
    <mimic joint="ja" multiplier="2"><simulator:compliance stiffness="100" damping = '1'/></mimic>
  </joint>
</robot>
"""


def test_numbers_of_a_coupling_of_a_urdf(tmp_path: Path) -> None:
    document = opened(tmp_path, "r.urdf", MIMIC)
    save_numbers(document, {"r::jb.compliance.stiffness": 250.0, "r::jb.compliance.damping": 0.5})
    assert document.path.read_text() == MIMIC.replace('"100"', '"250"').replace("'1'/", "'0.5'/")


def test_a_coupling_that_changed_in_the_file_is_left_alone(tmp_path: Path) -> None:
    """The file has got another width since it was read."""
    document = opened(tmp_path, "m.sdf", GEARED)
    text = GEARED.replace('width="0.01"', 'width="0.02"')
    document.path.write_text(text)
    with pytest.raises(UsageError, match="backlash of couplings differ"):
        save_numbers(document, {"m::jb.efficiency.forward": 0.75})
    assert document.path.read_text() == text


ENGAGED = """<sdf version="1.12" xmlns:simulator="urn:simulator">
  <model name="m">
    <link name="a"/>
    <link name="b"/>
    <joint name="ja" type="revolute"><parent>world</parent><child>a</child>
      <axis>
        <xyz>0 0 1</xyz>
        <simulator:stribeck static="0.5" speed="0.1"/>
        <simulator:brake friction="0.3" radius="0.1" force="20"/>
        <simulator:bearing friction="0.15" radius="0.02"/>
      </axis>
    </joint>
    <joint name="jb" type="revolute"><parent>world</parent><child>b</child>
      <axis>
        <xyz>0 0 1</xyz>
        <mimic joint="ja"><simulator:freewheel/><simulator:clutch limit="4"/></mimic>
      </axis>
    </joint>
  </model>
</sdf>
"""


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("m::jb.clutch.limit", 6.5, 'limit="4"', 'limit="6.5"'),
        ("m::jb.clutch.peak", 1.25, 'limit="4"', 'limit="4" peak="1.25"'),
        ("m::ja.brake.force", 35.0, 'force="20"', 'force="35"'),
        ("m::ja.brake.faces", 2.0, 'force="20"', 'force="20" faces="2"'),
        ("m::ja.stribeck.static", 0.75, 'static="0.5"', 'static="0.75"'),
        ("m::ja.bearing.radius", 0.03, 'radius="0.02"', 'radius="0.03"'),
    ],
)
def test_numbers_of_clutches_and_of_dry_friction(tmp_path: Path, name: str, value: float, old: str, new: str) -> None:
    document = opened(tmp_path, "m.sdf", ENGAGED)
    save_numbers(document, {name: value})
    assert document.path.read_text() == ENGAGED.replace(old, new)
    again = open_document(document.path)
    assert number_of(again.mechanism, again.world, name) == value


def test_a_brake_of_a_urdf(tmp_path: Path) -> None:
    braked = MIMIC.replace('<child link="a"/></joint>', '<child link="a"/><simulator:brake limit="4"/></joint>')
    document = opened(tmp_path, "r.urdf", braked)
    save_numbers(document, {"r::ja.brake.limit": 5.0})
    assert document.path.read_text() == braked.replace('limit="4"', 'limit="5"')
