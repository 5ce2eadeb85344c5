"""Motions of touching bodies that books tell: Painlevé's rod, Newton's cradle, a wobbling coin, a ball that slips and
rolls."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.physics.axes import moving
from tests.physics.solids import ball_shape, ground, solid
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
G = 9.8

# --- Painlevé's rod ---------------------------------------------------------------------------------------------------

HALF, RADIUS, STEEP = 0.5, 0.01, math.radians(60.0)
MOMENT = (2.0 * HALF) ** 2 / 12.0
AHEAD, BELOW = HALF * math.cos(STEEP), HALF * math.sin(STEEP) + RADIUS
"""Where the tip touches, seen from the middle of the rod."""


def rod(mu: float) -> str:
    """A rod of 1 kg and 1 m whose lower tip is on the ground, ahead of its middle."""
    shape = f"<capsule><radius>{RADIUS}</radius><length>{2.0 * HALF}</length></capsule>"
    lean = -(0.5 * math.pi - STEEP)
    inertia = f"{MOMENT!r} {MOMENT!r} 1e-3"
    body = solid("b", shape, inertia=inertia, pose=f"0 0 {BELOW!r} 0 {lean!r} 0", mu=mu)
    return world(ground(mu) + model(body, name="rod"))


def tip_velocity(twist: Array) -> tuple[float, float]:
    """Of the point that touches, along x and z, of a rod that turns with twist[1] about y."""
    return float(twist[3] - BELOW * twist[1]), float(twist[5] - AHEAD * twist[1])


def test_where_painleves_rod_has_no_motion_it_stops_at_once(write_document: Write) -> None:
    """Friction of 2.5 presses the sliding tip into the ground more than the ground's force lifts it: 1/m + a²/J -
    mu a b/J < 0, so no finite force keeps it out (Painlevé 1895). The answer is that of Lecornu (1905) and of
    Moreau's time stepping, whose limit Stewart (Convergence of a time-stepping scheme for rigid-body dynamics,
    1998) proves to be the solution: an impulse without a collision, which stops the tip: W p = -v, p = (along the
    ground, across). Gravity adds O(dt) to it: 1e-5 s times some 10 m/s²."""
    dt, v = 1e-5, 1.0
    assert 1.0 + AHEAD**2 / MOMENT - 2.5 * AHEAD * BELOW / MOMENT < 0.0
    mobility = np.array([
        [1.0 + BELOW**2 / MOMENT, AHEAD * BELOW / MOMENT],
        [AHEAD * BELOW / MOMENT, 1.0 + AHEAD**2 / MOMENT],
    ])  # fmt: skip
    p = np.linalg.solve(mobility, (-v, 0.0))
    assert abs(p[0]) <= 2.5 * p[1], "it sticks"
    with running(write_document(rod(2.5)), dt=dt) as engine:
        moving(engine, (0.0, 0.0, 0.0, v, 0.0, 0.0))
        before = engine.snapshot().energy
        engine.step()
        snapshot = engine.snapshot()
    twist = snapshot.body_velocities[1]
    # Moment about +y of the force at (a, -b): z Fx - x Fz = -b px - a pz.
    spin = (-BELOW * p[0] - AHEAD * p[1]) / MOMENT
    assert twist == pytest.approx((0, spin, 0, v + p[0], 0, p[1]), abs=3e-4)
    assert tip_velocity(twist) == pytest.approx((0.0, 0.0), abs=1e-4)
    assert snapshot.energy.kinetic < before.kinetic
    assert snapshot.energy.contact == pytest.approx(-0.5 * p @ mobility @ p, rel=1e-3)


def test_where_painleves_rod_has_two_motions_it_takes_off(write_document: Write) -> None:
    """It turns so fast that its tip is thrown up: sliding on and taking off both fulfil all equations. The one
    without a force is taken, for which nothing would have to begin to push: from then on it is a throw, exact to
    round-off."""
    w = -6.0
    with running(write_document(rod(2.5)), dt=1e-4) as engine:
        # The tip slides along x at 1 m/s and does not leave the ground yet; its acceleration across it is w² b - g > 0.
        start = (1.0 + BELOW * w, AHEAD * w)
        moving(engine, (0.0, w, 0.0, start[0], 0.0, start[1]))
        for _ in range(50):
            engine.step()
            assert not engine.contacts()
        velocity = engine.snapshot().body_velocities[1]
        assert velocity == pytest.approx((0, w, 0, start[0], 0, start[1] - G * 0.005), abs=1e-12)


def test_below_the_critical_friction_painleves_rod_slides_on(write_document: Write) -> None:
    """mu = 0.5: one motion, N (1/m + a²/J - mu a b/J) = m g at the start, from rest of the turn. Forces of the
    first step are those of its middle, dt / 2 of motion on: 1e-4 relative at 0.1 ms."""
    mu = 0.5
    with running(write_document(rod(mu)), dt=1e-4) as engine:
        moving(engine, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        engine.step()
        force = sum(contact.force for contact in engine.contacts())
        wanted = G / (1.0 + AHEAD**2 / MOMENT - mu * AHEAD * BELOW / MOMENT)
        assert force == pytest.approx(wanted, rel=2e-4)
        speed, _ = tip_velocity(engine.snapshot().body_velocities[1])
        assert speed == pytest.approx(1.0 - 1e-4 * force * (mu + (mu * BELOW - AHEAD) * BELOW / MOMENT), abs=1e-7)


# --- Newton's cradle --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 1e-4])
@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.5])
def test_newtons_cradle_passes_the_blow_on(write_document: Write, gap: float, restitution: float) -> None:
    """Five equal balls, also where they touch: the blow goes from pair to pair, each leaves (1 + e) / 2 of its
    velocity to the next, so the last leaves with ((1 + e) / 2)^4. That is what balls a little apart do, and
    cradles; Newton's law for all contacts at once would send three of them off. Round-off; without friction or
    gravity no other velocity arises."""
    balls = "".join(
        model(
            solid("b", ball_shape(0.05), inertia="0.001 0.001 0.001", mu=0.0, restitution=restitution,
                  pose=f"{k * (0.1 + gap) + (0.0303 if k else 0.0)!r} 0 0 0 0 0"),
            name=f"b{k}",
        )
        for k in range(5)
    )  # fmt: skip
    with running(write_document(world(balls, gravity="0 0 0")), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        make_steps(engine, 31)
        snapshot = engine.snapshot()
    velocities = snapshot.body_velocities[1:]
    assert velocities[4, 3] == pytest.approx((0.5 * (1.0 + restitution)) ** 4, abs=1e-12)
    assert velocities[:, 3].sum() == pytest.approx(1.0, abs=1e-12)
    assert np.abs(np.delete(velocities, 3, axis=1)).max() <= 1e-12
    assert snapshot.energy.kinetic <= 0.5 + 1e-12
    if restitution == 1.0:
        assert velocities[:4, 3] == pytest.approx(np.zeros(4), abs=1e-12)


# --- a coin that wobbles ----------------------------------------------------------------------------------------------

COIN_RADIUS, COIN_HALF = 0.05, 0.002
ACROSS, AXIAL = COIN_RADIUS**2 / 4.0 + COIN_HALF**2 / 3.0, COIN_RADIUS**2 / 2.0
DOWN = np.array([0.0, 0.0, -G])


def to_contact(axis: Array) -> Array:
    """From the centre of the coin to the lowest point of its lower rim."""
    up = axis if axis[2] > 0.0 else -axis
    fall = up * up[2] - np.array([0.0, 0.0, 1.0])
    return -COIN_HALF * up + COIN_RADIUS * fall / np.linalg.norm(fall)


def rolling(_: float, state: Array) -> Array:
    """Rates of (axis, angular velocity, centre) of a coin of 1 kg that rolls without slip: the centre moves by r x
    w, so J w' + w x J w = r x m (d(r x w)/dt - g) (Routh, Advanced Rigid Dynamics, 1884, chapter V)."""
    axis, w = state[:3], state[3:6]
    r, turn, h = to_contact(axis), np.cross(w, axis), 1e-6
    r_rate = (to_contact(axis + h * turn) - to_contact(axis - h * turn)) / (2.0 * h)
    inertia = ACROSS * np.eye(3) + (AXIAL - ACROSS) * np.outer(axis, axis)
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    moment = np.cross(r, np.cross(r_rate, w) - DOWN) - np.cross(w, inertia @ w)
    w_rate = np.linalg.solve(inertia - cross @ cross, moment)
    return np.concatenate((turn, w_rate, np.cross(r, w)))


def rolled(state: Array, duration: float) -> Array:
    """After a while, by the method of Dormand and Prince."""
    found: Array = solve_ivp(rolling, (0.0, duration), state, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    return found


def coin_error(write: Write, dt: float, tilt: float, w: Array) -> tuple[float, float]:
    """How far the simulated coin's axis [rad] and centre [m] are from those of the equations above after 0.3 s."""
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    height, v = -float(to_contact(axis)[2]), np.cross(to_contact(axis), w)
    shape = f"<cylinder><radius>{COIN_RADIUS}</radius><length>{2.0 * COIN_HALF}</length></cylinder>"
    inertia = f"{ACROSS!r} {ACROSS!r} {AXIAL!r}"
    coin = solid("b", shape, inertia=inertia, pose=f"0 0 {height!r} 0 {tilt!r} 0", mu=5.0)
    with running(write(world(ground(5.0) + model(coin, name="coin"))), dt=dt) as engine:
        moving(engine, (*w, *v))
        make_steps(engine, round(0.3 / dt))
        x, y, z, qx, qy, qz, qw = engine.snapshot().body_poses[1]
    found = np.array([2.0 * (qx * qz + qw * qy), 2.0 * (qy * qz - qw * qx), 1.0 - 2.0 * (qx * qx + qy * qy)])
    wanted = rolled(np.concatenate((axis, w, (0.0, 0.0, height))), 0.3)
    return float(np.linalg.norm(found - wanted[:3])), float(np.linalg.norm(np.array((x, y, z)) - wanted[6:]))


def spinning(tilt: float) -> Array:
    """Euler's disk: it turns about the radius to where it touches, which goes round with 4 g / (r sin tilt), its square
    (Moffatt, Euler's disk and its finite-time singularity, 2000)."""
    fast = math.sqrt(4.0 * G / (COIN_RADIUS * math.sin(tilt)))
    return fast * math.sin(tilt) * np.array([-math.cos(tilt), 0.0, math.sin(tilt)])


def rolling_along(tilt: float) -> Array:
    """It leans, rolls and nods."""
    return 25.0 * np.array([math.sin(tilt), 0.0, math.cos(tilt)]) + np.array([1.0, 0.0, 2.0])


@pytest.mark.parametrize(("tilt", "motion"), [(35.0, spinning), (60.0, rolling_along)])
def test_a_coin_moves_as_the_equations_of_rolling_say(
    write_document: Write, tilt: float, motion: Callable[[float], Array]
) -> None:
    """On its rim, without slip, 17 to 25 rad/s fast: at 1 ms its axis is right to 3e-4 rad and its place to 1e-5 m
    after 0.3 s, and half the step leaves a quarter of the error, or less: second order."""
    angle = math.radians(tilt)
    coarse = coin_error(write_document, 1e-3, angle, motion(angle))
    fine = coin_error(write_document, 5e-4, angle, motion(angle))
    for one, half, most in zip(coarse, fine, (3e-4, 1e-5), strict=True):
        assert one <= most
        assert one / half >= 3.7


# --- a ball that slips, rolls and stops -------------------------------------------------------------------------------


@pytest.mark.parametrize("spin", [0.0, -30.0, 20.0])
def test_a_ball_slips_until_it_rolls(write_document: Write, spin: float) -> None:
    """Thrown at 2 m/s with a spin: friction mu m g slows it and turns it until v = w r; from then on nothing does
    (Coriolis, Théorie mathématique des effets du jeu de billard, 1835). v = (5 v0 + 2 w0 r) / 7 then, by the moment
    of momentum about the line of contact: as well as a step of order four turns a velocity in the axes of a ball
    that spins with w, (w dt)^5 / 120 of it, a thousand times: 1e-7. Where slip ends within a step, its place is off
    by up to mu g dt² / 8: 4e-7 m."""
    mu, r, v = 0.3, 0.1, 2.0
    moment = f"{0.4 * r * r!r}"
    ball = solid("b", ball_shape(r), inertia=f"{moment} {moment} {moment}", pose=f"0 0 {r} 0 0 0", mu=mu)
    with running(write_document(world(ground(mu) + model(ball, name="ball"))), dt=1e-3) as engine:
        moving(engine, (0.0, spin, 0.0, v, 0.0, 0.0))
        make_steps(engine, 1000)
        snapshot = engine.snapshot()
    slip, end = v - spin * r, (5.0 * v + 2.0 * spin * r) / 7.0
    until = abs(slip) / (3.5 * mu * G)
    place = 0.5 * (v + end) * until + end * (1.0 - until)
    assert snapshot.body_velocities[1] == pytest.approx((0, end / r, 0, end, 0, 0), abs=1e-7)
    assert snapshot.body_poses[1, :3] == pytest.approx((place, 0, r), abs=1e-6)
    assert snapshot.energy.contact == pytest.approx(-slip * slip / 7.0, rel=1e-6)


def test_a_ball_that_turns_back_stops_and_stays(write_document: Write) -> None:
    """With w r = -5 v / 2 nothing of the motion is left when slip ends: it stops, and stays, to the 1e-7 of the
    test above. v²/(2 mu g) far, to 1e-6 m."""
    mu, r, v = 0.3, 0.1, 1.0
    moment = f"{0.4 * r * r!r}"
    ball = solid("b", ball_shape(r), inertia=f"{moment} {moment} {moment}", pose=f"0 0 {r} 0 0 0", mu=mu)
    with running(write_document(world(ground(mu) + model(ball, name="ball"))), dt=1e-3) as engine:
        moving(engine, (0.0, -2.5 * v / r, 0.0, v, 0.0, 0.0))
        make_steps(engine, 1500)
        snapshot = engine.snapshot()
    assert np.abs(snapshot.body_velocities[1]).max() <= 1e-7
    assert snapshot.body_poses[1, 0] == pytest.approx(v * v / (2.0 * mu * G), abs=1e-6)
