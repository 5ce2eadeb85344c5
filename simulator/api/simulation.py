"""A mechanism to set, run, query, vary and copy: the object that `simulator.load` returns."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.analyses import Analyses
from simulator.api.arguments import DRIVE, as_count, as_named, as_number, as_numbers, driven, give
from simulator.api.branching import branches_of, nearest_branch
from simulator.api.controls import Controls
from simulator.api.laws import OtherLaws
from simulator.api.moment import Moment, OnFailure, moment_at_start, moment_carried, moment_of, moment_with
from simulator.api.pattern import Pattern
from simulator.api.pictures import Pictures
from simulator.api.run import Run, Samples, progress_bar
from simulator.diagnostics import counted
from simulator.errors import AssemblyError, UnknownNameError, UsageError
from simulator.kinematics.free_bodies import with_twists
from simulator.kinematics.named import NamedVector
from simulator.kinematics.state import rest_state
from simulator.mechanism.varied import Renumbering, moves_positions
from simulator.physics.queries.equations import Equations
from simulator.recording.channels import ENERGIES
from simulator.session.batch.batch import BlockSize, run_batch
from simulator.session.commands.factory import dynamics_like, engine_of, make_engine, remark_on
from simulator.session.forces.reactions import ReactionRows
from simulator.session.text.force_text import with_loads
from simulator.session.text.settings import DEFAULT_SOLVER, SOLVERS, SessionSettings, step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from simulator.diagnostics import Diagnostic
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.port import Contact
    from simulator.engine.strategies.reduced import ReducedDynamics
    from simulator.model.loads import Load, PointSpring
    from simulator.session.open.opening import Opened


class Simulation(Analyses, OtherLaws, Pictures):
    """A mechanism at one state, with a clock. Made by `simulator.load`.

    `copy.copy` or `.copy()` copies it in microseconds, and it pickles; copies share nothing that changes. Use one
    `Simulation` in one thread at a time; several run in parallel threads, because compiled code holds no interpreter
    lock.
    """

    def __init__(
        self, opened: Opened, *, solver: str = DEFAULT_SOLVER, dt: float | None = None, text: str | None = None
    ) -> None:
        """`text`: the document, if it was given as text. Raises UsageError for a solver or a step [s] that does not
        exist."""
        if solver not in SOLVERS:
            raise UnknownNameError("solver", solver, SOLVERS)
        self._opened = opened
        self._solver = solver
        self._text = text
        self._dt = step_of(opened, SessionSettings(dt=dt))
        self._drives: dict[str, Drive] = {}
        self._moment: Moment | None = None
        self._engine: Engine | None = None
        self._placed = False
        self._pattern: Pattern | None = None
        self._kept: tuple[Moment, tuple[int, ...]] | None = None
        self._made: ReducedDynamics | None = None
        self._pace = BlockSize()
        self._control: Controls | None = None

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the world."""
        return self._opened.world.name

    @property
    def path(self) -> Path:
        """The document; `<text>` if it was given as text."""
        return self._opened.path

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all files that the document was read from, including meshes."""
        return self._opened.document.files

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings about the document: warnings and remarks. A document with errors is not loaded."""
        return self._opened.diagnostics

    @property
    def remark(self) -> str:
        """What the strategy omits from this world, in a sentence; empty if it omits nothing."""
        return remark_on(self._opened, self._solver, self.dt)

    @property
    def moment(self) -> Moment:
        """State, steps and ledger as a frozen value. Raises AssemblyError if its start cannot be assembled."""
        if self._moment is None:
            self._moment = self._found_moment()
        return self._moment

    def __repr__(self) -> str:
        mechanism = self.mechanism
        parts = (
            counted(len(mechanism.bodies) - 1, "body", "bodies"),
            counted(len(mechanism.axes), "axis", "axes"),
            counted(len(mechanism.loop_joints), "loop"),
            counted(len(mechanism.couplings), "coupling"),
        )
        assembled = self._assembled() is not None
        mobility = f"mobility {self.mobility}" if assembled else f"mobility {mechanism.mobility.count} by count"
        where = f"at {self.time:g} s" if assembled else "cannot be assembled"
        return f"<Simulation of '{self.name}': {', '.join((*parts, mobility))}; {where}>"

    # -- state ---------------------------------------------------------------------------------------------------------

    def set(
        self,
        positions: Mapping[str, float] | ArrayLike | None = None,
        *,
        velocity: Mapping[str, float] | ArrayLike | None = None,
        pose: Mapping[str, ArrayLike] | None = None,
        twist: Mapping[str, ArrayLike] | None = None,
        near: Mapping[str, float] | None = None,
        **axes: float,
    ) -> None:
        """Set positions and velocities of axes: `sim.set(crank_joint=0.5, velocity={"crank_joint": 3.0})`.

        Given values hold to 1e-12; couplings and loops are assembled around them on the branch of the present pose.
        `near`: approximate positions of other axes on the intended branch, `near={"rocker_joint": -1.0}`; the nearest
        of all `branches` is taken. If the given axes determine the others, the digits depend on the
        request and the branch alone, not on the state before.

        The other axes get the velocities of least kinetic energy that agree with the given ones; without `velocity`
        everything is at rest. Clock and energy ledger start anew. A name is `model::joint`, or its last part if that
        is unique; `positions` and `velocity` take names that are not identifiers, the `positions` of a simulation, and
        an array of all axes in the order of `q`.

        Floating links have no axes: `pose` takes X_WL by link, shape (4, 4), and `twist` the angular velocity and the
        velocity of the origin in world axes, shape (6,).

        Raises UnknownNameError for a name that does not exist, UsageError for values beyond limits, AssemblyError for
        values that couplings and loops do not allow, naming the joints. The state is then unchanged.
        """
        wanted = {**self._by_axis(positions, "a position"), **self._by_axis(axes, "a position")}
        moving = self._by_axis(velocity, "a velocity")
        if near is not None:
            found = nearest_branch(self.mechanism, branches_of(self._posed, wanted), self._by_axis(near, "a position"))
            wanted = dict(enumerate(found.tolist()))
        placed, moved = as_named(pose, "a pose", '"box": X_WL'), as_named(twist, "a twist", '"box": (0, 0, 1, 0, 0, 0)')
        before = self._assembled()
        equations = self._equations_made
        moment = moment_with(self._kinematics, before, wanted, moving, placed, equations, lambda: self._requests)
        self._go_on_from(replace(moment, state=with_twists(self._kinematics, moment.state, moved)) if moved else moment)

    def restore(self, moment: Moment) -> None:
        """Return to a moment: an earlier `moment` of this simulation or of a copy, or that of a recording,
        `run.moment(2.0)`. Clock and energy ledger are restored, drives stay; motors engage anew, and loops of
        drives start with integral terms of zero. The motion continues as before, to round-off.

        Raises UsageError for a moment of another mechanism.
        """
        if not isinstance(moment, Moment):
            raise UsageError(f"restore needs a moment, such as sim.moment or run.moment(2.0), not {moment!r}")
        here = rest_state(self.mechanism)
        there = moment.state
        if here.position.shape != there.position.shape or here.loose_pose.shape != there.loose_pose.shape:
            raise UsageError(
                f"the moment is of a mechanism with {counted(len(there.position), 'axis', 'axes')}, "
                f"this one has {counted(len(here.position), 'axis', 'axes')}"
            )
        self._send()
        self._go_on_from(moment)

    def reset(self) -> None:
        """Return to the document's start; drives stay. Raises AssemblyError if it cannot be assembled."""
        self._go_on_from(moment_at_start(self._kinematics, self._rotors))

    @property
    def energies(self) -> NamedVector:
        """Kinetic and potential energy (gravity and springs); work of drives, dissipation, work of loads and of
        contacts since the state was set; error of the balance [J]."""
        energy = self._ready().snapshot().energy
        return NamedVector(ENERGIES, np.array([getattr(energy, name) for name in ENERGIES]))

    @property
    def sample(self) -> NamedVector:
        """All channels of a run except reactions, as they are now: `sim.sample["crank_joint/effort"]`."""
        return NamedVector(self._column_names, self._ready().row())

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Contacts of the last step: indices of bodies, point and normal in the world, force [N]."""
        return self._ready().contacts()

    # -- motion --------------------------------------------------------------------------------------------------------

    def drive(self, name: str, drive: Drive | None) -> None:
        """Drive an axis, or an actuator (`actuator/NAME`), from now on; None releases it. `simulator.velocity(2.0)`
        makes a drive.

        Raises UnknownNameError for a name that does not exist, UsageError for a drive that it cannot have.
        """
        self._send()
        give(self._ready(), name, drive)
        self._drives.pop(name, None)
        if drive is not None:
            self._drives[name] = drive
        if self._control is not None:
            self._control.retire()
            self._control = None

    @property
    def control(self) -> NDArray[np.float64]:
        """Commands of the drives that were given a number (for actuators: an effort), in the order of `controlled`,
        shape (n,). A number written to it takes effect in the next step, without the jump with which another drive
        begins. After `drive` with another drive the array is replaced: writing to the old one raises ValueError."""
        return self._controls().values

    @property
    def controlled(self) -> tuple[str, ...]:
        """Names of the axes and actuators of `control`."""
        return self._controls().names

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps. Raises SimulationError if a step fails; the state is then that before it. Raises
        UsageError if `n` is not a number of steps."""
        n = as_count(n, "a number of steps")
        engine = self._ready()
        if self._control is not None:
            self._control.send(engine)
        if self._moment is not None:  # `__setattr__` costs as much as a third of a step
            self._moment = None
        with OnFailure(self._step_back):
            engine.make_steps(n)

    def run(
        self,
        duration: float,
        *,
        drives: Mapping[str, Drive] | None = None,
        forces: Iterable[Load | PointSpring] = (),
        every: float | None = None,
        channels: Iterable[str] | None = None,
        control: Callable[[Simulation], None] | None = None,
        control_every: float | None = None,
        progress: bool = False,
        reactions: bool = False,
        fixed_joints: bool = False,
    ) -> Run:
        """Simulate `duration` seconds, in whole steps, from the present state and record:
        `run["rocker_joint/position"]`, `run.time`.

        `drives` apply to this run only, by axis or `actuator/NAME`, beside those of `drive`; so do `forces`, which
        `simulator.force` and `simulator.spring` make, beside the loads of the document. `every` [s]: the time between
        samples, None for every step. `channels`: record the time and these only, which takes less memory. `control` is
        called with the simulation before every step, or every `control_every` [s]: it reads `q`, `v` and other values,
        and writes to `control`. `reactions`: also channels of the reactions of joints, couplings and contacts and of
        force-torque sensors, `run["reaction/m::hinge/force_x"]`; `fixed_joints`: also those of fixed joints.
        `progress`: a bar on standard error. Ctrl-C ends the run early and returns the recording so far.

        Raises UsageError for names, drives and times that are not possible; SimulationError if the simulation fails:
        its `run` is the recording until then.
        """
        self._send()
        if loads := tuple(forces):
            with self._loaded(loads) as other:
                asked = partial(other.run, duration, drives=drives, every=every, channels=channels, control=control)
                more = partial(asked, control_every=control_every, progress=progress)
                return more(reactions=reactions, fixed_joints=fixed_joints)
        duration = as_number(duration, "a duration [s]")
        every = None if every is None else as_number(every, "the time between samples [s]")
        given = as_named(drives, "a run with drives", DRIVE)
        engine = self._ready()
        world = self._opened.world
        wanted = reactions or fixed_joints
        beside = ReactionRows(engine, world, fixed_joints=fixed_joints) if wanted else None
        samples = Samples(self._columns, beside, channels)
        show = progress_bar(engine.time, duration) if progress else lambda _: None
        self._moment = None
        with driven(engine, given, self._drives), OnFailure(self._step_back):
            summary = run_batch(
                engine, duration, every=every, sparse=every is not None, sink=samples.take, columns=samples.places,
                progress=show, pace=self._pace if beside is None else BlockSize(1),
                control=None if control is None else partial(self._consult, control), control_every=control_every,
            )  # fmt: skip
        run = samples.run(summary, self.mechanism, self.dt)
        if summary.failure is not None:
            self._step_back()
            summary.failure.run = run
            raise summary.failure
        return run

    @contextlib.contextmanager
    def _loaded(self, loads: tuple[Load | PointSpring, ...]) -> Iterator[Simulation]:
        """A simulation with further loads that continues from the present state; this one ends where that one does."""
        other = self._like(replace(self._opened, mechanism=with_loads(self.mechanism, loads)), self.moment)
        other._pattern = None
        try:
            yield other
        finally:
            self._go_on_from(other.moment)
            other.close()

    # -- others like it ------------------------------------------------------------------------------------------------

    def copy(self) -> Simulation:
        """Another simulation of the same document at the same state, with the same drives, whose loops start
        anew."""
        return self._like(self._opened, self._assembled())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> Simulation:
        return self.copy()

    def varied(self, values: Mapping[str, float]) -> Simulation:
        """A copy with other numbers, as if the document said so: `sim.varied({"coupler.mass": 2.0,
        "rack_joint.multiplier": 0.03})`.

        `parameters()` lists what can be varied; numbers of one thing change together. The independent axes retain their
        positions and velocities, the rest is assembled around them on demand; clock and ledger start
        anew.

        Raises UsageError for a parameter that does not exist or a value that it cannot have.
        """
        return self._varied_at(as_numbers(values, "the value", '"coupler.mass": 2.0'), self._assembled())

    def __getstate__(self) -> dict[str, object]:
        """The document, the state and the drives, for another process."""
        self._send()
        kept = {name: getattr(self, name) for name in ("_opened", "_solver", "_dt", "_text", "_kept")}
        return {**kept, "_drives": dict(self._drives), "_moment": self._assembled()}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(
            state, _engine=None, _placed=False, _pattern=None, _made=None, _pace=BlockSize(), _control=None
        )

    def close(self) -> None:
        """Free memory and threads at once, not only when the simulation is collected; it can be used again."""
        if self._engine is not None:
            self._moment = self.moment
            engine = self._engine
            self._engine = None
            self._placed = False
            engine.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse new attributes: `sim.position = …` would otherwise have no effect."""
        if not name.startswith("_"):
            which = "set(…) sets positions and velocities, control[:] = … commands of drives, varied(…) numbers"
            raise AttributeError(f"'{name}' of a simulation cannot be assigned to: {which}")
        super().__setattr__(name, value)

    def __del__(self) -> None:
        engine = self.__dict__.get("_engine")
        if engine is not None:
            with contextlib.suppress(Exception):
                engine.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _like(self, opened: Opened, moment: Moment | None, solver: str = "", dt: float | None = None) -> Simulation:
        self._send()
        other = Simulation(opened, solver=solver or self._solver, dt=dt or self._dt, text=self._text)
        other._drives = dict(self._drives)
        other._moment = moment
        other._kept, other._pace = self._kept, self._pace
        other._pattern = None if solver or dt else self._pattern
        if "_columns" in self.__dict__:
            other.__dict__["_columns"] = self._columns
        return other

    def _varied_at(self, values: Mapping[str, float], before: Moment | None) -> Simulation:
        """See `varied`; `before` holds the positions and velocities of the independent axes."""
        varied = self._opened.with_mechanism(self._renumbered(values))
        return self._exchanged(varied, before, moves=moves_positions(values))

    def _exchanged(self, opened: Opened, before: Moment | None, *, moves: bool) -> Simulation:
        if before is not None:
            self._as_pattern()
        other = self._like(opened, None)
        if before is not None:
            other._kept = (before, self._independent_axes()) if moves else other._kept
            other._moment = None if moves else Moment(before.state)
        return other

    @cached_property
    def _renumbered(self) -> Renumbering:
        return Renumbering(self.mechanism, self._opened.world)

    def _as_pattern(self) -> Pattern:
        """Prototypes for simulations of the same structure."""
        if self._pattern is None:
            state = self.moment.state
            equations = Equations(self._kinematics, self._rotors)
            dynamics = dynamics_like(self._ready(), self._opened)
            engine = None if dynamics is None else engine_of(dynamics, self._opened, state)
            independent = self._independent_axes()
            self._pattern = Pattern(self._kinematics, equations, engine, state, independent, self._rotors)
        return self._pattern

    def _found_moment(self) -> Moment:
        """The moment of the engine; without one, of the document's start, or of the simulation before its numbers
        were varied."""
        engine = self._engine
        if engine is not None:
            return moment_of(engine, engine.snapshot())
        if self._kept is None:
            return moment_at_start(self._kinematics, self._rotors)
        return self._carried(*self._kept)

    def _carried(self, before: Moment, independent: tuple[int, ...]) -> Moment:
        """`before`, of a simulation with other numbers, restricted to its independent axes."""
        pattern = self._pattern
        if pattern is not None and pattern.engine is not None and pattern.independent == independent:
            dynamics = dynamics_like(pattern.engine, self._opened)
            state = None if dynamics is None else pattern.transfer.of(dynamics.bounded.model, before.state)
            if state is not None:
                self._made = dynamics
                return Moment(state)
        return moment_carried(self._kinematics, before, independent, self._rotors)

    def _assembled(self) -> Moment | None:
        """The present moment, None if none closes couplings and loops."""
        try:
            return self.moment
        except AssemblyError:
            return None

    def _go_on_from(self, moment: Moment) -> None:
        self._moment = moment
        self._placed = False
        self._kept = None

    def _ready(self) -> Engine:
        """The engine, at the present moment, with the drives that stay."""
        if self._engine is not None and self._placed:
            return self._engine
        moment = self.moment
        if self._engine is None:
            self._engine = self._new_engine(moment)
            self._placed = moment.is_fresh
            for name, drive in self._drives.items():
                give(self._engine, name, drive)
        if not self._placed:
            moment.into(self._engine)
            self._placed = True
        return self._engine

    def _new_engine(self, moment: Moment) -> Engine:
        pattern, made = self._pattern, self._made
        self._made = None
        if made is None and pattern is not None and pattern.engine is not None:
            made = dynamics_like(pattern.engine, self._opened)
        if made is not None:
            return engine_of(made, self._opened, moment.state)
        settings = SessionSettings(solver=self._solver, dt=self._dt)
        return make_engine(self._opened, settings, start=moment.state)

    def _consult(self, control: Callable[[Simulation], None]) -> None:
        """Call a controller. Raises UsageError if it has set the state."""
        control(self)
        if not self._placed:
            raise UsageError("a controller cannot set the state of the simulation that it controls")
        self._moment = None
        self._send()

    def _controls(self) -> Controls:
        engine = self._ready()
        if self._control is None:
            self._control = Controls(engine, self._drives)
        return self._control

    def _send(self) -> None:
        """Pass the values written to `control` to the engine."""
        if self._control is not None:
            self._control.send(self._ready())

    def _step_back(self) -> None:
        """Return to the state before the failed step; the engine is moved there before its next step."""
        self._moment = self._found_moment()
        self._placed = False
