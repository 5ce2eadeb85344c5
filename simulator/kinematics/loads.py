"""Loads at one state and time: wrenches on bodies, power and stored energy. The compiled steps compute the same in
`tree.loads`.

For the points a and b of a spring, d = p_b - p_a, l = |d|, u = d / l and dl/dt = u . (v_b - v_a), it pulls b by -f u
and a by f u with f = k (l - l0) + c dl/dt. Its energy is the integral of the part without dl/dt from the free length,
of a table from its first length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from simulator.mechanism.loads import BodyForce, BodyLoads, BodySpring
    from simulator.model.loads import Profiles3, SpringTable
    from simulator.spatial.arrays import Array


class LoadWrenches(NamedTuple):
    """`wrenches`, shape (n_bodies, 6): moment about the body frame's origin [N m] and force [N] on every body, in world
    axes; row 0, the world, holds what springs do to it. `power`: what forces and moments do work at [W]. `loss`: what
    axes; row 0, the world, holds the reactions of springs. `power`: of forces and moments [W]. `loss`: dissipation of
    the dampers of springs [W]. `stored`: energy of springs and of weights of models with their own gravity
    [J]."""

    wrenches: Array
    power: float
    loss: float
    stored: float


def load_wrenches(loads: BodyLoads, X_WB: Array, velocities: Array, time: float) -> LoadWrenches:
    """Wrenches of all loads on the bodies.

    `loads`: those of the mechanism (`Mechanism.loads`); `X_WB`: poses of all bodies, shape (n_bodies, 4, 4);
    `velocities`: angular velocity [rad/s] and velocity of the body frame's origin [m/s], world axes, shape (n_bodies,
    6); `time`: simulated time [s], of which the profiles of forces are functions.
    """
    wrenches = np.zeros((len(X_WB), 6))
    power = 0.0
    loss = 0.0
    stored = 0.0
    for load in loads.forces:
        force, moment = (_value(load, part, X_WB, time) for part in (load.force, load.moment))
        arm = X_WB[load.body, :3, :3] @ load.point
        wrench = np.concatenate((moment + np.cross(arm, force), force))
        wrenches[load.body] += wrench
        power += float(wrench @ velocities[load.body])
    for weight in loads.weights:
        arm = X_WB[weight.body, :3, :3] @ weight.point
        force = np.array(weight.force)
        wrenches[weight.body] += np.concatenate((np.cross(arm, force), force))
        # A constant force has the potential -f · p; f is m (g_model - g_world), for the world's own is in the tree.
        stored -= float(force @ (X_WB[weight.body, :3, 3] + arm))
    for spring in loads.springs:
        length = spring_length(spring, X_WB)
        rate = spring_rate(spring, X_WB, velocities)
        wrenches += spring_wrench(spring, X_WB, spring_pull(spring, length) + spring.damping * rate)
        loss = loss + spring.damping * rate * rate
        stored = stored + spring_energy(spring, length)
    return LoadWrenches(wrenches, power, loss, stored)


def _value(load: BodyForce, profiles: Profiles3, X_WB: Array, time: float) -> Array:
    """A force or moment in world axes."""
    vector = np.array([profile.value(time) for profile in profiles])
    if load.turn is None:
        return vector
    turned: Array = X_WB[load.body, :3, :3] @ np.array(load.turn) @ vector
    return turned


def _ends(spring: BodySpring, X_WB: Array) -> tuple[Array, Array, Array, float]:
    """Arms of both ends from the origins of their bodies, shape (2, 3), direction from the first to the second, and
    length."""
    arms = np.array([X_WB[body, :3, :3] @ point for body, point in zip(spring.bodies, spring.points, strict=True)])
    places = X_WB[list(spring.bodies), :3, 3] + arms
    length = float(np.linalg.norm(places[1] - places[0]))
    # Ends that meet have no direction: such a spring pulls nowhere, as its force would be finite but undefined.
    along = (places[1] - places[0]) / length if length > 0.0 else np.zeros(3)
    return arms, places, along, length


def spring_length(spring: BodySpring, X_WB: Array) -> float:
    """Distance of both ends of a spring [m]; X_WB of shape (n_bodies, 4, 4)."""
    return _ends(spring, X_WB)[3]


def spring_rate(spring: BodySpring, X_WB: Array, velocities: Array) -> float:
    """Rate of that distance [m/s]; `velocities` as in `load_wrenches`."""
    arms, _, along, _ = _ends(spring, X_WB)
    moving = velocities[list(spring.bodies)]
    # v_p = v + ω x r of both ends.
    first, second = moving[:, 3:] + np.cross(moving[:, :3], arms)
    return float(along @ (second - first))


def spring_wrench(spring: BodySpring, X_WB: Array, pull: float) -> Array:
    """What a spring does to all bodies that pulls its ends together by `pull` [N], as in `LoadWrenches`."""
    arms, _, along, _ = _ends(spring, X_WB)
    wrenches = np.zeros((len(X_WB), 6))
    for sign, body, arm in zip((1.0, -1.0), spring.bodies, arms, strict=True):
        wrenches[body] += np.concatenate((np.cross(arm, sign * pull * along), sign * pull * along))
    return wrenches


def spring_pull(spring: BodySpring, length: float) -> float:
    """Force [N] that pulls the ends of a spring together at a length [m], without its damper."""
    if spring.table is None:
        return spring.stiffness * (length - spring.free_length)
    return float(np.interp(length, spring.table.lengths, spring.table.forces))


def spring_energy(spring: BodySpring, length: float) -> float:
    """Energy stored at a length [J]."""
    if spring.table is None:
        return 0.5 * spring.stiffness * (length - spring.free_length) ** 2
    table = spring.table
    if length <= table.lengths[0]:
        # Before its first length a table's force is constant, as `interp` has it.
        return table.forces[0] * (length - table.lengths[0])
    inner = [i for i, knot in enumerate(table.lengths) if knot < length]
    places = np.array([*(table.lengths[i] for i in inner), length])
    forces = np.array([*(table.forces[i] for i in inner), spring_pull(spring, length)])
    # The integral of a polygon is exact by trapezia.
    return float(0.5 * (forces[1:] + forces[:-1]) @ np.diff(places))


def energies_of_table(table: SpringTable) -> tuple[float, ...]:
    """Energy stored at every length of a table [J]."""
    lengths, forces = np.array(table.lengths), np.array(table.forces)
    return (0.0, *np.cumsum(0.5 * (forces[1:] + forces[:-1]) * np.diff(lengths)).tolist())
