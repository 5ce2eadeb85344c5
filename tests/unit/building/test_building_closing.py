"""Joints between two places: what a link has, what closes and by how much it was open, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.features import Feature, mesh_features, shape_features
from simulator.building.robot import RobotDraft
from simulator.errors import UnknownNameError, UsageError
from simulator.model.shape import Box, Cylinder, Sphere
from tests.helpers.built_mechanisms import open_chain

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = f"""<robot name="leg">
  <!-- an open chain -->
  <link name="hip"/>
  <link name="foot">{INERTIAL}</link>
  <link name="rod">{INERTIAL}</link>
  <link name="tip">{INERTIAL}</link>
  <joint name="knee" type="continuous">
    <origin xyz="0.2 0 0"/><parent link="hip"/><child link="foot"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="rod_joint" type="continuous"><parent link="hip"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="tip_joint" type="continuous">
    <origin xyz="0.12 0 0.16"/><parent link="rod"/><child link="tip"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""


def pins(m: Draft) -> tuple[Feature, Feature]:
    return m.features("coupler")["axis of bar_3"], m.features("rocker")["axis of bar_3"]


def gap_of(sim: simulator.Simulation, first: Feature, second: Feature) -> float:
    """Distance of two places across the y axis, about which all bars turn [m]."""
    x, _, z = np.subtract(*(sim.pose(item.link)[:3] @ (*item.at, 1.0) for item in (first, second)))
    return math.hypot(x, z)


def test_a_chain_is_closed_where_bars_meet_and_layers_stay() -> None:
    """Bars lie side by side along the pin: 10 mm of it are no gap."""
    m = open_chain()
    before = m.to_sdf()
    places = pins(m)
    made = m.close("pin", "revolute", *places)
    assert (made.is_loop, made.freedoms, made.gap) == (True, (3, 1), pytest.approx(0.0, abs=1e-12))
    assert "parent_pose" not in m.to_sdf()
    assert m.to_sdf().startswith(before.partition("    </model>")[0]), "what was there stays, byte for byte"
    assert gap_of(m.simulate(), *places) < 1e-10


def test_an_open_chain_closes_before_anything_moves() -> None:
    m = open_chain(0.01)
    places = pins(m)
    made = m.close("pin", "revolute", *places)
    assert made.gap == pytest.approx(0.01, rel=1e-9)
    sim = m.simulate()
    assert gap_of(sim, *places) < 1e-10
    sim.drive("a", simulator.velocity(2.0))
    sim.run(0.1)
    assert gap_of(sim, *places) < 1e-9


def test_what_cannot_reach_is_refused_with_the_distance_that_is_left() -> None:
    """The crank's pin stays 0.1 m from its pivot: nearest to the other pivot, 0.25 m away, that leaves 0.15 m."""
    m = open_chain()
    before = m.to_sdf()
    places = m.features("crank")["joint 'b'"], m.features("rocker")["joint 'd'"]
    with pytest.raises(UsageError, match=r"places are 0.2693 m apart; they miss by 0.15 m .* change a length"):
        m.close("weld", "ball", *places)
    assert m.to_sdf() == before


@pytest.mark.parametrize(
    ("kind", "first", "second", "reason"),
    [
        ("prismatic", "edge along x of bar", "edge along x of bar", "slide needs axes that are parallel"),
        ("revolute", "origin", "origin", "have no direction"),
        ("universal", "joint 'b'", "joint 'd'", "two axes that are perpendicular"),
        ("screw", "origin", "origin", "no joint between two places is 'screw'"),
    ],
)
def test_directions_that_do_not_fit_are_refused(kind: str, first: str, second: str, reason: str) -> None:
    m = open_chain()
    with pytest.raises(UsageError, match=reason):
        m.close("no", kind, m.features("coupler")[first], m.features("rocker")[second])


def test_two_places_of_one_link_and_links_that_are_not_there_are_refused() -> None:
    m = open_chain()
    first, _ = pins(m)
    with pytest.raises(UsageError, match="both places are on 'coupler'"):
        m.close("no", "ball", first, m.features("coupler")["origin"])
    with pytest.raises(UnknownNameError, match=r"Available: .*chain::crank"):
        m.features("elbow")


def test_a_loose_link_hangs_on_the_other_whichever_is_picked_first() -> None:
    m = simulator.new("two")
    m.link("base", simulator.box((0.2, 0.2, 0.1)))
    m.link("arm", simulator.box((0.1, 0.1, 0.1)), pose=(0, 0, 0.1))
    assert m.ground("base") == "ground_1"
    made = m.close("turn", "revolute", m.features("arm")["face -z"], m.features("base")["face +z"])
    assert (made.is_loop, made.freedoms) == (False, (6, 1))
    assert (m.joints["turn"].get("parent"), m.joints["turn"].get("child")) == ("base", "arm")
    with pytest.raises(UsageError, match="hangs on the ground already, by joint 'ground_1'"):
        m.ground("base")


def test_links_of_two_models_are_joined_in_the_world() -> None:
    m = open_chain()
    m.world.model("other").link("rod", simulator.bar((0.3, 0.02, 0.2), (0.5, 0.02, 0.2), width=0.02))
    made = m.close("pin", "revolute", m.features("chain::rocker")["axis of bar_3"], m.features("rod")["axis of bar_2"])
    assert not made.is_loop
    assert m.world.joints["pin"].get("child") == "other::rod"


def test_a_urdf_is_closed_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "leg.urdf"
    path.write_text(ROBOT)
    robot = simulator.edit(path)
    assert isinstance(robot, RobotDraft)
    places = robot.features("tip")["joint 'tip_joint'"], robot.features("foot")["joint 'knee'"]
    made = robot.close("pin", "revolute", *places)
    assert made.freedoms == (3, 2)
    assert made.gap == pytest.approx(math.hypot(0.08, 0.16))
    robot.save()
    assert "<!-- an open chain -->" in path.read_text()
    assert path.read_text().count("<loop ") == 1
    assert gap_of(simulator.load(path), *places) < 1e-9


def test_a_link_that_a_fixed_joint_merges_has_the_places_of_the_whole_and_its_own_origin(tmp_path: Path) -> None:
    toe = (
        '<link name="toe"/><joint name="toe_weld" type="fixed"><origin xyz="0 0 0.3" rpy="0 1.57 0"/>'
        '<parent link="foot"/><child link="toe"/></joint></robot>'
    )
    path = tmp_path / "leg.urdf"
    path.write_text(ROBOT.replace("</robot>", toe))
    robot = simulator.edit(path)
    foot, merged = robot.features("foot"), robot.features("toe")
    assert merged.keys() == foot.keys()
    assert merged["joint 'knee'"] == foot["joint 'knee'"]
    assert merged["origin"] == Feature("leg::foot", "origin", "frame", (0.0, 0.0, 0.3))
    made = robot.close("pin", "ball", robot.features("tip")["origin"], merged["origin"])
    assert made.gap == pytest.approx(math.hypot(0.08, 0.14))
    sim = robot.simulate()
    assert np.linalg.norm(sim.pose("toe")[:3, 3] - sim.pose("tip")[:3, 3]) < 1e-9


def test_faces_and_edges_inside_other_shapes_are_no_places() -> None:
    """The ends of the box of a bar are inside its round ends."""
    names = open_chain().features("crank")
    assert "face +x of bar" not in names
    assert {"face +z of bar", "top of bar_2"} <= set(names)


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [(Box((1, 2, 3)), {"face": 6, "edge": 12}), (Cylinder(1, 2), {"face": 2, "axis": 1}), (Sphere(1), {"point": 1})],
)
def test_shapes_have_their_features(shape: Box | Cylinder | Sphere, kinds: dict[str, int]) -> None:
    found = [feature.kind for feature in shape_features(shape)]
    assert {kind: found.count(kind) for kind in set(found)} == kinds


def test_a_mesh_has_its_faces_and_the_rims_of_its_holes() -> None:
    """A square plate with a hole of 24 corners: its rim is a circle around (0.1, 0.2), on both faces."""
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    hole = np.column_stack([0.1 + 0.3 * np.cos(angles), 0.2 + 0.3 * np.sin(angles)])
    square = np.column_stack([2.0 * np.cos(angles), 2.0 * np.sin(angles)])
    square *= 1.0 / np.abs(square).max(axis=1, keepdims=True)
    flat = np.concatenate([hole, square])
    n = len(angles)
    ring = [(k, (k + 1) % n) for k in range(n)]
    top = [t for a, b in ring for t in ((a, n + a, n + b), (a, n + b, b))]
    bottom = [(a + 2 * n, c + 2 * n, b + 2 * n) for a, b, c in top]
    walls = [t for a, b in ring for t in ((b, a, a + 2 * n), (b, a + 2 * n, b + 2 * n))]
    points = np.concatenate([np.column_stack([flat, np.full(2 * n, z)]) for z in (0.05, -0.05)])
    found = mesh_features(points, np.array([*top, *bottom, *walls]))
    rims = [item for item in found if item.kind == "axis"]
    faces = [item for item in found if item.kind == "face"]
    assert sorted(item.at[2] for item in rims) == pytest.approx([-0.05, 0.05])
    assert all(item.at[:2] == pytest.approx((0.1, 0.2), abs=1e-12) for item in rims)
    assert {tuple(np.round(item.direction, 9) + 0.0) for item in faces[:2]} == {(0, 0, 1), (0, 0, -1)}
