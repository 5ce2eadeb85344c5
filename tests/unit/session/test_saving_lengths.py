"""Lengths of links are saved: the document that is read again is the mechanism with them."""

from __future__ import annotations

import difflib
import math
import re
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import UsageError
from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.types import Mechanism
from simulator.mechanism.varied import number_of, varied
from simulator.session.look.scene_of import scene_of
from simulator.session.open.opening import Opened, open_document
from simulator.session.save.saving_numbers import save_numbers
from tests.helpers.repository import ROOT

GROUND, CRANK = 0.4, 0.1
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper">{inertial}</link>
  <link name="lower">{inertial}</link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0.4"/><axis xyz="0 1 0"/>
  </joint>
</robot>
""".replace("{inertial}", INERTIAL)


def four_bar(folder: Path, before: str = "", after: str = "") -> Opened:
    text = (ROOT / "worlds" / "four_bar.sdf").read_text()
    assert before in text
    path = folder / "four_bar.sdf"
    path.write_text(text.replace(before, after))
    return open_document(path)


def places_at(mechanism: Mechanism, crank: float) -> dict[str, np.ndarray]:
    """Poses of all links with the crank at a position."""
    kinematics = Kinematics(mechanism)
    axis = next(i for i, info in enumerate(mechanism.axes) if info.name.endswith("crank_joint"))
    matrices = kinematics.body_matrices(assemble(kinematics, rest_state(mechanism), {axis: crank}).state)
    return {name: matrices[body] @ X_BL.matrix() for name, (body, X_BL) in mechanism.placed_links().items()}


@pytest.mark.parametrize(("coupler", "rocker"), [(0.35, 0.33), (0.4, 0.3), (0.38, 0.27)])
def test_the_links_start_where_the_law_of_cosines_puts_them(tmp_path: Path, coupler: float, rocker: float) -> None:
    """The crank stays at 60 degrees; the loop is closed by the two circles about its pin and the rocker's. The
    tolerance is that of closing a loop by Newton's method, 1e-12 m, over the height of a triangle of 0.2 m."""
    opened = four_bar(tmp_path)
    save_numbers(opened, {"four_bar::coupler.length": coupler, "four_bar::rocker.length": rocker})
    again = open_document(opened.path)
    assert not again.has_errors
    for name, length in (("coupler", coupler), ("rocker", rocker), ("crank", CRANK), ("ground", GROUND)):
        assert number_of(again.mechanism, again.world, f"four_bar::{name}.length") == pytest.approx(length, abs=1e-12)
    pin = CRANK * np.array([math.cos(math.pi / 3), math.sin(math.pi / 3)])
    x, z = pin - (GROUND, 0.0)
    apart = math.hypot(x, z)
    inner = math.acos((apart**2 + rocker**2 - coupler**2) / (2.0 * apart * rocker))
    link = next(link for model in again.world.models for link in model.links if link.name == "four_bar::rocker")
    along = link.X_WL.rotate((1.0, 0.0, 0.0))
    angle = math.atan2(z, x) - inner
    assert (along[0], along[2]) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-11)


@pytest.mark.parametrize("name", ["ground", "crank", "coupler", "rocker"])
def test_it_moves_as_the_mechanism_with_that_length(tmp_path: Path, name: str) -> None:
    """The crank's position counts from the same place in both, so all links are where they were asked to be. Newton's
    method closes the loop to 1e-12 m."""
    opened = four_bar(tmp_path)
    numbers = {f"four_bar::{name}.length": 1.1 * number_of(opened.mechanism, opened.world, f"four_bar::{name}.length")}
    wanted = varied(opened.mechanism, opened.world, numbers)
    save_numbers(opened, numbers)
    again = open_document(opened.path).mechanism
    for crank in (0.0, 0.5, 2.0):
        one, other = places_at(wanted, crank), places_at(again, crank)
        for link in one:
            np.testing.assert_allclose(one[link], other[link], atol=1e-10)


def test_poses_and_the_bar_are_written_and_can_be_taken_back(tmp_path: Path) -> None:
    opened = four_bar(tmp_path)
    before = opened.path.read_text()
    edit = save_numbers(opened, {"four_bar::coupler.length": 0.4})
    after = opened.path.read_text()
    added = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line.startswith("+")]
    tags = re.findall(r"<(simulator:bar|pose|sdf)\b", "".join(added))
    assert sorted(tags) == ["pose", "pose", "sdf", "simulator:bar"]
    assert len(added) == 4
    edit.take_back()
    assert opened.path.read_text() == before


def test_a_limit_that_would_count_from_elsewhere_is_named(tmp_path: Path) -> None:
    """One of both axes stays where it is, the other cannot."""
    axis = "<xyz>0 -1 0</xyz>"
    opened = four_bar(tmp_path, axis, f"{axis}<limit><lower>-1</lower><upper>1</upper></limit>")
    before = opened.path.read_text()
    with pytest.raises(UsageError, match=r"_joint' starts elsewhere, and its limits"):
        save_numbers(opened, {"four_bar::coupler.length": 0.4})
    assert opened.path.read_text() == before


@pytest.mark.parametrize("name", ["arm.urdf", "arm.URDF", "arm.xml"])
def test_a_length_of_a_urdf_is_the_origin_of_its_joint(tmp_path: Path, name: str) -> None:
    """A URDF is one by its root element, as readers see it: exporters of CAD programs write .URDF."""
    path = tmp_path / name
    path.write_text(ARM)
    opened = open_document(path)
    save_numbers(opened, {"arm::upper.length": 1.0})
    assert path.read_text() == ARM.replace("0.3 0 0.4", "0.6 0 0.8")  # nothing is drawn of it


@pytest.mark.parametrize("is_urdf", [False, True])
def test_visuals_end_at_the_saved_joints(tmp_path: Path, is_urdf: bool) -> None:
    """The mesh of the rocker and the box of the arm end 15 and 20 mm beyond both joints; vertices are in single
    precision."""
    if is_urdf:
        shape = '<visual><origin xyz="0.25 0 0"/><geometry><box size="0.54 0.02 0.02"/></geometry></visual>'
        path = tmp_path / "arm.urdf"
        path.write_text(ARM.replace("0.3 0 0.4", "0.5 0 0").replace('"upper">', f'"upper">{shape}'))
        link, beyond, lengths = "arm::upper", 0.02, (0.7, 0.4, 0.5)
    else:
        path = four_bar(tmp_path, "../assets", str(ROOT / "assets")).path
        link, beyond, lengths = "four_bar::rocker", 0.015, (0.33, 0.27, 0.3)
    for length in lengths:  # the second one says no more about the bar, the last one is that of the shapes
        save_numbers(open_document(path), {f"{link}.length": length})
        again = open_document(path)
        assert not again.has_errors
        scene = scene_of(again)
        drawn = next(item for item in scene.drawables if scene.links[item.link] == link)
        x = scene.surfaces[drawn.surface].positions @ drawn.matrix[:3, :3].T[:, 0] + drawn.matrix[0, 3]
        assert (x.min(), x.max()) == pytest.approx((-beyond, length + beyond), abs=1e-6)
    assert path.read_text().count("<simulator:bar>") == 1


def test_a_bar_without_a_length_is_reported(tmp_path: Path) -> None:
    opened = four_bar(
        tmp_path, '<link name="rocker">', '<link name="rocker"><simulator:bar>1 0 0 1 0 0</simulator:bar>'
    )
    (finding,) = (item for item in opened.diagnostics if item.code == "ELEMENT_INVALID")
    assert "both ends in one place" in finding.message


def test_a_joint_in_one_of_its_links_only_is_saved_likewise(tmp_path: Path) -> None:
    """`child_pose` moves the rocker's end of the coupler's pin along the rocker, as its length does."""
    opened = four_bar(tmp_path)
    lengths = varied(opened.mechanism, opened.world, {"four_bar::rocker.length": 0.33})
    save_numbers(opened, {"four_bar::closing_joint.child_pose.x": 0.33})
    again = open_document(opened.path).mechanism
    one, other = places_at(lengths, 0.3), places_at(again, 0.3)
    assert all(np.allclose(one[link], other[link], atol=1e-10) for link in one)
    assert again.loop_joints[0].X_CJ.position[0] == pytest.approx(0.33)
