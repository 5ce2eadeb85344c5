"""A mechanism that moves at compiled speed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError
from simulator.kinematics.state import JointState
from simulator.physics.build.state import CompiledState, read_bodies
from simulator.physics.compiled.row_choice import RowChoice
from simulator.physics.layout import buffers as at
from simulator.physics.loops.loops import find_rows
from simulator.physics.motion.closing import CLOSED, close_loops, use_plane
from simulator.physics.motion.free import EULER, MIDPOINT, RK4, accelerate, advance
from simulator.physics.motion.projection import SWEEPS, project
from simulator.physics.tree.tree import kinetic_energy, potential_energy

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


METHODS = {"rk4": RK4, "euler": EULER, "midpoint": MIDPOINT}


class CompiledMechanism(CompiledState):
    """Forward dynamics of a mechanism in independent coordinates of its couplings, loops by rows and projection.

    `q = G y + c` holds every coupling between tree axes exactly; loops are closed to round-off by each step's
    projection.
    """

    def __init__(self, mechanism: Mechanism, *, added_inertia: Array | None = None, real: bool = False) -> None:
        """`added_inertia` I, shape (n_axes, n_axes): what rotors that turn with the axes add, ½ q̇ᵀ I q̇ of kinetic
        energy; `energies` counts bodies only. `real`: couplings with losses, play or elasticity tie nothing, which is
        left to rows between bounds (`bounded`); else they are taken to be ideal."""
        super().__init__(mechanism, added_inertia, real=real)
        self._axis_freedom = self.parts.tree.freedom_of_axis
        self._tree_axes = np.flatnonzero(self._axis_freedom >= 0)
        loops = self.parts.tables.axis_of  # efforts of their axes stand behind those of the tree
        behind = self.parts.tree.freedoms + np.array([*loops.values()], dtype=int)
        self._effort_axes = np.concatenate((self._tree_axes, np.array([*loops], dtype=int)))
        places = np.concatenate((self._axis_freedom[self._tree_axes], behind))
        self._effort_places = int(self.N[at.HEAD + 2 * at.F_TAU]) + places
        self.rows = RowChoice(self)
        self.rows.first()
        if self.N[at.ROWS] > 0 and self.loop_residual() < CLOSED:
            self.rows.choose()
        self._use_plane()
        self.refresh()

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> Self | None:
        """As `CompiledState.like`; the rows of loops that counted still count, and `choose_rows` looks at that whenever
        a state is set."""
        before, other = self.mechanism, super().like(mechanism, added_inertia)
        if other is not None:
            same_joints = mechanism.joints is before.joints and mechanism.loop_joints is before.loop_joints
            other.rows = self.rows.like(other, same_joints=same_joints)
        return other

    # -- state ---------------------------------------------------------------------------------------------------------

    def set_state(self, state: JointState) -> None:
        """Positions and velocities of the independent coordinates are taken over; followers follow. Rows of loops are
        chosen anew."""
        self.put(state)
        self.choose_rows()

    # -- what moves it -------------------------------------------------------------------------------------------------

    def set_efforts(self, efforts: Array) -> None:
        """Efforts on all axes, shape (n_axes,) [N m or N]; they stay until changed."""
        self.F[self._effort_places] = efforts[self._effort_axes]

    def step(self, dt: float, steps: int = 1, method: str = "rk4") -> float:
        """Advance; returns the largest loop residual [m or 1] that a projection had to remove.

        Raises UnknownNameError for a method that does not exist.
        """
        try:
            code = METHODS[method]
        except KeyError:
            raise UnknownNameError("integrator", method, METHODS) from None
        worst = 0.0
        if not self.rows.parked:
            found: float = advance(self.F, self.N, dt, steps, code)
            if found >= 0.0:  # all were made: as it nearly always is, and more work here would cost as much as a step
                return found
            self.choose_rows_if_worse()
            worst = -1.0 - found
            steps = int(self.N[at.LEFT])
        return self._step_on(dt, steps, method, worst)

    def _step_on(self, dt: float, steps: int, method: str, worst: float) -> float:
        """The steps that are left, from singular positions one by one; `worst`: what the residuals were before."""
        while steps > 0:
            if self.rows.parked:
                worst = max(worst, self.step_parked(partial(self._advance, steps=1, method=method), dt))
                steps -= 1
            else:
                worst = max(worst, self._advance(dt, steps, method))
                steps = int(self.N[at.LEFT])
        return worst

    def _advance(self, dt: float, steps: int, method: str) -> float:
        worst: float = advance(self.F, self.N, dt, steps, METHODS[method])
        if worst >= 0.0:
            return worst
        self.choose_rows_if_worse()
        return -1.0 - worst

    def step_parked(self, advance_by: Callable[[float], float], dt: float, told: Array | None = None) -> float:
        """A step of `dt` [s] by `advance_by` from a singular position; returns the largest loop residual that it
        met. `told`: see `RowChoice.step`."""
        worst = self.rows.step(advance_by, dt, told)
        self._use_plane()
        return worst if self.rows.parked else max(worst, project(self.F, self.N, SWEEPS, np.inf))

    def choose_rows_if_worse(self) -> None:
        """After a step in which active loop rows came to depend on each other: choose others."""
        if self.N[at.WORST] < self.N[at.RANK] and not self.rows.parked:
            self.choose_rows()

    def use_other_rows(self) -> bool:
        """Close the loops by those rows that are clearest at the present state, where the active ones have become
        nearly dependent; whether there are others."""
        if self.N[at.ROWS] == 0 or self.rows.parked or not self.rows.take_clearest():
            return False
        self.project()
        self.choose_rows()
        return True

    def project(self) -> float:
        """Close the loops, make velocities consistent; returns the residual that was met last."""
        return float(close_loops(self.F, self.N))

    # -- what can be asked ---------------------------------------------------------------------------------------------

    def acceleration(self) -> Array:
        """Acceleration of every tree axis, nan on loop joints, shape (n_axes,)."""
        accelerate(self.F, self.N)
        qdd = self.parts.spread(self.view(at.F_DV))
        result = np.full(len(self._axis_freedom), np.nan)
        result[self._tree_axes] = qdd[self._axis_freedom[self._tree_axes]]
        return result

    def energies(self) -> tuple[float, float]:
        """(kinetic, potential) of bodies and loads [J]; springs of axes are not in it."""
        self.refresh()
        return float(kinetic_energy(self.F, self.N)), float(potential_energy(self.F, self.N))

    def loop_residual(self) -> float:
        """Largest residual of the active loop rows at the present state [m, or 1 for directions]; 0 without loops."""
        if self.N[at.RANK] == 0:
            return 0.0
        self.refresh()
        return float(find_rows(self.F, self.N, True))

    def read_bodies(self) -> tuple[Array, Array]:
        """Pose X_WB of every body, shape (n_bodies, 7), and its angular velocity with the velocity of its centre of
        mass, shape (n_bodies, 6); needs `refresh`. Row 0 is the world."""
        count = len(self.mechanism.bodies)
        poses, velocities = np.zeros((count, 7)), np.zeros((count, 6))
        poses[0, 6] = 1.0
        nodes = self.parts.tree.node_of_body[1:]
        read_bodies(self.F, self.N, nodes, self.parts.places_in_nodes, self.parts.com, poses[1:], velocities[1:])
        return poses, velocities

    # -- rows of loops -------------------------------------------------------------------------------------------------

    def choose_rows(self) -> None:
        """Activate the loop rows that count along the motion from the present state."""
        self.rows.choose()
        self._use_plane()

    def _use_plane(self) -> None:
        """Step in the plane where the mechanism has one that can express the active rows; loop axes keep their
        positions."""
        plane = self.parts.plane
        active = at.int_block(self.N, at.I_ROW_ACTIVE)[: int(self.N[at.RANK] - self.N[at.GUIDES])]
        loaded = int(self.N[at.FORCES]) + int(self.N[at.SPRINGS])
        self.N[at.PLANAR] = int(
            not loaded and plane.fits and bool(plane.usable_row[active].all()) and self.N[at.ACTIVE] > 0
        )
        if self.N[at.PLANAR]:
            use_plane(self.F, self.N, np.empty(int(self.N[at.LOOP_AXES])))
