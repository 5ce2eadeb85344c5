"""The world of 1024 gears: gears that touch along the train and nowhere else, with the inertia that it says."""

import numpy as np
import pytest

from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document

GAP = 0.005
"""To gears that are not neighbours in the train [m]."""


@pytest.fixture(scope="module")
def train():
    """Links of the gears, in order."""
    world = open_document(find_file("gear_train_1024")).world
    links = {link.name.rsplit("_", 1)[-1]: link for model in world.models for link in model.links}
    return [links[str(number)] for number in range(1, 1025)]


def test_gears_touch_along_the_train_and_nowhere_else(train):
    """Centres are rounded to a micrometre."""
    centres = np.array([link.X_WL.position for link in train])
    radii = np.array([link.visuals[0].shape.radius for link in train])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) - radii[:, None] - radii[None]
    assert np.diagonal(apart, 1) == pytest.approx(0.0, abs=2e-6)
    others = np.triu(np.ones_like(apart, dtype=bool), 2)
    assert apart[others].min() >= GAP - 2e-6


def test_gears_are_discs_of_their_teeth(train):
    """Module 1 mm: 32 gears of each number of teeth from 16 to 47, 0.02 kg where there are 16."""
    teeth = np.repeat(np.arange(16, 48), 32)
    radii = np.array([link.visuals[0].shape.radius for link in train])
    np.testing.assert_allclose(radii, 0.0005 * teeth, rtol=1e-12)
    masses = np.array([link.inertial.mass for link in train])
    np.testing.assert_allclose(masses, 0.02 * (teeth / 16.0) ** 2, rtol=1e-11)
