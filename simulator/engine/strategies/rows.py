"""Strategy `rows`: rows of loops, stops, motors, friction and contacts, solved together; a physics engine finds the collisions.

The free motion is that of `reduced`. Where bodies touch, contact impulses are found in the mechanism's own coordinates, so that they feel
the whole coupled and closed mechanism, whatever couples it: any number of joints, rows of three axes, loops closed by any joint. An
engine's own multibody cannot give that: its gear rows join two joints of one body of at most 128, its loops are points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.announce import tell_on_stderr
from simulator.engine.port import Contact
from simulator.engine.strategies.reduced import ReducedDynamics

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.announce import Compilation
    from simulator.dynamics.compiled.bounded import ContactTable
    from simulator.dynamics.state import JointState
    from simulator.engine.port import CollisionFinder
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

NEAR = 1e-3
"""Points as near as this [m] take part in a step at any speed; further ones if they could meet within a few steps."""
STEPS_AHEAD = 4.0
TURNING_RADIUS = 0.5
"""Length [m] by which angular speeds count as approaching speeds."""
TOUCHING = 1e-12
"""Forces [N] above this make a contact."""


class RowsDynamics(ReducedDynamics):
    """A mechanism that moves by its own equations and touches. `finder` None: nothing in it can touch."""

    name = "rows"

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        dt: float,
        finder: CollisionFinder | None,
        added_inertia: Array | None = None,
        announce: Callable[[Compilation], None] = tell_on_stderr,
    ) -> None:
        super().__init__(mechanism, dt=dt, added_inertia=added_inertia, announce=announce)
        self._finder = finder
        self._table: ContactTable | None = None

    def can_step_blocks(self) -> bool:
        """Contacts are looked for between steps."""
        return self._finder is None and super().can_step_blocks()

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> ReducedDynamics | None:
        """None where something can touch, too: a collision finder serves one simulation."""
        return super().like(mechanism, added_inertia) if self._finder is None else None

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says; nothing presses yet."""
        super().set_state(state)
        self._table = None
        self._bounded.set_contacts(None)

    def step(self, efforts: Array) -> None:
        """Find what touches, then advance by one time step under efforts on all axes, shape (n_axes,)."""
        if self._finder is not None:
            poses, velocities = self._model.read_bodies()
            fastest = np.abs(velocities).max(axis=0, initial=0.0)
            speed = float(fastest[3:].max() + TURNING_RADIUS * fastest[:3].max())
            self._table = self._finder.find(poses, NEAR + STEPS_AHEAD * self._dt * speed)
            self._bounded.set_contacts(self._table)
        super().step(efforts)
        if self._finder is not None:
            self._model.refresh()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies pressed on each other in the last step."""
        if self._table is None:
            return ()
        table, forces = self._table, self._bounded.contact_forces()[:, 0]
        rows = zip(table.bodies.tolist(), table.points.tolist(), table.normals.tolist(), forces.tolist(), strict=True)
        return tuple(
            Contact((a, b), (x, y, z), (nx, ny, nz), force)
            for (a, b), (x, y, z), (nx, ny, nz), force in rows
            if force > TOUCHING
        )

    def close(self) -> None:
        """Free the collision finder."""
        if self._finder is not None:
            self._finder.close()
