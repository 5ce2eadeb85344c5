"""What a simulation tells of forces and positions: reactions at its state, positions without time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from simulator.analysis.analysis import Analysis
from simulator.analysis.equilibrium import Equilibrium, stable_poses
from simulator.analysis.fixed_joints import FixedJoints
from simulator.analysis.independent import IndependentAxes
from simulator.analysis.linear import LinearModel, linearised
from simulator.analysis.reactions import Balance
from simulator.analysis.sensors import JointSensors
from simulator.analysis.sweeps import Move, Route, Sweeper
from simulator.analysis.table import TracedPoint
from simulator.analysis.wrenches import compliances_of
from simulator.api.array_quantities import ArrayQuantities
from simulator.errors import UsageError
from simulator.session.reactions import reactions_now
from simulator.session.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.analysis.reactions import Reactions
    from simulator.engine.engine import Engine


class Analyses(ArrayQuantities):
    """The part of `Simulation` that analyses."""

    _engine: Engine | None

    @property
    def time(self) -> float:
        """Simulated time since the state was set [s]."""
        return self.moment.steps * self._dt

    def reactions(
        self,
        efforts: Mapping[str, float] | None = None,
        *,
        accelerations: Mapping[str, float] | None = None,
        fixed_joints: bool = False,
    ) -> Reactions:
        """What every joint and coupling carries at the present state: `sim.reactions()["crank_joint"]["force_x"]`.

        Without arguments, in the motion of the simulation: under gravity, loads, springs and dampers and, once it has
        moved, the drives, friction, stops and contacts of the last step. With `efforts` on axes or actuators [N m or
        N], under these instead, without friction, stops and contacts. With `accelerations` of axes [rad/s² or m/s²], 0
        for other independent ones, in that motion; the efforts it takes are then `efforts` of the result.
        `fixed_joints`: rows for these, too, nan where equilibrium leaves them open.

        Raises UnknownNameError for a name that does not exist, UsageError for both arguments at once or accelerations
        that couplings and loops do not allow.
        """
        if efforts is not None and accelerations is not None:
            raise UsageError("reactions are asked for under efforts or for accelerations, not both")
        fixed = self._fixed_joints if fixed_joints else self._no_fixed_joints
        if accelerations is not None:
            wanted = {find_axis(self.mechanism, name): float(value) for name, value in accelerations.items()}
            return self._balance.of_motion(self._state, wanted).with_fixed(fixed)
        if efforts is not None or self._engine is None:
            return self._balance.under(self._state, self._axis_efforts(efforts or {})).with_fixed(fixed)
        return reactions_now(self._balance, self._engine, fixed)

    def analyse(
        self,
        moves: Mapping[str, tuple[float, float]],
        *,
        points: int = 361,
        velocity: float = 0.0,
        acceleration: float = 0.0,
        trace: Sequence[tuple[str, Sequence[float]]] = (),
        loads: bool = True,
    ) -> Analysis:
        """Positions without time: `sim.analyse({"crank_joint": (0.0, 6.2832)}, velocity=6.0)` moves an axis and tells
        motion, efforts and reactions at each of `points` positions, both ends counted, on the branch of the present
        state.

        `velocity` [rad/s or m/s]: the speed of the first axis towards its end, `acceleration` in the same sense; other
        moves keep their proportion, and what no move determines is held where it is. `trace`: points to follow, (link,
        place in its frame). `loads` False: motion only. Springs, dampers and loads act, the latter as they are at the
        simulated time; friction, stops and contacts do not.

        Raises UnknownNameError for names that do not exist, UsageError for moves that cannot be made, AssemblyError
        where the beginning of the moves cannot be reached. Where a dead point is on the way, `dead_point` of the result
        tells it and the arrays end before it. Through `change_points` the motion goes on smoothly; what joints carry is
        nan where it has no limit there.
        """
        ends = tuple(Move(find_axis(self.mechanism, name), float(a), float(b)) for name, (a, b) in moves.items())
        route = Route(ends, points, velocity, acceleration)
        traced = tuple(TracedPoint(link, (float(x), float(y), float(z))) for link, (x, y, z) in trace)
        return Analysis(self._sweeper.along(self._state, route, loads=loads), traced)

    def equilibria(self) -> tuple[Equilibrium, ...]:
        """Stable poses under gravity, springs and loads, that downhill from the present state first; axes that have a
        velocity now spin on with it. `inverse_dynamics()` tells what holds the present pose.

        Raises UsageError for mechanisms whose independent coordinates are not all axes.
        """
        axes = IndependentAxes(self._sweeper.swept, self._state)
        return stable_poses(axes, self._state.velocity[list(axes.axes)])

    def linearise(self, efforts: Mapping[str, float] | None = None) -> LinearModel:
        """Small motion around the present state under efforts on axes or actuators [N m or N]: A, B, C, D with names,
        eigenvalues, modes and frequency response; without friction, stops and contacts. `drift` of the result is zero
        where the state is an equilibrium.

        Raises UnknownNameError for a name that does not exist, UsageError for mechanisms whose independent coordinates
        are not all axes.
        """
        axes = IndependentAxes(self._sweeper.swept, self._state)
        return linearised(axes, self._state.velocity[list(axes.axes)], self._axis_efforts(efforts or {}))

    @property
    def _sweeper(self) -> Sweeper:
        """With loads as they are at the simulated time."""
        found = self._sweeper_made
        found.swept.set_time(self.time)
        return found

    @cached_property
    def _sweeper_made(self) -> Sweeper:
        return Sweeper(self._kinematics, self._rotors, compliances_of(self._opened.world), self._sensors)

    @cached_property
    def _sensors(self) -> JointSensors:
        return JointSensors(self._opened.world, self.mechanism)

    @cached_property
    def _fixed_joints(self) -> FixedJoints:
        return FixedJoints(self._opened.world, self.mechanism)

    @cached_property
    def _no_fixed_joints(self) -> FixedJoints:
        return FixedJoints(self._opened.world, self.mechanism, ())

    @property
    def _balance(self) -> Balance:
        """With loads as they are at the simulated time."""
        found = self._balance_made
        found.swept.set_time(self.time)
        return found

    @cached_property
    def _balance_made(self) -> Balance:
        return Balance(self._kinematics, self._rotors, compliances_of(self._opened.world))
