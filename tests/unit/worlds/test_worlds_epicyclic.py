"""Planetary gear, differential and wrist as they are drawn: teeth that interlock at every angle of the file's own
laws."""

import math

import numpy as np
import pytest
from gear_polygons import meshes, overlap, rotated
from lxml import etree

from simulator.building.parts.gears import bevel_heel
from tests.helpers.repository import ROOT

MODULE = 4e-3


def model_of(name):
    return etree.parse(str(ROOT / "worlds" / f"{name}.sdf")).getroot().find(f"world/model[@name='{name}']")


def visual(model, link, name):
    return [float(v) for v in model.find(f"link[@name='{link}']/visual[@name='{name}']").findtext("pose").split()]


@pytest.mark.parametrize(("s", "c"), [(0.0, 0.0), (-2.3, 1.7)])
def test_planetary_teeth_interlock_at_every_angle(s, c):
    """Planets turn by -2 (s - c) on the carrier, the ring by 1.5 c - 0.5 s: teeth touch on both sides of a planet, and
    never overlap."""
    model = model_of("planetary")
    sun = rotated(meshes.toothed(MODULE, 32).outline(), visual(model, "sun", "teeth")[5] + s)
    hole = rotated(meshes.ring(MODULE, 64, 16).outline(), visual(model, "ring", "teeth")[5] + 1.5 * c - 0.5 * s)
    for i in (1, 2, 3):
        link = model.find(f"link[@name='planet_{i}']")
        x, _, z = (float(v) for v in link.findtext("pose").split()[:3])
        centre = rotated(np.array([[x, z - 0.2]]), c)[0]
        assert np.hypot(*centre) == pytest.approx(0.096, rel=1e-9)
        turn = visual(model, f"planet_{i}", "teeth")[5] + c - 2.0 * (s - c)
        planet = rotated(meshes.toothed(MODULE, 16).outline(), turn, centre)
        assert -0.03 * MODULE < overlap(planet, sun) <= 1e-9
        assert -0.03 * MODULE < clearance_inside(planet, hole) <= 1e-9
        with_wrong_phase = rotated(meshes.toothed(MODULE, 16).outline(), turn + math.pi / 16, centre)
        assert clearance_inside(with_wrong_phase, hole) > 5e-4


def clearance_inside(planet: np.ndarray, hole: np.ndarray) -> float:
    """How deep the planet lies in the body of the ring around the hole [m]; minus the gap where it does not."""
    away = np.arctan2(*planet.mean(axis=0)[::-1])
    angles = np.angle(np.exp(1j * (np.arctan2(hole[:, 1], hole[:, 0]) - away)))
    order = [i for i in np.argsort(angles, kind="stable") if abs(angles[i]) < 0.5]
    outside = 0.16 * np.array([[math.cos(away + a), math.sin(away + a)] for a in (0.5, 0.0, -0.5)])
    return overlap(planet, np.vstack([hole[order], outside]))


def on_the_tangent_plane(points: np.ndarray, toward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Bevel teeth are cones through the apex, so their gnomonic projection shows exactly whether they overlap."""
    side = np.cross(up, toward)
    depth = points @ toward
    return np.column_stack([points @ side / depth, points @ up / depth])


def rpy(values) -> np.ndarray:
    roll, pitch, yaw = values
    c, s = np.cos, np.sin
    x = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    y = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    z = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    return z @ y @ x


def about(axis: int, angle: float) -> np.ndarray:
    return rpy([angle if i == axis else 0.0 for i in range(3)])


def bevel_overlap(model, one, other, *, toward):
    """Deepest overlap of two bevel gears, each (link, visual, module, teeth, mate, axis, angle), about a direction from
    their apex, as an angle in modules of the first at the heel."""
    toward = np.array(toward) / np.linalg.norm(toward)
    up = np.cross((0.0, 1.0, 0.0) if abs(toward[1]) < 0.2 else (0.0, 0.0, 1.0), toward)
    flat = []
    for link, name, module, teeth, mate, axis, angle in (one, other):
        heel = bevel_heel(module, teeth, mate, thinning=meshes.BACKLASH * module / 2.0)
        points = heel @ (about(axis, angle) @ rpy(visual(model, link, name)[3:])).T
        per_tooth = len(points) // teeth
        ahead = [
            i for i in range(teeth) if points[i * per_tooth + per_tooth // 2] @ toward > 0.9 * np.linalg.norm(points[0])
        ]
        first = next(i for i in ahead if (i - 1) % teeth not in ahead)
        chosen = np.vstack([points[((first + k) % teeth) * per_tooth :][:per_tooth] for k in range(len(ahead))])
        closing = {0: (1, 0, 0), 1: (0, 1, 0), 2: (0, 0, 1)}[axis]
        centre = np.array(closing) * np.sign(points.mean(axis=0) @ np.array(closing)) * np.linalg.norm(points[0])
        flat.append(
            on_the_tangent_plane(
                np.vstack([chosen, (centre + 0.5 * toward * np.linalg.norm(points[0]))[None]]), toward, up
            )
        )
    size = one[2] / (one[2] * math.hypot(one[3], one[4]) / 2.0)
    return overlap(flat[0] * 0.05, flat[1] * 0.05) / (0.05 * size)


@pytest.mark.parametrize("turn", np.linspace(0.0, 0.6, 7))
def test_bevel_teeth_interlock_at_every_angle(turn):
    """Side gears by +-turn in the cage, spiders by 1.5 of it; crown by -turn/3 and pinion by -turn. Tredgold's profile
    is not the exact one of a cone: two hundredths of a module of overlap would not be seen, a wrong phase or direction
    is far more."""
    model = model_of("differential")

    def side(name, angle):
        return (name, "side_gear", 6e-3, 18, 12, 0, angle)

    def spider(i, angle):
        return (f"spider_{i}", "teeth", 6e-3, 12, 18, 2, angle)

    pairs = [
        (side("left", turn), spider(1, 1.5 * turn), (-2, 0, 3)),
        (side("left", turn), spider(2, -1.5 * turn), (-2, 0, -3)),
        (side("right", -turn), spider(1, 1.5 * turn), (2, 0, 3)),
        (side("right", -turn), spider(2, -1.5 * turn), (2, 0, -3)),
        (("cage", "crown", 4e-3, 48, 16, 0, turn / 3), ("pinion", "teeth", 4e-3, 16, 48, 1, turn), (1, -3, 0)),
    ]
    for one, other, toward in pairs:
        assert -0.06 < bevel_overlap(model, one, other, toward=toward) < 0.02, (one, other)
        wrong = (*other[:6], other[6] + math.pi / other[3])
        assert bevel_overlap(model, one, wrong, toward=toward) > 0.1


@pytest.mark.parametrize("roll", np.linspace(0.0, 0.28, 8))
def test_miter_teeth_interlock_at_every_angle(roll):
    """The hand turns by roll about x of the yoke, the side gears by -+roll about y."""
    model = model_of("wrist")
    for side, y, sign in (("left_gear", 1, -1.0), ("right_gear", -1, 1.0)):
        one = (side, "gear", 4e-3, 22, 22, 1, sign * roll)
        hand = ("hand", "gear", 4e-3, 22, 22, 0, roll)
        assert -0.06 < bevel_overlap(model, one, hand, toward=(1, y, 0)) < 0.02
        wrong = (*hand[:6], roll + math.pi / 22)
        assert bevel_overlap(model, one, wrong, toward=(1, y, 0)) > 0.1
