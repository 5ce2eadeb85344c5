"""The start of a mechanism: at the positions of the document and the user, couplings and loops closed, within
all limits.

Positions that the document asks for outside of the limits move to the nearest allowed ones; positions that the user
asks for are met or refused.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.allowed import with_loop_axes, within_limits
from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.limits import WITHIN, limits_of, range_text, require_in_order
from simulator.kinematics.state import rest_state
from simulator.mechanism.real_couplings import is_loose, without_couplings
from simulator.mechanism.types import JointKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from simulator.kinematics.assembly import Assembly
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.model.link import Link
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose


@dataclass(frozen=True)
class Start:
    """`state`: assembled and within the limits, at rest; `asked`: positions of the axes without limits, shape
    (n_axes,)."""

    state: JointState
    asked: Array


def starting_pose(
    kinematics: Kinematics, initial: Mapping[int, float], as_written: Callable[[], Assembly] | None = None
) -> Start:
    """The start. `initial`: positions that the user asks for, by axis; `as_written`: gives the assembly of
    `kinematics` at the document's own positions, where that has been looked for already.

    Raises UsageError for one outside of its axis' limits, AssemblyError if couplings and loops cannot hold,
    LimitsError if they can but not within the limits.
    """
    mechanism = kinematics.mechanism
    said = {i for i, info in enumerate(mechanism.axes) if info.axis.start_source is not None}
    whole = kinematics.as_meant
    kinematics = as_stated(kinematics, {**document_positions(mechanism), **initial}, said).as_meant
    require_in_order(mechanism)
    for axis, value in initial.items():
        require_within(mechanism, axis, value)
    wanted = document_positions(mechanism)
    nearest = dict(enumerate(limits_of(mechanism).clipped(_axis_values(mechanism, wanted)).tolist()))
    # The document's positions are wishes: first as they are, and only where loops cannot follow, those within the
    # limits.
    moved_in = {axis: nearest[axis] for axis in wanted if nearest[axis] != wanted[axis]}
    rest = rest_state(mechanism)
    try:
        if as_written is not None and kinematics is whole and not initial:
            assembled = as_written().state
        else:
            assembled = assemble(kinematics, rest, {**wanted, **initial}, search=True).state
    except AssemblyError:
        if not moved_in:
            raise
        assembled = assemble(kinematics, rest, {**wanted, **moved_in, **initial}, search=True).state
    asked = with_loop_axes(kinematics, assembled).position.copy()
    for axis in moved_in.keys() - initial.keys():
        asked[axis] = wanted[axis]
    return Start(within_bounds(whole, within_limits(kinematics, assembled, initial)), asked)


def placed(kinematics: Kinematics, state: JointState, axis: int, value: float) -> JointState:
    """`state` with one axis at `value`, the rest assembled around it within the limits.

    Raises UsageError for a value outside of the axis' limits, AssemblyError if nothing allows it.
    """
    return placed_at(kinematics, state, {axis: value})


def placed_at(
    kinematics: Kinematics, state: JointState, positions: Mapping[int, float], *, search: bool = False
) -> JointState:
    """As `placed`, for several axes at once. `search`: see `assemble`."""
    for axis, value in positions.items():
        require_within(kinematics.mechanism, axis, value)
    whole = kinematics
    kinematics = as_stated(kinematics, positions).as_meant
    found = within_limits(kinematics, assemble(kinematics, state, positions, search=search).state, positions)
    return within_bounds(whole, found)


def within_bounds(kinematics: Kinematics, state: JointState) -> JointState:
    """The state. Raises AssemblyError, by name, where the expression of a constraint is beyond rigid bounds there."""
    for coupling, message in out_of_bounds(kinematics, state):
        raise AssemblyError(f"{message} ({coupling.source})")
    return state


def out_of_bounds(kinematics: Kinematics, state: JointState) -> list[tuple[Coupling, str]]:
    """The constraints whose expression is beyond rigid bounds in a state, and how far."""
    bounding = [one for one in kinematics.mechanism.left_out if one.bounds and one.real.stiffness == 0.0]
    found = []
    for coupling in bounding:
        value, most = coupling.residual(state.position), coupling.real.half_width
        if not abs(value) <= most + WITHIN:  # or no number
            message = f"the constraint '{coupling.name}' is {value:.6g} at the start, and is to be within {most:.6g}"
            found.append((coupling, message))
    return found


def as_stated(kinematics: Kinematics, positions: Mapping[int, float], said: Collection[int] = ()) -> Kinematics:
    """The same without the couplings with play or elasticity all of whose axes are among `positions`, or are `said` to
    be at 0: these start where they are stated, not where the law would have them. Raises AssemblyError for a place
    beyond rigid flanks."""
    found = without_stated(kinematics, {*positions, *said})
    axes = kinematics.mechanism.axes
    everywhere = [positions.get(axis, 0.0) for axis in range(len(axes))]
    for coupling in found.mechanism.left_out:
        half, z = coupling.real.half_width, coupling.residual(everywhere)
        if coupling.ties and coupling.real.stiffness == 0.0 and abs(z) > half + WITHIN:
            info = axes[coupling.follower]
            raise AssemblyError(
                f"'{info.name}' cannot start {z:g} {info.unit} beside its law: its play is {half:g} {info.unit} to "
                "each side"
            )
    return found


def without_stated(kinematics: Kinematics, stated: Collection[int]) -> Kinematics:
    """The same without the couplings with play or elasticity all of whose axes are `stated`."""

    def is_free(coupling: Coupling) -> bool:
        return is_loose(coupling) and all(axis in stated for axis, _ in coupling.terms)

    mechanism = without_couplings(kinematics.mechanism, is_free)
    return kinematics if mechanism is kinematics.mechanism else Kinematics(mechanism)


def require_within(mechanism: Mechanism, axis: int, value: float) -> None:
    """Raise UsageError for a position outside of the limits of its axis."""
    limits = limits_of(mechanism)
    info = mechanism.axes[axis]
    if max(limits.lower[axis] - value, value - limits.upper[axis]) > WITHIN:
        raise UsageError(f"'{info.name}' cannot be put at {value:.6g} {info.unit}: its limits are {range_text(info)}")


def document_positions(mechanism: Mechanism) -> dict[int, float]:
    """Initial positions that the document itself asks for, by axis."""
    return {i: info.axis.initial_position for i, info in enumerate(mechanism.axes) if info.axis.initial_position != 0.0}


def document_velocities(mechanism: Mechanism) -> dict[int, float]:
    """Velocities that the document itself asks for, cut at the velocity limits, by axis."""
    return {
        i: float(np.clip(info.axis.initial_velocity, -info.axis.velocity, info.axis.velocity))
        for i, info in enumerate(mechanism.axes)
        if info.axis.initial_velocity != 0.0
    }


def document_twists(mechanism: Mechanism) -> dict[str, Array]:
    """Start velocities that the document gives to links of floating bodies, by link: angular, then of the link's
    origin, world axes, shape (6,)."""
    return {
        link.name: np.array((*link.start_velocity.angular, *link.start_velocity.linear))
        for body, link, _ in thrown_links(mechanism)
        if mechanism.joints[body - 1].kind is JointKind.FREE and link.start_velocity is not None
    }


def thrown_links(mechanism: Mechanism) -> list[tuple[int, Link, Pose]]:
    """Body, link and X_BL of the links to which the document gives a start velocity: the first of each body."""
    found = []
    for index, body in enumerate(mechanism.bodies[1:], 1):
        asked = ((index, link, X_BL) for link, X_BL in zip(body.links, body.X_BL, strict=True) if link.start_velocity)
        found += [*islice(asked, 1)]
    return found


def _axis_values(mechanism: Mechanism, values: Mapping[int, float]) -> Array:
    spread = np.zeros(len(mechanism.axes))
    for axis, value in values.items():
        spread[axis] = value
    return spread
