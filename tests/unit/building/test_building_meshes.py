"""Triangulation of outlines with holes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.building.meshes import circle, signed_area, triangulated
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
