"""Contacts as compiled mechanisms take them: a table of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array, Ints


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
