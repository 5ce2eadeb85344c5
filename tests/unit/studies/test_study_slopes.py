"""Derivatives of measures: of reductions and formulas against differences, of motions against other variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from simulator.studies.measures import Reduction, formula_over, parse_measure
from simulator.studies.reading import plan_of
from simulator.studies.samples import Laboratory
from simulator.studies.slopes import exact_slopes, formula_slope, slope_of_reduction
from simulator.studies.study import task_of

TIME = np.linspace(0.0, 1.0, 41) ** 1.2
REDUCTIONS = [
    *(Reduction(kind, "c") for kind in ("initial", "final", "min", "max", "mean", "rms", "peak", "peak_to_peak")),
    Reduction("at", "c", 0.37),
    Reduction("crossing", "c", 0.1),
]


def channel(p: np.ndarray) -> np.ndarray:
    return np.asarray(p[0] * np.sin(5.0 * TIME + p[1]) - 0.3 * TIME)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda one: one.kind)
def test_of_reductions(reduction: Reduction) -> None:
    """Against central differences of 1e-6, whose error is 1e-12 by the square and 1e-10 by round-off."""
    p = np.array([0.8, 0.4])
    slopes = np.stack((np.sin(5.0 * TIME + p[1]), p[0] * np.cos(5.0 * TIME + p[1])), axis=1)
    found = slope_of_reduction(reduction, channel(p), TIME, slopes)
    for i in range(2):
        h = 1e-6 * np.eye(2)[i]
        ends = [reduction.of(channel(p + sign * h), TIME) for sign in (-1.0, 1.0)]
        assert found[i] == pytest.approx((ends[1] - ends[0]) / 2e-6, abs=1e-8)


def test_of_a_level_that_is_never_reached() -> None:
    slopes = np.ones((len(TIME), 1))
    assert np.isnan(slope_of_reduction(Reduction("crossing", "c", 9.0), TIME, TIME, slopes)).all()
    assert np.isnan(slope_of_reduction(Reduction("count", "c", 0.5), TIME, TIME, slopes)).all()


@pytest.mark.parametrize(
    "text",
    [
        "-{0} + 2 * {1}", "{0} / {1} - 1", "{0} ** 3", "{0} ** {1}", "sqrt({0})", "abs({0} - {1})", "2 ** {0}",
        "sin({0}) + cos({1}) * tan({0})", "tanh({0}) - exp({1}) * log({0})", "atan2({0}, {1}) + hypot({0}, 3, {1})",
        "max({0}, {1}, 1) * min({0}, {1}) + pi",
    ],
)  # fmt: skip
def test_of_formulas(text: str) -> None:
    values, unit = np.array((1.3, 2.1)), np.eye(2)
    used = formula_over(text.format("a", "b"), ("a", "b"))
    found = formula_slope(used, values, unit, 2)
    for i in range(2):
        ends = [used.of(values + h * unit[i]) for h in (-1e-6, 1e-6)]
        assert found[i] == pytest.approx((ends[1] - ends[0]) / 2e-6, abs=1e-8)


@pytest.mark.parametrize("text", ["sqrt(final(a))", "final(a) > 1"])
def test_of_a_formula_where_it_has_none(text: str) -> None:
    measure = parse_measure("m", text)
    assert np.isnan(formula_slope(measure.formula, [0.0], [np.ones(1)], 1)).all()


def differences(table: dict[str, Any], names: list[str], step: float) -> np.ndarray:
    """Central differences of measures of simulated variants, shape (m, d)."""
    laboratory = Laboratory(task_of(plan_of(table)))
    values = np.array([table["parameters"][name] for name in names])
    columns = []
    for i in range(len(names)):
        h = step * np.eye(len(names))[i] * values
        ends = [laboratory.measured(0, values + sign * h) for sign in (-1.0, 1.0)]
        columns.append((np.array(ends[1]) - np.array(ends[0])) / (2.0 * h[i]))
    return np.stack(columns, axis=1)


def test_of_sweeps_are_those_of_variants() -> None:
    """Against differences of 1e-5 of the value: 1e-10 by the square; loops are closed to 1e-10, which makes 1e-5 of
    1e-5."""
    table: dict[str, Any] = {
        "document": "four_bar",
        "positions": {"moves": {"crank_joint": [0.0, 6.0]}, "points": 61, "velocity": 6.0},
        "parameters": {"rocker.length": 0.3, "coupler.mass": 0.35},
        "measures": {
            "swing": "peak_to_peak(rocker_joint/position)",
            "torque": "rms(crank_joint/effort) / (1 + max(rocker_joint/velocity))",
            "pin": "max(reaction/closing_joint/force_x)",
        },
    }
    names = list(table["parameters"])
    plan = plan_of(table)
    found = exact_slopes(simulator.load("four_bar"), plan, names)
    assert found[:2] == pytest.approx(differences(table, names, 1e-5)[:2], rel=1e-5, abs=1e-8)
    assert np.isnan(found[2]).all()


def test_of_runs_are_those_of_variants() -> None:
    """The motion is free. Variational equations are solved for the motion, and differences are those of its steps of
    1 ms, which agree to 1e-6; splines between 121 points do to 4e-7."""
    table: dict[str, Any] = {
        "document": "four_bar",
        "duration": 0.4,
        "parameters": {"rocker.length": 0.3, "coupler.mass": 0.35},
        "measures": {
            "end": "final(rocker_joint/position)",
            "rate": "peak(crank_joint/velocity)",
            "when": "crossing(crank_joint/position, -1)",
            "mean": "mean(coupler_joint/position)",
        },
    }
    names = list(table["parameters"])
    found = exact_slopes(simulator.load("four_bar"), plan_of(table), names)
    assert found == pytest.approx(differences(table, names, 1e-5), rel=1e-5, abs=1e-6)


def test_where_there_are_none() -> None:
    """A drive that holds a velocity makes a run's derivatives undefined here; friction has none, other parameters of
    the same sweep have."""
    table: dict[str, Any] = {
        "document": "four_bar",
        "duration": 0.1,
        "parameters": {"coupler.mass": 0.35},
        "drives": {"crank_joint": "velocity:1"},
        "measures": {"torque": "final(crank_joint/effort)", "end": "final(crank_joint/position)"},
    }
    task = task_of(plan_of(table))
    variant = Laboratory(task).experiments[0].varied(0, np.array([0.35]))
    assert np.isnan(exact_slopes(variant, task.plan, ["coupler.mass"])).all()
    sweep = {**table, "positions": {"moves": {"crank_joint": [0.0, 1.0]}, "points": 5}}
    del sweep["duration"]
    found = exact_slopes(simulator.load("four_bar"), plan_of(sweep), ["crank_joint.friction", "coupler.mass"])
    assert np.isnan(found).tolist() == [[True, False], [True, False]]
