"""Assemblies of OndselSolver: what their joints hold, against the equations that its constraints are; motions, gears,
springs and limits against closed forms."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.formats.document import read_document
from simulator.model.world import Document
from simulator.session.batch.conversion import convert_document
from simulator.spatial.pose import IDENTITY, Pose
from tests.unit.formats.asmt.assemblies import assembly, force, item, joint, part

FREE = {
    "FixedJoint": 0, "RevoluteJoint": 1, "TranslationalJoint": 1, "CylindricalJoint": 2, "SphericalJoint": 3,
    "UniversalJoint": 2, "PlanarJoint": 3, "PointInPlaneJoint": 5, "PointInLineJoint": 4, "LineInPlaneJoint": 4,
    "ParallelAxesJoint": 4, "NoRotationJoint": 3, "RevRevJoint": 2, "RevCylJoint": 3, "CylSphJoint": 5,
    "SphSphJoint": 5, "PerpendicularJoint": 5, "AngleJoint": 5,
    "ConstantVelocityJoint": 2,
}  # fmt: skip
"""Freedoms of a body that a joint of the kind ties to the ground."""
BAR = 0.5
ANGLE = 0.7
"""Of an AngleJoint [rad]."""
EXACT = 1e-9
"""Far above the round-off of half a second of steps, far below what a wrong axis would do."""


def write(folder: Path, text: str) -> Path:
    path = folder / "assembly.asmt"
    path.write_text(text, encoding="utf-8")
    return path


def findings(document: Document) -> list[str]:
    return [f"{item.code} {item.line} {item.message}" for item in document.diagnostics if item.severity != "info"]


def gap(kind: str, X_IJ: Pose) -> float:
    """The largest violation of the constraints of a joint [m or 1]."""
    R, (x, y, z) = X_IJ.rotation(), X_IJ.position
    parallel, across = [R[2, 0], R[2, 1], R[0, 2], R[1, 2]], [R[2, 2]]
    angles = [*(R - np.eye(3)).ravel()]
    distance = math.hypot(x, y) - BAR
    found = {
        "FixedJoint": [x, y, z, *angles],
        "RevoluteJoint": [x, y, z, *parallel],
        "TranslationalJoint": [x, y, *angles],
        "CylindricalJoint": [x, y, *parallel],
        "SphericalJoint": [x, y, z],
        "UniversalJoint": [x, y, z, *across],
        "PlanarJoint": [z, *parallel],
        "PointInPlaneJoint": [z],
        "PointInLineJoint": [x, y],
        "LineInPlaneJoint": [z, *across],
        "ParallelAxesJoint": parallel,
        "NoRotationJoint": angles,
        "PerpendicularJoint": across,
        "AngleJoint": [R[2, 2] - math.cos(ANGLE)],
        "ConstantVelocityJoint": [x, y, z, R[0, 1] + R[1, 0]],
        "RevRevJoint": [z, distance, *parallel],
        "RevCylJoint": [distance, *parallel],
        "CylSphJoint": [distance],
        "SphSphJoint": [math.sqrt(x * x + y * y + z * z) - BAR],
    }
    return float(np.max(np.abs(found[kind])))


def turned(*rpy: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Pose:
    return Pose.from_rpy(at, (rpy[0], rpy[1], rpy[2]))


@pytest.mark.parametrize("ground_is_j", [False, True])
@pytest.mark.parametrize("kind", FREE)
def test_a_joint_holds_what_its_constraints_say(kind: str, tmp_path: Path, *, ground_is_j: bool) -> None:
    """A body, put down 0.1 m and 0.2 rad away from what its joint allows, falls for half a second."""
    X_WG, X_BK = turned(0.4, -0.3, 0.2, at=(0.1, 0.2, 0.3)), turned(-0.2, 0.1, 0.5, at=(0.05, -0.1, 0.2))
    near = turned(
        math.pi / 2.0 if kind in ("UniversalJoint", "LineInPlaneJoint", "PerpendicularJoint") else 0.2,
        0.1,
        0.15,
        at=(0.4, 0.1, 0.2),
    )
    X_WB = X_WG @ (near.inverse() if ground_is_j else near) @ X_BK.inverse()
    body = part("body", {"K": X_BK}, X_WB, centre=turned(0.1, 0.2, 0.3, at=(0.3, 0.1, -0.1)))
    ends = ("body/K", "G") if ground_is_j else ("G", "body/K")
    bar = {"distanceIJ": BAR} if "RevRev RevCyl CylSph SphSph".find(kind.removesuffix("Joint")) >= 0 else {}
    bar |= {"theIzJz": ANGLE} if kind == "AngleJoint" else {}
    path = write(tmp_path, assembly({"G": X_WG}, body, joint(kind, "it", *ends, **bar)))
    assert findings(read_document(path)) == []
    sim = simulator.load(path)
    assert sim.mobility == FREE[kind]
    run = sim.run(0.5)
    poses = np.asarray(run.poses("assembly::body"))
    for matrix in (poses[0], poses[-1]):
        X_GK = X_WG.inverse() @ Pose.from_matrix(matrix) @ X_BK
        assert gap(kind, X_GK.inverse() if ground_is_j else X_GK) < EXACT
    moved = np.max(np.abs(poses[-1] - poses[0]))
    assert (moved > 1e-3) == (FREE[kind] > 0)


CRANK, ROD = 0.1, 0.35


def slider_crank(motion: str, first: float = 0.3) -> str:
    """In the plane x y, driven at the ground; the slide is a cylindrical joint, as FreeCAD's piston has it."""
    c, s = CRANK * math.cos(first), CRANK * math.sin(first)
    rod = math.asin(s / ROD)
    along_x = turned(0.0, math.pi / 2.0, 0.0)
    parts = (
        part("crank", {"a": IDENTITY, "b": turned(0, 0, 0, at=(CRANK, 0.0, 0.0))}, turned(0, 0, first))
        + part("rod", {"a": IDENTITY, "b": turned(0, 0, 0, at=(ROD, 0.0, 0.0))}, turned(0, 0, -rod, at=(c, s, 0.0)))
        + part("piston", {"pin": IDENTITY, "axis": along_x}, turned(0, 0, 0, at=(c + ROD * math.cos(rod), 0.0, 0.0)))
    )
    joints = (
        joint("RevoluteJoint", "drive", "main", "crank/a")
        + joint("RevoluteJoint", "pin", "crank/b", "rod/a")
        + joint("RevoluteJoint", "wrist", "rod/b", "piston/pin")
        + joint("CylindricalJoint", "slide", "piston/axis", "bore")
    )
    moved = item("RotationalMotion", "motor", MotionJoint="/A/drive", RotationZ=motion)
    return assembly({"main": IDENTITY, "bore": along_x}, parts, joints, moved)


@pytest.mark.parametrize(
    ("motion", "angle"),
    [
        ("2.0d*pi*time", lambda t: 2.0 * math.pi * t),
        ("0.5d + 0.3d*sin(4.0d*pi*time - pi/2.0d)", lambda t: 0.5 + 0.3 * math.sin(4.0 * math.pi * t - math.pi / 2.0)),
        (
            '"a window"<n>0.2*time^2<n>+<n>(1/pi)*arctan(time - 0.5)',
            lambda t: 0.2 * t * t + math.atan(t - 0.5) / math.pi,
        ),
    ],
)
def test_a_driven_slider_crank(motion: str, angle: Any, tmp_path: Path) -> None:
    """x = r cos θ + sqrt(l² − r² sin² θ), whatever angle the document has the crank at. A motor at one velocity
    holds it at the middle and the ends of each step, and is of fourth order between; one that follows a sine is of
    second order, (0.3 · (4π)³ / 24) dt² = 2.5e-5 rad for steps of 1 ms, times the radius."""
    path = write(tmp_path, slider_crank(motion))
    run = driven(path).run(1.0)
    found = np.asarray(run.poses("assembly::piston"))[:, 0, 3]
    angles = np.array([angle(t) for t in np.asarray(run["time"])])
    wanted = CRANK * np.cos(angles) + np.sqrt(ROD**2 - (CRANK * np.sin(angles)) ** 2)
    assert np.max(np.abs(found - wanted)) < (1e-5 if "(" in motion else 1e-7)


def driven(path: Path) -> simulator.Simulation:
    """With the drives of its document."""
    sim = simulator.load(path)
    make = {"velocity": simulator.velocity, "position": simulator.position}
    for drive in read_document(path).world().drives:
        sim.drive(f"assembly::{drive.axis}", make[drive.kind](drive.profile))
    return sim


def test_the_motor_feels_what_the_document_says(tmp_path: Path) -> None:
    """The efforts of the drive are those of the same mechanism written in SDFormat, with a plain slide."""
    path = write(tmp_path, slider_crank("2.0d*pi*time"))
    converted = convert_document(path, tmp_path)
    sdf = tmp_path / "converted.sdf"
    sdf.write_text(converted.text, encoding="utf-8")
    efforts = []
    for source in (path, sdf):
        sim = simulator.load(source)
        sim.drive("assembly::drive", simulator.velocity(2.0 * math.pi))
        efforts.append(np.asarray(sim.run(0.2)["joint/assembly::drive/effort"]))
    assert np.allclose(efforts[0], efforts[1], rtol=1e-6, atol=1e-6)


def two_wheels(coupling: str, second: str = "RevoluteJoint") -> str:
    parts = part("one", {"a": IDENTITY}) + part("two", {"b": IDENTITY}, turned(0, 0, 0, at=(3.0, 0.0, 0.0)))
    joints = joint("RevoluteJoint", "j1", "g1", "one/a") + joint(second, "j2", "g2", "two/b") + coupling
    return assembly({"g1": IDENTITY, "g2": turned(0, 0, 0, at=(3.0, 0.0, 0.0))}, parts, joints)


@pytest.mark.parametrize("reversed_ends", [False, True])
def test_gears_roll_on_each_other(tmp_path: Path, *, reversed_ends: bool) -> None:
    """Radii 1 and 2: the second turns back at half the rate."""
    ends = ("two/b", "one/a") if reversed_ends else ("one/a", "two/b")
    radii = {"radiusI": 2.0, "radiusJ": 1.0} if reversed_ends else {"radiusI": 1.0, "radiusJ": 2.0}
    path = write(tmp_path, two_wheels(joint("GearJoint", "gear", *ends, **radii)))
    assert findings(read_document(path)) == []
    sim = simulator.load(path)
    leader, rate = ("j2", -0.5) if reversed_ends else ("j1", 1.0)
    sim.drive(f"assembly::{leader}", simulator.velocity(rate))
    sim.run(0.5)
    assert sim.positions["assembly::j1"] == pytest.approx(0.5, abs=EXACT)
    assert sim.positions["assembly::j2"] == pytest.approx(-0.25, abs=EXACT)


def test_a_screw_advances_by_its_pitch(tmp_path: Path) -> None:
    body = part("nut", {"k": IDENTITY})
    joints = joint("CylindricalJoint", "guide", "g", "nut/k") + joint("ScrewJoint", "thread", "g", "nut/k", pitch=0.01)
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joints))
    sim = simulator.load(path)
    sim.drive("assembly::guide_turn", simulator.velocity(2.0 * math.pi))
    run = sim.run(1.0)
    assert np.asarray(run.poses("assembly::nut"))[-1, 2, 3] == pytest.approx(0.01, abs=EXACT)


@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("ground_first", [False, True])
def test_a_rack_goes_where_its_pinion_rolls(tmp_path: Path, *, ground_first: bool, upside_down: bool) -> None:
    """A pinion of radius 0.2 that turns by 0.5 rad about z takes a rack below it along +x by 0.1, whichever way the
    markers of its slide look and its pinion's joint is written (RackPinConstraintIJ: x + pitchRadius · angle of J in
    I)."""
    along = turned(0.0, -math.pi / 2.0 if upside_down else math.pi / 2.0, 0.0, at=(0.0, -0.2, 0.0))
    parts = part("pinion", {"a": IDENTITY}) + part(
        "rack", {"slide": along, "teeth": turned(0, 0, 0, at=(0.0, -0.2, 0.0))}
    )
    ends = ("centre", "pinion/a") if ground_first else ("pinion/a", "centre")
    joints = joint("RevoluteJoint", "j1", *ends) + joint("TranslationalJoint", "j2", "rail", "rack/slide")
    joints += joint("RackPinionJoint", "mesh", "rack/teeth", "pinion/a", pitchRadius=0.2)
    path = write(tmp_path, assembly({"centre": IDENTITY, "rail": along}, parts, joints))
    assert findings(read_document(path)) == []
    sim = simulator.load(path)
    sim.drive("assembly::j2", simulator.velocity(0.2 * (-1.0 if upside_down else 1.0)))
    run = sim.run(0.5)
    pinion, rack = (np.asarray(run.poses(f"assembly::{name}"))[-1] for name in ("pinion", "rack"))
    assert rack[0, 3] == pytest.approx(0.1, abs=EXACT)
    assert math.atan2(pinion[1, 0], pinion[0, 0]) == pytest.approx(0.5, abs=EXACT)


def test_a_rack_across_its_slide_is_a_finding(tmp_path: Path) -> None:
    coupling = joint("RackPinionJoint", "mesh", "two/b", "one/a", pitchRadius=0.2)
    (found,) = findings(read_document(write(tmp_path, two_wheels(coupling, "TranslationalJoint"))))
    assert "slide and turn" in found


def test_a_spring_has_its_period(tmp_path: Path) -> None:
    """Tension 40 (r − 0.5) on 2 kg: a quarter of a period, π/2 sqrt(m/k), from rest at 0.8 to the free length."""
    body = part("mass", {"k": IDENTITY}, turned(0, 0, 0, at=(0.0, 0.0, 0.8)))
    joints = joint("TranslationalJoint", "guide", "g", "mass/k")
    forces = force("spring", "g", "mass/k", "(0.0d + 40.0d*(rIJ(self) + (-0.5d)) + 0.0d*vrIJ(self))")
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joints, forces=forces, gravity="0.0\t0.0\t0.0"))
    assert findings(read_document(path)) == []
    sim = simulator.load(path)
    quarter = 0.5 * math.pi * math.sqrt(2.0 / 40.0)
    run = sim.run(quarter + 0.002)
    height = np.interp(quarter, np.asarray(run["time"]), np.asarray(run.poses("assembly::mass"))[:, 2, 3])
    assert height == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    "values",
    [
        {"MotionJoint": "/A/guide", "limit": "-0.1d", "type": "=>", "tol": "1.0e-9"},
        {"MarkerI": "/A/g", "MarkerJ": "/A/mass/k", "MotionJoint": "", "Limit": "-0.1", "Type": "=>", "Tol": "1.0e-9"},
    ],
)
def test_limits_bound_the_way(values: dict[str, str], tmp_path: Path) -> None:
    """By the name of the joint, and by its markers, as FreeCAD writes it."""
    body = part("mass", {"k": IDENTITY})
    joints = joint("TranslationalJoint", "guide", "g", "mass/k")
    limits = item("TranslationLimit", "low", **values)
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joints, limits=limits))
    sim = simulator.load(path)
    sim.run(0.5)
    assert sim.positions["assembly::guide"] == pytest.approx(-0.1, abs=1e-9)


def test_a_part_starts_as_it_moves_in_the_document(tmp_path: Path) -> None:
    body = part("bar", {"k": IDENTITY}, omega=(0.0, 0.0, 3.0))
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joint("RevoluteJoint", "pin", "bar/k", "g")))
    assert abs(simulator.load(path).velocities["assembly::pin"]) == pytest.approx(3.0, abs=1e-12)


def test_a_part_on_a_ball_starts_as_it_turns(tmp_path: Path) -> None:
    """Beside a cart that rests: its rate of zero counts, too, although the bar alone would push it along."""
    spin = (1.0, -2.0, 0.5)
    X_WG = turned(0.0, 0.5 * math.pi, 0.0)
    bodies = part("cart", {"k": X_WG, "ball": IDENTITY})
    bodies += part(
        "bar",
        {"k": turned(0.0, 0.0, 0.0, at=(0.0, 0.0, 0.4))},
        turned(0, 0, 0, at=(0, 0, -0.4)),
        omega=spin,
        velocity=(0.8, 0.4, 0.0),
    )
    joints = joint("TranslationalJoint", "rail", "g", "cart/k") + joint("SphericalJoint", "pin", "cart/ball", "bar/k")
    path = write(tmp_path, assembly({"g": X_WG}, bodies, joints))
    assert findings(read_document(path)) == []
    sim = simulator.load(path)
    assert sim.velocities["assembly::rail"] == pytest.approx(0.0, abs=1e-12)
    motion = np.asarray(sim.jacobian("assembly::bar") @ sim.independent_velocities)
    np.testing.assert_allclose(motion[:3], spin, atol=1e-12)


@pytest.mark.parametrize(
    "kind", ["FixedJoint", "RevoluteJoint", "CylindricalJoint", "PlanarJoint", "TranslationalJoint"]
)
def test_axes_may_point_against_each_other(kind: str, tmp_path: Path) -> None:
    """OndselSolver's joints make axes perpendicular to others, which leaves open which way they point: the part stays
    as the document has it, and is not turned over."""
    over = turned(math.pi, 0.0, 0.0)
    body = part("bar", {"k": over})
    document = read_document(write(tmp_path, assembly({"g": IDENTITY}, body, joint(kind, "pin", "g", "bar/k"))))
    X_WL = next(link.X_WL for link in document.world().models[0].links if link.name.endswith("bar"))
    np.testing.assert_allclose(X_WL.matrix(), np.eye(4), atol=1e-12)


def test_sketches_are_drawn(tmp_path: Path) -> None:
    tabs = "\t\t\t\t"

    def extruded(graphic: str) -> str:
        sketch = f"{tabs}\tSketch\n{tabs}\t\tName\n{tabs}\t\t\ts\n{tabs}\t\tPosition3D\n{tabs}\t\t\t0.0\t0.0\t0.0\n"
        sketch += f"{tabs}\t\tRotationMatrix\n" + "".join(f"{tabs}\t\t\t{row}\n" for row in ("1 0 0", "0 1 0", "0 0 1"))
        ends = f"{tabs}\tzStart\n{tabs}\t\t0.0\n{tabs}\tzEnd\n{tabs}\t\t0.1\n"
        return f"{tabs}Extrusion\n{ends}{sketch}{tabs}\t\tGraphics\n{graphic}"

    place = f"{tabs}\t\t\t\tPosition2D\n{tabs}\t\t\t\t\t0.2\t0.3\n{tabs}\t\t\t\tAngle\n{tabs}\t\t\t\t\t0.0\n"
    sides = f"{tabs}\t\t\t\txLength\n{tabs}\t\t\t\t\t1.0\n{tabs}\t\t\t\tyLength\n{tabs}\t\t\t\t\t0.4\n"
    box = f"{tabs}\t\t\tRectangle\n{place}{sides}"
    disc = f"{tabs}\t\t\tCircle\n{place}{tabs}\t\t\t\tRadius\n{tabs}\t\t\t\t\t0.5\n"
    curve = f"{tabs}\t\t\tPolyline\n{place}"
    body = part("bar", {"k": IDENTITY}, sketch=extruded(box) + extruded(disc) + extruded(curve))
    document = read_document(write(tmp_path, assembly({}, body)))
    (link,) = document.world().models[0].links
    shapes = [(type(visual.shape).__name__, visual.X_LV.position) for visual in link.visuals]
    assert shapes == [("Box", (0.7, 0.5, 0.05)), ("Cylinder", (0.2, 0.3, 0.05))]
    assert any("Polyline" in found.message for found in document.diagnostics)


def test_what_is_not_read_is_a_finding_in_its_line(tmp_path: Path) -> None:
    body = part("bar", {"k": IDENTITY})
    joints = joint("RevoluteJoint", "pin", "g", "bar/k") + joint("CurveCurveContact", "cam", "g", "bar/k")
    motions = item("RotationalMotion", "m", MotionJoint="/A/pin", RotationZ="rIJ*time")
    motions += item("GeneralMotion", "n", MarkerI="/A/g", MarkerJ="/A/bar/k")
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joints, motions))
    lines = path.read_text().split("\n")
    found = findings(read_document(path))
    assert [text.split()[0] for text in found] == ["ASSEMBLY_NOT_READ"] * 3
    wanted = {"CurveCurveContact", "RotationalMotion", "GeneralMotion"}
    assert {lines[int(text.split()[1]) - 1].strip() for text in found} == wanted


@pytest.mark.parametrize("bend", [0.4, 1.2])
def test_a_joint_of_constant_velocity_turns_both_shafts_alike(bend: float, tmp_path: Path) -> None:
    """Two shafts on hinges that meet at an angle, each with z towards the joint's other side: at any bend, and at any
    moment, the second turns against its z as far as the first turns about its own (a Hooke's joint would not)."""
    first, second = IDENTITY, turned(0.0, math.pi - bend, 0.0)
    bodies = part("input", {"in": IDENTITY, "bearing": IDENTITY}, first)
    bodies += part("output", {"out": IDENTITY, "bearing": IDENTITY}, second)
    joints = joint("RevoluteJoint", "one", "g", "input/bearing") + joint("RevoluteJoint", "two", "h", "output/bearing")
    joints += joint("ConstantVelocityJoint", "cv", "input/in", "output/out")
    moved = item("RotationalMotion", "motor", MotionJoint="/A/one", RotationZ="3.0*time")
    sim = driven(write(tmp_path, assembly({"g": first, "h": second}, bodies, joints, moved)))
    assert sim.mobility == 1
    run = sim.run(1.0)
    np.testing.assert_allclose(run["one/position"][-1], 3.0, atol=1e-6)
    np.testing.assert_allclose(run["two/position"], -run["one/position"], atol=EXACT)


def test_a_general_motion_leads_a_part_along_a_curve(tmp_path: Path) -> None:
    """rIJI of marker J in marker I, over time; the part does not turn."""
    X_WG = turned(0.3, 0.2, 0.1, at=(0.1, 0.0, 0.2))
    moved = item(
        "GeneralMotion", "lead", MarkerI="/A/g", MarkerJ="/A/body/k",
        rIJI1="1 + 1*sin(1*time - 0)", rIJI2="0.5*time", rIJI3="0.2", angIJJ1="0", angIJJ2="0", angIJJ3="0",
    )  # fmt: skip
    body = part("body", {"k": IDENTITY}, X_WG @ turned(0.0, 0.0, 0.0, at=(1.0, 0.0, 0.2)))
    path = write(tmp_path, assembly({"g": X_WG}, body, "", moved))
    assert findings(read_document(path)) == []
    run = driven(path).run(1.0)
    X_GK = X_WG.inverse() @ Pose.from_matrix(np.asarray(run.poses("body"))[-1])
    np.testing.assert_allclose(X_GK.position, (1.0 + math.sin(1.0), 0.5, 0.2), atol=2e-6)
    np.testing.assert_allclose(X_GK.rotation(), np.eye(3), atol=EXACT)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("/A/bar/k", "/A/bar/nothing", "which does not exist"),
        ("\t\t\t\tMass\n\t\t\t\t\t2.0", "\t\t\t\tMass\n\t\t\t\t\ttwo", "Mass of 'PrincipalMassMarker'"),
        ("\tName\n\t\t\t\tbar", "\tName\n\t\t\t\tbar\n\t\tPart", "RotationMatrix|Position3D|PrincipalMassMarker"),
        ("Assembly\n\tNotes", "Something\n\tNotes", "no Assembly"),
    ],
)
def test_a_fault_is_an_error_with_a_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    body = part("bar", {"k": IDENTITY})
    text = assembly({"g": IDENTITY}, body, joint("RevoluteJoint", "pin", "g", "bar/k"))
    assert old in text
    document = read_document(write(tmp_path, text.replace(old, new)))
    errors = [found for found in document.diagnostics if found.is_error]
    assert any(word in errors[0].message for word in says.split("|"))
    assert errors[0].line >= 1


def test_masses_of_one_are_doubted(tmp_path: Path) -> None:
    body = part("bar", {"k": IDENTITY}, mass=1.0, moments=(1.0, 1.0, 1.0))
    path = write(tmp_path, assembly({"g": IDENTITY}, body, joint("RevoluteJoint", "pin", "g", "bar/k")))
    assert "FreeCAD writes where it knows none" in findings(read_document(path))[0]


def test_no_mutation_raises(tmp_path: Path) -> None:
    """Lines lost, doubled, swapped, cut or indented anew: each is read or refused with an error."""
    lines = slider_crank("2.0d*pi*time").split("\n")
    dice = random.Random(5)
    for _ in range(150):
        mutated = list(lines)
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(mutated))
            match dice.randrange(5):
                case 0:
                    del mutated[place]
                case 1:
                    mutated.insert(place, mutated[dice.randrange(len(mutated))])
                case 2:
                    mutated[place] = mutated[place][: dice.randint(0, len(mutated[place]))]
                case 3:
                    mutated[place] = "\t" + mutated[place]
                case _:
                    mutated[place] = mutated[place].replace("0", "nan").replace("1", "-1e300")
        read_document(write(tmp_path, "\n".join(mutated)))
