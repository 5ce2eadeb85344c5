"""COLLADA files: what stands in them beside geometry, and how their parts are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.formats.mesh.loader import MeshError, load_mesh


def geometry(name: str, title: str, *lines: str) -> str:
    """A triangle from (0, 0, 0) to (1, 1, 0), once for each of `lines`, with its corners in that order."""
    faces = "".join(
        f'<triangles count="1"><input semantic="VERTEX" source="#{name}-v" offset="0"/><p>{p}</p></triangles>'
        for p in lines
    )
    return (
        f'<geometry id="{name}" name="{title}"><mesh><source id="{name}-s"><float_array id="{name}-a" count="9">'
        "0 0 0 1 0 0 0 1 0</float_array><technique_common>"
        f'<accessor source="#{name}-a" count="3" stride="3"><param name="X" type="float"/>'
        '<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
        f'<vertices id="{name}-v"><input semantic="POSITION" source="#{name}-s"/></vertices>{faces}</mesh></geometry>'
    )


def node(name: str, geometry: str, x: float) -> str:
    """A node that shows a geometry at `x`."""
    return (
        f'<node id="node-{name}" name="{name}"><matrix>1 0 0 {x} 0 1 0 0 0 0 1 0 0 0 0 1</matrix>'
        f'<instance_geometry url="#{geometry}"/></node>'
    )


COMMENT = "<!-- made by a converter -->"
AIRCRAFT = (
    '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
    f"{COMMENT}<asset><up_axis>Z_UP</up_axis></asset>{COMMENT}<library_geometries>"
    + geometry("geom_1", "wing mesh", "0 1 2", "0 2 1")
    + geometry("geom_2", "flap mesh", "0 1 2")
    + '</library_geometries><library_visual_scenes><visual_scene id="scene">'
    + node("Wing", "geom_1", 1.0)
    + node("Left", "geom_2", 2.0)
    + node("Right", "geom_2", 3.0)
    + '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>'
)


@pytest.fixture
def aircraft(tmp_path: Path) -> Path:
    path = tmp_path / "aircraft.dae"
    path.write_text(AIRCRAFT, encoding="utf-8")
    return path


def test_comments_beside_the_parts_of_a_file_do_not_matter(tmp_path: Path) -> None:
    """Only a file that uses a material is looked at so closely."""
    material = "<instance_material symbol='m' target='#m'/>"
    use = f"<bind_material><technique_common>{material}</technique_common></bind_material>"
    text = AIRCRAFT.replace('url="#geom_1"/>', f'url="#geom_1">{use}</instance_geometry>')
    assert use in text
    path = tmp_path / "aircraft.dae"
    path.write_text(text, encoding="utf-8")
    assert len(load_mesh(path).triangles) == 4


def test_blanks_before_the_declaration_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "aircraft.dae"
    path.write_text(f"  \n<?xml version='1.0' encoding='utf-8'?>\n{AIRCRAFT}", encoding="utf-8")
    assert len(load_mesh(path).triangles) == 4


@pytest.mark.parametrize(
    ("name", "triangles", "places"),
    [
        ("Wing", 2, [1.0]),
        ("node-Wing", 2, [1.0]),
        ("geom_1", 2, [1.0]),
        ("wing mesh", 2, [1.0]),
        ("Left", 1, [2.0]),
        ("Right", 1, [3.0]),
        ("geom_2", 2, [2.0, 3.0]),
        ("", 4, [1.0, 2.0, 3.0]),
    ],
)
def test_a_part_is_named_by_its_node_or_its_geometry(
    name: str, triangles: int, places: list[float], aircraft: Path
) -> None:
    """Gazebo knows parts by the names of nodes; a part with several materials is several pieces of one geometry."""
    mesh = load_mesh(aircraft, submesh=name)
    assert len(mesh.triangles) == triangles
    corners = mesh.vertices[mesh.triangles[:, 0]]
    assert sorted(set(np.round(corners[:, 0], 9).tolist())) == places


def test_a_part_that_is_not_there_says_which_are(aircraft: Path) -> None:
    with pytest.raises(MeshError, match="no part named 'Tail'") as caught:
        load_mesh(aircraft, submesh="Tail")
    assert caught.value.hint == "parts in it: Left, Right, Wing"


def test_a_node_without_a_name_is_part_of_the_one_around_it(tmp_path: Path) -> None:
    path = tmp_path / "aircraft.dae"
    inner = '<instance_geometry url="#geom_1"/>'
    path.write_text(AIRCRAFT.replace(inner, f"<node>{inner}</node>"), encoding="utf-8")
    assert len(load_mesh(path, submesh="Wing").triangles) == 2


def test_a_node_comes_before_a_geometry_of_that_name(tmp_path: Path) -> None:
    path = tmp_path / "aircraft.dae"
    path.write_text(AIRCRAFT.replace('name="Left"', 'name="geom_1"'), encoding="utf-8")
    assert load_mesh(path, submesh="geom_1").vertices[0] == pytest.approx((2.0, 0.0, 0.0))
