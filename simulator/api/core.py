"""What a `Simulation` is made of: its document, its present moment, the engine, and what is made of them on demand."""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.arguments import POSITION, as_numbers, give, require_name
from simulator.api.controls import Controls
from simulator.api.moment import Moment, moment_at_start, moment_carried, moment_of
from simulator.api.pattern import Pattern
from simulator.engine.rotors import rotor_inertia
from simulator.errors import AssemblyError, SimulationError, UsageError
from simulator.kinematics.closure import mobility_along
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.varied import Renumbering, moves_positions
from simulator.physics.queries.equations import Equations
from simulator.physics.queries.posed import Posed
from simulator.physics.queries.requests import Requests
from simulator.recording.channels import channels_of
from simulator.session.batch.batch import BlockSize
from simulator.session.commands.driving import find_target
from simulator.session.commands.factory import dynamics_like, engine_of, make_engine
from simulator.session.forces.reactions import balance_of
from simulator.session.text.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from simulator.analysis.fixed_joints import FixedJoints
    from simulator.analysis.jets import Jets
    from simulator.analysis.reactions import Balance
    from simulator.analysis.sensors import JointSensors
    from simulator.analysis.sweeps import Sweeper
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.strategies.reduced import ReducedDynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.queries.equations import Reduction
    from simulator.recording.channels import Channel
    from simulator.rendering.scene import Scene
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


class Core:
    """The document of a simulation, its state and its engine, which the parts of `Simulation` share.

    `known_moment` is the present moment, None after steps of the `engine`, which is then ahead of it; `is_placed`:
    whether the engine is at the present moment. `origin`: the moment and the independent axes of the simulation whose
    numbers were varied. `pattern`: prototypes that variants share, `made`: dynamics for the next engine.
    """

    def __init__(self, opened: Opened, solver: str, dt: float, text: str | None) -> None:
        self.opened = opened
        self.solver = solver
        self.text = text
        self.dt = dt
        self.drives: dict[str, Drive] = {}
        self.known_moment: Moment | None = None
        self.engine: Engine | None = None
        self.is_placed = False
        self.pattern: Pattern | None = None
        self.origin: tuple[Moment, tuple[int, ...]] | None = None
        self.made: ReducedDynamics | None = None
        self.pace = BlockSize()
        self.control: Controls | None = None
        self._reduced: tuple[Moment, Reduction] | None = None
        self._mobility: tuple[Moment, int] | None = None

    @property
    def mechanism(self) -> Mechanism:
        """Bodies, joints, loops and couplings of the document."""
        return self.opened.mechanism

    @property
    def moment(self) -> Moment:
        """The present moment. Raises AssemblyError if the start cannot be assembled."""
        if self.known_moment is None:
            self.known_moment = self.found_moment()
        return self.known_moment

    @property
    def time(self) -> float:
        """Simulated time since the state was set [s]."""
        return self.moment.steps * self.dt

    # -- the moment and the engine -------------------------------------------------------------------------------------

    @property
    def state(self) -> JointState:
        """The present state."""
        return self.moment.state

    def ready(self) -> Engine:
        """The engine, at the present moment, with the drives that stay."""
        if self.engine is not None and self.is_placed:
            return self.engine
        moment = self.moment
        if self.engine is None:
            self.engine = self._new_engine(moment)
            self.is_placed = moment.is_fresh
            for name, drive in self.drives.items():
                give(self.engine, name, drive)
        if not self.is_placed:
            moment.into(self.engine)
            self.is_placed = True
        return self.engine

    def _new_engine(self, moment: Moment) -> Engine:
        pattern, made = self.pattern, self.made
        self.made = None
        if made is None and pattern is not None and pattern.engine is not None:
            made = dynamics_like(pattern.engine, self.opened)
        if made is not None:
            return engine_of(made, self.opened, moment.state)
        settings = SessionSettings(solver=self.solver, dt=self.dt)
        return make_engine(self.opened, settings, start=moment.state)

    def found_moment(self) -> Moment:
        """The moment of the engine; without one, of the document's start, or of the simulation before its numbers
        were varied."""
        engine = self.engine
        if engine is not None:
            return moment_of(engine, engine.snapshot())
        if self.origin is None:
            return self.start
        return self._carried(*self.origin)

    def _carried(self, before: Moment, independent: tuple[int, ...]) -> Moment:
        """`before`, of a simulation with other numbers, restricted to its independent axes."""
        pattern = self.pattern
        if pattern is not None and pattern.engine is not None and pattern.independent == independent:
            dynamics = dynamics_like(pattern.engine, self.opened)
            state = None if dynamics is None else pattern.transfer.of(dynamics.bounded.model, before.state)
            if state is not None:
                self.made = dynamics
                return Moment(state)
        return moment_carried(self.kinematics, before, independent, self.rotors)

    def assembled(self) -> Moment | None:
        """The present moment, None if none closes couplings and loops."""
        try:
            return self.moment
        except AssemblyError:
            return None

    def continue_from(self, moment: Moment) -> None:
        """Go to a moment."""
        self.known_moment = moment
        self.is_placed = False
        self.origin = None

    def step_back(self) -> None:
        """Return to the state before the failed step; the engine is moved there before its next step."""
        self.known_moment = self.found_moment()
        self.is_placed = False

    def step(self, n: int) -> None:
        """See `Simulation.step`."""
        engine = self.ready()
        if self.control is not None:
            self.control.send(engine)
        self.known_moment = None
        try:
            engine.make_steps(n)
        except SimulationError:
            self.step_back()
            raise

    def use_opened(self, opened: Opened) -> None:
        """Continue with another document of the same kinematics, which the engine knows already."""
        self.opened = opened
        self.pattern = None
        self.__dict__.pop("renumbered", None)

    def controls(self) -> Controls:
        """Commands of drives as an array."""
        engine = self.ready()
        if self.control is None:
            self.control = Controls(engine, self.drives)
        return self.control

    def send(self) -> None:
        """Pass the values written to `control` to the engine."""
        if self.control is not None:
            self.control.send(self.ready())

    def close(self) -> None:
        """See `Simulation.close`."""
        if self.engine is not None:
            self.known_moment = self.moment
            engine = self.engine
            self.engine = None
            self.is_placed = False
            engine.close()

    def __del__(self) -> None:
        engine = self.__dict__.get("engine")
        if engine is not None:
            with contextlib.suppress(Exception):
                engine.close()

    # -- others like it ------------------------------------------------------------------------------------------------

    def like(self, opened: Opened, moment: Moment | None, solver: str = "", dt: float | None = None) -> Core:
        """Another one with the same drives, whose document and moment may be others."""
        self.send()
        other = Core(opened, solver or self.solver, dt or self.dt, self.text)
        other.drives = dict(self.drives)
        other.known_moment = moment
        other.origin, other.pace = self.origin, self.pace
        other.pattern = None if solver or dt else self.pattern
        if "columns" in self.__dict__:
            other.__dict__["columns"] = self.columns
        return other

    def varied_at(self, values: Mapping[str, float], before: Moment | None) -> Core:
        """See `Simulation.varied`; `before` holds the positions and velocities of the independent axes."""
        varied = self.opened.with_mechanism(self.renumbered(values))
        return self.exchanged(varied, before, moves=moves_positions(values))

    def exchanged(self, opened: Opened, before: Moment | None, *, moves: bool) -> Core:
        """Another one with another document of the same structure, at the positions and velocities that the independent
        axes have `before`; `moves`: whether others follow them differently."""
        if before is not None:
            self.as_pattern()
        other = self.like(opened, None)
        if before is not None:
            other.origin = (before, self.independent_axes()) if moves else other.origin
            other.known_moment = None if moves else Moment(before.state)
        return other

    @cached_property
    def renumbered(self) -> Renumbering:
        """Mechanisms with other numbers."""
        return Renumbering(self.mechanism, self.opened.world)

    def as_pattern(self) -> Pattern:
        """Prototypes for simulations of the same structure."""
        if self.pattern is None:
            state = self.moment.state
            equations = Equations(self.kinematics, self.rotors)
            dynamics = dynamics_like(self.ready(), self.opened)
            engine = None if dynamics is None else engine_of(dynamics, self.opened, state)
            independent = self.independent_axes()
            self.pattern = Pattern(self.kinematics, equations, engine, state, independent, self.rotors)
        return self.pattern

    def independent_axes(self) -> tuple[int, ...]:
        """Axes among the independent coordinates."""
        places = set(self.reduction.places)
        return tuple(axis for axis, place in enumerate(self.kinematics.layout.of_axis) if place in places)

    def __getstate__(self) -> dict[str, object]:
        """The document, the state and the drives, for another process."""
        self.send()
        stored = {name: getattr(self, name) for name in ("opened", "solver", "dt", "text", "origin")}
        return {**stored, "drives": dict(self.drives), "known_moment": self.assembled()}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(
            state,
            engine=None,
            is_placed=False,
            pattern=None,
            made=None,
            pace=BlockSize(),
            control=None,
            _reduced=None,
            _mobility=None,
        )

    # -- what names mean -----------------------------------------------------------------------------------------------

    @cached_property
    def start(self) -> Moment:
        """The document's assembled start. Raises AssemblyError if there is none."""
        return moment_at_start(self.kinematics, self.rotors)

    @cached_property
    def columns(self) -> tuple[Channel, ...]:
        """Channels of a run."""
        return channels_of(self.mechanism, self.opened.actuators)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """Names of `columns`."""
        return tuple(channel.name for channel in self.columns)

    @cached_property
    def axis_names(self) -> tuple[str, ...]:
        """Names of all axes."""
        return tuple(info.name for info in self.mechanism.axes)

    def by_axis(self, values: Mapping[str, float] | ArrayLike | None, what: str) -> dict[int, float]:
        """Numbers by axis, from names or from an array of all axes in the order of `q`."""
        if isinstance(values, np.ndarray):
            array = values.astype(float)
            if array.shape != (len(self.mechanism.axes),):
                count = len(self.mechanism.axes)
                raise UsageError(f"{what} of every axis must be an array of shape ({count},), not {array.shape}")
            return dict(enumerate(array.tolist()))
        return {find_axis(self.mechanism, n): value for n, value in as_numbers(values, what, POSITION).items()}

    def axis_efforts(self, efforts: Mapping[str, float]) -> Array:
        """Efforts on axes and actuators, by name, as efforts on all axes, shape (n_axes,). Raises UnknownNameError."""
        given = np.zeros(len(self.mechanism.axes))
        actuators = self.opened.actuators
        pushed = np.zeros(len(actuators))
        for name, value in efforts.items():
            kind, index = find_target(self.mechanism, actuators, name)
            (given if kind == "axis" else pushed)[index] += value
        if len(actuators):
            given += actuators.axis_effort(pushed)
        return given

    def place_of_link(self, link: str) -> tuple[int, Array]:
        """Body of a link, or of a frame on one, and X_BL, shape (4, 4)."""
        require_name(link, "a link")
        body, X_BL = self.mechanism.place_of_link(link)
        return body, X_BL.matrix()

    # -- what is made on demand ----------------------------------------------------------------------------------------

    def axis_states(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, copies, shape (n_axes,) each. Read from the engine if it has moved
        since, so that a script that reads them after every step builds no moment."""
        if self.known_moment is None and self.engine is not None and self.is_placed:
            position, velocity = self.engine.axis_states()
        else:
            position, velocity = self.state.position, self.state.velocity
        return position.copy(), velocity.copy()

    @cached_property
    def kinematics(self) -> Kinematics:
        """Numbers of the mechanism at a pose."""
        if self.pattern is not None:
            return self.pattern.kinematics.like(self.mechanism).as_meant
        return Kinematics(self.mechanism).as_meant

    @cached_property
    def rotors(self) -> Array | None:
        """Inertia of rotors about the axes, if the strategy moves them."""
        return rotor_inertia(self.opened.actuators, self.mechanism) if self.solver != "gear" else None

    @cached_property
    def requests(self) -> Requests:
        """Requests for positions and velocities of axes."""
        return Requests(self.posed)

    @cached_property
    def posed(self) -> Posed:
        """Begins at the document's start, if it can be assembled: later results do not depend on the states before."""
        from simulator.analysis.wrenches import compliances_of

        try:
            state = self.start.state
        except AssemblyError:
            state = self.state
        compliances = compliances_of(self.opened.world)
        return Posed(self.kinematics, self.rotors, compliances, self.equations_made.bound, state)

    @property
    def equations(self) -> Equations:
        """The equations, with loads as they are at the simulated time."""
        found = self.equations_made
        found.time = self.time
        return found

    @cached_property
    def equations_made(self) -> Equations:
        """The equations, at whatever time they were used last."""
        pattern = self.pattern
        return Equations(self.kinematics, self.rotors, pattern=None if pattern is None else pattern.equations)

    @property
    def reduction(self) -> Reduction:
        """Constraints and independent coordinates at the present state."""
        moment = self.moment
        if self._reduced is None or self._reduced[0] is not moment:
            self._reduced = moment, self.equations.reduction(moment.state)
        return self._reduced[1]

    @property
    def mobility(self) -> int:
        """See `Simulation.mobility`."""
        moment = self.moment
        if self._mobility is None or self._mobility[0] is not moment:
            self._mobility = moment, mobility_along(self.kinematics, moment.state)
        return self._mobility[1]

    @property
    def sweeper(self) -> Sweeper:
        """The analysis with loads as they are at the simulated time."""
        found = self._sweeper_made
        found.swept.set_time(self.time)
        return found

    @cached_property
    def _sweeper_made(self) -> Sweeper:
        from simulator.analysis.sweeps import Sweeper
        from simulator.analysis.wrenches import compliances_of

        return Sweeper(self.kinematics, self.rotors, compliances_of(self.opened.world), self._sensors)

    @cached_property
    def _sensors(self) -> JointSensors:
        from simulator.analysis.sensors import JointSensors

        return JointSensors(self.opened.world, self.mechanism)

    @cached_property
    def fixed_joints(self) -> FixedJoints:
        """All fixed joints, for their reactions."""
        from simulator.analysis.fixed_joints import FixedJoints

        return FixedJoints(self.opened.world, self.mechanism)

    @cached_property
    def no_fixed_joints(self) -> FixedJoints:
        """None of the fixed joints."""
        from simulator.analysis.fixed_joints import FixedJoints

        return FixedJoints(self.opened.world, self.mechanism, ())

    @property
    def balance(self) -> Balance:
        """The analysis with loads as they are at the simulated time."""
        found = self.balance_made
        found.swept.set_time(self.time)
        return found

    @cached_property
    def balance_made(self) -> Balance:
        """`balance`, at whatever time it was used last."""
        from simulator.analysis.reactions import Balance
        from simulator.analysis.wrenches import compliances_of

        return Balance(self.kinematics, self.rotors, compliances_of(self.opened.world))

    @cached_property
    def balance_as_moved(self) -> Balance:
        """The analysis of what the engine moves."""
        return balance_of(self.ready(), self.opened.world)

    @cached_property
    def jets(self) -> Jets:
        """Derivatives of the equations of motion."""
        from simulator.analysis.jets import Jets

        return Jets(self.kinematics.mechanism, self.rotors)

    @cached_property
    def scene(self) -> Scene:
        """The shapes of the world."""
        from simulator.session.look.scene_of import scene_of

        return scene_of(self.opened)
