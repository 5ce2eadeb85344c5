"""What mesh files say about their looks: pictures beside them and inside of them, colours, and which files are
opened."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.formats.mesh.loader import TriangleMesh, load_mesh

QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
FACE = "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
PNG = b"not read before it is drawn"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder: meshes/ and materials/textures/ with paint.png in it."""
    for name in ("meshes", "materials/textures"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "materials/textures/paint.png").write_bytes(PNG)
    return tmp_path


def obj(folder: Path, mtl: str, faces: str = f"usemtl a\n{FACE}") -> TriangleMesh:
    (folder / "meshes/quad.mtl").write_text(mtl, encoding="utf-8")
    path = folder / "meshes/quad.obj"
    path.write_text(f"mtllib quad.mtl\n{QUAD}{faces}", encoding="utf-8")
    return load_mesh(path)


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


def test_a_picture_without_a_colour_is_not_tinted(folder: Path):
    colors = obj(folder, "newmtl a\nmap_Kd paint.png\n").colors
    assert colors is not None
    assert colors.min() == 1.0


def test_a_ply_may_name_a_picture(folder: Path):
    path = folder / "meshes/scan.ply"
    corners = "0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n"
    head = "ply\nformat ascii 1.0\ncomment TextureFile paint.png\nelement vertex 3\n"
    properties = "".join(f"property float {name}\n" for name in ["x", "y", "z", "s", "t"])
    faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    path.write_text(f"{head}{properties}{faces}{corners}3 0 1 2\n", encoding="ascii")
    mesh = load_mesh(path)
    assert [item.name for item in mesh.textures] == ["paint.png"]
    assert mesh.uv is not None
    np.testing.assert_allclose(mesh.uv, [[0, 0], [1, 0], [0, 1]])


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


COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>{image}</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
 <newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
 <newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
 <technique sid="c"><lambert><diffuse><texture texture="t" texcoord="uv"/></diffuse></lambert></technique>
 </profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
  <technique_common><accessor source="#pa" count="3" stride="3">
  <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
  </accessor></technique_common></source>
 <source id="q"><float_array id="qa" count="6">0 0 1 0 0 1</float_array>
  <technique_common><accessor source="#qa" count="3" stride="2">
  <param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles count="1" material="mm"><input semantic="VERTEX" source="#v" offset="0"/>
  <input semantic="TEXCOORD" source="#q" offset="1" set="0"/><p>0 0 1 1 2 2</p></triangles></mesh></geometry>
</library_geometries>
<library_visual_scenes><visual_scene id="x"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
 <instance_material symbol="mm" target="#m"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#x"/></scene></COLLADA>"""


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
