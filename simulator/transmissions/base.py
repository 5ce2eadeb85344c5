"""What every transmission is: an invertible linear map between the velocities of joints and of actuators, and the
joints' zeros.

With A of shape (n, n), A_ij the turns of actuator i for one turn of joint j while the other joints are at rest:

    ẋ_actuator = A · ẋ_joint            x_actuator = A · (x_joint − offset)            τ_joint = Aᵀ · τ_actuator

Power is the same on both sides: τ_jointᵀ ẋ_joint = τ_actuatorᵀ A ẋ_joint = τ_actuatorᵀ ẋ_actuator. The way back is A⁻¹;
`offset` is where the joints are when the actuators are at zero. A positive entry means that both sides turn in the
positive direction of their own axes; a negative reduction turns one of them round. This is what ros2_control's
`transmission_interface` computes, by one map.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class Transmission(ABC):
    """The interface of all kinds. A kind names its roles and gives `matrix`; everything else follows.

    Values are in the order of `ACTUATORS` and `JOINTS` (the roles), in the last axis of an array; axes before it are
    samples. Units: those of the joints [rad, rad/s, N·m or m, m/s, N], times the units that the reductions bring.
    `parameters` are the transmission's `<param>`. Raises UsageError for wrong numbers of values, and for reductions or
    offsets that no transmission has.
    """

    ACTUATORS: ClassVar[tuple[str, ...]]
    JOINTS: ClassVar[tuple[str, ...]]

    actuator_reductions: tuple[float, ...]
    joint_reductions: tuple[float, ...]
    joint_offsets: tuple[float, ...]
    parameters: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be a transmission."""
        _check_reductions("actuator", self.actuator_reductions, self.ACTUATORS)
        _check_reductions("joint", self.joint_reductions, self.JOINTS)
        _check_count("joint offsets", self.joint_offsets, self.JOINTS)
        if not all(math.isfinite(offset) for offset in self.joint_offsets):
            raise UsageError(f"a joint offset must be a finite number, not {_numbers_text(self.joint_offsets)}")

    @abstractmethod
    def matrix(self) -> Array:
        """A, shape (n_actuators, n_joints): ẋ_actuator = A ẋ_joint."""

    def inverse(self) -> Array:
        """A⁻¹, shape (n_joints, n_actuators). Kinds override it where a closed form is more exact than a
        factorisation."""
        return np.asarray(np.linalg.inv(self.matrix()), dtype=np.float64)

    def joint_effort(self, actuator_effort: ArrayLike) -> Array:
        """τ_joint = Aᵀ τ_actuator."""
        return _mapped(actuator_effort, self.ACTUATORS, "actuator", self.matrix())

    def joint_velocity(self, actuator_velocity: ArrayLike) -> Array:
        """ẋ_joint = A⁻¹ ẋ_actuator."""
        return _mapped(actuator_velocity, self.ACTUATORS, "actuator", self.inverse().T)

    def joint_position(self, actuator_position: ArrayLike) -> Array:
        """x_joint = A⁻¹ x_actuator + offset."""
        position: Array = self.joint_velocity(actuator_position) + np.array(self.joint_offsets)
        return position

    def actuator_effort(self, joint_effort: ArrayLike) -> Array:
        """τ_actuator = A⁻ᵀ τ_joint."""
        return _mapped(joint_effort, self.JOINTS, "joint", self.inverse())

    def actuator_velocity(self, joint_velocity: ArrayLike) -> Array:
        """ẋ_actuator = A ẋ_joint."""
        return _mapped(joint_velocity, self.JOINTS, "joint", self.matrix().T)

    def actuator_position(self, joint_position: ArrayLike) -> Array:
        """x_actuator = A (x_joint − offset)."""
        return self.actuator_velocity(np.asarray(joint_position, dtype=np.float64) - np.array(self.joint_offsets))


def _check_reductions(what: str, reductions: tuple[float, ...], roles: tuple[str, ...]) -> None:
    _check_count(f"{what} reductions", reductions, roles)
    if not all(math.isfinite(value) and value != 0.0 for value in reductions):
        raise UsageError(f"{what} reductions must be finite and not zero, not {_numbers_text(reductions)}")


def _check_count(what: str, values: tuple[float, ...], roles: tuple[str, ...]) -> None:
    if len(values) != len(roles):
        raise UsageError(f"{len(roles)} {what} are needed, for {', '.join(roles)}; there are {len(values)}")


def _numbers_text(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _mapped(values: ArrayLike, roles: tuple[str, ...], what: str, matrix: Array) -> Array:
    """`values` @ `matrix`, the last axis of `values` having one entry for each role."""
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape[-1:] != (len(roles),):
        raise UsageError(f"{len(roles)} {what} values are needed, for {', '.join(roles)}; the shape is {rows.shape}")
    product: Array = rows @ matrix
    return product
