"""Strategy `rows`: rows of loops, stops, motors, friction and contacts, solved together.

The free motion is that of `reduced`. Where bodies touch, contact impulses are found in the mechanism's own coordinates,
so that they feel the whole coupled and closed mechanism, whatever couples it: any number of joints, rows of three axes,
loops closed by any joint. An engine's own multibody cannot give that: its gear rows join two joints of one body of at
most 128, its loops are points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.port import Contact
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.physics.compiled.bounded import NO_CONTACTS
from simulator.physics.layout import row_layout as row_at
from simulator.physics.touching.touching import Touching

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.detect.own import OwnContacts
    from simulator.spatial.arrays import Array


TOUCHING = 1e-12
"""Forces [N] above this make a contact."""


class RowsDynamics(ReducedDynamics):
    """A mechanism that moves by its own equations and touches. `own` None: nothing in it can touch."""

    name = "rows"

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        dt: float,
        own: OwnContacts | None,
        added_inertia: Array | None = None,
    ) -> None:
        super().__init__(mechanism, dt=dt, added_inertia=added_inertia)
        self._touch_by(own)

    def _touch_by(self, own: OwnContacts | None) -> None:
        self._own = own
        self._touching = None if own is None else Touching(own, self._bounded)
        if self._touching is not None:
            self._bounded.touch_by(self._touching)

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> Self | None:
        """See `ReducedDynamics`."""
        other = super().like(mechanism, added_inertia)
        if other is not None:
            other._touch_by(None if self._own is None else self._own.like(self._mechanism, mechanism))
        return other

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says; nothing presses yet."""
        super().set_state(state)
        self._bounded.use_contacts(*NO_CONTACTS)
        if self._touching is not None:
            self._touching.forget()
            self._model.refresh()  # the first step looks for contacts where the bodies are now, as far as they move now

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


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z
