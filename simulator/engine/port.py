"""The interface between the engine and the dynamics of a mechanism, which `strategies` and `bullet` implement."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Coupling, MechanismJoint
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.impact.lines import Servo
    from simulator.spatial.arrays import Array, Ints


NO_LOOPS, NO_ENERGIES = np.zeros((0, 2)), np.zeros(2)


@dataclass(frozen=True)
class BackendState:
    """State read back after a step.

    `position`, `velocity`: shape (n_axes,). `motor_effort`: shape (n_axes,), what motor rows applied during the last
    step [N m or N]. `body_poses`: X_WB, shape (n_bodies, 7). `body_velocities`: angular velocity and velocity of the
    centre of mass, world axes, shape (n_bodies, 6) [rad/s, m/s]. Where dynamics measure them: `loops`, distance and
    angle of every loop joint, shape (n_loops, 2) [m, rad]; `energies`, kinetic and potential of the bodies, shape (2,)
    [J]. Of many instants every array has one more dimension before these.
    """

    position: Array
    velocity: Array
    motor_effort: Array
    body_poses: Array
    body_velocities: Array
    loops: Array = field(default_factory=lambda: NO_LOOPS)
    energies: Array = field(default_factory=lambda: NO_ENERGIES)


def instants(states: BackendState, which: int | Sequence[int] | Ints) -> BackendState:
    """One of many instants, or some."""
    s = states
    axes = s.position[which], s.velocity[which], s.motor_effort[which]
    bodies = s.body_poses[which], s.body_velocities[which]
    return BackendState(*axes, *bodies, loops=s.loops[which], energies=s.energies[which])


def joined(parts: Sequence[BackendState]) -> BackendState:
    """Instants of several parts, one after the other."""
    arrays = (
        (s.position, s.velocity, s.motor_effort, s.body_poses, s.body_velocities, s.loops, s.energies) for s in parts
    )
    *seen, loops, energies = (np.concatenate(same) for same in zip(*arrays, strict=True))
    position, velocity, effort, poses, velocities = seen
    return BackendState(position, velocity, effort, poses, velocities, loops=loops, energies=energies)


@dataclass(frozen=True)
class Law:
    """What spring and damper do to an axis: -stiffness (q - reference) - damping qd [N m or N]."""

    axis: int
    stiffness: float
    reference: float
    damping: float


@dataclass(frozen=True)
class StepSeries:
    """So many steps. `efforts` of drives, shape (1, n_axes) where they stay the same, else (count, n_axes). Axes with
    `laws` are among those that are `watched`, whose state is read after every step; `position` and `velocity`
    (n_watched,) say where these are at the start. `looks`: after which steps (1 … count, in order) everything is read.
    `command(k)` is called before step k, counted from 0, and says whether to make it."""

    count: int
    efforts: Array
    laws: tuple[Law, ...]
    watched: tuple[int, ...]
    position: Array
    velocity: Array
    looks: Sequence[int]
    command: Callable[[int], bool] | None = None


@dataclass(frozen=True)
class Seen:
    """Of the watched axes after the steps that were `made`, shape (made, n_watched) each; and everything at the
    looks: a state of so many instants."""

    made: int
    position: Array
    velocity: Array
    motor_effort: Array
    looks: BackendState


class Underway(Protocol):
    """A series of which some steps are made."""

    @property
    def made(self) -> int:
        """So many."""
        ...

    def make(self, steps: int) -> None:
        """Advance by so many steps, or fewer if `StepSeries.command` says so."""
        ...

    def seen(self) -> Seen:
        """What was seen of them, for once."""
        ...


class Strider(Protocol):
    """Dynamics that can make steps without being read."""

    def begin(self, series: StepSeries) -> Underway:
        """Make no step yet."""
        ...

    def axes(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes now, shape (n_axes,) each."""
        ...


@dataclass(frozen=True)
class Contact:
    """Two bodies that touch. `point` and `normal` (towards the first body) in the world; on the first body, means over
    the last step: `force` [N] along the normal, `friction` [N] across it in world axes, and `twist` [N m], the moment
    of friction about the normal. `bodies` are indices; `names` those of the bodies, as a simulation shows them."""

    bodies: tuple[int, int]
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    force: float
    friction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    twist: float = 0.0
    names: tuple[str, str] = ("", "")


class GearRows(Protocol):
    """A physics engine that has rows of its own for couplings and loops."""

    def add_gear(self, coupling: Coupling) -> None:
        """Hold sum(a_i q_i) = constant between two tree axes with the engine's own gear row."""
        ...

    def add_loop(self, loop: MechanismJoint, *, planar: bool) -> None:
        """Hold a loop joint with the engine's own point and weld rows."""
        ...


class Dynamics(Protocol):
    """One mechanism that moves, its couplings and loops held by some strategy, in steps of `dt` [s]."""

    dt: float

    @property
    def name(self) -> str:
        """The strategy, as users type it: gear, rows, reduced."""
        ...

    @property
    def integrated(self) -> IntegratedDynamics | None:
        """Itself, if springs, dampers, joint friction, rotors, loads and loop joints' axes are part of its equations.
        If not, they come with the efforts of each step, friction with motors, loop joints' axes are measured from
        poses, and rotors are left out."""
        ...

    @property
    def strider(self) -> Strider | None:
        """What makes many steps without being read, where dynamics that are not compiled can."""
        ...

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says."""
        ...

    def read(self) -> BackendState:
        """The state now."""
        ...

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """A motor row: reach `velocity`, or `position` at no more than |velocity| (0: no bound), with at most
        `max_effort`; 0 is off."""
        ...

    def set_wrenches(self, wrenches: Array) -> None:
        """What loads do to the bodies in the next step, where they are not: moment about the centre of mass and force,
        world axes, shape (n_bodies, 6)."""
        ...

    def set_efforts(self, efforts: Array) -> None:
        """Efforts on all axes in the next step, shape (n_axes,) [N m or N]; on a loop joint's axis they act on its two
        bodies."""
        ...

    def step(self) -> None:
        """Advance by one time step."""
        ...

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        ...

    def close(self) -> None:
        """Free the engine. Safe to call twice."""
        ...


class IntegratedDynamics(Dynamics, Protocol):
    """Dynamics that move by their own equations, compiled, with all that acts beside drives."""

    @property
    def bounded(self) -> BoundedMechanism:
        """The compiled mechanism."""
        ...

    def can_step_blocks(self) -> bool:
        """Whether the compiled mechanism may be advanced many steps from the present state, with nothing to be done
        between them."""
        ...

    def start_motors(self, speeds: Mapping[int, float]) -> None:
        """The drives of these axes begin or jump in the next step, to that velocity (nan: to that of the approach to a
        position)."""
        ...

    def efforts_now(self, rates: Mapping[int, float], pushed: Array) -> dict[int, float]:
        """Efforts at the present state of the motors that keep the `rates` of their velocities, whatever their limits;
        those that can be known. `pushed`: what drives push the axes with now beside them, shape (n_axes,), motors with
        a rate of nan among them."""
        ...

    def approach(self, axis: int, numbers: tuple[float, float], pushed: Array) -> float:
        """Velocity with which the motor on an axis approaches a position at the present state, no faster than its
        effort can brake; nan where dynamics do not tell. `numbers`: as `set_motor` is given, the position and the
        largest speed; `pushed`: what drives push the axes with now, shape (n_axes,)."""
        ...

    def held(self) -> dict[int, tuple[float, str]]:
        """Axes of motors without an effort limit that stops or contacts have kept from their velocity since this was
        asked last: from when on [s], and what it was, where dynamics tell."""
        ...

    def set_servos(self, servos: Sequence[Servo]) -> None:
        """Loops of the next step, where passive efforts are integrated; elsewhere loops come as efforts."""
        ...

    def set_time(self, time: float) -> None:
        """The simulated time [s] at which the next step begins: loads are functions of it, where they are part of the
        equations."""
        ...

    def trouble(self) -> str:
        """Why the last step could not do what was asked of it, in a sentence that names the joint; else nothing."""
        ...

    def keep(self) -> Callable[[], None] | None:
        """All that a step changes: calling what is returned takes back what was done since. None where that cannot be
        done, or nothing is left to halving: no loop can come open, nothing can touch, and no row acts on an axis."""
        ...

    def is_unbalanced(self, energies: tuple[float, float], change: float) -> bool:
        """Whether contacts, stops or speed limits gave more energy in the last step than steps may, although they had
        stored none: their forces are constant over a step, and what they act on has turned round within it; or whether
        the error of the energy balance changed by more than some hundredths of the largest kinetic energy so far.
        `energies`: kinetic and potential after the step, `change` of the error [J]. False where that is not known."""
        ...

    def opened_loop(self) -> str:
        """What came open in the last step, if that is the trouble: `the loop closed by 'NAME'`, or, where there are no
        loops, `the coupling of 'NAME'`, whose law is a curve; else nothing."""
        ...

    def use_other_rows(self) -> bool:
        """Close the loops by other rows than before, where some follow from others; whether there are any."""
        ...

    def branches(self) -> tuple[str, ...]:
        """Which of several motions loops took where these meet, since `set_state`: a sentence each, of the first
        times."""
        ...
