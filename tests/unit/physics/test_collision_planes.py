"""Contacts with planes are geometry: every corner, cap and rim, each with its own gap."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.physics.detect.own import OwnContacts
from simulator.session.open.opening import open_document
from tests.helpers.contact_points import ContactTable, points_of
from tests.physics.solids import box_shape, ground, solid
from tests.physics.worlds import model, world

Write = Callable[..., Path]


def touched(path: Path, reach: float) -> ContactTable | None:
    """Contacts of a document's start pose."""
    mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    return points_of(OwnContacts(mechanism), poses, reach)


CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"


@pytest.mark.parametrize(
    ("shape", "pose", "gaps"),
    [
        (box_shape("0.2 0.4 0.1"), "0 0 0.05 0 0 0", [0.0] * 4),
        (box_shape("0.2 0.2 0.2"), f"0 0 0.15 {math.pi / 4!r} 0 0", [0.15 - 0.1 * math.sqrt(2.0)] * 2),
        ("<sphere><radius>0.1</radius></sphere>", "1 2 0.13 0 0 0", [0.03]),
        ("<capsule><radius>0.1</radius><length>0.4</length></capsule>", f"0 0 0.11 0 {math.pi / 2!r} 0", [0.01] * 2),
        (CYLINDER, "0 0 0.2 0 0 0", [0.0] * 4),
        (CYLINDER, f"0 0 0.1 0 {math.pi / 2!r} 0", [0.0] * 2),
        ("<cone><radius>0.1</radius><length>0.4</length></cone>", "0 0 0.19 0 0 0", [-0.01] * 4),
        ("<cone><radius>0.1</radius><length>0.4</length></cone>", f"0 0 0.2 {math.pi!r} 0 0", [0.0]),
    ],
)
def test_gaps_of_every_shape(write_document: Write, shape: str, pose: str, gaps: list[float]) -> None:
    """Within 5 cm of the plane; the points are half way into the gap and the normal is the plane's."""
    table = touched(write_document(world(ground(0.5) + model(solid("b", shape, pose=pose, mu=0.3)))), 0.05)
    assert table is not None
    assert sorted(table.gaps) == pytest.approx(sorted(gaps), abs=1e-12)
    assert table.points[:, 2] == pytest.approx(0.5 * table.gaps, abs=1e-12)
    assert table.normals == pytest.approx(np.array([(0.0, 0.0, 1.0)] * len(gaps)))
    assert table.bodies.tolist() == [[1, 0]] * len(gaps)
    assert table.friction == pytest.approx(0.3)


def test_a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim(write_document: Write) -> None:
    """sin and cos of its tilt say where: half the length down, the radius aside."""
    tilt = 0.3
    low = 0.2 * math.cos(tilt) + 0.1 * math.sin(tilt)
    table = touched(
        write_document(world(ground() + model(solid("b", CYLINDER, pose=f"0 0 {low!r} 0 {tilt!r} 0")))), 1e-6
    )
    assert table is not None
    assert table.gaps == pytest.approx([0.0], abs=1e-12)
    x = -0.2 * math.sin(tilt) + 0.1 * math.cos(tilt)
    assert table.points[0, :2] == pytest.approx((x, 0.0), abs=1e-12)


def test_far_from_the_plane_there_is_nothing(write_document: Write) -> None:
    assert touched(write_document(world(ground() + model(solid("b", CYLINDER, pose="0 0 5 0 0 0")))), 0.05) is None


def test_a_sloping_plane(write_document: Write) -> None:
    """The normal is the plane's own, turned with its link."""
    slope = ground().replace('<link name="plane">', '<link name="plane"><pose>0 0 0 0 0.5 0</pose>')
    normal = np.array((math.sin(0.5), 0.0, math.cos(0.5)))
    place = 0.12 * normal
    ball = solid("b", "<sphere><radius>0.1</radius></sphere>", pose=" ".join(repr(float(v)) for v in place) + " 0 0 0")
    table = touched(write_document(world(slope + model(ball))), 0.05)
    assert table is not None
    assert table.gaps == pytest.approx([0.02], abs=1e-12)
    assert table.normals[0] == pytest.approx(normal, abs=1e-12)


def test_many_corners_are_thinned_out(write_document: Write, tmp_path: Path) -> None:
    """A prism of 24 sides keeps its lowest corner and those furthest out: at most nine, all round."""
    angles = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    ring = [f"v {0.2 * math.cos(angle)!r} {0.2 * math.sin(angle)!r} {z}" for z in (0.0, 0.1) for angle in angles]
    (tmp_path / "prism.obj").write_text("\n".join([*ring, *(f"f 1 {k} {k + 1}" for k in range(2, 48)), ""]))
    prism = f"<mesh><uri>{tmp_path / 'prism.obj'}</uri></mesh>"
    table = touched(write_document(world(ground() + model(solid("b", prism)))), 0.05)
    assert table is not None
    assert len(table.gaps) <= 9
    assert np.ptp(table.points[:, 0]) == pytest.approx(0.4, rel=1e-2)
    assert np.ptp(table.points[:, 1]) == pytest.approx(0.4, rel=1e-2)
    assert min(table.gaps) == pytest.approx(0.0, abs=1e-9)
