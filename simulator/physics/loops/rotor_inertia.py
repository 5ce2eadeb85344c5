"""Rotors that turn with axes of loop joints.

Such a rotor has the rate r v over the velocities v of the coordinates, with a row r that changes with the position:
½ J (r v)² adds J rᵀ r to the mass matrix, and of the rotor's acceleration r v̇ + (dr/dt) v the second part needs the
effort J rᵀ (dr/dt) v. Rotors that turn with axes of the tree alone have constant rows and are in HBASE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import clear
from simulator.physics.loops.loops import axis_row

if TYPE_CHECKING:
    from simulator.physics.loops.views import LoopViews, RowViews
    from simulator.physics.tree.views import MassViews, StateViews, TreeViews


@compiled
def rate_rotor(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, rotor: int) -> None:
    """The spare row of K becomes the rate of a rotor that turns with axes of loops, and the place behind the others of
    rhs minus what its acceleration has beside those of the coordinates. Needs fresh loop motion."""
    row = rows.K[rows.spare, :]
    clear(row)
    rows.rhs[rows.spare] = 0.0
    axis_row(tree, state, loops, (row, rows.rhs), rows.spare, loops.row_kind.shape[0] + rotor, True)


@compiled
def add_rotor_mass(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, mass: MassViews) -> None:
    """H += J r^T r of all rotors that turn with axes of loops, r being the row of a rotor's rate."""
    r = rows.K[rows.spare, :]
    for rotor in range(loops.rotor.shape[0]):
        rate_rotor(tree, state, loops, rows, rotor)
        for a in range(r.shape[0]):
            entry = loops.rotor[rotor] * r[a]
            for b in range(a + 1):
                # Only what rotors tie has room in the envelope of H.
                if entry != 0.0 and r[b] != 0.0:
                    mass.H[mass.row[a] + b] += entry * r[b]
        clear(r)


@compiled
def add_rotor_efforts(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews) -> None:
    """DV -= J r^T (dr/dt V) of the same rotors."""
    r = rows.K[rows.spare, :]
    for rotor in range(loops.rotor.shape[0]):
        rate_rotor(tree, state, loops, rows, rotor)
        effort = loops.rotor[rotor] * rows.rhs[rows.spare]
        for a in range(r.shape[0]):
            state.DV[a] += effort * r[a]
        clear(r)
