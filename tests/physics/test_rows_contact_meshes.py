"""Bodies on meshes that do not move, which are their triangles: flat ones are planes, others have closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.physics.axes import moving
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import advance, model, running, world

Write = Callable[..., Path]
Height = Callable[[float, float], float]
Array = NDArray[np.float64]
G = 9.8
BALL_INERTIA = "0.004 0.004 0.004"
BALL, BOX = ball_shape(0.1), box_shape("0.2 0.2 0.1")
CYLINDER = "<cylinder><radius>0.1</radius><length>0.2</length></cylinder>"
CAPSULE = "<capsule><radius>0.1</radius><length>0.2</length></capsule>"
CONE = "<cone><radius>0.1</radius><length>0.2</length></cone>"
ELLIPSOID = "<ellipsoid><radii>0.1 0.1 0.1</radii></ellipsoid>"


def surface_mesh(path: Path, height: Height = lambda x, y: 0.0, *, cells: int = 20, width: float = 4.0) -> str:
    """The geometry of an open mesh z = height(x, y) over a square about the origin, of cells x cells squares of two
    triangles each."""
    places = np.linspace(-0.5 * width, 0.5 * width, cells + 1)
    lines = [f"v {x!r} {y!r} {height(x, y)!r}" for x in places.tolist() for y in places.tolist()]
    for a in range(cells):
        for b in range(cells):
            p = a * (cells + 1) + b + 1
            q = p + cells + 1
            lines += [f"f {p} {q} {q + 1}", f"f {p} {q + 1} {p + 1}"]
    return written(path, lines)


def written(path: Path, lines: list[str]) -> str:
    """The geometry of a mesh of these lines of an OBJ file."""
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return f"<mesh><uri>{path}</uri></mesh>"


def fixed(mesh: str, mu: float = 1.0) -> str:
    return wall(mesh, pose="0 0 0 0 0 0", name="rock", mu=mu)


def after(path: Path, duration: float, *twist: float, dt: float | None = None) -> tuple[Array, Array]:
    """Pose and velocity of the only body that moves, which begins with that one (angular, linear), after a while."""
    with running(path, dt=dt) as engine:
        moving(engine, twist or (0.0,) * 6)
        advance(engine, duration)
        snapshot = engine.snapshot()
        return snapshot.body_poses[1].copy(), snapshot.body_velocities[1].copy()


def thing(shape: str, pose: str, *, mu: float = 1.0, inertia: str = BALL_INERTIA) -> str:
    return model(solid("b", shape, pose=pose, mu=mu, inertia=inertia))


@pytest.mark.parametrize("y", [0.0, 0.013, 0.2], ids=["along edges", "across", "along other edges"])
def test_a_ball_rolls_over_a_flat_grid_as_on_a_plane(write_document: Write, tmp_path: Path, y: float) -> None:
    """2.5 m over edges of 0.2 m, in a straight line at the speed it began with; 1e-10 is the rounding of 5000 steps."""
    path = write_document(world(fixed(surface_mesh(tmp_path / "grid.obj")) + thing(BALL, f"-1.2 {y} 0.1 0 0 0")))
    pose, velocity = after(path, 5.0, 0.0, 5.0, 0.0, 0.5, 0.0, 0.0)
    assert pose[:3] == pytest.approx((1.3, y, 0.1), abs=1e-10)
    assert velocity == pytest.approx((0.0, 5.0, 0.0, 0.5, 0.0, 0.0), abs=1e-10)


@pytest.mark.parametrize(
    ("shape", "height"),
    [(BALL, 0.1), (ELLIPSOID, 0.1), (CAPSULE, 0.2), (CYLINDER, 0.1), (CONE, 0.1), (BOX, 0.05)],
    ids=["ball", "ellipsoid", "capsule", "cylinder", "cone", "box"],
)
def test_what_slides_on_a_flat_grid_slides_as_on_a_plane(
    write_document: Write, tmp_path: Path, shape: str, height: float
) -> None:
    """With spin and friction, braked and tipped: the same contacts, but for the rounding of feet and gaps, which grows
    in 500 steps to 1e-9."""
    body, twist = thing(shape, f"0.1 0.2 {height!r} 0 0 0.3", mu=0.3), (0.0, 0.0, 1.0, 1.2, 0.4, 0.0)
    meshed = after(write_document(world(fixed(surface_mesh(tmp_path / "grid.obj")) + body)), 0.5, *twist)
    plane = after(write_document(world(ground() + body)), 0.5, *twist)
    assert meshed[0] == pytest.approx(plane[0], abs=1e-9)
    assert meshed[1] == pytest.approx(plane[1], abs=1e-8)


@pytest.mark.parametrize("degrees", [20.0, 30.0])
def test_a_box_on_a_slope_of_triangles_holds_or_slides(write_document: Write, tmp_path: Path, degrees: float) -> None:
    """It stays where tan a < mu = 0.5, else slides with g (sin a - mu cos a); the mesh has numbers of double
    precision."""
    angle = math.radians(degrees)
    s, c = math.sin(angle), math.cos(angle)
    mesh = surface_mesh(tmp_path / "slope.obj", lambda x, y: -math.tan(angle) * x)
    body = thing(BOX, f"{0.05 * s!r} 0 {0.05 * c!r} 0 {angle!r} 0", mu=0.5)
    pose, velocity = after(write_document(world(fixed(mesh) + body)), 0.5)
    expected = max(0.0, G * (s - 0.5 * c))
    assert velocity[3:] == pytest.approx((0.5 * expected * c, 0.0, -0.5 * expected * s), abs=1e-9)
    way = 0.125 * expected
    assert pose[:3] == pytest.approx((0.05 * s + way * c, 0.0, 0.05 * c - way * s), abs=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["normals up", "normals down"])
def test_a_ball_rests_in_a_groove(write_document: Write, tmp_path: Path, sign: float) -> None:
    """Between slopes of 45 degrees its middle is r sqrt 2 above the bottom, whichever way triangles are turned."""
    mesh = surface_mesh(tmp_path / "groove.obj", lambda x, y: abs(x))
    if sign < 0.0:
        text = (tmp_path / "groove.obj").read_text("utf-8")
        turned = (f"f {a} {c} {b}" for f, a, b, c in (line.split() for line in text.splitlines()) if f == "f")
        mesh = written(tmp_path / "turned.obj", [*(line for line in text.splitlines() if line[0] == "v"), *turned])
    body = thing(BALL, f"0 0.03 {0.1 * math.sqrt(2.0)!r} 0 0 0")
    pose, velocity = after(write_document(world(fixed(mesh) + body)), 0.5)
    assert pose[:3] == pytest.approx((0.0, 0.03, 0.1 * math.sqrt(2.0)), abs=1e-9)
    assert np.abs(velocity).max() <= 1e-9


def test_triangles_that_are_turned_at_random_are_one_surface(write_document: Write, tmp_path: Path) -> None:
    mesh = surface_mesh(tmp_path / "grid.obj")
    rng = np.random.default_rng(1)
    lines = []
    for line in (tmp_path / "grid.obj").read_text("utf-8").splitlines():
        kind, *rest = line.split()
        lines.append(" ".join([kind, *(rest[::-1] if kind == "f" and rng.random() < 0.5 else rest)]))
    mesh = written(tmp_path / "mixed.obj", lines)
    pose, _ = after(write_document(world(fixed(mesh) + thing(BOX, "0.1 0.2 0.05 0 0 0.3"))), 0.3)
    assert pose[:3] == pytest.approx((0.1, 0.2, 0.05), abs=1e-9)


def table_mesh(path: Path) -> str:
    """A closed box of 2 x 2 x 0.05 m, its top at z = 0, as twelve triangles."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-0.05, 0)]
    faces = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    return written(path, [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)])


@pytest.mark.parametrize(("x", "falls"), [(0.98, False), (1.02, True)], ids=["holds", "falls"])
def test_a_box_over_the_edge_of_a_table_tips_where_its_middle_is_beyond(
    write_document: Write, tmp_path: Path, x: float, falls: bool
) -> None:
    """0.2 m long: it lies still on what is left of its base, or turns about the edge, whose moment of inertia about the
    edge is J = I + m d^2, with m g x / J at first."""
    body = thing(BOX, f"{x} 0 0.05 0 0 0", inertia="0.01 0.01 0.01")
    pose, velocity = after(write_document(world(fixed(table_mesh(tmp_path / "table.obj")) + body)), 0.02)
    if not falls:
        assert pose[:3] == pytest.approx((x, 0.0, 0.05), abs=1e-9)
        assert np.abs(velocity).max() <= 1e-9
    else:
        arm = x - 1.0
        rate = G * arm / (0.01 + arm**2 + 0.05**2)
        # The moment arm grows by 0.05 rad/s^2 t^2 / 2 of itself; in 0.02 s that is below a part in fifty.
        assert velocity[1] == pytest.approx(0.02 * rate, rel=0.02)


@pytest.mark.parametrize("shape", [BOX, CYLINDER], ids=["box", "cylinder"])
def test_what_is_wider_than_a_post_stands_on_its_edges(write_document: Write, tmp_path: Path, shape: str) -> None:
    """No corner of the body is over the post: its top holds it by its own corners."""
    half = 0.04
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-1, 0)]
    faces = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    post = written(tmp_path / "p.obj", [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)])
    height = 0.05 if shape == BOX else 0.1
    pose, velocity = after(write_document(world(fixed(post) + thing(shape, f"0.01 0 {height!r} 0 0 0"))), 0.5)
    assert pose[:3] == pytest.approx((0.01, 0.0, height), abs=1e-8)
    assert np.abs(velocity).max() <= 1e-7


def test_a_ball_rolls_over_hills_and_keeps_its_energy(write_document: Write, tmp_path: Path) -> None:
    """What its impacts on triangles take is booked, of 1.4 J to 1e-4: where in a step it comes to the next triangle is
    known to the first order. It never sinks in: the surface is nowhere steeper than 0.1, nor curved by more than a
    radius of 2.5 m, of which chords of 0.07 m are nowhere 0.3 mm away."""
    mesh = surface_mesh(tmp_path / "hills.obj", lambda x, y: 0.05 * math.cos(2.0 * x) * math.cos(2.0 * y), cells=80)
    path = write_document(world(fixed(mesh) + thing(BALL, "-1.5 0.1 0.06 0 0 0")))
    with running(path) as engine:
        moving(engine, (0.0, 15.0, 0.0, 1.5, 0.0, 0.0))
        worst = 0.0
        for _ in range(20):
            advance(engine, 0.1)
            x, y, z = engine.snapshot().body_poses[1, :3].tolist()
            worst = max(worst, abs(engine.snapshot().energy.error))
            if abs(x) < 1.9 and abs(y) < 1.9:
                assert z >= 0.05 * math.cos(2.0 * x) * math.cos(2.0 * y) + 0.0997
        assert worst <= 1e-4


@pytest.mark.parametrize("down", [0.0, 0.02, 0.04])
def test_a_leaning_plank_passes_beside_a_block(write_document: Write, tmp_path: Path, down: float) -> None:
    """Its upper corner is over the block, 0.1 m above it and 0.3 m behind the plane of the face below, whose edge it
    nearly reaches; its side passes the upper edge at 9.6 mm. It continues along that edge as it began."""
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-2, 2) for z in (0.0, 0.2)]
    faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
    block = written(tmp_path / "b.obj", [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)])
    # The side of 0.32 m, 0.02 m thick, goes through (0.09, 0.3) and (0.15, 0).
    lean, length = math.atan2(0.06, 0.3), 0.32
    along, out = (math.sin(lean), -math.cos(lean)), (math.cos(lean), math.sin(lean))
    middle = [top + 0.5 * length * a + 0.01 * o for top, a, o in zip((0.09, 0.3 - down), along, out, strict=True)]
    pose = f"{middle[0]!r} 0 {middle[1]!r} 0 {-lean!r} 0"
    body = thing(box_shape(f"0.02 0.1 {length}"), pose, mu=0.0)
    path = write_document(world(fixed(block, 0.0) + body, gravity="0 0 0"))
    end, velocity = after(path, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0)
    assert end[:3] == pytest.approx((middle[0], 0.5, middle[1]), abs=1e-12)
    assert velocity == pytest.approx((0.0, 0.0, 0.0, 0.0, 0.5, 0.0), abs=1e-12)


def test_a_room_holds_what_is_in_it(write_document: Write, tmp_path: Path) -> None:
    """A closed mesh whose normals look outwards, with a box in it: what is inside touches it from inside."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (0, 2)]
    faces = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    room = written(tmp_path / "r.obj", [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)])
    body = thing(BOX, "0.9 0 0.05 0 0 0", mu=0.0, inertia="0.01 0.01 0.01")
    pose, velocity = after(write_document(world(fixed(room, 0.0) + body)), 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0)
    assert pose[:3] == pytest.approx((0.9, 0.0, 0.05), abs=1e-6)
    assert np.abs(velocity).max() <= 1e-9


def test_a_mesh_of_a_hundred_thousand_triangles_is_looked_at_where_something_is(
    write_document: Write, tmp_path: Path
) -> None:
    mesh = surface_mesh(tmp_path / "fine.obj", cells=224)
    path = write_document(world(fixed(mesh) + thing(CYLINDER, "0.003 0.001 0.1 0 0 0")))
    with running(path) as engine:
        advance(engine, 0.1)
        assert engine.snapshot().body_poses[1, :3] == pytest.approx((0.003, 0.001, 0.1), abs=1e-9)
        assert len(engine.contacts()) == 4


@pytest.mark.parametrize(("optimization", "height"), [("", 0.1 * math.sqrt(3.0)), ("convex_hull", 2.1)])
def test_a_ball_lies_in_a_bowl_or_on_its_hull(
    write_document: Write, tmp_path: Path, optimization: str, height: float
) -> None:
    """A square bowl z = |x| + |y| that is 2 m high at its corners: in it the ball of 0.1 m touches four sides, on the
    lid of its hull it lies at the height of the corners. 1e-6 is what overlaps are left."""
    bowl = surface_mesh(tmp_path / "bowl.obj", lambda x, y: abs(x) + abs(y), cells=2, width=2.0)
    bowl = bowl.replace("<mesh>", f"<mesh optimization='{optimization}'>")
    path = write_document(world(fixed(bowl) + thing(BALL, f"0 0 {height} 0 0 0")))
    pose, _ = after(path, 0.2)
    assert pose[2] == pytest.approx(height, abs=1e-6)
