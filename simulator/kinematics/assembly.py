"""Positions that satisfy all couplings and loops, near requested ones.

Couplings between tree axes are solved for the axes that stay free (`coupled_axes`). The rest are the loops, and
couplings or requests on loop joints' own axes: Newton's method with the pseudo-inverse (smallest change of the
unknowns) on their residuals, with step halving; positions that the user gave stay. Axes that are out of line by a
rounding are corrected.

Newton's method finds no way from a singular pose (bars stretched into a line that is too short), nor over a hill. Then
it starts from poses around it, at random but always the same ones, ever further away; the nearest result wins.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import Kinematics, column_lengths, constrained_directions
from simulator.kinematics.state import JointState
from simulator.mechanism.loops import loop_path
from simulator.mechanism.residuals import coupling_residuals, loop_frames, loop_motion, loop_residuals
from simulator.mechanism.types import JointKind, MotionKind
from simulator.records import dataclass
from simulator.spatial.rotation import matrix_from_axis_angle, rotation_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.kinematics.coupled_axes import CoupledAxes
    from simulator.mechanism.types import Coupling, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


CLOSED = 1e-12
"""Loop residual [m, rad] below which a loop counts as closed."""
STOPPED = 1e-9
"""Residual at which Newton may stop if round-off of the document's own figures allows no better."""
MAX_ITERATIONS = 60
PIECE = 0.2
"""Longest way [rad or m] that a fixed axis moves at once if loops have to follow."""
FINER = 8
"""Factor of the number of pieces after loops could not follow."""


TRIES = ((0.02, 6), (0.1, 6), (0.3, 8), (1.0, 12), (2.5, 16))
"""Distances [rad, or the mechanism's size] at which starts are tried, and their number there."""
MOST_WORK = 20_000
"""Limit of the entries of a mechanism's matrix at each distance, so that many freedoms get fewer starts."""
SLOW, PATIENCE = 0.8, 5
"""A start is given up after more iterations in a row that leave more than this part of the error: a converging
search closes loops ever faster, and at a change point leaves a quarter."""
SAME = 1e-6
"""Positions [rad or m] nearer than this are one way to assemble a mechanism."""


@dataclass(frozen=True)
class Assembly:
    """An assembled state, the largest distance that an axis had to move [rad or m] to get there, and the number of
    states found: `ways` is 1 if Newton's method went straight there."""

    state: JointState
    moved: float
    ways: int = 1


class _StaysOpenError(AssemblyError):
    """Newton's method ended at `state`, with loops that are not closed. `gap`: of the widest [m + rad]."""

    def __init__(self, kinematics: Kinematics, state: JointState, held: Mapping[int, float]) -> None:
        self.state, self.held = state, held
        gaps = loop_residuals(kinematics.mechanism, kinematics.body_matrices(state)).sum(axis=1)
        self.gap = max(float(gaps.max(initial=0.0)), _widest_curve(kinematics.mechanism, state)[1])
        super().__init__("loops stay open")  # in words by `said_of`, for the one of dozens that the user gets to see

    def said_of(self, kinematics: Kinematics, start: JointState) -> AssemblyError:
        """The failure in words, with the residual at `start`."""
        return AssemblyError(_open_message(kinematics, start, self.state, self.held))


def assemble(
    kinematics: Kinematics, start: JointState, fixed: Mapping[int, float], *, search: bool = False
) -> Assembly:
    """Close couplings and loops. `fixed` maps axes to the positions that the user asked for, which do not change.
    `search`: look around `start` if it leads to no closed pose, which may end on another branch.

    Fixed axes go to their positions in small pieces, and the loops follow piece by piece: Newton's method from afar may
    find another branch, or none. Raises AssemblyError if no position near `start` satisfies everything; the message
    names what stays open.
    """
    kinematics = kinematics.as_meant
    coupled = coupled_axes(kinematics.mechanism, fixed)
    _check_fixed(kinematics.mechanism, coupled, start, fixed)
    way = max((abs(value - start.position[axis]) for axis, value in fixed.items()), default=0.0)
    # Without loops and curves a position is reached at once, by straight laws: pieces would change nothing.
    follow = kinematics.mechanism.has_curves and free_columns(kinematics, coupled, fixed).shape[1] > 0
    pieces = 1 + int(way / PIECE) if follow else 1
    if search:
        _check_lengths(kinematics, coupled, start, fixed)
    ways = 1
    try:
        state = _assemble_in_pieces(kinematics, coupled, start, fixed, pieces)
    except _StaysOpenError as error:
        found, nearest = _second_attempt(kinematics, coupled, start, fixed, pieces, search=search)
        if not found:
            raise min([error, *nearest], key=lambda one: one.gap).said_of(kinematics, start) from None
        state = found[0]
        ways = len(found)
    return Assembly(state, float(np.abs(state.position - start.position).max(initial=0.0)), ways)


def _second_attempt(
    kinematics: Kinematics,
    coupled: CoupledAxes,
    start: JointState,
    fixed: Mapping[int, float],
    pieces: int,
    *,
    search: bool,
) -> tuple[list[JointState], list[_StaysOpenError]]:
    """In finer pieces where there are pieces, else from around the start; the nearest first, and what stayed open."""
    if pieces > 1:
        try:
            return [_assemble_in_pieces(kinematics, coupled, start, fixed, FINER * pieces)], []
        except _StaysOpenError:
            pass
    return _from_around(kinematics, coupled, start, fixed) if search else ([], [])


def _from_around(
    kinematics: Kinematics, coupled: CoupledAxes, start: JointState, fixed: Mapping[int, float]
) -> tuple[list[JointState], list[_StaysOpenError]]:
    """All states that close the loops, found from the smallest distance around `start` at which there is one, the
    nearest first; and the residuals from other starts."""
    mechanism = kinematics.mechanism
    state = replace(start, position=coupled.positions(_with(start, fixed)))
    columns = free_columns(kinematics, coupled, fixed)
    if not mechanism.has_curves or columns.shape[1] == 0:
        return [], []
    held = {axis: value for axis, value in fixed.items() if not mechanism.axes[axis].in_tree}
    lengths = np.where(column_lengths(mechanism), _size(kinematics, state), 1.0)
    generator = np.random.default_rng(0)
    found = list[JointState]()
    opened = list[_StaysOpenError]()
    # An iteration costs about the size of the matrix: large mechanisms get fewer starts, not more time.
    most = max(2, MOST_WORK // columns.size)
    for distance, count in TRIES:
        for _ in range(min(count, most)):
            step = columns @ generator.uniform(-distance, distance, columns.shape[1]) * lengths
            try:
                closed = _close_loops(kinematics, advance(kinematics, state, step), columns, held, PATIENCE)
            except _StaysOpenError as error:
                opened.append(error)
                continue
            # All starts of one distance are looked at before one is chosen: the nearest branch need not be found first.
            if all(np.abs(closed.position - other.position).max(initial=0.0) > SAME for other in found):
                found.append(closed)
        if found:
            break
    found.sort(key=lambda closed: float(np.abs(closed.position - state.position).max(initial=0.0)))
    return found, opened


def _size(kinematics: Kinematics, state: JointState) -> float:
    """The largest distance between origins of bodies [m]."""
    origins = kinematics.body_matrices(state)[1:, :3, 3]
    return float(np.ptp(origins, axis=0).max(initial=0.0)) or 1.0


def _assemble_in_pieces(
    kinematics: Kinematics, coupled: CoupledAxes, start: JointState, fixed: Mapping[int, float], pieces: int
) -> JointState:
    mechanism = kinematics.mechanism
    state = start
    columns = free_columns(kinematics, coupled, fixed) if mechanism.has_curves else None
    for piece in range(1, pieces + 1):
        part = piece / pieces
        asked = {axis: (1.0 - part) * float(start.position[axis]) + part * value for axis, value in fixed.items()}
        state = replace(state, position=coupled.positions(_with(state, asked)))
        if columns is not None:
            held = {axis: value for axis, value in asked.items() if not mechanism.axes[axis].in_tree}
            state = _close_loops(kinematics, state, columns, held)
    return state


def _with(start: JointState, fixed: Mapping[int, float]) -> Array:
    position: Array = start.position.copy()
    for axis, value in fixed.items():
        position[axis] = value
    return position


def _check_fixed(mechanism: Mechanism, coupled: CoupledAxes, start: JointState, fixed: Mapping[int, float]) -> None:
    """Raise AssemblyError if couplings alone forbid the positions that the user asked for."""
    position = coupled.positions(_with(start, fixed))
    for axis, value in fixed.items():
        if mechanism.axes[axis].in_tree and abs(position[axis] - value) > STOPPED:
            name = mechanism.axes[axis].name
            raise AssemblyError(
                f"'{name}' cannot start at {value:g}: the couplings and the other initial positions put it at "
                f"{position[axis]:g}"
            )


def _check_lengths(kinematics: Kinematics, coupled: CoupledAxes, start: JointState, fixed: Mapping[int, float]) -> None:
    """Raise AssemblyError for a loop with a bar that is longer than all others together: no pose around any start
    closes it, and the search through dozens of starts would take 80 times as long as this. The distances of joints that
    turn freely, one after the other around the loop, are those of any state; what lacks is as far as it stays open."""
    mechanism = kinematics.mechanism
    if not mechanism.loop_joints:
        return
    poses = kinematics.body_matrices(replace(start, position=coupled.positions(_with(start, fixed))))
    lacks = [(_lack_of(mechanism, loop, poses, fixed), loop) for loop in mechanism.loop_joints]
    lack, loop = max(lacks, key=lambda item: item[0])
    if lack > STOPPED:
        given = loop_residuals(mechanism, kinematics.body_matrices(start))[mechanism.loop_joints.index(loop)]
        raise AssemblyError(_gap_message(loop.name, given, f"{lack:.3g} m"))


def _lack_of(mechanism: Mechanism, loop: MechanismJoint, poses: Array, fixed: Mapping[int, float]) -> float:
    """By how much the longest bar of a loop is longer than all others together [m], -inf where something slides in it.
    Joints whose axes are all `fixed` are none."""
    parent_side, child_side = loop_path(loop, mechanism.joints)
    path = [mechanism.joints[i] for i in (*parent_side, *reversed(child_side))]
    moving = [one for one in path if not one.motions or any(motion.axis not in fixed for motion in one.motions)]
    if not all(_only_turns(one) for one in (*moving, loop)):
        return -math.inf
    ends = ((loop.parent, loop.X_PJ), *((one.parent, one.X_PJ) for one in moving), (loop.child, loop.X_CJ))
    points = np.array([poses[body, :3, :3] @ X.position + poses[body, :3, 3] for body, X in ends])
    bars = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return float(2.0 * bars.max() - bars.sum())


def _only_turns(joint: MechanismJoint) -> bool:
    """Whether a joint turns about one point, and does nothing else."""
    turns = joint.kind is JointKind.CHAIN and all(motion.kind is MotionKind.ROTATION for motion in joint.motions)
    return turns or joint.kind is JointKind.BALL


def free_columns(kinematics: Kinematics, coupled: CoupledAxes, fixed: Mapping[int, float]) -> Array:
    """Matrix from unknowns to freedoms of the forest, shape (n_dof, n_unknowns): free axes that are not fixed, and
    rotations of balls."""
    mechanism, layout = kinematics.mechanism, kinematics.layout
    columns = []
    for axis in coupled.free:
        if axis in fixed or not mechanism.axes[axis].in_tree:
            continue
        column = np.zeros(layout.size)
        for other, slope in zip(*coupled.moving_with(axis), strict=True):
            # What couplings tie to a free axis moves along in one column, so Newton's steps never break a coupling.
            column[layout.of_axis[other]] = slope
        columns.append(column)
    for joint, first in zip(mechanism.joints, layout.first, strict=True):
        if joint.kind is JointKind.BALL:
            columns += list(np.eye(3, layout.size, first))
    return np.stack(columns, axis=1) if columns else np.zeros((layout.size, 0))


def _close_loops(
    kinematics: Kinematics, state: JointState, columns: Array, held: Mapping[int, float], patience: int = MAX_ITERATIONS
) -> JointState:
    """`patience`: so many iterations in a row may leave more than the part `SLOW` of what was open."""
    residual = residual_of(kinematics, state, held)
    slow = 0
    last = math.inf
    for _ in range(MAX_ITERATIONS):
        left = float(np.linalg.norm(residual))
        slow = slow + 1 if left > SLOW * last else 0
        last = left
        if slow > patience:
            break
        if float(np.abs(residual).max(initial=0.0)) < CLOSED:
            return state
        poses = kinematics.body_matrices(state)
        rows = [kinematics.constraint_matrix(state)]
        rows += [kinematics.axis_row(axis, state, poses)[None] for axis in held]
        step = -np.linalg.pinv(np.concatenate(rows) @ columns, rcond=1e-10) @ residual
        state, residual, improved = _line_search(kinematics, state, columns @ step, residual, held)
        if not improved:
            break
    if float(np.abs(residual).max(initial=0.0)) < STOPPED:
        return state
    raise _StaysOpenError(kinematics, state, held)


def _line_search(
    kinematics: Kinematics, state: JointState, step: Array, residual: Array, held: Mapping[int, float]
) -> tuple[JointState, Array, bool]:
    before = float(np.linalg.norm(residual))
    scale = min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-30))
    for _ in range(12):
        trial = advance(kinematics, state, scale * step)
        after = residual_of(kinematics, trial, held)
        if float(np.linalg.norm(after)) < before:
            return trial, after, True
        scale *= 0.5
    return state, residual, False


def advance(kinematics: Kinematics, state: JointState, step: Array) -> JointState:
    """The state after a finite step in the forest's freedoms, shape (n_dof,)."""
    mechanism, layout = kinematics.mechanism, kinematics.layout
    position = state.position.copy()
    for axis, column in enumerate(layout.of_axis):
        if column >= 0:
            position[axis] += step[column]
    loose_pose = state.loose_pose.copy()
    loose = 0
    for joint, first in zip(mechanism.joints, layout.first, strict=True):
        if joint.kind is JointKind.CHAIN:
            continue
        turn = step[first : first + 3]
        angle = float(np.linalg.norm(turn))
        if angle > 0.0:
            # Rotations are updated by the exponential map, on the left, for turns are given in inboard axes.
            loose_pose[loose, :3, :3] = matrix_from_axis_angle(turn / angle, angle) @ loose_pose[loose, :3, :3]
        if joint.kind is JointKind.FREE:
            loose_pose[loose, :3, 3] += step[first + 3 : first + 6]
        loose += 1
    return replace(state, position=position, loose_pose=loose_pose)


def residual_of(kinematics: Kinematics, state: JointState, held: Mapping[int, float]) -> Array:
    """Errors of loops, couplings and positions of loop joints' axes, in the order of the rows of K, shape (n_rows,)
    [rad, m]."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    position = state.position.copy()
    parts = []
    for loop in mechanism.loop_joints:
        values, left = loop_motion(loop, loop_frames(loop, poses))
        error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
        parts.append(constrained_directions(loop, values) @ error)
        position[[motion.axis for motion in loop.motions]] = values
    parts.append(coupling_residuals(mechanism, position))
    parts.append(np.array([_axis_residual(mechanism, axis, position[axis] - value) for axis, value in held.items()]))
    return np.concatenate(parts)


def _axis_residual(mechanism: Mechanism, axis: int, difference: float) -> float:
    """A loop joint's angle is known up to whole turns."""
    return math.remainder(difference, 2.0 * math.pi) if mechanism.axes[axis].kind is MotionKind.ROTATION else difference


def _open_message(kinematics: Kinematics, start: JointState, state: JointState, held: Mapping[int, float]) -> str:
    mechanism = kinematics.mechanism
    gaps = loop_residuals(mechanism, kinematics.body_matrices(state))
    curve, lack = _widest_curve(mechanism, state)
    if curve and not lack <= float(gaps.sum(axis=1).max(initial=0.0)):
        return _curve_message(mechanism, curve, lack, held)
    worst = int(np.argmax(gaps.sum(axis=1)))
    name = mechanism.loop_joints[worst].name
    if float(gaps[worst].sum()) < STOPPED and held:
        names = ", ".join(
            f"'{mechanism.axes[axis].name}' at {value:g} {mechanism.axes[axis].unit}" for axis, value in held.items()
        )
        return f"the loop closed by joint '{name}' cannot be assembled with {names}"
    given = loop_residuals(mechanism, kinematics.body_matrices(start))[worst]
    return _gap_message(name, given, _residual_text(gaps[worst]))


def _gap_message(name: str, given: Array, left: str) -> str:
    before = "" if float(given.sum()) < STOPPED else f"it is open by {_residual_text(given)} at the given positions; "
    return (
        f"the loop closed by joint '{name}' cannot be assembled: {before}it stays open by {left} where it comes "
        "nearest; check link lengths and initial positions"
    )


def _widest_curve(mechanism: Mechanism, state: JointState) -> tuple[Coupling | None, float]:
    """The coupling with a curve that lacks most, and how much [rad or m]; nan where it has no value."""
    curved = [coupling for coupling in mechanism.couplings if coupling.curve is not None]
    lacks = [(coupling, abs(coupling.residual(state.position))) for coupling in curved]
    return max(lacks, key=lambda item: math.inf if math.isnan(item[1]) else item[1], default=(None, 0.0))


def _curve_message(mechanism: Mechanism, coupling: Coupling, lack: float, held: Mapping[int, float]) -> str:
    follower = mechanism.axes[coupling.follower]
    what = f"the constraint '{coupling.name}'" if coupling.name else f"the law of '{follower.name}'"
    given = [f"'{mechanism.axes[axis].name}' at {value:g} {mechanism.axes[axis].unit}" for axis, value in held.items()]
    beside = f" with {', '.join(given)}" if given else ""
    if math.isnan(lack):
        return f"{what} has no value at the given positions{beside}"
    return f"{what} cannot hold{beside}: {lack:.3g} {follower.unit} are left where it comes nearest"


def _residual_text(residual: Array) -> str:
    """A distance and an angle in words, the angle where there is one."""
    distance, angle = float(residual[0]), float(residual[1])
    return f"{distance:.3g} m" if angle < STOPPED else f"{distance:.3g} m and {angle:.3g} rad"
