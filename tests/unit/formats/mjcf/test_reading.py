"""What is read of MJCF beside poses and inertias, and what is said about the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.mjcf import compiling
from simulator.mechanism.build import build_mechanism
from simulator.model.joint import JointType
from simulator.model.profiles import Constant
from simulator.model.shape import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from simulator.model.world import Document
from simulator.session.batch.conversion import convert_document

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

BODY = '<body name="{name}"><joint name="{joint}" {more}/><geom size=".1" mass="1"/></body>'


def read(tmp_path: Path, text: str, name: str = "document.xml") -> Document:
    path = tmp_path / name
    path.write_text(text)
    return read_document(path)


def found(document: Document, code: str) -> list[str]:
    """Findings of a code, as `line: message`."""
    return [f"{item.line}: {item.folded_message}" for item in document.diagnostics if item.code == code]


def body(name: str = "b", joint: str = "j", more: str = "") -> str:
    return BODY.format(name=name, joint=joint, more=more)


def around(bodies: str, *sections: str) -> str:
    return f"<mujoco model='m'>{''.join(sections)}<worldbody>{bodies}</worldbody></mujoco>"


def test_the_passive_values_of_a_joint(tmp_path: Path) -> None:
    more = (
        'range="-30 60" damping=".1" frictionloss=".2" stiffness="3" springref="45" armature=".4" '
        'actuatorfrcrange="-5 5"'
    )
    document = read(tmp_path, around(body(more=more)))
    (joint,) = document.world().models[0].joints
    model = mujoco.MjModel.from_xml_path(document.file)
    (axis,) = joint.axes
    assert joint.type is JointType.REVOLUTE
    assert (axis.lower, axis.upper) == tuple(model.jnt_range[0])
    assert (axis.damping, axis.friction, axis.spring_stiffness, axis.armature) == (0.1, 0.2, 3.0, 0.4)
    assert axis.spring_reference == model.qpos_spring[0]
    assert axis.effort == 5.0
    assert not document.has_errors


def test_shapes_and_colours(tmp_path: Path) -> None:
    geoms = (
        '<geom type="plane" size="1 0 .1"/><geom type="sphere" size=".1" rgba="1 0 0 .5"/>'
        '<geom type="capsule" size=".1 .2"/><geom type="ellipsoid" size=".1 .2 .3"/>'
        '<geom type="cylinder" size=".1 .2" material="blue"/>'
        '<geom type="box" size=".1 .2 .3" contype="0" conaffinity="0"/>'
        '<geom type="box" size="1 1 1" group="3"/>'
    )
    text = around(geoms, "<asset><material name='blue' rgba='0 0 1 1'/></asset>")
    (link,) = read(tmp_path, text).world().models[0].links
    shapes = [visual.shape for visual in link.visuals]
    assert shapes == [
        Plane((0.0, 0.0, 1.0), (2.0, 20.0)),
        Sphere(0.1),
        Capsule(0.1, 0.4),
        Ellipsoid((0.1, 0.2, 0.3)),
        Cylinder(0.1, 0.4),
        Box((0.2, 0.4, 0.6)),
    ]
    assert link.visuals[1].material is not None
    assert link.visuals[1].material.diffuse == (1.0, 0.0, 0.0, 0.5)
    assert link.visuals[4].material is not None
    assert link.visuals[4].material.diffuse == (0.0, 0.0, 1.0, 1.0)
    touched = [collision.shape for collision in link.collisions]
    assert Box((0.2, 0.4, 0.6)) not in touched
    assert Box((2.0, 2.0, 2.0)) in touched


CONTACTS = {
    "usual": ["", "", ""],
    "nothing": ['contype="0" conaffinity="0"'] * 3,
    "not among themselves": ['contype="1" conaffinity="0"', 'contype="1" conaffinity="0"', ""],
    "two sides": ['contype="2" conaffinity="4"', 'contype="4" conaffinity="2"', 'contype="2" conaffinity="4"'],
}


@pytest.mark.parametrize("section", ["", '<exclude body1="b0" body2="b2"/>', '<pair geom1="g0" geom2="g1"/>'])
@pytest.mark.parametrize("name", CONTACTS)
def test_the_same_bodies_may_touch(name: str, section: str, tmp_path: Path) -> None:
    """By MuJoCo's own narrow phase: all geoms overlap, so that every pair that may touch has a contact."""
    parts = [
        f'<body name="b{i}" pos="{0.01 * i} 0 0"><freejoint/><geom name="g{i}" size=".1" {bits}/>'
        f'<body name="c{i}"><joint/><geom name="h{i}" size=".1" {bits}/></body></body>'
        for i, bits in enumerate(CONTACTS[name])
    ]
    parts.append('<geom type="plane" size="1 1 1"/>')
    document = read(tmp_path, around("".join(parts), f"<contact>{section}</contact>"))
    model = mujoco.MjModel.from_xml_path(document.file)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    theirs = {_pair(*(model.body(model.geom_bodyid[geom]).name for geom in contact.geom)) for contact in data.contact}
    meeting = build_mechanism(document.world()).non_colliding.meeting()
    ours = {_pair(*(name.rpartition("::")[2].replace("surroundings", "world") for name in pair)) for pair in meeting}
    assert ours == theirs
    assert not found(document, "MJCF_CONTACT")


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def test_links_between_the_joints_of_a_body_keep_its_neighbours_apart(tmp_path: Path) -> None:
    inner = '<body name="c"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom size=".1"/></body>'
    document = read(tmp_path, around(f'<body name="b"><freejoint/><geom size=".1"/>{inner}</body>'))
    assert not list(build_mechanism(document.world()).non_colliding.meeting())


def test_actuators_become_commands(tmp_path: Path) -> None:
    bodies = "".join(body(f"b{i}", f"j{i}") for i in range(5))
    actuators = (
        '<actuator><motor joint="j0" gear="10" ctrlrange="-1 2"/>'
        '<position joint="j1" kp="50" kv="3" ctrlrange="-.5 .5" forcerange="-7 7"/><velocity joint="j2" kv="4"/>'
        '<intvelocity joint="j3" kp="5" actrange="-1 1"/><muscle joint="j4" lengthrange=".1 1"/></actuator>'
    )
    key = '<keyframe><key ctrl="0 .25 0 0 0"/></keyframe>'
    document = read(tmp_path, around(bodies, actuators, key))
    (model,) = document.world().models
    (hardware,) = model.hardware
    commands = {
        joint.name: [(item.name, item.minimum, item.maximum) for item in joint.command_interfaces]
        for joint in hardware.joints
    }
    inf = float("inf")
    assert commands == {
        "j0": [("effort", -10.0, 20.0)],
        "j1": [("position", -0.5, 0.5)],
        "j2": [("velocity", -inf, inf)],
        "j3": [("velocity", -inf, inf)],
    }
    efforts = {joint.name.rpartition("::")[2]: joint.axes[0].effort for joint in model.joints}
    assert efforts == {"j0": 20.0, "j1": 7.0, "j2": inf, "j3": inf, "j4": inf}
    drives = {drive.axis: (drive.kind, drive.profile) for drive in document.world().drives}
    assert drives["m::j1"] == ("position", Constant(0.25))
    assert drives["m::j2"] == ("velocity", Constant(0.0))
    assert "m::j0" not in drives
    (message,) = found(document, "ACTUATOR_NOT_READ")
    assert "its force is not a constant times ctrl" in message


def test_a_driven_joint_leads(tmp_path: Path) -> None:
    """Also where the document has it follow: the coupling acts both ways."""
    text = around(
        body("a", "a1") + body("b", "b1"),
        '<equality><joint joint1="a1" joint2="b1" polycoef="0 2 0 0 0"/></equality>'
        '<actuator><motor joint="a1"/></actuator>',
    )
    document = read(tmp_path, text)
    mimics = {joint.name: joint.axes[0].mimic for joint in document.world().models[0].joints}
    assert mimics["m::a1"] is None
    assert mimics["m::b1"] is not None
    assert (mimics["m::b1"].leader, mimics["m::b1"].multiplier) == ("m::a1", 0.5)
    assert not document.has_errors


def test_an_actuator_on_a_tendon_drives_what_leads(tmp_path: Path) -> None:
    """As those of grippers: a force that two coupled fingers share, and a command in a scale of its own."""
    text = around(
        body("a", "a1") + body("b", "b1"),
        "<tendon><fixed name='t'><joint joint='a1' coef='.5'/><joint joint='b1' coef='.25'/></fixed></tendon>",
        '<equality><joint joint1="b1" joint2="a1" polycoef=".2 2 0 0 0"/></equality>',
        "<actuator><general tendon='t' biastype='affine' gainprm='.3' biasprm='0 -100 -10' ctrlrange='0 255' "
        "forcerange='-5 5'/></actuator>",
    )
    document = read(tmp_path, text)
    (model,) = document.world().models
    (interface,) = model.hardware[0].joints[0].command_interfaces
    joints = {joint.name: joint.axes[0] for joint in model.joints}
    leader = next(name for name, axis in joints.items() if axis.mimic is None)
    assert model.hardware[0].joints[0].joint == leader
    # the length is .5 a + .25 b with b = 2 a + .2, and the servo holds it at .003 ctrl
    ratio = 1.0 if leader == "m::a1" else 0.5
    ends = [(0.003 * ctrl - 0.05) / 1.0 for ctrl in (0.0, 255.0)]
    ends = ends if leader == "m::a1" else [2.0 * end + 0.2 for end in ends]
    assert (interface.minimum, interface.maximum) == pytest.approx(tuple(ends), abs=1e-12)
    assert joints[leader].effort == pytest.approx(5.0 * ratio)
    assert not found(document, "ACTUATOR_NOT_READ")


def test_a_joint_held_by_an_equality(tmp_path: Path) -> None:
    text = around(body(more='ref="10"'), '<equality><joint joint1="j" polycoef=".2 0 0 0 0"/></equality>')
    document = read(tmp_path, text)
    (joint,) = document.world().models[0].joints
    model = mujoco.MjModel.from_xml_path(document.file)
    assert found(document, "MJCF_HELD")
    assert joint.axes[0].lower == joint.axes[0].upper == pytest.approx(model.qpos0[0] + 0.2, abs=1e-15)


def test_a_quartic_equality_is_a_law(tmp_path: Path) -> None:
    """q1 − ref1 = Σ a_k (q2 − ref2)^k, multiplied out."""
    bodies = body(more='ref="20"') + body("c", "k", 'ref="-30"')
    text = around(bodies, '<equality><joint joint1="j" joint2="k" polycoef=".1 1.5 -.4 .2 .05"/></equality>')
    document = read(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(document.file)
    follower, leader = document.world().models[0].joints
    mimic = follower.axes[0].mimic
    assert mimic is not None
    assert mimic.law is not None
    assert mimic.leader == leader.name
    for q in (-1.0, 0.0, 0.3, 2.0):
        away = q - model.qpos0[1]
        asked = model.qpos0[0] + 0.1 + 1.5 * away - 0.4 * away**2 + 0.2 * away**3 + 0.05 * away**4
        assert mimic.law.value(q) == pytest.approx(asked, abs=1e-13)
    assert not document.has_errors


SAID: dict[str, tuple[Sequence[str], str, str]] = {
    "a law of joints that follow already": (
        (
            "<equality><joint joint1='j' joint2='l'/><joint joint1='k' joint2='l'/>"
            "<joint joint1='j' joint2='k' polycoef='0 1 .5 0 0'/></equality>",
        ),
        "COUPLING_NOT_READ",
        "both joints follow others already",
    ),
    "a limit of a tendon that the start is beyond": (
        ("<tendon><fixed name='t' range='1 2'><joint joint='j' coef='1'/></fixed></tendon>",),
        "NOT_SIMULATED",
        "limits of fixed tendons",
    ),
    "damping of a tendon": (
        ("<tendon><fixed name='t' damping='2'><joint joint='j' coef='1'/></fixed></tendon>",),
        "NOT_SIMULATED",
        "damping of fixed tendons",
    ),
    "a spatial tendon": (
        ("<tendon><spatial name='t'><site site='s'/><site site='t'/></spatial></tendon>",),
        "NOT_SIMULATED",
        "spatial tendons",
    ),
    "sensors": (
        ("<sensor><jointpos joint='j'/><jointpos joint='k'/><gyro site='s'/></sensor>",),
        "NOT_SIMULATED",
        "2 jointpos, 1 gyro",
    ),
    "water": (("<option density='1000'/>",), "NOT_SIMULATED", "there is no fluid"),
    "an inactive equality": (
        ('<equality><weld body1="b" body2="c" active="false"/></equality>',),
        "NOT_SIMULATED",
        "not active",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_not_simulated_is_said(name: str, tmp_path: Path) -> None:
    sections, code, message = SAID[name]
    bodies = "".join(body(f"b{joint}" if joint != "j" else "b", joint) for joint in "jkl")
    sites = (
        '<site name="s"/><site name="t" pos="1 0 0"/><body name="c" pos="0 3 0"><freejoint/><geom size=".1"/></body>'
    )
    document = read(tmp_path, around(bodies + sites, *sections))
    assert not document.has_errors
    assert any(message in text for text in found(document, code)), document.diagnostics


def test_softness_is_said_once(tmp_path: Path) -> None:
    document = read(tmp_path, around(body(more='range="-1 1" frictionloss=".1"') + body("c", "k", 'range="-1 1"')))
    (message,) = found(document, "MJCF_SOFT")
    assert "limits, dry friction and contacts give way in MuJoCo" in message


def test_included_elements_have_their_own_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        "<mujoco>\n<worldbody>\n" + body(more='type="ball" damping="1"') + "</worldbody></mujoco>"
    )
    document = read(tmp_path, "<mujoco>\n<include file='part.xml'/>\n</mujoco>")
    (finding,) = [item for item in document.diagnostics if "damping of the ball joint" in item.message]
    assert (Path(finding.file).name, finding.line) == ("part.xml", 3)
    assert finding.included_from[0].endswith("document.xml:2")
    assert str(tmp_path / "part.xml") in document.files


REFUSED = {
    "an attribute that is none": ("<mujoco>\n<worldbody>\n<body foo='1'/></worldbody></mujoco>", 3, "foo"),
    "nothing that moves has mass": (
        "<mujoco>\n<worldbody><body name='b'>\n<joint/></body></worldbody></mujoco>", 2, "mjMINVAL",
    ),
    "a joint that is none": (
        "<mujoco><worldbody/>\n<actuator>\n<motor joint='x'/></actuator></mujoco>", 3, "x",
    ),
    "a file that is none": ("<mujoco>\n<include file='none.xml'/></mujoco>", 0, "none.xml"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_mujoco_refuses_is_an_error_with_its_line(name: str, tmp_path: Path) -> None:
    text, line, word = REFUSED[name]
    document = read(tmp_path, text)
    errors = [item for item in document.diagnostics if item.is_error]
    assert errors[0].code == ("FILE_READ" if name == "a file that is none" else "MJCF_REFUSED")
    assert errors[0].line == line
    assert word in errors[0].message


def test_what_mujoco_refuses_in_an_included_file_is_found_there(tmp_path: Path) -> None:
    """MuJoCo says line 2, which is one of the included file."""
    (tmp_path / "part.xml").write_text("<mujoco>\n<compiler apirate='400'/>\n</mujoco>", encoding="utf-8")
    document = read(tmp_path, "<mujoco>\n\n\n<include file='part.xml'/><worldbody/></mujoco>")
    error = next(item for item in document.diagnostics if item.code == "MJCF_REFUSED")
    assert (Path(error.file).name, error.line) == ("part.xml", 2)


def test_without_mujoco_a_hint_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "is_installed", lambda: False)
    document = read(tmp_path, around(body()))
    (error,) = [item for item in document.diagnostics if item.is_error]
    assert (error.code, error.hint) == ("MJCF_NEEDS_MUJOCO", "pip install 'simulator[mjcf]'")


def test_a_missing_mesh_and_a_missing_picture_leave_the_rest(tmp_path: Path) -> None:
    assets = (
        "<asset><mesh name='m' file='gone.stl'/><texture name='t' type='2d' file='gone.png'/>"
        "<material name='p' texture='t'/></asset>"
    )
    inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    bodies = f"<body name='b'><joint name='j'/>{inertial}<geom type='mesh' mesh='m' material='p'/></body>"
    document = read(tmp_path, around(bodies, assets))
    assert not document.has_errors
    assert any("there is no mesh file 'gone.stl'" in text for text in found(document, "URI_LOOKUP"))


def test_a_document_that_multiplies_itself_is_refused(tmp_path: Path) -> None:
    nested = "<geom size='.1'/>"
    for _ in range(4):
        nested = f"<replicate count='1000' offset='1 0 0'>{nested}</replicate>"
    document = read(tmp_path, around(nested))
    assert found(document, "FILE_TOO_LARGE")


def test_names_that_a_body_and_a_joint_share(tmp_path: Path) -> None:
    document = read(tmp_path, around(body("hip", "hip") + "<body name='world2'><geom size='.1'/></body>"))
    (model,) = document.world().models[:1]
    assert {link.name for link in model.links} == {"m::hip_link", "m::world2"}
    assert "m::hip" in {joint.name for joint in model.joints}
    assert found(document, "DUPLICATE_NAME")


def test_every_pair_of_free_bodies_is_apart_where_nothing_touches(tmp_path: Path) -> None:
    """Bits cannot say that many kinds touch a floor and not each other: pairs are excluded."""
    kinds = [
        f'<body name="b{i}" pos="{i} 0 1"><freejoint/><geom size=".1" contype="{1 << i}" conaffinity="0"/></body>'
        for i in range(5)
    ]
    floor = '<geom type="plane" size="1 1 1" contype="0" conaffinity="31"/>'
    document = read(tmp_path, around("".join(kinds) + floor))
    meeting = list(build_mechanism(document.world()).non_colliding.meeting())
    assert len(meeting) == 5
    assert all("worldbody::surroundings" in pair for pair in meeting)


def test_the_keyframe_and_other_choices_are_said(tmp_path: Path) -> None:
    keys = '<keyframe><key name="a" qpos=".1"/><key name="home" qpos=".2"/></keyframe>'
    rough = '<geom type="plane" size="1 1 1" friction=".3"/>'
    document = read(tmp_path, around(body() + rough, keys, '<compiler settotalmass="3"/>'))
    (start,) = found(document, "MJCF_START")
    assert "keyframe 'home'; 1 more are not read" in start
    assert document.world().models[-1].joints[0].axes[0].initial_position == pytest.approx(0.2)
    (friction,) = found(document, "MJCF_FRICTION")
    assert "from 0.3 to 1" in friction
    (warning,) = found(document, "MJCF_WARNING")
    assert "settotalmass" in warning


def test_an_exclusion_of_a_link_that_is_none(tmp_path: Path) -> None:
    exclude = "<simulator:exclude link='m::a' other='m::x'/>"
    text = f"<sdf version='1.12' xmlns:simulator='urn:simulator'><world name='w'>{exclude}"
    document = read(tmp_path, f"{text}<model name='m'><link name='a'/></model></world></sdf>", "world.sdf")
    (message,) = found(document, "EXCLUDE_INVALID")
    assert "'m::x', which does not exist" in message


def test_as_sdformat_it_is_the_same(tmp_path: Path) -> None:
    """With what SDFormat has no place for: armature, links without mass, pairs that never touch."""
    joints = '<joint name="x" axis="1 0 0" armature=".2"/><joint name="y" axis="0 1 0"/>'
    inner = f'<body name="c">{joints}<geom size=".1"/></body>'
    text = around(
        f'<body name="b"><freejoint/><geom size=".1"/>{inner}</body><body name="d" pos="3 0 0"><freejoint/>'
        '<geom size=".1"/></body>',
        '<contact><exclude body1="b" body2="d"/></contact>',
    )
    before = read(tmp_path, text).world()
    conversion = convert_document(tmp_path / "document.xml", tmp_path)
    assert conversion.text.count("<simulator:armature>") == 1
    after = read(tmp_path, conversion.text, "converted.sdf")
    assert not after.has_errors
    assert after.world() == before
    assert len(before.excluded) == 2


def test_a_position_is_commanded_within_the_range_of_its_joint(tmp_path: Path) -> None:
    """A rounded `ctrl` of a keyframe asks for no more; a range that has nothing of the joint's is left as it is."""
    bodies = body("a", "j", 'range="0 40"') + body("b", "k", 'range="0 40"')
    servos = [f'<position joint="{joint}" ctrlrange="{ends}"/>' for joint, ends in (("j", "0 50"), ("k", "50 60"))]
    key = '<keyframe><key ctrl="40.00001 50"/></keyframe>'
    actuators = f"<actuator>{''.join(servos)}</actuator>"
    document = read(tmp_path, around(bodies, '<compiler angle="radian"/>', actuators, key))
    bounds = {
        joint.name: (joint.command_interfaces[0].minimum, joint.command_interfaces[0].maximum)
        for joint in document.world().models[0].hardware[0].joints
    }
    assert bounds == {"j": (0.0, 40.0), "k": (50.0, 60.0)}
    assert [drive.profile for drive in document.world().drives] == [Constant(40.0), Constant(50.0)]
    assert not document.has_errors


def test_meshes_collide_as_their_hulls(tmp_path: Path) -> None:
    """Fixed ones, too, for MuJoCo takes the hull of every mesh; conversion to SDFormat retains it."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(1, 3, 2), (1, 2, 4), (2, 3, 4), (1, 4, 3)]
    lines = [*("v {} {} {}".format(*corner) for corner in corners), *("f {} {} {}".format(*face) for face in faces)]
    (tmp_path / "m.obj").write_text("\n".join(lines) + "\n")
    text = around("<geom type='mesh' mesh='m'/>" + body(), "<asset><mesh name='m' file='m.obj'/></asset>")
    document = read(tmp_path, text)
    (tmp_path / "out.sdf").write_text(convert_document(Path(document.file), tmp_path).text)
    for world in (document.world(), read_document(tmp_path / "out.sdf").world()):
        shape, _ = (item.shape for model in world.models for link in model.links for item in link.collisions)
        assert isinstance(shape, Mesh)
        assert shape.hull
