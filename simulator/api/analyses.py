"""Forces and positions of a simulation: reactions at its state, positions without time."""

from __future__ import annotations

from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, cast, overload

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
from simulator.api.recorded_efforts import recorded_efforts
from simulator.api.run import Run
from simulator.api.sensitivities import Sensitivities
from simulator.engine.shots import shots_of
from simulator.errors import UsageError
from simulator.session.forces.reactions import reactions_now
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from simulator.analysis.reactions import Reactions
    from simulator.api.array_quantities import Array, Given, Placed
    from simulator.engine.engine import Engine
    from simulator.kinematics.named import NamedMatrix, NamedVector


class Analyses(Sensitivities, ArrayQuantities):
    """Analyses of a `Simulation`."""

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
        for unnamed independent ones, in that motion; the result's `efforts` are the efforts that it requires.
        `fixed_joints`: rows for fixed joints too; nan if equilibrium does not determine them.

        Raises UnknownNameError for a name that does not exist, UsageError for both arguments at once or accelerations
        that couplings and loops do not allow, and without arguments for mechanisms with couplings that lose power, have
        play or are elastic: the balance takes their ideal law, the columns `reaction/…` of a run do not.
        """
        if efforts is not None and accelerations is not None:
            raise UsageError("give efforts or accelerations, not both")
        fixed = self._fixed_joints if fixed_joints else self._no_fixed_joints
        if accelerations is not None:
            wanted = {find_axis(self.mechanism, name): float(value) for name, value in accelerations.items()}
            return self._balance.of_motion(self._state, wanted).with_fixed(fixed)
        if efforts is not None or self._engine is None:
            return self._balance.under(self._state, self._axis_efforts(efforts or {})).with_fixed(fixed)
        real = next((one for one in self.mechanism.couplings if not one.real.is_ideal), None)
        if real is not None:
            name = self.mechanism.axes[real.follower].name
            raise UsageError(f"the coupling of '{name}' is not ideal: read the columns reaction/… of a run instead")
        return reactions_now(self._balance, self._engine, fixed)

    @overload
    def inverse_dynamics(self, accelerations: Mapping[str, float] | None = None, /) -> NamedVector: ...
    @overload
    def inverse_dynamics(self, run: Run, /, *, axes: Sequence[str] | None = None) -> NamedMatrix: ...
    @overload
    def inverse_dynamics(self, q: ArrayLike, v: Given = None, a: Given = None, /, *, pose: Placed = None) -> Array: ...
    def inverse_dynamics(
        self,
        q: Given | Run = None,
        v: Given = None,
        a: Given = None,
        /,
        *,
        axes: Sequence[str] | None = None,
        pose: Placed = None,
    ) -> NamedVector | NamedMatrix | Array:
        """Efforts that a motion requires [N m or N]: with gravity, springs, dampers and loads; without friction, stops
        and contacts.

        With accelerations of independent coordinates [rad/s² or m/s²], 0 for unnamed ones: the efforts on these at
        the present state, by name. With arrays of states, `inverse_dynamics(Q, V, A)` of shape (n, n_axes) each, or
        (n_axes,), over all axes in the order of `q`: efforts of that shape, 0 on axes that are not `independent` at the
        present state. `Q` must close couplings and loops, as `assemble` returns it; nan in `V` and `A` follows from the
        independent axes, and mappings give columns of these by name. Floating bodies and balls have columns behind the
        axes, and `pose` places floating bodies: see `ArrayQuantities`.

        With a `Run`: those behind a recording, `sim.inverse_dynamics(run)[:, "crank_joint"]`, one row for each sample.
        The efforts are on `axes`, one for each degree of freedom; on the independent axes by default. They are linear
        between samples, such that the equations of motion lead from the positions and velocities of one sample to
        those of the next; the error is of second order in the time h between samples, h²/12 times the second derivative
        of the effort. The fit is exact: an error ε of positions or velocities changes accelerations by about
        6 ε/h² or 2 ε/h, so smooth measured motions first.

        Raises UnknownNameError for names that do not exist, UsageError for axes that do not determine the motion, for
        rows that couplings and loops do not allow, and if the recording lacks positions or velocities.
        """
        if not isinstance(q, Run):
            return super().inverse_dynamics(cast("ArrayLike", q), v, a, pose=pose)
        chosen = self._independent_axes() if axes is None else [find_axis(self.mechanism, name) for name in axes]
        with closing(self._unbounded()) as free:
            free._drives.clear()
            return recorded_efforts(self._balance_made, q, chosen, shots_of(free._ready()))

    def _independent_axes(self) -> tuple[int, ...]:
        """Axes among the independent coordinates."""
        places = set(self._reduction.places)
        return tuple(axis for axis, place in enumerate(self._kinematics.layout.of_axis) if place in places)

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
        """Kinematics without time: `sim.analyse({"crank_joint": (0.0, 6.2832)}, velocity=6.0)` moves an axis and
        returns motion, efforts and reactions at each of `points` positions, including both ends, on the branch of the
        present state.

        `velocity` [rad/s or m/s]: the speed of the first axis towards its end, `acceleration` likewise; other
        moves are proportional to it, and freedoms that no move determines do not move. `trace`: points to follow,
        (link, place in its frame). `loads` False: motion only. Springs, dampers and loads act, loads as they are at the
        simulated time; friction, stops and contacts do not.

        Raises UnknownNameError for names that do not exist, UsageError for impossible moves, AssemblyError
        if the start of the moves cannot be reached. A dead point on the way is `dead_point` of the
        result, and the arrays end before it. Through `change_points` the motion continues smoothly; reactions are nan
        if they have no limit there.
        """
        ends = tuple(Move(find_axis(self.mechanism, name), float(a), float(b)) for name, (a, b) in moves.items())
        route = Route(ends, points, velocity, acceleration)
        traced = tuple(TracedPoint(link, (float(x), float(y), float(z))) for link, (x, y, z) in trace)
        return Analysis(self._sweeper.along(self._state, route, loads=loads), traced)

    def equilibria(self) -> tuple[Equilibrium, ...]:
        """Stable poses under gravity, springs and loads, first the one downhill from the present state; axes that
        move now retain their velocity. `inverse_dynamics()` gives the efforts that hold the present pose.

        Raises UsageError for mechanisms whose independent coordinates are not all axes.
        """
        axes = IndependentAxes(self._sweeper.swept, self._state)
        return stable_poses(axes, self._state.velocity[list(axes.axes)])

    def linearise(self, efforts: Mapping[str, float] | None = None) -> LinearModel:
        """Small motion around the present state under efforts on axes or actuators [N m or N]: A, B, C, D with names,
        eigenvalues, modes and frequency response; without friction, stops and contacts. The result's `drift` is zero
        if the state is an equilibrium.

        Raises UnknownNameError for a name that does not exist, UsageError for mechanisms whose independent coordinates
        are not all axes.
        """
        axes = IndependentAxes(self._sweeper.swept, self._state)
        return linearised(axes, self._state.velocity[list(axes.axes)], self._axis_efforts(efforts or {}))

    @property
    def _sweeper(self) -> Sweeper:
        """The analysis with loads as they are at the simulated time."""
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
        """The analysis with loads as they are at the simulated time."""
        found = self._balance_made
        found.swept.set_time(self.time)
        return found

    @cached_property
    def _balance_made(self) -> Balance:
        return Balance(self._kinematics, self._rotors, compliances_of(self._opened.world))
