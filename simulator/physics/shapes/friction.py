"""Friction and compliance of surfaces: tables for all shapes of a mechanism, and the rules that combine two of them.

Rare properties of surfaces are combined, too: torsional friction, a threshold velocity of bouncing, and compliance. The
rules are those of Gazebo (classic, gazebo/physics/ode/ODEPhysics.cc, Collide): the smaller coefficient of torsional
friction; the larger radius of the patch if both give one, else the radius of curvature 1 / (1 / R1 + 1 / R2); the
smaller threshold of bouncing; springs in series, 1 / (1 / k1 + 1 / k2), and the sum of both dampings. Slip adds up as
that of friction does.

Friction of a patch of the radius a with the pressure of Hertz resists a moment of 3 pi / 16 mu a N about the normal
(Johnson, Contact Mechanics, 1985, 7.4; as in the tutorial on torsional friction of Gazebo), with a^2 = R d for an
overlap of d.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.friction_directions import carried_direction
from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Floats, Vector
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.pose import Pose

    Flags = NDArray[np.bool_]
    Placed = tuple[int, str, Pose, Collision]

    Friction = tuple[float, float, float, float, int]
    """Of a surface, or of two: coefficients of friction along its direction and across it, slip for each newton of it
    likewise [m/s/N], and which direction that is, -1 for none."""

    Given = tuple[float, float, float, float, float, float, float]
    """Of two surfaces: coefficient of torsional friction, radius of the patch [m], or -1, and of curvature; spin for
    each newton metre [rad/s/(N m)]; threshold of bouncing [m/s], 0 where none is given; stiffness [N/m], 0 for rigid,
    and damping [N s/m]."""

NO_DIRECTION = -1
PARALLEL = 1e-6
"""Sine of the angle to the normal below which a direction leaves open where along the surface it points."""


@compiled
def combined(first: Friction, second: Friction) -> Friction:
    """What two surfaces make of each other: the smaller coefficient in each direction, and the slip of both. The
    direction is that of the surface with the smaller coefficient along it where both have one, of the first where these
    are the same."""
    turned = first[4] == NO_DIRECTION or (second[4] != NO_DIRECTION and second[0] < first[0])
    which = second[4] if turned else first[4]
    return min(first[0], second[0]), min(first[1], second[1]), first[2] + second[2], first[3] + second[3], which


@compiled
def is_even(friction: Friction) -> bool:
    """Whether friction is the same in every direction."""
    return friction[4] == NO_DIRECTION or (friction[0] == friction[1] and friction[2] == friction[3])


@compiled
def in_columns(friction: Friction) -> tuple[float, float]:
    """(the larger coefficient, that across the direction as a part of that along it), as the tables have them."""
    along = friction[0]
    across = friction[1]
    ratio = 1.0
    if along != across:
        ratio = across / along if along > 0.0 else np.inf
    return max(along, across), ratio


@compiled
def is_across(direction: Vector, n: Vector) -> bool:
    """Whether a direction, a unit vector, points anywhere along a surface with the normal n."""
    s = cross(direction, n)
    return bool(dot(s, s) > PARALLEL * PARALLEL)


COEFFICIENT, PATCH, RADIUS, SPIN, THRESHOLD, STIFFNESS, DAMPING, NUMBERS = range(8)
"""Of a surface, whose stiffness is infinite where it is rigid; the patch is -1 where the radius of curvature counts,
which is infinite where it is flat."""
NEVER = 100_000.0
"""SDFormat's default of the least velocity [m/s] that bounces: as if none were given."""


@compiled
def given_between(first: Floats, second: Floats) -> Given:
    """What two surfaces, NUMBERS of each, make of each other."""
    patch = max(first[PATCH], second[PATCH]) if min(first[PATCH], second[PATCH]) >= 0.0 else -1.0
    curved = 1.0 / first[RADIUS] + 1.0 / second[RADIUS]
    stiffness = damping = 0.0
    if min(first[STIFFNESS], second[STIFFNESS]) < math.inf:
        stiffness = 1.0 / (1.0 / first[STIFFNESS] + 1.0 / second[STIFFNESS])
        damping = first[DAMPING] + second[DAMPING]
    threshold = min(first[THRESHOLD], second[THRESHOLD])
    return (
        min(first[COEFFICIENT], second[COEFFICIENT]),
        patch,
        1.0 / curved if curved > 0.0 else 0.0,
        first[SPIN] + second[SPIN],
        threshold if threshold < NEVER else 0.0,
        stiffness,
        damping,
    )


@compiled
def twisting(given: Given, gap: float) -> float:
    """The moment about the normal that friction holds for each newton of the normal force [m]; below 0 where the patch
    comes of how far contacts give way: a rigid contact does not overlap, and has no patch but a given one."""
    patch = given[1]
    if patch < 0.0:
        patch = -math.sqrt(given[2] * max(-gap, 0.0)) if given[5] > 0.0 else 0.0
    return 3.0 * math.pi / 16.0 * given[0] * patch


# -- tables of a mechanism ---------------------------------------------------------------------------------------------


class SurfaceTables(NamedTuple):
    """Friction of n shapes and p planes, what else is given of them, and d directions: fields of `Geometry`."""

    friction: Array
    friction2: Array
    slip: Array
    slip2: Array
    directed: Ints
    given: Array
    plain: Flags
    plane_friction: Array
    plane_friction2: Array
    plane_slip: Array
    plane_slip2: Array
    plane_directed: Ints
    plane_given: Array
    plane_plain: Flags
    direction: Array
    direction_body: Ints


def surface_tables(mechanism: Mechanism, rows: Sequence[Placed], planes: Sequence[Placed]) -> SurfaceTables:
    """Of the shapes and planes in rows: body, link, X_BC and collision of each."""
    both = [*rows, *planes]
    count = len(rows)
    placed = mechanism.placed_links() if any(row[3].surface.direction for row in both) else {}
    carried = [carried_direction(placed, body, X_BC, collision) for body, _, X_BC, collision in both]
    places = {found: place for place, found in enumerate(dict.fromkeys(found for found in carried if found))}
    numbers = [coefficients(row[3].surface, directed=bool(found)) for row, found in zip(both, carried, strict=True)]
    columns = np.array(numbers, dtype=float).reshape(-1, 4).T.copy()
    shapes = columns[:, :count].copy()
    grounds = columns[:, count:].copy()
    directed = np.array([places[found] if found else NO_DIRECTION for found in carried], dtype=np.int64)
    vectors, bodies = [vector for _, vector in places], [body for body, _ in places]
    given = np.array([further(row[3].surface) for row in both], dtype=float).reshape(-1, NUMBERS)
    plain = (directed == NO_DIRECTION) & (columns[2] == 0.0) & (given[:, PATCH] <= 0.0)
    plain &= (given[:, THRESHOLD] >= NEVER) & (np.isinf(given[:, STIFFNESS]))
    return SurfaceTables(
        shapes[0], shapes[1], shapes[2], shapes[3], directed[:count], given[:count].copy(), plain[:count].copy(),
        grounds[0], grounds[1], grounds[2], grounds[3], directed[count:], given[count:].copy(), plain[count:].copy(),
        np.array(vectors, dtype=float).reshape(-1, 3), np.array(bodies, dtype=np.int64),
    )  # fmt: skip


def coefficients(surface: Surface, *, directed: bool) -> tuple[float, float, float, float]:
    """Of a surface, none below 0: coefficients of friction along its direction and across it, and slip for each newton
    likewise [m/s/N]; without a direction those along it are for all."""
    along, slip = max(surface.friction, 0.0), max(surface.slip, 0.0)
    return (
        (along, max(surface.friction2, 0.0), slip, max(surface.slip2, 0.0)) if directed else (along, along, slip, slip)
    )


def further(surface: Surface) -> tuple[float, float, float, float, float, float, float]:
    """Of a surface what few have, as `given_between` takes it. A radius of curvature of 0 is none; what is rigid has
    no stiffness but an infinite one."""
    torsion = surface.torsion
    return (
        max(torsion.coefficient, 0.0),
        max(torsion.patch_radius, 0.0) if torsion.use_patch_radius else -1.0,
        torsion.surface_radius if torsion.surface_radius > 0.0 else math.inf,
        max(torsion.slip, 0.0),
        max(surface.bounce_threshold, 0.0),
        surface.contact_stiffness if surface.gives_way else math.inf,
        max(surface.contact_damping, 0.0),
    )
