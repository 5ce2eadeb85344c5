"""Documents of other kinds and versions are written as SDFormat 1.12 with the same meaning and everything that stands
in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.writing.document import Written, read_source, write_document
from simulator.model.shape import Mesh
from simulator.model.world import Document
from tests.helpers.documents import document, joint, link, model, world
from tests.helpers.repository import ROOT

WORLDS = sorted((ROOT / "worlds").glob("*.sdf"))
RULES = ROOT / "tests" / "conformance" / "documents"
READABLE = [
    path
    for path in sorted(RULES.iterdir())
    if path.suffix in (".sdf", ".urdf")
    and not read_document(path).has_errors
    and not path.stem.startswith("name_with_scope")
]
Write = Callable[..., Path]

TRIANGLE = """solid part
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid part
"""


def written(path: Path, folder: Path | None = None) -> Written:
    source = read_source(path)
    assert not source.document.has_errors, [str(item) for item in source.document.diagnostics]
    return write_document(source.document, folder or path.parent, source)


def read_again(text: str, folder: Path, *resources: Path) -> Document:
    path = folder / "again.sdf"
    path.write_text(text, encoding="utf-8")
    return read_document(path, ReadingOptions(resources))


def meaning(found: Document) -> Any:
    """Worlds and models; a mesh is the file that it names, whatever name it has in the document."""

    def by_file(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(by_file(item) for item in value)
        if isinstance(value, Mesh):
            return replace(value, uri="", path=os.path.realpath(value.path)) if value.path else value
        if not is_dataclass(value) or isinstance(value, type):
            return value
        return type(value)(**{item.name: by_file(getattr(value, item.name)) for item in fields(value)})

    return by_file((found.worlds, found.root_models))


@pytest.mark.parametrize("path", [*WORLDS, *READABLE], ids=lambda path: path.name)
def test_the_result_means_the_same_to_the_last_bit(path: Path, tmp_path: Path) -> None:
    again = read_again(written(path, tmp_path).text, tmp_path)
    assert meaning(again) == meaning(read_document(path))
    assert not again.has_errors


def test_old_versions_are_written_as_the_current_one(write_document: Write, tmp_path: Path) -> None:
    """SDFormat 1.4: the axis is in the model frame, the pitch of a screw in radians per metre, gravity in the
    physics."""
    screw = (
        '<joint name="s" type="screw"><parent>world</parent><child>l</child>'
        "<thread_pitch>-6.283185307179586</thread_pitch>"
    )
    path = write_document(
        world(
            "<physics type='ode'><gravity>0 0 -1</gravity><max_step_size>0.01</max_step_size></physics>",
            model("m", link("l", pose="0 0 0 1 0 0"), f"{screw}<axis><xyz>1 0 0</xyz></axis></joint>"),
            version="1.4",
        )
    )
    text = written(path).text
    assert '<sdf version="1.12">' in text
    assert '<xyz expressed_in="__model__">1 0 0</xyz>' in text
    assert "<screw_thread_pitch>1</screw_thread_pitch>" in text
    assert "<gravity>0 0 -1</gravity>" in text
    again = read_again(text, tmp_path)
    assert meaning(again) == meaning(read_document(path))
    assert [str(item) for item in again.diagnostics] == []


def test_flat_names_of_a_model_without_a_world_become_nested_models(write_document: Write, tmp_path: Path) -> None:
    """SDFormat 1.8 forbids `::` in names; libsdformat un-flattens models of worlds, and only of worlds."""
    text = document(
        model("m", link("a::b"), link("base"), joint("j", "revolute", parent="base", child="a::b")), version="1.7"
    )
    again = read_again(written(write_document(text)).text, tmp_path)
    assert not again.has_errors, [str(item) for item in again.diagnostics]
    assert [item.name for item in again.root_models] == ["m", "m::a"]
    assert [item.name for part in again.root_models for item in part.links] == ["m::base", "m::a::b"]
    assert again.root_models[0].joints[0].child_link == "m::a::b"


def test_what_the_model_does_not_hold_comes_along(write_document: Write) -> None:
    plugin = '<plugin name="p" filename="libp.so"><gain unit="N">3 &lt; 4</gain></plugin>'
    sensor = '<sensor name="imu" type="imu"><pose relative_to="j">1 0 0 0 0 0</pose></sensor>'
    user = '<mysim:mood xmlns:mysim="urn:mine" mysim:level="7"><inner/></mysim:mood>'
    solver = "<physics><ode><cfm_damping>1</cfm_damping></ode></physics>"
    hinge = (
        '<joint name="j" type="revolute"><parent>world</parent><child>l</child><axis><xyz>0 0 1</xyz>'
        f"</axis>{solver}</joint>"
    )
    text = written(
        write_document(world("<light name='sun' type='point'/>", model("m", link("l", sensor, user), hinge, plugin)))
    ).text
    for piece in (
        '<light name="sun" type="point"/>',
        '<plugin name="p" filename="libp.so">',
        '<gain unit="N">3 &lt; 4</gain>',
        '<sensor name="imu" type="imu">',
        '<mysim:mood mysim:level="7">',
        'xmlns:mysim="urn:mine"',
        "<cfm_damping>1</cfm_damping>",
    ):
        assert piece in text


def test_poses_stay_in_the_frames_that_the_document_gives_them_in(write_document: Write) -> None:
    frame = '<frame name="f" attached_to="l"><pose degrees="true">1 0 0 0 90 0</pose></frame>'
    second = link("k").replace('<link name="k">', '<link name="k"><pose relative_to="f">0 0 0.5 0 0 0</pose>')
    text = written(write_document(world(model("m", link("l"), frame, second)))).text
    assert '<pose degrees="true">1 0 0 0 90 0</pose>' in text
    assert '<pose relative_to="f">0 0 0.5 0 0 0</pose>' in text


def test_a_mesh_is_found_from_the_folder_of_the_result(tmp_path: Path) -> None:
    source, result = tmp_path / "here", tmp_path / "there" / "deeper"
    (source / "meshes").mkdir(parents=True)
    result.mkdir(parents=True)
    (source / "meshes" / "part.stl").write_text(TRIANGLE)
    visual = "<visual name='v'><geometry><mesh><uri>meshes/part.stl</uri></mesh></geometry></visual>"
    (source / "w.sdf").write_text(world(model("m", link("l", visual))))
    text = written(source / "w.sdf", result).text
    assert "<uri>../../here/meshes/part.stl</uri>" in text
    (shape,) = [item.shape for item in read_again(text, result).worlds[0].models[0].links[0].visuals]
    assert Path(shape.path).samefile(source / "meshes" / "part.stl")  # type: ignore[union-attr]
    assert "<uri>meshes/part.stl</uri>" in written(source / "w.sdf").text


def test_a_picture_is_found_from_the_folder_of_the_result(tmp_path: Path) -> None:
    for name in ("urdf/r.urdf", "sdf/m.sdf"):
        (tmp_path / name).parent.mkdir()
    (tmp_path / "paint.png").write_bytes(b"not decoded")
    (tmp_path / "urdf/r.urdf").write_text(
        "<robot name='r'><link name='a'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual><geometry>"
        "<sphere radius='1'/></geometry>"
        "<material name='p'><texture filename='../paint.png'/></material></visual></link></robot>",
        encoding="utf-8",
    )
    (tmp_path / "sdf/m.sdf").write_text(
        "<sdf version='1.12'><model name='r'><link name='a'><visual name='v'><geometry><sphere/></geometry><material>"
        "<script><uri>x</uri><name>Gazebo/Red</name></script><pbr><metal><albedo_map>../paint.png</albedo_map>"
        "<normal_map>bumps.png</normal_map></metal></pbr></material></visual></link></model></sdf>",
        encoding="utf-8",
    )
    for name in ("urdf/r.urdf", "sdf/m.sdf"):
        source = read_source(tmp_path / name)
        for whole in (source, None):
            result = tmp_path / "far" / "away" / Path(name).name.replace("urdf", "sdf")
            result.parent.mkdir(parents=True, exist_ok=True)
            result.write_text(write_document(source.document, result.parent, whole).text, encoding="utf-8")
            again, first = (
                document.root_models[0].links[0].visuals[0].material
                for document in (read_document(result), source.document)
            )
            assert again is not None
            assert first is not None
            assert again.texture is not None
            assert first.texture is not None
            assert Path(again.texture.path).samefile(first.texture.path)
            assert again.diffuse == first.diffuse
    assert "<ambient>" not in write_document(source.document, tmp_path, source).text  # the script says it


def test_an_include_is_written_out_with_its_meshes(tmp_path: Path) -> None:
    shutil.copytree(RULES / "crank", tmp_path / "models" / "crank")
    path = tmp_path / "models" / "w.sdf"
    path.write_text(world("<include><uri>crank</uri><name>mine</name><pose>1 2 3 0 0 0</pose></include>"))
    text = written(path, tmp_path).text
    assert "<include>" not in text
    assert read_again(text, tmp_path).worlds[0].models[0].X_WM.position == (1.0, 2.0, 3.0)


def test_a_robot_is_written_as_a_model(write_document: Write, tmp_path: Path) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = write_document(
        f"""<robot name="r"><link name="base">{inertial}</link><link name="arm">{inertial}</link>
<joint name="j" type="continuous"><origin xyz="0 0 1" rpy="0.1 0 0"/><parent link="base"/>
<child link="arm"/><calibration rising="1"/></joint>
<gazebo reference="arm"><sensor name="s" type="imu"/></gazebo>
<gazebo><plugin name="p" filename="f"/></gazebo></robot>""",
        "robot.urdf",
    )
    result = written(path)
    assert '<pose relative_to="base">0 0 1 0.1 0 0</pose>' in result.text
    assert '<sensor name="s" type="imu"/>' in result.text
    assert '<plugin name="p" filename="f"/>' in result.text
    assert meaning(read_again(result.text, tmp_path)) == meaning(read_document(path))
    assert [(item.code, item.line) for item in result.diagnostics] == [("CONVERT_DROPPED", 3)]
    assert "<calibration> of <joint>" in result.diagnostics[0].message


def test_comments_stay_before_what_they_stood_before(write_document: Write) -> None:
    inner = link("l").replace("<inertial>", "<!-- a weight -->\n<inertial>")
    text = world("<!-- of the model -->", model("m", inner, "<!-- the end -->")).replace(
        "<world", "<!-- The title -->\n<!-- two\n      lines -->\n<world"
    )
    result = written(write_document(text))
    lines = [line.strip() for line in result.text.splitlines()]
    for before, after in (
        ("<!-- The title -->", '<sdf version="1.12">'),
        ("lines -->", '<world name="default">'),
        ("<!-- of the model -->", '<model name="m">'),
        ("<!-- a weight -->", "<inertial>"),
        ("<!-- the end -->", "</model>"),
    ):
        assert lines[lines.index(before) + 1] == after
    assert result.diagnostics == ()


def test_comments_before_the_root_stay_there(write_document: Write) -> None:
    text = "<!-- Title -->\n<!-- as\n  written -->\n" + world(model("m", link("l")))
    assert "<!-- Title -->\n<!-- as\n  written -->\n<sdf" in written(write_document(text)).text


def test_comments_of_what_is_gone_are_counted(write_document: Write) -> None:
    """The comment stands before the second root element of a URDF's robot, which has no element of its own in
    SDFormat."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = (
        '<!-- Title --><robot name="r">\n<!-- a colour -->'
        f'<material name="red"/>\n<link name="l">{inertial}</link></robot>'
    )
    result = written(write_document(text, "r.urdf"))
    assert [(item.code, item.message[:25]) for item in result.diagnostics] == [
        ("CONVERT_DROPPED", "one comment is not writte")
    ]


def test_what_a_renamed_joint_carries_goes_with_it(write_document: Write) -> None:
    """SDFormat 1.6 lets a joint have the name of a link; it gets another one."""
    sensor = '<sensor name="force" type="force_torque"/>'
    hinge = joint("l", "revolute", parent="world", child="l").replace("</joint>", f"{sensor}</joint>")
    result = written(write_document(world(model("m", link("l"), hinge), version="1.6")))
    assert not result.diagnostics
    assert '<joint name="l_joint"' in result.text
    assert sensor in result.text


def test_a_world_without_a_name_is_written_once(tmp_path: Path, write_document: Write) -> None:
    text = "<world><physics type='ode'/><gravity>0 0 -3</gravity></world>"
    path = write_document(f"<sdf version='1.12'>{text}</sdf>")
    again = read_again(written(path).text, tmp_path)
    assert [(world.name, world.gravity) for world in again.worlds] == [("default", (0.0, 0.0, -3.0))]


def test_damaged_documents_are_refused_or_keep_their_meaning(tmp_path: Path) -> None:
    """Bytes of readable documents are changed at random: what can still be read is written and read back as the
    same."""
    random, kept = Random(1), 0
    for path in READABLE:
        for _ in range(2):
            data = bytearray(path.read_bytes())
            for _ in range(random.randint(1, 3)):
                data[random.randrange(len(data))] = random.choice(b'<>/"0123456789.-eaxz_: ')
            damaged = tmp_path / path.name
            damaged.write_bytes(bytes(data))
            source = read_source(damaged)
            if source.document.has_errors or source.tree is None:
                continue
            kept += 1
            again = read_again(write_document(source.document, tmp_path, source).text, tmp_path)
            assert meaning(again) == meaning(source.document), bytes(data)
    assert kept > 10


def test_hardware_of_a_program_is_written(tmp_path: Path) -> None:
    """Blocks come along as they are where there is a tree; here there is none."""
    for path in (path for path in READABLE if "control" in path.stem or "transmission" in path.stem):
        found = read_document(path)
        text = write_document(found, tmp_path).text
        again = read_again(text, tmp_path)
        before = [(item.hardware, item.transmissions) for item in (*found.root_models, *found.world().models)]
        assert [
            (item.hardware, item.transmissions) for item in (*again.root_models, *again.world().models)
        ] == before, path.stem


def test_the_start_of_a_joint_of_the_world_is_written(write_document: Write, tmp_path: Path) -> None:
    """A world has no state of its own that could hold it; that of a joint in a model is written once, in the model's
    state."""
    start = "<initial_position>0.25</initial_position>"
    arm = model("arm", link("a"), link("b"), joint("elbow", "revolute", start, parent="a", child="b"))
    text = written(
        write_document(world(arm, joint("shoulder", "prismatic", start, parent="world", child="arm::a")))
    ).text
    assert text.count("0.25") == 2
    (again,) = read_again(text, tmp_path).worlds
    starts = [one.axes[0].initial_position for one in (*again.joints, *again.models[0].joints)]
    assert starts == [0.25, 0.25]
