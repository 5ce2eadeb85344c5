"""The state of a mechanism taken over by one of the same structure with other numbers, by the short way: where nothing
singular is near and the numbers differ little, one compiled kernel closes the loops.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.limits import WITHIN, limits_of
from simulator.physics.sweep.poses import transfer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.state import JointState
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.queries.posed import Posed


class Transfer:
    """For mechanisms of one structure; from any thread.

    The digits of what is found depend on the mechanism, on its branch and on what the independent axes are asked for,
    on nothing that was before.
    """

    def __init__(self, posed: Posed, independent: Sequence[int]) -> None:
        """`posed`: a mechanism of that structure, whose rows of loops are those of all; `independent`: the axes that
        keep their positions and velocities. `is_possible`: whether there is a short way at all."""
        plan = posed.plan(independent)
        self.plan = plan
        self._swept = posed.swept
        # Couplings with losses, play or elasticity are rows of the models that move, and coordinates here.
        ideal = all(coupling.real.is_ideal for coupling in posed.model.mechanism.couplings)
        self.is_possible = plan.is_whole and ideal and not posed.model.loose
        self._lock = Lock()

    def prepare(self, model: CompiledMechanism) -> None:
        """Activate the rows of loops of a model by which states are assembled."""
        self._swept.use_rows(model)

    def of(self, model: CompiledMechanism, state: JointState) -> JointState | None:
        """`state` of another mechanism of that structure, assembled for `model`, which is left elsewhere; None where
        that needs more care, or is beyond limits."""
        if not self.is_possible:
            return None
        plan = self.plan
        position, velocity = np.empty_like(state.position), np.empty_like(state.velocity)
        asked = np.array((state.position[list(plan.axes)], state.velocity[list(plan.axes)]))
        self.prepare(model)
        model.put(state)
        with self._lock:
            plan.sweep.regular[1] = plan.usual
            if not transfer(model.F, model.N, plan.sweep, asked, position, velocity, float(model.rows.slack)):
                return None
        position[list(plan.axes)], velocity[list(plan.axes)] = asked
        fastest = [info.axis.velocity for info in model.mechanism.axes]
        if limits_of(model.mechanism).excess(position).max(initial=0.0) > WITHIN or (np.abs(velocity) > fastest).any():
            return None
        return replace(state, position=position, velocity=velocity)
