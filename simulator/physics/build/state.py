"""The buffers of a compiled mechanism, and what Python writes to them and reads from them."""

from __future__ import annotations

import copy
import math
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import (
    plus,
    product,
    rotation_of,
    row_spatial,
    row_vector,
    set_spatial,
    turn,
    twist_at,
)
from simulator.physics.build.build import build_buffers
from simulator.physics.build.rebuild import parts_like
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE
from simulator.physics.loops.loops import find_rows, loop_axis_rate, move_with_loops
from simulator.physics.loops.mass import find_mass
from simulator.physics.rows.cables import lay_cables
from simulator.physics.rows.rows import axis_position
from simulator.physics.tree.cable_tables import lay_as_long
from simulator.physics.tree.cables import open_cables
from simulator.physics.tree.load_tables import SPRING_NUMBERS
from simulator.physics.tree.tree import (
    find_bias,
    frame_origin,
    move_nodes,
    place_nodes,
    placed_frame,
    rotate_inertias,
)
from simulator.spatial.rotation import matrix_from_quat, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from simulator.kinematics.arrays import Floats, Floats2, Floats3, IntArray, Ints, Rotation
    from simulator.mechanism.types import Mechanism
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.cables import CableViews
    from simulator.physics.tree.views import StateViews
    from simulator.spatial.arrays import Array


WINDING, MOST_WINDING = 0.5, 100_000
"""Positions are set in steps of no more than that [rad or m], where cables may wind: half a turn would be too much;
and in so many at most."""


class PlacesOfAxes(TypedDict):
    """See `CompiledState.places_of_axes`."""

    q_place: IntArray
    q_axis: IntArray
    v_place: IntArray
    v_axis: IntArray


class CompiledState:
    """A mechanism in the form that the kernels take, at one state. Velocities of loose joints are (angular, linear) in
    the outboard frame inside, and as in `JointState` outside."""

    def __init__(self, mechanism: Mechanism, added_inertia: Array | None = None, *, real: bool = False) -> None:
        """`added_inertia`, `real`: see `CompiledMechanism`."""
        self.mechanism = mechanism
        self.parts = build_buffers(mechanism, added_inertia, real=real)
        self.F, self.N = self.parts.F, self.parts.N
        self.axis_codes = self.parts.axis_codes()
        self.loose = multi_dof_joints(mechanism)

    def view(self, index: int) -> Array:
        """A float block of the buffers, not a copy."""
        return at.block(self.F, self.N, index)

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> Self | None:
        """A model of `mechanism`, which has the structure of this one's; its state is not set. None where the structure
        differs, see `parts_like`."""
        parts = parts_like(self.parts, self.mechanism, mechanism, added_inertia)
        if parts is None:
            return None
        other = copy.copy(self)
        other.mechanism, other.parts = mechanism, parts
        other.F, other.N = parts.F, parts.N
        return other

    def put(self, state: JointState) -> None:
        """Positions and velocities of the independent coordinates are taken over; followers follow. Rows of loops stay
        as they are."""
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        for independent, freedom in enumerate(self.parts.independent_freedom):
            axis = self.parts.axis_of_freedom.get(int(freedom), -1)
            if axis >= 0:
                Q[self.parts.ypos[independent]] = state.position[axis]
                V[independent] = state.velocity[axis]
        for slot, joint in enumerate(self.loose):
            self._set_loose(joint, state.loose_pose[slot], state.loose_twist[slot])
        LQ = self.view(at.F_LAXIS_Q)
        for axis, place in self.parts.tables.axis_of.items():
            LQ[place] = state.position[axis] if np.isfinite(state.position[axis]) else 0.0
        if self.N[at.CABLES]:
            self._lay_cables(state.cable_length)

    def cables(self) -> CableViews:
        """Where cables lie since `put`."""
        return open_cables(self.F, self.N)

    def _lay_cables(self, lengths: Array) -> None:
        """Lay cables as they are drawn, where all positions are zero, and then on the straight way to the positions
        now; as long as they are known to be there."""
        Q = self.view(at.F_Q)
        now = Q.copy()
        drawn = self._drawn_positions()
        steps = math.ceil(float(np.abs(now - drawn).max(initial=0.0)) / WINDING)
        self.view(at.F_CABLE_NOW)[:] = 0.0
        for share in np.linspace(0.0, 1.0, min(max(steps, 1), MOST_WINDING) + 1)[:-1]:
            Q[:] = drawn + share * (now - drawn)
            lay_cables(self.F, self.N)
        Q[:] = now
        lay = partial(lay_cables, self.F, self.N)
        lay()
        for c, length in enumerate(lengths.tolist()):
            lay_as_long(self.cables(), c, length, lay)

    def _drawn_positions(self) -> Array:
        """Zero, and quaternions of no rotation, with the sign of those that are now."""
        Q = self.view(at.F_Q)
        drawn = np.zeros_like(Q)
        for joint in self.loose:
            node = int(self.parts.tree.node_of_body[joint + 1])
            last = int(self.parts.lpos[node]) + (6 if int(self.parts.tree.kind[node]) == FREE else 3)
            drawn[last] = math.copysign(1.0, float(Q[last]))
        return drawn

    def places_of_axes(self) -> PlacesOfAxes:
        """Where `put` writes the position of an axis, in Q or -1 - its place among those of loops, and its velocity in
        V, and which axis it is."""
        known, ypos = self.parts.axis_of_freedom, self.parts.ypos
        axes = [known.get(int(freedom), -1) for freedom in self.parts.independent_freedom]
        in_tree = [(independent, axis) for independent, axis in enumerate(axes) if axis >= 0]
        loops = [(-1 - place, axis) for axis, place in self.parts.tables.axis_of.items()]
        positions = [*((int(ypos[independent]), axis) for independent, axis in in_tree), *loops]
        q_place, q_axis = np.array(positions, dtype=np.int64).reshape(-1, 2).T.copy()
        v_place, v_axis = np.array(in_tree, dtype=np.int64).reshape(-1, 2).T.copy()
        return {"q_place": q_place, "q_axis": q_axis, "v_place": v_place, "v_axis": v_axis}

    def _set_loose(self, joint: int, pose: Array, twist: Array) -> None:
        node = int(self.parts.tree.node_of_body[joint + 1])
        start = int(self.parts.lpos[node])
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        free = int(self.parts.tree.kind[node]) == FREE
        if free:
            Q[start : start + 3] = pose[:3, 3]
            start += 3
        Q[start : start + 4] = quat_from_matrix(pose[:3, :3])
        # Outboard axes make the free body's inertia constant: Rᵀ ω and Rᵀ v.
        inside = pose[:3, :3].T
        places = self.parts.independent_of_node(node)
        V[places[:3]] = inside @ twist[:3]
        if free:
            V[places[3:]] = inside @ twist[3:]

    def joint_state(self) -> JointState:
        """Positions and velocities of all axes (loop joints' included), poses and twists of loose joints."""
        return JointState(*self.axis_state(), *self.loose_state())

    def axis_state(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes (loop joints' included), shape (n_axes,) each."""
        self.refresh()
        position, velocity = np.empty(len(self.axis_codes)), np.empty(len(self.axis_codes))
        read_axes(self.F, self.N, self.axis_codes, position, velocity)
        return position, velocity

    def loose_state(self) -> tuple[Array, Array]:
        """Poses and twists of loose joints, as in `JointState`."""
        poses = np.zeros((len(self.loose), 4, 4))
        twists = np.zeros((len(self.loose), 6))
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        for slot, joint in enumerate(self.loose):
            node = int(self.parts.tree.node_of_body[joint + 1])
            start = int(self.parts.lpos[node])
            places = self.parts.independent_of_node(node)
            free = self.mechanism.joints[joint].kind is JointKind.FREE
            poses[slot] = np.eye(4)
            if free:
                poses[slot, :3, 3] = Q[start : start + 3]
            x, y, z, w = Q[start + 3 * free : start + 3 * free + 4].tolist()
            poses[slot, :3, :3] = matrix_from_quat((x, y, z, w))
            twists[slot, :3] = poses[slot, :3, :3] @ V[places[:3]]
            if free:
                twists[slot, 3:] = poses[slot, :3, :3] @ V[places[3:]]
        return poses, twists

    def set_time(self, time: float) -> None:
        """The time [s] at which the profiles of loads are, and at which the next step begins."""
        self.view(at.F_TIME)[:] = time

    def aim_spring(self, index: int, place: Array) -> None:
        """Put the second end of a spring, which is on the world, at `place`, shape (3,) [m]."""
        self.view(at.F_SPRING).reshape(-1, SPRING_NUMBERS)[index, 3:6] = place
        self.refresh()

    def refresh(self) -> None:
        """Poses, velocities and inertias for the present state."""
        refresh(self.F, self.N)

    def mass_matrix(self) -> Array:
        """H = G^T M G, shape (independent, independent)."""
        self.refresh()
        find_bias(self.F, self.N)
        find_mass(self.F, self.N)
        H = self.view(at.F_H)
        row = at.int_block(self.N, at.I_HROW)
        m = len(row)
        left = np.diff(at.int_block(self.N, at.I_LPTR))
        rows = np.repeat(np.arange(m), left)
        columns = at.int_block(self.N, at.I_LCOL)
        # Stored is the envelope of the lower half, see `flatten.envelope`.
        full: Array = np.diag(H[row + np.arange(m)])
        full[rows, columns] = full[columns, rows] = H[row[rows] + columns]
        return full

    def constraint_matrix(self) -> Array:
        """K of all rows over independent coordinates, active or not, shape (rows, independent)."""
        self.largest_residual()
        m = int(self.N[at.INDEPENDENT])
        K: Array = self.view(at.F_K)[: int(self.N[at.ROWS]) * m].reshape(-1, m).copy()
        return K

    def largest_residual(self) -> float:
        """The largest residual [m, or 1 for directions] of all rows of loops, active or not; their K is in place."""
        numbers = [at.RANK, at.GUIDES, at.PARKED]
        active = at.int_block(self.N, at.I_ROW_ACTIVE)
        kept = self.N[numbers].copy()
        rows = active.copy()
        self.activate(np.arange(int(self.N[at.ROWS])))
        self.refresh()
        worst = float(find_rows(self.F, self.N, True))
        active[:], self.N[numbers] = rows, kept
        return worst

    def activate(
        self, rows: IntArray, guides: int = 0, *, parked: bool = False, others: Sequence[int] | IntArray = ()
    ) -> None:
        """Solve these rows of loops from now on, and so many guides; `parked`: these choose a motion at a singular
        position; `others` are behind them, and not solved."""
        order = at.int_block(self.N, at.I_ROW_ACTIVE)
        order[: len(rows)] = rows
        order[len(rows) : len(rows) + len(others)] = others
        self.N[at.RANK] = len(rows) + guides
        self.N[at.GUIDES] = guides
        self.N[at.PARKED] = parked


@entry("motion")
def refresh(m: MechanismViews) -> None:
    """Poses, velocities and inertias of nodes, frames and axes of loops, for the present state."""
    refresh_nodes(m, m.tree.kind.shape[0])


@compiled
def refresh_nodes(m: MechanismViews, count: int) -> None:
    """As `refresh`, of the first `count` nodes of the order."""
    place_nodes(m.tree, m.state, count)
    move_nodes(m.tree, m.state, count)
    rotate_inertias(m.tree, m.state, count)
    move_with_loops(m)


@entry("motion")
def read_axes(m: MechanismViews, codes: Ints, position: Floats, velocity: Floats) -> None:
    """Fill `position` and `velocity` of all axes; codes: a freedom of the tree, or -1 - place of a loop axis. Needs
    `refresh`."""
    for axis in range(codes.shape[0]):
        code = codes[axis]
        position[axis] = axis_position(m, code)
        velocity[axis] = m.state.QD[code] if code >= 0 else loop_axis_rate(m.loops, -1 - code)


@entry("motion")
def read_bodies(state: StateViews, nodes: Ints, X: Floats3, com: Floats2, poses: Floats2, velocities: Floats2) -> None:
    """Fill `poses` (n, 7), X_WB, and `velocities` (n, 6), angular and of the centre of mass, of the bodies on `nodes`
    (n,).

    `X` (n, 3, 4): X_LB, a body in its node; `com` (n, 3): centre of mass in the body. Needs fresh poses and velocities
    of the nodes.
    """
    for b in range(nodes.shape[0]):
        i = nodes[b]
        R = rotation_of(state.R, i)
        place = rotation_of(X, b)
        origin = frame_origin(X, b)
        _, p = placed_frame(state, i, place, origin)
        poses[b, 0], poses[b, 1], poses[b, 2] = p
        _store_quaternion(product(R, place), b, poses)
        # The arm from the node's origin to the centre of mass, in the world.
        arm = turn(R, plus(turn(place, row_vector(com, b)), 1.0, origin))
        set_spatial(velocities, b, twist_at(row_spatial(state.velocity, i), arm))


@compiled
def _store_quaternion(R: Rotation, b: int, poses: Floats2) -> None:
    """(x, y, z, w) of a rotation from its largest part (Shepperd 1978)."""
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = R
    trace = m00 + m11 + m22
    # The largest of w^2, x^2, y^2, z^2 is at least 1/4: nothing is divided by less than 2.
    if trace >= m00 and trace >= m11 and trace >= m22:
        s = 2.0 * math.sqrt(1.0 + trace)
        x = (m21 - m12) / s
        y = (m02 - m20) / s
        z = (m10 - m01) / s
        w = 0.25 * s
    elif m00 >= m11 and m00 >= m22:
        s = 2.0 * math.sqrt(1.0 + m00 - m11 - m22)
        x = 0.25 * s
        y = (m01 + m10) / s
        z = (m02 + m20) / s
        w = (m21 - m12) / s
    elif m11 >= m22:
        s = 2.0 * math.sqrt(1.0 + m11 - m00 - m22)
        x = (m01 + m10) / s
        y = 0.25 * s
        z = (m12 + m21) / s
        w = (m02 - m20) / s
    else:
        s = 2.0 * math.sqrt(1.0 + m22 - m00 - m11)
        x = (m02 + m20) / s
        y = (m12 + m21) / s
        z = 0.25 * s
        w = (m10 - m01) / s
    poses[b, 3] = x
    poses[b, 4] = y
    poses[b, 5] = z
    poses[b, 6] = w
