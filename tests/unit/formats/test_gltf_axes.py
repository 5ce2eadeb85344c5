"""Which axis is up in the glTF files of a document is found out from its other meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.formats.document import read_document
from simulator.formats.mesh.loader import mesh_of
from simulator.formats.options import ReadingOptions
from simulator.model.link import Link
from simulator.model.shape import Mesh
from simulator.session.batch.conversion import convert_document
from tests.helpers.documents import document, model

QUARTER = "1.5707963267948966 0 0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`long.glb`, which stands along z as it is stored, `upright.stl` of the same box, `lying.stl` of it turned; and
    `cube.glb`."""
    box = trimesh.creation.box((0.1, 0.2, 0.8))
    box.apply_translation((0.0, 0.0, 0.4))
    box.export(tmp_path / "long.glb")
    box.export(tmp_path / "upright.stl")
    box.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (1.0, 0.0, 0.0)))
    box.export(tmp_path / "lying.stl")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "cube.glb")
    return tmp_path


def part(tag: str, uri: str, pose: str = "0 0 0 0 0 0", scale: str = "1 1 1") -> str:
    mesh = f"<mesh><uri>{uri}</uri><scale>{scale}</scale></mesh>"
    return f'<{tag} name="{tag}"><pose>{pose}</pose><geometry>{mesh}</geometry></{tag}>'


def link(name: str, *parts: str) -> str:
    return f'<link name="{name}">{"".join(parts)}</link>'


def written(folder: Path, *links: str, name: str = "model.sdf") -> Path:
    path = folder / name
    path.write_text(document(model("m", *links)), encoding="utf-8")
    return path


def read(path: Path, **options: object) -> tuple[tuple[Link, ...], list[tuple[str, int]]]:
    """The links, and what is said about axes with its count."""
    found = read_document(path, ReadingOptions(**options))  # type: ignore[arg-type]
    told = [(item.message, item.count) for item in found.diagnostics if item.code == "MESH_UP_AXIS"]
    return found.root_models[0].links, told


def up(shape: object) -> str:
    assert isinstance(shape, Mesh)
    return shape.up


@pytest.mark.parametrize(("witness", "expected"), [("upright.stl", "z"), ("lying.stl", "y"), ("long.glb", "y")])
def test_the_collision_mesh_of_the_link_shows_the_axis(folder: Path, witness: str, expected: str) -> None:
    """Another glTF file shows nothing, and the standard holds."""
    [found], told = read(written(folder, link("a", part("visual", "long.glb"), part("collision", witness))))
    assert up(found.visuals[0].shape) == expected
    assert [count for _, count in told] == [1]
    assert ("not turned" in told[0][0]) == (expected == "z")
    shape = found.visuals[0].shape
    assert isinstance(shape, Mesh)
    height = float(np.ptp(mesh_of(shape).vertices[:, 2]))
    assert height == pytest.approx(0.8 if expected == "z" else 0.2, abs=1e-6)


def test_the_visual_mesh_of_the_link_shows_the_axis_of_a_collision(folder: Path) -> None:
    [found], _ = read(written(folder, link("a", part("visual", "upright.stl"), part("collision", "long.glb"))))
    assert up(found.collisions[0].shape) == "z"


def test_boxes_are_compared_in_the_link(folder: Path) -> None:
    """Turned by its own pose and scaled the stored file fits the lying box; the standard turns it once more."""
    visual = part("visual", "long.glb", f"0 0 0 {QUARTER}", "2 2 2")
    collision = part("collision", "lying.stl", scale="2 2 2")
    [found], _ = read(written(folder, link("a", visual, collision)))
    assert up(found.visuals[0].shape) == "z"


def test_a_file_of_the_same_name_shows_the_axis(folder: Path) -> None:
    (folder / "upright.stl").rename(folder / "long.STL")
    [found], told = read(written(folder, link("a", part("visual", "long.glb"))))
    assert up(found.visuals[0].shape) == "z"
    assert "'long.STL'" in told[0][0]


def test_files_without_a_witness_follow_the_others_of_their_document(folder: Path) -> None:
    alone = link("b", part("visual", "cube.glb"))
    links, told = read(written(folder, alone, link("a", part("visual", "long.glb"), part("collision", "upright.stl"))))
    assert [up(item.visuals[0].shape) for item in links] == ["z", "z"]
    assert [count for _, count in told] == [2]
    links, _ = read(written(folder, alone))
    assert up(links[0].visuals[0].shape) == "y"


def test_witnesses_that_disagree_count_for_their_own_file_alone(folder: Path) -> None:
    (folder / "other.glb").write_bytes((folder / "long.glb").read_bytes())
    stored = link("a", part("visual", "long.glb"), part("collision", "upright.stl"))
    turned = link("b", part("visual", "other.glb"), part("collision", "lying.stl"))
    links, told = read(written(folder, stored, turned, link("c", part("visual", "cube.glb"))))
    assert [up(item.visuals[0].shape) for item in links] == ["z", "y", "y"]
    assert len(told) == 2


@pytest.mark.parametrize(
    ("options", "expected"), [({"gltf_up": "y"}, "y"), ({"gltf_up": "z"}, "z"), ({"strict": True}, "y")]
)
def test_an_option_decides_in_silence(folder: Path, options: dict[str, object], expected: str) -> None:
    path = written(folder, link("a", part("visual", "long.glb"), part("collision", "upright.stl")))
    [found], told = read(path, **options)
    assert up(found.visuals[0].shape) == expected
    assert told == []


def test_a_converted_document_keeps_the_axis(folder: Path) -> None:
    converted = convert_document(
        written(folder, link("a", part("visual", "cube.glb"))), folder, ReadingOptions(gltf_up="z")
    )
    path = folder / "converted.sdf"
    path.write_text(converted.text, encoding="utf-8")
    [found], told = read(path)
    assert up(found.visuals[0].shape) == "z"
    assert told == []
