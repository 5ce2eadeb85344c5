"""Triangulation of outlines with holes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.building.meshes import circle, signed_area, triangulated, triangulated_around
from simulator.building.parts.involute import InvoluteGear


def test_triangles_fill_an_outline_with_holes() -> None:
    """No triangle is clockwise, and their areas add up to that of the outline less that of the holes."""
    outer = InvoluteGear(4e-3, 16).outline()
    holes = [circle(4e-3, 20, (0.015 * math.cos(a), 0.015 * math.sin(a))) for a in range(5)]
    faces = triangulated(outer, holes)
    one, other = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    areas = (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2.0
    assert np.all(areas >= 0.0)
    assert areas.sum() == pytest.approx(signed_area(outer) - sum(map(signed_area, holes)), rel=1e-12)


@pytest.mark.parametrize(("teeth", "bore"), [(5, 0.0), (20, 0.005), (47, 0.01)])
def test_a_repeated_outline_is_triangulated_as_a_whole(teeth: int, bore: float) -> None:
    """As many triangles as corners ask for, none of them turned over, with the area of the outline."""
    outline = InvoluteGear(0.002, teeth).outline(6)
    holes = [circle(bore, 24)] if bore else []
    faces = triangulated_around(outline, teeth, holes)
    one, other = faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]
    areas = (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2.0
    assert len(faces) == len(outline) - 2 + (26 if bore else 0)
    assert areas.min() > -1e-18
    assert areas.sum() == pytest.approx(signed_area(outline) - sum(map(signed_area, holes)), rel=1e-12)
