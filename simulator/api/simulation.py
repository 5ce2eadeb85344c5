"""A mechanism to set, run, query, vary and copy: the object that `simulator.load` returns."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from simulator.api import clutches, dynamics, laws, quantities, running
from simulator.api.arguments import as_count, as_numbers, give
from simulator.api.branching import branches_of
from simulator.api.core import Core
from simulator.api.notebook import widget_of
from simulator.api.parameters import Parameters
from simulator.condition.condition import condition_of
from simulator.diagnostics import counted
from simulator.errors import UnknownNameError
from simulator.kinematics.named import NamedVector
from simulator.mechanism.varied import parameters_of
from simulator.recording.channels import ENERGIES
from simulator.session.commands.factory import remark_on
from simulator.session.relay.defaults import TOLERANCE
from simulator.session.text.settings import DEFAULT_SOLVER, SOLVERS, SessionSettings, step_of

if TYPE_CHECKING:
    import os
    import subprocess
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray
    from PIL.Image import Image
    from typing_extensions import Self

    from simulator.analysis.analysis import Analysis
    from simulator.analysis.base_parameters import BaseParameters
    from simulator.analysis.equilibrium import Equilibrium
    from simulator.analysis.gradient_table import GradientTable
    from simulator.analysis.gradients import Gradients
    from simulator.analysis.linear import LinearModel
    from simulator.analysis.reactions import Reactions
    from simulator.analysis.regressor import Regressor
    from simulator.api.drives import Value
    from simulator.api.dynamics import Given, Placed
    from simulator.api.moment import Moment
    from simulator.api.quantities import Over
    from simulator.api.run import Run
    from simulator.condition.condition import Condition
    from simulator.diagnostics import Diagnostic
    from simulator.engine.drives import Drive
    from simulator.engine.port import Contact
    from simulator.kinematics.named import NamedMatrix
    from simulator.mechanism.types import Mechanism
    from simulator.model.loads import Load, PointSpring
    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened
    from simulator.session.relay.relay import Relay
    from simulator.spatial.arrays import Array


class Simulation:
    """A mechanism at one state, with a clock. Made by `simulator.load`. See docs/reference/states.md for the order of
    coordinates and the meaning of signs.

    `copy.copy` or `.copy()` copies it in microseconds, and it pickles; copies share nothing that changes. Use one
    `Simulation` in one thread at a time; several run in parallel threads, because compiled code holds no interpreter
    lock.
    """

    _core: Core

    def __init__(
        self, opened: Opened, *, solver: str = DEFAULT_SOLVER, dt: float | None = None, text: str | None = None
    ) -> None:
        """`text`: the document, if it was given as text. Raises UsageError for a solver or a step [s] that does not
        exist."""
        if solver not in SOLVERS:
            raise UnknownNameError("solver", solver, SOLVERS)
        self._core = Core(opened, solver, step_of(opened, SessionSettings(dt=dt)), text)

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the world."""
        return self._core.opened.world.name

    @property
    def path(self) -> Path:
        """The document; `<text>` if it was given as text."""
        return self._core.opened.path

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all files that the document was read from, including meshes."""
        return self._core.opened.document.files

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Findings about the document: warnings and remarks. A document with errors is not loaded."""
        return self._core.opened.diagnostics

    @property
    def remark(self) -> str:
        """What the strategy omits from this world, in a sentence; empty if it omits nothing."""
        return remark_on(self._core.opened, self._core.solver, self._core.dt)

    @property
    def mechanism(self) -> Mechanism:
        """Bodies, joints, loops and couplings of the document."""
        return self._core.opened.mechanism

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links except the world."""
        return tuple(self._core.mechanism.link_bodies())

    @property
    def mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion; `mechanism.mobility.count` counts them
        (Kutzbach)."""
        return self._core.mobility

    def parameters(self, of: str = "") -> Parameters:
        """Every number that `varied` accepts, with its present value, unit and bounds, by name:
        `sim.parameters()["rocker.length"].value`. `of`: only those of the link, joint, axis, … of that name.

        Raises UnknownNameError if nothing has that name.
        """
        return Parameters(parameters_of(self._core.mechanism, self._core.opened.world, of))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of a run: name, unit and group of every column, including those of `reactions` and
        `fixed_joints` if the strategy computes them."""
        return quantities.channels(self._core)

    def __repr__(self) -> str:
        mechanism = self._core.mechanism
        parts = (
            counted(len(mechanism.bodies) - 1, "body", "bodies"),
            counted(len(mechanism.axes), "axis", "axes"),
            counted(len(mechanism.loop_joints), "loop"),
            counted(len(mechanism.couplings), "coupling"),
        )
        assembled = self._core.assembled() is not None
        mobility = f"mobility {self.mobility}" if assembled else f"mobility {mechanism.mobility.count} by count"
        where = f"at {self._core.time:g} s" if assembled else "cannot be assembled"
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
        quantities.set_state(self._core, positions, velocity=velocity, pose=pose, twist=twist, near=near, **axes)

    def restore(self, moment: Moment) -> None:
        """Return to a moment: an earlier `moment` of this simulation or of a copy, or that of a recording,
        `run.moment(2.0)`. Clock and energy ledger are restored, drives stay; motors engage anew, and loops of
        drives start with integral terms of zero. Motion without drives continues as before, to round-off; with motors
        it differs by what their first step is off, 1e-10 to 1e-6 rad or m.

        Raises UsageError for a moment of another mechanism.
        """
        quantities.restore(self._core, moment)

    def reset(self) -> None:
        """Return to the document's start; drives stay. Raises AssemblyError if it cannot be assembled."""
        self._core.continue_from(self._core.start)

    @property
    def moment(self) -> Moment:
        """State, steps and ledger as a frozen value. Raises AssemblyError if its start cannot be assembled."""
        return self._core.moment

    @property
    def time(self) -> float:
        """Simulated time since the state was set [s]."""
        return self._core.moment.steps * self._core.dt

    @property
    def dt(self) -> float:
        """The step [s]."""
        return self._core.dt

    @property
    def positions(self) -> NamedVector:
        """Positions of all axes in the mechanism's order, including those of loop joints [rad or m]."""
        return NamedVector(self._core.axis_names, self._core.axis_states()[0])

    @property
    def velocities(self) -> NamedVector:
        """Velocities of all axes in the mechanism's order [rad/s or m/s]."""
        return NamedVector(self._core.axis_names, self._core.axis_states()[1])

    @property
    def q(self) -> Array:
        """Positions of all axes in the order of `positions` [rad or m], shape (n_axes,), read-only. Steps
        update the array in place (except with strategy `gear`); after `set` and the like, read the property again."""
        return self._core.ready().axis_states()[0]

    @property
    def v(self) -> Array:
        """Velocities of all axes [rad/s or m/s], an array like `q`."""
        return self._core.ready().axis_states()[1]

    @property
    def independent(self) -> NamedVector:
        """Positions of the independent coordinates: the columns of `mass_matrix`. A ball or free joint gives the
        rotation vector and position of its outboard in its inboard joint frame."""
        found = self._core.reduction
        return NamedVector(found.G.columns, quantities.freedom_positions(self._core)[list(found.places)])

    @property
    def independent_velocities(self) -> NamedVector:
        """Velocities of the independent coordinates: `jacobian(link) @ independent_velocities` is a link's velocity."""
        found = self._core.reduction
        return NamedVector(found.G.columns, self._core.equations.rates(self._core.state)[list(found.places)])

    def pose(self, link: str) -> Array:
        """X_WL of a link or of a frame on one, shape (4, 4): `pose(link)[:3, 3]` is where its origin is [m].

        A link of a URDF that a fixed joint makes part of another, as `tool0` of an arm, is such a frame. Raises
        UnknownNameError for a link that does not exist.
        """
        body, X_BL = self._core.place_of_link(link)
        result: Array = self._core.kinematics.body_matrices(self._core.state)[body] @ X_BL
        return result

    @property
    def energies(self) -> NamedVector:
        """Kinetic and potential energy (gravity and springs); work of drives, dissipation, work of loads and of
        contacts since the state was set; error of the balance [J]."""
        energy = self._core.ready().snapshot().energy
        return NamedVector(ENERGIES, np.array([getattr(energy, name) for name in ENERGIES]))

    @property
    def sample(self) -> NamedVector:
        """All channels of a run except reactions, as they are now: `sim.sample["crank_joint/effort"]`."""
        return NamedVector(self._core.column_names, self._core.ready().row())

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Contacts of the last step: names of the bodies, point and normal in the world, force [N]."""
        return quantities.contacts(self._core)

    # -- matrices ------------------------------------------------------------------------------------------------------

    def mass_matrix(self, *, over: Over = "independent") -> NamedMatrix:
        """Gᵀ M G over the independent coordinates, or M of the tree without couplings and loops over all its axes;
        rotors included.

        Entries in kg m², kg m and kg, by the units of row and column.
        """
        return quantities.mass_matrix(self._core, over=over)

    def jacobian(
        self,
        link: str,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        part: Literal["both", "angular", "linear"] = "both",
        over: Over = "independent",
    ) -> NamedMatrix:
        """Geometric Jacobian of a point of a link, given in the link's frame [m]: angular velocity of the link and
        velocity of the point in world axes per unit of each coordinate, shape (6, n), or (3, n) for one `part`.

        Raises UnknownNameError for a link that does not exist, UsageError for a point that is not three numbers.
        """
        return quantities.jacobian(self._core, link, point, part=part, over=over)

    def constraint_jacobian(self) -> NamedMatrix:
        """K of all loops and couplings over all axes of the tree, K q̇ = 0, redundant rows included."""
        return self._core.reduction.K

    def reduction(self) -> NamedMatrix:
        """G: velocities of all axes of the tree from those of the independent coordinates, q̇ = G ẏ and K G = 0."""
        return self._core.reduction.G

    def condition(self) -> Condition:
        """Mobility, redundant rows, singular values and distance to singular positions at the present state."""
        return condition_of(self._core.mechanism, self._core.state)

    # -- dynamics, and many states at once -----------------------------------------------------------------------------

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
        independent axes, and mappings give columns of these by name.

        Floating bodies have no axes. They are where they are now, or where `pose` puts them: X_WL by link, shape (4, 4)
        or (n, 4, 4), as `set` takes it. `V`, `A`, efforts and the result have columns behind those of the axes for the
        freedoms of floating bodies and balls among `independent`, in that order: rotations `rx`, `ry`, `rz` about and
        translations `tx`, `ty`, `tz` along the axes of the joint's inboard frame, which for a floating body is its pose
        in the document. Arguments may do without these columns, which are 0 then, and mappings take their names,
        `{"box:free:tz": 1.0}`.

        With a `Run`: those behind a recording, `sim.inverse_dynamics(run)[:, "crank_joint"]`, one row for each sample.
        The efforts are on `axes`, one for each degree of freedom; on the independent axes by default. They are linear
        between samples, such that the equations of motion lead from the positions and velocities of one sample to
        those of the next; the error is of second order in the time h between samples, h²/12 times the second derivative
        of the effort. The fit is exact: an error ε of positions or velocities changes accelerations by about
        6 ε/h² or 2 ε/h, so smooth measured motions first.

        Raises UnknownNameError for names that do not exist, UsageError for axes that do not determine the motion, for
        rows that couplings and loops do not allow, for couplings that are not ideal, and if the recording lacks
        positions or velocities.
        """
        return dynamics.inverse_dynamics(self._core, q, v, a, axes=axes, pose=pose)

    @overload
    def forward_dynamics(self, efforts: Mapping[str, float] | None = None, /) -> NamedVector: ...
    @overload
    def forward_dynamics(
        self, q: ArrayLike, v: Given = None, efforts: Given = None, /, *, pose: Placed = None
    ) -> Array: ...
    def forward_dynamics(
        self, q: Given = None, v: Given = None, efforts: Given = None, /, *, pose: Placed = None
    ) -> NamedVector | Array:
        """Accelerations of all axes of the tree [rad/s² or m/s²] under efforts on axes, or on actuators
        (`actuator/NAME`) [N m or N], gravity, springs, dampers and loads; without drives, friction, stops and contacts.

        `forward_dynamics({"crank_joint": 0.1})` is at the present state, `forward_dynamics(Q, V, T)` at many: arrays
        of shape (n, n_axes), or (n_axes,), over all axes in the order of `q`, as is the result, and behind
        them columns for floating bodies and balls; see `inverse_dynamics`.

        Raises UnknownNameError for a name that does not exist, UsageError for couplings that are not ideal.
        """
        return dynamics.forward_dynamics(self._core, q, v, efforts, pose=pose)

    @overload
    def assemble(self, positions: Mapping[str, ArrayLike] | ArrayLike) -> Array: ...
    @overload
    def assemble(
        self, positions: Mapping[str, ArrayLike] | ArrayLike, *, velocity: Mapping[str, ArrayLike]
    ) -> tuple[Array, Array]: ...
    def assemble(
        self,
        positions: Mapping[str, ArrayLike] | ArrayLike,
        *,
        velocity: Mapping[str, ArrayLike] | None = None,
    ) -> Array | tuple[Array, Array]:
        """Positions of all axes from given positions of some, on the branch of the present state, which does not
        change: `Q = sim.assemble({"crank_joint": angles})` of shape (n, n_axes), or (n_axes,) for a number [rad or m].

        An array (n, n_independent) gives all independent axes. Axes that are not determined stay as they are now. With
        `velocity` of axes [rad/s or m/s]: (Q, V), also the velocities of all axes. Every row is reached from the
        row before it or, if that is impossible, from the present state; limits are ignored. Rows that cannot be
        reached without passing a singular position are nan; a single row raises AssemblyError instead.
        """
        return dynamics.assemble(self._core, positions, velocity=velocity)

    def branches(self, positions: Mapping[str, float] | None = None, **axes: float) -> Array:
        """All ways to assemble the mechanism within its limits with axes at these positions, shape (n, n_axes) [rad or
        m], the branch of the document's start first: `sim.set(sim.branches(crank_joint=0.5)[1])`. The search begins
        at 400 places at random, always the same ones. `positions` takes names that are not identifiers, as in `set`.

        Raises UsageError if the axes do not determine all others, AssemblyError if nothing is found.
        """
        given = {**self._core.by_axis(positions, "a position"), **self._core.by_axis(axes, "a position")}
        return branches_of(self._core.posed, given)

    def poses(self, q: ArrayLike, *, pose: Placed = None) -> Array:
        """X_WL of all links in the order of `links`, shape (n, n_links, 4, 4), or (n_links, 4, 4) for one state.
        Floating bodies stay where they are now, or are where `pose` puts them."""
        return dynamics.arrays(self._core).poses(q, pose)

    def jacobians(
        self,
        link: str,
        q: ArrayLike,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        part: Literal["both", "angular", "linear"] = "both",
        pose: Placed = None,
    ) -> Array:
        """`jacobian` at many positions, shape (n, 6, n_independent), over the columns that it has at the present
        state."""
        return dynamics.jacobians(self._core, link, q, point, part=part, pose=pose)

    def wrenches(self, q: ArrayLike, v: Given = None, a: Given = None, *, pose: Placed = None) -> Array:
        """Reactions of every joint in a motion, force [N] and moment [N m] as rows of `reactions().wrenches`, shape (n,
        n_joints, 6). Arguments as those of `inverse_dynamics`."""
        return dynamics.arrays(self._core).wrenches(q, v, a, pose)

    # -- motion --------------------------------------------------------------------------------------------------------

    def drive(self, name: str, drive: Drive | str | None) -> None:
        """Drive an axis, or an actuator (`actuator/NAME`), from now on; None releases it. `simulator.velocity(2.0)`
        makes a drive, and so does the text that the command line takes, `"velocity:2"`.

        Raises UnknownNameError for a name that does not exist, UsageError for a drive that it cannot have.
        """
        self._core.send()
        given = give(self._core.ready(), name, drive)
        self._core.drives.pop(name, None)
        if given is not None:
            self._core.drives[name] = given
        if self._core.control is not None:
            self._core.control.retire()
            self._core.control = None

    def engage(self, name: str, value: Value) -> None:
        """Press a clutch or a brake from now on: `sim.engage("wheel_joint", 200.0)`, `sim.engage("wheel_joint",
        simulator.ramp(0.0, 200.0, 0.5))`.

        `name`: the axis that follows by the clutch, or that has the brake. `value`: a number or a profile over
        simulated time, in the unit of what the document gives: the force [N], or the limit [N m or N]. Below 0 nothing
        is pressed.

        Raises UnknownNameError for an axis that does not exist, UsageError for one without a clutch or brake, and for a
        profile of a class of your own.
        """
        clutches.engage(self._core, name, value)

    @property
    def control(self) -> NDArray[np.float64]:
        """Commands of the drives that were given a number (for actuators: an effort), in the order of `controlled`,
        shape (n,). A number written to it takes effect in the next step, without the jump with which another drive
        begins. After `drive` with another drive the array is replaced: writing to the old one raises ValueError."""
        return self._core.controls().values

    @property
    def controlled(self) -> tuple[str, ...]:
        """Names of the axes and actuators of `control`."""
        return self._core.controls().names

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps. Raises SimulationError if a step fails; the state is then that before it. Raises
        UsageError if `n` is not a number of steps."""
        self._core.step(as_count(n, "a number of steps"))

    def run(
        self,
        duration: float,
        *,
        drives: Mapping[str, Drive | str] | None = None,
        forces: Iterable[Load | PointSpring] = (),
        every: float | None = None,
        channels: Iterable[str] | None = None,
        control: Callable[[Simulation], None] | None = None,
        control_every: float | None = None,
        progress: bool = False,
        reactions: bool = False,
        fixed_joints: bool = False,
        stream: str | None = None,
    ) -> Run:
        """Simulate `duration` seconds, in whole steps, from the present state and record:
        `run["rocker_joint/position"]`, `run.time`.

        `drives` apply to this run only, by axis or `actuator/NAME`, beside those of `drive`; so do `forces`, which
        `simulator.force` and `simulator.spring` make, beside the loads of the document. `every` [s]: the time between
        samples, None for every step. `channels`: record the time and these only, which takes less memory. `control` is
        called with the simulation before every step, or every `control_every` [s]: it reads `q`, `v` and other values,
        and writes to `control`. `reactions`: also channels of the reactions of joints, couplings and contacts and of
        force-torque sensors, `run["reaction/m::hinge/force_x"]`; `fixed_joints`: also those of fixed joints.
        `progress`: a bar on standard error. `stream`: a program that shows the run while it is made, at the pace of the
        clock: "foxglove", "rerun" or "plotjuggler", or one of them with =HOST:PORT. Ctrl-C ends the run early and
        returns the recording so far.

        Raises UsageError for names, drives, times and viewers that are not possible, MissingLibraryError without the
        library of a viewer; SimulationError if the simulation fails: its `run` is the recording until then.
        """
        core = self._core
        core.send()
        if loads := tuple(forces):
            with running.loaded(core, loads) as other:
                asked = partial(self._of(other).run, duration, drives=drives, every=every, channels=channels)
                more = partial(asked, control=control, control_every=control_every, progress=progress, stream=stream)
                return more(reactions=reactions, fixed_joints=fixed_joints)
        return running.run(
            core, duration, drives=drives, every=every, channels=channels,
            control=None if control is None else partial(control, self), control_every=control_every,
            progress=progress, reactions=reactions, fixed_joints=fixed_joints, stream=stream,
        )  # fmt: skip

    def read_joints(self, path: str | os.PathLike[str]) -> Run:
        """The motion of this mechanism in a file of another program: joint states in MCAP files and in bags of ROS 1
        and ROS 2, or a CSV file whose first column is time [s] and whose others are positions [rad or m] by joint.

        Joints that others determine, passive ones, mimics and those of loops, are computed on the branch of the present
        state, whatever the file has of them. Without velocities in the file, those of the positions are taken. The run
        has positions and velocities: `run.poses`, `save_gltf` and `restore(run.moment(t))` take it.

        Raises UnknownNameError for a joint that the mechanism does not have, UsageError for a file that cannot be read,
        joints that do not determine the motion and positions out of reach, MissingLibraryError for bags and MCAP
        without the extra `mcap`.
        """
        from simulator.api import joint_states

        return joint_states.read(self._core, path)

    def relay(
        self,
        *,
        efforts: bool = False,
        only: Collection[str] = (),
        tolerance: float = TOLERANCE,
        timeout: float = math.inf,
    ) -> Relay:
        """Completes measured joint states live: `sim.relay().update({"crank_joint": 0.5}).motion.position`, from the
        present state on, which does not change. Each state is found on the way from the one before it.

        `efforts`: also those that the moved joints need. `only`: joints that are listened to, all by default.
        `tolerance` [rad or m]: how far joints that determine each other may be from agreeing. `timeout` [s]: after so
        much time without a message, a joint is late. The command `simulator relay` does the same for other programs.

        Raises AssemblyError if the present state cannot be assembled, UnknownNameError for a joint that does not exist,
        UsageError for numbers that are not positive, and for `efforts` with couplings that are not ideal.
        """
        from simulator.api import joint_states

        return joint_states.relay(self._core, efforts=efforts, only=only, tolerance=tolerance, timeout=timeout)

    # -- analyses ------------------------------------------------------------------------------------------------------

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

        Raises UnknownNameError for a name that does not exist, UsageError for both arguments at once, accelerations
        that couplings and loops do not allow, and, except in the motion of the simulation once it has moved, for
        mechanisms with couplings that lose power, have play or are elastic: what these carry follows from the motion
        before.
        """
        from simulator.api import analyses

        return analyses.reactions(self._core, efforts, accelerations=accelerations, fixed_joints=fixed_joints)

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
        simulated time, and couplings and bearings lose power in the sense of the move; other friction, stops and
        contacts do not.

        Raises UnknownNameError for names that do not exist, UsageError for impossible moves and, with loads, for
        couplings with play or elasticity, those that lock against the move and bearings that jam, AssemblyError if the
        start of the moves cannot be reached. A dead point on the way is `dead_point` of the result, and the arrays end
        before it. Through `change_points` the motion continues smoothly; reactions are nan if they have no limit there.
        """
        from simulator.api import analyses

        return analyses.analyse(
            self._core, moves, points=points, velocity=velocity, acceleration=acceleration, trace=trace, loads=loads
        )

    def equilibria(self) -> tuple[Equilibrium, ...]:
        """Stable poses under gravity, springs and loads, first the one downhill from the present state; axes that
        move now retain their velocity. `inverse_dynamics()` gives the efforts that hold the present pose.

        Elastic couplings are springs. Raises UsageError for mechanisms whose independent coordinates are not all axes
        or whose couplings lose power or have play between rigid flanks.
        """
        from simulator.api import analyses

        return analyses.equilibria(self._core)

    def linearise(self, efforts: Mapping[str, float] | None = None) -> LinearModel:
        """Small motion around the present state under efforts on axes or actuators [N m or N]: A, B, C, D with names,
        eigenvalues, modes and frequency response; without friction, stops and contacts. The result's `drift` is zero
        if the state is an equilibrium.

        Raises UnknownNameError for a name that does not exist, UsageError as `equilibria` does.
        """
        from simulator.api import analyses

        return analyses.linearise(self._core, efforts)

    def gradients(
        self,
        parameters: Sequence[str] | None = None,
        *,
        efforts: Mapping[str, float] | None = None,
        accelerations: Mapping[str, float] | None = None,
    ) -> Gradients:
        """Exact derivatives of the present state by `parameters` of `varied`, None for all:
        `sim.gradients(["rocker.length"]).positions["rocker_joint", "rocker.length"]`.

        The independent coordinates retain their positions and velocities, as in `varied`, and all others follow. Of
        accelerations under `efforts` on axes or actuators [N m or N], as in `forward_dynamics`, and of the efforts that
        `accelerations` of independent coordinates require, as in `inverse_dynamics`: without friction, stops and
        contacts.

        Raises UnknownNameError for a name that does not exist, UsageError for parameters that do not enter the
        equations of motion smoothly or that open or jam loops, and at singular states.
        """
        from simulator.api import derivatives

        return derivatives.gradients(self._core, parameters, efforts=efforts, accelerations=accelerations)

    def gradients_along(self, analysis: Analysis, parameters: Sequence[str] | None = None) -> GradientTable:
        """Exact derivatives of a result of `analyse` by `parameters` of `varied`, None for all, at each of its points:
        `sim.gradients_along(found, ["rocker.length"])["rocker_joint/position", "rocker.length"]`. The moved axes retain
        their motion, and fixed ones stay fixed.

        Raises the errors of `gradients`; UsageError for mechanisms with balls or floating bodies.
        """
        from simulator.api import derivatives

        return derivatives.gradients_along(self._core, analysis, parameters)

    def regressor(self, accelerations: Mapping[str, float] | None = None) -> Regressor:
        """Efforts of inverse dynamics as Y(q, q̇, q̈) π + rest at the present state: linear in mass, m c and inertia of
        every link, damping, friction and springs of axes. `accelerations` as in `inverse_dynamics`.

        Raises UnknownNameError for a name that is not an independent coordinate, UsageError at singular states.
        """
        from simulator.api import derivatives

        return derivatives.regressor(self._core, accelerations)

    def base_parameters(self, parameters: Sequence[str] | None = None) -> BaseParameters:
        """The combinations of parameters on which the efforts on independent coordinates depend, by the rank of the
        regressor at random states around the present one, limits aside: no experiment with efforts distinguishes more.

        Of the standard parameters of `regressor`, or of `parameters` of `varied`, lengths and ratios too: of these near
        their present values. Raises UsageError if nothing can move and at singular states, and the errors of
        `gradients`.
        """
        from simulator.api import derivatives

        return derivatives.base_parameters_of(self._core, parameters)

    def sensitivities(
        self, duration: float, parameters: Sequence[str] | None = None, *, points: int = 61
    ) -> GradientTable:
        """Derivatives by `parameters` of `varied`, None for all, of the motion that `run(duration)` makes:
        `sim.sensitivities(2.0, ["rocker.length"])["rocker_joint/position", "rocker.length"]`, at `points` equidistant
        times, including both ends, to 1e-7 of the greatest of each or better. The independent coordinates retain their
        present positions and velocities, as in `varied`; this simulation does not move.

        Nothing may switch on the way. Raises UsageError if friction, stops or contacts act in this run, for
        drives that hold positions or velocities and for the strategy gear, and the errors of `gradients`;
        SimulationError if the motion is singular, or too unstable for meaningful derivatives.
        """
        from simulator.api import sensitivities

        return sensitivities.sensitivities(self._core, duration, parameters, points=points)

    # -- pictures ------------------------------------------------------------------------------------------------------

    def picture(self, size: tuple[int, int] = (800, 600), *, dark: bool = False) -> Image:
        """The world as it is now, with loads as arrows, rendered without a window: a Pillow image of `size` pixels,
        width first; `np.asarray` makes it an array of shape (height, width, 3). Notebooks show it by themselves.

        Raises UsageError for an invalid size, RenderingError if no OpenGL 3.3 context can be made.
        """
        from simulator.api import pictures

        return pictures.picture(self._core, size, dark=dark)

    def save_gltf(self, path: str | os.PathLike[str], run: Run | None = None) -> Path:
        """Write what is drawn as a binary glTF file, `linkage.glb`, which Blender, browsers and viewers open: as it is
        now, or in the motion of a `run` of this document, one pose for each of its rows. Returns the path.

        Raises UsageError for another suffix, a run without positions, or a file that cannot be written.
        """
        from simulator.api import pictures

        return pictures.save_gltf(self._core, path, run)

    def save_fmu(self, path: str | os.PathLike[str], *, fmi: int = 2, parameters: Sequence[str] | None = None) -> Path:
        """Write the mechanism as an FMU for co-simulation, `linkage.fmu`, of FMI 2.0 or 3.0: it begins at the present
        state, its inputs are commands of drives, those of this simulation and efforts of all other axes, its outputs
        the channels of a run. `parameters`: names of those of `varied` that importers may change, by default all that
        can be, which excludes lengths and whatever else moves the start. Returns the path.

        Raises UsageError for another suffix or version, for parameters that do not exist, for a mechanism without
        compiled steps and for a file that cannot be written; MissingLibraryError without compiled kernels.
        """
        from simulator.api import pictures

        return pictures.save_fmu(self._core, path, fmi=fmi, parameters=parameters)

    def view(self) -> subprocess.Popen[bytes]:
        """Open the window on the document at the present positions and velocities, in its own process, and return;
        the window has its own drives. Returns the process: `.wait()` waits until the window is closed.

        Raises UsageError after `varied`: the window reads the document, which does not contain the varied numbers.
        """
        from simulator.api import pictures

        return pictures.view(self._core)

    def page(self, *, notes: str = "", title: str = "", duration: float = 10.0) -> str:
        """One HTML page with the mechanism at its present state and drives, its physics, and a recording of `duration`
        seconds; it needs no network: `Path("mechanism.html").write_text(sim.page(), encoding="utf-8")`. `notes`: words
        beside it, with formulas between `$`; `title`: instead of the world's name.

        Raises UsageError for a duration that is not positive, AssemblyError for a start that cannot be assembled.
        """
        from simulator.api import pictures

        return pictures.page(self._core, notes=notes, title=title, duration=duration)

    def show(self, *, height: int = 520, notes: str = "", duration: float = 10.0) -> Any:
        """The page in a cell of a notebook, `height` [px] high: live, to be dragged. The widget has `time` [s],
        `position` and `velocity` of all axes, `now()`, positions by name, and `run()`, `pause()` and `reset()`; its
        `observe` (traitlets) calls a function when they change.

        Raises MissingLibraryError without anywidget (extra `notebook`), and the errors of `page`.
        """
        from simulator.api import pictures

        shown = pictures.page(self._core, notes=notes, duration=duration)
        return widget_of(shown, [info.name for info in self._core.mechanism.axes], height)

    def _repr_png_(self) -> bytes:
        """The picture for a notebook."""
        from simulator.api import pictures

        return pictures.png_of(self._core)

    # -- others like it ------------------------------------------------------------------------------------------------

    def copy(self) -> Simulation:
        """Another simulation of the same document at the same state, with the same drives, whose motors and loops
        start anew, see `restore`."""
        return self._of(self._core.like(self._core.opened, self._core.assembled()))

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
        return self._varied_at(as_numbers(values, "the value", '"coupler.mass": 2.0'), self._core.assembled())

    def with_law(self, follower: str, law: str | Sequence[float]) -> Self:
        """A copy in which a follower obeys another law, as if the document said so: `sim.with_law("valve_joint",
        "0.01*sin(q)**2")`.

        `law`: the text of a polynomial, table or constraint where the document has one, else an expression over q, the
        leader's position; or the numbers multiplier, offset and reference of a straight one. The independent axes keep
        their positions and velocities, as in `varied`.

        Raises UnknownNameError for an axis that does not exist, UsageError for one that follows no other, and for a law
        that cannot be.
        """
        return self._of(laws.exchanged(self._core, follower, law))

    def close(self) -> None:
        """Free memory and threads at once, not only when the simulation is collected; it can be used again."""
        self._core.close()

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

    @classmethod
    def _of(cls, core: Core) -> Self:
        """A simulation of parts that exist."""
        found = cls.__new__(cls)
        found._core = core
        return found

    def _varied_at(self, values: Mapping[str, float], before: Moment | None) -> Self:
        """See `varied`; `before` holds the positions and velocities of the independent axes."""
        return self._of(self._core.varied_at(values, before))
