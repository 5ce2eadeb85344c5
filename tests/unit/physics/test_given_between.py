"""What few surfaces have, and what two make of each other."""

from __future__ import annotations

import math

import pytest

from simulator.model.material import Surface, Torsion
from tests.helpers.surfaces import Solid, given_of

PLAIN, HERTZ = Surface(), 3.0 * math.pi / 16.0
CURVED = Torsion(0.5, use_patch_radius=False, surface_radius=0.1)


def solid(surface: Surface) -> Solid:
    return Solid(surface)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (PLAIN, PLAIN, (0.0, 0.0, 0.0, 0.0, 0.0)),
        (Surface(torsion=Torsion(0.5, patch_radius=0.02)), PLAIN, (HERTZ * 0.5 * 0.02, 0.0, 0.0, 0.0, 0.0)),
        (
            Surface(torsion=Torsion(2.0, patch_radius=0.02, slip=0.1)),
            Surface(torsion=Torsion(0.4, patch_radius=0.03, slip=0.2)),
            (HERTZ * 0.4 * 0.03, 0.3, 0.0, 0.0, 0.0),
        ),
        (Surface(torsion=CURVED), PLAIN, (0.0, 0.0, 0.0, 0.0, 0.0)),
        (
            Surface(torsion=CURVED, contact_stiffness=1e5),
            PLAIN,
            (-HERTZ * 0.5 * math.sqrt(0.1 * 1e-3), 0.0, 0.0, 1e5, 2.0),
        ),
        (
            Surface(torsion=CURVED, contact_stiffness=3e5, contact_damping=10.0),
            Surface(torsion=CURVED, contact_stiffness=6e5, contact_damping=20.0),
            (-HERTZ * 0.5 * math.sqrt(0.05 * 1e-3), 0.0, 0.0, 2e5, 30.0),
        ),
        (Surface(contact_stiffness=1e9), Surface(contact_stiffness=0.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (Surface(bounce_threshold=0.5), PLAIN, (0.0, 0.0, 0.5, 0.0, 0.0)),
        (Surface(bounce_threshold=0.5), Surface(bounce_threshold=0.2), (0.0, 0.0, 0.2, 0.0, 0.0)),
    ],
)
def test_the_rules_of_gazebo(a: Surface, b: Surface, expected: tuple[float, ...]) -> None:
    """The smaller coefficient and threshold, the larger patch or the combined curvature, springs in series, and sums of
    slips and dampings, in either order; for what overlaps by 1 mm."""
    for first, second in ((a, b), (b, a)):
        assert given_of(solid(first), solid(second), -1e-3) == pytest.approx(expected, rel=1e-14)
