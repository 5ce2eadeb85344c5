"""Positions: their rates, small displacements, quaternions, which are no plain coordinates, and freedoms of the tree
from the independent coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import rotated_by_quaternion
from simulator.physics.layout.flatten import BALL, FREE

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.tree.views import CouplingViews, StateViews, TreeViews

    Quaternion = tuple[float, float, float, float]

PLACE = 3
"""Numbers of a free joint's place, before its quaternion (x, y, z, w)."""


@compiled
def position_rates(tree: TreeViews, Q: Floats, V: Floats, DQ: Floats) -> None:
    """DQ: time derivative of the positions Q for the velocities V of the coordinates (quaternions: q̇ = q (w, 0) / 2
    with w in the outboard frame)."""
    # A coordinate of a hinge or slide is its own position; those of balls and free joints are velocities only.
    G = tree.G
    for a in range(V.shape[0]):
        if G.place[a] >= 0:
            DQ[G.place[a]] = V[a]
    if tree.is_planar:
        return
    for i in range(tree.kind.shape[0]):
        if tree.kind[i] < BALL:
            continue
        k, o = tree.first[i], tree.place[i]
        if tree.kind[i] == FREE:
            turned = rotated_by_quaternion(_quaternion(Q, o + PLACE), 2.0, three_coordinates(G, V, k + 3))
            DQ[o], DQ[o + 1], DQ[o + 2] = turned
            o += PLACE
        set_quaternion_rate(Q, DQ, o, three_coordinates(G, V, k))


@compiled
def set_quaternion_rate(Q: Floats, DQ: Floats, o: int, angular_velocity: Vector) -> None:
    """DQ of the quaternion at o, for an angular velocity [rad/s] in the outboard frame."""
    x, y, z, w = _quaternion(Q, o)
    w0, w1, w2 = angular_velocity
    DQ[o] = 0.5 * (w * w0 + y * w2 - z * w1)
    DQ[o + 1] = 0.5 * (w * w1 + z * w0 - x * w2)
    DQ[o + 2] = 0.5 * (w * w2 + x * w1 - y * w0)
    DQ[o + 3] = -0.5 * (x * w0 + y * w1 + z * w2)


@compiled
def _quaternion(Q: Floats, o: int) -> Quaternion:
    """(x, y, z, w) from o on."""
    return Q[o], Q[o + 1], Q[o + 2], Q[o + 3]


@compiled
def three_coordinates(G: CouplingViews, V: Floats, k: int) -> Vector:
    """The entries of V for three freedoms of a ball or free joint, from freedom k on."""
    t = G.begin[k]
    return V[G.column[t]], V[G.column[G.begin[k + 1]]], V[G.column[G.begin[k + 2]]]


@compiled
def normalize(tree: TreeViews, Q: Floats) -> None:
    """Quaternions back to length one; in a plane there are none."""
    if tree.is_planar:
        return
    for i in range(tree.kind.shape[0]):
        if tree.kind[i] >= BALL:
            o = tree.place[i] + (PLACE if tree.kind[i] == FREE else 0)
            x, y, z, w = _quaternion(Q, o)
            length = math.sqrt(x * x + y * y + z * z + w * w)
            for a in range(4):
                Q[o + a] /= length


@compiled
def displace(tree: TreeViews, state: StateViews) -> None:
    """Q moved by the small displacement `state.step` of the coordinates; DQ is no rate afterwards."""
    if tree.is_planar:
        for a in range(state.step.shape[0]):
            state.Q[tree.G.place[a]] += state.step[a]
        return
    # The rates of the positions are linear in V: with the step in the place of V they are its displacement.
    position_rates(tree, state.Q, state.step, state.DQ)
    for c in range(state.Q.shape[0]):
        state.Q[c] += state.DQ[c]
    normalize(tree, state.Q)


@compiled
def turn_free(tree: TreeViews, vector: Floats, Q: Floats, into: bool) -> None:
    """The parts of `vector` (velocities or efforts) that belong to free joints: from the body's axes to those it floats
    in, by the orientations in the positions Q; `into`: the other way."""
    G = tree.G
    sign = -1.0 if into else 1.0
    if tree.is_planar:
        return
    for i in range(tree.kind.shape[0]):
        if tree.kind[i] != FREE:
            continue
        x, y, z, w = _quaternion(Q, tree.place[i] + PLACE)
        x = sign * x
        y = sign * y
        z = sign * z
        double = 2.0 / (x * x + y * y + z * z + w * w)
        for k in range(tree.first[i], tree.first[i] + 6, 3):
            turned = rotated_by_quaternion((x, y, z, w), double, three_coordinates(G, vector, k))
            a = G.column[G.begin[k]]
            b = G.column[G.begin[k + 1]]
            c = G.column[G.begin[k + 2]]
            vector[a], vector[b], vector[c] = turned


# -- couplings: q = G y + c, qd = G v, and efforts back by G^T ---------------------------------------------------------


@compiled
def position_of(G: CouplingViews, Q: Floats, k: int) -> float:
    """q = G y + c of freedom k [rad or m], from all positions Q."""
    q = G.constant[k]
    if G.is_identity and k < G.place.shape[0]:
        return q + Q[G.place[k]]
    for t in range(G.begin[k], G.begin[k + 1]):
        # Of the positions of balls and free joints only the way of a cable depends, and that is `constant` for them.
        if G.place[G.column[t]] >= 0:
            q += G.value[t] * Q[G.place[G.column[t]]]
    return q


@compiled
def size_of(G: CouplingViews, Q: Floats, k: int) -> float:
    """Sum of the magnitudes of all terms of `position_of`: what its rounding is a part of."""
    size = abs(G.constant[k])
    for t in range(G.begin[k], G.begin[k + 1]):
        if G.place[G.column[t]] >= 0:
            size += abs(G.value[t] * Q[G.place[G.column[t]]])
    return float(size)


@compiled
def rate_of(G: CouplingViews, V: Floats, k: int) -> float:
    """Velocity of freedom k [rad/s or m/s], from those of all coordinates, V."""
    rate = 0.0
    for t in range(G.begin[k], G.begin[k + 1]):
        rate += G.value[t] * V[G.column[t]]
    return rate


@compiled
def entry_of(G: CouplingViews, k: int, column: int) -> float:
    """The entry of row k in a column."""
    entry = 0.0
    for t in range(G.begin[k], G.begin[k + 1]):
        if G.column[t] == column:
            entry = G.value[t]
    return entry


@compiled
def spread(G: CouplingViews, coordinates: Floats, freedoms: Floats) -> None:
    """freedoms = G coordinates: velocities of the freedoms of nodes from those of the independent coordinates."""
    if G.is_identity:
        for k in range(coordinates.shape[0]):
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
