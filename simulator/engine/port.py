"""What the engine asks of a physics backend; `bullet` fulfils it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.dynamics.state import JointState
    from simulator.mechanism.types import Coupling, MechanismJoint

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class BackendState:
    """What a backend reads after a step.

    `position`, `velocity`: shape (n_axes,); axes of loop joints are nan. `motor_effort`: shape (n_axes,), what the backend's motor rows
    applied during the last step [N m or N]. `body_poses`: X_WB, shape (n_bodies, 7). `body_velocities`: angular velocity and velocity of
    the centre of mass, world axes, shape (n_bodies, 6) [rad/s, m/s].
    """

    position: Array
    velocity: Array
    motor_effort: Array
    body_poses: Array
    body_velocities: Array


class Backend(Protocol):
    """A physics engine that holds one mechanism."""

    @property
    def integrates_passive(self) -> bool:
        """Whether springs and dampers are part of its equations already; if not, they come with the efforts of each step."""
        ...

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says."""
        ...

    def read(self) -> BackendState:
        """The state now."""
        ...

    def apply_efforts(self, efforts: Array) -> None:
        """Efforts on all axes for the next step, shape (n_axes,); on a loop joint's axis they act on its two bodies."""
        ...

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """A motor row: reach `velocity`, or `position` at no more than |velocity| (0: no bound), with at most `max_effort`; 0 is off."""
        ...

    def add_gear(self, coupling: Coupling) -> None:
        """Hold sum(a_i q_i) = constant between two tree axes with the engine's own gear row."""
        ...

    def add_loop(self, loop: MechanismJoint, *, planar: bool) -> None:
        """Hold a loop joint with the engine's own point and weld rows."""
        ...

    def step(self) -> None:
        """Advance by one time step."""
        ...

    def contact_count(self) -> int:
        """How many contact points there are now."""
        ...

    def close(self) -> None:
        """Free the engine. Safe to call twice."""
        ...
