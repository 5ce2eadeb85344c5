"""Impulses between bounds, against the box-constrained least squares of scipy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, open_bounded
from simulator.physics.solver.solve import solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.physics.layout.bounded import BoundedRows

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


def rows(response: Array, lacks: Array, bounds: Array, fastest: Array) -> BoundedRows:
    """Velocities 0, and motors and speed limits of all hinges as rows."""
    n = len(lacks)
    B, C = row_at.make_room(2 * n, 2 * n * n)
    C[row_at.COUNT] = 2 * n
    bounded = open_bounded(B, C)
    for r in range(2 * n):
        axis = r % n
        bounded.J[r], bounded.J_column[r], bounded.J_end[r] = 1.0, axis, r + 1
        for k in range(n):
            bounded.X[n * r + k], bounded.X_column[n * r + k] = response[k, axis], k
        bounded.X_end[r] = n * (r + 1)
        bounded.kind[r] = row_at.TO_VELOCITY if r < n else row_at.SPEED
        bounded.response[r] = response[axis, axis]
        most = bounds[axis] if r < n else np.inf
        ask_of_row(bounded, r, -most, most, lacks[axis] if r < n else fastest[axis])
    return bounded


@pytest.mark.parametrize("n", [6, 20, 31])
@pytest.mark.parametrize("seed", range(3))
def test_motors_at_their_limits_settle_beside_speed_limits(seed: int, n: int) -> None:
    """The nearest to the targets that the bounds allow, in the norm of the inertia: min |L p - L^-T b| with A = L^T L.
    Speed limits are those that the axes have then, so that none pushes. Sweeps are rounding of rates of 1 off."""
    response, lacks, bounds = arm(seed, n)
    factor = np.linalg.cholesky(response).T
    reference = lsq_linear(factor, np.linalg.solve(factor.T, lacks), (-bounds, bounds), tol=1e-15, method="bvls").x
    fastest = np.maximum(1.5 * np.abs(response @ reference), np.abs(lacks))
    bounded = rows(response, lacks, bounds, fastest)
    assert solve(bounded, np.zeros((0, row_at.CONTACT_COLUMNS)), np.zeros(n), np.zeros(n))
    given = np.array([bounded.impulse[r] for r in range(n)])
    np.testing.assert_allclose(response @ given, response @ reference, atol=1e-9)
    assert not any(bounded.impulse[r] for r in range(n, 2 * n))


@pytest.mark.parametrize("frictions", [1, 3])
def test_a_motor_outlasts_friction_of_its_axis(frictions: int) -> None:
    """A motor asks for a velocity that is small beside what friction of the same hinge may take: friction gives all it
    has against it, and the motor that and what the velocity takes."""
    target, weight, most = 1e-5, 27.6, 1.8e-4
    count = 1 + frictions
    B, C = row_at.make_room(count, count)
    C[row_at.COUNT] = count
    bounded = open_bounded(B, C)
    for r in range(count):
        bounded.J[r], bounded.J_column[r], bounded.J_end[r] = 1.0, 0, r + 1
        bounded.X[r], bounded.X_column[r], bounded.X_end[r] = weight, 0, r + 1
        bounded.kind[r] = row_at.FRICTION if r else row_at.TO_VELOCITY
        bounded.response[r] = weight
        bound = most * r if r else 5e5
        ask_of_row(bounded, r, -bound, bound, 0.0 if r else target)
    velocity = np.array([-7e-4])
    assert solve(bounded, np.zeros((0, row_at.CONTACT_COLUMNS)), velocity, np.zeros(1))
    taken = most * sum(range(count))
    assert velocity[0] == pytest.approx(target, abs=1e-14)
    np.testing.assert_allclose(bounded.impulse[1:count], -most * np.arange(1, count), rtol=1e-12)
    assert bounded.impulse[0] == pytest.approx(taken + (target + 7e-4) / weight, rel=1e-9)
