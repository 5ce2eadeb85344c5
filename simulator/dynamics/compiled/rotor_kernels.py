"""Rotors that turn with axes of loop joints.

Such a rotor has the rate r v over the velocities v of the coordinates, with a row r that changes with the position:
½ J (r v)² adds J rᵀ r to the mass matrix, and of the rotor's acceleration r v̇ + (dr/dt) v the second part needs the
effort J rᵀ (dr/dt) v. Rotors that turn with axes of the tree alone have constant rows and are in HBASE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.loop_kernels import axis_row
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def rate_rotor(F: Floats, N: Ints, rotor: int) -> None:
    """The spare row of K becomes the rate of a rotor that turns with axes of loops, and the place behind the others of
    RHS minus what its acceleration has beside those of the coordinates. Needs fresh loop motion."""
    _clear_spare(F, N)
    F[start(N, at.F_RHS) + N[at.SPARE]] = 0.0
    axis_row(F, N, N[at.SPARE], N[at.ROWS] + rotor)


@compiled
def _clear_spare(F: Floats, N: Ints) -> None:
    """The spare row of K becomes zero."""
    row = start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT]
    for a in range(N[at.INDEPENDENT]):
        F[row + a] = 0.0


@compiled
def add_rotor_mass(F: Floats, N: Ints) -> None:
    """H += J r^T r of all rotors that turn with axes of loops, r being the row of a rotor's rate."""
    H, hrow, r = start(N, at.F_H), int_start(N, at.I_HROW), start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT]
    for rotor in range(N[at.ROTORS]):
        rate_rotor(F, N, rotor)
        for a in range(N[at.INDEPENDENT]):
            entry = F[start(N, at.F_ROTOR) + rotor] * F[r + a]
            for b in range(a + 1):
                # Only what rotors tie has room in the envelope of H.
                if entry != 0.0 and F[r + b] != 0.0:
                    F[H + N[hrow + a] + b] += entry * F[r + b]
        _clear_spare(F, N)


@compiled
def add_rotor_efforts(F: Floats, N: Ints) -> None:
    """DV -= J r^T (dr/dt V) of the same rotors."""
    DV, r = start(N, at.F_DV), start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT]
    for rotor in range(N[at.ROTORS]):
        rate_rotor(F, N, rotor)
        effort = F[start(N, at.F_ROTOR) + rotor] * F[start(N, at.F_RHS) + N[at.SPARE]]
        for a in range(N[at.INDEPENDENT]):
            F[DV + a] += effort * F[r + a]
        _clear_spare(F, N)
