"""The freedoms of a mechanism as a user sees them: as many axes as it can move in, and how far each of them goes.

Independent axes are chosen one after the other: each must move by its own part of the null space of the constraints,
what is left of its row when the rows of those before are taken away (Gram-Schmidt). An axis at a dead point has none,
and is not chosen. The end of an axis is where one of all axes meets a limit, or where the axis turns round although the
mechanism moves further, a dead point: found along the way, on its branch, the other independent axes at rest.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.special import crossings_of, turn_beyond
from simulator.analysis.sweeps import Move, Route
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import column_lengths
from simulator.kinematics.limits import limits_of
from simulator.mechanism.types import MotionKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.sweeps import Sweeper, Swept
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


RANK = 1e-6
"""Singular values of the constraints below this part of the largest are zero."""
OWN = 0.05
"""Part of an axis' motion that those chosen before must leave it."""
MOVES = 0.01
"""An axis that moves by less than this part of the most mobile one is at a dead point, or nearly."""
TOUCHING = 1e-9
"""Distance [rad or m] at which an axis is at its limit."""
POINTS = 182
"""Of a sweep."""
SPAN = 4.0
"""How far an axis that slides is followed, in sizes of the mechanism."""


class Cause(str, Enum):
    """Why an axis goes no further."""

    NONE = ""
    LIMIT = "limit"
    DEAD_POINT = "dead point"


@dataclass(frozen=True)
class End:
    """Where an axis ends [rad or m]; `axis`: whose limit it is, or the one that is at a dead point; -1 if it has no
    end."""

    position: float
    cause: Cause = Cause.NONE
    axis: int = -1


@dataclass(frozen=True)
class Reach:
    """How far an axis goes from where it is, on its branch."""

    low: End
    high: End


def free_axes(kinematics: Kinematics, state: JointState, preferred: Sequence[int] = ()) -> tuple[int, ...]:
    """Axes that determine the position, as many as there are freedoms that are axes, in the order of the document.

    `preferred` axes are taken first where they are independent; then leaders that have motors or limits or are on the
    ground.
    """
    mechanism = kinematics.mechanism
    if not mechanism.has_curves and not preferred:
        return mechanism.independent_axes()
    rows = _rows(kinematics, state)
    count = rows.shape[1]
    usual = float(np.linalg.norm(rows, axis=1).max(initial=0.0))
    chosen = list[int]()
    basis = np.zeros((0, count))
    for axis in [*preferred, *sorted(set(range(len(rows))) - set(preferred), key=lambda a: _rank(mechanism, a))]:
        length = float(np.linalg.norm(rows[axis]))
        if len(chosen) == count or length < MOVES * usual or axis in chosen:
            continue
        left = rows[axis] - basis.T @ (basis @ rows[axis])
        if np.linalg.norm(left) > OWN * length:
            chosen.append(axis)
            basis = np.vstack((basis, left / np.linalg.norm(left)))
    return tuple(sorted(chosen))


def _rows(kinematics: Kinematics, state: JointState) -> Array:
    """Velocity of every axis per unit of orthonormal motions that constraints allow, shape (n_axes, n); lengths as
    parts of the size."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    size = _size(kinematics, state)
    scale = np.where(column_lengths(mechanism), size, 1.0)
    K = kinematics.constraint_matrix(state) * scale
    lengths = np.linalg.norm(K, axis=1)
    K = K[lengths > RANK * lengths.max(initial=0.0)]
    K /= np.linalg.norm(K, axis=1)[:, None]
    _, sizes, right = np.linalg.svd(K, full_matrices=True)
    free = right[int(np.sum(sizes > RANK * sizes.max(initial=0.0))) :].T
    rows = np.array([kinematics.axis_row(axis, state, poses) for axis in range(len(mechanism.axes))])
    slides = np.array([info.kind is MotionKind.TRANSLATION for info in mechanism.axes], dtype=bool)
    moved: Array = (rows.reshape(-1, kinematics.layout.size) * scale) @ free
    return moved / np.where(slides, size, 1.0)[:, None]


def _size(kinematics: Kinematics, state: JointState) -> float:
    """The largest distance between origins of bodies [m]."""
    origins = kinematics.body_matrices(state)[:, :3, 3]
    return float(np.ptp(origins, axis=0).max(initial=0.0)) or 1.0


def _rank(mechanism: Mechanism, axis: int) -> tuple[bool, bool, bool, bool, bool, int]:
    """What is chosen first: leaders, in the tree, with a motor's effort or a limit, on the ground, early in the
    document."""
    info = mechanism.axes[axis]
    grounded = any(
        joint.parent == 0 and any(motion.axis == axis for motion in joint.motions) for joint in mechanism.joints
    )
    leading = axis in set(mechanism.independent_axes())
    return not leading, not info.in_tree, not math.isfinite(info.axis.effort), not info.limited, not grounded, axis


def reach_of(
    sweeper: Sweeper | None, state: JointState, mechanism: Mechanism, axis: int, others: Sequence[int]
) -> Reach:
    """How far `axis` goes from `state` while `others` stay; `sweeper` is needed where there are loops.

    Raises UsageError or AssemblyError where the axis cannot be moved by itself.
    """
    low, high = (_end_of_axis(sweeper, state, mechanism, axis, others, sense) for sense in (-1.0, 1.0))
    return Reach(low, high)


def _end_of_axis(
    sweeper: Sweeper | None, state: JointState, mechanism: Mechanism, axis: int, others: Sequence[int], sense: float
) -> End:
    if sweeper is None or not mechanism.has_curves:
        return _end_of_chain(state, mechanism, axis, sense)
    info = mechanism.axes[axis].axis
    position = state.position
    turning = mechanism.axes[axis].kind is MotionKind.ROTATION
    span = 2.0 * math.pi if turning else SPAN * _size(sweeper.swept.kinematics, state)
    own = info.lower if sense < 0.0 else info.upper
    begin = float(position[axis])
    limited = math.isfinite(own) and abs(own - begin) < 10.0 * span
    end = own if limited else begin + sense * span
    if sense * (end - begin) < TOUCHING:
        return End(begin, Cause.LIMIT, axis)
    held = [Move(other, float(position[other]), float(position[other])) for other in others if other != axis]
    swept = sweeper.along(state, Route((Move(axis, begin, end), *held), POINTS), loads=False)
    dead = _dead_point(swept) if swept.ended else None
    stopped = _first_limit(swept, axis, sense)
    if stopped is not None:
        return stopped
    if dead is not None:
        return End(dead, Cause.DEAD_POINT, axis)
    return End(end, Cause.LIMIT, axis) if limited else End(end)


def _first_limit(swept: Swept, driver: int, sense: float) -> End | None:
    """The limit of another axis that is met first on the way."""
    mechanism = swept.mechanism
    met = list[End]()
    limits = limits_of(mechanism)
    begin = swept.position[0]
    rate = sense * swept.ratio[0]
    # What stands at its limit passes it by rounding, from point to point.
    moving = np.ptp(swept.position, axis=0) > TOUCHING
    for axis in range(len(mechanism.axes)):
        below = begin[axis] < limits.lower[axis] + TOUCHING and rate[axis] < -TOUCHING
        above = begin[axis] > limits.upper[axis] - TOUCHING and rate[axis] > TOUCHING
        if axis != driver and (below or above):
            return End(float(begin[driver]), Cause.LIMIT, axis)
        crossings = crossings_of(swept, axis) if axis != driver and moving[axis] else ()
        met += [End(item.driver, Cause.LIMIT, axis) for item in crossings if item.outwards]
    return min(met, key=lambda end: sense * end.position, default=None)


def _dead_point(swept: Swept) -> float:
    """Where the sweep ended, to round-off where one axis moves alone."""
    found = turn_beyond(swept) if len(swept.route.moves) == 1 else None
    return swept.stopped if found is None else found


def _end_of_chain(state: JointState, mechanism: Mechanism, axis: int, sense: float) -> End:
    """Without loops: the first limit of the axes that couplings move along."""
    limits = limits_of(mechanism)
    begin = float(state.position[axis])
    met = list[End]()
    rows, slopes = coupled_axes(mechanism, {}).moving_with(axis)
    for other, slope in zip(rows.tolist() or [axis], slopes.tolist() or [1.0], strict=True):
        limit = float(limits.upper[other] if sense * slope > 0.0 else limits.lower[other])
        if math.isfinite(limit) and slope != 0.0:
            met.append(End(begin + (limit - float(state.position[other])) / slope, Cause.LIMIT, other))
    span = 2.0 * math.pi if mechanism.axes[axis].kind is MotionKind.ROTATION else SPAN
    return min(met, key=lambda end: sense * end.position, default=End(begin + sense * span))
