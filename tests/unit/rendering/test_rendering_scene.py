from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rendering_worlds as worlds
import trimesh

from simulator.errors import SimulatorError
from simulator.model.link import Collision, Link, Omitted, Visual
from simulator.model.material import Material
from simulator.model.shape import Box, Mesh, Plane, Sphere
from simulator.model.world import Model, World
from simulator.rendering.build import FIXED_COLOUR, MISSING_COLOUR, PART_COLOURS, build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.geometry import triangles_of
from simulator.rendering.lighting import LIGHT_DIRECTION, shadow_view
from simulator.rendering.painter import paint_list
from simulator.rendering.scene import Scene, grid_spacing
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import matrices
from simulator.spatial.rotation import Vec3

BOX = Box((1.0, 1.0, 1.0))


def scene_of(*links: Link, static: bool = False) -> Scene:
    return build_scene(World(models=(Model("m", static=static, links=links),)))


def test_links_come_in_document_order_with_their_poses():
    pose = Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    scene = scene_of(Link("m::a", pose), Link("m::b"))
    assert scene.links == ("m::a", "m::b")
    np.testing.assert_allclose(scene.initial_link_poses()[0], pose.as_list())
    np.testing.assert_allclose(matrices(scene.initial_link_poses())[0], pose.matrix(), atol=1e-12)


def test_a_drawable_goes_with_its_link():
    visual = Visual("v", Box((0.2, 0.4, 0.6)), Pose((0.0, 0.0, 1.0)))
    scene = scene_of(Link("m::a", visuals=(visual,)))
    poses = np.array([[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    bounds = scene.bounds(poses)
    np.testing.assert_allclose(bounds.lower, (4.9, -0.2, 0.7), atol=1e-12)
    np.testing.assert_allclose(bounds.upper, (5.1, 0.2, 1.3), atol=1e-12)


def test_equal_shapes_of_any_size_share_their_geometry():
    sizes = [Box((0.1 * i, 1.0, 1.0)) for i in range(1, 9)]
    scene = scene_of(*(Link(f"m::{i}", visuals=(Visual("v", box),)) for i, box in enumerate(sizes)))
    assert len(scene.surfaces) == 1
    assert len(scene.drawables) == 8


def test_colours_are_diffuse_then_ambient_then_the_palette_by_link():
    red, green = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.5)
    scene = scene_of(
        Link("m::a", visuals=(Visual("v", BOX, material=Material(ambient=green, diffuse=red)),)),
        Link("m::b", visuals=(Visual("v", BOX, material=Material(ambient=green)),)),
        Link("m::c", visuals=(Visual("v", BOX), Visual("w", BOX))),
        Link("m::d", visuals=(Visual("v", BOX, material=Material(specular=red)),)),
    )
    assert [d.colour for d in scene.drawables] == [red, green, *[PART_COLOURS[0]] * 2, PART_COLOURS[1]]


def test_static_parts_without_colour_are_grey():
    assert scene_of(Link("m::a", visuals=(Visual("v", BOX),)), static=True).drawables[0].colour == FIXED_COLOUR


def test_transparency_is_honoured_and_the_invisible_left_out():
    visuals = (Visual("v", BOX, transparency=0.25), Visual("w", BOX, transparency=1.0))
    (drawable,) = scene_of(Link("m::a", visuals=visuals)).drawables
    assert drawable.colour[3] == pytest.approx(0.75)


def test_links_without_visuals_show_their_collisions():
    link = Link("m::a", collisions=(Collision("c", BOX),))
    both = Link("m::b", visuals=(Visual("v", BOX),), collisions=(Collision("c", BOX),))
    scene = scene_of(link, both)
    assert [(d.name, d.is_collision, d.colour[3]) for d in scene.drawables] == [
        ("m::a/c", True, 1.0),
        ("m::b/v", False, 1.0),
    ]
    shown = build_scene(World(models=(Model("m", links=(link, both)),)), show_collisions=True)
    assert [d.is_collision for d in shown.drawables] == [True, False, True]
    assert shown.drawables[2].colour[3] < 0.5


def test_a_level_plane_is_the_floor_and_a_leaning_one_a_sheet():
    ground = Visual("v", Plane((0.0, 0.0, 1.0), (100.0, 100.0)), Pose((0.0, 0.0, -0.5)))
    wall = Visual("w", Plane((1.0, 0.0, 0.0), (2.0, 2.0)))
    scene = scene_of(Link("m::a", visuals=(ground, wall)))
    assert [d.name for d in scene.drawables] == ["m::a/w"]
    assert scene.floor.is_ground
    assert scene.floor.z == -0.5


@pytest.mark.parametrize(
    ("z", "expected"), [(0.5, 0.0), (-3.0, -3.5 - 0.15 * 0.75**0.5), (50.0, 49.5 - 0.15 * 0.75**0.5)]
)
def test_without_a_ground_the_floor_is_under_everything(z: float, expected: float):
    floor = scene_of(Link("m::a", Pose((0.0, 0.0, z)), visuals=(Visual("v", BOX),))).floor
    assert not floor.is_ground
    assert floor.z == pytest.approx(expected)


def test_a_huge_static_slab_does_not_count_for_the_size():
    slab = Link("s::a", visuals=(Visual("v", Box((100.0, 100.0, 0.1))),))
    part = Link("m::a", visuals=(Visual("v", BOX),))
    world = World(models=(Model("s", static=True, links=(slab,)), Model("m", links=(part,))))
    assert build_scene(world).radius == pytest.approx(0.75**0.5)
    assert build_scene(replace(world, models=world.models[:1])).radius > 70.0


def test_what_cannot_be_loaded_is_left_out_and_named():
    def refuse(mesh: Mesh) -> worlds.Triangles:
        raise SimulatorError(f"no file {mesh.path}")

    link = Link("m::a", visuals=(Visual("v", Mesh("x.stl", "/x.stl")), Visual("w", BOX)))
    scene = build_scene(World(models=(Model("m", links=(link,)),)), refuse)
    assert len(scene.drawables) == 1
    assert scene.missing == ("m::a/v: no file /x.stl",)


def lost(at: Vec3 = (0.0, 0.0, 0.0)) -> Omitted:
    """A visual whose mesh is not there."""
    return Omitted("visual", "lost", "mesh", Pose(at), Mesh("x.stl", ""))


def test_collision_shapes_stand_for_a_missing_mesh():
    scene = scene_of(Link("m::a", collisions=(Collision("c", BOX),), omitted=(lost(),)))
    assert [(drawable.name, drawable.colour) for drawable in scene.drawables] == [("m::a/c", MISSING_COLOUR)]
    assert scene.drawables[0].stands_in


def test_a_small_cube_stands_for_a_missing_mesh_without_them():
    links = [
        Link("m::a", visuals=(Visual("v", Box((6.0, 0.0, 0.0))),)),
        Link("m::b", Pose((0.0, 8.0, 0.0)), omitted=(lost((3.0, 0.0, 0.0)), lost((3.0, 0.0, 0.0)))),
        Link(
            "m::c", omitted=(Omitted("visual", "h", "heightmap"), Omitted("collision", "c", "mesh", mesh=Mesh("x", "")))
        ),
    ]
    scene = scene_of(*links)
    assert [drawable.name for drawable in scene.drawables] == ["m::a/v", "m::b/lost"]
    cube = scene.drawables[1]
    assert cube.colour == MISSING_COLOUR
    assert [drawable.stands_in for drawable in scene.drawables] == [False, True]
    np.testing.assert_allclose(cube.matrix[:3, :3], np.eye(3) * 0.05 * 10.0, atol=1e-5)
    np.testing.assert_allclose(cube.matrix[:3, 3], (3.0, 0.0, 0.0))
    assert scene.start_bounds.upper[1] == pytest.approx(8.25, abs=1e-5)


def test_a_missing_mesh_alone_is_a_cube_that_can_be_seen():
    scene = scene_of(Link("m::a", omitted=(lost(),)))
    np.testing.assert_allclose(scene.start_bounds.upper, 0.05)


def test_an_empty_world_has_a_size():
    scene = build_scene(World())
    assert scene.radius > 0.0
    assert scene.corner_points(scene.initial_link_poses()).shape == (0, 3)


@pytest.mark.parametrize(("radius", "thin"), [(0.01, 0.002), (0.5, 0.1), (2.5, 0.5), (5.0, 1.0), (100.0, 20.0)])
def test_grid_spacing_is_one_two_or_five(radius: float, thin: float):
    minor, major = grid_spacing(radius)
    assert minor == pytest.approx(thin)
    assert major / minor in (pytest.approx(4.0), pytest.approx(5.0))


def test_the_shadow_map_holds_the_ball_and_moves_in_whole_texels():
    centre = np.array([0.3, -0.2, 0.7])
    view = shadow_view(centre, 0.5, 1024)
    around = centre + 0.5 * np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], LIGHT_DIRECTION, -LIGHT_DIRECTION])
    clip = np.column_stack([around, np.ones(5)]) @ view.matrix.T
    assert np.abs(clip[:, :3]).max() <= 1.0
    assert clip[4, 2] > clip[3, 2]  # what is farther from the light is deeper
    shifted = shadow_view(centre + 1e-3, 0.5, 1024)
    texels = (view.matrix @ [0, 0, 0, 1] - shifted.matrix @ [0, 0, 0, 1])[:2] * 512
    np.testing.assert_allclose(texels, np.round(texels), atol=1e-9)


def test_the_painter_lays_near_parts_over_far_ones_and_hides_backs():
    near = Link("m::near", Pose((0.0, -2.0, 0.0)), visuals=(Visual("v", BOX),))
    far = Link("m::far", visuals=(Visual("v", Sphere(0.5)),))
    scene = scene_of(near, far)
    camera = Camera(distance=20.0).with_view("front")
    painted = [p for p in paint_list(scene, scene.initial_link_poses(), camera, 300, 200) if p.link]
    assert [p.link for p in painted[-1:]] == ["m::near"]
    assert sum(p.link == "m::near" for p in painted) == 1
    middle = painted[-1].points.mean(axis=0)
    np.testing.assert_allclose(middle, [150.0, 100.0], atol=1e-6)


def test_the_painter_orders_a_long_part_by_the_side_it_is_on():
    rail = Link("m::rail", visuals=(Visual("v", Box((10.0, 1.0, 0.2))),))
    foot = Link("m::foot", Pose((4.5, 0.0, -0.6)), visuals=(Visual("v", Box((0.4, 1.0, 1.0))),))
    scene = scene_of(rail, foot)
    camera = Camera(target=(4.0, 0.0, 0.0), distance=15.0, azimuth=-0.5, elevation=0.6)
    painted = [p.link for p in paint_list(scene, scene.initial_link_poses(), camera, 300, 200) if p.link]
    assert painted.index("m::rail") > max(i for i, link in enumerate(painted) if link == "m::foot")


def test_the_painter_lays_many_small_parts_over_the_board_behind_them():
    """Half of them are farther from the eye than the middle of the board is."""
    board = Link("m::board", Pose((0.0, 0.2, 0.0)), visuals=(Visual("v", Box((20.0, 0.1, 20.0))),))
    places = [(x, z) for x in range(-9, 10) for z in range(-9, 10)]
    small = [Link(f"m::{x}/{z}", Pose((x, 0.0, z)), visuals=(Visual("v", Box((0.2, 0.2, 0.2))),)) for x, z in places]
    scene = scene_of(board, *small)
    camera = Camera(target=(0.0, 0.0, 0.0), distance=40.0, azimuth=-1.0, elevation=0.5)
    painted = [p.link for p in paint_list(scene, scene.initial_link_poses(), camera, 300, 200) if p.link]
    first = painted.index("m::0/0")
    assert painted.index("m::board") == 0, f"the middle one is at {first}"
    assert len(set(painted)) == 1 + len(places)


def coloured_box(mesh: Mesh) -> worlds.Triangles:
    vertices, triangles = triangles_of(BOX)
    soup, numbers = vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)
    colours = np.repeat(np.array([[1, 0, 0, 1], [0, 0, 1, 0.5], [np.nan] * 4], dtype=np.float32), 12, axis=0)
    return worlds.Triangles(soup, numbers, colours)


def test_a_mesh_keeps_its_own_colours_where_the_document_gives_none():
    stated = Visual("w", Mesh("a", "a"), material=Material(diffuse=(0.0, 1.0, 0.0, 1.0)))
    link = Link("m::a", visuals=(Visual("v", Mesh("a", "a"), transparency=0.5), stated))
    scene = build_scene(World(models=(Model("m", links=(link,)),)), coloured_box)
    own = {d.colour for d in scene.drawables if d.name == "m::a/v"}
    assert own == {(1.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 0.25), (*PART_COLOURS[0][:3], 0.5)}
    assert {d.colour for d in scene.drawables if d.name == "m::a/w"} == {(0.0, 1.0, 0.0, 1.0)}
    assert len(scene.surfaces) == 3


def test_the_painter_lays_near_faces_of_a_part_over_far_ones(tmp_path: Path):
    """Three triangles behind each other, in no order, the farthest the largest."""
    corners = np.array([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    sizes = {1.0: 2.0, 0.0: 1.0, 2.0: 3.0}
    vertices = np.concatenate([size * corners + [0.0, far, 0.0] for far, size in sizes.items()])
    trimesh.Trimesh(vertices, np.arange(9).reshape(3, 3), process=False).export(tmp_path / "three.stl")
    scene = scene_of(Link("m::a", visuals=(Visual("v", Mesh("three.stl", str(tmp_path / "three.stl"))),)))
    camera = Camera(distance=20.0).with_view("front")
    painted = [p for p in paint_list(scene, scene.initial_link_poses(), camera, 300, 200) if p.link]
    widths = [float(np.ptp(p.points[:, 0])) for p in painted]
    assert len(widths) == 3
    assert widths == sorted(widths, reverse=True)
