"""Positions without time: a mechanism moved along axes, and everything that follows at each of them.

`Sweeper.along` gives arrays over n points. Positions are found one after the other on one path (`following`),
velocities and accelerations from the equations at each point; efforts and reactions from Newton and Euler.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.bearings import LoadedBearings
from simulator.analysis.body_motions import BodyMotions
from simulator.analysis.coupling_efforts import CouplingEfforts
from simulator.analysis.fixed_joints import Carried
from simulator.analysis.following import ChangePoint, Path, follow
from simulator.analysis.losses import Lost, MeshLosses
from simulator.analysis.wrenches import COMPONENTS, JointWrenches, time_of
from simulator.errors import AssemblyError, UsageError, place_of
from simulator.mechanism.clutches import sliding_friction
from simulator.mechanism.real_couplings import require_not_loose
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.analysis.sensors import JointSensors
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class Move:
    """An axis that goes from one position to another [rad or m]."""

    axis: int
    begin: float
    end: float


@dataclass(frozen=True)
class Route:
    """What a sweep goes through. The first move sets the pace: `velocity` [rad/s or m/s] is how fast its axis goes
    towards its end, and `acceleration` how much faster it becomes; other moves keep their proportion. `count` points,
    both ends among them."""

    moves: tuple[Move, ...]
    count: int = 361
    velocity: float = 0.0
    acceleration: float = 0.0

    def __post_init__(self) -> None:
        """Raises UsageError for a route that nothing can go."""
        if not self.moves or self.moves[0].begin == self.moves[0].end:
            raise UsageError("a sweep needs an axis that goes from one position to another one")
        if self.count < 2:
            raise UsageError(f"a sweep has at least two points, not {self.count}")
        if self.velocity < 0.0:
            raise UsageError(f"the speed of a sweep is {self.velocity:g}: write its ends the other way round instead")
        if not np.isfinite(
            [self.velocity, self.acceleration, *(x for m in self.moves for x in (m.begin, m.end))]
        ).all():
            raise UsageError("positions, velocity and acceleration of a sweep are finite numbers")

    @property
    def sense(self) -> float:
        """1 where the first axis rises, -1 where it falls."""
        return 1.0 if self.moves[0].end > self.moves[0].begin else -1.0

    @property
    def rates(self) -> tuple[float, ...]:
        """How fast each axis goes when the first goes with 1."""
        way = self.moves[0].end - self.moves[0].begin
        return tuple((move.end - move.begin) / way for move in self.moves)

    @property
    def path(self) -> Path:
        """Where all moved axes are for each position of the first."""
        return Path(np.array([move.begin for move in self.moves]), np.array(self.rates))

    def positions(self) -> Array:
        """Positions of the first axis, shape (count,)."""
        return np.linspace(self.moves[0].begin, self.moves[0].end, self.count)


class Sweeper:
    """One mechanism, for sweeps."""

    def __init__(
        self,
        kinematics: Kinematics,
        rotors: Array | None = None,
        compliance: Mapping[str, Array] | None = None,
        sensors: JointSensors | None = None,
    ) -> None:
        """`rotors` (n_axes, n_axes): the inertia that they add to axes. `compliance`: see `SweptMechanism`. `sensors`:
        of the document."""
        from simulator.physics.sweep.swept import SweptMechanism  # here: finding the ends of an axis needs no kernels

        self.swept = SweptMechanism(kinematics, rotors, compliance)
        self.sensors = sensors
        self.joints, self.couplings = JointWrenches(self.swept), CouplingEfforts(self.swept)
        self.losses = MeshLosses(self.swept, self.couplings)
        self.bearings = LoadedBearings(self.swept, self.losses)

    def along(self, start: JointState, route: Route, *, loads: bool = True) -> Swept:
        """Go from `start`, which is assembled, to the begin of the route and along it; `loads`: efforts and reactions,
        too.

        Raises UsageError for axes that cannot be moved together and, with loads, for couplings with play or elasticity
        and those that lock; AssemblyError where not even the begin of the route can be reached.
        """
        if loads:
            require_not_loose(self.swept.mechanism, "efforts and reactions of a motion without time")
        self.swept.put(start, route.moves[0].axis)
        self.go_to(route)
        swept = self.from_here(self.swept.y.copy(), route, loads=loads)
        if not len(swept):
            raise self._unreached(route.moves[0], swept.stopped)
        return swept

    def here(self, state: JointState, axis: int) -> Swept:
        """The one point at `state`, which is assembled, of a sweep along `axis` from there on, without loads.

        Raises UsageError where the axis has no motion, as at its dead point.
        """
        swept = self.swept
        beside = swept.put(state, axis)
        position = float(state.position[axis])
        plan = swept.prepare([axis], [1.0])
        begin = swept.y.copy()
        points = swept.here(plan)
        if beside:
            there = np.array([position])
            followed = follow(swept, plan, Path(there, np.ones(1)), there, loads=False)
            points = followed.points if followed.reached else points
        return Swept(self, plan, Route((Move(axis, position, position + 1.0),), 2), points, begin)

    def from_here(self, begin: Array, route: Route, *, loads: bool = True) -> Swept:
        """Go along the route from independent positions at which the moved axes are at its begin, or beside it where
        that is a change point."""
        swept = self.swept
        swept.begin_at(begin)
        plan = swept.prepare([move.axis for move in route.moves], route.rates)
        plan.speed[:] = route.sense * route.velocity, route.sense * route.acceleration
        points, reached, changes, stopped = follow(swept, plan, route.path, route.positions(), loads=loads)
        if reached < route.count:
            points = type(points)(*(column[:reached] for column in points))
        if loads and self.bearings.lose:
            points, changes = self._with_losses(plan, route, points, changes)
        return Swept(self, plan, route, points, begin, stopped, changes)

    def _with_losses(
        self, plan: Sweep, route: Route, points: Points, changes: tuple[ChangePoint, ...]
    ) -> tuple[Points, tuple[ChangePoint, ...]]:
        """Points and change points of a route with what couplings and bearings lose."""
        lossy = [replace(change, points=self.bearings.into(plan, change.points, route.sense)) for change in changes]
        found = self.bearings.into(plan, points, route.sense)
        driver = route.positions()
        for change in lossy:
            for index in np.flatnonzero(change.covers(driver[: len(found.position)])).tolist():
                for column, value in zip(found, change.at(float(driver[index])), strict=True):
                    column[index] = value[0]
        return found, tuple(lossy)

    def go_to(self, route: Route) -> None:
        """To the begin of a route, axis after axis and the first one last; where that is a change point, to beside it,
        on the side from which the route comes."""
        axes = [move.axis for move in route.moves]
        for place, move in reversed(list(enumerate(route.moves))):
            order = [axes[place], *axes[:place], *axes[place + 1 :]]
            rates = [1.0] + [0.0] * (len(axes) - 1)
            plan = self.swept.prepare(order, rates)
            begin = self.swept.here(plan).position[0, order]
            begin[0] = move.begin
            found = follow(self.swept, plan, Path(begin, np.array(rates)), begin[:1], loads=False)
            if not found.reached:
                raise self._unreached(move, found.stopped)
            if found.changes and found.changes[-1].covers(begin[:1])[0]:
                self.swept.go_back(found.changes[-1].points, found.changes[-1].inner(-route.sense))

    def _unreached(self, move: Move, ends: float) -> AssemblyError:
        info = self.swept.mechanism.axes[move.axis]
        return AssemblyError(
            f"'{info.name}' cannot be brought to {move.begin:g} {info.unit}: its way ends at {ends:.12g} {info.unit}"
        )


@dataclass(frozen=True, eq=False)
class Swept:
    """A sweep along a route, n points of it. Angles of axes are in radians and count whole turns; wrenches are by
    the parent on the child, in world axes.

    `begin`: independent positions at the first point, or beside it where that is a change point. `stopped`: the
    position of the first axis beyond which the path does not continue, nan if it reaches the end of the route.
    `changes`: change points, in the order in which they were passed; those before the first and behind the last point,
    too, if they are close to it.
    """

    sweeper: Sweeper
    plan: Sweep
    route: Route
    points: Points
    begin: Array
    stopped: float = np.nan
    changes: tuple[ChangePoint, ...] = ()

    def __len__(self) -> int:
        return len(self.points.position)

    def at(self, driver: float) -> Swept:
        """The one point at which the first moved axis is at `driver` [rad or m]."""
        return replace(self, points=self.point(driver, loads=True))

    def point(self, driver: float, *, loads: bool = False) -> Points:
        """The point at which the first moved axis is at `driver` [rad or m], as a table of one, reached from the
        nearest point between the same change points. Leaves the mechanism there, but for what change points cover."""
        for change in self.changes:
            if change.covers(np.array([driver]))[0]:
                return change.at(driver)
        machine = self.sweeper.swept
        machine.go_back(*self._nearest(driver))
        machine.travel(self.plan, self.route.path.at(driver))
        self.plan.speed[:] = self.speed
        here = machine.here(self.plan, loads=loads)
        return self.sweeper.bearings.into(self.plan, here, self.route.sense) if loads else here

    def _nearest(self, driver: float) -> tuple[Points, int]:
        """The nearest known point of the path from which kernels go to `driver`: at change points they lose digits, and
        they go over none."""
        positions = self.position[:, self.route.moves[0].axis]
        edges = sorted(item.driver for item in self.changes)
        inside = np.zeros(len(positions), dtype=bool)
        for item in self.changes:
            inside |= item.covers(positions)
        tables = [(self.points, positions, ~inside)]
        tables += [(item.points, item.places, np.ones(len(item.places), dtype=bool)) for item in self.changes]
        found = [
            (abs(float(places[i]) - driver), points, i)
            for points, places, usable in tables
            for i in np.flatnonzero(
                usable & (np.searchsorted(edges, places) == np.searchsorted(edges, driver))
            ).tolist()
        ]
        _, points, index = min(found, key=lambda item: item[0])
        return points, index

    @property
    def ended(self) -> bool:
        """Whether the path stops before the end of the route."""
        return bool(np.isfinite(self.stopped))

    def go_on(self) -> None:
        """Bring the mechanism to where the path ends, as near to that as can be."""
        machine = self.sweeper.swept
        first = self.route.moves[0]
        machine.go_back(*self._nearest(self.stopped))
        machine.travel(self.plan, self.route.path.at(first.end))

    @property
    def mechanism(self) -> Mechanism:
        """What was swept."""
        return self.sweeper.swept.mechanism

    @property
    def held_axes(self) -> tuple[int, ...]:
        """Axes that are locked beside the moved ones, so that these determine the position."""
        return tuple(axis for axis, code in enumerate(self.plan.codes.tolist()) if code in self.plan.lock.tolist())

    @property
    def speed(self) -> tuple[float, float]:
        """Velocity and acceleration of the first axis, with their sign."""
        return self.route.sense * self.route.velocity, self.route.sense * self.route.acceleration

    @property
    def position(self) -> Array:
        """Positions of all axes, shape (n, n_axes) [rad or m]."""
        return self.points.position

    @property
    def ratio(self) -> Array:
        """Velocity of every axis per velocity of the first moved one, shape (n, n_axes)."""
        return self.points.rate

    @cached_property
    def velocity(self) -> Array:
        """Velocities of all axes, shape (n, n_axes) [rad/s or m/s]."""
        return self.speed[0] * self.points.rate

    @cached_property
    def acceleration(self) -> Array:
        """Accelerations of all axes, shape (n, n_axes) [rad/s² or m/s²]."""
        return self.speed[0] ** 2 * self.points.bend + self.speed[1] * self.points.rate

    @cached_property
    def effort(self) -> Array:
        """Efforts that move the moved axes and hold the locked ones, zero on others, shape (n, n_axes) [N m or N]."""
        return self.sweeper.swept.axis_efforts(self.plan, self.points)

    @cached_property
    def friction(self) -> Array | None:
        """What dry friction of all joints adds to the effort of the moved axis, against its motion, shape (n,) [N m or
        N]; None where no joint has any, and where several axes are moved, which may share it in many ways.

        By virtual power: each joint takes f |q̇|, which is f |dq/dθ| per velocity of the moved axis.
        """
        coulomb = np.array([sliding_friction(info.axis) for info in self.mechanism.axes])
        if len(self.route.moves) > 1 or not coulomb.any():
            return None
        found: Array = np.abs(self.ratio) @ coulomb
        return found

    @property
    def driving_effort(self) -> Array:
        """Effort of the first moved axis with dry friction in the sense of the sweep, shape (n,) [N m or N]; without
        where `friction` is None."""
        effort: Array = self.effort[:, self.route.moves[0].axis]
        return effort if self.friction is None else effort + self.route.sense * self.friction

    @cached_property
    def wrenches(self) -> Array:
        """Force [N] and moment [N m] of every joint about the child's joint frame, shape (n, n_joints, 6)."""
        return self.sweeper.joints.of(self.points)

    @cached_property
    def sensed(self) -> Array:
        """Force [N] and moment [N m] that the force-torque sensors read, shape (n, n_sensors, 6)."""
        sweeper = self.sweeper
        sensors = self.sweeper.sensors
        if sensors is None or not sensors.names:
            return np.zeros((len(self), 0, 6))
        places = [sweeper.joints.at(self.points, i) for i in range(len(sweeper.joints.names))]
        where = np.stack(places, axis=1) if places else np.zeros((len(self), 0, 3))
        return sensors.of(self.motion, Carried(sweeper.joints.names, self.wrenches, where, time_of(sweeper.swept)))

    @cached_property
    def determined(self) -> NDArray[np.bool_]:
        """Whether equilibrium alone gives each component, shape (n_joints, 6)."""
        return self.sweeper.joints.determined(self.points)

    @cached_property
    def coupling_efforts(self) -> Array:
        """Effort on the follower of every coupling, shape (n, n_couplings) [N m or N]."""
        return self.sweeper.couplings.of(self.points, self.plan, self.sweeper.swept.rotor_efforts(self.acceleration))

    @cached_property
    def lost(self) -> Lost:
        """What the couplings with losses carry and take, in the order of `sweeper.losses.names`."""
        return self.sweeper.losses.of(self.points, self.coupling_efforts, self.speed[0], self.route.sense)

    def reaction(self, joint: str, component: str = "") -> Array:
        """Wrench of a joint, shape (n, 6), or one component of it, shape (n,): `swept.reaction("crank_joint",
        "force_x")`.

        Raises UnknownNameError for a name that does not exist.
        """
        found = self.wrenches[:, place_of(self.sweeper.joints.names, joint, "joint")]
        return found[:, place_of(COMPONENTS, component, "component")] if component else found

    # -- bodies --------------------------------------------------------------------------------------------------------

    @property
    def motion(self) -> BodyMotions:
        """How bodies move."""
        return BodyMotions(self.sweeper.swept.model.parts.tree, self.points, self.speed)

    @property
    def unit_motion(self) -> BodyMotions:
        """The same of the motion in which the first moved axis goes with 1."""
        return replace(self.motion, speed=(1.0, 0.0))

    def body_frames(self, body: int) -> tuple[Array, Array]:
        """Rotation (n, 3, 3) and origin (n, 3) of a body in the world."""
        return self.motion.frames(body)

    def point_motion(self, body: int, point: Sequence[float] | Array) -> tuple[Array, Array, Array]:
        """Place [m], velocity [m/s] and acceleration [m/s²] in the world of a point of a body's frame, shape (n, 3)
        each."""
        return self.motion.point(body, point)

    def body_motion(self, body: int, *, unit: bool = False) -> tuple[Array, Array]:
        """Twist and spatial acceleration of a body about its node's origin, world axes, shape (n, 6) each. `unit`: of
        the motion in which the first moved axis goes with 1."""
        return (self.unit_motion if unit else self.motion).spatial(body)

    def node_origin(self, body: int) -> Array:
        """Where the joint frame on a body is that carries it, shape (n, 3)."""
        return self.motion.node_origin(body)
