"""The buffers of a compiled mechanism, and what Python writes to them and reads from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.physics.build.build import build_buffers
from simulator.physics.build.read import read_axes, refresh
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE
from simulator.physics.loops.loops import update_rows
from simulator.physics.loops.mass import update_mass
from simulator.physics.tree.load_tables import SPRING_NUMBERS
from simulator.physics.tree.tree import update_bias
from simulator.spatial.rotation import matrix_from_quat, quat_from_matrix

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array, Ints


class PlacesOfAxes(TypedDict):
    """See `CompiledState.places_of_axes`."""

    q_place: Ints
    q_axis: Ints
    v_place: Ints
    v_axis: Ints


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

    def places_of_axes(self) -> PlacesOfAxes:
        """Where `put` writes the position and the velocity of an axis in F, and which axis it is."""
        known, ypos = self.parts.axis_of_freedom, self.parts.ypos
        axes = [known.get(int(freedom), -1) for freedom in self.parts.independent_freedom]
        in_tree = [(independent, axis) for independent, axis in enumerate(axes) if axis >= 0]
        Q, V, LQ = (at.place(self.N, index) for index in (at.F_Q, at.F_V, at.F_LAXIS_Q))
        loops = [(LQ + place, axis) for axis, place in self.parts.tables.axis_of.items()]
        positions = [*((Q + int(ypos[independent]), axis) for independent, axis in in_tree), *loops]
        velocities = [(V + independent, axis) for independent, axis in in_tree]
        q_place, q_axis = np.array(positions, dtype=np.int64).reshape(-1, 2).T.copy()
        v_place, v_axis = np.array(velocities, dtype=np.int64).reshape(-1, 2).T.copy()
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
        update_bias(self.F, self.N)
        update_mass(self.F, self.N)
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
        worst = float(update_rows(self.F, self.N))
        active[:], self.N[numbers] = rows, kept
        return worst

    def activate(self, rows: Ints, guides: int = 0, *, parked: bool = False) -> None:
        """Solve these rows of loops from now on, and so many guides; `parked`: these choose a motion at a singular
        position."""
        at.int_block(self.N, at.I_ROW_ACTIVE)[: len(rows)] = rows
        self.N[at.RANK] = len(rows) + guides
        self.N[at.GUIDES] = guides
        self.N[at.PARKED] = parked
