"""What a survey takes for a document, and where it lets files be looked up."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.session.survey.folders import look_into
from simulator.session.survey.survey import SurveySettings, picture_name, plan

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'


def write(path: Path, text: str = "<sdf/>") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(folder: Path, *, xacro: bool = False) -> list[str]:
    return [str(path.relative_to(folder)) for path in look_into(folder, xacro=xacro).documents]


def test_documents_are_found_at_any_depth_and_in_order(tmp_path: Path) -> None:
    for name in (
        "b/model.sdf",
        "b/model-1_4.sdf",
        "a.URDF",
        "c/d/e.world",
        "c/mesh.dae",
        ".git/x.sdf",
        "c/.hidden.sdf",
    ):
        write(tmp_path / name)
    assert names(tmp_path) == ["a.URDF", "b/model-1_4.sdf", "b/model.sdf", "c/d/e.world"]


def test_mjcf_is_a_document_and_other_xml_is_not(tmp_path: Path) -> None:
    """Parts that scenes include for their defaults or assets have no bodies."""
    write(tmp_path / "arm.xml", "<mujoco><worldbody/></mujoco>")
    write(tmp_path / "scene.xml", '<mujoco><include file="arm.xml"/></mujoco>')
    write(tmp_path / "defaults.xml", "<mujoco><default/></mujoco>")
    write(tmp_path / "launch.xml", "<launch/>")
    write(tmp_path / "broken.xml", "<mujoco>")
    assert names(tmp_path) == ["arm.xml", "scene.xml"]


def test_names_of_files_that_xacro_documents_include_are_known(tmp_path: Path) -> None:
    include = '<xacro:include filename="$(find arms)/urdf/{}"/>'
    text = include.format("legs.xacro") + "<!-- " + include.format("old.xacro") + " -->"
    write(tmp_path / "robot.xacro", XACRO.format(text))
    write(tmp_path / "macros.xacro", XACRO.format("<xacro:macro name='m'/>" + include.format("limits.xacro")))
    assert look_into(tmp_path, xacro=True).included == {"legs.xacro", "limits.xacro"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.sdf.jinja", "<sdf/>"),
        ("m.sdf.erb", "<sdf/>"),
        ("m.world.em", "<sdf/>"),
        ("m.urdf.in", "<robot/>"),
        ("m.sdf", "<sdf><model name='@NAME@'/></sdf>"),
        ("m.sdf", "<sdf>@[if camera]<sensor/>@[end if]</sdf>"),
        ("m.sdf", "<sdf>{% for i in range(3) %}<link/>{% endfor %}</sdf>"),
        ("m.sdf", "<sdf><pose>{{ x }} 0 0 0 0 0</pose></sdf>"),
        ("m.sdf", "<sdf><pose><%= x %> 0 0 0 0 0</pose></sdf>"),
    ],
)
def test_templates_are_counted_and_left_out(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    found = look_into(tmp_path)
    assert (found.documents, found.templates) == ((), 1)


def test_an_address_in_a_comment_makes_no_template(tmp_path: Path) -> None:
    write(tmp_path / "m.sdf", "<sdf><!-- @TODO@ {{ }} --><author>me@there.org, you@there.org</author></sdf>")
    assert names(tmp_path) == ["m.sdf"]


def test_xacro_files_count_where_they_are_asked_for_and_make_something(tmp_path: Path) -> None:
    write(tmp_path / "arm.urdf.xacro", XACRO.format('<xacro:include filename="m.xacro"/><link name="a"/>'))
    write(tmp_path / "m.xacro", XACRO.format('<xacro:macro name="m"><link name="b"/></xacro:macro>'))
    write(tmp_path / "broken.xacro", "<robot>")
    assert names(tmp_path) == []
    assert names(tmp_path, xacro=True) == ["arm.urdf.xacro", "broken.xacro"]
    assert look_into(tmp_path, xacro=True).libraries == 1


@pytest.mark.parametrize("address", ["http://ros.org/wiki/xacro", "http://wiki.ros.org/xacro/", "https://x.org/xacro"])
def test_macros_are_macros_in_every_namespace_of_xacro(tmp_path: Path, address: str) -> None:
    text = XACRO.replace("http://www.ros.org/wiki/xacro", address)
    write(tmp_path / "m.xacro", text.format('<xacro:macro name="m"><link name="b"/></xacro:macro>'))
    assert (names(tmp_path, xacro=True), look_into(tmp_path, xacro=True).libraries) == ([], 1)


def test_a_document_may_be_given_itself(tmp_path: Path) -> None:
    path = write(tmp_path / "m.sdf")
    found = look_into(path)
    assert (found.documents, found.resource_paths) == ((path,), (tmp_path,))


def test_packages_and_models_are_looked_up_in_the_folders_around_them(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    write(root / "models/cart/model.config")
    write(root / "ros/arm_description/package.xml", "<package><name>arm_description</name></package>")
    write(root / "ros/broken/package.xml", "<package>")
    found = look_into(root)
    assert found.resource_paths == (root, root / "models", root / "ros")
    assert found.renamed == ()


def test_a_package_in_a_folder_of_another_name_is_found_by_its_own(tmp_path: Path) -> None:
    root = tmp_path / "owner+repository"
    write(root / "package.xml", "<package><name>arm_description</name></package>")
    write(root / "meshes/arm.stl")
    write(root / "arm.urdf")
    (task,) = plan([look_into(root)], tmp_path / "out", SurveySettings())
    assert [path for path in task.options.resource_paths if (path / "arm_description/meshes/arm.stl").exists()]
    (task,) = plan([look_into(root)], tmp_path / "out", SurveySettings(own_paths=False))
    assert task.options.resource_paths == ()


def test_pictures_of_different_documents_have_different_names(tmp_path: Path) -> None:
    paths = [
        tmp_path / "a/model.sdf",
        tmp_path / "b/model.sdf",
        tmp_path / "b/c d/model-1_4.sdf",
        tmp_path / "arm.urdf",
    ]
    found = [picture_name(path) for path in paths]
    assert len(set(found)) == 4
    assert [name.rpartition("-")[0] for name in found] == ["a", "b", "c_d", "arm"]
