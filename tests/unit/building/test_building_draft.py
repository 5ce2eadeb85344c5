"""Documents built by a script: what is built is read, what is edited keeps the rest, and mistakes say what there is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.robot import RobotDraft
from simulator.errors import DocumentError, UnknownNameError, UsageError
from simulator.formats.document import read_document
from simulator.formats.editing.tree import EditableTree
from simulator.model.coupling import Efficiency, RealCoupling
from tests.helpers.built_mechanisms import ALL, four_bar, pendulum_with_spring
from tests.helpers.model_values import differences
from tests.helpers.rebuilding import rebuilt
from tests.helpers.repository import ROOT
from tests.unit.formats.writing.test_writing_documents import meaning

WORLDS = sorted((ROOT / "worlds").glob("*.sdf"))


@pytest.mark.parametrize("build", ALL, ids=lambda build: build.__name__)
def test_a_mechanism_in_25_lines_runs_and_is_read_with_equal_values(build: Callable[[], Draft], tmp_path: Path) -> None:
    assert len(inspect.getsource(build).splitlines()) <= 25
    draft = build()
    opened = draft.check()
    assert opened.diagnostics == ()
    assert draft.simulate().run(0.02)
    path = draft.save(tmp_path / "saved.sdf")
    again = simulator.edit(path)
    assert again.check().diagnostics == ()
    assert differences(opened.document.worlds, read_document(path).worlds) == _only_places(opened, path)
    assert again.to_sdf() == draft.to_sdf()


def _only_places(opened: object, path: Path) -> list[str]:
    """Meshes are in a folder of their own before the document is saved: their paths differ, and nothing else."""
    found = differences(opened.document.worlds, read_document(path).worlds)  # type: ignore[attr-defined]
    return [line for line in found if ".shape.path: " in line]


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_every_example_world_can_be_built(path: Path, tmp_path: Path) -> None:
    """From its values, by the calls of a script. Poses that a reader composes of several may be off by some roundings,
    of lengths up to 2 m."""
    document = read_document(path)
    draft = rebuilt(document)
    saved = tmp_path / path.name
    saved.write_bytes(draft.tree.data if draft.files.folder == tmp_path else draft.moved_to(tmp_path))
    got = read_document(saved)
    assert [item for item in got.diagnostics if item not in document.diagnostics] == []
    wanted, found = meaning(document), meaning(got)
    # Axes are rebuilt in the joint frame, whatever frame their numbers were in.
    different = [text for text in differences(wanted, found, 16.0, 2.0) if ".expressed_in:" not in text]
    assert different == []


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_a_document_that_is_not_changed_is_what_it_was(path: Path) -> None:
    data = path.read_bytes()
    assert EditableTree(data).data == data


def test_an_edit_adds_lines_and_changes_none(tmp_path: Path) -> None:
    path = tmp_path / "four_bar.sdf"
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8").replace("../assets", str(ROOT / "assets"))
    path.write_text(text, encoding="utf-8")
    draft = simulator.edit(path)
    draft.link("weight", simulator.sphere(0.02, (0.1, 0, 0)))
    draft.fixed("clamp", "crank", "weight", relative_to="crank")
    draft.links["rocker"].set("inertial/mass", 0.5)
    draft.save()
    before, after = text.splitlines(), path.read_text(encoding="utf-8").splitlines()
    changed = [line for line in before if line not in after]
    assert [line.strip() for line in changed] == ["<mass>0.3</mass>"]
    kept = iter(after)
    assert all(line in kept for line in before if line not in changed)
    assert not read_document(path).has_errors
    edit = simulator.edit(path)
    edit.delete("weight", everything=True)
    edit.links["rocker"].set("inertial/mass", 0.3)
    assert edit.to_sdf() == text


def test_what_is_changed_on_disk_is_not_overwritten(tmp_path: Path) -> None:
    path = four_bar().save(tmp_path / "a.sdf")
    draft = simulator.edit(path)
    draft.world.gravity(0, 0, -1.62)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(UsageError, match="changed on disk"):
        draft.save()


def test_a_document_with_errors_is_not_saved(tmp_path: Path) -> None:
    draft = four_bar()
    draft.joints["pin"].set("child", "nobody")
    with pytest.raises(DocumentError, match="nobody"):
        draft.save(tmp_path / "a.sdf")
    assert not (tmp_path / "a.sdf").exists()


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda m: m.revolute("j", "cranck", "rocker"), "Available: .*crank.*did you mean 'crank'"),
        (lambda m: m.joint("j", "hinge", "crank", "rocker"), "no joint type is named 'hinge'. Available: ball"),
        (lambda m: m.revolute("j", "crank", "rocker", lowr=1.0), "no setting of an axis is named 'lowr'.*lower"),
        (lambda m: m.revolute("j", "crank", "rocker", lower=2.0, upper=1.0), "above the upper"),
        (lambda m: m.revolute("j", "crank", "crank"), "to itself"),
        (lambda m: m.revolute("pin", "crank", "rocker"), "there is a 'pin' already"),
        (lambda m: m.revolute("j", "crank", "rocker", axis=(0, 0, 0)), "an axis has a length"),
        (lambda m: m.revolute("j", "crank", "rocker", at=(0, 0)), "3 finite numbers"),
        (lambda m: m.link("crank"), "names in use: .*coupler"),
        (lambda m: m.link("a::b"), "no name for a link"),
        (lambda m: m.link("w", mass=1.0), "neither shapes"),
        (lambda m: m.link("w", simulator.sphere(0.1, color="pink")), "no colour is named 'pink'. Available: blue"),
        (lambda m: m.links["crank"].set("inertial/weight", 1), "no element of <inertial> is named 'weight'.*mass"),
        (lambda m: m.joints["pin"].set("axis@name", "x"), "no attribute of <axis>"),
        (lambda m: m.mimic("pin", "nobody"), "no joint is named 'nobody'. Available: closing"),
        (lambda m: m.mimic("pin", "pin"), "cannot follow itself"),
        (lambda m: m.mimic("pin", "crank_joint", axis="axis2"), "has no 'axis2'; it has: axis"),
        (lambda m: m.gear("g", "crank", "coupler", ratio=2.0), "no hinge to 'world'"),
        (lambda m: m.gear("g", "crank", "rocker", ratio=0.0), "other than zero"),
        (lambda m: m.screw("s", "crank", "rocker", pitch=0.0), "other than zero"),
        (lambda m: m.drive("nobody", simulator.velocity(1.0)), "no joint is named 'nobody'"),
        (lambda m: m.drive("pin", simulator.position(1.0, simulator.pid(1.0))), "without gains"),
        (lambda m: m.load(simulator.force("nobody", (1, 0, 0))), "no link is named 'nobody'. Available: coupler"),
        (lambda m: m.start("nobody", 1.0), "no joint is named 'nobody'"),
        (lambda m: m.frame("f", attached_to="nobody"), "no link or frame is named 'nobody'"),
        (lambda m: m.delete("crank"), "hang .*crank_joint.*everything=True"),
        (lambda m: m.delete("nobody"), "no link, joint, frame or model"),
        (lambda m: m.rename("crank", "coupler"), "already"),
        (lambda m: m.joints["pin"].become("hinge"), "no joint type"),
        (lambda m: m.add("wheel"), "no element of <model> is named 'wheel'"),
        (lambda m: m.world.step(0.0), "above 0"),
        (lambda m: m.save(), "saved by a path"),
    ],
)
def test_a_mistake_says_what_there_is(mistake: Callable[[Draft], object], message: str) -> None:
    draft = four_bar()
    before = draft.to_sdf()
    with pytest.raises(UsageError, match=message):
        mistake(draft)
    assert draft.to_sdf() == before, "and nothing is changed"


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: simulator.new(""), "no name"),
        (lambda: simulator.new("a<b"), "letters, digits"),
        (lambda: simulator.box((1.0, 0.0, 1.0)), "above 0"),
        (lambda: simulator.sphere(1.0, density=-1.0), "0 or more"),
        (lambda: simulator.bar((0, 0, 0), (0, 0, 0), width=0.1), "the same point"),
        (lambda: simulator.bar((0, 0, 0), (0, 1, 0), width=0.1), "another normal"),
        (lambda: simulator.plate([(0, 0, 0), (1, 0, 0)], thickness=0.1), "three corners"),
        (lambda: simulator.plate([(0, 0, 0), (1, 0, 0), (1, 1, 1)], thickness=0.1), "not in a plane"),
        (lambda: simulator.mesh("nothing.stl"), "no mesh file"),
        (lambda: simulator.edit("no_such_world"), "no file or example world"),
    ],
)
def test_a_shape_that_cannot_be(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mistake()


def test_an_outline_that_crosses_itself() -> None:
    bow = [(0, 0, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1)]
    with pytest.raises(UsageError, match="crosses itself"):
        simulator.plate(bow, thickness=0.1)


def test_the_mass_of_a_bar_is_that_of_a_box_with_round_ends() -> None:
    """Closed form: box, and two half discs that make one; about the middle by the parallel-axis theorem."""
    length, w, t, density = 0.3, 0.04, 0.01, 7800.0
    draft = simulator.new("x")
    link = draft.link("bar", simulator.bar((0, 0, 0), (length, 0, 0), width=w, thickness=t, density=density))
    r = w / 2.0
    box, disc = density * length * w * t, density * np.pi * r**2 * t
    assert float(link.get("inertial/mass")) == pytest.approx(box + disc, rel=1e-14)
    # About y through the middle: half discs at x = L/2 + ..., each of inertia r^2/2 about its own circle's centre.
    centre = 4.0 * r / (3.0 * np.pi)
    own = r**2 / 2.0 - centre**2
    iyy = box * (length**2 + w**2) / 12.0 + disc * (own + (length / 2.0 + centre) ** 2)
    assert float(link.get("inertial/inertia/iyy")) == pytest.approx(iyy, rel=1e-13)


def test_a_plate_is_a_solid() -> None:
    triangle = [(0, 0, 0), (0.3, 0, 0), (0, 0, 0.2)]
    draft = simulator.new("x")
    link = draft.link("plate", simulator.plate(triangle, thickness=0.01, density=1000.0))
    assert float(link.get("inertial/mass")) == pytest.approx(0.3, rel=1e-14)
    assert [float(x) for x in link.get("inertial/pose").split()[:3]] == pytest.approx([0.1, 0.0, 0.2 / 3.0], abs=1e-15)


def test_another_name_reaches_all_that_name_it() -> None:
    draft = pendulum_with_spring()
    draft.drive("hinge", simulator.effort(1.0))
    draft.rename("rod", "stick")
    draft.rename("hinge", "pivot")
    text = draft.to_sdf()
    assert "rod" not in text
    assert "hinge" not in text
    assert draft.check().diagnostics == ()


def test_a_name_in_several_models_is_changed_in_one() -> None:
    draft = simulator.new("a")
    other = draft.world.model("b", pose=(1, 0, 0))
    for model in (draft, other):
        model.link("body", simulator.sphere(0.1))
    draft.world.revolute("tie", "a::body", "b::body", relative_to="world")
    other.rename("body", "ball")
    assert draft.world.joints["tie"].get("child") == "b::ball"
    assert draft.world.joints["tie"].get("parent") == "a::body"
    draft.world.rename("b", "c")
    assert draft.world.joints["tie"].get("child") == "c::ball"
    assert not draft.check().has_errors


def test_deleting_says_what_is_gone() -> None:
    draft = four_bar()
    gone = draft.delete("rocker", everything=True)
    assert sorted(gone) == ["closing", "rocker", "rocker_joint"]
    assert not draft.check().has_errors


def test_a_joint_becomes_another_kind() -> None:
    draft = four_bar()
    draft.joints["closing"].become("ball")
    assert draft.joints["closing"].get("axis/xyz") == ""
    draft.joints["closing"].become("universal")
    assert draft.joints["closing"].element.child("axis2") is not None
    draft.joints["closing"].become("planar")
    assert draft.joints["closing"].type == "planar"
    assert not [item for item in draft.check().diagnostics if item.is_error]


def test_where_the_parent_has_a_joint_is_in_the_frame_of_its_place() -> None:
    """The child at the origin of its model, where its frame is not named, and the parent 0.05 m beside it."""
    draft = simulator.new("open")
    bar = simulator.bar((0, 0, 0), (0.1, 0, 0), width=0.02, density=2700)
    base, arm = draft.link("base", bar, pose=(0.05, 0, 0)), draft.link("arm", bar)
    draft.revolute("closing", base, arm, at=(0.1, 0, 0), axis=(0, 1, 0), parent_at=(0.15, 0, 0))
    draft.revolute("hinge", draft.world, arm, axis=(0, 1, 0), loop=True)
    sides = draft.simulate().parameters()
    assert sides["closing.parent_pose.x"].value == pytest.approx(0.1)
    assert sides["closing.child_pose.x"].value == pytest.approx(0.1)


def test_a_draft_goes_back() -> None:
    draft = four_bar()
    before = draft.tree.data
    draft.link("more", simulator.sphere(0.1))
    draft.restore(before)
    assert "more" not in draft.links
    assert draft.tree.data == before


def test_a_world_of_the_program_is_saved_as_a_copy(tmp_path: Path) -> None:
    draft = simulator.edit("four_bar")
    draft.world.gravity(0, 0, -1.62)
    with pytest.raises(UsageError, match="saved by a path"):
        draft.save()
    draft.save(tmp_path / "moon.sdf")
    found = read_document(tmp_path / "moon.sdf")
    assert found.worlds[0].gravity == (0.0, 0.0, -1.62)
    assert not found.diagnostics


def test_several_models_want_a_name() -> None:
    draft = simulator.new("a")
    draft.world.model("b")
    with pytest.raises(UsageError, match=r"several models: a, b.*model='a'"):
        Draft(draft.tree.data, None)
    assert Draft(draft.tree.data, None, model="b").name == "b"


def test_unknown_names_are_a_kind_of_wrong_usage() -> None:
    with pytest.raises(UnknownNameError) as caught:
        four_bar().joint_named("nobody")
    assert "pin" in caught.value.available


ROBOT = """<robot name="arm"> <!-- made by hand -->
  <link name="base"/>
  <link   name="upper" >
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
</robot>
"""


def robot(tmp_path: Path) -> RobotDraft:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    draft = simulator.edit(path)
    assert isinstance(draft, RobotDraft)
    return draft


def test_a_urdf_is_edited_as_it_is_written(tmp_path: Path) -> None:
    draft = robot(tmp_path)
    assert draft.to_sdf() == ROBOT
    draft.joints["shoulder"].set("limit@effort", 20)
    draft.links["upper"].set("inertial/mass@value", 1.5)
    wanted = ROBOT.replace('effort="10"', 'effort="20"').replace('mass value="1"', 'mass value="1.5"')
    assert draft.to_sdf() == wanted
    draft.save()
    assert (tmp_path / "arm.urdf").read_text(encoding="utf-8") == wanted


def test_a_chain_of_a_urdf_is_closed(tmp_path: Path) -> None:
    """Links and joints are added, a mimic, and a loop by two frames; the document is read and runs."""
    draft = robot(tmp_path)
    draft.link("fore", simulator.box((0.02, 0.02, 0.2), (0, 0, 0.1)))
    draft.joint(
        "elbow", "revolute", "upper", "fore", at=(0, 0, 0.2), axis=(0, 1, 0), lower=-2.0, upper=2.0, damping=0.1
    )
    draft.link("strut", simulator.cylinder(0.005, 0.2, (0, 0, 0.1)))
    draft.joint("foot", "continuous", "base", "strut", at=(0.2, 0, 0.2), axis=(0, 1, 0))
    draft.loop("closing", "ball", "strut", "fore", at=(-0.2, 0, 0.2), other_at=(0, 0, 0.2))
    opened = draft.check()
    assert not opened.has_errors
    assert len(opened.mechanism.loop_joints) == 1
    assert draft.simulate().run(0.01)
    draft.rename("upper", "humerus")
    assert draft.joints["elbow"].get("parent@link") == "humerus"
    assert sorted(draft.delete("strut", everything=True)) == ["closing", "foot", "strut"]
    draft.mimic("elbow", "shoulder", multiplier=-1.0)
    assert len(draft.check().mechanism.couplings) == 1


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda m: m.joint("j", "hinge", "base", "upper"), "no joint type of URDF is named 'hinge'"),
        (lambda m: m.joint("j", "fixed", "base", "upper"), "child of joint 'shoulder' already"),
        (lambda m: m.joint("j", "fixed", "base", "uper"), "did you mean 'upper'"),
        (lambda m: m.loop("shoulder", "ball", "base", "upper"), "already"),
        (lambda m: m.loop("l", "gear", "base", "upper"), "no loop type"),
        (lambda m: m.link("x", simulator.cone(0.1, 0.1)), "cannot hold"),
        (lambda m: m.mimic("shoulder", "elbow"), "no joint is named 'elbow'"),
        (lambda m: m.joints["shoulder"].set("limit@efort", 1), "no attribute of <limit>"),
        (lambda m: m.delete("upper"), "hang <joint> 'shoulder'"),
    ],
)
def test_a_mistake_in_a_urdf(mistake: Callable[[RobotDraft], object], message: str, tmp_path: Path) -> None:
    draft = robot(tmp_path)
    with pytest.raises(UsageError, match=message):
        mistake(draft)
    assert draft.to_sdf() == ROBOT


def test_a_constraint_is_renamed_with_its_joints() -> None:
    draft = four_bar()
    draft.set("simulator:constraint", "sin(crank_joint) - 0.5 * rocker_joint")
    draft.rename("crank_joint", "motor")
    assert draft.get("simulator:constraint") == "sin(motor) - 0.5 * rocker_joint"
    with pytest.raises(UsageError, match="simulator:constraint"):
        draft.delete("rocker_joint")


def test_a_follower_with_a_law_and_losses() -> None:
    """By an expression, with an efficiency and play, as a document states them."""
    draft = simulator.new("pair")
    for name, place in (("a", 0.0), ("b", 0.1)):
        draft.link(name, simulator.box((0.02, 0.02, 0.02), density=1000.0))
        draft.revolute(f"{name}_joint", draft.world, name, at=(place, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    losses = RealCoupling(efficiency=Efficiency((0.9,), (0.8,)))
    draft.mimic("b_joint", "a_joint", law="q + 0.2*sin(q)", coupling=losses)
    (axis,) = (axis for axis in draft.check().mechanism.couplings)
    assert axis.curve is not None
    assert "multiplier" not in draft.to_sdf()
    found = next(joint for joint in draft.check().world.models[0].joints if joint.name.endswith("b_joint"))
    mimic = found.axes[0].mimic
    assert mimic is not None
    assert mimic.law is not None
    assert mimic.law.text == "q + 0.2*sin(q)"
    assert mimic.coupling == losses
