"""`<inertial auto="true">` against an independent method: the same shapes as fine meshes of triangles, integrated by
trimesh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.mechanism.types import WORLD_BODY
from simulator.model.link import Link
from simulator.session.open.opening import open_document
from tests.helpers import documents

Write = Callable[..., Path]


def ellipsoid() -> trimesh.Trimesh:
    mesh = trimesh.creation.icosphere(subdivisions=5)
    mesh.apply_scale((0.2, 0.3, 0.4))
    return mesh


def cone() -> trimesh.Trimesh:
    """trimesh's stands on the origin; SDFormat's is centred."""
    mesh = trimesh.creation.cone(0.3, 0.8, sections=512)
    mesh.apply_translation((0.0, 0.0, -0.4))
    return mesh


SHAPES: dict[str, tuple[str, Callable[[], trimesh.Trimesh]]] = {
    "box": ("<box><size>1 2 3</size></box>", lambda: trimesh.creation.box((1, 2, 3))),
    "sphere": ("<sphere><radius>0.5</radius></sphere>", lambda: trimesh.creation.icosphere(subdivisions=5, radius=0.5)),
    "cylinder": (
        "<cylinder><radius>0.3</radius><length>0.8</length></cylinder>",
        lambda: trimesh.creation.cylinder(0.3, 0.8, sections=512),
    ),
    "capsule": (
        "<capsule><radius>0.3</radius><length>0.8</length></capsule>",
        lambda: trimesh.creation.capsule(0.8, 0.3, count=(256, 256)),
    ),
    "cone": ("<cone><radius>0.3</radius><length>0.8</length></cone>", cone),
    "ellipsoid": ("<ellipsoid><radii>0.2 0.3 0.4</radii></ellipsoid>", ellipsoid),
}


def only_link(path: Path) -> Link:
    (link,) = read_document(path).root_models[0].links
    return link


def written(inertial: str, *collisions: str) -> str:
    return documents.document(
        '<model name="m"><link name="l"><inertial '
        f'auto="true">{inertial}</inertial>{"".join(collisions)}</link></model>'
    )


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_has_the_inertia_of_its_mesh(write_document: Write, kind: str) -> None:
    """The meshes are inscribed with edges below 2 %, so they lack at most 0.1 % of the volume: tolerance 0.2 %."""
    geometry, mesh = SHAPES[kind]
    solid = mesh()
    solid.density = 500.0
    collision = f'<collision name="c"><density>500</density><geometry>{geometry}</geometry></collision>'
    inertial = only_link(write_document(written("", collision))).inertial
    assert inertial.mass == pytest.approx(solid.mass, rel=2e-3)
    np.testing.assert_allclose(inertial.X_LI.position, solid.center_mass, atol=1e-3)
    np.testing.assert_allclose(inertial.moments, np.diag(solid.moment_inertia), rtol=2e-3)


def test_two_shapes_apart_add_up_and_a_mass_scales_them(write_document: Write) -> None:
    """Two balls of m = 4/3 π ρ r³ at ±d: I_x = 2 (2/5 m r² + m d²), along the line between them only 2 · 2/5 m r²."""
    radius, apart, density = 0.1, 0.5, 100.0
    balls = [
        f'<collision name="c{y}"><pose>0 {y} 0 0 0 0</pose><geometry><sphere><radius>{radius}</radius></sphere>'
        "</geometry></collision>"
        for y in (apart, -apart)
    ]
    m = 4.0 / 3.0 * np.pi * density * radius**3
    across, along = 2 * (0.4 * m * radius**2 + m * apart**2), 2 * 0.4 * m * radius**2
    plain = only_link(write_document(written(f"<density>{density}</density>", *balls))).inertial
    assert plain.mass == pytest.approx(2 * m, rel=1e-12)
    np.testing.assert_allclose(plain.moments, (across, along, across), rtol=1e-12)
    scaled = only_link(
        write_document(written(f"<density>{density}</density><mass>3</mass>", *balls), "scaled.sdf")
    ).inertial
    assert scaled.mass == 3.0
    np.testing.assert_allclose(scaled.moments, np.array((across, along, across)) * 3.0 / (2 * m), rtol=1e-12)


def test_a_mesh_has_the_inertia_of_what_it_encloses(write_document: Write, tmp_path: Path) -> None:
    """A box of triangles, in single precision as STL files have it, beside m/12 (b² + c²)."""
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.stl")
    mesh = '<collision name="c"><geometry><mesh><uri>box.stl</uri></mesh></geometry></collision>'
    inertial = only_link(write_document(written("", mesh))).inertial
    assert inertial.mass == pytest.approx(6000.0, rel=1e-6)
    assert inertial.moments == pytest.approx((500.0 * 13.0, 500.0 * 10.0, 500.0 * 5.0), rel=1e-6)


@pytest.mark.parametrize(("strict", "mass"), [(False, 6000.0), (True, 0.0)])
def test_a_mass_of_zero_means_that_nobody_knew_it(write_document: Write, strict: bool, mass: float) -> None:
    """The shapes are taken for solid then; strictly, zero is a mass, too, and wrong."""
    box = '<collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>'
    nothing = "<inertial><mass>0</mass></inertial>"
    path = write_document(documents.document(f'<model name="m"><link name="l">{nothing}{box}</link></model>'))
    found = read_document(path, ReadingOptions(strict=strict))
    masses = [link.inertial.mass for model in found.root_models for link in model.links]
    assert masses == [mass] if mass else all(value == mass for value in masses)


def test_a_base_without_inertia_is_the_ground_of_a_robot(write_document: Write) -> None:
    """Its shapes weigh nothing, while those of a link further out are taken for solid."""
    shape = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
    text = (
        f'<robot name="r"><link name="base">{shape}</link><link name="arm">{shape}</link><joint name="j" '
        'type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
    )
    opened = open_document(write_document(text, "r.urdf"))
    masses = {link.name: link.inertial.mass for model in opened.world.models for link in model.links}
    assert masses == {"r::base": 0.0, "r::arm": pytest.approx(6000.0)}
    assert opened.mechanism.link_bodies()["r::base"] == WORLD_BODY, "it is held, and does not fall"


def test_a_collision_without_size_weighs_nothing(write_document: Write) -> None:
    """By libsdformat's rules it is a sphere of 1 m."""
    shapes = "".join(
        f'<collision name="{name}"><geometry>{shape}</geometry></collision>'
        for name, shape in (("c", "<box><size>1 2 3</size></box>"), ("d", "<sphere><radius>0</radius></sphere>"))
    )
    assert only_link(write_document(written("", shapes))).inertial.mass == pytest.approx(6000.0)
