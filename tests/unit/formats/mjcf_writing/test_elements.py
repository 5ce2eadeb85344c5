"""What is written for MuJoCo of each kind of joint, shape, load and drive, by what MuJoCo makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.cli.convert_command import convert_file
from simulator.errors import UsageError
from simulator.formats.options import STANDARD
from simulator.mechanism.build import build_mechanism
from simulator.session.batch.conversion import write_conversion
from simulator.session.batch.mjcf_conversion import convert_to_mjcf
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import document, joint, link, model, world
from tests.helpers.mujoco_agreement import agreement, greatest_difference, our_accelerations

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

SPHERE = '<collision name="{name}"><geometry><sphere><radius>0.1</radius></sphere></geometry>{more}</collision>'


def convert(text: str, folder: Path) -> tuple[Any, list[str], Path]:
    """MuJoCo's model, what was not written, and the file."""
    source, path = folder / "source.sdf", folder / "written.xml"
    source.write_text(text)
    conversion = convert_to_mjcf(source, folder)
    assert conversion.text, conversion.diagnostics
    write_conversion(path, conversion)
    lost = [item.message for item in conversion.diagnostics if item.code == "CONVERT_DROPPED"]
    return mujoco.MjModel.from_xml_path(str(path)), lost, path


def ends(name: str, kind: str, parent: str, child: str, *more: str, pose: str = "") -> str:
    placed = f"<pose>{pose}</pose>" if pose else ""
    tied = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{placed}{tied}{"".join(more)}</joint>'


TWO = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
JOINTS = {
    "revolute": joint("j", "revolute", parent="a", child="b", axis="1 2 3", pose=".1 .2 .3 .4 .5 .6"),
    "from the child": joint("j", "revolute", parent="b", child="a", axis="1 2 3", pose=".1 .2 .3 .4 .5 .6"),
    "prismatic": joint("j", "prismatic", parent="a", child="b", axis="1 2 3", pose=".1 .2 .3 .4 .5 .6"),
    "fixed": ends("j", "fixed", "a", "b"),
    "ball": ends("j", "ball", "a", "b", pose=".1 .2 .3 0 0 0"),
    "universal": ends("j", "universal", "a", "b", TWO, pose=".1 .2 .3 .4 .5 .6"),
    "universal from the child": ends("j", "universal", "b", "a", TWO, pose=".1 .2 .3 .4 .5 .6"),
    "screw": ends("j", "screw", "a", "b", "<screw_thread_pitch>0.3</screw_thread_pitch><axis><xyz>1 0 1</xyz></axis>"),
    "spring": joint(
        "j", "revolute",
        "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>.4</spring_reference></dynamics>",
        parent="a", child="b", axis="0 1 0",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::simulator.DocumentWarning")
@pytest.mark.parametrize("base", ["world", ""])
@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_moves_there_as_here(name: str, base: str, tmp_path: Path) -> None:
    """Both on the world and floating; read back, it is what it was and what MuJoCo makes of it."""
    parts = [link("a", pose="1 0 2 .1 .2 .3"), link("b", pose="2 0 2 .3 .2 .1", mass=2.0), JOINTS[name]]
    held = [joint("held", "revolute", parent="world", child="a", axis="0 1 0", pose="-.5 0 0 0 0 0")] if base else []
    _, lost, path = convert(world(model("m", *parts, *held)), tmp_path)
    assert not lost
    assert agreement(path).worst < 1e-9
    with simulator.load(tmp_path / "source.sdf") as one, simulator.load(path) as other:
        names = ["m::a", "m::b"]
        assert one.mobility == other.mobility
        assert greatest_difference(our_accelerations(one, names), our_accelerations(other, names)) < 1e-9


def test_a_ball_starts_as_its_link_turns(tmp_path: Path) -> None:
    """MuJoCo moves both bodies as the document says: its own velocities of bodies, about their origins."""
    spins = {"a": (0.1, 0.2, -0.3), "b": (3.0, -4.0, 5.0)}
    state = "".join(
        f"<link_state name='{name}'><velocity>0 0 0 {' '.join(map(str, spin))}</velocity></link_state>"
        for name, spin in spins.items()
    )
    joints = joint("base", "ball", parent="world", child="a") + joint("j", "ball", parent="a", child="b")
    turned = "<pose>0 0 0 0.4 0.5 0.6</pose>"
    parts = model("m", link("a"), link("b", turned), joints, f"<model_state name='m'>{state}</model_state>")
    there, _, _ = convert(world(parts), tmp_path)
    data = mujoco.MjData(there)
    mujoco.mj_resetDataKeyframe(there, data, 0)
    mujoco.mj_forward(there, data)
    for body in range(1, there.nbody):
        found = np.zeros(6)
        mujoco.mj_objectVelocity(there, data, mujoco.mjtObj.mjOBJ_BODY, body, found, 0)
        np.testing.assert_allclose(found[:3], spins[there.body(body).name[-1]], atol=1e-12)


def test_passive_values_limits_and_start(tmp_path: Path) -> None:
    inside = (
        "<limit><lower>-.5</lower><upper>1</upper><effort>7</effort></limit>"
        "<dynamics><damping>.1</damping><friction>.2</friction></dynamics><simulator:armature>.3</simulator:armature>"
    )
    state = (
        "<model_state name='m'><joint_state name='j'><axis_state><position>.25</position><velocity>.5</velocity>"
        "</axis_state></joint_state></model_state>"
    )
    drive = "<simulator:drive axis='j' kind='position' value='0.75'/>"
    parts = model("m", link("a"), joint("j", "revolute", inside, parent="world", child="a"), state)
    text = world(drive, parts).replace("<sdf ", "<sdf xmlns:simulator='urn:simulator' ")
    there, lost, _ = convert(text, tmp_path)
    assert not lost
    assert tuple(there.jnt_range[0]) == (-0.5, 1.0)
    assert (there.dof_damping[0], there.dof_frictionloss[0], there.dof_armature[0]) == (0.1, 0.2, 0.3)
    assert (there.key_qpos[0, 0], there.key_qvel[0, 0], there.key_ctrl[0, 0]) == (0.25, 0.5, 0.75)
    assert tuple(there.actuator_forcerange[0]) == (-7.0, 7.0)
    inertia = 1.0 + 0.3
    assert there.actuator_gainprm[0, 0] == pytest.approx(inertia / 0.02**2, rel=1e-9)


def test_a_servo_reaches_its_target(tmp_path: Path) -> None:
    """Without overshoot: e^(-t/τ)(1 + t/τ) with τ = 20 ms is 5e-4 after 0.2 s."""
    drive = "<simulator:drive axis='j' kind='position' value='0.5'/>"
    parts = model("m", link("a"), joint("j", "revolute", parent="world", child="a"))
    there, _, _ = convert(world(drive, parts).replace("<sdf ", "<sdf xmlns:simulator='urn:simulator' "), tmp_path)
    data = mujoco.MjData(there)
    mujoco.mj_resetDataKeyframe(there, data, 0)
    for _ in range(round(0.2 / there.opt.timestep)):
        mujoco.mj_step(there, data)
    assert data.qpos[0] == pytest.approx(0.5, abs=1e-3)


def test_springs_between_points_are_tendons(tmp_path: Path) -> None:
    spring = (
        "<simulator:spring link='a' at='.1 .2 .3' other='world' other_at='2 0 1' stiffness='30' damping='1' "
        "free_length='.5'/>"
    )
    text = world(model("m", link("a", pose="1 0 0 .1 .2 .3"), spring)).replace(
        "<sdf ", "<sdf xmlns:simulator='urn:simulator' "
    )
    there, lost, _ = convert(text, tmp_path)
    assert not lost
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    with simulator.load(tmp_path / "source.sdf") as sim:
        (ours,) = our_accelerations(sim, ["m::a"])
    body = there.body("a").id
    linear, angular = np.zeros((3, there.nv)), np.zeros((3, there.nv))
    mujoco.mj_jacBody(there, data, linear, angular, body)
    theirs = np.concatenate((angular @ data.qacc, linear @ data.qacc))
    np.testing.assert_allclose(theirs, ours, atol=1e-12 * np.abs(ours).max())


@pytest.mark.parametrize("self_collide", ["", "<self_collide>true</self_collide>"])
def test_the_same_links_may_touch(self_collide: str, tmp_path: Path) -> None:
    """By MuJoCo's own narrow phase: all spheres overlap."""
    parts = [link(name, SPHERE.format(name=name, more="")) for name in "abc"]
    tied = joint("j", "revolute", parent="a", child="b")
    text = world(
        model("m", *parts, tied, self_collide),
        model("n", link("d", SPHERE.format(name="d", more="")), link("e", SPHERE.format(name="e", more=""))),
        model("ground", "<static>true</static>", link("g", SPHERE.format(name="g", more=""))),
        "<simulator:exclude link='m::c' other='n::d'/>",
    ).replace("<sdf ", "<sdf xmlns:simulator='urn:simulator' ")
    there, lost, _ = convert(text, tmp_path)
    assert not lost
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    theirs = {frozenset(there.body(there.geom_bodyid[geom]).name for geom in touch.geom) for touch in data.contact}
    mechanism = build_mechanism(open_document(tmp_path / "source.sdf").world)
    ours = {frozenset(name.rpartition("::")[2] for name in pair) for pair in mechanism.non_colliding.meeting()}
    assert theirs == ours


def test_of_two_frictions_the_smaller_counts(tmp_path: Path) -> None:
    rough, smooth = (
        f"<surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction></surface>" for mu in (0.9, 0.2)
    )
    text = world(
        model("m", link("a", SPHERE.format(name="a", more=rough))),
        model("n", link("b", SPHERE.format(name="b", more=smooth))),
    )
    there, _, _ = convert(text, tmp_path)
    data = mujoco.MjData(there)
    mujoco.mj_forward(there, data)
    assert {contact.friction[0] for contact in data.contact} == {0.2}


def test_a_loop_that_mujoco_cannot_close_is_said(tmp_path: Path) -> None:
    """Four slides in a square: one of them has to close the loop, which MuJoCo has no equality for."""
    parts = [link(name, pose=f"{x} 0 0 0 0 0") for name, x in (("a", 1), ("b", 2), ("c", 3))]
    slides = [
        joint(f"j{i}", "prismatic", parent=one, child=other, axis=axis)
        for i, (one, other, axis) in enumerate(
            [("world", "a", "1 0 0"), ("a", "b", "0 0 1"), ("b", "c", "1 0 0"), ("world", "c", "0 0 1")]
        )
    ]
    _, lost, _ = convert(world(model("m", *parts, *slides)), tmp_path)
    assert any("a loop closed by the prismatic joint" in text for text in lost)


def test_links_without_mass_between_joints_are_passed_over(tmp_path: Path) -> None:
    moments = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
    bare = f'<link name="between"><inertial><mass>0</mass>{moments}</inertial></link>'
    parts = [
        bare,
        link("a", pose="1 0 0 0 0 0"),
        joint(
            "x", "prismatic", "<dynamics><damping>1</damping></dynamics>", parent="world", child="between", axis="1 0 0"
        ),
        joint("z", "revolute", parent="between", child="a", axis="0 0 1", pose="-.5 0 0 0 0 0"),
    ]
    there, lost, path = convert(world(model("m", *parts)), tmp_path)
    assert not lost
    assert there.nbody == 2
    assert [there.joint(i).name for i in range(2)] == ["x", "z"]
    assert agreement(path).worst < 1e-9


def test_a_document_with_errors_is_not_written(tmp_path: Path) -> None:
    source = tmp_path / "source.sdf"
    source.write_text(
        document("<model name='m'><link name='a'/><joint name='j' type='fixed'><parent>a</parent></joint></model>")
    )
    assert convert_file(str(source), STANDARD, SessionSettings(), output=tmp_path / "x.xml", keep_gearbox=False) == 1
    assert not (tmp_path / "x.xml").exists()


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.usda, \.glb or \.fmu"):
        convert_file("four_bar", STANDARD, SessionSettings(), output=tmp_path / "x.step", keep_gearbox=False)
