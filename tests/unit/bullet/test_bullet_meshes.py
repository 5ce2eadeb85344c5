"""Meshes of any size collide: those of the world as their triangles, moving ones as their convex hull."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.model.shape import Mesh
from simulator.physics.shapes.hulls import LOST, MOST_TRIANGLES, hull_points, pieces
from simulator.session.batch.batch import run_batch
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import model, world

RADIUS = 0.1
BALL = f"<geometry><sphere><radius>{RADIUS}</radius></sphere></geometry>"


def plate(cells: int, width: float = 2.0) -> trimesh.Trimesh:
    """A square in the plane z = 0.25 m of 2 cells² triangles, each with vertices of its own as in STL."""
    places = np.linspace(-width / 2, width / 2, cells + 1)
    x, y = np.meshgrid(places, places, indexing="ij")
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    ahead = corner + cells + 1
    faces = np.concatenate(
        [np.stack([corner, ahead, corner + 1], axis=1), np.stack([corner + 1, ahead, ahead + 1], axis=1)]
    )
    vertices = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.25)])
    return trimesh.Trimesh(vertices[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3), process=False)


def meshed(uri: str) -> str:
    return f"<geometry><mesh><uri>{uri}</uri></mesh></geometry>"


def thing(name: str, geometry: str, pose: str = "0 0 0 0 0 0") -> str:
    inertial = "<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>"
    return model(name, f'<pose>{pose}</pose><link name="l">{inertial}<collision name="c">{geometry}</collision></link>')


def ground(geometry: str) -> str:
    return model("ground", f'<static>true</static><link name="l"><collision name="c">{geometry}</collision></link>')


def heights(path: Path, solver: str, duration: float = 0.2) -> list[float]:
    """Of all moving bodies after that long [m]."""
    engine = make_engine(open_document(path), SessionSettings(solver=solver))
    try:
        summary = run_batch(engine, duration)
    finally:
        engine.close()
    assert summary.failure is None
    assert summary.last is not None
    return [float(pose[2]) for pose in summary.last.body_poses[1:]]


@pytest.mark.parametrize("solver", ["rows", "gear"])
def test_a_ball_rests_on_a_mesh_of_a_hundred_thousand_triangles(tmp_path: Path, solver: str) -> None:
    """PyBullet refuses such a mesh as one shape; the ball lies where two of its pieces meet. Bullet lets it sink in by
    some 0.05 mm."""
    mesh = plate(224)
    assert len(mesh.faces) > 2 * MOST_TRIANGLES
    mesh.export(tmp_path / "plate.stl")
    seam = np.sort(mesh.triangles_center[:, 0])[len(mesh.faces) // 3]
    path = tmp_path / "world.sdf"
    path.write_text(world(ground(meshed("plate.stl")), thing("ball", BALL, f"{seam} 0.002 0.35 0 0 0")), "utf-8")
    assert heights(path, solver) == pytest.approx([0.35], abs=2e-4)


@pytest.mark.parametrize("solver", ["rows", "gear"])
@pytest.mark.parametrize(
    "vertices", [[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 0, 0)] * 3]
)
def test_a_mesh_without_volume_moves_and_touches(
    tmp_path: Path, solver: str, vertices: list[tuple[float, ...]]
) -> None:
    """A triangle, a line and a point have no hull with an inside."""
    trimesh.Trimesh(np.array(vertices) * 0.1, [(0, 1, 2)], process=False).export(tmp_path / "flat.stl")
    path = tmp_path / "world.sdf"
    box = "<geometry><box><size>2 2 0.2</size></box></geometry>"
    path.write_text(world(ground(box), thing("flat", meshed("flat.stl"), "0 0 0.101 0 0 0")), "utf-8")
    assert heights(path, solver) == pytest.approx([0.1], abs=3e-3)


def test_pieces_hold_every_triangle_once() -> None:
    mesh = plate(150)
    found = pieces(np.array(mesh.vertices), np.array(mesh.faces, np.int32))
    assert len(found) == 2
    assert all(len(triangles) <= MOST_TRIANGLES for _, triangles in found)
    centres = np.concatenate([vertices[triangles].mean(axis=1) for vertices, triangles in found])
    np.testing.assert_allclose(centres[np.lexsort(centres.T)], _sorted(mesh.triangles_center))
    assert np.ptp(found[0][0][:, 0]) < 1.1


def _sorted(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(points.T)]


def test_the_hull_of_a_fine_mesh_is_simplified(tmp_path: Path) -> None:
    """A ball of 10242 corners: no direction loses more than LOST of half the diagonal of its box."""
    trimesh.creation.icosphere(5, radius=RADIUS).export(tmp_path / "ball.stl")
    points = hull_points(Mesh("ball.stl", str(tmp_path / "ball.stl")))
    directions = np.random.default_rng(1).normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    assert len(points) < 800
    assert (directions @ points.T).max(axis=1).min() > RADIUS * (1.0 - LOST * 3.0**0.5)


def test_a_moving_mesh_collides_as_its_hull_and_says_so_once(tmp_path: Path) -> None:
    plate(2).export(tmp_path / "plate.stl")
    path = tmp_path / "world.sdf"
    things = [thing(f"t{i}", meshed("plate.stl"), f"{5 * i} 0 9 0 0 0") for i in range(3)]
    path.write_text(world(ground(meshed("plate.stl")), *things), "utf-8")
    found = [item for item in open_document(path).diagnostics if item.code == "MESH_AS_HULL"]
    assert [(item.severity.value, item.count) for item in found] == [("info", 3)]
