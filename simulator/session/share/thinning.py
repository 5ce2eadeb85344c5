"""Surfaces with fewer triangles, so that a page of a robot with scanned or machined parts can be sent by mail.

Thinned by quadric error metrics (Garland and Heckbert, SIGGRAPH 1997), which keep flat faces and sharp edges; the
library is fast-simplification, since trimesh only calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.rendering.surface import surface_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.rendering.surface import Surface

MOST_TRIANGLES = 60_000
"""Of all surfaces of a page together: some 2 MB of it."""
NEAR = 1.2
"""How many times as many triangles are near enough."""
HASTE = (2.0, 3.0, 4.0, 5.0, 7.0)
"""How fast the library raises the error that it accepts. The slowest that comes near is taken: in haste it makes dents
and creases where a wheel or a cover has none, and without it, it stops early."""


def thinned(surfaces: Sequence[Surface], most: int = MOST_TRIANGLES) -> list[Surface]:
    """Surfaces of together about `most` triangles, up to `NEAR` times as many: those with more triangles than a common
    bound are thinned to about it, the others stay."""
    counts = [len(surface.triangles) for surface in surfaces]
    bound = common_bound(counts, most)
    found = list(surfaces)
    for haste in HASTE:
        if sum(len(surface.triangles) for surface in found) <= NEAR * most:
            break
        found = [
            _thinned(surface, bound, haste) if count > bound else surface
            for surface, count in zip(surfaces, counts, strict=True)
        ]
    return found


def common_bound(counts: Sequence[int], most: int) -> int:
    """The largest bound with which the sum of min(count, bound) is at most `most`; the largest count where all fit."""
    left = most
    for place, count in enumerate(sorted(counts)):
        share = left // (len(counts) - place)
        if count > share:
            return share
        left -= count
    return max(counts, default=0)


def _thinned(surface: Surface, bound: int, haste: float) -> Surface:
    """A surface of about `bound` triangles. Vertices that differ only by their normals are one."""
    import fast_simplification  # pages of light shapes need none of it

    corners, place = np.unique(surface.positions, axis=0, return_inverse=True)
    faces = place.reshape(-1)[surface.triangles].astype(np.int32)
    points, triangles = fast_simplification.simplify(corners, faces, target_count=max(bound, 4), agg=haste)
    try:
        return surface_of(points.astype(np.float64), triangles)
    except ValueError:  # nothing with an area is left of it
        return surface
