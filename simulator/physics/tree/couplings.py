"""Freedoms of the tree from the independent coordinates, q = G y + c and qd = G v, and efforts back by Gᵀ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.tree.views import CouplingViews


@compiled
def position_of(G: CouplingViews, Q: Floats, k: int) -> float:
    """q = G y + c of freedom k [rad or m], from all positions Q."""
    q = G.constant[k]
    if G.is_identity:
        return q + Q[G.place[k]]
    for t in range(G.begin[k], G.begin[k + 1]):
        q += G.value[t] * Q[G.place[G.column[t]]]
    return q


@compiled
def spread(G: CouplingViews, coordinates: Floats, freedoms: Floats) -> None:
    """freedoms = G coordinates: velocities of the freedoms from those of the independent coordinates."""
    if G.is_identity:
        for k in range(freedoms.shape[0]):
            freedoms[k] = coordinates[k]
        return
    for k in range(freedoms.shape[0]):
        rate = 0.0
        for t in range(G.begin[k], G.begin[k + 1]):
            rate += G.value[t] * coordinates[G.column[t]]
        freedoms[k] = rate


@compiled
def add_effort(G: CouplingViews, k: int, effort: float, coordinates: Floats) -> None:
    """coordinates += Gᵀ of an effort on freedom k, by virtual power."""
    for t in range(G.begin[k], G.begin[k + 1]):
        coordinates[G.column[t]] += G.value[t] * effort
