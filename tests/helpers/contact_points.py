"""Contact points of a mechanism as columns: what geometry of our own finds, what Bullet's narrow phase does, and what a
compiled mechanism is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pybullet

from simulator.bullet.dynamics import BulletDynamics
from simulator.kinematics.state import rest_state
from simulator.physics.compiled.bounded import NO_CONTACTS
from simulator.physics.detect.own import OwnContacts
from simulator.physics.layout import row_layout as row_at

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array, Ints

UNKNOWN_FEATURES = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan, np.nan)
"""Features that are unknown: see `ContactTable`."""


@dataclass(frozen=True)
class ContactTable:
    """Contact points, n of them.

    `bodies` (n, 2): body indices of the mechanism; `points` (n, 3), and `normals` (n, 3) towards the first body, in the
    world; `gaps` (n,) [m], negative where they overlap; `friction` (n,) and `restitution` (n,) coefficients. Where the
    first body is round or a corner over a flat face of the second, `centres` (n, 3) has the centre of the rounding,
    else nan: with it a gap is foreseen to second order. `names` (n,): names that points have in every step, -1
    where they have none. `features` (n, 8): axis of a rim whose lowest point it is, or how the point moves over an
    ellipsoid; where the centre is nan, direction of the first body's line and of the second's, zeros for points, and
    both roundings [m], nan where they are unknown (`layout.row_layout`). `ratios` (n,): coefficient of friction across
    its direction as a part of that along it, 1 where it has none; else `friction` is the larger of both, `directions`
    (n, 3) the unit vector in the world, and `carriers` (n,) the bodies that carry it along. `slips` (n, 2): how fast
    the sides slip for each newton of friction, along the direction and across it [m/s/N]. `given` (n, 5): moment about
    the normal that friction holds for each newton of the normal force [m], how fast the sides spin for each newton
    metre of it [rad/s/(N m)], the velocity from which on they bounce [m/s], stiffness [N/m], 0 where they are rigid,
    and damping [N s/m]; the moment is below 0 where it comes of how far they give way (`rows.soft`).
    """

    bodies: Ints
    points: Array
    normals: Array
    gaps: Array
    friction: Array
    restitution: Array
    centres: Array
    names: Ints
    features: Array
    ratios: Array
    directions: Array
    carriers: Ints
    slips: Array
    given: Array


def points_of(own: OwnContacts, poses: Array, reach: float, velocities: Array | None = None) -> ContactTable | None:
    """Points that geometry of our own finds nearer than `reach` [m], for bodies at `poses`, X_WB of shape (n_bodies,
    7), that move with `velocities` (n_bodies, 6); None where there is none."""
    count = own.detect_within(poses, reach, velocities)
    if count == 0:
        return None
    ints, floats = own.work.ints[:count].copy(), own.work.floats[:count].copy()
    return ContactTable(
        bodies=ints[:, row_at.BODY : row_at.BODY + 2],
        points=floats[:, 0:3],
        normals=floats[:, 3:6],
        gaps=floats[:, row_at.GAP],
        friction=floats[:, row_at.MU],
        restitution=floats[:, row_at.RESTITUTION],
        centres=floats[:, row_at.CENTRE : row_at.CENTRE + 3],
        names=ints[:, row_at.NAME],
        features=floats[:, row_at.FEATURES],
        ratios=floats[:, row_at.RATIO],
        directions=floats[:, row_at.DIRECTION : row_at.DIRECTION + 3],
        carriers=ints[:, row_at.OF_DIRECTION + 1],
        slips=floats[:, row_at.SLIP : row_at.SLIP + 2],
        given=floats[:, row_at.GIVEN],
    )


def bullet_points(mechanism: Mechanism, reach: float) -> list[tuple[tuple[int, int], Array, Array, float]]:
    """Points that Bullet's narrow phase finds nearer than `reach` [m], at most 2 cm, at rest at the start: bodies,
    point half way into the gap, normal towards the first body, and gap [m]."""
    dynamics = BulletDynamics(mechanism, dt=1e-3, solver_iterations=1)
    try:
        dynamics.set_state(rest_state(mechanism))
        client = dynamics._client
        pybullet.performCollisionDetection(physicsClientId=client)
        found = []
        for raw in pybullet.getContactPoints(physicsClientId=client) or ():
            first, second = (dynamics._body_at.get((raw[i], raw[i + 2]), 0) for i in (1, 2))
            normal = np.array(raw[7])
            if raw[8] < reach:
                found.append(((first, second), np.array(raw[6]) + 0.5 * raw[8] * normal, normal, float(raw[8])))
    finally:
        dynamics.close()
    return found


def put_contacts(bounded: BoundedMechanism, table: ContactTable | None) -> None:
    """Give it the contact points of the next step."""
    if table is None or len(table.gaps) == 0:
        bounded.use_contacts(*NO_CONTACTS)
        return
    CI = np.empty((len(table.gaps), row_at.CONTACT_INTS), dtype=np.int64)
    CI[:, :2] = bounded.node_of_body[table.bodies]
    CI[:, row_at.BODY : row_at.BODY + 2] = table.bodies
    CI[:, row_at.NAME] = table.names
    CF = np.zeros((len(table.gaps), row_at.CONTACT_COLUMNS))
    CF[:, 0:3] = table.points
    CF[:, 3:6] = table.normals
    CF[:, row_at.GAP] = table.gaps
    CF[:, row_at.MU], CF[:, row_at.RESTITUTION] = table.friction, table.restitution
    CF[:, row_at.CENTRE : row_at.CENTRE + 3] = table.centres
    CF[:, row_at.FEATURES] = table.features
    CF[:, row_at.RATIO], CF[:, row_at.DIRECTION : row_at.DIRECTION + 3] = table.ratios, table.directions
    CF[:, row_at.SLIP : row_at.SLIP + 2], CF[:, row_at.GIVEN] = table.slips, table.given
    CI[:, row_at.OF_DIRECTION] = bounded.node_of_body[table.carriers]
    CI[:, row_at.OF_DIRECTION + 1] = table.carriers
    bounded.use_contacts(CI, CF)
