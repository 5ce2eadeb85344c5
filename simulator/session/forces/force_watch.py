"""Forces of joints and contacts, computed beside a running engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError
from simulator.session.forces.contact_forces import force_on_first
from simulator.session.forces.forces_now import MOST, ForcesNow
from simulator.session.forces.reactions import acted, balance_of

if TYPE_CHECKING:
    from simulator.analysis.reactions import Balance
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World
    from simulator.spatial.arrays import Array


class ForceWatch:
    """Computes the forces in one engine, whose couplings and strategy may change, while it is `on`."""

    def __init__(self, engine: Engine, world: World) -> None:
        self._engine, self._world = engine, world
        self._mechanism: Mechanism | None = None
        self._balance: Balance | None = None
        self._centres: Array = np.zeros((0, 3))  # of mass, of the bodies that are watched, in the frames of their nodes
        self.on = False
        self._last: tuple[Snapshot, ForcesNow] | None = None

    def of(self, snapshot: Snapshot) -> ForcesNow | None:
        """Forces in the state after the last step, shown by `snapshot`; None while this is off."""
        if not self.on:
            return None
        if self._last is None or self._last[0] is not snapshot:
            try:
                self._last = snapshot, self.find(snapshot)
            except SimulatorError as error:
                self._last = snapshot, ForcesNow.unknown(snapshot.time, str(error))
        return self._last[1]

    def find(self, snapshot: Snapshot) -> ForcesNow:
        """Forces in the state of a snapshot under the friction, the stops and the contacts of the engine's last
        step. Raises UsageError if an external physics engine moves the mechanism."""
        balance = self._made()
        found = balance.joints_under(*acted(balance, self._engine, snapshot))
        touching = [(*contact.point, *force_on_first(contact)) for contact in self._engine.contacts()[:MOST]]
        return ForcesNow(
            snapshot.time,
            found.wrenches[:MOST].copy(),
            found.points[:MOST].astype(np.float32),
            np.array(touching, dtype=np.float32).reshape(-1, 6),
            accelerations=np.concatenate((np.zeros((1, 6)), found.motion.all_accelerations(self._centres)[0])),
        )

    def _made(self) -> Balance:
        mechanism = self._engine.mechanism
        if self._balance is None or mechanism is not self._mechanism:
            self._balance = balance_of(self._engine, self._world)
            self._mechanism = mechanism
            tree = self._balance.swept.model.parts.tree
            bodies = mechanism.bodies[1 : MOST + 1]
            centres = [tree.X_LB[number].transform(body.com) for number, body in enumerate(bodies, start=1)]
            self._centres = np.array(centres, dtype=float).reshape(-1, 3)
        return self._balance
