"""FreeCAD's assemblies: small documents of our own in the notation of its Document.xml, against closed forms."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.formats.document import read_document

KINDS = (
    "Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel", "Perpendicular", "Angle",
    "RackPinion", "Screw", "Gears", "Belt",
)  # fmt: skip


def prop(name: str, kind: str, inside: str) -> str:
    return f'<Property name="{name}" type="App::Property{kind}">{inside}</Property>'


def place(name: str, x: float, y: float, z: float = 0.0, q: str = "0 0 0 1") -> str:
    turn = " ".join(f'Q{i}="{value}"' for i, value in enumerate(q.split()))
    return prop(name, "Placement", f'<PropertyPlacement Px="{x}" Py="{y}" Pz="{z}" {turn}/>')


def number(name: str, value: float) -> str:
    return prop(name, "Float", f'<Float value="{value}"/>')


def link(name: str, target: str, file: str = "") -> str:
    return prop(name, "XLink", f'<XLink file="{file}" stamp="" name="{target}"/>')


def group(*names: str) -> str:
    members = "".join(f'<Link value="{name}"/>' for name in names)
    return prop("Group", "LinkList", f'<LinkList count="{len(names)}">{members}</LinkList>')


def bar(name: str, x: float, y: float, length: float = 100.0) -> tuple[str, str, str]:
    sizes = number("Length", length) + number("Width", 10.0) + number("Height", 10.0)
    return name, "Part::Box", place("Placement", x, y) + sizes


def joint(
    name: str, kind: str, one: tuple[str, float, float], two: tuple[str, float, float], more: str = ""
) -> tuple[str, str, str]:
    sides = "".join(
        prop(
            f"Reference{side}",
            "XLinkSubHidden",
            f'<XLink file="" stamp="" name="Assembly" count="2"><Sub value="{path}"/><Sub value="{path}"/></XLink>',
        )
        + place(f"Placement{side}", x, y)
        for side, (path, x, y) in enumerate((one, two), start=1)
    )
    choice = prop("JointType", "Enumeration", f'<Integer value="{KINDS.index(kind)}"/>')
    return name, "App::FeaturePython", choice + sides + more


def ground(name: str) -> tuple[str, str, str]:
    return f"Ground_{name}", "App::FeaturePython", prop("ObjectToGround", "Link", f'<Link value="{name}"/>')


def save(path: Path, *objects: tuple[str, str, str]) -> Path:
    """An assembly of these objects (name, type, properties); those named `_…` are not in its group."""
    members = [name for name, _, _ in objects if not name.startswith("_")]
    everything = [("Assembly", "Assembly::AssemblyObject", group(*members)), *objects]
    listed = "".join(f'<Object type="{kind}" name="{name}" id="{i}"/>' for i, (name, kind, _) in enumerate(everything))
    data = "".join(
        f'<Object name="{name}"><Properties>{inside}</Properties></Object>\n' for name, _, inside in everything
    )
    text = "<?xml version='1.0' encoding='utf-8'?>\n<Document SchemaVersion=\"4\" FileVersion=\"1\">\n"
    text += f"<Objects>{listed}</Objects>\n<ObjectData>\n{data}</ObjectData>\n</Document>\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Document.xml", text)
        archive.writestr("PartShape.brp", "not read")
    return path


def codes(path: Path) -> list[str]:
    return [f"{item.severity.value} {item.code}" for item in read_document(path).diagnostics]


STANDING = f"{math.sqrt(0.5)} 0 0 {math.sqrt(0.5)}"
"""Turned by a right angle about x: y of a part is up."""


def test_a_pendulum_swings_as_its_box_does(tmp_path: Path) -> None:
    """A bar of 100 x 10 x 10 mm that turns about an edge: J w^2 / 2 = m g (drop of its centre), at every moment."""
    parts = [(name, kind, inside) for name, kind, inside in (bar("Base", 0, 0), bar("Crank", 0, 0))]
    stood = [
        (name, kind, place("Placement", 0, 0, 0, STANDING) + inside.split("</Property>", 1)[1])
        for name, kind, inside in parts
    ]
    pivot = joint("A", "Revolute", ("Base.Face1", 0, 0), ("Crank.Face1", 0, 0))
    sim = simulator.load(save(tmp_path / "p.FCStd", *stood, ground("Base"), pivot), dt=1e-4)
    run = sim.run(1.0)
    angle, speed = run["A/position"], run["A/velocity"]
    mass, arm = 0.01, math.hypot(0.05, 0.005)
    inertia = mass / 12.0 * (0.1**2 + 0.01**2) + mass * arm * arm
    start = math.atan2(0.005, 0.05)
    drop = arm * (math.sin(start) - np.sin(start + angle))
    assert np.ptp(angle) > 3.0
    assert np.max(np.abs(0.5 * inertia * speed**2 - 9.8 * mass * drop)) < 1e-9 * 9.8 * mass * arm


def four_bar(path: Path, *more: tuple[str, str, str]) -> Path:
    """Bars of 100, 100 and 100 mm on pivots 100 mm apart: a parallelogram, whose rocker turns as its crank. `more`
    replaces joints of the same name."""
    bars = [bar("Base", 0, -10), bar("Crank", 0, 0), bar("Coupler", 100, 0), bar("Rocker", 100, -10)]
    bars[1] = ("Crank", "Part::Box", place("Placement", 0, 0, 0, TURNED) + bars[1][2].split("</Property>", 1)[1])
    bars[2] = ("Coupler", "Part::Box", place("Placement", 0, 100) + bars[2][2].split("</Property>", 1)[1])
    bars[3] = ("Rocker", "Part::Box", place("Placement", 100, 0, 0, TURNED) + bars[3][2].split("</Property>", 1)[1])
    joints = (
        joint("A", "Revolute", ("Base.Face1", 0, 10), ("Crank.Face1", 0, 0)),
        joint("B", "Revolute", ("Crank.Face1", 100, 0), ("Coupler.Face1", 0, 0)),
        joint("C", "Revolute", ("Coupler.Face1", 100, 0), ("Rocker.Face1", 100, 0)),
        joint("D", "Revolute", ("Base.Face1", 100, 10), ("Rocker.Face1", 0, 0)),
    )
    other = {name for name, _, _ in more}
    return save(path, *bars, ground("Base"), *(one for one in joints if one[0] not in other), *more)


TURNED = f"0 0 {math.sqrt(0.5)} {math.sqrt(0.5)}"
"""By a right angle about z."""


def test_a_four_bar_closes(tmp_path: Path) -> None:
    path = four_bar(tmp_path / "four.FCStd")
    assert codes(path) == ["warning INERTIA_ESTIMATED"]
    sim = simulator.load(path)
    assert sim.mobility == 1
    sim.drive("A", simulator.velocity(1.0))
    run = sim.run(0.5)
    assert np.max(np.abs(run["A/position"] - run["D/position"])) < 1e-12
    assert run.summary.max_loop_residual_m < 1e-12
    assert np.allclose(sim.pose("assembly::Coupler")[:2, 3], (0.1 * -math.sin(0.5), 0.1 * math.cos(0.5)), atol=1e-9)


def test_a_planar_loop_whose_parts_lie_at_different_heights_moves_in_its_plane(tmp_path: Path) -> None:
    """As FreeCAD's solver has it: the rocker's pin is 2 mm above the ground's, along the axis of all joints."""
    lifted = joint("D", "Revolute", ("Base.Face1", 100, 10), ("Rocker.Face1", 0, 0))
    lifted = (lifted[0], lifted[1], lifted[2].replace('Pz="0.0"', 'Pz="2.0"', 1))
    path = four_bar(tmp_path / "lifted.FCStd", lifted)
    assert codes(path) == ["warning INERTIA_ESTIMATED", "warning ASSEMBLY_NOT_READ"]
    sim = simulator.load(path)
    assert sim.mobility == 1
    sim.drive("A", simulator.velocity(1.0))
    run = sim.run(0.5)
    assert np.max(np.abs(run["A/position"] - run["D/position"])) < 1e-12
    assert run.summary.max_loop_residual_m < 1e-12


def test_a_loop_that_a_slide_along_the_axis_can_close_is_closed(tmp_path: Path) -> None:
    lifted = joint("D", "Cylindrical", ("Base.Face1", 100, 10), ("Rocker.Face1", 0, 0))
    lifted = (lifted[0], lifted[1], lifted[2].replace('Pz="0.0"', 'Pz="2.0"', 1))
    path = four_bar(tmp_path / "lifted.FCStd", lifted)
    assert codes(path) == ["warning INERTIA_ESTIMATED", "info INERTIA_ESTIMATED"]
    assert simulator.load(path).run(0.1).summary.max_loop_residual_m < 1e-12


def test_frames_below_parts_and_links_to_other_files(tmp_path: Path) -> None:
    """The frame of a joint counts from the body in a part, and a link shows a body of another document."""
    body = ("_Body", "PartDesign::Body", place("Placement", 30.0, 0.0))
    part = ("Arm", "App::Part", place("Placement", 0.0, 50.0) + group("_Body"))
    save(tmp_path / "wheel.FCStd", ("_Wheel", "Part::Cylinder", number("Radius", 20.0) + number("Height", 5.0)))
    wheel = ("Wheel", "App::Link", place("Placement", 70.0, 50.0) + link("LinkedObject", "_Wheel", "wheel.FCStd"))
    pivot = joint("A", "Revolute", ("Base.Face1", 0, 50), ("Arm._Body.Pad.Edge1", -30, 0))
    axle = joint("B", "Revolute", ("Arm._Body.Face1", 40, 0), ("Wheel.Edge1", 0, 0))
    path = save(tmp_path / "a.FCStd", bar("Base", 0, 0), part, body, wheel, ground("Base"), pivot, axle)
    sim = simulator.load(path)
    assert sim.pose("assembly::Wheel")[:3, 3].tolist() == pytest.approx([0.07, 0.05, 0.0], abs=1e-15)
    sim.set({"A": math.pi / 2.0})
    assert sim.pose("assembly::Wheel")[:3, 3].tolist() == pytest.approx([0.0, 0.12, 0.0], abs=1e-15)
    links = {each.name: each for each in read_document(path).worlds[0].models[0].links}
    assert links["assembly::Wheel"].inertial.mass == pytest.approx(1000.0 * math.pi * 0.02**2 * 0.005)


def test_gears_belts_and_limits(tmp_path: Path) -> None:
    """Gears turn against each other and belts with each other, by the ratio of their radii; limits are in degrees."""
    bounds = number("AngleMax", 90.0) + prop("EnableAngleMax", "Bool", '<Bool value="true"/>')
    radii = number("Distance", 10.0) + number("Distance2", 30.0)
    for kind, ratio in (("Gears", -1.0 / 3.0), ("Belt", 1.0 / 3.0)):
        path = save(
            tmp_path / f"{kind}.FCStd",
            *(bar("Base", 0, 0), bar("One", 0, 0), bar("Two", 40, 0), ground("Base")),
            joint("A", "Revolute", ("Base.Face1", 0, 0), ("One.Face1", 0, 0), bounds),
            joint("B", "Revolute", ("Base.Face1", 40, 0), ("Two.Face1", 0, 0)),
            joint("G", kind, ("One.Face1", 0, 0), ("Two.Face1", 0, 0), radii),
        )
        sim = simulator.load(path)
        sim.set({"A": 0.3})
        assert sim.positions["B"] == pytest.approx(0.3 * ratio, rel=1e-12)
        axes = {each.name: each.axes[0] for each in read_document(path).worlds[0].models[0].joints if each.axes}
        assert axes["assembly::A"].upper == pytest.approx(math.pi / 2.0)


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.FCStd",
        *(bar("Base", 0, 0), bar("Arm", 0, 0), ground("Base")),
        joint("P", "RackPinion", ("Base.Face1", 0, 0), ("Arm.Face1", 0, 0)),
        joint("F", "Distance", ("Base.Face1", 0, 0), ("Arm.Face1", 0, 0)),
        joint("V", "Distance", ("Base.Vertex1", 0, 0), ("Arm.Vertex1", 50, 0), number("Distance", 50.0)),
        joint(
            "S", "Slider", ("Base.Face1", 0, 0), ("Arm.Face1", 0, 0), prop("Suppressed", "Bool", '<Bool value="true"/>')
        ),
    )
    found = [item for item in read_document(path).diagnostics if item.code == "ASSEMBLY_NOT_READ"]
    assert [item.message[-3:] for item in found] == ["'P'", "'F'"]
    assert all(item.line > 0 for item in found)
    assert {each.name for each in read_document(path).worlds[0].models[0].joints} >= {"assembly::V_ball"}


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "PARSING_ERROR"), (b"PK\x03\x04 no zip", "PARSING_ERROR"), (None, "PARSING_ERROR")],
)
def test_what_is_no_assembly(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "a.FCStd"
    if content is None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("Document.xml", "<Document><Objects/><ObjectData/></Document>")
    else:
        path.write_bytes(content)
    assert code in [item.code for item in read_document(path).diagnostics]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    path = four_bar(tmp_path / "a.FCStd", joint("E", "Fixed", ("Base.Face1", math.nan, 0), ("Crank.Face1", 0, 0)))
    errors = [item for item in read_document(path).diagnostics if item.severity.value == "error"]
    assert [item.code for item in errors][:1] == ["PARSING_ERROR"]
    assert "Placement1 of 'E'" in errors[0].message
