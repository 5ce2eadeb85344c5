"""Derivatives of measures by parameters: exact ones, if the motion has them.

A measure is a formula over reductions of channels. The derivative of a channel is that of `Simulation.gradients_along`
for a sweep and of `Simulation.sensitivities` for a run; that of a reduction follows from it (of a maximum, it is the
channel's at the place of the maximum), and that of the formula by the chain rule.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError, UnknownNameError
from simulator.studies.formula import CONSTANTS, FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.gradient_table import GradientTable
    from simulator.api.simulation import Simulation
    from simulator.spatial.arrays import Array
    from simulator.studies.formula import Formula
    from simulator.studies.measures import Measure, Reduction
    from simulator.studies.plan import StudyPlan


POINTS, DEGREE = 121, 7
"""Times at which a run is differentiated, and the degree of the splines between them: derivatives are as smooth as the
motion; for a four-bar that falls for 0.4 s, these splines err by 4e-7 of the greatest, cubic ones by 1e-4."""
Channel = tuple["Array", "Array"]
"""Values (n,) and their derivatives (n, d)."""


def exact_slopes(sim: Simulation, plan: StudyPlan, names: Sequence[str]) -> Array:
    """Derivatives of the measures of a variant by parameters `names`, shape (m, d); nan if there is no exact one: for
    parameters that do not enter the equations of motion smoothly, under friction, stops, contacts or drives that hold
    a velocity, and for channels other than positions, velocities, accelerations and efforts."""
    found = np.full((len(plan.measures), len(names)), np.nan)
    known = sim.parameters()
    places = [i for i, name in enumerate(names) if name in known]
    for group in (places, *([place] for place in places)):
        if not group or (len(group) == len(places) and not np.isnan(found[:, places]).all()):
            continue
        try:
            channel, time = _channels(sim, plan, [names[place] for place in group])
        except SimulatorError:
            continue
        for row, measure in enumerate(plan.measures):
            found[row, group] = _slope_of_measure(measure, channel, time, len(group))
        if group is places:
            break
    return found


def _channels(sim: Simulation, plan: StudyPlan, names: list[str]) -> tuple[Callable[[str], Channel], Array]:
    """Channels with derivatives by name, and their times [s] or positions along a sweep (0 to 1). Raises the errors of
    the derivatives."""
    if plan.positions is None:
        from scipy.interpolate import make_interp_spline

        table = sim.sensitivities(plan.duration, names, points=POINTS)
        run = sim.copy().run(plan.duration, every=plan.every)

        def of_run(name: str) -> Channel:
            rows = _rows(table, name)
            return run[name], make_interp_spline(table.at, rows, DEGREE)(np.clip(run.time, table.at[0], table.at[-1]))

        return of_run, run.time
    route = plan.positions
    moves = {axis: (begin, end) for axis, begin, end in route.moves}
    sweep = sim.analyse(moves, points=route.points, velocity=route.velocity, acceleration=route.acceleration)
    along = sim.gradients_along(sweep, names)
    return lambda name: (sweep[name], _rows(along, name)), np.linspace(0.0, 1.0, len(sweep))


def _rows(table: GradientTable, name: str) -> Array:
    """Derivatives of a channel by all parameters, shape (n, d). Raises UnknownNameError if it has none."""
    return np.stack([table[name, parameter] for parameter in table.parameters], axis=1)


def _slope_of_measure(measure: Measure, channel: Callable[[str], Channel], time: Array, d: int) -> Array:
    numbers, slopes = [], []
    try:
        for reduction in measure.reductions:
            values, derived = channel(reduction.channel)
            numbers.append(reduction.of(values, time))
            slopes.append(slope_of_reduction(reduction, values, time, derived))
    except UnknownNameError:
        return np.full(d, np.nan)
    return formula_slope(measure.formula, numbers, slopes, d)


def slope_of_reduction(reduction: Reduction, values: Array, time: Array, slopes: Array) -> Array:
    """Derivative of a reduction of a channel, shape (d,), whose own derivatives are `slopes` (n, d)."""
    if reduction.kind in _AT_A_PLACE:
        return np.asarray(_AT_A_PLACE[reduction.kind](values, slopes))
    if reduction.kind == "mean":
        return _mean(slopes, time)
    if reduction.kind == "rms":
        root = reduction.of(values, time)
        return _mean(values[:, None] * slopes, time) / root if root > 0.0 else np.full(slopes.shape[1], np.nan)
    if reduction.kind == "at":
        return np.array([np.interp(reduction.number, time, column) for column in slopes.T])
    if reduction.kind == "count":  # it jumps
        return np.full(slopes.shape[1], np.nan)
    return _of_crossing(reduction, values, time, slopes)


_AT_A_PLACE: dict[str, Callable[[Array, Array], Array]] = {
    "initial": lambda _, slopes: slopes[0],
    "final": lambda _, slopes: slopes[-1],
    "min": lambda values, slopes: slopes[np.argmin(values)],
    "max": lambda values, slopes: slopes[np.argmax(values)],
    "peak": lambda values, slopes: np.sign(values[k := np.argmax(np.abs(values))]) * slopes[k],
    "peak_to_peak": lambda values, slopes: slopes[np.argmax(values)] - slopes[np.argmin(values)],
}
"""At an extreme, moving along the channel changes nothing: the derivative of the channel there remains."""


def _of_crossing(reduction: Reduction, values: Array, time: Array, slopes: Array) -> Array:
    """Change of the time at which a level is reached: the channel's derivative over its rate."""
    moment = reduction.of(values, time)
    if not math.isfinite(moment):
        return np.full(slopes.shape[1], np.nan)
    i = min(max(int(np.searchsorted(time, moment)) - 1, 0), len(time) - 2)
    rate = (values[i + 1] - values[i]) / (time[i + 1] - time[i])
    return np.array([-np.interp(moment, time, column) / rate for column in slopes.T])


def _mean(slopes: Array, time: Array) -> Array:
    span = float(time[-1] - time[0])
    return np.asarray(np.diff(time) @ (0.5 * (slopes[1:] + slopes[:-1])) / span) if span > 0.0 else slopes[0]


def formula_slope(formula: Formula, values: Sequence[float], slopes: Sequence[Array], d: int) -> Array:
    """Derivative of a formula over values that have derivatives, shape (d,); nan if it has none."""
    try:
        return _derived(ast.parse(formula.code, mode="eval").body, values, slopes, d)[1]
    except (ZeroDivisionError, OverflowError, ValueError):
        return np.full(d, np.nan)


def _derived(node: ast.expr, values: Sequence[float], slopes: Sequence[Array], d: int) -> tuple[float, Array]:
    """Value and derivative of a parsed formula. Raises ValueError for conditions, which have none."""
    if isinstance(node, ast.Constant):
        return float(node.value), np.zeros(d)  # type: ignore[arg-type]  # numbers only were let through
    if isinstance(node, ast.Name):
        return CONSTANTS[node.id], np.zeros(d)
    if isinstance(node, ast.Subscript):
        place = ast.literal_eval(node.slice)
        return values[place], slopes[place]
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        value, slope = _derived(node.operand, values, slopes, d)
        return (-value, -slope) if isinstance(node.op, ast.USub) else (value, slope)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        given = [_derived(one, values, slopes, d) for one in node.args]
        numbers = [value for value, _ in given]
        parts = _PARTIAL[node.func.id](*numbers)
        slope = np.sum([part * one for part, (_, one) in zip(parts, given, strict=True)], axis=0)
        return float(FUNCTIONS[node.func.id](*numbers)), slope
    if isinstance(node, ast.BinOp):
        return _combined(node.op, *_derived(node.left, values, slopes, d), *_derived(node.right, values, slopes, d))
    raise ValueError("a condition")


def _at_extreme(*values: float, extreme: Callable[[Sequence[float]], float]) -> list[float]:
    """An extreme of several values equals one of them."""
    place = values.index(extreme(values))
    return [float(i == place) for i in range(len(values))]


_PARTIAL: dict[str, Callable[..., Sequence[float]]] = {
    "abs": lambda x: (math.copysign(1.0, x),),
    "sqrt": lambda x: (0.5 / math.sqrt(x),),
    "exp": lambda x: (math.exp(x),),
    "log": lambda x: (1.0 / x,),
    "sin": lambda x: (math.cos(x),),
    "cos": lambda x: (-math.sin(x),),
    "tan": lambda x: (1.0 / math.cos(x) ** 2,),
    "tanh": lambda x: (1.0 - math.tanh(x) ** 2,),
    "atan2": lambda y, x: (x / (x * x + y * y), -y / (x * x + y * y)),
    "hypot": lambda *xs: [x / math.hypot(*xs) for x in xs],
    "min": partial(_at_extreme, extreme=min),
    "max": partial(_at_extreme, extreme=max),
}
"""Derivatives of functions by each of their arguments."""


def _combined(op: ast.operator, a: float, slope_a: Array, b: float, slope_b: Array) -> tuple[float, Array]:
    if isinstance(op, ast.Add):
        return a + b, slope_a + slope_b
    if isinstance(op, ast.Sub):
        return a - b, slope_a - slope_b
    if isinstance(op, ast.Mult):
        return a * b, slope_a * b + a * slope_b
    if isinstance(op, ast.Div):
        return a / b, (slope_a - a / b * slope_b) / b
    power = a**b
    by_exponent = power * math.log(a) * slope_b if slope_b.any() else np.zeros(len(slope_b))
    return power, (b * a ** (b - 1.0) * slope_a if b != 0.0 else 0.0) + by_exponent
