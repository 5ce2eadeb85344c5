"""Drives that an axis cannot have, with reasons in the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.errors import UsageError
from simulator.mechanism.law_text import law

if TYPE_CHECKING:
    from simulator.engine.drives import Setpoint
    from simulator.engine.port import Dynamics
    from simulator.mechanism.types import Mechanism


def require_axis(mechanism: Mechanism, axis: int) -> None:
    """Raise UsageError for an axis that does not exist."""
    if not 0 <= axis < len(mechanism.axes):
        raise UsageError(f"there is no axis {axis}; the mechanism has {len(mechanism.axes)}")


def require_drivable(mechanism: Mechanism, axis: int, setpoint: Setpoint, dynamics: Dynamics) -> None:
    """Raise UsageError for a follower, for a motor on the axis of a loop joint if the strategy has none, and for what
    is not a number."""
    name = mechanism.axes[axis].name
    coupling = next((one for one in mechanism.couplings if one.follower == axis and one.ties), None)
    if coupling is not None:
        leader = mechanism.axes[coupling.leader].name
        raise UsageError(
            f"'{name}' follows another axis and cannot be driven: {law(coupling, mechanism)}; drive '{leader}' instead"
        )
    if not mechanism.axes[axis].in_tree and setpoint.kind is not DriveKind.EFFORT and dynamics.integrated is None:
        raise UsageError(
            f"'{name}' closes a loop: under strategy {dynamics.name} it takes effort drives only; drive another joint "
            "of the loop, or choose strategy rows"
        )
    if not np.isfinite(setpoint.value):
        raise UsageError(f"a {setpoint.kind.value} of {setpoint.value:g} for '{name}' cannot be driven")
