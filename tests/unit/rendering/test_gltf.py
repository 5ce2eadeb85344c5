"""Binary glTF files: read back by a reader of this test's own and by trimesh, beside the scene and the motion that they
are of. (Khronos' own validator, which is for Node, finds no errors in those of the example worlds.)"""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import simulator
from simulator.cli.app import run_app
from simulator.rendering.build import build_scene
from simulator.rendering.gltf import glb_of
from simulator.session.open.opening import open_document
from simulator.spatial.pose import Pose
from tests.helpers.documents import model, world
from tests.helpers.repository import ROOT

UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From z up to y up."""
SINGLE = 1e-6
"""Coordinates are single precision."""


def content(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON of a file and its buffer."""
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    text = json.loads(data[20 : 20 + size])
    rest = data[20 + size :]
    if not rest:
        return text, b""
    room, binary = struct.unpack_from("<I4s", rest)
    assert binary == b"BIN\x00"
    assert room == text["buffers"][0]["byteLength"] == len(rest) - 8
    return text, rest[8:]


def values(text: dict[str, Any], buffer: bytes, number: int) -> np.ndarray:
    accessor = text["accessors"][number]
    view = text["bufferViews"][accessor["bufferView"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
    found = np.frombuffer(buffer, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert found.nbytes == view["byteLength"]
    return found


@pytest.mark.parametrize("name", ["four_bar", "rack_and_pinion", "stewart", "gripper", "wrist"])
def test_what_trimesh_reads_is_the_scene(name: str) -> None:
    """The same triangles inside the same box, y up."""
    opened = open_document(ROOT / "worlds" / f"{name}.sdf")
    scene = build_scene(opened.world)
    loaded = trimesh.load(io.BytesIO(glb_of(scene, scene.initial_link_poses())), file_type="glb")
    drawn = [d for d in scene.drawables if not d.is_collision and not d.stands_in]
    assert sum(len(mesh.faces) for mesh in loaded.dump()) == sum(
        len(scene.surfaces[d.surface].triangles) for d in drawn
    )
    matrices = scene.world_matrices(scene.initial_link_poses())
    points = np.concatenate(
        [
            scene.surfaces[d.surface].positions @ X[:3, :3].T + X[:3, 3]
            for d, X in zip(scene.drawables, matrices, strict=True)
            if not d.is_collision and not d.stands_in
        ]
    )
    turned = points @ UP.T
    np.testing.assert_allclose(loaded.bounds, [turned.min(axis=0), turned.max(axis=0)], atol=SINGLE)


def test_links_move_as_in_the_run(tmp_path: Path) -> None:
    """Every key of every channel, beside the poses of the run."""
    sim = simulator.load("four_bar")
    run = sim.run(1.0, drives={"crank_joint": simulator.velocity(6.0)}, every=0.05)
    text, buffer = content(sim.save_gltf(tmp_path / "moving.glb", run).read_bytes())
    (animation,) = text["animations"]
    names = {number: node["name"] for number, node in enumerate(text["nodes"])}
    moved = set()
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        np.testing.assert_allclose(values(text, buffer, sampler["input"])[:, 0], run["time"], atol=SINGLE)
        found = values(text, buffer, sampler["output"])
        link, path = names[channel["target"]["node"]], channel["target"]["path"]
        moved.add(link)
        wanted = [Pose.from_matrix(matrix) for matrix in np.asarray(run.poses(link))]
        if path == "translation":
            np.testing.assert_allclose(found, [pose.position for pose in wanted], atol=SINGLE)
        else:
            turns = np.array([pose.orientation for pose in wanted])
            np.testing.assert_allclose(np.abs(np.einsum("ni,ni->n", found, turns)), 1.0, atol=SINGLE)
            assert np.all(np.einsum("ni,ni->n", found[1:], found[:-1]) > 0.0), "the long way round"
    assert moved == {"four_bar::crank", "four_bar::coupler", "four_bar::rocker"}


def test_colours_textures_and_mirrored_meshes(tmp_path: Path) -> None:
    """sRGB 0.5 is 0.214041 of linear light (IEC 61966-2-1); what is transparent is blended; a mesh that its scale
    mirrors has its corners moved, for a node cannot mirror and turn without changing what is inside."""
    mesh = trimesh.creation.box((0.1, 0.2, 0.3))
    mesh.apply_translation((0.1, 0.0, 0.0))
    mesh.export(tmp_path / "part.stl")
    material = "<material><diffuse>0.5 0 1 0.4</diffuse></material>"
    link = (
        f'<link name="l"><visual name="a"><geometry><box><size>1 1 1</size></box></geometry>{material}</visual>'
        '<visual name="b"><geometry><mesh><uri>part.stl</uri><scale>-1 1 1</scale></mesh></geometry></visual></link>'
    )
    path = tmp_path / "it.sdf"
    path.write_text(world(model("m", link)), encoding="utf-8")
    assert run_app(["convert", str(path), "-o", str(tmp_path / "it.glb")]) == 0
    text, buffer = content((tmp_path / "it.glb").read_bytes())
    look = next(m for m in text["materials"] if m.get("alphaMode") == "BLEND")
    assert look["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx([0.214041, 0.0, 1.0, 0.4], abs=1e-6)
    (mirrored,) = [node for node in text["nodes"] if node["name"].endswith("b") and "mesh" in node]
    assert "scale" not in mirrored
    (primitive,) = text["meshes"][mirrored["mesh"]]["primitives"]
    corners = values(text, buffer, primitive["attributes"]["POSITION"])
    assert corners[:, 0].min() == pytest.approx(-0.15)
    assert corners[:, 0].max() == pytest.approx(-0.05)
    normals = values(text, buffer, primitive["attributes"]["NORMAL"])
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=SINGLE)
    assert np.all(np.einsum("ni,ni->n", normals, corners - np.array([-0.1, 0.0, 0.0])) > 0.0)


def test_a_model_in_motion_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rack.glb"
    options = ["--duration", "0.5", "--fps", "20", "--drive", "pinion_joint=velocity:2"]
    assert run_app(["render", "rack_and_pinion", "-o", str(out), *options]) == 0
    text, buffer = content(out.read_bytes())
    (animation,) = text["animations"]
    times = values(text, buffer, animation["samplers"][0]["input"])[:, 0]
    np.testing.assert_allclose(times, np.arange(11) / 20.0, atol=SINGLE)
    assert run_app(["render", "rack_and_pinion", "-o", str(tmp_path / "rack.obj")]) != 0
    assert "models as GLB" in capsys.readouterr().err
    sim = simulator.load("four_bar")
    with pytest.raises(simulator.UsageError, match=r"no \.glb file"):
        sim.save_gltf(tmp_path / "x.gltf")
