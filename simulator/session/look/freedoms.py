"""The freedoms of a mechanism at a moment: axes to move it by, and the range of each."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from simulator.analysis.freedoms import Cause, Reach, free_axes, reach_of
from simulator.analysis.sweeps import Sweeper
from simulator.errors import SimulatorError
from simulator.kinematics.closure import closure_of
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.session.look.condition_here import state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism


def free_axes_at_start(
    mechanism: Mechanism, preferred: Sequence[int] = (), start: JointState | None = None
) -> tuple[int, ...]:
    """Axes that determine the position, one for each degree of freedom of the motion, which a singular start has more
    of; if the start cannot be assembled, all that are not dependent. `start`: the assembled one, if it is known."""
    if not mechanism.has_curves:
        return mechanism.independent_axes()
    kinematics = Kinematics(mechanism).as_meant
    try:
        closure = closure_of(kinematics, start or starting_pose(kinematics, {}).state)
        return free_axes(kinematics, closure.generic, preferred)
    except SimulatorError:
        return mechanism.independent_axes()


def free_axes_at(mechanism: Mechanism, snapshot: Snapshot, preferred: Sequence[int]) -> tuple[int, ...]:
    """The same axes at a snapshot, with `preferred` ones if they are independent there."""
    return free_axes(Kinematics(mechanism).as_meant, state_of(mechanism, snapshot), preferred)


def reaches_at(mechanism: Mechanism, snapshot: Snapshot, axes: Sequence[int]) -> dict[int, Reach]:
    """Range of each of the independent `axes` from its present position, the others at rest, or as far as a singular
    position lets them be held; those without a known range are omitted."""
    state = state_of(mechanism, snapshot)
    sweeper = Sweeper(Kinematics(mechanism).as_meant) if mechanism.has_curves else None
    found = {}
    for axis in axes:
        for held in (axes, (axis,)):
            with suppress(SimulatorError):
                found[axis] = reach_of(sweeper, state, mechanism, axis, held)
                break
    return found


def ends_text(mechanism: Mechanism, axis: int, reach: Reach) -> tuple[str, str]:
    """What limits an axis at both ends: `dead point`, `limit`, `limit of rocker_joint`; empty for a continuous one."""
    low, high = (
        ("limit" if end.axis == axis else f"limit of {mechanism.axes[end.axis].name.rpartition('::')[2]}")
        if end.cause is Cause.LIMIT
        else end.cause.value
        for end in (reach.low, reach.high)
    )
    return low, high
