"""Real couplings, which are no part of G: their play and the rate of their input as further freedoms of the tree.

A coupling with losses, play or elasticity does not tie its follower's coordinate. Its play z = Σ a_i q_i - b, which the
law would keep at zero, and the rate l = Σ t_j q̇_j of its input are sums of positions and rates. They follow those of
the tree as freedoms without a node, so that kernels know a row along either as they know one of an axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.spatial.arrays import Ints


@dataclass(frozen=True)
class GearMesh:
    """`coupling`: its number; the freedoms `play` and, where it has losses, `rate`, else -1."""

    coupling: int
    play: int
    rate: int = -1


def meshes_of(mechanism: Mechanism, freedom_of_axis: Ints, freedoms: int) -> tuple[GearMesh, ...]:
    """The real couplings between tree axes; their freedoms begin behind the `freedoms` of nodes. Those with an axis of
    a loop joint are held by rows of loops, as ideal ones (`mechanism.checks` reports them)."""
    found = []
    for number, coupling in enumerate(mechanism.couplings):
        if coupling.is_rigid_law or any(freedom_of_axis[axis] < 0 for axis, _ in coupling.terms):
            continue
        losses = coupling.real.has_losses
        found.append(GearMesh(number, freedoms, freedoms + 1 if losses else -1))
        freedoms += 2 if losses else 1
    return tuple(found)


def rows_of(mesh: GearMesh, coupling: Coupling) -> list[tuple[tuple[tuple[int, float], ...], float]]:
    """Terms over axes and constant of each further freedom: z = Σ a_i q_i - b, l = Σ t_j q_j."""
    rows = [(coupling.terms, -coupling.constant)]
    if mesh.rate >= 0:
        rows.append((coupling.input_terms, 0.0))
    return rows
