"""The meshes of the example worlds: the rack under its pinion, closed solids, files that are what the script makes."""

import numpy as np
import pytest
from gear_polygons import meshes, overlap, rotated, unmatched_edges


@pytest.mark.parametrize("q", [-7.0, -0.31, 0.0, 0.05, 0.1, 0.157, 0.25, 3.3, 7.0])
def test_rack_follows_the_pinion_by_its_pitch_radius(q):
    """The pinion's centre is 20 mm above the pitch line; turning it by +q (counter-clockwise) moves the rack by +0.02
    q."""
    pinion = rotated(meshes.toothed(2e-3, 20).outline(), q, (0.0, 0.02))
    rack = meshes.rack() + np.array([0.02 * q, 0.0])
    assert -0.03 * 2e-3 < overlap(pinion, rack) <= 0.0


def test_rack_moving_against_the_pinion_would_cut_through_its_teeth():
    pinion = rotated(meshes.toothed(2e-3, 20).outline(), 0.08, (0.0, 0.02))
    rack = meshes.rack() - np.array([0.02 * 0.08, 0.0])
    assert overlap(pinion, rack) > 5e-4


@pytest.mark.parametrize("name", sorted(set(meshes.recipes()) - {"thread_p10"}))
def test_solids_are_closed_and_look_outwards(name):
    """Every directed edge meets its opposite exactly as often (the thread alone is open: its ends are hidden), and the
    volume is positive (divergence theorem). Triangles without area, where a flank is radial, are left out."""
    faces = meshes.recipes()[name]()
    assert unmatched_edges(faces, without_length=False) == []
    assert np.linalg.det(faces).sum() / 6.0 > 1e-7


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
