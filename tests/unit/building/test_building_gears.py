"""Teeth against closed forms, textbook values, and each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.building.meshes import MeshData, convex_parts, signed_area
from simulator.building.parts.gears import bevel_shape, gear_shape, rack_shape, ring_shape, worm_shape
from simulator.building.parts.involute import (
    InvoluteGear,
    RingGear,
    external_meshing,
    from_polar,
    involute,
    involute_angle,
    rack_outline,
)
from simulator.building.parts.solids import turned
from simulator.building.shapes import PlacedShape
from simulator.errors import UsageError
from simulator.formats.mesh.solid import solid_of_corners
from tests.unit.worlds.gear_polygons import distance, inside, overlap

TWENTY = math.radians(20.0)
MODULE = 0.004


def test_flanks_are_involutes_of_the_base_circle() -> None:
    """An involute is what the end of a taut string describes: r_b (cos t + t sin t, sin t - t cos t)."""
    gear = InvoluteGear(MODULE, 24, shift=0.2)
    flank = gear.flank(40)
    flank = flank[flank[:, 0] >= gear.form_radius]
    roll = np.sqrt((flank[:, 0] / gear.base_radius) ** 2 - 1.0)
    string = gear.base_radius * np.column_stack(
        [np.cos(roll) + roll * np.sin(roll), np.sin(roll) - roll * np.cos(roll)]
    )
    begin = gear.tooth_thickness / (2.0 * gear.pitch_radius) + involute(TWENTY)
    there = turned(string * (1.0, -1.0), begin)
    assert np.abs(there - from_polar(flank)).max() < 1e-15


@pytest.mark.parametrize(("teeth", "shift"), [(20, 0.0), (35, -0.3), (18, 0.5), (100, 0.0)])
def test_the_fillet_is_what_the_rounded_tip_of_a_rack_leaves(teeth: int, shift: float) -> None:
    """Independently: a dense cloud of the rack's tip, rolled over the gear, never gets deeper than the fillet, and
    touches it (within what 4000 steps of the rolling leave between them)."""
    gear = InvoluteGear(MODULE, teeth, shift=shift)
    m, r = gear.module, gear.pitch_radius
    rho = 0.25 / (1.0 - math.sin(TWENTY)) * m
    depth = 1.25 * m - shift * m - rho
    centre = math.pi * m / 4.0 - (1.25 * m - rho) * math.tan(TWENTY) - rho / math.cos(TWENTY)
    curve = gear.trochoid(60)
    rolling = np.linspace(-6.0 * m, 6.0 * m, 4001)
    places = np.column_stack([rolling + centre, np.full(len(rolling), r - depth)])
    turns = rolling / r
    x = places[:, 0] * np.cos(turns) - places[:, 1] * np.sin(turns)
    y = places[:, 0] * np.sin(turns) + places[:, 1] * np.cos(turns)
    for radius, angle in curve:
        at = math.pi / 2.0 - (math.pi / teeth - angle)  # the space of the rack's tooth is at +y
        near = np.hypot(x - radius * math.cos(at), y - radius * math.sin(at)).min()
        assert near == pytest.approx(rho, abs=2e-6 * m + 1e-9)


def test_fillet_and_involute_meet_without_a_corner() -> None:
    for teeth in (18, 20, 40):
        gear = InvoluteGear(MODULE, teeth)
        end, before = gear.trochoid(20001)[-1], gear.trochoid(20001)[-2]
        assert end[1] == pytest.approx(gear.half_angle(float(end[0])), abs=1e-12)
        slope = (end[1] - before[1]) / (end[0] - before[0])
        h = 1e-8
        involutes = (gear.half_angle(float(end[0]) + h) - gear.half_angle(float(end[0]))) / h
        assert slope == pytest.approx(involutes, rel=2e-3), "the step of the trochoid is 5e-5 of its length"


def test_the_limit_of_undercut_is_seventeen_teeth() -> None:
    """z = 2 / sin^2(20 degrees) = 17.097: 18 teeth are free, 17 are cut; at 14.5 degrees it is 32."""
    assert InvoluteGear(MODULE, 20).fewest_teeth == pytest.approx(17.0973, abs=5e-5)
    assert InvoluteGear(MODULE, 17).is_undercut
    assert not InvoluteGear(MODULE, 18).is_undercut
    assert InvoluteGear(MODULE, 40, math.radians(14.5)).fewest_teeth == pytest.approx(31.9, abs=0.05)
    twelve = InvoluteGear(MODULE, 12)
    assert twelve.smallest_shift == pytest.approx(1.0 - 12.0 / 17.0973, abs=1e-4)
    assert not InvoluteGear(MODULE, 12, shift=twelve.smallest_shift).is_undercut
    assert twelve.form_radius > twelve.base_radius, "undercut takes a part of the involute away"


def test_textbook_values_of_standard_pairs() -> None:
    """Contact ratios by the formula of every textbook (e.g. Shigley, eq. 13-9), evaluated here from the radii alone; of
    20 and 40 teeth 1.635."""
    mesh = external_meshing(MODULE, (20, 40))
    assert mesh.contact_ratio == pytest.approx(1.635, abs=5e-4)
    assert mesh.distance == pytest.approx(0.12)
    assert mesh.first.base_pitch == pytest.approx(math.pi * MODULE * math.cos(TWENTY), rel=1e-15)
    for pair in ((18, 18), (25, 80), (60, 61)):
        found = external_meshing(MODULE, pair)
        r = [MODULE * z / 2.0 for z in pair]
        reach = [math.sqrt((x + MODULE) ** 2 - (x * math.cos(TWENTY)) ** 2) for x in r]
        book = (sum(reach) - sum(r) * math.sin(TWENTY)) / (math.pi * MODULE * math.cos(TWENTY))
        assert found.contact_ratio == pytest.approx(book, rel=1e-12)


def test_profile_shift_moves_the_axes_apart() -> None:
    """Inv of the working angle by its definition, and the distance from it; teeth touch without backlash: thicknesses
    along the working pitch circles add up to the pitch."""
    mesh = external_meshing(MODULE, (16, 32), shifts=(0.4, 0.2))
    wanted = involute(TWENTY) + 2.0 * 0.6 / 48.0 * math.tan(TWENTY)
    assert involute(mesh.working_angle) == pytest.approx(wanted, abs=1e-16)
    assert involute_angle(wanted) == pytest.approx(mesh.working_angle, abs=1e-15)
    radii = [mesh.distance * z / 48.0 for z in (16, 32)]
    thick = [2.0 * r * g.half_angle(r) for r, g in zip(radii, (mesh.first, mesh.second), strict=True)]
    assert sum(thick) == pytest.approx(2.0 * math.pi * mesh.distance / 48.0, rel=1e-13)


@pytest.mark.parametrize(("teeth", "shifts"), [((20, 40), (0.0, 0.0)), ((18, 25), (0.0, 0.0)), ((12, 30), (0.3, 0.0))])
def test_outer_gears_mesh_without_penetration(teeth: tuple[int, int], shifts: tuple[float, float]) -> None:
    """Over a pitch, after which all is as before. At no backlash flanks touch: what polygons overlap is
    what chords of the hollow fillets and round-off leave, below a nanometre times the pitch."""
    mesh = external_meshing(MODULE, teeth, shifts=shifts)
    first, second = mesh.first.outline(16), mesh.second.outline(16)
    for part in (0.0, 0.3, 0.6):
        angle = part * 2.0 * math.pi / teeth[0]
        a = turned(first, angle)
        b = turned(second, math.pi + math.pi / teeth[1] - angle * teeth[0] / teeth[1]) + np.array([mesh.distance, 0.0])
        assert overlap(a, b) < 1e-9 * math.pi * MODULE


def test_a_pinion_meshes_with_its_ring() -> None:
    pinion, ring = InvoluteGear(MODULE, 20), RingGear(MODULE, 50, 20)
    hole, apart = ring.outline(16), ring.pitch_radius - pinion.pitch_radius
    outline = pinion.outline(16)
    for part in np.linspace(0.0, 1.0, 5):
        angle = part * 2.0 * math.pi / 20
        a = turned(outline, angle) + np.array([apart, 0.0])
        b = turned(hole, angle * 20 / 50)
        outside = a[~inside(a, b)]
        # Chords of the ring's hollow flanks are in the space, by L^2 / (8 rho n^2) = 1.5e-6 m for these 15 of them.
        assert len(outside) == 0 or distance(outside, b).max() < 2e-6
    assert ring.contact_ratio(pinion) > external_meshing(MODULE, (20, 50)).contact_ratio


def test_a_rack_is_the_gear_of_infinite_radius() -> None:
    gear = InvoluteGear(MODULE, 20)
    rack = rack_outline(MODULE, 12, 5.0 * MODULE)
    for travel in np.linspace(0.0, math.pi * MODULE, 5):
        a = turned(gear.outline(16), -math.pi / 2.0 + travel / gear.pitch_radius) + np.array([0.0, gear.pitch_radius])
        assert overlap(a, rack + np.array([travel, 0.0])) < 1e-9 * math.pi * MODULE


def closed(faces: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    """Whether every edge is run through once in either direction."""
    keys = np.round(faces.reshape(-1, 3) / 1e-9).astype(np.int64)
    _, number = np.unique(keys, axis=0, return_inverse=True)
    corners = number.reshape(-1, 3)
    starts, ends = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    count = int(corners.max()) + 1
    return bool(np.array_equal(np.sort(starts * count + ends), np.sort(ends * count + starts)))


SHAPES = {
    "spur": lambda: gear_shape(InvoluteGear(MODULE, 30), 0.02, bore=0.01),
    "undercut": lambda: gear_shape(InvoluteGear(MODULE, 10), 0.02, bore=0.004),
    "helical": lambda: gear_shape(InvoluteGear(MODULE, 20), 0.02, helix=0.4),
    "ring": lambda: ring_shape(RingGear(MODULE, 64, 16), 0.02),
    "rack": lambda: rack_shape(MODULE, 12, 0.02),
    "bevel": lambda: bevel_shape(MODULE, 16, 32, 0.02),
    "worm": lambda: worm_shape(MODULE, 2, 0.04, 0.1),
}


@pytest.mark.parametrize("name", SHAPES)
def test_meshes_are_closed(name: str) -> None:
    shape: PlacedShape = SHAPES[name]()
    mesh = shape.pieces[0][0]
    assert isinstance(mesh, MeshData)
    assert closed(mesh.faces)
    found = solid_of_corners(mesh.faces)
    assert found is not None
    assert found[0] == pytest.approx(shape.volume, rel=1e-3), "ten chords an involute"


def test_the_mass_of_a_gear_is_that_of_its_curves() -> None:
    """Area by integrals along the curves: tip arcs and root arcs in closed form, the involute by its own (d A = r_b^2
    t^2 dt / 2 in polar coordinates about the centre), the trochoid by Simpson's rule over 20001 points."""
    gear, width, bore = InvoluteGear(MODULE, 30), 0.02, 0.01
    rolls = [math.sqrt((x / gear.base_radius) ** 2 - 1.0) for x in (gear.form_radius, gear.tip_radius)]
    # Half a tooth from its middle: below the tip arc, minus what lies between flank and that sector.
    tip = 0.5 * gear.tip_radius**2 * gear.half_angle(gear.tip_radius)
    flank = 0.5 * gear.base_radius**2 * (rolls[1] ** 3 - rolls[0] ** 3) / 3.0
    fillet = gear.trochoid(20001)
    r2, angle = fillet[:, 0] ** 2, fillet[:, 1]
    foot = 0.25 * float(((r2[1:] + r2[:-1]) * (angle[:-1] - angle[1:])).sum())
    root = 0.5 * gear.root_radius**2 * (math.pi / 30 - fillet[0, 1])
    area = 2.0 * 30 * (tip + flank + foot + root) - math.pi * bore**2
    shape = gear_shape(gear, width, bore=bore)
    assert shape.volume == pytest.approx(area * width, rel=1e-6)
    draft = simulator.new("g")
    link = draft.link("gear", shape)
    assert float(link.get("inertial/mass")) == pytest.approx(2700.0 * area * width, rel=1e-6)


def test_convex_parts_make_up_the_outline() -> None:
    outline = InvoluteGear(MODULE, 8, shift=0.4).outline(6)
    parts = convex_parts(outline)
    assert sum(signed_area(part) for part in parts) == pytest.approx(signed_area(outline), rel=1e-12)
    for part in parts:
        before, after = np.roll(part, 1, axis=0), np.roll(part, -1, axis=0)
        into, out = part - before, after - part
        turns = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0]
        assert turns.min() > -1e-14


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: InvoluteGear(MODULE, 3), "4 teeth or more"),
        (lambda: InvoluteGear(-1.0, 20), "a module is a length"),
        (lambda: InvoluteGear(MODULE, 20, 1.0), "5 to 35 degrees"),
        (lambda: InvoluteGear(MODULE, 8, shift=1.2), "pointed"),
        (lambda: RingGear(MODULE, 24, 20), "8 teeth more"),
        (lambda: gear_shape(InvoluteGear(MODULE, 20), 0.01, bore=0.04), "leaves nothing"),
        (lambda: bevel_shape(MODULE, 16, 32, 0.06), "at most half of its cone"),
        (lambda: worm_shape(MODULE, 1, 0.008, 0.1), "no core"),
        (lambda: simulator.parts.planetary(sun=20, planet=14), "cannot be spaced evenly"),  # type: ignore[attr-defined]
        (lambda: simulator.parts.planetary(sun=12, planet=42, planets=6), "touch each other"),  # type: ignore[attr-defined]
    ],
)
def test_teeth_that_cannot_be(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(UsageError, match=message):
        make()
