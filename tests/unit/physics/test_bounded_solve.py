"""Impulses between bounds, against the box-constrained least squares of scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import int_of_row, j_entries, of_row, x_entries
from simulator.physics.solver.solve import solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def arm(seed: int, n: int) -> tuple[Array, Array, Array]:
    """What impulses on the n hinges of an arm change their velocities by, shape (n, n), the velocities that they lack,
    and the bounds: links get lighter and weaker outwards, by a factor of a thousand in all."""
    random = np.random.default_rng(seed)
    light = np.logspace(0.0, -3.0, n)
    coupled = np.tril(random.uniform(0.5, 1.0, (n, n)))
    mass = coupled.T @ (light[:, None] * coupled) + 0.01 * np.diag(light)
    lacks = random.normal(size=n)
    wanted = np.linalg.solve(np.linalg.inv(mass), lacks)
    return np.linalg.inv(mass), lacks, np.abs(wanted) * random.uniform(0.3, 3.0, n)


def rows(response: Array, lacks: Array, bounds: Array, fastest: Array) -> tuple[Array, Array, NDArray[np.int64]]:
    """Velocities 0, and motors and speed limits of all hinges as rows."""
    n = len(lacks)
    B, C = row_at.make_room(2 * n, 2 * n * n)
    C[row_at.COUNT] = 2 * n
    (j_values, j_columns), (x_values, x_columns) = j_entries(C), x_entries(C)
    for r in range(2 * n):
        axis = r % n
        B[j_values + r], C[j_columns + r], C[int_of_row(C, row_at.C_JEND, r)] = 1.0, axis, r + 1
        B[x_values + n * r : x_values + n * (r + 1)] = response[:, axis]
        C[x_columns + n * r : x_columns + n * (r + 1)] = np.arange(n)
        C[int_of_row(C, row_at.C_XEND, r)] = n * (r + 1)
        C[int_of_row(C, row_at.C_KIND, r)] = row_at.TO_VELOCITY if r < n else row_at.SPEED
        B[of_row(C, row_at.B_RESPONSE, r)] = response[axis, axis]
        most = bounds[axis] if r < n else np.inf
        row_at.ask_of_row(B, C, r, -most, most, lacks[axis] if r < n else fastest[axis])
    return np.zeros(2 * n), B, C


@pytest.mark.parametrize("n", [6, 20, 31])
@pytest.mark.parametrize("seed", range(10))
def test_motors_at_their_limits_settle_beside_speed_limits(seed: int, n: int) -> None:
    """The nearest to the targets that the bounds allow, in the norm of the inertia: min |L p - L^-T b| with A = L^T L.
    Speed limits are those that the axes have then, so that none pushes. Sweeps are rounding of rates of 1 off."""
    response, lacks, bounds = arm(seed, n)
    factor = np.linalg.cholesky(response).T
    reference = lsq_linear(factor, np.linalg.solve(factor.T, lacks), (-bounds, bounds), tol=1e-15, method="bvls").x
    fastest = np.maximum(1.5 * np.abs(response @ reference), np.abs(lacks))
    F, B, C = rows(response, lacks, bounds, fastest)
    assert solve(F, B, C, np.zeros((0, row_at.CONTACT_COLUMNS)), 0, n)
    given = B[of_row(C, row_at.B_IMPULSE, 0) : of_row(C, row_at.B_IMPULSE, n)]
    np.testing.assert_allclose(response @ given, response @ reference, atol=1e-9)
    assert not B[of_row(C, row_at.B_IMPULSE, n) : of_row(C, row_at.B_IMPULSE, 2 * n)].any()
