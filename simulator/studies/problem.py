"""An optimisation as a function of samples: bounds of parameters, objective, constraints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.studies.samples import OK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.api.simulation import Simulation
    from simulator.spatial.arrays import Array
    from simulator.studies.evaluations import Evaluations
    from simulator.studies.plan import StudyPlan
    from simulator.studies.samples import SampleRows


STEP = 1e-4
"""Step of central differences, as a part of the span of a parameter: their error grows with its square, that of
round-off with its inverse, and motion is simulated to ten digits."""

BESIDE = 1e-6
"""Distance from its end at which a parameter counts as at a bound, as a part of the span."""


class Space:
    """Parameters between their bounds as numbers from 0 to 1, logarithmic if the plan says so."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self.names = tuple(name for name, _ in plan.spreads)
        self.is_log = np.array([spread.kind == "log" for _, spread in plan.spreads])
        ends = np.array([(spread.a, spread.b) for _, spread in plan.spreads])
        self._low, self._high = np.where(
            self.is_log[:, None], np.log(np.where(self.is_log[:, None], ends, 1.0)), ends
        ).T
        self._fixed = np.array([values[0] for _, values in plan.grids])

    def __len__(self) -> int:
        return len(self.names)

    @property
    def spans(self) -> Array:
        """Values between the bounds, logarithms on logarithmic scales, shape (d,)."""
        return np.asarray(self._high - self._low)

    def points(self, unit: Array) -> Array:
        """Rows of all parameters of the plan, shape (n, p), of numbers from 0 to 1, shape (n, d)."""
        values = self._low + self.spans * np.clip(unit, 0.0, 1.0)
        values[:, self.is_log] = np.exp(values[:, self.is_log])
        return np.concatenate((np.tile(self._fixed, (len(unit), 1)), values), axis=1)

    def unit(self, point: Array) -> Array:
        """Numbers from 0 to 1, shape (d,), of a row of all parameters, shape (p,)."""
        values = point[len(self._fixed) :].copy()
        values[self.is_log] = np.log(values[self.is_log])
        return np.asarray(np.clip((values - self._low) / self.spans, 0.0, 1.0))

    def at_bounds(self, unit: Array) -> tuple[str, ...]:
        """Parameters that are at one of their bounds."""
        return tuple(name for name, value in zip(self.names, unit, strict=True) if min(value, 1.0 - value) < BESIDE)

    def start(self, sim: Simulation) -> Array:
        """The document's own numbers, shape (d,), clipped to the bounds; the middle for parameters without one."""
        known = sim.parameters()
        found = np.full(len(self), 0.5)
        for i, name in enumerate(self.names):
            if name in known and math.isfinite(known[name].value):
                value = known[name].value
                if self.is_log[i]:
                    value = math.log(value) if value > 0.0 else -math.inf
                found[i] = np.clip((value - self._low[i]) / (self._high[i] - self._low[i]), 0.0, 1.0)
        return found


class Problem:
    """Objective, constraints and residuals at numbers from 0 to 1."""

    def __init__(self, evaluations: Evaluations, space: Space) -> None:
        assert space.plan.objective is not None
        self.evaluations = evaluations
        self.space = space
        self.plan = space.plan
        self._objective = space.plan.objective

    @property
    def has_residuals(self) -> bool:
        """Whether a sum of squares is minimised."""
        return self._objective.minimised is None

    def rows(self, unit: Array) -> list[SampleRows]:
        """Samples at rows of numbers from 0 to 1, shape (n, d). Raises ExhaustedError."""
        return self.evaluations.at(self.space.points(unit))

    def cost(self, row: SampleRows) -> float:
        """Value to minimise: infinite if a sample failed or a measure has no value."""
        if row.status[0] != OK:
            return math.inf
        if self.has_residuals:
            found = float(np.sum(self.residuals(row) ** 2))
        else:
            found = self.value(row) * self._objective.sign
        return found if math.isfinite(found) else math.inf

    def value(self, row: SampleRows) -> float:
        """The objective as it was written; for residuals, their root mean square."""
        if self._objective.minimised is not None:
            return self._objective.minimised.of(self._values(row))
        residuals = self.residuals(row)
        return float(np.sqrt(np.mean(residuals**2)))

    def measured(self, row: SampleRows) -> dict[str, float]:
        """Measures by name, without the traces of a recording."""
        names = self.plan.columns[: len(self.plan.measures) + (self.plan.observed is not None)]
        return dict(zip(names, row.measures[0].tolist(), strict=False))

    def _values(self, row: SampleRows) -> list[float]:
        """Arguments of formulas over measures."""
        return [*self.measured(row).values()]

    def residuals(self, row: SampleRows, part: float = 1.0) -> Array:
        """Residuals, shape (n,); nan if a sample failed. `part`: of the first part of a recording only."""
        if self._objective.residuals:
            values = self._values(row)
            return np.array([one.of(values) for one in self._objective.residuals])
        assert self.plan.observed is not None
        found = self.plan.observed.residuals(row.measures[0, len(self.plan.measures) + 1 :])
        return found if part >= 1.0 else np.asarray(found[self.plan.observed.within(part)])

    def excess(self, row: SampleRows) -> Array:
        """Violation of constraints, shape (n,); infinite if a sample failed."""
        if row.status[0] != OK:
            return np.full(len(self.plan.constraints), math.inf)
        values = self._values(row)
        found = np.array([one.excess(values) for one in self.plan.constraints])
        return np.where(np.isnan(found), math.inf, found)

    def jacobian(self, unit: Array, part: float = 1.0) -> Array:
        """Derivatives of the residuals (of a part), shape (n, d), by central differences at `STEP`; by one-sided ones
        at a bound and beside a sample that fails. Raises ExhaustedError."""
        d = len(unit)
        ends = np.clip(unit + np.concatenate((-STEP * np.eye(d), STEP * np.eye(d))), 0.0, 1.0)
        rows = self.rows(np.concatenate((ends, unit[None])))
        values = np.array([self.residuals(row, part) for row in rows])
        columns = []
        for i in range(d):
            sides = [(ends[k, i], values[k]) for k in (i, d + i)]
            sides = [side if np.isfinite(side[1]).all() else (unit[i], values[-1]) for side in sides]
            (a, low), (b, high) = sides
            columns.append((high - low) / (b - a) if b > a else np.zeros_like(low))
        return np.stack(columns, axis=1)

    def best(self, rows: Sequence[SampleRows]) -> int:
        """Index of the best sample: the least cost among those that hold all constraints, else the one with the
        smallest violation."""

        def rank(place: int) -> tuple[float, float]:
            excess = float(np.sum(np.maximum(self.excess(rows[place]), 0.0)))
            is_good = bool(rows[place].feasible[0]) or (excess == 0.0 and rows[place].status[0] == OK)
            return (0.0 if is_good else excess, self.cost(rows[place]))

        return min(range(len(rows)), key=rank)
