"""A rattleback: half an ellipsoid whose mass lies askew to its axes reverses its spin.

Kane and Levinson, Realistic mathematical modeling of the rattleback (Int. J. Non-Linear Mechanics 17, 1982), whose body
this is: a = 20 cm, b = 3 cm, c = 2 cm, the centre of mass 1 cm below the ellipsoid's, 1 kg, and the product of inertia
that makes it reverse. Their rolling motion is integrated here by another method in other unknowns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from simulator.spatial.rotation import cross
from tests.physics.axes import moving
from tests.physics.solids import ground, solid
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
G = 9.8
RADII, BELOW = np.array((0.2, 0.03, 0.02)), 0.01
INERTIA = np.array(((2e-4, -2e-5, 0.0), (-2e-5, 1.6e-3, 0.0), (0.0, 0.0, 1.7e-3)))
TILT, SPIN = math.radians(3.0), -5.0
UP = np.array((0.0, 0.0, 1.0))


def rotation(q: Array) -> Array:
    """Of a quaternion x, y, z, w."""
    x, y, z, w = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def lowest(R: Array) -> tuple[Array, Array]:
    """Where it touches, seen from the centre of mass, and how that point moves over the body when the normal turns: s =
    -A² n / |A n|, ds = (A² - s sᵀ) / |A n| d(-n)."""
    square = R @ np.diag(RADII**2) @ R.T
    depth = math.sqrt(UP @ square @ UP)
    s = -square @ UP / depth
    return s + BELOW * R[:, 2], (square - np.outer(s, s)) / depth


def rolling(_: float, state: Array) -> Array:
    """Euler's equations about the centre of mass with the force that keeps the touching point at rest: v = -w x r,
    F = m (dv/dt + g up), I w' + w x I w = r x F."""
    R, w = rotation(state[:4]), state[4:]
    r, bend = lowest(R)
    inertia = R @ INERTIA @ R.T
    r_rate = cross(w, r) + bend @ cross(w, UP)
    about_point = inertia + (r @ r) * np.eye(3) - np.outer(r, r)
    moment = -cross(w, inertia @ w) - cross(r, cross(w, r_rate)) + cross(r, G * UP)
    x, y, z, q = state[:4]
    half = 0.5 * np.array([
        q * w[0] + z * w[1] - y * w[2], q * w[1] + x * w[2] - z * w[0], q * w[2] + y * w[0] - x * w[1],
        -(x * w[0] + y * w[1] + z * w[2]),
    ])  # fmt: skip
    return np.concatenate((half, np.linalg.solve(about_point, moment)))


def spins(times: Array) -> Array:
    """Angular velocities about the vertical at some times, of rolling without slipping."""
    start = np.array((math.sin(0.5 * TILT), 0.0, 0.0, math.cos(0.5 * TILT), 0.0, 0.0, SPIN))
    found = solve_ivp(rolling, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    return np.asarray(found.y[6])


def simulated(write: Write, dt: float, times: Array) -> tuple[Array, float]:
    """The same by contact and friction, and the largest error of the energy [J]."""
    shape = f"<ellipsoid><radii>{' '.join(map(str, RADII))}</radii></ellipsoid>"
    r = lowest(rotation(np.array((math.sin(0.5 * TILT), 0.0, 0.0, math.cos(0.5 * TILT)))))[0]
    moments = " ".join(repr(float(x)) for x in np.diag(INERTIA))
    stone = solid(
        "b", shape, inertia=moments, pose=f"0 0 {-float(r[2])!r} {TILT!r} 0 0", at=f"0 0 {BELOW} 0 0 0", mu=100.0
    )
    stone = stone.replace("</inertia>", f"<ixy>{float(INERTIA[0, 1])!r}</ixy></inertia>")
    found, error = [], 0.0
    with running(write(world(ground(100.0) + model(stone))), dt=dt) as engine:
        w = SPIN * UP
        moving(engine, (*w, *-cross(w, r)))
        for time in times:
            make_steps(engine, round(time / dt) - engine.steps)
            snapshot = engine.snapshot()
            found.append(snapshot.body_velocities[1, 2])
            error = max(error, abs(snapshot.energy.error))
    return np.array(found), error


def test_a_rattleback_reverses_as_it_rolls_by_the_equations_of_kane_and_levinson(write_document: Write) -> None:
    """Spun at -5 rad/s and tilted by three degrees it rattles, comes to rest, and turns the other way. Contact acts to
    second order in the step: half of it leaves a quarter of the error, which grows as time passes."""
    times = np.arange(0.25, 6.01, 0.25)
    wanted = spins(times)
    assert wanted[0] < -4.0
    assert wanted[-1] > 1.5, "it reverses"
    early = times[times <= 3.0]
    coarse, _ = simulated(write_document, 5e-4, early)
    fine, error = simulated(write_document, 2.5e-4, times)
    off = [float(np.abs(found[: len(early)] - wanted[: len(early)]).max()) for found in (coarse, fine)]
    assert off[1] <= 0.01
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.25)
    assert error <= 1e-4
    assert fine[-1] == pytest.approx(wanted[-1], abs=0.2)
