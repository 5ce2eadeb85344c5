"""A gear of efficiency 0.5 both ways, between a motor that swings and a load that yields, takes every mode: it is
driven back, stands, drives, stands, and is driven back again.

The inertias, torques and ratio are those of the example LossyGearDemo1 of the Modelica Standard Library
(Modelica.Mechanics.Rotational); the modes and their ends are solved in closed form here. With a the acceleration of the
follower (J2 = 1.5), which turns half as fast as the leader (J1 = 1), τ1 = 10 sin 2πt and τ2 = 2.5 t - 10:

- driven back, (4 J1/2 + η J2/2) a = τ1 + η τ2/2, so that 2.375 a = τ1 + τ2/4;
- driving, (2 J1 + J2/(2 η)) a = τ1 + τ2/(2 η), so that 3.5 a = τ1 + τ2;
- it stands as long as τ1 + τ2 < 0 < τ1 + τ2/4.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import simulator
from tests.helpers.real_couplings import wheels

Array = NDArray[np.float64]
TURN = 2.0 * np.pi
BACK, DRIVING = 0.25, 1.0
"""How much of τ2 counts at the leader."""
INERTIA = {BACK: 2.375, DRIVING: 3.5}
END = 0.5


def net(t: float, share: float) -> float:
    """τ1 + share τ2."""
    return float(10.0 * np.sin(TURN * t) + share * (2.5 * t - 10.0))


def momentum(t: float | Array, share: float) -> float | Array:
    """Its integral over the time."""
    return -10.0 / TURN * np.cos(TURN * t) + share * (1.25 * t * t - 10.0 * t)


def swing(t: float | Array, share: float) -> float | Array:
    """The integral of that."""
    return -10.0 / TURN**2 * np.sin(TURN * t) + share * (1.25 * t**3 / 3.0 - 5.0 * t * t)


def mode_ends() -> tuple[float, float, float, float]:
    """Where it comes to rest, drives, comes to rest, and is driven back."""
    first = brentq(lambda t: momentum(t, BACK) - momentum(0.0, BACK), 0.05, 0.2, xtol=1e-14)
    second = brentq(lambda t: net(t, DRIVING), 0.1, 0.25, xtol=1e-14)
    third = brentq(lambda t: momentum(t, DRIVING) - momentum(second, DRIVING), 0.25, 0.45, xtol=1e-14)
    fourth = brentq(lambda t: net(t, BACK), 0.3, 0.5, xtol=1e-14)
    return float(first), float(second), float(third), float(fourth)


def exact(times: Array) -> tuple[Array, Array]:
    """Angle and velocity of the follower."""
    first, second, third, fourth = mode_ends()
    angle, velocity = np.zeros_like(times), np.zeros_like(times)
    for begin, end, share in ((0.0, first, BACK), (second, third, DRIVING), (fourth, 1.0, BACK)):
        t = np.clip(times, begin, end)
        inertia, since = INERTIA[share], momentum(begin, share)
        moved = (swing(t, share) - swing(begin, share) - since * (t - begin)) / inertia
        angle += np.where(times >= begin, moved, 0.0)
        velocity += np.where((times >= begin) & (times < end), (momentum(t, share) - since) / inertia, 0.0)
    return angle, velocity


def test_its_modes_end_where_modelica_finds_them() -> None:
    """The first and the last, as in the library's reference results of version 4: 0.0804771289 and 0.4645394616 s.
    1e-8 s, and 1e-5 of the greatest angle and velocity: what its integrator leaves."""
    first, _, _, fourth = mode_ends()
    assert first == pytest.approx(0.0804771289, abs=1e-8)
    assert fourth == pytest.approx(0.4645394616, abs=1e-8)
    angle, velocity = exact(np.array([END]))
    assert angle[0] == pytest.approx(1.662168717e-5, abs=1e-5 * 1.117e-3)
    assert velocity[0] == pytest.approx(-0.01626192404, abs=1e-5 * 0.0208)


@pytest.mark.parametrize(("dt", "within"), [(1e-3, 2e-4), (5e-4, 1e-4), (1e-4, 2e-6)])
def test_a_gear_takes_all_its_modes(dt: float, within: float) -> None:
    """Relative to the greatest velocity and angle; modes begin and end within two steps. While friction holds it, its
    velocity is none at each step; within one, a load that changes by r in a second moves it by r/(4 J1 + J2) dt³/12."""
    load = '<simulator:load link="w1" moment="0 0 ramp(-10,-5,2)"/>'
    sim = simulator.load(wheels((1.0, 1.5), 0.5, '<simulator:efficiency forward="0.5"/>', beside=load), dt=dt)
    sim.drive("j0", simulator.effort(simulator.sine(10.0, 1.0)))
    run = sim.run(END, every=dt)
    times = np.asarray(run["time"])
    angle, velocity = exact(times)
    turning = np.diff(np.abs(np.asarray(run["j1/velocity"])) > 1e-12)
    assert times[1:][turning] == pytest.approx([dt, *mode_ends()], abs=2.0 * dt)
    assert np.abs(run["j1/velocity"] - velocity).max() < within * np.abs(velocity).max()
    assert np.abs(run["j1/position"] - angle).max() < within * np.abs(angle).max()
    first, second, third, fourth = mode_ends()
    for begin, end in ((first, second), (third, fourth)):
        rests = (times > begin + dt) & (times < end - dt)
        assert rests.sum() > 0.09 * len(times)
        creep = np.abs(np.diff(run["j1/position"][rests])).max()
        assert creep < 1.01 * 2.5 / (4.0 + 1.5) * dt**3 / 12.0, "efforts are constant over a step, and the load is not"
        assert np.abs(run["j1/velocity"][rests]).max() < 1e-15, "round-off of efforts over inertias"
