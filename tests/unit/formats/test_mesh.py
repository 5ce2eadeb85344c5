"""Meshes of every format come out in metres, z up."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.formats.mesh.loader import FORMATS, MeshError, load_mesh, mesh_of
from simulator.model.shape import Mesh

TURNED = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""z up to y up."""


@pytest.fixture
def box() -> trimesh.Trimesh:
    """1 x 2 x 3 m, standing on the ground."""
    mesh = trimesh.creation.box((1.0, 2.0, 3.0))
    mesh.apply_translation((0.0, 0.0, 1.5))
    return mesh


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "glb", "gltf", "dae"])
def test_a_box_of_every_format(tmp_path: Path, box: trimesh.Trimesh, kind: str) -> None:
    if kind in ("glb", "gltf"):
        box.vertices = box.vertices @ TURNED.T
    path = tmp_path / f"box.{kind}"
    if kind == "gltf":
        for name, data in trimesh.exchange.gltf.export_gltf(trimesh.Scene(box)).items():
            (tmp_path / name.replace("model.gltf", "box.gltf")).write_bytes(data)
    else:
        box.export(path)
    mesh = load_mesh(path)
    assert mesh.vertices.dtype == np.float64
    assert mesh.triangles.dtype == np.int32
    assert mesh.triangles.shape == (12, 3)
    np.testing.assert_allclose(mesh.vertices.min(axis=0), (-0.5, -1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), (0.5, 1.0, 3.0), atol=1e-6)
    corners = mesh.vertices[mesh.triangles]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    assert volume == pytest.approx(6.0)


@pytest.mark.parametrize("name", [b"box", b"Geh\xe4use", "Gehäuse".encode(), b"a vertex 1 of facet 2", b""])
def test_ascii_stl_with_a_name_in_any_encoding(tmp_path: Path, box: trimesh.Trimesh, name: bytes) -> None:
    path = tmp_path / "box.STL"
    path.write_bytes(trimesh.exchange.stl.export_stl_ascii(box).encode().replace(b"solid ", b"solid " + name))
    assert load_mesh(path, scale=(1.0, 1.0, 2.0)).vertices.max() == pytest.approx(6.0)


@pytest.mark.parametrize("header", [b"solid part", b"Geh\xe4use", b""])
def test_a_binary_stl_may_begin_with_any_text(tmp_path: Path, box: trimesh.Trimesh, header: bytes) -> None:
    """The format leaves the first 80 bytes free; several exporters write `solid` there, as only ASCII files should."""
    path = tmp_path / "box.stl"
    path.write_bytes(header.ljust(80, b"\0") + trimesh.exchange.stl.export_stl(box)[80:] + b"\0" * 7 * (header == b""))
    assert len(load_mesh(path).triangles) == 12


@pytest.mark.parametrize("header", [b"solid part", b"Geh\xe4use"])
def test_a_binary_stl_that_is_cut_off_says_so(tmp_path: Path, box: trimesh.Trimesh, header: bytes) -> None:
    path = tmp_path / "box.stl"
    path.write_bytes((header.ljust(80, b"\0") + trimesh.exchange.stl.export_stl(box)[80:])[:-70])
    with pytest.raises(MeshError, match=r"cut off.* announces 12 triangles and holds 10"):
        load_mesh(path)


def test_an_ascii_stl_that_is_cut_off_says_so(tmp_path: Path, box: trimesh.Trimesh) -> None:
    path = tmp_path / "box.stl"
    text = trimesh.exchange.stl.export_stl_ascii(box)
    path.write_text(text[: text.rindex("outer loop")], encoding="ascii")
    with pytest.raises(MeshError, match=r"cut off.* 11 of them are whole"):
        load_mesh(path)


def test_an_obj_in_latin_1_without_its_materials_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plate.OBJ"
    path.write_bytes(b"# Geh\xe4use\nmtllib none.mtl\nusemtl bl\xe4ue\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert len(load_mesh(path).triangles) == 1


def test_a_pointer_of_git_lfs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "part.dae"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", encoding="ascii")
    with pytest.raises(MeshError, match="pointer of Git LFS") as caught:
        load_mesh(path)
    assert "git lfs pull" in caught.value.hint


def test_a_mirrored_mesh_keeps_its_outside(tmp_path: Path, box: trimesh.Trimesh) -> None:
    path = tmp_path / "box.ply"
    box.export(path)
    mesh = load_mesh(path, scale=(-1.0, 1.0, 1.0))
    assert trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False).volume == pytest.approx(6.0)


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
def test_the_unit_of_a_dae_is_honoured_and_its_up_axis_is_not(tmp_path: Path, up: str) -> None:
    """Gazebo (gz-common's AssimpLoader drops the turn that `<up_axis>` asks for) and RViz take the axes of COLLADA as
    they are."""
    spike = trimesh.Trimesh(
        [(0, 0, 0), (0.1, 0.1, 0), (0, 0.1, 0.1), (0, 0, 2)], [(0, 1, 3), (1, 2, 3), (2, 0, 3)], process=False
    )
    text = trimesh.exchange.dae.export_collada(spike).decode()
    asset = f'<unit name="centimeter" meter="0.01"/><up_axis>{up}</up_axis>'
    path = tmp_path / "spike.dae"
    path.write_text(text.replace("<up_axis>Y_UP</up_axis>", asset), encoding="utf-8")
    vertices = load_mesh(path).vertices
    np.testing.assert_allclose(vertices[np.argmax(np.linalg.norm(vertices, axis=1))], (0.0, 0.0, 0.02), atol=1e-9)


def test_the_nodes_of_a_dae_place_its_parts(tmp_path: Path, box: trimesh.Trimesh) -> None:
    text = trimesh.exchange.dae.export_collada(box).decode()
    matrix = "<matrix>0 -1 0 10 1 0 0 0 0 0 1 0 0 0 0 1</matrix>"
    path = tmp_path / "box.dae"
    path.write_text(re.sub(r"(<node [^>]*>)", rf"\1{matrix}", text, count=1), encoding="utf-8")
    vertices = load_mesh(path).vertices
    np.testing.assert_allclose(vertices.min(axis=0), (9.0, -0.5, 0.0), atol=1e-9)
    np.testing.assert_allclose(vertices.max(axis=0), (11.0, 0.5, 3.0), atol=1e-9)


def test_a_dae_whose_material_needs_an_image_that_is_nowhere_keeps_its_triangles(
    tmp_path: Path, box: trimesh.Trimesh
) -> None:
    text = trimesh.exchange.dae.export_collada(box).decode()
    texture = '<texture texture="sampler" texcoord="UV"/>'
    lost = (
        '<newparam sid="surface"><surface type="2D"><init_from>nowhere</init_from></surface></newparam>'
        '<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>'
    )
    text = re.sub(r"<diffuse>.*?</diffuse>", f"<diffuse>{texture}</diffuse>", text, flags=re.DOTALL)
    path = tmp_path / "box.dae"
    path.write_text(text.replace("<technique sid", f"{lost}<technique sid", 1), encoding="utf-8")
    mesh = load_mesh(path)
    assert len(mesh.triangles) == 12
    assert mesh.colors is None


def test_a_gltf_without_its_buffer_says_which(tmp_path: Path, box: trimesh.Trimesh) -> None:
    files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(box))
    (tmp_path / "box.gltf").write_bytes(files["model.gltf"])
    with pytest.raises(MeshError, match=r"needs '.*\.bin', which is not beside it"):
        load_mesh(tmp_path / "box.gltf")


def test_the_axis_that_points_up_can_be_said(tmp_path: Path, box: trimesh.Trimesh) -> None:
    path = tmp_path / "box.glb"
    box.export(path)
    np.testing.assert_allclose(np.ptp(load_mesh(path, up="z").vertices, axis=0), (1.0, 2.0, 3.0), atol=1e-6)
    np.testing.assert_allclose(np.ptp(load_mesh(path, up="y").vertices, axis=0), (1.0, 3.0, 2.0), atol=1e-6)
    np.testing.assert_allclose(np.ptp(load_mesh(path).vertices, axis=0), (1.0, 3.0, 2.0), atol=1e-6)
    assert mesh_of(Mesh("box.glb", str(path), up="z")).vertices[:, 2].max() == pytest.approx(3.0)


def test_a_submesh_is_picked_and_centred(tmp_path: Path) -> None:
    path = tmp_path / "pair.obj"
    path.write_text(
        "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 4 0 0\nv 6 0 0\nv 4 2 0\nf 4 5 6\n", encoding="ascii"
    )
    mesh = mesh_of(Mesh("pair.obj", str(path), submesh="two", center=True, scale=(2.0, 2.0, 2.0)))
    assert len(mesh.triangles) == 1
    np.testing.assert_allclose(mesh.vertices.max(axis=0), (2.0, 2.0, 0.0))
    with pytest.raises(MeshError, match="three") as caught:
        load_mesh(path, submesh="three")
    assert "one, two" in caught.value.hint


def test_a_mesh_is_read_once_until_it_changes(tmp_path: Path, box: trimesh.Trimesh) -> None:
    path = tmp_path / "box.stl"
    box.export(path)
    first = load_mesh(path)
    assert load_mesh(path) is first
    assert not first.vertices.flags.writeable


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("data", [b"", b"junk" * 50, b"\x00" * 100], ids=["empty", "junk", "zeros"])
def test_a_broken_mesh_is_a_mesh_error(tmp_path: Path, kind: str, data: bytes) -> None:
    path = tmp_path / f"broken.{kind}"
    path.write_bytes(data)
    with pytest.raises(MeshError, match="broken"):
        load_mesh(path)


def test_an_unknown_kind_names_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "part.step"
    path.write_text("x", encoding="ascii")
    with pytest.raises(MeshError) as caught:
        load_mesh(path)
    assert "stl" in caught.value.hint
    with pytest.raises(MeshError, match="cannot be read"):
        load_mesh(tmp_path / "none.stl")
