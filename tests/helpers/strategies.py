"""What hypothesis draws: directions, rotations and points."""

from __future__ import annotations

from hypothesis import strategies as st

from simulator.spatial.rotation import Quat, Vec3, normalized, quat_normalized

_component = st.floats(-1.0, 1.0)


def axes() -> st.SearchStrategy[Vec3]:
    """Unit vectors."""
    return st.tuples(_component, _component, _component).filter(lambda v: sum(c * c for c in v) > 1e-4).map(normalized)


def quats() -> st.SearchStrategy[Quat]:
    """Unit quaternions, near-half turns included."""
    parts = st.tuples(_component, _component, _component, st.one_of(_component, st.floats(-1e-9, 1e-9)))
    return parts.filter(lambda q: sum(c * c for c in q) > 1e-4).map(quat_normalized)


def points() -> st.SearchStrategy[Vec3]:
    """Points within 100 m of the origin along each axis."""
    coordinate = st.floats(-100.0, 100.0)
    return st.tuples(coordinate, coordinate, coordinate)
