"""Sensitivities of functions whose indices are known."""

from __future__ import annotations

import math

import numpy as np

import simulator
from simulator.studies.design import Design
from simulator.studies.reading import plan_of
from simulator.studies.sensitivity import regression, sobol_indices, yield_interval


def test_the_indices_of_ishigami_and_homma() -> None:
    """f = sin x1 + a sin² x2 + b x3⁴ sin x1 on (-π, π)³ (Ishigami and Homma 1990): V1 = (1 + b π⁴ / 5)² / 2,
    V2 = a² / 8, V13 = b² π⁸ (1/18 - 1/50), and nothing else."""
    a, b, pi = 7.0, 0.1, math.pi
    spread = {name: {"uniform": [-pi, pi]} for name in ("x1", "x2", "x3")}
    table = {"document": "x", "duration": 1.0, "measures": {"m": "final(j/position)"}, "parameters": spread}
    design = Design(plan_of({**table, "samples": 4096, "sampling": "saltelli", "seed": 1}))
    x1, x2, x3 = design.rows(0, len(design))[1].T
    found = sobol_indices(np.sin(x1) + a * np.sin(x2) ** 2 + b * x3**4 * np.sin(x1), 3)
    v1, v2, v13 = 0.5 * (1.0 + b * pi**4 / 5.0) ** 2, a * a / 8.0, b * b * pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    first, total = np.array([v1, v2, 0.0]) / (v1 + v2 + v13), np.array([v1 + v13, v2, v13]) / (v1 + v2 + v13)
    np.testing.assert_allclose(found.first, first, atol=0.02)
    np.testing.assert_allclose(found.total, total, atol=0.02)
    assert (found.first_error < 0.06).all()
    assert found.count == 4096


def test_failed_samples_are_left_out_of_indices() -> None:
    """Of f = x1 + 2 x2 the shares are 1/5 and 4/5."""
    spread = {name: {"uniform": [0.0, 1.0]} for name in ("x1", "x2")}
    table = {"document": "x", "duration": 1.0, "measures": {"m": "final(j/position)"}, "parameters": spread}
    design = Design(plan_of({**table, "samples": 1024, "sampling": "saltelli"}))
    x1, x2 = design.rows(0, len(design))[1].T
    values = x1 + 2.0 * x2
    values[::97] = math.nan
    found = sobol_indices(values, 2)
    assert found.count < 1024
    np.testing.assert_allclose(found.total, (0.2, 0.8), atol=0.03)


def test_regression_of_a_linear_function() -> None:
    """y = 3 x1 - x2: coefficients are 3 and -1 times the deviations over that of y, and all is explained."""
    x = np.random.default_rng(0).normal(size=(200, 3)) * (1.0, 2.0, 1.0)
    x[:, 2] = 5.0
    y = 3.0 * x[:, 0] - x[:, 1]
    found = regression(x, y)
    np.testing.assert_allclose(found.coefficients, np.array((3.0, -1.0, 0.0)) * x.std(axis=0) / y.std(), atol=1e-12)
    assert found.explained == 1.0 or abs(found.explained - 1.0) < 1e-12


def test_the_interval_of_a_yield() -> None:
    """Wilson's interval of 7 in 10 is 0.3968 to 0.8922."""
    np.testing.assert_allclose(yield_interval(7, 10), (0.3968, 0.8922), atol=1e-4)
    assert yield_interval(0, 10)[0] < 1e-12


def test_indices_of_a_study() -> None:
    """A crank turns by its drive, whatever the coupler weighs: the mass explains nothing of the angle."""
    found = simulator.study(
        {
            "document": "four_bar",
            "duration": 0.05,
            "samples": 32,
            "sampling": "saltelli",
            "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}, "speed": {"uniform": [1.0, 2.0]}},
            "drives": {"crank_joint": "velocity:{speed}"},
            "measures": {"angle": "final(crank_joint/position)"},
        }
    )
    np.testing.assert_allclose(found.sobol_indices("angle").total, (0.0, 1.0), atol=0.05)
    np.testing.assert_allclose(found.regression("angle").coefficients, (0.0, 1.0), atol=1e-6)
