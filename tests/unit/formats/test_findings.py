"""Every mistake in a document is reported at its line and with a remedy: nothing is ignored, nothing raises."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from tests.helpers import documents
from tests.helpers.documents import joint, link, model, world

Write = Callable[..., Path]
PAIR = (link("a"), link("b"))
BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def hinge(*elements: str) -> str:
    return joint("j", "revolute", *elements, parent="a", child="b")


def robot(*elements: str, of_a: str = "") -> str:
    """A URDF of the links a (line 2) and b (line 3); the first further element stands on line 4."""
    links = (f'<link name="a">{BODY}{of_a}</link>', f'<link name="b">{BODY}</link>')
    return "\n".join(['<robot name="r">', *links, *elements, "</robot>", ""])


def urdf_joint(kind: str, *elements: str) -> str:
    inside = "".join(elements)
    return f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint>'


TIED = urdf_joint("fixed")
TURNING = '<axis xyz="0 0 1"/><limit effort="1" velocity="1"/>'

SDF = {
    "units behind a number": (
        model_text := world(model("m", '<link name="a"><inertial><mass>5kg</mass></inertial></link>')),
        "warning ELEMENT_INVALID 4",
        "'kg' in <mass> is not read; only 5 counts",
        "SI units",
    ),
    "decimal comma": (
        model_text.replace("5kg", "1,5"),
        "warning ELEMENT_INVALID 4",
        "',5' in <mass> is not read; only 1 counts",
        "decimal point",
    ),
    "digits of another script": (
        model_text.replace("5kg", "\uff11\uff12"),
        "error ELEMENT_INVALID 4",
        "is not a number",
        "",
    ),
    "commas between numbers": (
        world(model("m", '<link name="a"><pose>0,0,1,0,0,0</pose></link>')),
        "error ELEMENT_INVALID 4",
        "6 numbers with blanks between them",
        "",
    ),
    "gravity beyond reason": (
        world("<gravity>0 0 -1e300</gravity>", model("m", link("a"))),
        "error ELEMENT_INVALID 3",
        "beyond 1e+50",
        "",
    ),
    "a multiplier beyond reason": (
        world(model("m", *PAIR, link("c"), hinge(),
                    joint("k", "revolute", documents.mimic("j", multiplier=1e300), parent="b", child="c"))),
        "error ELEMENT_INVALID 8",
        "<multiplier> must be a finite number below 1e+50, not 1e+300",
        "",
    ),
    "a damping beyond reason": (
        world(model("m", *PAIR, hinge("<dynamics><damping>5e80</damping></dynamics>"))),
        "warning ELEMENT_INVALID 6",
        "<damping> is 5e+80, with which nothing can be computed; 1e+50 is taken, which holds the joint",
        "a fixed joint says the same",
    ),
    "a ball beyond reason": (
        world(model("m", '<link name="a"><inertial auto="true"/><collision name="c"><geometry><sphere>'
        '<radius>1e120</radius>'
                         '</sphere></geometry></collision></link>')),
        "warning ELEMENT_INVALID 4",
        "must be positive and below 1e+50, not 1e+120; 1.0 is taken",
        "",
    ),
    "a joint inside a link": (
        world(model("m", f'<link name="a">{hinge()}</link>', link("b"))),
        "warning ELEMENT_INCORRECT_TYPE 4",
        "<link> has no child <joint>",
        "<joint> belongs into <model> or <world>",
    ),
    "a link inside a joint": (
        world(model("m", *PAIR, hinge().replace("</joint>", link("c") + "</joint>"))),
        "warning ELEMENT_INCORRECT_TYPE 6",
        "<joint> has no child <link>",
        "<link> belongs into <model>",
    ),
    "text among elements": (
        world(model("m", "oops", link("a"))),
        "warning ELEMENT_INVALID 3",
        "the text 'oops' in <model> is not read",
        "",
    ),
    "negative damping": (
        world(model("m", *PAIR, hinge("<dynamics><damping>-5</damping></dynamics>"))),
        "warning ELEMENT_INVALID 6",
        "<damping> is -5; below zero it drives the joint instead of braking it",
        "write 5",
    ),
    "a start of an axis that is not there": (
        world(model("m", *PAIR, hinge(),
                    '<model_state><joint_state name="j"><axis2_state><position>5</position></axis2_state>'
                    '</joint_state></model_state>')),
        "warning JOINT_STATE_INVALID 7",
        "axis2 of the revolute joint 'j', which it does not have",
        "",
    ),
    "a drive of nothing": (
        world(model("m", *PAIR, hinge()), '<simulator:drive axis="m::k" kind="velocity" value="1"/>'),
        "warning DRIVE_INVALID 8",
        "names the axis 'm::k', which does not exist",
        "did you mean 'm::j'?",
    ),
    "no iterations": (
        world("<physics><ode><solver><iters>-5</iters></solver></ode></physics>"),
        "warning ELEMENT_INVALID 3",
        "<iters> must be from 1 to 1000000, not -5; 50 is taken",
        "",
    ),
    "an empty document": (documents.document(), "warning ELEMENT_MISSING 1", "holds no world and no model", "<world>"),
    "an ampersand": (
        world(model("m", link("a & b"))),
        "error PARSING_ERROR 4",
        "no name",
        "write &amp;",
    ),
    "an attribute twice": (
        world(model("m", '<link name="a" name="b"/>')),
        "error PARSING_ERROR 4",
        "redefined",
        "each attribute occurs once",
    ),
    "no XML": ('{"a": 1}', "error PARSING_ERROR 1", "Start tag expected", "<sdf version='1.12'>"),
}  # fmt: skip

URDF = {
    "units behind a number": (
        robot(TIED).replace('<mass value="1"/>', '<mass value="1kg"/>', 1),
        "error PARSING_ERROR 2",
        "value of <mass>: 'kg' is left over",
        "",
    ),
    "a formula": (
        robot(urdf_joint("revolute", TURNING, '<mimic joint="k" multiplier="2*3"/>')),
        "error PARSING_ERROR 4",
        "multiplier of <mimic>: '*3' is left over",
        "",
    ),
    "a value as text": (
        robot(TIED).replace('<mass value="1"/>', "<mass>1</mass>", 1),
        "error PARSING_ERROR 2",
        "<mass> has no attribute 'value'",
        'write <mass value="…">',
    ),
    "a shape of SDFormat": (
        robot(TIED, of_a='<visual><geometry><cone radius="1" length="1"/></geometry></visual>'),
        "error PARSING_ERROR 2",
        "<visual> has no geometry",
        "shapes of URDF are: box, cylinder, sphere, capsule, mesh",
    ),
    "a shape without its size": (
        robot(TIED, of_a='<visual><geometry><cylinder radius="1"/></geometry></visual>'),
        "error PARSING_ERROR 2",
        "<cylinder> has no attribute 'length'",
        "",
    ),
    "a colour that nobody defines": (
        robot(
            '<material name="blue"><color rgba="0 0 1 1"/></material>',
            TIED,
            of_a='<visual><geometry><sphere radius="1"/></geometry><material name="blu"/></visual>',
        ),
        "warning ELEMENT_MISSING 2",
        "no material named 'blu' has a <color>",
        "did you mean 'blue'?",
    ),
    "a colour up to 255": (
        robot(
            TIED,
            of_a='<visual><geometry><sphere radius="1"/></geometry><material name="m"><color rgba="255 0 0 1"/>'
            '</material></visual>',
        ),
        "warning ATTRIBUTE_INVALID 2",
        "rgba of <color> must be from 0 to 1, not 255 0 0 1",
        "",
    ),
    "a mimic of a floating joint": (
        robot(urdf_joint("floating", '<mimic joint="k"/>')),
        "warning JOINT_AXIS_MIMIC_INVALID 4",
        "the mimic of the floating joint 'j' has no effect",
        "",
    ),
    "links in a circle": (
        robot(TIED, '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'),
        "error PARSING_ERROR 1",
        "one root link, this has 0",
        "they hang in a circle",
    ),
    "no link": ('<robot name="r"/>', "error PARSING_ERROR 1", "this has no link", ""),
    "an extension of nothing": (
        robot(TIED, '<gazebo reference="c"><mu1>1</mu1></gazebo>'),
        "warning GAZEBO_REFERENCE_INVALID 5",
        "refers to 'c', which does not exist",
        "links and joints: a, b, j",
    ),
    "a macro": (
        robot('<xacro:wheel/>').replace("<robot", '<robot xmlns:xacro="x"'),
        "error XACRO_NOT_EXPANDED 4",
        "<xacro:wheel> is a macro of xacro",
        "run: xacro ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "text", "place", "message", "hint"),
    [
        *(pytest.param("document.sdf", *case, id=name) for name, case in SDF.items()),
        *(pytest.param("document.urdf", *case, id=f"URDF: {name}") for name, case in URDF.items()),
    ],
)
def test_a_mistake_is_said_where_it_is_and_with_what_to_do(
    file: str, text: str, place: str, message: str, hint: str, write_document: Write
) -> None:
    found = read_document(write_document(text, file), ReadingOptions(strict=True)).diagnostics
    shown = [(f"{item.severity.value} {item.code} {item.line}", item.message, item.hint) for item in found]
    assert any(at == place and message in said and hint in advice for at, said, advice in shown), shown


def test_a_shape_with_a_strange_attribute_is_told_once(write_document: Write) -> None:
    text = robot(TIED, of_a='<visual><geometry><box size="1 1 1" colour="red"/></geometry></visual>')
    assert [item.code for item in read_document(write_document(text, "r.urdf")).diagnostics] == [
        "ATTRIBUTE_INCORRECT_TYPE"
    ]


def test_a_file_in_another_encoding_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "latin.sdf"
    path.write_bytes(world(model("m", link("ä"))).encode("latin-1"))
    first = read_document(path, ReadingOptions(strict=True)).diagnostics[0]
    assert (first.code, first.line) == ("PARSING_ERROR", 4)
    assert "UTF-8" in first.hint
