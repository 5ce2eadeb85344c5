"""Files are found where ROS, Gazebo and the habits of exporters put them; by libsdformat's rules alone if reading is
strict.

Every test has a repository of its own (`.git`), so that nothing around it is searched.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats import packages
from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.packages import Packages, around
from simulator.formats.resources import Resources
from simulator.formats.uris import components, repaired_uri
from simulator.model.world import Document
from tests.helpers import documents
from tests.helpers.repository import ROOT

Write = Callable[..., Path]
MESH = (ROOT / "tests" / "conformance" / "documents" / "triangle.obj").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def robot(uri: str) -> str:
    """A URDF with one mesh."""
    visual = f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>'
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    return f'<robot name="r"><link name="a">{visual}<inertial><mass value="1"/>{inertia}</inertial></link></robot>'


def package(name: str) -> str:
    return f'<?xml version="1.0"?><package format="3"><name>{name}</name></package>'


def found(document: Document) -> list[str]:
    """Files that were read beside the document itself."""
    return list(document.files[1:])


def codes(document: Document) -> list[str]:
    return [item.code for item in document.diagnostics]


SEARCHED = {
    "a package by its manifest, above the document": (
        "package://arm_description/meshes/part.obj", "src/arm/urdf/r.urdf", "src/arm/meshes/part.obj",
        {"src/arm/package.xml": package("arm_description")},
    ),
    "a package beside that of the document": (
        "package://arm_meshes/part.obj", "arm_description/urdf/r.urdf", "other/deep/er/part.obj",
        {"other/deep/er/package.xml": package("arm_meshes")},
    ),
    "a package by its folder alone": (
        "package://arm_meshes/part.obj", "a/b/c/d/r.urdf", "stuff/arm_meshes/part.obj", {},
    ),
    "a file of a package that CMake installs without a folder around it": (
        "package://arm/meshes/part.obj", "arm/urdf/r.urdf", "arm/description/meshes/part.obj",
        {"arm/package.xml": package("arm")},
    ),
    "a package of another name": (
        "package://renamed/meshes/part.obj", "arm/urdf/r.urdf", "arm/meshes/part.obj", {},
    ),
    "a path from the root of the package": ("meshes/part.obj", "arm/urdf/r.urdf", "arm/meshes/part.obj", {}),
    "somebody else's home": (
        "file:///home/somebody/ws/src/arm/meshes/part.obj", "urdf/r.urdf", "arm/meshes/part.obj", {},
    ),
    "a path without a scheme in somebody else's home": (
        "/home/somebody/ws/arm/meshes/part.obj", "urdf/r.urdf", "meshes/part.obj", {},
    ),
    "a drive of Windows": (r"C:\robots\arm\meshes\part.obj", "urdf/r.urdf", "meshes/part.obj", {}),
    "backslashes": (r"meshes\part.obj", "r.urdf", "meshes/part.obj", {}),
    "what a launch file should have replaced": (
        "file://$(find arm)/meshes/part.obj", "arm/urdf/r.urdf", "arm/meshes/part.obj",
        {"arm/package.xml": package("arm")},
    ),
    "other upper and lower case": ("meshes/PART.OBJ", "r.urdf", "Meshes/part.obj", {}),
    "other upper and lower case in a package": (
        "package://arm/meshes/Part.obj", "arm/urdf/r.urdf", "arm/meshes/part.OBJ", {},
    ),
    "no package, beside the document": ("package:///part.obj", "arm/r.urdf", "arm/part.obj", {}),
    "no package, below the document": ("package:///assets/part.obj", "arm/r.urdf", "arm/assets/part.obj", {}),
    "outside of a model, within the repository": (
        "model://arm/../../meshes/part.obj", "models/arm/r.urdf", "meshes/part.obj", {},
    ),
    "a neighbour of a package": ("model://arm/../hand/part.obj", "worlds/r.urdf", "hand/part.obj", {"arm/x": ""}),
}  # fmt: skip


@pytest.mark.parametrize(("uri", "document", "mesh", "others"), SEARCHED.values(), ids=SEARCHED)
def test_a_mesh_is_searched_for_and_that_is_told(
    uri: str, document: str, mesh: str, others: dict[str, str], tmp_path: Path, write_document: Write
) -> None:
    for name, text in {**others, mesh: MESH}.items():
        write_document(text, name)
    path = write_document(robot(uri), document)
    read = read_document(path)
    (told,) = (item for item in read.diagnostics if item.code == "URI_SEARCHED")
    named = "is taken to be" in told.message or uri.startswith("package:///")
    assert told.severity.value == ("info" if named and ".." not in uri else "warning")
    assert [os.path.realpath(file) for file in found(read)] == [str(tmp_path / mesh)]
    assert set(codes(read_document(path, ReadingOptions(strict=True)))) & {"URI_LOOKUP", "URI_INVALID"}


@pytest.mark.parametrize("uri", [" meshes/part.obj ", "file:meshes/part.obj", "file://meshes/part.obj"])
def test_blanks_and_short_schemes_are_nothing_to_tell(uri: str, write_document: Write) -> None:
    write_document(MESH, "meshes/part.obj")
    assert codes(read_document(write_document(robot(uri), "r.urdf"))) == []


@pytest.mark.parametrize(
    ("variable", "folder"),
    [
        ("AMENT_PREFIX_PATH", "install/share"),
        ("CMAKE_PREFIX_PATH", "install/share"),
        ("COLCON_PREFIX_PATH", "install/share"),
        ("GAZEBO_MODEL_PATH", "install"),
        ("IGN_GAZEBO_RESOURCE_PATH", "install"),
    ],
)
def test_variables_of_ros_and_gazebo_name_folders(
    variable: str, folder: str, tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_document(MESH, f"elsewhere/{folder}/arm/part.obj")
    (tmp_path / "here" / ".git").mkdir(parents=True)
    path = write_document(robot("package://arm/part.obj"), "here/r.urdf")
    assert "URI_LOOKUP" in codes(read_document(path))
    monkeypatch.setenv(variable, f"/nowhere{os.pathsep}{tmp_path / 'elsewhere' / 'install'}")
    assert codes(read_document(path)) == []
    assert "URI_LOOKUP" in codes(read_document(path, ReadingOptions(strict=True)))


def test_the_home_folder_holds_models_of_gazebo(tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "home/.gazebo/models/box/part.obj")
    (tmp_path / "here" / ".git").mkdir(parents=True)
    assert codes(read_document(write_document(robot("model://box/part.obj"), "here/r.urdf"))) == []


def test_resource_folders_are_searched_for_packages_too(tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "workspace/src/repository/folder/part.obj")
    write_document(package("arm"), "workspace/src/repository/folder/package.xml")
    (tmp_path / "here" / ".git").mkdir(parents=True)
    path = write_document(robot("package://arm/part.obj"), "here/r.urdf")
    assert codes(read_document(path, ReadingOptions((tmp_path / "workspace",)))) == ["URI_SEARCHED"]


def test_a_single_name_is_no_reason_to_take_a_file_of_it_from_elsewhere(write_document: Write) -> None:
    write_document(MESH, "other/part.obj")
    document = read_document(write_document(robot("/home/somebody/part.obj"), "urdf/r.urdf"))
    assert "URI_LOOKUP" in codes(document)


@pytest.mark.parametrize(
    "uri",
    [
        "model://arm/../../../part.obj",
        "package://arm/../../../part.obj",
        "model://../part.obj",
        "package:///../part.obj",
    ],
)
def test_dots_do_not_lead_out_of_the_repository(uri: str, tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "part.obj")
    write_document("", "deep/arm/x")
    (tmp_path / ".git").rmdir()
    (tmp_path / "deep" / ".git").mkdir()
    assert "URI_INVALID" in codes(read_document(write_document(robot(uri), "deep/r.urdf")))


def test_dots_lead_out_of_a_model_but_not_of_the_resource_folder(tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "resources/meshes/part.obj")
    write_document(MESH, "part.obj")
    write_document("", "resources/models/arm/x")
    (tmp_path / "here" / ".git").mkdir(parents=True)
    folders = (tmp_path / "resources", tmp_path / "resources" / "models")
    for uri, code in (("../../meshes/part.obj", "URI_SEARCHED"), ("../../../part.obj", "URI_INVALID")):
        path = write_document(robot(f"model://arm/{uri}"), "here/r.urdf")
        assert codes(read_document(path, ReadingOptions(folders))) == [code]


MODEL = documents.document(documents.model("m", documents.link("a")))
MANIFEST = "<model><sdf version='1.6'>model.sdf</sdf></model>"


@pytest.mark.parametrize("files", [{"model.config": MANIFEST, "model.sdf": MODEL}, {"only.sdf": MODEL}])
def test_a_model_is_a_folder_with_a_manifest_or_a_single_document(files: dict[str, str], write_document: Write) -> None:
    """Other folders of its name are passed over."""
    write_document("", "arm/readme.txt")
    for name, text in files.items():
        write_document(text, f"arm/models/arm/{name}")
    read = read_document(write_document(documents.world("<include><uri>model://arm</uri></include>")))
    assert set(codes(read)) == {"URI_SEARCHED"}
    assert [link.name for model in read.worlds[0].models for link in model.links] == ["m::a"]


@pytest.mark.parametrize("uri", ["model://arm", "arm"])
def test_a_folder_that_is_no_model_is_a_missing_include(uri: str, write_document: Write) -> None:
    write_document("", "arm/readme.txt")
    read = read_document(write_document(documents.world(f"<include><uri>{uri}</uri></include>")))
    (finding,) = read.diagnostics
    assert (finding.severity.value, finding.code) == ("warning", "URI_LOOKUP")
    assert finding.message.endswith("arm' has no model.config; the include is left out")


def test_equal_faults_are_told_once(write_document: Write) -> None:
    write_document(package("arm_description"), "arm/package.xml")
    for name in "abc":
        write_document(MESH, f"arm/{name}.obj")
    visuals = "".join(
        f'<visual><geometry><mesh filename="package://arm_description/{name}.obj"/></geometry></visual>'
        for name in "abcdef"
    )
    text = robot("x").replace('<visual><geometry><mesh filename="x"/></geometry></visual>', visuals)
    assert visuals in text
    told = {item.code: item.count for item in read_document(write_document(text, "arm/urdf/r.urdf")).diagnostics}
    assert told["URI_SEARCHED"] == 3
    assert told["URI_LOOKUP"] == 3


def test_a_mesh_beside_the_document_that_includes_its_model(write_document: Write) -> None:
    """SDFormat looks beside the included file; exporters write paths that hold from the world."""
    shape = '<visual name="v"><geometry><mesh><uri>part.obj</uri></mesh></geometry></visual>'
    write_document(documents.document(documents.model("m", documents.link("a", shape))), "models/m/m.sdf")
    write_document(MESH, "part.obj")
    document = read_document(write_document(documents.world("<include><uri>models/m/m.sdf</uri></include>")))
    assert codes(document) == ["URI_SEARCHED"]


def test_the_neighbourhood_ends_at_the_repository_and_below_the_home_folder(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    assert around(str(inside)) == [str(inside), str(tmp_path / "a"), str(tmp_path)]
    below_home = tmp_path / "home" / "downloads" / "arm"
    below_home.mkdir(parents=True)
    (tmp_path / ".git").rmdir()
    assert around(str(below_home)) == [str(below_home), str(below_home.parent)]


def test_the_home_folder_is_not_searched(tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "home/private/arm/part.obj")
    path = write_document(robot("package://arm/part.obj"), "home/r.urdf")
    assert "URI_LOOKUP" in codes(read_document(path))
    assert around("/") == ["/"]
    assert list(Packages().named("usr", ["/"])) == []


def test_repositories_of_a_workspace_stand_beside_each_other(tmp_path: Path) -> None:
    repository = tmp_path / "ws" / "src" / "arm"
    (repository / ".git").mkdir(parents=True)
    assert around(str(repository / "urdf"))[-1] == str(repository.parent)


def test_a_search_ends_in_circles_of_links_and_after_many_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(20):
        (tmp_path / f"f{i:02}").mkdir()
        (tmp_path / f"f{i:02}" / "back").symlink_to(tmp_path)
    (tmp_path / "f19" / "target").mkdir()
    root = [str(tmp_path)]
    assert list(Packages().named("target", root)) == [str(tmp_path / "f19" / "target")]
    monkeypatch.setattr(packages, "FOLDERS", 10)
    assert list(Packages().named("target", root)) == []


def test_a_workspace_may_hold_links_to_packages(tmp_path: Path, write_document: Write) -> None:
    write_document(MESH, "far/arm_package/part.obj")
    (tmp_path / "ws" / ".git").mkdir(parents=True)
    (tmp_path / "ws" / "arm").symlink_to(tmp_path / "far" / "arm_package")
    path = write_document(robot("package://arm/part.obj"), "ws/a/b/c/d/e/r.urdf")
    assert codes(read_document(path)) == ["URI_SEARCHED"]


def test_manifests_that_are_no_files_or_broken_are_passed_over(tmp_path: Path, write_document: Write) -> None:
    os.mkfifo(tmp_path / "package.xml")
    write_document("<package><name>", "arm/package.xml")
    assert Resources().package("nowhere", str(tmp_path)) is None


def test_what_repairs_make_of_a_uri() -> None:
    assert repaired_uri("$(find arm)/x.stl").path == "arm/x.stl"
    assert repaired_uri("$(find-pkg-share arm)/x.stl").scheme == "package"
    assert repaired_uri("package://arm/a%20b.stl").inside == "a b.stl"
    assert components("C:/a/./b") == ["a", "b"]
    assert components("../../a/b") == ["a", "b"]


def test_a_message_names_the_first_folders_only() -> None:
    many = Resources(tuple(Path(f"/r{i}") for i in range(9)))
    assert many.searched("/doc") == "/doc, /r0, /r1 and 7 more folders"
    assert Resources((Path("/r0"),)).searched("/doc") == "/doc, /r0"


def test_a_modelica_uri_names_a_package() -> None:
    """As the Modelica specification (3.6, 13.2.3) has it: the first part is a package, a folder."""
    assert repaired_uri("modelica://Robot/Resources/base.stl") == repaired_uri("package://Robot/Resources/base.stl")
