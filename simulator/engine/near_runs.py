"""Derivatives of the run of an engine by its state and its numbers: runs beside it, on both sides.

Along a direction, everything that enters a run changes by h d; the difference of the runs with h and -h over 2 h is
the derivative of the run along d, with an error of order h². After a block of steps both begin again beside the run,
along the derivative that was found, so that they remain near in unstable motion, too. The discrete step is
differentiated, including its errors.

The mean of both runs differs from the run itself by a term of order h², its curvature; if it is of order
h, something switched between them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import SimulationError
from simulator.physics.build.build import build_buffers, plane_blocks
from simulator.physics.build.rebuild import parts_like
from simulator.physics.layout import buffers as at
from simulator.physics.motion.free import RK4, advance
from simulator.physics.step import block
from simulator.physics.step.blocks import OPEN
from simulator.physics.step.watch import BEYOND
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.engine.blocks import Blocks
    from simulator.engine.engine import Engine
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array, Ints


NEAR = 3e-5
"""By how much states differ [rad, m or, of velocities, of the greatest]: h² against round-off over h."""
NEAR_NUMBER = 5e-5
"""By how much of itself a number differs at most."""
CURVED, KINKED = 2e-4, 0.05
"""What the mean of both runs may differ from the run, as a part of what they differ by: until they have to be nearer to
each other, and until something has switched."""
CLOSER, TRIES = 8.0, 3
SPARSE = 32
"""Steps between rows from which on steps are not watched: reading a row from Python takes as long as watching so many
steps of a rack and pinion."""
STILL = 1e-12
"""Differences [rad, m, per second] that are round-off."""


class Both(NamedTuple):
    """Rows of the runs with h and -h, shape (n_rows, n_columns) each."""

    plus: Array
    minus: Array
    h: float


class Slopes(NamedTuple):
    """How numbers change: `places` in F, the derivatives there (n,), and whether the plane of the motion is left."""

    places: Ints
    values: Array
    leaves_plane: bool


@dataclass(eq=False)
class Direction:
    """A number of the mechanism, about as great as `size`: `slopes` by it; `state` (n_state,), the derivative of
    positions and velocities in F by it, now."""

    slopes: Slopes
    size: float
    state: Array

    @property
    def acts(self) -> bool:
        """Whether the run depends on it: not on the mass of what is fixed."""
        return len(self.slopes.places) > 0 or bool(self.state.any())


class NearRuns:
    """The run of an engine that moves by `orders` only, and runs beside it. `orders`: commands to axes in a span."""

    def __init__(
        self, bounded: BoundedMechanism, blocks: Blocks, orders: Callable[[block.Span], block.Orders], dt: float
    ) -> None:
        self._bounded = bounded
        self._blocks = blocks
        self._orders = orders
        self._dt = dt
        self._model = bounded.model
        every = np.arange(len(self._model.F), dtype=float)
        places = [at.block(every, self._model.N, index) for index in (at.F_Q, at.F_V, at.F_LAXIS_Q)]
        self._state: Ints = np.concatenate(places).astype(np.int64)
        self._start = self._model.F.copy(), self._model.N.copy()
        self._in_space = False
        self._moving: Ints = np.concatenate([np.arange(n, 1 + 3 * blocks.places.axes, 3) for n in (1, 2)])
        """Columns of a row: positions and velocities of axes."""

    def restart(self, *, in_space: bool) -> None:
        """Go back to where the engine was. `in_space`: do without the equations of motions in a plane."""
        self._model.F[:], self._model.N[:] = self._start
        self._in_space = in_space

    def contents(self, states: Sequence[JointState]) -> Array:
        """Positions and velocities in F at states, shape (n_states, n_state)."""
        kept = self._model.F.copy()
        found = []
        for state in states:
            self._model.put(state)
            found.append(self._model.F[self._state].copy())
        self._model.F[:] = kept
        return np.array(found)

    def slopes(self, plus: Mechanism, minus: Mechanism, factor: float, rotors: Array | None) -> Slopes:
        """`factor` times the differences of F of two mechanisms of the same structure."""
        (a, fits), (b, _) = (self._numbers(mechanism, rotors) for mechanism in (plus, minus))
        values = factor * (a - b)
        values[self._state] = 0.0
        places = np.flatnonzero(values)
        return Slopes(places, values[places], self._model.parts.plane.fits and not fits)

    def advance(self, span: block.Span, directions: Sequence[Direction]) -> list[Both]:
        """Make steps of the run, and of those beside it, along its `state`; returns their rows.

        Raises SimulationError where something switches, or a step needs a decision.
        """
        F, N = self._model.F, self._model.N
        before = F.copy(), N.copy()
        rows = self._make(span)
        after = (F.copy(), N.copy())
        found = list[Both]()
        for direction in directions:
            found.append(self._beside(direction, before, span, rows) if direction.acts else Both(rows, rows, 1.0))
        F[:], N[:] = after
        return found

    # -- inside --------------------------------------------------------------------------------------------------------

    def _beside(self, direction: Direction, before: tuple[Array, Ints], span: block.Span, rows: Array) -> Both:
        h = self._near(direction, before[0])
        for _ in range(TRIES):
            both, ends = self._pair(direction, before, span, h)
            curved = self._curvature(rows, both, float(np.abs(2.0 * h * direction.state).max(initial=STILL)))
            if curved < CURVED:
                break
            h /= CLOSER
        if curved > KINKED:
            raise SimulationError(
                "the sensitivities do not exist or are too great: something switches, or the motion is chaotic, "
                f"between {span.first * self._dt:g} and {(span.first + span.steps) * self._dt:g} s"
            )
        direction.state = (ends[0] - ends[1]) / (2.0 * both.h)
        return both

    def _near(self, direction: Direction, F: Array) -> float:
        """h, by what it changes."""
        moved = np.abs(direction.state)
        speeds = len(at.block(F, self._model.N, at.F_V))
        first = len(at.block(F, self._model.N, at.F_Q))
        speed = float(np.abs(F[self._state[first : first + speeds]]).max(initial=1.0))
        moved[first : first + speeds] /= speed
        return float(min(NEAR / max(float(moved.max(initial=0.0)), 1e-300), NEAR_NUMBER * direction.size))

    def _pair(
        self, direction: Direction, before: tuple[Array, Ints], span: block.Span, h: float
    ) -> tuple[Both, list[Array]]:
        F, N = self._model.F, self._model.N
        rows, ends = [], []
        for step in (h, -h):
            F[:], N[:] = before
            F[direction.slopes.places] += step * direction.slopes.values
            F[self._state] += step * direction.state
            rows.append(self._make(span))
            ends.append(F[self._state].copy())
        return Both(rows[0], rows[1], h), ends

    def _make(self, span: block.Span) -> Array:
        """Make the steps of a span from what is in the buffers; rows, shape (n_rows, n_columns)."""
        orders = self._orders(span)
        if len(orders.efforts) == 1 and not len(self._bounded.lines[0]) and span.stride >= SPARSE:
            return self._make_unwatched(span, orders.efforts[0])
        rows = []
        while span.steps > 0:
            if self._in_space:
                self._model.N[at.PLANAR] = 0
            journal = self._blocks.journal(self._orders(span), span.rows)
            self._bounded.advance_block(journal, self._dt, span)
            made, written, _, _, _ = journal.report.tolist()
            if not made:
                raise self._failed(span.first)
            rows.append(journal.rows[:written].copy())
            span = span._replace(first=span.first + made, steps=span.steps - made, phase=span.phase + made)
        return np.concatenate(rows)

    def _make_unwatched(self, span: block.Span, efforts: Array) -> Array:
        """As `_make` with constant `efforts` on axes, shape (n_axes,), for a span that ends with a row: residuals and
        energies, which take as long as the motion of a small mechanism, are computed for rows only."""
        model, blocks = self._model, self._blocks
        model.set_efforts(efforts)
        model.set_time(span.first * self._dt)
        rows = np.zeros((span.rows, blocks.places.width))
        for k, row in enumerate(rows):
            end = span.first + (k + 1) * span.stride
            gap = self._step_on(span.stride)
            blocks.read(time=end * self._dt)
            row[:] = blocks.row
            loops = row[blocks.places.loop : blocks.places.energy]
            is_closed = gap <= OPEN and (not at.leaves_some_out(model.N) or loops.max(initial=0.0) <= model.rows.slack)
            if not (is_closed and np.abs(row[self._moving]).max(initial=0.0) < BEYOND):
                raise self._failed(end)
        return rows

    def _step_on(self, steps: int) -> float:
        """Make steps; returns the largest loop residual that they met, inf where one has to be judged."""
        model, N = self._model, self._model.N
        worst = 0.0
        while steps > 0:
            if self._in_space:
                N[at.PLANAR] = 0
            gap = float(advance(model.F, N, self._dt, steps, RK4))
            steps = 0
            if gap < 0.0:  # rows of loops came to depend on each other
                gap, steps = -1.0 - gap, int(N[at.LEFT])
                model.choose_rows_if_worse()
            worst = math.inf if steps and model.rows.parked else max(worst, gap)
            if not worst <= OPEN:
                break
        return worst

    def _failed(self, step: int) -> SimulationError:
        return SimulationError(f"by {step * self._dt:g} s the motion is singular or grows without bound")

    def _curvature(self, rows: Array, both: Both, begun: float) -> float:
        """See `CURVED`; `begun`: by how much their states differed in the beginning."""
        plus, minus, here = (part[:, self._moving] for part in (both.plus, both.minus, rows))
        bent = np.abs(plus + minus - 2.0 * here).max(axis=0, initial=0.0)
        apart = np.abs(plus - minus).max(axis=0, initial=0.0)
        bent[bent < STILL * (1.0 + np.abs(here).max(axis=0, initial=0.0))] = 0.0
        return float(bent.max(initial=0.0) / max(float(apart.max(initial=0.0)), begun))

    def _numbers(self, mechanism: Mechanism, rotors: Array | None) -> tuple[Array, bool]:
        """F of a mechanism of the same structure, and whether it moves in a plane. Numbers of the plane are those of
        the run where it does not."""
        model = self._model
        parts = parts_like(model.parts, model.mechanism, mechanism, rotors)
        parts = parts or build_buffers(mechanism, rotors, real=True)
        F: Array = parts.F.copy()
        if parts.plane.fits != model.parts.plane.fits:
            for index in plane_blocks(parts.plane):
                at.block(F, model.N, index)[:] = at.block(model.parts.F, model.N, index)
        return F, parts.plane.fits


def near_runs_of(engine: Engine) -> NearRuns | None:
    """What makes the run of an engine, driven by efforts or not at all, and runs beside it; the engine is of no other
    use from then on. None where steps have to be looked at one by one."""
    core = engine.core
    bounded = core.bounded
    if bounded is None or core.blocks is None or not core.can_step_blocks() or bounded.can_touch:
        return None
    return NearRuns(bounded, core.blocks, engine.orders, core.dt)
