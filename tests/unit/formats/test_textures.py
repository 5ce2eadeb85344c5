"""Where the textures of a document come from, and which files are opened for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from simulator.formats.document import read_document
from simulator.formats.mesh.loader import TriangleMesh, load_mesh
from simulator.model.link import Visual
from simulator.model.material import Material, Texture
from simulator.model.world import Document

Write = Callable[..., Path]
QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
FACE = "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
PNG = b"not read before it is drawn"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder: meshes/, materials/scripts/ and materials/textures/ with paint.png in it."""
    for name in ("meshes", "materials/scripts", "materials/textures"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "materials/textures/paint.png").write_bytes(PNG)
    return tmp_path


def visual_with(folder: Path, material: str, geometry: str = "<box/>") -> tuple[Visual, Document]:
    path = folder / "model.sdf"
    path.write_text(
        "<sdf version='1.12'><model name='m'><static>true</static><link name='l'><visual name='v'>"
        f"<geometry>{geometry}</geometry>{material}</visual></link></model></sdf>",
        encoding="utf-8",
    )
    document = read_document(path)
    return document.root_models[0].links[0].visuals[0], document


def material_of(folder: Path, inner: str) -> tuple[Material, Document]:
    visual, document = visual_with(folder, f"<material>{inner}</material>")
    assert visual.material is not None
    return visual.material, document


def obj(folder: Path, mtl: str, faces: str = f"usemtl a\n{FACE}") -> TriangleMesh:
    (folder / "meshes/quad.mtl").write_text(mtl, encoding="utf-8")
    path = folder / "meshes/quad.obj"
    path.write_text(f"mtllib quad.mtl\n{QUAD}{faces}", encoding="utf-8")
    return load_mesh(path)


# ---- the document's own materials


@pytest.mark.parametrize("workflow", ["metal", "specular"])
def test_an_albedo_map_is_found_beside_the_document(folder: Path, workflow: str):
    inner = f"<pbr><{workflow}><albedo_map>materials/textures/paint.png</albedo_map></{workflow}></pbr>"
    material, document = material_of(folder, inner)
    assert material.texture is not None
    assert material.texture.path == str(folder / "materials/textures/paint.png")
    assert material.texture.path in document.files
    assert document.diagnostics == ()


def test_pictures_that_are_missing_are_told_once(folder: Path):
    visuals = "".join(
        f"<visual name='v{i}'><geometry><box/></geometry><material><diffuse>1 0 0</diffuse><pbr><metal>"
        f"<albedo_map>nowhere{i}.png</albedo_map></metal></pbr></material></visual>"
        for i in range(50)
    )
    path = folder / "many.sdf"
    path.write_text(
        f"<sdf version='1.12'><model name='m'><link name='l'>{visuals}</link></model></sdf>", encoding="utf-8"
    )
    document = read_document(path)
    (only,) = document.diagnostics
    assert (only.severity.value, only.code, only.count) == ("warning", "URI_LOOKUP", 50)
    assert "nowhere0.png" in only.message
    assert document.root_models[0].links[0].visuals[0].material == Material(diffuse=(1.0, 0.0, 0.0, 1.0))


def test_a_folder_or_a_pipe_is_no_picture(folder: Path):
    os.mkfifo(folder / "pipe.png")
    for name in ("pipe.png", "materials"):
        material, document = material_of(folder, f"<pbr><metal><albedo_map>{name}</albedo_map></metal></pbr>")
        assert material.texture is None
        assert [item.code for item in document.diagnostics] == ["URI_LOOKUP"]


@pytest.mark.parametrize(
    ("name", "diffuse"),
    [
        ("Gazebo/Red", (1.0, 0.0, 0.0, 1.0)),
        ("Gazebo/Grey", (0.7, 0.7, 0.7, 1.0)),
        ("Gazebo/DarkGray", (0.175, 0.175, 0.175, 1.0)),
        ("Gazebo/BlueTransparent", (0.0, 0.0, 1.0, 0.5)),
    ],
)
def test_materials_of_gazebo_have_their_colours(folder: Path, name: str, diffuse: tuple[float, ...]):
    script = f"<script><uri>file://media/materials/scripts/gazebo.material</uri><name>{name}</name></script>"
    material, document = material_of(folder, script)
    assert material.diffuse == diffuse
    assert document.diagnostics == ()


def test_what_is_written_goes_before_what_a_script_says(folder: Path):
    script = "<script><uri>x</uri><name>Gazebo/Red</name></script><diffuse>0 1 0</diffuse>"
    assert material_of(folder, script)[0].diffuse == (0.0, 1.0, 0.0, 1.0)


SCRIPT = """
// a comment { with a brace
material Test/Base { technique { pass { ambient 0.1 0.2 0.3
   diffuse 0.4 0.5 0.6 1 } } }
material Test/Painted : Test/Base
{
  receive_shadows off
  technique
  {
    pass
    {
      alpha_rejection greater 128
      texture_unit normal_map
      {
        texture bumps.png
      }
      texture_unit { texture "paint.png" PF_RGB8 1
        scale 0.5 0.25 }
    }
    pass { texture_unit { texture other.png } }
  }
}
"""


@pytest.mark.parametrize("uri", ["materials/scripts", "materials/scripts/test.material"])
def test_a_script_in_the_folder_of_the_model_is_read(folder: Path, uri: str):
    (folder / "materials/scripts/test.material").write_text(SCRIPT, encoding="utf-8")
    inner = f"<script><uri>{uri}</uri><uri>materials/textures</uri><name>Test/Painted</name></script>"
    material, document = material_of(folder, inner)
    assert (material.ambient, material.diffuse) == ((0.1, 0.2, 0.3, 1.0), (0.4, 0.5, 0.6, 1.0))
    path = str((folder / "materials/textures/paint.png").resolve())
    assert material.texture is not None
    assert Path(material.texture.path).resolve() == Path(path)
    assert (material.texture.size, material.texture.cutout) == ((0.5, 0.25), True)
    assert document.diagnostics == ()


@pytest.mark.parametrize(
    "text", ["material", "material A {", "}" * 50, "material A : A { technique { pass { diffuse x } } }", "{" * 5000]
)
def test_no_script_is_too_broken(folder: Path, text: str):
    (folder / "materials/scripts/broken.material").write_text(text, encoding="utf-8")
    material, _ = material_of(folder, "<script><uri>materials/scripts</uri><name>A</name></script>")
    assert material.diffuse is None


def test_a_script_that_is_a_pipe_does_not_wait(folder: Path):
    os.mkfifo(folder / "materials/scripts/pipe.material")
    material, document = material_of(folder, "<script><uri>materials/scripts</uri><name>A</name></script>")
    assert material == Material()
    assert [item.code for item in document.diagnostics] == ["LOOKS_NOT_DRAWN"]


# ---- URDF


def urdf(folder: Path, materials: str, visual: str, after: str = "") -> tuple[Material | None, Document]:
    path = folder / "robot.urdf"
    path.write_text(
        f"<robot name='r'>{materials}<link name='l'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        f"<visual><geometry><box size='1 1 1'/></geometry>{visual}</visual></link>{after}</robot>",
        encoding="utf-8",
    )
    document = read_document(path)
    return document.root_models[0].links[0].visuals[0].material, document


def test_a_texture_of_urdf_may_be_named_at_the_robot(folder: Path):
    texture = "<texture filename='materials/textures/paint.png'/>"
    for materials, visual in (
        ("", f"<material name='p'>{texture}</material>"),
        (f"<material name='p'>{texture}</material>", "<material name='p'/>"),
        (f"<material name='p'><color rgba='1 0 0 1'/>{texture}</material>", "<material name='p'/>"),
    ):
        material, document = urdf(folder, materials, visual)
        assert material is not None
        assert material.texture is not None
        assert material.diffuse is None  # RViz: a picture is not tinted
        assert document.diagnostics == ()


def test_a_colour_of_urdf_counts_without_its_picture(folder: Path):
    inner = "<material name='p'><color rgba='1 0 0 1'/><texture filename='none.png'/></material>"
    material, document = urdf(folder, "", inner)
    assert material is not None
    assert material.ambient == (1.0, 0.0, 0.0, 1.0)
    assert [item.code for item in document.diagnostics] == ["URI_LOOKUP"]


def test_a_material_of_gazebo_counts_where_the_urdf_has_none(folder: Path):
    gazebo = "<gazebo reference='l'><material>Gazebo/Orange</material></gazebo>"
    material, document = urdf(folder, "", "", gazebo)
    assert material is not None
    assert material.diffuse == (1.0, 0.5088, 0.0468, 1.0)
    assert document.diagnostics == ()
    coloured, _ = urdf(folder, "", "<material name='w'><color rgba='1 1 1 1'/></material>", gazebo)
    assert coloured is not None
    assert coloured.diffuse == (1.0, 1.0, 1.0, 1.0)


# ---- mesh files


def test_missing_pictures_of_mesh_files_are_told_where_they_would_be_seen(folder: Path):
    obj(folder, "newmtl a\nKd 1 0 0\nmap_Kd none.png\nmap_Ke glow.png\n")
    mesh = "<mesh><uri>meshes/quad.obj</uri></mesh>"
    _, document = visual_with(folder, "", mesh)
    assert [(item.code, item.count) for item in document.diagnostics] == [("URI_LOOKUP", 1), ("LOOKS_NOT_DRAWN", 1)]
    _, covered = visual_with(folder, "<material><diffuse>0 1 0</diffuse></material>", mesh)
    assert covered.diagnostics == ()


def test_a_colour_over_a_picture_is_told(folder: Path):
    obj(folder, "newmtl a\nmap_Kd paint.png\n")
    mesh = "<mesh><uri>meshes/quad.obj</uri></mesh>"
    _, document = visual_with(folder, "<material><diffuse>0 1 0</diffuse></material>", mesh)
    assert [item.code for item in document.diagnostics] == ["LOOKS_NOT_DRAWN"]
    _, white = visual_with(folder, "<material><diffuse>1 1 1</diffuse></material>", mesh)
    assert white.diagnostics == ()


def test_checking_decodes_no_picture(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(Image.Image, "load", refuse)
    obj(folder, "newmtl a\nmap_Kd paint.png\n")
    _, document = visual_with(folder, "", "<mesh><uri>meshes/quad.obj</uri></mesh>")
    assert document.diagnostics == ()


def test_textures_compare_by_what_they_show():
    assert Texture("a", data=b"1") == Texture("b", data=b"1")
    assert Texture("a", path="x") != Texture("a", path="y")
