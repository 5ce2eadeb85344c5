"""Agents in environments reach what theory says: a wheel under constant torque, a pole that falls, one that is balanced
optimally, a crank whose speed is held."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.signal import cont2discrete

import simulator
from tests.helpers.cart_pole import CART, GRAVITY, HALF, INERTIA, POLE, cart_pole
from tests.helpers.documents import joint, link, model, world

PERIOD = 0.02


def test_a_wheel_under_constant_torque_and_the_reward_of_it() -> None:
    """ω = u t / I with I = 1 kg m²: a step holds an effort, so that velocities are exact but for rounding; the sum of
    rewards −ω² over n periods h is −(u h)² n (n + 1) (2 n + 1) / 6."""
    document = world(model("m", link("wheel"), joint("hub", "revolute", parent="world", child="wheel")))
    env = simulator.gym(
        document, observe=["hub/velocity"], act={"hub": ("effort", -5.0, 5.0)}, reward="-hub/velocity**2",
        control_every=PERIOD, vary={"hub.damping": 0.0},
    )  # fmt: skip
    env.reset()
    found = [env.step([2.0]) for _ in range(100)]
    n, speed = 100, 2.0 * PERIOD
    np.testing.assert_allclose([seen[0] for seen, *_ in found], speed * np.arange(1, n + 1), rtol=1e-12)
    assert sum(reward for _, reward, *_ in found) == pytest.approx(
        -(speed**2) * n * (n + 1) * (2 * n + 1) / 6, rel=1e-12
    )


def linear() -> tuple[np.ndarray, np.ndarray]:
    """The cart-pole near the upright pole, over (x, θ, ẋ, θ̇), by Lagrange's equations with I = INERTIA + m l²:
    (M + m) ẍ + m l θ̈ = u, m l ẍ + I θ̈ = m g l θ."""
    mass = np.array([[CART + POLE, POLE * HALF], [POLE * HALF, INERTIA + POLE * HALF**2]])
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[:2, 2:] = np.eye(2)
    A[2:, 1] = np.linalg.solve(mass, [0.0, POLE * GRAVITY * HALF])
    B[2:, 0] = np.linalg.solve(mass, [1.0, 0.0])
    return A, B


def test_a_pole_that_nobody_balances_falls_when_theory_says() -> None:
    """At rest at θ₀ = 0.01 it follows θ₀ cosh(λ t), with λ from the linear equations, and passes 0.1 at
    acosh(10) / λ: sin θ = θ to 0.2 % there. Seen every control period, a moment of up to 0.02 s is lost."""
    rate = max(np.linalg.eigvals(linear()[0]).real)
    env = simulator.gym(
        cart_pole(), observe=["time"], act=["slide"], reward="1", control_every=PERIOD, start={"hinge": 0.01},
        terminate="abs(hinge/position) > 0.1",
    )  # fmt: skip
    env.reset()
    steps = next(k for k in range(1, 1000) if env.step([0.0])[2])
    expected = math.acosh(10.0) / rate
    assert expected * 0.999 <= steps * PERIOD <= expected * 1.003 + PERIOD


def test_the_return_of_the_optimal_controller_is_that_of_riccatis_equation() -> None:
    """With stage costs xᵀQx + uᵀRu of states and commands every 0.02 s, held in between, the least cost from x₀ is
    x₀ᵀ P x₀. The mechanism is not linear: at 0.02 rad θ³/6 is 7e-5 of θ, and the step of 1 ms is one of a method of
    second order, of which (λ dt)² is 2e-5; so 0.1 % is left for both. A random agent loses the pole within a second."""
    Q, R = np.diag([1.0, 10.0, 0.1, 0.1]), np.array([[0.01]])
    A, B, *_ = cont2discrete((*linear(), np.eye(4), np.zeros((4, 1))), PERIOD)
    P = solve_discrete_are(A, B, Q, R)
    gain = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    env = simulator.gym(
        cart_pole(),
        observe={"x": "slide/position", "angle": "hinge/position", "speed": "slide/velocity", "rate": "hinge/velocity"},
        act=["slide"],
        reward="-(x**2 + 10*angle**2 + 0.1*speed**2 + 0.1*rate**2 + 0.01*slide/action**2)",
        terminate="abs(angle) > 0.2",
        control_every=PERIOD,
        duration=10.0,
        start={"slide": (-0.02, 0.02), "hinge": (-0.02, 0.02)},
    )
    for seed in range(3):
        begin, _ = env.reset(seed=seed)
        seen, cost, over = begin, begin @ Q @ begin, False
        while not over:
            seen, reward, terminated, over, _ = env.step(-gain @ seen)
            assert not terminated
            cost -= reward
        assert cost == pytest.approx(begin @ P @ begin, rel=1e-3)
        np.testing.assert_allclose(seen, 0.0, atol=1e-4)
    env.action_space.seed(0)
    env.reset(seed=0)
    fallen = [env.step(env.action_space.sample())[2] for _ in range(150)]
    assert any(fallen)


def test_a_speed_controller_holds_a_crank_against_gravity() -> None:
    """PI on the velocity of the four-bar's crank, every 2 ms: after the transient the mean speed is the wanted one, for
    an integrator lets no mean error last, and the reward that is left is the ripple's."""
    env = simulator.gym(
        "four_bar",
        observe=["crank_joint/velocity"],
        act={"crank_joint": ("effort", -20.0, 20.0)},
        reward="-(crank_joint/velocity - 3)**2",
        control_every=0.002,
    )
    seen, _ = env.reset()
    total, rows = 0.0, []
    for _ in range(5000):
        error = 3.0 - seen[0]
        total += error * 0.002
        seen, reward, *_ = env.step([0.5 * error + 5.0 * total])
        rows.append((seen[0], reward))
    speed, rewards = np.array(rows[-2094:]).T  # two turns at 3 rad/s
    assert speed.mean() == pytest.approx(3.0, abs=3e-3)
    assert -0.05 < rewards.mean() < 0.0
    assert rewards.mean() == pytest.approx(-np.mean((speed - 3.0) ** 2), rel=1e-12)
