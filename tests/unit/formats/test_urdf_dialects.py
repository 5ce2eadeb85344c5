"""Loops in the ways of other programs: each robot moves as the one whose loop is written as `<loop>` (URDF+), which is
compared with closed forms elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.condition.condition import condition_of
from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from tests.helpers.urdf_plus import fixed, hinge, link, loop, robot

Write = Callable[..., Path]
CODES = ("LOOP_READ", "LOOP_INVALID", "LOOP_NOT_READ", "LOOP_OPEN", "LOOP_CLOSED")
TREE = (
    '<link name="world"/>',
    *(link(name) for name in ("crank", "coupler", "rocker")),
    hinge("crank_joint", "world", "crank", rpy="0 -1 0", axis="0 1 0"),
    hinge("coupler_joint", "crank", "coupler", at="0.1 0 0", rpy="0 0.4 0", axis="0 1 0"),
    hinge("rocker_joint", "world", "rocker", at="0.4 0 0", rpy="0 -1.7 0", axis="0 1 0"),
)
"""Crank 0.1 m, coupler 0.35, rocker 0.3 on a ground of 0.4, upright; open at position zero."""
TIPS = (
    '<link name="tip_a"/>', '<link name="tip_b"/>',
    fixed("to_a", "coupler", "tip_a", at="0.35 0 0"), fixed("to_b", "rocker", "tip_b", at="0.3 0 0"),
)  # fmt: skip
"""Frames at the ends of coupler and rocker."""
BALL = loop("closing", ("coupler", "0.35 0 0"), ("rocker", "0.3 0 0"), kind="ball")
PIN = loop("closing", ("coupler", "0.35 0 0"), ("rocker", "0.3 0 0"), axis="0 1 0")
ISAAC = (
    '<loop_joint name="closing" type="{kind}"><link1 link="coupler" xyz="0.35 0 0" rpy="0 0 0"/>'
    '<{second} link="rocker" xyz="0.3 0 0" rpy="0 0 0"/>{axis}</loop_joint>'
)
LIKE_A_JOINT = (
    '<loop_joint name="closing" type="revolute"><parent link="coupler"/><child link="rocker"/>'
    '<parent_origin xyz="0.35 0 0"/><child_origin xyz="0.3 0 0"/><axis xyz="0 1 0" frame="parent"/></loop_joint>'
)
CONSTRAINT = (
    '<constraint name="closing" type="{kind}_joint"><parent link="coupler"/><parent_origin xyz="0.35 0 0"/>{first}'
    '<child link="rocker"/><child_origin xyz="0.3 0 0"/>{second}</constraint>'
)
BOTH = {"first": '<parent_axis xyz="0 1 0"/>', "second": '<child_axis xyz="0 2 0"/>'}
DRAKE = (
    '<drake:ball_constraint xmlns:drake="http://drake.mit.edu"><drake:ball_constraint_body_A name="coupler"/>'
    '<drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_AP value="0.35 0 0"/>'
    '<drake:ball_constraint_p_BQ value="0.3 0 0"/></drake:ball_constraint>'
)


def moved(path: Path) -> np.ndarray:
    """Where the tree's joints are 0.2 s after they were let go, turning."""
    sim = simulator.load(path)
    sim.set({"crank_joint": 0.1})
    sim.run(0.2)
    state = sim.sample
    return np.array([state[f"{name}_joint/position"] for name in ("crank", "coupler", "rocker")])


@pytest.mark.parametrize(
    ("text", "like"),
    [
        (ISAAC.format(kind="spherical", second="link2", axis=""), BALL),
        (ISAAC.format(kind="spherical", second="link1", axis=""), BALL),
        (ISAAC.format(kind="continuous", second="link2", axis='<axis xyz="0 1 0"/>'), PIN),
        (LIKE_A_JOINT, PIN),
        (CONSTRAINT.format(kind="spherical", first="", second=""), BALL),
        (CONSTRAINT.format(kind="revolute", **BOTH), PIN),
        (DRAKE, BALL),
    ],
    ids=["isaac", "isaac's manual", "drake's old", "fusion", "constraint ball", "constraint pin", "drake"],
)
def test_a_loop_of_another_program_moves_like_ours(text: str, like: str, write_document: Write) -> None:
    ours = moved(write_document(robot(*TREE, like), "ours.urdf"))
    assert abs(ours[0]) > 0.05
    np.testing.assert_allclose(moved(write_document(robot(*TREE, text), "r.urdf")), ours, atol=1e-9)


@pytest.mark.parametrize(
    ("said", "like"),
    [
        ("closed_loop: [[tip_a, tip_b]]\ntype: [3d]\nname_mot: [crank_joint]\n", BALL),
        ("closed_loop:\n  - ['to_a', to_b]  # joints have frames, too\ntype:\n  - 3D\n", BALL),
        ("closed_loop: [[tip_a, tip_b]]\ntype: [6d]\njoint_name: []\n", PIN),
    ],
    ids=["3d", "block style, joints", "6d"],
)
def test_loops_of_a_file_beside_a_robot_are_read(said: str, like: str, write_document: Write) -> None:
    """6d holds the frames of the tips on each other: here they hang on the rocker by a hinge."""
    weld = "6d" in said
    hung = hinge("to_b", "rocker", "tip_b", at="0.3 0 0", axis="0 1 0")
    tips = (TIPS[0], link("tip_b"), TIPS[2], hung) if weld else TIPS
    write_document(said, "robot.yaml")
    path = write_document(robot(*TREE, *tips), "robot.urdf")
    sim = simulator.load(path)
    (closing,) = sim.mechanism.loop_joints
    assert (closing.rows, sim.mechanism.mobility.count) == ((6, 1) if weld else (3, 1))
    if not weld:
        ours = moved(write_document(robot(*TREE, like), "elsewhere/ours.urdf"))
        np.testing.assert_allclose(moved(path), ours, atol=1e-9)


def test_frames_that_onshape_to_robot_closes_are_held(write_document: Write) -> None:
    named = [text.replace("tip_a", "closing_pin_1").replace("tip_b", "closing_pin_2") for text in TIPS]
    ours = moved(write_document(robot(*TREE, BALL), "ours.urdf"))
    np.testing.assert_allclose(moved(write_document(robot(*TREE, *named), "r.urdf")), ours, atol=1e-9)


def test_types_of_joints_beside_a_robot(write_document: Write) -> None:
    """SPHERICAL and UJOINT_XY take the place of hinges, whose axes are no longer read; what is unknown is said."""
    said = (
        "closed_loop: []\ntype: []\njoint_name: [ball_joint, cross, stiff, odd, none]\n"
        "joint_type: [SPHERICAL, UJOINT_XZ, FIXED, UJOINT_QQ, SPHERICAL]\n"
    )
    write_document(said, "robot.yaml")
    names = ("ball_joint", "cross", "stiff", "odd")
    links = [link(f"of_{name}") for name in names]
    joints = [hinge(name, "world", f"of_{name}", axis="0 1 0") for name in names]
    path = write_document(robot('<link name="world"/>', *links, *joints), "robot.urdf")
    mechanism = simulator.load(path).mechanism
    kinds = {joint.name.rpartition("::")[2]: joint.kind.value for joint in mechanism.joints}
    assert kinds["ball_joint"] == "ball"
    assert kinds["cross"] == "chain"
    assert "stiff" not in kinds
    axes = [axis.axis.xyz_world for axis in mechanism.axes if axis.joint.endswith("cross")]
    np.testing.assert_allclose(axes, [[1, 0, 0], [0, 0, 1]], atol=1e-12)
    told = [item for item in read_document(path).diagnostics if item.code == "LOOP_INVALID"]
    assert [(item.line, "'odd'" in item.message or "'none'" in item.message) for item in told] == [(1, True), (1, True)]


def test_a_model_that_is_attached_to_itself_is_welded_where_it_starts(write_document: Write) -> None:
    """In URDF and SDFormat alike; bodies that are attached to other models are left to them."""
    plugin = (
        '<plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint">'
        "<parent_link>a</parent_link><child_model>{of}</child_model><child_link>b</child_link></plugin>"
    )
    tree = (
        '<link name="world"/>', link("a"), link("b"),
        hinge("p", "world", "a"), hinge("q", "world", "b", at="0.3 0 0", rpy="0 0 0.5"),
    )  # fmt: skip
    urdf = write_document(robot(*tree, f"<gazebo>{plugin.format(of='r')}</gazebo>"), "r.urdf")
    sdf = urdf.with_name("r.sdf")
    plain = write_document(robot(*tree), "plain.urdf")
    sdf.write_text(
        '<sdf version="1.12"><model name="r"><link name="a"/><link name="b"><pose>0.3 0 0 0 0 0.5</pose></link>'
        '<joint name="p" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>'
        '<joint name="q" type="revolute"><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
        f"{plugin.format(of='__model__')}</model></sdf>",
        encoding="utf-8",
    )
    assert simulator.load(plain).mechanism.mobility.count == 2
    for path in (urdf, sdf):
        mechanism = simulator.load(path).mechanism
        assert len(mechanism.loop_joints) == 1
        assert (len(mechanism.axes), condition_of(mechanism).rank) == (2, 0)
        assert not [item for item in read_document(path).diagnostics if item.code == "NOT_SIMULATED"]


def test_a_universal_constraint_has_an_axis_in_each_link(write_document: Write) -> None:
    """Shafts under 30° by a Hooke's joint: tan(out) = tan(in) / cos 30° (Hunt, Kinematic Geometry of Mechanisms)."""
    bend = math.radians(30.0)
    text = robot(
        '<link name="world"/>', link("one"), link("other"),
        hinge("in", "world", "one"), hinge("out", "world", "other", rpy=f"{bend} 0 0"),
        '<constraint name="cross" type="universal_joint"><parent link="one"/><parent_origin xyz="0 0 0"/>'
        '<parent_axis xyz="1 0 0"/><child link="other"/><child_origin xyz="0 0 0"/><child_axis xyz="0 1 0"/>'
        "</constraint>",
    )  # fmt: skip
    sim = simulator.load(write_document(text, "r.urdf"))
    assert [motion.direction for motion in sim.mechanism.loop_joints[0].motions]
    for turn in (0.2, 0.7, 1.2):
        sim.set({"in": turn})
        out = sim.sample["out/position"]
        assert math.tan(turn) == pytest.approx(math.tan(out) * math.cos(bend), abs=1e-9) or math.tan(
            out
        ) == pytest.approx(math.tan(turn) * math.cos(bend), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ISAAC.format(kind="wobbly", second="link2", axis=""), "of type 'wobbly'"),
        ('<loop_joint name="l" type="spherical"><link1 link="crank"/></loop_joint>', "needs <link1"),
        (CONSTRAINT.format(kind="revolute", first="", second=""), "needs <parent_axis"),
        (CONSTRAINT.format(kind="spherical", first="", second="").replace("rocker", "rokcer"), "'rokcer'"),
    ],
)
def test_a_wrong_loop_is_an_error_with_its_line(text: str, message: str, write_document: Write) -> None:
    found = read_document(write_document(robot(*TREE, text), "r.urdf")).diagnostics
    (error,) = [item for item in found if item.is_error and item.code != "FILE_READ"]
    assert message in error.message
    assert error.line == 9


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("closed_loop: [[tip_a, tip_x]]\n", "tip_x"),
        ("closed_loop: [tip_a]\n", "no pair"),
        ("closed_loop: [[a, b]\n", "not YAML"),
        ("built: 2001-99-99\n", "not YAML"),
        ("closed_loop: " + 3000 * "[", "not YAML"),
    ],
)
def test_a_wrong_file_beside_a_robot_is_a_warning(said: str, message: str, write_document: Write) -> None:
    write_document(said, "robot.yaml")
    found = read_document(write_document(robot(*TREE, *TIPS), "robot.urdf")).diagnostics
    told = [item for item in found if item.code == "LOOP_INVALID"]
    assert [message in item.message and item.file.endswith("robot.yaml") for item in told] == [True]
    assert "more like it" not in told[0].message


def test_by_the_letter_they_are_not_read_which_is_said(write_document: Write) -> None:
    write_document("closed_loop: [[tip_a, tip_b]]\n", "robot.yaml")
    path = write_document(robot(*TREE, *TIPS, DRAKE), "robot.urdf")
    found = read_document(path, ReadingOptions(strict=True)).diagnostics
    assert [item.code for item in found if item.code in CODES] == ["LOOP_NOT_READ", "LOOP_NOT_READ"]


@pytest.mark.parametrize(
    ("leaders", "law"),
    [(("a",), lambda a, b: 0.5 * math.sin(a) ** 2), (("a", "b"), lambda a, b: 0.5 * math.sin(a) ** 2 - 1.5 * b)],
)
def test_a_relationship_proposed_for_urdf_is_a_law(
    leaders: tuple[str, ...], law: Callable[[float, float], float], write_document: Write
) -> None:
    """ros/urdfdom#132, with the misspelt element of the proposal."""
    names = "".join(f"<joint_to_mimic>{name}</joint_to_mimic>" for name in leaders)
    text = "0.5 * sin(j_0)^2" + (" - 1.5 * j_1" if len(leaders) > 1 else "")
    mimic = f'<mimic><joints_to_mimic>{names}</joints_to_mimic><mimc_relationship>"{text}"</mimc_relationship></mimic>'
    joints = [hinge(name, "world", f"link_{name}", axis="0 1 0") for name in "abc"]
    joints[2] = joints[2].replace("</joint>", f"{mimic}</joint>")
    path = write_document(robot('<link name="world"/>', *(link(f"link_{name}") for name in "abc"), *joints), ".urdf")
    assert [item.code for item in read_document(path).diagnostics if item.code in CODES] == ["LOOP_READ"]
    sim = simulator.load(path)
    sim.set(a=0.4, b=-0.3)
    assert sim.positions["c"] == pytest.approx(law(0.4, -0.3), abs=1e-12)


def test_what_ties_links_in_drake_alone_is_a_warning(write_document: Write) -> None:
    ties = ("linear_bushing_rpy", "tendon_constraint", "distance_constraint")
    text = "".join(f"<drake:{tie} xmlns:drake='http://drake.mit.edu'/>" for tie in ties)
    path = write_document(robot('<link name="world"/>', text), ".urdf")
    found = [item for item in read_document(path).diagnostics if item.code == "LOOP_NOT_READ"]
    assert [tie for tie in ties if any(f"<drake:{tie}>" in item.message for item in found)] == list(ties)
