"""The generated gear meshes: true involutes that mate without overlap, files that are what the script makes."""

import math

import numpy as np
import pytest
from gear_polygons import meshes, overlap, rotated, unmatched_edges


def mating_phase(teeth: int, phase: float, mate: int, direction: float) -> float:
    """Return the turn of the mate, whose centre lies in `direction`, that puts a space where the first gear has a
    tooth."""
    return direction + math.pi + (math.pi - teeth * (phase - direction)) / mate


@pytest.mark.parametrize(("module", "teeth", "mate"), [(4e-3, 16, 24), (4e-3, 16, 32), (4e-3, 24, 16), (2e-3, 20, 20)])
@pytest.mark.parametrize("angle", np.linspace(0.0, 0.4, 9))
def test_mating_gears_touch_and_do_not_overlap(module, teeth, mate, angle):
    direction = 0.6
    centre = (teeth + mate) * module / 2.0 * np.array([math.cos(direction), math.sin(direction)])
    phase = mating_phase(teeth, 0.0, mate, direction)
    one = rotated(meshes.gear_outline(module, teeth), angle)
    other = rotated(meshes.gear_outline(module, mate), phase - angle * teeth / mate, centre)
    # Half the backlash on each flank, 0.01 modules after projection on the normal; never an overlap, never a visible
    # gap.
    assert -0.03 * module < overlap(one, other) <= 0.0


@pytest.mark.parametrize("wrong", [0.25, 0.5])
def test_a_wrong_phase_is_noticed(wrong):
    one = meshes.gear_outline(4e-3, 16)
    phase = mating_phase(16, 0.0, 24, 0.0) + wrong * 2.0 * math.pi / 24
    assert overlap(one, rotated(meshes.gear_outline(4e-3, 24), phase, (0.08, 0.0))) > 1e-3


def test_the_flank_is_an_involute_of_the_base_circle():
    outline = meshes.gear_outline(2e-3, 20)
    base = 0.02 * math.cos(math.radians(20.0))
    radius = np.linalg.norm(outline, axis=1)
    on_flank = (radius > base * (1.0 + 1e-9)) & (np.abs(np.arctan2(outline[:, 1], outline[:, 0])) < math.pi / 20)
    for x, y in outline[on_flank]:
        r = math.hypot(x, y)
        unrolled = math.sqrt((r / base) ** 2 - 1.0)  # inv(alpha_r) = tan(alpha_r) - alpha_r with tan(alpha_r) = this
        start = abs(math.atan2(y, x)) + unrolled - math.atan(unrolled)
        assert start == pytest.approx(
            (math.pi / 2 - 0.02) / 20 + math.tan(math.radians(20)) - math.radians(20), abs=1e-12
        )


def depth_in_miter_gear(points: np.ndarray, module: float, teeth: int, turn: float) -> np.ndarray:
    """How deep points lie inside a miter gear about z (tip of its pitch cone at the origin), along the circle, [m];
    negative outside."""
    radius, z = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    share = (radius + z) / (module * teeth)  # all sections of the gear are alike, seen from the tip
    face = (share > 0.64) & (share < 1.0)
    on_back_cone = np.where(face, math.sqrt(2.0) * radius / share, 0.0)
    tip = module * (teeth * math.sqrt(2.0) / 2.0 + 1.0)
    half = [
        math.sqrt(2.0) * meshes.half_tooth_angle(r, module, teeth * math.sqrt(2.0)) for r in on_back_cone.clip(1e-3)
    ]
    pitch = 2.0 * math.pi / teeth
    angle = (np.arctan2(points[:, 1], points[:, 0]) - turn + pitch / 2.0) % pitch - pitch / 2.0
    return np.where(face & (on_back_cone < tip), (np.array(half) - np.abs(angle)) * radius, -module)


@pytest.mark.parametrize("angle", np.linspace(0.0, 0.28, 8))
def test_miter_gears_mesh_and_do_not_overlap(angle):
    """One about z, one about x: where the first has a tooth (at +x), the second has a space; turning by `angle` they
    turn alike.

    Tredgold's approximation leaves an error of its own, far below the backlash of 0.04 modules."""
    module, teeth = 4e-3, 22
    radius, turns = meshes.bevel_outline(module, teeth, teeth, foot=0.1).T
    back = 2.0 * module * teeth / 2.0 - radius
    mate = 0.85 * np.column_stack([radius * np.cos(turns + angle), radius * np.sin(turns + angle), back])
    # The mate's axis is x; its own x axis, at which it has a tooth, points along z, towards the first gear's axis.
    placed = np.column_stack([mate[:, 2], mate[:, 1], mate[:, 0]])
    space = math.pi / teeth
    depth = depth_in_miter_gear(placed, module, teeth, space + angle)
    assert depth.max() <= 0.0
    assert depth.max() > -0.06 * module
    wrong = depth_in_miter_gear(placed, module, teeth, angle)
    assert wrong.max() > 0.3 * module


@pytest.mark.parametrize("q", [-7.0, -0.31, 0.0, 0.05, 0.1, 0.157, 0.25, 3.3, 7.0])
def test_rack_follows_the_pinion_by_its_pitch_radius(q):
    """The pinion's centre is 20 mm above the pitch line; turning it by +q (counter-clockwise) moves the rack by +0.02
    q."""
    pinion = rotated(meshes.gear_outline(2e-3, 20), q, (0.0, 0.02))
    rack = meshes.rack_outline(2e-3, 48, 0.011) + np.array([0.02 * q, 0.0])
    assert -0.03 * 2e-3 < overlap(pinion, rack) <= 0.0


def test_rack_moving_against_the_pinion_would_cut_through_its_teeth():
    pinion = rotated(meshes.gear_outline(2e-3, 20), 0.08, (0.0, 0.02))
    rack = meshes.rack_outline(2e-3, 48, 0.011) - np.array([0.02 * 0.08, 0.0])
    assert overlap(pinion, rack) > 5e-4


def test_triangles_fill_an_outline_with_holes():
    outer = meshes.snapped(meshes.gear_outline(4e-3, 16))
    holes = [meshes.snapped(meshes.circle(4e-3, 20, (0.015 * math.cos(a), 0.015 * math.sin(a)))) for a in range(5)]
    faces = meshes.triangulated(outer, holes)
    one, other = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    areas = (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2.0

    def area(loop):
        x, y = loop.T
        return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2.0

    assert (areas >= 0.0).all()
    assert areas.sum() == pytest.approx(area(outer) - sum(map(area, holes)), rel=1e-12)


@pytest.mark.parametrize("name", sorted(set(meshes.recipes()) - {"thread_p10"}))
def test_solids_are_closed(name):
    """Every directed edge meets its opposite exactly as often (the thread alone is open: its ends are hidden)."""
    assert unmatched_edges(meshes.recipes()[name]()) == []


def test_the_thread_is_right_handed():
    """Following the crest counter-clockwise leads up, by one pitch a turn."""
    faces = meshes.thread(14e-3, 11e-3, 10e-3, 4).reshape(-1, 3)
    crest = faces[np.hypot(faces[:, 0], faces[:, 1]) > 13.9e-3]
    at = {}
    for degrees in (0, 90, 180):
        angle = np.degrees(np.arctan2(crest[:, 1], crest[:, 0]))
        at[degrees] = set(np.round((crest[np.abs(angle - degrees) < 1.0, 2] % 10e-3) * 1e3, 3))
    assert {round((z + 2.5) % 10.0, 3) for z in at[0]} == at[90]
    assert {round((z + 5.0) % 10.0, 3) for z in at[0]} == at[180]


def test_the_files_are_what_the_script_makes(capsys):
    assert meshes.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_the_check_notices_a_stale_file(tmp_path, capsys):
    assert meshes.main(["--out", str(tmp_path)]) == 0
    (tmp_path / "ring.stl").write_bytes(b"stale")
    assert meshes.main(["--check", "--out", str(tmp_path)]) == 1
    assert "ring.stl" in capsys.readouterr().err
