"""Dry friction that falls with the speed, F + (Fs - F) exp(-(|v| / vs)^n), against integrations and the limit of
stick-slip.

A mass on a spring whose other end is drawn along at the speed V slides evenly where the slope of the friction there,
-dF/dv, is less than the damping d beside it, and else sticks and slips (Armstrong-Hélouvry, Dupont and Canudas de Wit,
1994): with x the lag, m x'' + (d + F'(V)) x' + k x = 0 near it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from simulator.errors import DocumentError, UsageError
from tests.helpers.real_couplings import wheels

INERTIA, FRICTION, STATIC, SPEED = 0.5, 0.5, 1.0, 0.1
INSIDE = f'<simulator:stribeck static="{STATIC}" speed="{SPEED}"/>'


def wheel(inside: str = INSIDE, friction: float = FRICTION, beside: str = "") -> str:
    """A wheel on the hinge j0 with that dry friction."""
    document = wheels((INERTIA,), 1.0, friction=friction, beside=beside)
    return document.replace("<xyz>0 0 1</xyz>", f"<xyz>0 0 1</xyz>{inside}")


def friction_at(v: float, exponent: float = 2.0) -> float:
    return FRICTION + (STATIC - FRICTION) * math.exp(-((abs(v) / SPEED) ** exponent))


def braked(dt: float, exponent: float = 2.0) -> float:
    """Rate after 0.3 s of a wheel that begins at 0.4 rad/s under -0.1 N m: it crosses the fall of the friction."""
    sim = simulator.load(wheel(INSIDE.replace("/>", f' exponent="{exponent}"/>')), dt=dt)
    sim.set(velocity={"j0": 0.4})
    sim.drive("j0", simulator.effort(0.35))
    return float(sim.run(0.6)["j0/velocity"][-1])


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_what_slips_is_braked_by_the_friction_of_its_speed(exponent):
    exact = solve_ivp(
        lambda _t, y: [(0.35 - friction_at(y[0], exponent)) / INERTIA], (0.0, 0.6), [0.4], rtol=1e-12, atol=1e-14
    ).y[0, -1]
    assert exact > 0.05  # it still slips
    errors = [braked(dt, exponent) - exact for dt in (8e-3, 4e-3, 2e-3)]
    assert abs(errors[-1]) < 1e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)  # second order
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.2)


def test_what_stands_holds_static_friction_to_the_last_bit():
    sim = simulator.load(wheel())
    sim.set(j0=0.3)
    for effort, moves in ((0.999 * STATIC, False), (1.001 * STATIC, True)):
        sim.drive("j0", simulator.effort(effort))
        position = sim.run(0.5)["j0/position"]
        assert bool((position != position[0]).any()) is moves
    # Once it has broken away friction falls: 1.001 - F(v).
    exact = solve_ivp(
        lambda _t, y: [(1.001 * STATIC - friction_at(y[0])) / INERTIA], (0.0, 0.5), [0.0], rtol=1e-10, atol=1e-12
    ).y[0, -1]
    assert sim.velocities["j0"] == pytest.approx(exact, rel=1e-3)


def drawn(damping: float, dt: float = 2e-4) -> tuple[simulator.Simulation, float]:
    """A load on j1 that j0 draws along at the returned speed V = vs / √2 by an elastic coupling of 50 N m/rad, a
    hundredth of V slower than that."""
    v = SPEED / math.sqrt(2.0)
    document = wheels((1.0, INERTIA), 1.0, '<simulator:compliance stiffness="50"/>')
    dynamics = f"<dynamics><friction>{FRICTION}</friction><damping>{damping!r}</damping></dynamics>{INSIDE}"
    head, mark, tail = document.rpartition("<xyz>0 0 1</xyz>")
    sim = simulator.load(f"{head}{mark}{dynamics}{tail}", dt=dt)
    lag = (friction_at(v) + damping * v) / 50.0
    sim.set({"j0": 0.0, "j1": -lag}, velocity={"j0": v, "j1": 0.99 * v})
    sim.drive("j0", simulator.velocity(v))
    return sim, v


def test_a_drawn_load_sticks_and_slips():
    """Without damping: it stands still again and again, and its rate is V on average."""
    sim, v = drawn(0.0)
    late = sim.run(20.0)["j1/velocity"][-50000:]
    assert (np.abs(late) < 1e-9).sum() > 5000
    assert late.mean() == pytest.approx(v, rel=0.05)  # of a few periods


@pytest.mark.parametrize("share", [0.95, 1.05])
def test_the_fall_of_the_friction_is_a_negative_damping(share):
    """At V it is F'(V) = -2 (Fs - F) V / vs² exp(-(V / vs)²) = -4.29 N m s/rad: beside a damping of that `share` of it
    swings grow or decay with exp(F' (1 - share) t / (2 J)), to 5 % of the logarithm as long as they are small."""
    slope = 2.0 * (STATIC - FRICTION) / (SPEED * math.sqrt(2.0)) * math.exp(-0.5)
    sim, v = drawn(share * slope)
    swing = np.abs(sim.run(6.0)["j1/velocity"] - v)
    early, late = swing[:5000].max(), swing[-5000:].max()
    assert math.log(late / early) == pytest.approx(slope * (1.0 - share) / (2.0 * INERTIA) * 5.0, rel=0.05)


def test_the_ledger_closes_and_friction_takes_energy():
    sim = simulator.load(wheel())
    sim.drive("j0", simulator.effort(simulator.sine(1.4, 1.0)))
    run = sim.run(3.0)
    assert np.abs(run["energy/error"]).max() < 1e-12 * np.abs(run["energy/work"]).max()
    # In the step in which it comes to rest friction holds back what would turn round within it.
    assert np.diff(run["energy/dissipated"]).min() > -1e-6 * run["energy/dissipated"][-1]
    assert (np.abs(run["j0/velocity"]) < 1e-12).sum() > 50  # it sticks where the effort turns


def test_its_numbers_can_be_varied():
    sim = simulator.load(wheel()).varied({"j0.stribeck.static": 2.0, "j0.stribeck.speed": 0.2})
    sim.drive("j0", simulator.effort(1.9))
    assert abs(sim.run(0.5)["j0/velocity"]).max() < 1e-12
    with pytest.raises(UsageError, match="the friction of the axis"):
        sim.varied({"j0.stribeck.static": 0.4})
    with pytest.raises(UsageError, match="states no force of a <simulator:brake>"):
        sim.varied({"j0.brake.force": 1.0})


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ('<simulator:stribeck static="0.2" speed="0.1"/>', "0.5 or more, the <friction> of the axis"),
        ('<simulator:stribeck static="1"/>', "speed is a finite number, above 0"),
        ('<simulator:stribeck static="1" speed="0"/>', "speed is a finite number, above 0"),
        ('<simulator:stribeck static="1" speed="0.1" exponent="x"/>', "exponent is a finite number"),
    ],
)
def test_friction_that_cannot_be_is_refused_by_name(inside, said):
    with pytest.raises(DocumentError, match=said):
        simulator.load(wheel(inside))
