"""Losses of couplings in motion without time: what more a drive has to give so that a mechanism moves as it is asked.

With l the rate of a coupling's input and Λ the effort on its follower, a coupling that turns takes R = (1/η_f - 1) |Λ|
+ b_f against l where power passes forwards, Λ l > 0, and (1 - η_b) |Λ| + b_b where it passes back (see
`model.coupling`). Λ depends on all of these losses, linearly at one position: Λ = Λ0 + S r with r = -R sign(l), where S
follows from unit efforts. The directions of the flow of power with which this holds are looked for from those without
losses on. Along a law that is a curve with the slope f' the input is the leader itself, and f' Λ has the place of Λ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import UsageError
from simulator.model.coupling import loss_table

if TYPE_CHECKING:
    from simulator.analysis.coupling_efforts import CouplingEfforts
    from simulator.model.coupling import LossPoint
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array


ROUNDS = 64
"""Directions of power that are tried, at most: each coupling decides once in a chain."""
STILL = 1e-12
"""An input that turns less than this per unit of the moved axis stands: what it may lose is not defined."""


class Lost(NamedTuple):
    """Over n points, of the couplings that lose power, in their order. `rate` (n, k): of the inputs, in units of the
    followers, per rate of the first axis in the sense of the route; `effort` (n, k): Λ, or f' Λ; `loss` (n, k): R, 0 or
    more, at the input in units of the follower, or of the leader of a curve [N m or N]. Power out of the drive's side
    is |Λ| + R or |Λ| times |rate|."""

    rate: Array
    effort: Array
    loss: Array


class MeshLosses:
    """The couplings of one mechanism that lose power. `rows`: which they are among its couplings."""

    def __init__(self, swept: SweptMechanism, couplings: CouplingEfforts) -> None:
        self._swept, self._couplings = swept, couplings
        known = swept.mechanism.couplings
        self.rows = [i for i, one in enumerate(known) if not one.is_rigid_law and one.real.has_losses]
        self.names = tuple(couplings.names[row] for row in self.rows)
        self._tables = [loss_table(known[row].real, known[row].lead) for row in self.rows]
        self._factor = np.array([known[row].input_factor for row in self.rows])
        curves = [(k, known[row].curve) for k, row in enumerate(self.rows)]
        self._curves = [(k, curve) for k, curve in curves if curve is not None]
        self._inputs = np.zeros((len(self.rows), len(swept.mechanism.axes)))
        for inputs, row in zip(self._inputs, self.rows, strict=True):
            for axis, factor in known[row].input_terms:
                inputs[axis] += factor

    def into(self, plan: Sweep, points: Points, sense: float) -> Points:
        """Points of a route that goes in the `sense` of its first axis (1 or -1), without losses, with what they add to
        efforts and reactions.

        Raises UsageError where a coupling locks: it lets itself be driven from one side only.
        """
        if not self.rows:
            return points
        none = np.zeros(self._inputs.shape[1])
        found = [self.at(plan, points, index, sense, none) for index in range(len(points.position))]
        return type(points)(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def of(self, points: Points, efforts: Array, speed: float, sense: float) -> Lost:
        """What was lost at points that `into` gave, with `efforts` (n, n_couplings) of couplings there; `speed` of the
        first axis."""
        rate = sense * points.rate @ self._inputs.T
        carried = efforts[:, self.rows] * self._slopes(points.position)
        lost = np.zeros_like(carried)
        for index in range(len(rate)):
            lost[index] = self._loss(carried[index], rate[index], abs(speed))
        return Lost(rate, carried, lost)

    def _slopes(self, position: Array) -> Array:
        """f' of laws that are curves at n positions of all axes, (n, k); 1 of others."""
        found = np.ones((len(position), len(self.rows)))
        for k, curve in self._curves:
            found[:, k] = -curve.tape.gradient(position[:, list(curve.axes)])[:, 1]
        return found

    def _loss(self, carried: Array, rate: Array, speed: float) -> Array:
        forward, backward = self._numbers(rate, speed)
        share, drag = np.where(carried * rate >= 0.0, forward, backward)
        return np.where(np.abs(rate) > STILL, share * np.abs(carried) + drag, 0.0)

    def _numbers(self, rate: Array, speed: float) -> tuple[Array, Array]:
        """(2, k) each, forward and backward: R per |Λ|, and R without load."""
        both = np.zeros((2, 2, len(rate)))
        for k, table in enumerate(self._tables):
            point = _at_speed(table, speed * abs(rate[k]) / self._factor[k])
            both[:, 0, k] = 1.0 / point[0] - 1.0, 1.0 - point[1]
            both[:, 1, k] = point[2] / self._factor[k], point[3] / self._factor[k]
        return both[0], both[1]

    def at(self, plan: Sweep, points: Points, index: int, sense: float, given: Array) -> Points:
        """The one point with losses, under efforts `given` on all axes besides (n_axes,) [N m or N]."""
        rate = sense * points.rate[index] @ self._inputs.T
        way = np.where(np.abs(rate) > STILL, np.sign(rate), 0.0)
        self._swept.go_back(points, index)
        r = np.zeros(len(self.rows))
        bare, found = self._carried(plan, r, given)
        if self.rows:
            unit = np.eye(len(self.rows))
            slopes = np.array([self._carried(plan, one, given)[0] - bare for one in unit]).T
            r = -way * self._balanced(bare, slopes, way, rate, abs(float(plan.speed[0])))
            _, found = self._carried(plan, r, given)
        self._swept.model.set_efforts(np.zeros(self._inputs.shape[1]))
        return found

    def _carried(self, plan: Sweep, along_inputs: Array, given: Array) -> tuple[Array, Points]:
        """Λ, or f' Λ, under efforts along the inputs, shape (k,), and those that are given, and the point."""
        self._swept.model.set_efforts(given + along_inputs @ self._inputs)
        here = self._swept.here(plan, loads=True)
        bend = plan.speed[0] ** 2 * here.bend + plan.speed[1] * here.rate
        efforts = self._couplings.of(here, plan, self._swept.rotor_efforts(bend))
        return efforts[0, self.rows] * self._slopes(here.position)[0], here

    def _balanced(self, bare: Array, slopes: Array, way: Array, rate: Array, speed: float) -> Array:
        """R (k,) with which Λ = bare - slopes (way R)."""
        forward, backward = self._numbers(rate, speed)
        sign = np.where(bare == 0.0, way, np.sign(bare))
        for _ in range(ROUNDS):
            share, drag = np.where(sign * way >= 0.0, forward, backward)
            # R = share sign Λ + drag, so that (1 + S way share sign) Λ = bare - S way drag.
            system = np.eye(len(bare)) + slopes * (way * share * sign)
            try:
                carried = np.linalg.solve(system, bare - slopes @ (way * drag))
            except np.linalg.LinAlgError:
                break
            now = np.where(carried == 0.0, sign, np.sign(carried))
            if (now == sign)[way != 0.0].all():
                taken: Array = share * np.abs(carried) + drag
                return taken
            sign = np.where(way != 0.0, now, sign)
        idle = self._between(bare, slopes, way, forward, backward)
        if idle is not None:
            return idle
        worst = self.names[int(np.argmin(np.where(way != 0.0, 1.0 - backward[0], np.inf)))]
        raise UsageError(
            f"the coupling of '{worst}' locks: with its losses the moved axes cannot drive the others through it; move "
            "its other side"
        )

    @staticmethod
    def _between(bare: Array, slopes: Array, way: Array, forward: Array, backward: Array) -> Array | None:
        """R of a single coupling that carries nothing, where the drag passes from that forward to that backward."""
        if len(bare) != 1 or slopes[0, 0] * way[0] == 0.0:
            return None
        drag = bare / (slopes[0] * way)
        least, most = sorted((forward[1, 0], backward[1, 0]))
        return drag if least <= drag[0] <= most else None


def _at_speed(table: tuple[LossPoint, ...], speed: float) -> tuple[float, float, float, float]:
    """Efficiencies and drags of a table at a speed of the leader."""
    speeds = [point.speed for point in table]
    columns = [[getattr(p, name) for p in table] for name in ("forward", "backward", "drag_forward", "drag_backward")]
    forward, backward, drag, drag_back = (float(np.interp(speed, speeds, column)) for column in columns)
    return forward, backward, drag, drag_back


def power_summary(
    forward_in: float, forward_out: float, backward_in: float, backward_out: float, seconds: float | None
) -> dict[str, float]:
    """What went through a coupling with losses, by name: energies in and out [J] forwards, from leader to follower, and
    backwards, the efficiency of each that there was, the heat, and its mean over `seconds` [W] where these are
    known."""
    heat = forward_in - forward_out + backward_in - backward_out
    found = {
        "forward_in_J": forward_in,
        "forward_out_J": forward_out,
        "backward_in_J": backward_in,
        "backward_out_J": backward_out,
        "heat_J": heat,
    }
    if seconds is not None:
        found["heat_W"] = heat / seconds if seconds > 0.0 else 0.0
    if forward_in > 0.0:
        found["efficiency_forward"] = forward_out / forward_in
    if backward_in > 0.0:
        found["efficiency_backward"] = backward_out / backward_in
    return found


def lost_energies(lost: Lost, way: Array, names: tuple[str, ...], seconds: float | None) -> dict[str, dict[str, float]]:
    """`power_summary` of every coupling over a route, by trapezoids over the `way` (n,) of its first axis. A thread
    that the leader has to turn back against its load takes energy on both sides, and passes on none."""
    carried, taken = lost.effort * lost.rate, lost.loss * np.abs(lost.rate)
    forward = carried >= 0.0
    given = np.where(forward, carried + taken, np.maximum(-carried, taken))
    columns = (
        np.where(forward, given, 0.0),
        np.where(forward, carried, 0.0),
        np.where(forward, 0.0, given),
        np.where(forward, 0.0, given - taken),
    )
    sums = [integral(column, np.abs(way - way[0])).tolist() for column in columns]
    return {name: power_summary(a, b, c, d, seconds) for name, a, b, c, d in zip(names, *sums, strict=True)}


def integral(values: Array, way: Array) -> Array:
    """Of values (n, k) over `way` (n,), by trapezoids; a value that is nan counts as 0."""
    values = np.nan_to_num(values)
    found: Array = (0.5 * (values[1:] + values[:-1]) * np.diff(way)[:, None]).sum(axis=0)
    return found
