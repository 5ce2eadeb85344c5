"""The regressor of inverse dynamics: efforts τ = Y(q, q̇, q̈) π + rest, linear in the standard parameters π.

π of every link: its mass, m c, and the inertia about the origin of the link, all in the link's frame; of every axis:
damping and friction, and stiffness and preload (stiffness · reference) where the document has a spring (Atkeson, An and
Hollerbach, Estimation of inertial parameters of manipulator loads and links, 1986). Y is that of the tree, projected
onto the independent coordinates by Gᵀ, so that loops and couplings are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.mechanism.placed_loads import gravities_beside
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix, point_inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.numbers import Directions, MechanismNumbers
    from simulator.analysis.tangents import Tangents
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Link
    from simulator.model.world import World
    from simulator.spatial.arrays import Array


OF_LINK = (
    "mass",
    *(f"moment.{letter}" for letter in "xyz"),
    *(f"origin_inertia.{entry}" for entry in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")),
)
"""Mass [kg], m c [kg m], inertia about the origin of the link [kg m²]."""
LINEAR = ("inertia", "weight", "damping", "stiffness", "preload")
"""Fields of `MechanismNumbers` that have the standard parameters."""
STILL = 1e-12
"""An axis that is slower [rad/s or m/s] has no direction in which friction would act."""


@dataclass(frozen=True, eq=False)
class Regressor:
    """`matrix` Y over the independent coordinates (rows) and standard parameters (columns), `parameters` π as the
    document has them, `rest`: efforts that are not in it, for rotors, springs between points and loads.

    `matrix @ parameters + rest` are the efforts of `inverse_dynamics`, and those against Coulomb friction beside."""

    matrix: NamedMatrix
    parameters: NamedVector
    rest: NamedVector


class Standard(NamedTuple):
    """Standard parameters of a mechanism: names, values, the slopes of all numbers by each, and the axis whose friction
    a parameter is (-1: another)."""

    names: tuple[str, ...]
    values: Array
    directions: Directions
    friction: NDArray[np.int64]


def standard_parameters(mechanism: Mechanism, world: World, numbers: MechanismNumbers) -> Standard:
    """The standard parameters of all links that move and of all axes that the document has."""
    columns: list[tuple[str, float, str, int, Array]] = []
    beside = gravities_beside(world, mechanism.gravity)
    for index, body in enumerate(mechanism.bodies):
        for link, X_BL in zip(body.links, body.X_BL, strict=True) if index > 0 else ():
            gravity = np.array(mechanism.gravity) + beside.get(link.name, 0.0) if body.gravity else np.zeros(3)
            X = X_BL.matrix()
            for name, value, unit in zip(OF_LINK, _values(link).tolist(), _units(), strict=True):
                J = X @ unit @ X.T
                both = np.hstack((J, np.outer(J[:, 3], gravity)))
                columns.append((f"{link.name}.{name}", value, "inertia", index, both))
    one = np.ones(1)
    for place, info in enumerate(mechanism.axes):
        axis, name = info.axis, info.name
        if info.hidden:
            continue
        columns.append((f"{name}.damping", axis.damping, "damping", place, one))
        columns.append((f"{name}.friction", axis.friction, "", place, one))
        if axis.spring_stiffness:
            columns.append((f"{name}.spring_stiffness", axis.spring_stiffness, "stiffness", place, one))
            preload = axis.spring_stiffness * axis.spring_reference
            columns.append((f"{name}.spring_preload", preload, "preload", place, one))
    directions = {field: np.zeros((len(columns), *getattr(numbers, field).shape)) for field in LINEAR}
    for row, (_, _, field, at, change) in enumerate(columns):
        if field == "inertia":
            directions["inertia"][row, at], directions["weight"][row, at] = change[:, :4], change[:, 4:]
        elif field:
            directions[field][row, at] = change[0]
    friction = np.array([-1 if field else at for _, _, field, at, _ in columns])
    names = tuple(name for name, *_ in columns)
    return Standard(names, np.array([value for _, value, *_ in columns]), directions, friction)


def regressor_at(tangents: Tangents, standard: Standard, acceleration: Array) -> tuple[Array, Array]:
    """Y (n_states, n_independent, n_parameters) and the rest of the efforts (n_states, n_independent), at accelerations
    of all freedoms (n_states, n)."""
    jets, numbers = tangents.jets, tangents.numbers
    at = tangents.at._replace(du=acceleration[:, None])
    Y = np.swapaxes(jets.slopes(numbers, at, standard.directions, None).efforts, -1, -2).copy()
    for column in np.flatnonzero(standard.friction >= 0):
        freedom = jets.freedom[standard.friction[column]]
        rate = at.u[:, 0, freedom]
        Y[:, freedom, column] = np.where(np.abs(rate) > STILL, np.sign(rate), 0.0)
    bare = numbers._replace(**{field: np.zeros_like(getattr(numbers, field)) for field in LINEAR})
    rest = jets.residuals(bare, at).efforts[:, 0]
    back = np.swapaxes(tangents.G, -1, -2)
    return np.asarray(back @ Y), np.asarray((back @ rest[..., None])[..., 0])


def _units() -> Sequence[Array]:
    """∫ r rᵀ dm per unit of each parameter of a link, shape (4, 4) each."""
    found = []
    for place in range(10):
        unit = np.eye(10)[place]
        inertia = inertia_matrix(*unit[4:].tolist())
        J = np.zeros((4, 4))
        J[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        J[:3, 3] = J[3, :3] = unit[1:4]
        J[3, 3] = unit[0]
        found.append(J)
    return found


def _values(link: Link) -> Array:
    """Mass, m c and inertia about the origin of a link, shape (10,)."""
    inertial = link.inertial
    R = inertial.X_LI.rotation()
    c = np.array(inertial.X_LI.position)
    about_centre = R @ inertia_matrix(*inertial.moments, *inertial.products) @ R.T
    about_origin = about_centre + point_inertia(inertial.mass, c)
    entries = [about_origin[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return np.array([inertial.mass, *(inertial.mass * c), *entries])
