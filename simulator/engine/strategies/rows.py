"""Strategy `rows`: rows of loops, stops, motors, friction and contacts, solved together; a physics engine finds the
collisions.

The free motion is that of `reduced`. Where bodies touch, contact impulses are found in the mechanism's own coordinates,
so that they feel the whole coupled and closed mechanism, whatever couples it: any number of joints, rows of three axes,
loops closed by any joint. An engine's own multibody cannot give that: its gear rows join two joints of one body of at
most 128, its loops are points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.port import Contact
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.physics.layout import row_layout as row_at
from simulator.physics.touching.touching import Touching

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.port import CollisionFinder
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


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
    ) -> None:
        super().__init__(mechanism, dt=dt, added_inertia=added_inertia)
        self._touch_by(finder)

    def _touch_by(self, finder: CollisionFinder | None) -> None:
        self._finder = finder
        self._touching = None if finder is None else Touching(finder.own, self._bounded)
        self._finds_all = finder is None or finder.alone  # another engine is asked between steps
        if self._finds_all and self._touching is not None:
            self._bounded.touch_by(self._touching)

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> RowsDynamics | None:
        """See `ReducedDynamics`; a collision finder serves one simulation."""
        finder = None if self._finder is None else self._finder.like(self._mechanism, mechanism)
        if finder is None and self._finder is not None:
            return None
        other = super().like(mechanism, added_inertia)
        if other is not None:
            other._touch_by(finder)
        return other

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says; nothing presses yet."""
        super().set_state(state)
        self._bounded.set_contacts(None)
        if self._touching is not None:
            self._touching.forget()
        if self._finder is not None:
            self._model.refresh()  # the first step looks for contacts where the bodies are now, as far as they move now

    def step(self) -> None:
        """Find what touches, then advance by one time step."""
        if self._finder is None or self._touching is None:
            super().step()
            return
        poses, velocities = self._model.read_bodies()
        if self._finder.alone:
            self._bounded.use_contacts(*self._touching.detect(poses, velocities, self.dt))
        else:
            reach = self._finder.own.reach(velocities, self.dt)
            self._bounded.set_contacts(self._finder.detect(poses, reach, velocities))
        super().step()

    def _advance(self) -> float:
        return super()._advance() if self._touching is None else self._touching.step(self.dt)

    def keep(self) -> Callable[[], None] | None:
        """See the port."""
        return super().keep() if self._touching is None else self._bounded.keep()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies pressed on each other in the last step."""
        ints, floats = self._bounded.contacts
        bodies = ints[:, row_at.BODY : row_at.BODY + 2].tolist()
        points = floats[:, 0:3]
        normals = floats[:, 3:6]
        forces, friction, twists = self._bounded.contact_forces()
        rows = zip(bodies, points, normals, forces.tolist(), friction, twists.tolist(), strict=True)
        return tuple(
            Contact((a, b), _triple(point), _triple(normal), force, _triple(slip), twist)
            for (a, b), point, normal, force, slip, twist in rows
            if force > TOUCHING
        )

    def close(self) -> None:
        """Free the collision finder."""
        if self._finder is not None:
            self._finder.close()


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z
