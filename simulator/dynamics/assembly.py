"""Positions that satisfy all couplings and loops, near those that were asked for.

Couplings tie two axes each, so a connected set moves with one of its axes: q_i = m_i y + c_i. What is left are the loops: Newton's method
with the pseudo-inverse (smallest change of the unknowns) on the loop residuals, with step halving; positions that the user gave stay.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.kinematics import Kinematics, constrained_directions
from simulator.dynamics.state import JointState
from simulator.errors import AssemblyError
from simulator.mechanism.residuals import loop_frames, loop_motion
from simulator.mechanism.types import JointKind
from simulator.spatial.rotation import matrix_from_axis_angle, rotation_vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

CLOSED = 1e-12
"""Loop residual [m, rad] below which a loop counts as closed."""
STOPPED = 1e-9
"""Residual that Newton may stop at where round-off of the document's own figures allows no better."""
MAX_ITERATIONS = 60


@dataclass(frozen=True)
class Assembly:
    """An assembled state and the largest distance that an axis had to move [rad or m] to get there."""

    state: JointState
    moved: float


def assemble(kinematics: Kinematics, start: JointState, fixed: Mapping[int, float]) -> Assembly:
    """Close couplings and loops. `fixed` maps axes to the positions that the user asked for; they are kept.

    Raises AssemblyError where no position near `start` satisfies everything; the message names the loop or coupling that stays open.
    """
    mechanism = kinematics.mechanism
    wanted = start.position.copy()
    for axis, value in fixed.items():
        wanted[axis] = value
    slopes, constants, roots = _coupled_sets(mechanism, fixed)
    position = slopes * wanted[roots] + constants
    _check_fixed(mechanism, position, fixed)
    state = replace(start, position=position)
    if mechanism.loop_joints:
        state = _close_loops(kinematics, state, _free_columns(kinematics, slopes, roots, fixed))
    moved = float(np.abs(state.position - start.position).max(initial=0.0))
    return Assembly(state, moved)


def _coupled_sets(mechanism: Mechanism, fixed: Mapping[int, float]) -> tuple[Array, Array, NDArray[np.intp]]:
    """q = slopes * q[roots] + constants. The root of a set is an axis that the user fixed, else its first leader."""
    n = len(mechanism.axes)
    slopes, constants, roots = np.ones(n), np.zeros(n), np.arange(n)
    neighbours: dict[int, list[tuple[int, float, float]]] = {i: [] for i in range(n)}
    for row in mechanism.couplings:
        neighbours[row.leader].append((row.follower, row.multiplier, row.constant))
        if row.multiplier != 0.0:
            neighbours[row.follower].append((row.leader, 1.0 / row.multiplier, -row.constant / row.multiplier))
    followers = mechanism.follower_axes()
    seen: set[int] = set()
    for root in sorted(range(n), key=lambda i: (i not in fixed, i in followers, i)):
        if root in seen:
            continue
        seen.add(root)
        queue = deque([root])
        while queue:
            axis = queue.popleft()
            for other, slope, constant in neighbours[axis]:
                if other not in seen:
                    seen.add(other)
                    slopes[other], constants[other] = slope * slopes[axis], slope * constants[axis] + constant
                    roots[other] = root
                    queue.append(other)
    return slopes, constants, roots


def _check_fixed(mechanism: Mechanism, position: Array, fixed: Mapping[int, float]) -> None:
    for axis, value in fixed.items():
        if abs(position[axis] - value) > STOPPED:
            name = mechanism.axes[axis].name
            raise AssemblyError(
                f"'{name}' cannot start at {value:g}: the couplings and the other initial positions put it at {position[axis]:g}"
            )


def _free_columns(
    kinematics: Kinematics, slopes: Array, roots: NDArray[np.intp], fixed: Mapping[int, float]
) -> tuple[Array, tuple[int, ...]]:
    """Matrix from unknowns to freedoms of the forest, shape (n_dof, n_unknowns), and the axis of each unknown (-1: part of a ball)."""
    mechanism, layout = kinematics.mechanism, kinematics.layout
    columns, owners = [], []
    for axis in range(len(mechanism.axes)):
        if roots[axis] != axis or axis in fixed:
            continue
        column = np.zeros(layout.size)
        for other in np.flatnonzero(roots == axis):
            if layout.of_axis[other] >= 0:
                column[layout.of_axis[other]] = slopes[other]
        if column.any():
            columns.append(column)
            owners.append(axis)
    for joint, loose in zip(mechanism.joints, layout.first, strict=True):
        if joint.kind is JointKind.BALL:
            for k in range(3):
                column = np.zeros(layout.size)
                column[loose + k] = 1.0
                columns.append(column)
                owners.append(-1)
    matrix = np.stack(columns, axis=1) if columns else np.zeros((layout.size, 0))
    return matrix, tuple(owners)


def _close_loops(kinematics: Kinematics, state: JointState, unknowns: tuple[Array, tuple[int, ...]]) -> JointState:
    columns, _ = unknowns
    residual = _loop_vector(kinematics, state)
    for _ in range(MAX_ITERATIONS):
        size = float(np.abs(residual).max(initial=0.0))
        if size < CLOSED:
            return state
        poses = kinematics.body_matrices(state)
        rows = [kinematics.loop_rows(i, state, poses) for i in range(len(kinematics.mechanism.loop_joints))]
        step = -np.linalg.pinv(np.concatenate(rows) @ columns, rcond=1e-10) @ residual
        state, residual, improved = _line_search(kinematics, state, columns @ step, residual)
        if not improved:
            break
    if float(np.abs(residual).max(initial=0.0)) < STOPPED:
        return state
    raise AssemblyError(_open_loop_message(kinematics, state))


def _line_search(
    kinematics: Kinematics, state: JointState, step: Array, residual: Array
) -> tuple[JointState, Array, bool]:
    before = float(np.linalg.norm(residual))
    scale = min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-30))
    for _ in range(12):
        trial = advance(kinematics, state, scale * step)
        after = _loop_vector(kinematics, trial)
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
            loose_pose[loose, :3, :3] = matrix_from_axis_angle(turn / angle, angle) @ loose_pose[loose, :3, :3]
        if joint.kind is JointKind.FREE:
            loose_pose[loose, :3, 3] += step[first + 3 : first + 6]
        loose += 1
    return replace(state, position=position, loose_pose=loose_pose)


def _loop_vector(kinematics: Kinematics, state: JointState) -> Array:
    """Residuals of all loops in the order of their rows, shape (n_rows,) [rad, m]."""
    poses = kinematics.body_matrices(state)
    parts = []
    for loop in kinematics.mechanism.loop_joints:
        _, left = loop_motion(loop, loop_frames(loop, poses))
        error = np.concatenate((rotation_vector(left[:3, :3]), left[:3, 3]))
        parts.append(constrained_directions(loop) @ error)
    return np.concatenate(parts)


def _open_loop_message(kinematics: Kinematics, state: JointState) -> str:
    poses = kinematics.body_matrices(state)
    worst_name, worst = "", -1.0
    for loop in kinematics.mechanism.loop_joints:
        _, left = loop_motion(loop, loop_frames(loop, poses))
        gap = float(np.linalg.norm(left[:3, 3])) + float(np.linalg.norm(rotation_vector(left[:3, :3])))
        if gap > worst:
            worst_name, worst = loop.name, gap
    return (
        f"the loop closed by joint '{worst_name}' cannot be assembled: it stays open by {worst:.3g} (m + rad) with the given positions; "
        "check link lengths and initial positions"
    )
