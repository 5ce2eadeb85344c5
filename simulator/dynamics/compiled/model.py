"""A mechanism that moves at compiled speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.announce import announced_compilation, tell_on_stderr
from simulator.dynamics.compiled.build import build_buffers
from simulator.dynamics.compiled.flatten import FREE
from simulator.dynamics.compiled.loop_kernels import update_rows
from simulator.dynamics.compiled.mass_kernels import update_mass
from simulator.dynamics.compiled.planar_kernels import place_in_plane, turn_loop_axes
from simulator.dynamics.compiled.read_kernels import read_axes, read_bodies, refresh
from simulator.dynamics.compiled.solve_kernels import factor_mass, factor_rows
from simulator.dynamics.compiled.step_kernels import EULER, MIDPOINT, RK4, accelerate, advance, project
from simulator.dynamics.compiled.tree_kernels import kinetic_energy, potential_energy, update_bias
from simulator.dynamics.state import JointState, loose_joints
from simulator.errors import UnknownNameError
from simulator.mechanism.types import JointKind
from simulator.spatial.rotation import matrix_from_quat, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

PROJECTIONS = 10
"""Rounds of `project`, each with the mass matrix of where the last one ended."""
CLOSED = 1e-12
"""Residual [m, or 1 for directions] at which loops count as closed."""
METHODS = {"rk4": RK4, "euler": EULER, "midpoint": MIDPOINT}


class CompiledMechanism:
    """Forward dynamics of a mechanism in independent coordinates of its couplings, loops by rows and projection.

    `q = G y + c` holds every coupling between tree axes exactly; loops are closed to round-off by each step's projection. Velocities of
    loose joints are (angular, linear) in the outboard frame inside, and as in `JointState` outside.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        added_inertia: Array | None = None,
        announce: Callable[[str], None] = tell_on_stderr,
    ) -> None:
        """`added_inertia` I, shape (n_axes, n_axes): what rotors that turn with the axes add, ½ q̇ᵀ I q̇ of kinetic energy. It is constant,
        so it brings no other efforts; axes of loop joints have no part in it, and `energies` counts bodies only.

        `announce` hears when kernels have to be compiled first, which happens once per installation, and how long it took."""
        self.mechanism = mechanism
        self.parts = build_buffers(mechanism, added_inertia)
        self.F, self.N = self.parts.F, self.parts.N
        self._axis_freedom = self.parts.tree.freedom_of_axis
        self._tree_axes = np.flatnonzero(self._axis_freedom >= 0)
        self.axis_codes = self.parts.axis_codes()
        self._loose = loose_joints(mechanism)
        with announced_compilation(announce):
            self._choose_rows()
            self.refresh()
            advance(self.F, self.N, 1.0, 0, RK4)

    def view(self, index: int) -> Array:
        """A float block of the buffers, not a copy."""
        return at.block(self.F, self.N, index)

    # -- state ---------------------------------------------------------------------------------------------------------------------

    def set_state(self, state: JointState) -> None:
        """Positions and velocities of the independent coordinates are taken over; followers follow. Rows of loops are chosen anew."""
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        for independent, freedom in enumerate(self.parts.independent_freedom):
            axis = self.parts.axis_of_freedom.get(int(freedom), -1)
            if axis >= 0:
                Q[self.parts.ypos[independent]] = state.position[axis]
                V[independent] = state.velocity[axis]
        for slot, joint in enumerate(self._loose):
            self._set_loose(joint, state.loose_pose[slot], state.loose_twist[slot])
        LQ = self.view(at.F_LAXIS_Q)
        for axis, place in self.parts.tables.axis_of.items():
            LQ[place] = state.position[axis] if np.isfinite(state.position[axis]) else 0.0
        self._choose_rows()

    def _set_loose(self, joint: int, pose: Array, twist: Array) -> None:
        node = int(self.parts.tree.node_of_body[joint + 1])
        start = int(self.parts.lpos[node])
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        free = int(self.parts.tree.kind[node]) == FREE
        if free:
            Q[start : start + 3] = pose[:3, 3]
            start += 3
        Q[start : start + 4] = quat_from_matrix(pose[:3, :3])
        inside = pose[:3, :3].T
        places = self.parts.independent_of_node(node)
        V[places[:3]] = inside @ twist[:3]
        if free:
            V[places[3:]] = inside @ twist[3:]

    def joint_state(self) -> JointState:
        """Positions and velocities of all axes (loop joints' included), poses and twists of loose joints."""
        self.refresh()
        position, velocity = np.empty(len(self.axis_codes)), np.empty(len(self.axis_codes))
        read_axes(self.F, self.N, self.axis_codes, position, velocity)
        return JointState(position, velocity, *self._loose_state())

    def _loose_state(self) -> tuple[Array, Array]:
        poses = np.tile(np.eye(4), (len(self._loose), 1, 1))
        twists = np.zeros((len(self._loose), 6))
        Q, V = self.view(at.F_Q), self.view(at.F_V)
        for slot, joint in enumerate(self._loose):
            node = int(self.parts.tree.node_of_body[joint + 1])
            start, places = int(self.parts.lpos[node]), self.parts.independent_of_node(node)
            free = self.mechanism.joints[joint].kind is JointKind.FREE
            if free:
                poses[slot, :3, 3] = Q[start : start + 3]
            x, y, z, w = Q[start + 3 * free : start + 3 * free + 4].tolist()
            poses[slot, :3, :3] = matrix_from_quat((x, y, z, w))
            twists[slot, :3] = poses[slot, :3, :3] @ V[places[:3]]
            if free:
                twists[slot, 3:] = poses[slot, :3, :3] @ V[places[3:]]
        return poses, twists

    # -- what moves it -------------------------------------------------------------------------------------------------------------

    def set_efforts(self, efforts: Array) -> None:
        """Efforts on all axes, shape (n_axes,) [N m or N]; they stay until changed."""
        TAU = self.view(at.F_TAU)
        TAU[self._axis_freedom[self._tree_axes]] = efforts[self._tree_axes]
        for axis, place in self.parts.tables.axis_of.items():
            TAU[self.parts.tree.freedoms + place] = efforts[axis]

    def step(self, dt: float, steps: int = 1, method: str = "rk4") -> float:
        """Advance; returns the largest loop residual [m or 1] that a projection had to remove.

        Raises UnknownNameError for a method that does not exist.
        """
        try:
            worst: float = advance(self.F, self.N, dt, steps, METHODS[method])
        except KeyError:
            raise UnknownNameError("integrator", method, METHODS) from None
        if worst < 0.0:
            self._choose_rows()
            worst = -1.0 - worst
        return worst

    def choose_rows_if_worse(self) -> None:
        """After a step in which active loop rows came to depend on each other: choose others."""
        if self.N[at.WORST] < self.N[at.RANK]:
            self._choose_rows()

    def project(self) -> float:
        """Close the loops, make velocities consistent; returns the residual that was met last.

        The velocities are corrected with the rows of the pose before the last Newton step, so a second round sees the closed pose.
        """
        for _ in range(PROJECTIONS):
            accelerate(self.F, self.N)
            project(self.F, self.N, 20)
            residual = float(project(self.F, self.N, 1))
            if residual < CLOSED:
                break
        return residual

    # -- what can be asked ---------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Poses, velocities and inertias for the present state."""
        refresh(self.F, self.N)

    def acceleration(self) -> Array:
        """Acceleration of every tree axis, nan on loop joints, shape (n_axes,)."""
        accelerate(self.F, self.N)
        qdd = self.parts.spread(self.view(at.F_DV))
        result = np.full(len(self._axis_freedom), np.nan)
        result[self._tree_axes] = qdd[self._axis_freedom[self._tree_axes]]
        return result

    def energies(self) -> tuple[float, float]:
        """(kinetic, potential) of bodies [J]; springs are not in it."""
        self.refresh()
        return float(kinetic_energy(self.F, self.N)), float(potential_energy(self.F, self.N))

    def loop_residual(self) -> float:
        """Largest residual of the active loop rows at the present state [m, or 1 for directions]; 0 without loops."""
        if self.N[at.RANK] == 0:
            return 0.0
        self.refresh()
        return float(update_rows(self.F, self.N))

    def mass_matrix(self) -> Array:
        """H = G^T M G, shape (independent, independent)."""
        self.refresh()
        update_bias(self.F, self.N)
        update_mass(self.F, self.N)
        H, row = self.view(at.F_H), at.int_block(self.N, at.I_HROW)
        m, left = len(row), np.diff(at.int_block(self.N, at.I_LPTR))
        rows, columns = np.repeat(np.arange(m), left), at.int_block(self.N, at.I_LCOL)
        full: Array = np.diag(H[row + np.arange(m)])
        full[rows, columns] = full[columns, rows] = H[row[rows] + columns]
        return full

    def constraint_matrix(self) -> Array:
        """K of all rows over independent coordinates, active or not, shape (rows, independent)."""
        active = int(self.N[at.RANK])
        keep = at.int_block(self.N, at.I_ROW_ACTIVE).copy()
        self._activate(np.arange(int(self.N[at.ROWS])))
        self.refresh()
        update_rows(self.F, self.N)
        m = int(self.N[at.INDEPENDENT])
        K: Array = self.view(at.F_K)[: int(self.N[at.ROWS]) * m].reshape(-1, m).copy()
        self._activate(keep[:active])
        return K

    def read_bodies(self) -> tuple[Array, Array]:
        """Pose X_WB of every body, shape (n_bodies, 7), and its angular velocity with the velocity of its centre of mass, shape
        (n_bodies, 6); needs `refresh`. Row 0 is the world."""
        count = len(self.mechanism.bodies)
        poses, velocities = np.zeros((count, 7)), np.zeros((count, 6))
        poses[0, 6] = 1.0
        nodes = self.parts.tree.node_of_body[1:]
        read_bodies(self.F, self.N, nodes, self.parts.X_LB, self.parts.com, poses[1:], velocities[1:])
        return poses, velocities

    # -- rows of loops -------------------------------------------------------------------------------------------------------------

    def _choose_rows(self) -> None:
        """Activate a largest independent set of loop rows at the present state (pivoted Cholesky of K H^-1 K^T)."""
        if self.N[at.ROWS] == 0:
            self._use_plane()
            return
        self._activate(np.arange(int(self.N[at.ROWS])))
        self.refresh()
        update_bias(self.F, self.N)
        update_mass(self.F, self.N)
        factor_mass(self.F, self.N)
        update_rows(self.F, self.N)
        rank = int(factor_rows(self.F, self.N))
        self._activate(np.sort(at.int_block(self.N, at.I_PIVOT)[:rank].copy()))
        self._use_plane()

    def _use_plane(self) -> None:
        """Step in the plane where the mechanism has one that can express the active rows; loop axes go on from where they are."""
        plane, active = self.parts.plane, at.int_block(self.N, at.I_ROW_ACTIVE)[: int(self.N[at.RANK])]
        self.N[at.PLANAR] = int(plane.fits and bool(plane.usable_row[active].all()) and self.N[at.ACTIVE] > 0)
        if self.N[at.PLANAR] and len(plane.axes):
            self.refresh()
            place_in_plane(self.F, self.N)
            numbers, now = self.view(at.F_PLANE_AXES).reshape(-1, 2), self.view(at.F_LAXIS_Q)
            numbers[:, 1] = 0.0
            wanted = now.copy()
            turn_loop_axes(self.F, self.N)
            numbers[:, 1] = wanted - now
            now[:] = wanted

    def _activate(self, rows: NDArray[np.int64]) -> None:
        at.int_block(self.N, at.I_ROW_ACTIVE)[: len(rows)] = rows
        self.N[at.RANK] = len(rows)
