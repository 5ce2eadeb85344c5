"""Where the textures of a document come from, and which files are opened for them."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
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


def test_an_obj_has_a_texture_for_each_of_its_materials(folder: Path):
    (folder / "meshes/beside.jpg").write_bytes(PNG)
    mtl = "newmtl a\nKd 0.5 0.5 0.5\nmap_Kd -s 1 1 1 paint.png\nmap_Bump bumps.png\nnewmtl b\nmap_Kd beside.jpg\n"
    mesh = obj(folder, mtl, "o plate\nusemtl a\nf 1/1 2/2 3/3\nusemtl b\nf 1/1 3/3 4/4\n")
    assert {Path(item.path).name for item in mesh.textures} == {"paint.png", "beside.jpg"}
    assert mesh.texture_of is not None
    assert mesh.uv is not None
    assert sorted(mesh.texture_of.tolist()) == [0, 1]
    np.testing.assert_allclose(mesh.vertices[:, :2], mesh.uv)
    assert mesh.undrawn == ("normal maps",)
    assert load_mesh(folder / "meshes/quad.obj", submesh="plate").textures == mesh.textures


def test_black_below_a_picture_means_the_picture_alone(folder: Path):
    mesh = obj(folder, "newmtl a\nKd 0 0 0\nmap_Kd paint.png\n")
    assert mesh.colors is not None
    assert mesh.colors.min() == 1.0


def test_an_obj_without_a_colour_has_none(folder: Path):
    assert obj(folder, "newmtl a\nNs 10\n").colors is None


def test_mesh_files_open_regular_files_within_reach_only(folder: Path):
    os.mkfifo(folder / "meshes/pipe.png")
    os.mkfifo(folder / "meshes/pipe.mtl")
    for name in ("pipe.png", "none.png", "/etc/hostname.png", "../../../../../etc/hostname.png"):
        mesh = obj(folder, f"newmtl a\nKd 1 0 0\nmap_Kd {name}\n")
        assert mesh.textures == ()
        assert mesh.unfound == (Path(name).name,)
        assert mesh.colors is not None
        np.testing.assert_allclose(mesh.colors[0], (1.0, 0.0, 0.0, 1.0))
    path = folder / "meshes/waits.obj"
    path.write_text(f"mtllib pipe.mtl\n{QUAD}usemtl a\n{FACE}", encoding="utf-8")
    assert load_mesh(path).unfound == ("pipe.mtl",)


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


COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>{image}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
 <newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
 <newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
 <technique sid="c"><lambert><diffuse><texture texture="t" texcoord="uv"/></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects><library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
  <technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
  <param name="Z" type="float"/></accessor></technique_common></source>
 <source id="q"><float_array id="qa" count="6">0 0 1 0 0 1</float_array>
  <technique_common><accessor source="#qa" count="3" stride="2"><param name="S" type="float"/><param name="T" type="float"/>
  </accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles count="1" material="mm"><input semantic="VERTEX" source="#v" offset="0"/>
  <input semantic="TEXCOORD" source="#q" offset="1" set="0"/><p>0 0 1 1 2 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="x"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
 <instance_material symbol="mm" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#x"/></scene></COLLADA>"""


@pytest.mark.parametrize(
    "image", ["paint.png", "../materials/textures/paint.png", r"C:\art\paint.png", "file:///x/paint.png"]
)
def test_the_picture_of_a_dae_is_found_as_gazebo_finds_it(folder: Path, image: str):
    path = folder / "meshes/part.dae"
    path.write_text(COLLADA.format(image=image), encoding="utf-8")
    mesh = load_mesh(path)
    (texture,) = mesh.textures
    assert Path(texture.path).samefile(folder / "materials/textures/paint.png")
    assert texture.cutout
    assert mesh.uv is not None
    np.testing.assert_allclose(mesh.uv, [[0, 0], [1, 0], [0, 1]])


def glb(picture: bytes, image: dict[str, object] | None = None, **material: object) -> bytes:
    """A GLB with one triangle; its picture stands in the binary chunk, or `image` says where."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    places = np.array([[0, 1], [1, 1], [0, 0]], "<f4").tobytes()
    data = points + places + picture + b"\0" * (-len(picture) % 4)
    views = [(0, 36), (36, 24), (60, len(picture))]
    pbr = {"baseColorTexture": {"index": 0}, **material}
    header = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "scene": 0,
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": pbr, "normalTexture": {"index": 0}}],
        "textures": [{"source": 0}],
        "images": [image or {"bufferView": 2, "mimeType": "image/png"}],
        "bufferViews": [{"buffer": 0, "byteOffset": start, "byteLength": size} for start, size in views],
        "buffers": [{"byteLength": len(data)}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"},
        ],
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def test_a_picture_inside_of_a_glb_is_kept_as_bytes(tmp_path: Path):
    path = tmp_path / "part.glb"
    path.write_bytes(glb(PNG))
    mesh = load_mesh(path)
    (texture,) = mesh.textures
    assert (texture.data, texture.path, texture.cutout) == (PNG, "", False)
    assert mesh.uv is not None
    np.testing.assert_allclose(mesh.uv, [[0, 0], [1, 0], [0, 1]])
    assert mesh.undrawn == ("normal maps",)
    assert mesh.colors is not None
    assert mesh.colors.min() == 1.0  # glTF 2.0: the factor is white where none is given


def test_the_base_colour_of_gltf_is_light(tmp_path: Path):
    path = tmp_path / "part.glb"
    path.write_bytes(glb(PNG, baseColorFactor=[0.214, 0.0, 1.0, 0.5]))
    colors = load_mesh(path).colors
    assert colors is not None
    np.testing.assert_allclose(colors[0], (0.5, 0.0, 1.0, 0.5), atol=0.01)  # IEC 61966-2-1; trimesh keeps 8 bits


def test_a_picture_beside_a_glb_is_opened_through_the_same_door(tmp_path: Path):
    path = tmp_path / "part.glb"
    (tmp_path / "skin.png").write_bytes(PNG)
    path.write_bytes(glb(b"", {"uri": "skin.png"}))
    assert [Path(item.path).name for item in load_mesh(path).textures] == ["skin.png"]
    os.mkfifo(tmp_path / "pipe.png")
    other = tmp_path / "other.glb"
    other.write_bytes(glb(b"", {"uri": "pipe.png"}))
    assert load_mesh(other).textures == ()
    assert load_mesh(other).unfound == ("pipe.png",)


@pytest.mark.parametrize(
    "image",
    [
        {"bufferView": 77},
        {"bufferView": "x"},
        {"uri": "data:image/png;base64,%%%"},
        {"mimeType": "image/ktx2", "bufferView": 2},
    ],
)
def test_a_broken_entry_of_a_picture_leaves_the_triangles(tmp_path: Path, image: dict[str, object]):
    path = tmp_path / "part.glb"
    path.write_bytes(glb(PNG, image))
    assert len(load_mesh(path).triangles) == 1


def test_checking_decodes_no_picture(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(Image.Image, "load", refuse)
    obj(folder, "newmtl a\nmap_Kd paint.png\n")
    _, document = visual_with(folder, "", "<mesh><uri>meshes/quad.obj</uri></mesh>")
    assert document.diagnostics == ()


def test_textures_compare_by_what_they_show():
    assert Texture("a", data=b"1") == Texture("a", data=b"1")
    assert Texture("a", path="x") != Texture("a", path="y")


def test_parts_without_a_colour_do_not_take_it_from_the_others(tmp_path: Path):
    scene = trimesh.Scene()
    red = trimesh.creation.box((1, 1, 1))
    red.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 0, 0, 255])
    )
    scene.add_geometry(red, geom_name="red")
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), geom_name="plain")
    path = tmp_path / "two.glb"
    path.write_bytes(scene.export(file_type="glb"))
    colors = load_mesh(path).colors
    assert colors is not None
    assert np.isfinite(colors).all(axis=1).any()
