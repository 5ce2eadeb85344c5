"""Real couplings, which are no part of G: their play and the rate of their input as further freedoms of the tree.

A coupling with losses, play or elasticity does not tie its follower's coordinate. Its play z = Σ a_i q_i - b, which the
law would keep at zero, and the rate l = Σ t_j q̇_j of its input are sums of positions and rates. They follow those of
the tree as freedoms without a node, so that kernels know a row along either as they know one of an axis. The play along
a curve, z = φ(q), is such a sum at one position: its row of G has the slopes of φ there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.spatial.arrays import Ints


@dataclass(frozen=True)
class GearMesh:
    """`coupling`: its number, or -1 of a `cable`, whose play is its way; the freedoms `play` and, where it has losses
    or a stiffness that varies, `rate`, else -1. `is_curved`: its play is no sum, but φ(q) of a law that is a curve,
    whose slopes `loops.loops.follow_curves` finds."""

    coupling: int
    play: int
    rate: int = -1
    is_curved: bool = False
    cable: int = -1


def meshes_of(mechanism: Mechanism, freedom_of_axis: Ints, freedoms: int) -> tuple[GearMesh, ...]:
    """The real couplings between tree axes; their freedoms begin behind the `freedoms` of nodes. Those with an axis of
    a loop joint are held by rows of loops, as ideal ones (`mechanism.checks` reports them)."""
    found = []
    for number, coupling in enumerate(mechanism.couplings):
        if coupling.is_rigid_law or any(freedom_of_axis[axis] < 0 for axis, _ in coupling.terms):
            continue
        of_input = coupling.real.has_losses or coupling.real.varies
        found.append(GearMesh(number, freedoms, freedoms + 1 if of_input else -1, coupling.curve is not None))
        freedoms += 2 if of_input else 1
    for number, cable in enumerate(mechanism.loads.cables):
        found.append(GearMesh(-1, freedoms, freedoms + 1 if cable.has_friction else -1, cable=number))
        freedoms += 2 if cable.has_friction else 1
    return tuple(found)


def cable_freedoms(meshes: Sequence[GearMesh]) -> list[int]:
    """Both freedoms of every cable, its way and what rubs; NONE where nothing does."""
    of_cables = [mesh for mesh in meshes if mesh.cable >= 0]
    return [freedom if freedom >= 0 else NONE for mesh in of_cables for freedom in (mesh.play, mesh.rate)]


NONE = -(1 << 40)
"""No freedom, and no code of an axis."""


def rows_of(mesh: GearMesh, coupling: Coupling) -> list[tuple[tuple[tuple[int, float], ...], float]]:
    """Terms over axes and constant of each further freedom: z = Σ a_i q_i - b, l = Σ t_j q_j. Along a curve the first
    only says which axes it has."""
    rows = [(coupling.terms, -coupling.constant)]
    if mesh.rate >= 0:
        rows.append((coupling.input_terms, 0.0))
    return rows


def cycles_of(couplings: Sequence[Coupling], axes: int) -> dict[str, NDArray[Any]]:
    """The tables of `step.watch` that are about stiffness that varies."""
    found: list[tuple[int, int, int]] = []
    points: list[tuple[float, float]] = []
    periods: list[float] = []
    factors: list[list[float]] = []
    for number, coupling in enumerate(couplings):
        compliance = coupling.real.compliance
        if coupling.is_rigid_law or compliance is None or not compliance.varies:
            continue
        found.append((number, len(points), len(points) + len(compliance.points) - 1))
        points += compliance.points
        periods.append(compliance.period)
        factor = [0.0] * axes
        for axis, part in coupling.passing_terms:
            factor[axis] += part
        factors.append(factor)
    return {
        "cycles": np.array(found, dtype=np.int64).reshape(-1, 3),
        "cycle_points": np.array(points, dtype=float).reshape(-1, 2),
        "cycle_period": np.array(periods, dtype=float),
        "cycle_factor": np.array(factors, dtype=float).reshape(len(factors), axes),
    }
