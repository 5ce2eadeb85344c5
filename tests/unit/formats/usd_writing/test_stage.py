"""What is written as USD, read with OpenUSD itself: its validators, its composed transforms, its parser of physics."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.formats.document import read_document
from simulator.model.joint import WORLD, JointType
from simulator.session.batch.conversion import convert_to_usd
from simulator.session.open.examples import examples
from simulator.spatial.pose import Pose
from tests.helpers.documents import link, mimic, model, world

pxr = pytest.importorskip("pxr", reason="OpenUSD (the extra usd) is not installed")
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdValidation  # noqa: E402

LONGER = "gear_train_1024"
"""Says nothing that gear_train does not say, and costs a hundred times as much."""
NAMES = sorted(example.name for example in examples() if example.name != LONGER)
SINGLE = 2e-6
"""Frames of joints are in single precision, 2^-24 of coordinates of some metres, through two rotations."""


def stage_of(source: Path) -> tuple[Any, list[str]]:
    """The stage, and what was left out with a warning."""
    conversion = convert_to_usd(source)
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString(conversion.text)
    lost = [
        item.message for item in conversion.diagnostics if item.code == "CONVERT_DROPPED" and item.severity != "info"
    ]
    return stage, lost


def written(tmp_path: Path, text: str) -> tuple[Any, list[str]]:
    path = tmp_path / "document.sdf"
    path.write_text(text, encoding="utf-8")
    return stage_of(path)


def at(stage: Any, scoped: str) -> Any:
    return stage.GetPrimAtPath(f"/{stage.GetDefaultPrim().GetName()}/{scoped.replace('::', '/')}")


def pose(prim: Any) -> Pose:
    matrix = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    return Pose.from_matrix(np.array(matrix).T)


def side(joint: Any, number: int) -> Pose:
    """The joint's frame in the world, by one of its bodies."""
    at = getattr(joint, f"GetLocalPos{number}Attr")().Get()
    turned = getattr(joint, f"GetLocalRot{number}Attr")().Get()
    local = Pose(tuple(at), (*turned.GetImaginary(), turned.GetReal()))
    bodies = getattr(joint, f"GetBody{number}Rel")().GetTargets()
    return pose(joint.GetPrim().GetStage().GetPrimAtPath(bodies[0])) @ local if bodies else local


def joints_of(stage: Any) -> dict[str, Any]:
    """By the last part of their names."""
    return {prim.GetName(): UsdPhysics.Joint(prim) for prim in stage.Traverse() if prim.IsA(UsdPhysics.Joint)}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_valid_and_its_joints_meet(name: str) -> None:
    """All validators of OpenUSD are content; both bodies of each joint have its frame at one place, with its axis."""
    source = next(example.path for example in examples() if example.name == name)
    stage, _ = stage_of(source)
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    assert [error.GetMessage() for error in context.Validate(stage)] == []

    document = read_document(source).world()
    links = {item.name: item for each in document.models for item in each.links}
    for scoped, item in links.items():
        prim = at(stage, scoped)
        assert np.allclose(pose(prim).position, item.X_WL.position, atol=1e-14)
        assert np.allclose(pose(prim).rotation(), item.X_WL.rotation(), atol=1e-14)
    for joint in (joint for each in document.models for joint in each.joints):
        if joint.type is JointType.GEARBOX:
            continue
        written_joint = UsdPhysics.Joint(at(stage, joint.name))
        here, there = side(written_joint, 0), side(written_joint, 1)
        assert np.allclose(here.position, there.position, atol=SINGLE)
        assert np.allclose(here.rotation(), there.rotation(), atol=SINGLE)
        assert np.allclose(here.position, joint.X_WJ.position, atol=SINGLE)
        if len(joint.axes) == 1:
            assert np.allclose(here.rotation()[:, 0], joint.axes[0].xyz_world, atol=SINGLE)


@pytest.mark.parametrize("name", NAMES)
def test_masses_are_those_of_the_document(name: str) -> None:
    """Principal moments and axes make the tensor again, in single precision; Newton's attribute has it in double."""
    source = next(example.path for example in examples() if example.name == name)
    stage, _ = stage_of(source)
    for each in read_document(source).world().models:
        for item in () if each.static else each.links:
            prim = at(stage, item.name)
            mass = UsdPhysics.MassAPI(prim)
            assert mass.GetMassAttr().Get() == pytest.approx(item.inertial.mass, rel=1e-7)
            assert np.allclose(mass.GetCenterOfMassAttr().Get(), item.inertial.X_LI.position, atol=SINGLE)
            turned = mass.GetPrincipalAxesAttr().Get()
            R = Pose(orientation=(*turned.GetImaginary(), turned.GetReal())).rotation()
            tensor = R @ np.diag(mass.GetDiagonalInertiaAttr().Get()) @ R.T
            xx, yy, zz, xy, xz, yz = prim.GetAttribute("newton:inertia").Get()
            exact = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            assert np.allclose(tensor, exact, atol=1e-6 * np.max(np.abs(exact)))
            (ixx, iyy, izz), (ixy, ixz, iyz) = item.inertial.moments, item.inertial.products
            stated = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
            R_LI = item.inertial.X_LI.rotation()
            assert np.allclose(exact, R_LI @ stated @ R_LI.T, rtol=0.0, atol=1e-15 * np.max(np.abs(stated)) * 10.0)


def test_a_loop_is_held_beside_the_articulation() -> None:
    source = next(example.path for example in examples() if example.name == "four_bar")
    stage, lost = stage_of(source)
    assert not lost
    beside = [name for name, joint in joints_of(stage).items() if joint.GetExcludeFromArticulationAttr().Get()]
    assert beside == ["closing_joint"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"])
    counts = {str(kind): len(paths) for kind, (paths, _) in found.items()}
    assert counts == {"Scene": 1, "Articulation": 1, "RigidBody": 4, "FixedJoint": 1, "RevoluteJoint": 4}


def test_numbers_of_angles_are_in_degrees(tmp_path: Path) -> None:
    """Limits, spring, damping, friction, velocity and effort of a hinge and a slide, each beside its own conversion."""
    body = model(
        "m",
        "<link name='a'/><link name='b'/>"
        "<joint name='hinge' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz>"
        "<limit><lower>-1</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit>"
        "<dynamics><damping>0.4</damping><friction>0.2</friction></dynamics></axis></joint>"
        "<joint name='slide' type='prismatic'><parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>"
        "<limit><lower>-0.1</lower><upper>0.2</upper></limit>"
        "<dynamics><spring_stiffness>50</spring_stiffness><spring_reference>0.05</spring_reference></dynamics>"
        "</axis></joint>",
    )
    stage, lost = written(tmp_path, world(body))
    made = joints_of(stage)
    hinge, slide = made["hinge"].GetPrim(), made["slide"].GetPrim()
    assert hinge.GetAttribute("physics:lowerLimit").Get() == pytest.approx(math.degrees(-1.0))
    assert hinge.GetAttribute("physics:upperLimit").Get() == pytest.approx(math.degrees(2.0))
    assert hinge.GetAttribute("newton:damping").Get() == pytest.approx(0.4 * math.pi / 180.0)
    assert hinge.GetAttribute("newton:friction").Get() == pytest.approx(0.2)
    assert hinge.GetAttribute("newton:velocityLimit").Get() == pytest.approx(math.degrees(3.0))
    assert UsdPhysics.DriveAPI(hinge, "angular").GetMaxForceAttr().Get() == pytest.approx(7.0)
    drive = UsdPhysics.DriveAPI(slide, "linear")
    assert slide.GetAttribute("physics:upperLimit").Get() == pytest.approx(0.2)
    assert (drive.GetStiffnessAttr().Get(), drive.GetTargetPositionAttr().Get()) == pytest.approx((50.0, 0.05))
    assert not lost


def follower(name: str, child: str, kind: str, law: str) -> str:
    return (
        f"<joint name='{name}' type='{kind}'><parent>world</parent><child>{child}</child>"
        f"<axis><xyz>0 0 1</xyz>{law}</axis></joint>"
    )


def test_a_mimic_of_a_mimic_follows_the_first(tmp_path: Path) -> None:
    """c = −2 (b − 0.1) + 0.3 with b = 3 (a − 0.2) + 0.4 is −6 a + 0.9; newton-usd-schemas has degrees."""
    body = model(
        "m",
        "<link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
        "<joint name='ja' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>"
        + follower("jb", "b", "revolute", mimic("ja", 3.0, 0.4, 0.2))
        + follower("jc", "c", "revolute", mimic("jb", -2.0, 0.3, 0.1))
        + follower("jd", "d", "prismatic", mimic("jb", 0.5, 0.0, 0.0)),
    )
    stage, lost = written(tmp_path, world(body))
    made = joints_of(stage)
    third, slide = made["jc"].GetPrim(), made["jd"].GetPrim()
    assert [path.name for path in third.GetRelationship("newton:mimicJoint").GetTargets()] == ["ja"]
    assert third.GetAttribute("newton:mimicCoef1").Get() == pytest.approx(-6.0)
    assert third.GetAttribute("newton:mimicCoef0").Get() == pytest.approx(math.degrees(0.9))
    assert slide.GetAttribute("newton:mimicCoef1").Get() == pytest.approx(1.5 * math.pi / 180.0)
    assert slide.GetAttribute("newton:mimicCoef0").Get() == pytest.approx(-0.1)
    assert [message for message in lost if "Newton's schema leaves that open" in message] == lost
    assert len(lost) == 1


def test_a_universal_joint_turns_about_both_axes(tmp_path: Path) -> None:
    """x of its frame is the child's axis, y the parent's; z is locked."""
    body = model(
        "m",
        "<link name='a'/><joint name='cross' type='universal'><parent>world</parent><child>a</child>"
        "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2></joint>",
    )
    stage, lost = written(tmp_path, world(body))
    cross = joints_of(stage)["cross"]
    locked = {name for name in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
              if cross.GetPrim().HasAPI(UsdPhysics.LimitAPI, name)}  # fmt: skip
    assert locked == {"transX", "transY", "transZ", "rotZ"}
    assert np.allclose(side(cross, 0).rotation()[:, 0], (1.0, 0.0, 0.0), atol=SINGLE)
    assert np.allclose(side(cross, 0).rotation()[:, 1], (0.0, 0.0, 1.0), atol=SINGLE)
    assert cross.GetBody0Rel().GetTargets() == []
    assert not lost


def test_shapes_have_their_sizes_and_materials(tmp_path: Path) -> None:
    shapes = {
        "box": ("<box><size>0.1 0.2 0.3</size></box>", (0.1, 0.2, 0.3)),
        "ball": ("<sphere><radius>0.2</radius></sphere>", (0.4, 0.4, 0.4)),
        "rod": ("<cylinder><radius>0.1</radius><length>0.5</length></cylinder>", (0.2, 0.2, 0.5)),
        "pill": ("<capsule><radius>0.1</radius><length>0.5</length></capsule>", (0.2, 0.2, 0.7)),
        "egg": ("<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>", (0.2, 0.4, 0.6)),
        "tip": ("<cone><radius>0.1</radius><length>0.4</length></cone>", (0.2, 0.2, 0.4)),
    }
    surface = "<surface><friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction></surface>"
    red = "<material><diffuse>0.8 0.1 0.1 1</diffuse></material>"
    parts = "".join(
        f"<visual name='{name}'><geometry>{text}</geometry>{red}</visual>"
        f"<collision name='{name}'><geometry>{text}</geometry>{surface}</collision>"
        for name, (text, _) in shapes.items()
    )
    stage, lost = written(tmp_path, world(model("m", f"<link name='a'>{parts}</link>")))
    assert not lost
    for number, (name, (_, size)) in enumerate(shapes.items()):
        for kind in ("visual", "collision"):
            prim = at(stage, f"m::a::{kind}_{number}_{name}")
            bound = UsdGeom.Imageable(prim).ComputeLocalBound(
                Usd.TimeCode.Default(), UsdGeom.Tokens.default_, UsdGeom.Tokens.guide
            )
            assert np.allclose(bound.ComputeAlignedRange().GetSize(), size, atol=SINGLE), name
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
    assert UsdPhysics.MaterialAPI(material.GetPrim()).GetDynamicFrictionAttr().Get() == pytest.approx(0.3)
    assert prim.HasAPI(UsdPhysics.CollisionAPI)
    seen = at(stage, "m::a::visual_0_box")
    assert UsdGeom.Gprim(seen).GetDisplayColorAttr().Get()[0] == Gf.Vec3f(0.8, 0.1, 0.1)


def test_what_usd_has_no_place_for_is_a_finding(tmp_path: Path) -> None:
    body = model(
        "m",
        "<link name='a'><gravity>false</gravity></link><link name='b'/>"
        "<joint name='thread' type='screw'><parent>world</parent><child>a</child>"
        "<thread_pitch>1</thread_pitch><axis><xyz>0 0 1</xyz></axis></joint>"
        "<joint name='skew' type='universal'><parent>world</parent><child>b</child>"
        "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 1</xyz></axis2></joint>",
    )
    stage, lost = written(tmp_path, world(body))
    assert [any(word in message for message in lost) for word in ("weight", "thread", "not perpendicular")] == [
        True
    ] * 3
    assert set(joints_of(stage)) == {"thread"}


def test_names_that_usd_does_not_take_stay_apart(tmp_path: Path) -> None:
    """Both become `a_b`; the second has a number."""
    stage, _ = written(tmp_path, world(model("m", link("a-b") + link("a b") + link("größe"))))
    bodies = [prim.GetName() for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    assert len(set(bodies)) == 3
    assert bodies[:2] == ["a_b", "a_b_2"]


def test_a_static_model_is_the_ground(tmp_path: Path) -> None:
    """No rigid body, and joints to it name no body: it is the world."""
    still = "<model name='floor'><static>true</static><link name='f'/></model>"
    tied = model(
        "m",
        "<link name='a'/><joint name='j' type='revolute'><parent>world</parent><child>a</child>"
        "<axis><xyz>0 0 1</xyz></axis></joint>",
    )
    stage, _ = written(tmp_path, world(still + tied))
    floor = at(stage, "floor::f")
    assert floor
    assert not floor.HasAPI(UsdPhysics.RigidBodyAPI)
    assert WORLD not in [prim.GetName() for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    assert at(stage, "m").HasAPI(UsdPhysics.ArticulationRootAPI)


def test_a_frame_without_mass_has_a_token(tmp_path: Path) -> None:
    """UsdPhysics takes a mass of zero for unknown; the validators refuse moments of zero."""
    frame = (
        "<link name='frame'><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
    )
    hinges = "".join(
        f"<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>"
        f"<axis><xyz>{axis}</xyz></axis></joint>"
        for name, parent, child, axis in (("j", "world", "frame", "0 0 1"), ("k", "frame", "b", "0 1 0"))
    )
    stage, lost = written(tmp_path, world(model("m", f"{frame}</link>", link("b", mass=2.0), hinges)))
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    assert [error.GetMessage() for error in context.Validate(stage)] == []
    mass = UsdPhysics.MassAPI(at(stage, "m::frame"))
    assert mass.GetMassAttr().Get() == pytest.approx(0.002)
    assert mass.GetDiagonalInertiaAttr().Get()[0] == pytest.approx(0.001)
    assert ["no mass" in message for message in lost] == [True]
    assert stage.GetDefaultPrim().GetName() == "m"
