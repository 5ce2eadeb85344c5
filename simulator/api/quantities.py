"""Quantities of a simulation at one state: coordinates, matrices and efforts, all with names."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from simulator.analysis.wrenches import compliances_of
from simulator.api.arguments import POSITION, as_numbers, require_name
from simulator.api.moment import moment_at_start
from simulator.api.parameters import Parameters
from simulator.condition.condition import condition_of
from simulator.engine.rotors import rotor_inertia
from simulator.errors import AssemblyError, UsageError, place_of
from simulator.kinematics.closure import mobility_along
from simulator.kinematics.constraint_rows import column_names
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.varied import parameters_of
from simulator.physics.queries.equations import Equations, point_jacobian
from simulator.physics.queries.posed import Posed
from simulator.physics.queries.requests import Requests
from simulator.recording.channels import channels_of
from simulator.session.commands.driving import find_target
from simulator.session.forces.reactions import ReactionRows
from simulator.session.text.settings import find_axis
from simulator.spatial.rotation import rotation_vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from simulator.api.moment import Moment
    from simulator.api.pattern import Pattern
    from simulator.condition.condition import Condition
    from simulator.engine.engine import Engine
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.queries.equations import Reduction
    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened

    Array = NDArray[np.float64]
    Over = Literal["independent", "axes"]

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
"""Rows of a Jacobian: angular velocity [rad/s] and velocity of the point [m/s] in world axes."""
PARTS = {"both": (0, 6), "angular": (0, 3), "linear": (3, 6)}


class Quantities:
    """Quantities of a `Simulation`. See docs/reference/states.md for the order of coordinates and the
    meaning of signs."""

    _opened: Opened
    _solver: str
    _dt: float
    _pattern: Pattern | None
    _moment: Moment | None
    _engine: Engine | None
    _placed: bool

    @property
    def moment(self) -> Moment:
        """State, steps and ledger as a frozen value."""
        raise NotImplementedError

    def _ready(self) -> Engine:
        """The engine, at the present moment."""
        raise NotImplementedError

    @property
    def dt(self) -> float:
        """The step [s]."""
        return self._dt

    # -- names ---------------------------------------------------------------------------------------------------------

    @property
    def mechanism(self) -> Mechanism:
        """Bodies, joints, loops and couplings of the document."""
        return self._opened.mechanism

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links except the world."""
        return tuple(self.mechanism.link_bodies())

    @property
    def mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion; `mechanism.mobility.count` counts them
        (Kutzbach)."""
        moment = self.moment
        kept = self.__dict__.get("_mobility")
        if kept is None or kept[0] is not moment:
            kept = self.__dict__["_mobility"] = moment, mobility_along(self._kinematics, moment.state)
        found: int = kept[1]
        return found

    def parameters(self, of: str = "") -> Parameters:
        """Every number that `varied` accepts, with its present value, unit and bounds, by name:
        `sim.parameters()["rocker.length"].value`. `of`: only those of the link, joint, axis, … of that name.

        Raises UnknownNameError if nothing has that name.
        """
        return Parameters(parameters_of(self.mechanism, self._opened.world, of))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of a run: name, unit and group of every column, including those of `reactions` and
        `fixed_joints` if the strategy computes them."""
        try:
            beside = ReactionRows(self._ready(), self._opened.world, fixed_joints=True).channels
        except UsageError:
            beside = ()
        return (*self._columns, *beside)

    # -- state ---------------------------------------------------------------------------------------------------------

    @property
    def positions(self) -> NamedVector:
        """Positions of all axes in the mechanism's order, including those of loop joints [rad or m]."""
        return NamedVector(self._axis_names, self._axis_states()[0])

    @property
    def velocities(self) -> NamedVector:
        """Velocities of all axes in the mechanism's order [rad/s or m/s]."""
        return NamedVector(self._axis_names, self._axis_states()[1])

    @property
    def q(self) -> Array:
        """Positions of all axes in the order of `positions` [rad or m], shape (n_axes,), read-only. Steps
        update the array in place (except with strategy `gear`); after `set` and the like, read the property again."""
        return self._ready().axis_states()[0]

    @property
    def v(self) -> Array:
        """Velocities of all axes [rad/s or m/s], an array like `q`."""
        return self._ready().axis_states()[1]

    @property
    def independent(self) -> NamedVector:
        """Positions of the independent coordinates: the columns of `mass_matrix`. A ball or free joint gives the
        rotation vector and position of its outboard in its inboard joint frame."""
        found = self._reduction
        return NamedVector(found.G.columns, self._freedom_positions()[list(found.places)])

    @property
    def independent_velocities(self) -> NamedVector:
        """Velocities of the independent coordinates: `jacobian(link) @ independent_velocities` is a link's velocity."""
        found = self._reduction
        return NamedVector(found.G.columns, self._equations.rates(self._state)[list(found.places)])

    def pose(self, link: str) -> Array:
        """X_WL of a link, shape (4, 4): `pose(link)[:3, 3]` is where its origin is in the world [m].

        Raises UnknownNameError for a link that does not exist.
        """
        body, X_BL = self._place_of_link(link)
        result: Array = self._kinematics.body_matrices(self._state)[body] @ X_BL
        return result

    # -- matrices ------------------------------------------------------------------------------------------------------

    def mass_matrix(self, *, over: Over = "independent") -> NamedMatrix:
        """Gᵀ M G over the independent coordinates, or M of the tree without couplings and loops over all its axes;
        rotors included.

        Entries in kg m², kg m and kg, by the units of row and column.
        """
        mass = self._equations.mass_matrix(self._state)
        G = self._over(over)
        return NamedMatrix(G.columns, G.columns, G.array.T @ mass @ G.array)

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
        if np.shape(point) != (3,) or part not in PARTS:
            raise UsageError(f"a Jacobian takes a point (x, y, z) and one of {', '.join(PARTS)}")
        body, X_BL = self._place_of_link(link)
        poses = self._kinematics.body_matrices(self._state)
        place = (poses[body] @ X_BL @ np.append(np.asarray(point, dtype=float), 1.0))[:3]
        J = point_jacobian(self._kinematics, self._state, poses, body, place)
        G = self._over(over)
        first, last = PARTS[part]
        return NamedMatrix(TWIST[first:last], G.columns, J[first:last] @ G.array)

    def constraint_jacobian(self) -> NamedMatrix:
        """K of all loops and couplings over all axes of the tree, K q̇ = 0, redundant rows included."""
        return self._reduction.K

    def reduction(self) -> NamedMatrix:
        """G: velocities of all axes of the tree from those of the independent coordinates, q̇ = G ẏ and K G = 0."""
        return self._reduction.G

    def condition(self) -> Condition:
        """Mobility, redundant rows, singular values and distance to singular positions at the present state."""
        return condition_of(self.mechanism, self._state)

    # -- efforts -------------------------------------------------------------------------------------------------------

    def forward_dynamics(self, efforts: Mapping[str, float] | None = None) -> NamedVector:
        """Accelerations of all axes of the tree [rad/s² or m/s²] under efforts on axes, or on actuators
        (`actuator/NAME`) [N m or N], gravity, springs, dampers and loads; without drives, friction, stops and contacts.

        Raises UnknownNameError for a name that does not exist.
        """
        given = self._axis_efforts(as_numbers(efforts, "an effort", '"crank_joint": 0.1'))
        return NamedVector(self._equations.freedoms, self._equations.accelerations(self._state, given))

    def inverse_dynamics(self, accelerations: Mapping[str, float] | None = None) -> NamedVector:
        """Efforts on the independent coordinates [N m or N] that produce these accelerations, 0 for unnamed ones;
        with gravity, springs, dampers and loads; without friction, stops and contacts.

        Raises UnknownNameError for a name that is not an independent coordinate.
        """
        found = self._reduction
        equations = self._equations
        state = self._state
        wanted = self._wanted(accelerations)
        free = equations.accelerations(state, np.zeros(len(state.position)))
        G = found.G.array
        curved = free + G @ (wanted - free[list(found.places)])
        return NamedVector(found.G.columns, G.T @ (equations.mass_matrix(state) @ curved + equations.bias(state)))

    def _wanted(self, accelerations: Mapping[str, float] | None) -> Array:
        """Accelerations of the independent coordinates, 0 for unnamed ones. Raises UnknownNameError."""
        names = self._reduction.G.columns
        wanted = np.zeros(len(names))
        for name, value in as_numbers(accelerations, "an acceleration", '"crank_joint": 1.0').items():
            wanted[place_of(names, name, "independent coordinate")] = value
        return wanted

    def _axis_efforts(self, efforts: Mapping[str, float]) -> Array:
        """Efforts on axes and actuators, by name, as efforts on all axes, shape (n_axes,). Raises UnknownNameError."""
        given = np.zeros(len(self.mechanism.axes))
        actuators = self._opened.actuators
        pushed = np.zeros(len(actuators))
        for name, value in efforts.items():
            kind, index = find_target(self.mechanism, actuators, name)
            (given if kind == "axis" else pushed)[index] += value
        if len(actuators):
            given += actuators.axis_effort(pushed)
        return given

    # -- inside --------------------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> tuple[Channel, ...]:
        """Channels of a run."""
        return channels_of(self.mechanism, self._opened.actuators)

    @cached_property
    def _column_names(self) -> tuple[str, ...]:
        return tuple(channel.name for channel in self._columns)

    @property
    def _state(self) -> JointState:
        return self.moment.state

    def _axis_states(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, copies, shape (n_axes,) each. Read from the engine if it has moved
        since, so that a script that reads them after every step builds no moment."""
        if self._moment is None and self._engine is not None and self._placed:
            position, velocity = self._engine.axis_states()
        else:
            position, velocity = self._state.position, self._state.velocity
        return position.copy(), velocity.copy()

    @cached_property
    def _axis_names(self) -> tuple[str, ...]:
        return tuple(info.name for info in self.mechanism.axes)

    @cached_property
    def _kinematics(self) -> Kinematics:
        if self._pattern is not None:
            return self._pattern.kinematics.like(self.mechanism).as_meant
        return Kinematics(self.mechanism).as_meant

    @cached_property
    def _rotors(self) -> Array | None:
        """Inertia of rotors about the axes, if the strategy moves them."""
        return rotor_inertia(self._opened.actuators, self.mechanism) if self._solver != "gear" else None

    def _by_axis(self, values: Mapping[str, float] | ArrayLike | None, what: str) -> dict[int, float]:
        """Numbers by axis, from names or from an array of all axes in the order of `q`."""
        if isinstance(values, np.ndarray):
            array = values.astype(float)
            if array.shape != (len(self.mechanism.axes),):
                count = len(self.mechanism.axes)
                raise UsageError(f"{what} of every axis must be an array of shape ({count},), not {array.shape}")
            return dict(enumerate(array.tolist()))
        return {find_axis(self.mechanism, n): value for n, value in as_numbers(values, what, POSITION).items()}

    @cached_property
    def _requests(self) -> Requests:
        return Requests(self._posed)

    @cached_property
    def _posed(self) -> Posed:
        """Begins at the document's start, if it can be assembled: later results do not depend on the states before."""
        try:
            state = moment_at_start(self._kinematics, self._rotors).state
        except AssemblyError:
            state = self._state
        compliances = compliances_of(self._opened.world)
        return Posed(self._kinematics, self._rotors, compliances, self._equations_made.bound, state)

    @property
    def _equations(self) -> Equations:
        """The equations, with loads as they are at the simulated time."""
        found = self._equations_made
        found.time = self.moment.steps * self._dt
        return found

    @cached_property
    def _equations_made(self) -> Equations:
        pattern = self._pattern
        return Equations(self._kinematics, self._rotors, pattern=None if pattern is None else pattern.equations)

    @property
    def _reduction(self) -> Reduction:
        moment = self.moment
        kept = self.__dict__.get("_reduced")
        if kept is None or kept[0] is not moment:
            kept = (moment, self._equations.reduction(moment.state))
            self.__dict__["_reduced"] = kept
        found: Reduction = kept[1]
        return found

    def _over(self, over: Over) -> NamedMatrix:
        """G for the requested coordinates: the identity for all axes of the tree."""
        if over == "independent":
            return self._reduction.G
        if over != "axes":
            raise UsageError(f"a matrix is over 'independent' or 'axes', not '{over}'")
        names = column_names(self.mechanism)
        return NamedMatrix(names, names, np.eye(len(names)))

    def _freedom_positions(self) -> Array:
        """Position of every freedom of the tree, shape (n_freedoms,)."""
        state = self._state
        layout = self._kinematics.layout
        result = np.zeros(layout.size)
        for axis, place in enumerate(layout.of_axis):
            if place >= 0:
                result[place] = state.position[axis]
        for slot, joint in enumerate(multi_dof_joints(self.mechanism)):
            first = layout.first[joint]
            size = self.mechanism.joints[joint].dof
            pose = state.loose_pose[slot]
            result[first : first + size] = np.concatenate((rotation_vector(pose[:3, :3]), pose[:3, 3]))[:size]
        return result

    def _place_of_link(self, link: str) -> tuple[int, Array]:
        """Body of a link and X_BL, shape (4, 4)."""
        require_name(link, "a link")
        body, X_BL = self.mechanism.place_of_link(link)
        return body, X_BL.matrix()
