"""The world of 1024 gears: what its script makes, gears that touch along the train and nowhere else."""

import numpy as np
import pytest

from tests.helpers.scripts import script

train = script("make_gear_train")


def test_the_world_is_what_the_script_makes():
    assert train.main(["--check"]) == 0


def test_a_world_that_is_not_is_noticed(tmp_path, capsys):
    path = tmp_path / "other.sdf"
    path.write_text(train.WORLD.read_text(encoding="utf-8").replace("0.02</mass>", "0.03</mass>"), encoding="utf-8")
    assert train.main(["--check", "--out", str(path)]) == 1
    assert "other.sdf is not what this script makes" in capsys.readouterr().err


def test_gears_touch_along_the_train_and_nowhere_else():
    """Centres are rounded to a micrometre."""
    centres, radii = train.places(), np.array([train.radius(teeth) for teeth in train.TEETH])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) - radii[:, None] - radii[None]
    assert np.diagonal(apart, 1) == pytest.approx(0.0, abs=2e-6)
    others = np.triu(np.ones_like(apart, dtype=bool), 2)
    assert apart[others].min() >= train.GAP - 2e-6
