"""Planar four-bars as three free bodies each with three coordinates, held together by stabilised forces.

    M a + J^T f = g,    J a = -J' v - 2 w J v - w^2 p

with the pins' gaps p (Baumgarte, Computer Methods in Applied Mechanics and Engineering 1, 1972). At a change point J
loses a rank; the forces of least norm are taken, which leaves the motion as it is. Nothing here has independent
coordinates, branches or projections."""

from __future__ import annotations

import cmath

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.physics.four_bar_motions import GRAVITY, Bars

Array = NDArray[np.float64]

STABLE = 50.0
"""Rate w at which gaps close [1/s]."""
LOST = 1e-9
"""Singular values of J below this part of the greatest are none."""
PIN, BAR = np.array([0, 1, 1, 2, 2, 3]), np.array([0, 0, 1, 1, 2, 2])
SIDE = np.array([-1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
"""The six ends of bars at pins: which pin, which bar, and which end of it."""
SIGNS = np.zeros((4, 6))
SIGNS[PIN, np.arange(6)] = 1.0, 1.0, -1.0, 1.0, -1.0, 1.0
"""A gap is the sum of the ends at its pin with these signs."""
MOVES = np.zeros((8, 9))
"""The part of the pins' Jacobian that does not depend on where the bars are."""
for _pin, _bar, _sign in zip(PIN, BAR, SIGNS.sum(axis=0), strict=True):
    MOVES[2 * _pin : 2 * _pin + 2, 3 * _bar : 3 * _bar + 2] = _sign * np.eye(2)


def pushed(bars: Bars, tip: complex, end: complex, effort: float, times: Array) -> Array:
    """The crank's turn [rad] at `times` [s] after it is let go, with `effort` [N m] on its hinge in the ground."""
    lengths = np.array([bars.crank, bars.coupler, bars.rocker])
    ends = ((0j, tip), (tip, end), (complex(bars.ground), end))
    mass = np.concatenate([(1.0, 1.0, length * length / 12.0) for length in lengths])
    start = np.concatenate([_pose(first, last) for first, last in ends])
    outside = np.tile((0.0, -GRAVITY, 0.0), 3)
    outside[2] += effort

    def rates(_: float, y: Array) -> Array:
        q, v = y[:9], y[9:]
        gaps, J, bends = _pins(q, v, lengths, bars.ground)
        scaled = J / mass
        asked = -bends - 2.0 * STABLE * (J @ v) - STABLE**2 * gaps - scaled @ outside
        forces = np.linalg.lstsq(scaled @ J.T, asked, rcond=LOST)[0]
        return np.concatenate((v, (outside + J.T @ forces) / mass))

    solved = solve_ivp(
        rates, (0.0, float(times[-1])), np.concatenate((start, np.zeros(9))), method="DOP853", t_eval=times,
        rtol=1e-10, atol=1e-11, max_step=5e-3,
    )  # fmt: skip
    found: Array = solved.y[2] - start[2]
    return found


def _pose(first: complex, last: complex) -> tuple[float, float, float]:
    middle = 0.5 * (first + last)
    return middle.real, middle.imag, cmath.phase(last - first)


def _pins(q: Array, v: Array, lengths: Array, ground: float) -> tuple[Array, Array, Array]:
    """Gaps of the four pins, their Jacobian, and what their second derivative has besides J a; shapes (8,), (8, 9),
    (8,)."""
    bars, turns = q.reshape(3, 3)[BAR], v[2::3][BAR]
    arms = (0.5 * SIDE * lengths[BAR])[:, None] * np.column_stack((np.cos(bars[:, 2]), np.sin(bars[:, 2])))
    gaps = (SIGNS @ (bars[:, :2] + arms)).reshape(8)
    bends = -(SIGNS @ (arms * turns[:, None] ** 2)).reshape(8)
    J, sign = MOVES.copy(), SIGNS[PIN, np.arange(6)]
    J[2 * PIN, 3 * BAR + 2] = -sign * arms[:, 1]
    J[2 * PIN + 1, 3 * BAR + 2] = sign * arms[:, 0]
    gaps[6] -= ground
    return gaps, J, bends
