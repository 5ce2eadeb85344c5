"""`<fdir1>`: read in the frame that it names, carried by that frame's link, and written as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.writing.document import write_document as written
from simulator.model.material import FrictionDirection, Surface
from simulator.model.world import Document
from simulator.session.open.opening import open_document
from tests.helpers import documents

Write = Callable[..., Path]
HALF = math.sqrt(0.5)


def surface(attribute: str = "", xyz: str = "1 -1 0") -> str:
    ode = f"<ode><mu>0.8</mu><mu2>0.1</mu2><fdir1 {attribute}>{xyz}</fdir1></ode>"
    shape = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    return (
        f'<collision name="c"><pose>0 0 0 0 0 1</pose>{shape}<surface><friction>{ode}</friction></surface></collision>'
    )


def platform(attribute: str, xyz: str = "1 -1 0") -> str:
    """A wheel, and beside it a base that is turned by 90 degrees about z, with a frame turned by as much about x."""
    return documents.model(
        "m",
        documents.link("base", pose="0 0 0 0 0 1.5707963267948966"),
        documents.link("wheel", surface(attribute, xyz), pose="0 1 0 0 0 0.3"),
        '<frame name="skew" attached_to="base"><pose>1 2 3 1.5707963267948966 0 0</pose></frame>',
        documents.joint("j", "revolute", parent="base", child="wheel"),
    )


def surface_in(document: Document) -> Surface:
    models = document.worlds[0].models if document.worlds else document.root_models
    return next(c.surface for model in models for link in model.links for c in link.collisions)


def direction_in(document: Document) -> FrictionDirection:
    direction = surface_in(document).direction
    assert direction is not None
    return direction


@pytest.mark.parametrize("prefix", ["", "gz:", "ignition:"])
def test_the_attribute_may_have_the_prefix_of_gazebo(write_document: Write, prefix: str) -> None:
    read = read_document(write_document(documents.world(platform(f'{prefix}expressed_in="base"'))))
    direction = direction_in(read)
    assert (direction.xyz, direction.expressed_in, direction.link) == ((1.0, -1.0, 0.0), "base", "m::base")
    assert direction.xyz_link == pytest.approx((HALF, -HALF, 0.0), abs=1e-15)
    assert list(read.diagnostics) == []


@pytest.mark.parametrize(
    ("frame", "link", "expected"),
    [
        ("skew", "m::base", (HALF, 0.0, -HALF)),
        ("__model__", "m::base", (-HALF, -HALF, 0.0)),
        ("j", "m::wheel", (HALF, -HALF, 0.0)),
    ],
)
def test_a_frame_is_carried_by_its_link(
    write_document: Write, frame: str, link: str, expected: tuple[float, float, float]
) -> None:
    """A frame by the link that it is attached to, the model's by the canonical link, a joint's by the child."""
    direction = direction_in(read_document(write_document(documents.world(platform(f'gz:expressed_in="{frame}"')))))
    assert direction.link == link
    assert direction.xyz_link == pytest.approx(expected, abs=1e-15)


def test_without_a_name_it_is_the_collisions_frame(write_document: Write) -> None:
    direction = direction_in(read_document(write_document(documents.world(platform("")))))
    assert (direction.expressed_in, direction.link) == ("", "")
    assert direction.xyz_link == pytest.approx((HALF, -HALF, 0.0), abs=1e-15)


def test_a_static_model_is_the_world(write_document: Write) -> None:
    model = documents.model("m", "<static>true</static>", documents.link("a", surface('gz:expressed_in="__model__"')))
    assert direction_in(read_document(write_document(documents.world(model)))).link == "world"


def test_a_frame_that_does_not_exist_is_told(write_document: Write) -> None:
    read = read_document(write_document(documents.world(platform('gz:expressed_in="bass"'))))
    assert [(item.code, item.severity.value) for item in read.diagnostics] == [("ATTRIBUTE_INVALID", "warning")]
    assert "'bass', which does not exist in model 'm'" in read.diagnostics[0].message
    assert "did you mean 'base'?" in read.diagnostics[0].hint
    assert direction_in(read).link == ""


@pytest.mark.parametrize("attribute", ["", 'gz:expressed_in="skew"', 'ignition:expressed_in="base"'])
def test_it_is_written_as_it_was(write_document: Write, tmp_path: Path, attribute: str) -> None:
    document = read_document(write_document(documents.world(platform(attribute))))
    text = written(document, tmp_path).text
    again = tmp_path / "again.sdf"
    again.write_text(text, encoding="utf-8")
    assert surface_in(read_document(again)) == surface_in(document)
    assert ('xmlns:gz="http://gazebosim.org/schema"' in text) == bool(attribute)


def test_a_merged_include_keeps_its_frames(write_document: Write, tmp_path: Path) -> None:
    """`__model__` of what is included is another frame in what includes it."""
    inner = documents.document(platform('gz:expressed_in="__model__"'))
    (tmp_path / "inner.sdf").write_text(inner, encoding="utf-8")
    include = (
        f'<include merge="true"><uri>{tmp_path / "inner.sdf"}</uri><pose>0 0 0 0 0 1.5707963267948966</pose></include>'
    )
    read = read_document(write_document(documents.world(documents.model("outer", include))))
    direction = direction_in(read)
    assert direction.link == "outer::base"
    assert direction.xyz_link == pytest.approx((-HALF, -HALF, 0.0), abs=1e-12)


URDF = """<robot name="r" xmlns:gz="http://gazebosim.org/schema">
<link name="foot"/><joint name="base" type="fixed"><parent link="foot"/><child link="hull"/></joint>
<link name="hull"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="wheel" type="continuous"><parent link="hull"/><child link="wheel"/><axis xyz="0 1 0"/></joint>
<link name="wheel"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<gazebo reference="wheel"><mu1>0.9</mu1><mu2>0</mu2><fdir1 gz:expressed_in="FRAME">1 1 0</fdir1></gazebo></robot>"""


@pytest.mark.parametrize("frame", ["hull", "foot", "wheel"])
def test_the_tags_of_gazebo_in_a_urdf(write_document: Write, frame: str) -> None:
    """Also where the frame is a link that a fixed joint makes a part of another, or has the name of a joint."""
    opened = open_document(write_document(URDF.replace("FRAME", frame), name="robot.urdf"))
    found = surface_in(opened.document)
    assert (found.friction, found.friction2) == (0.9, 0.0)
    assert found.direction is not None
    assert found.direction.link.startswith("r::wheel" if frame == "wheel" else "r::foot")
    assert found.direction.xyz_link == pytest.approx((HALF, HALF, 0.0), abs=1e-15)
    assert [item.code for item in opened.diagnostics if item.code in ("NOT_SIMULATED", "ATTRIBUTE_INVALID")] == []
