"""Friction of bearings in motion without time: what more a drive has to give where joints rub by what they carry.

A bearing takes mu r R against the motion of its axis, with the force R across it. R depends on all such efforts, so
they are found together: from those without friction on, each try takes the forces of the last one (`step.bearings` does
the same in a step).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.physics.layout import buffers as at
from simulator.physics.loops.loops import CHILD_TURN

if TYPE_CHECKING:
    from simulator.analysis.losses import MeshLosses
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array

ROUNDS = 200
"""Tries, at most: each gains the digits of mu r over an arm of the mechanism."""
SAME = 1e-12
"""Part of the largest friction by which two tries may differ."""
STILL = 1e-12
"""An axis that moves less than this per unit of the moved axis stands: what its friction is, is not defined."""


class LoadedBearings:
    """The axes of one mechanism whose friction feels their load, beside couplings that lose power."""

    def __init__(self, swept: SweptMechanism, losses: MeshLosses) -> None:
        self._swept, self._losses = swept, losses
        known = enumerate(info.axis.bearing for info in swept.mechanism.axes)
        stated = [(axis, bearing.arm) for axis, bearing in known if bearing is not None and bearing.arm > 0.0]
        self.axes = [axis for axis, _ in stated]
        self._arm = np.array([arm for _, arm in stated])

    @property
    def lose(self) -> bool:
        """Whether anything of the mechanism loses power by its load."""
        return bool(self.axes or self._losses.rows)

    def into(self, plan: Sweep, points: Points, sense: float) -> Points:
        """Points of a route that goes in the `sense` of its first axis (1 or -1), without losses, with what they add to
        efforts and reactions.

        Raises UsageError where a coupling locks, or a bearing jams.
        """
        if not self.axes:
            return self._losses.into(plan, points, sense)
        found = [self._at(plan, points, index, sense) for index in range(len(points.position))]
        return type(points)(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def taken(self, plan: Sweep, points: Points) -> Array:
        """Power that bearings take at points that `into` gave, per rate of the first axis, shape (n, n_bearings) [N m
        or N]."""
        found = np.abs(points.rate[:, self.axes])
        for index in range(len(points.position) if self.axes else 0):
            self._swept.go_back(points, index)
            self._swept.here(plan)
            found[index] *= self._arm * self._across(points, index)
        return found

    def _at(self, plan: Sweep, points: Points, index: int, sense: float) -> Points:
        """The one point with friction."""
        rate = sense * points.rate[index, self.axes]
        way = np.where(np.abs(rate) > STILL, np.sign(rate), 0.0)
        held = np.zeros(len(self.axes))
        given = np.zeros(len(self._swept.mechanism.axes))
        for _ in range(ROUNDS):
            given[self.axes] = -way * held
            found = self._losses.at(plan, points, index, sense, given)
            holds = self._arm * self._across(found, 0)
            lacks = np.where(way != 0.0, np.abs(holds - held), 0.0)
            if not np.isfinite(holds).all() or lacks.max() <= SAME * holds.max():
                return found
            held = holds
        jammed = self._swept.mechanism.axes[self.axes[int(np.argmax(lacks))]].name
        raise UsageError(
            f"the bearing of '{jammed}' jams: the more the moved axes give, the more its friction holds; move another "
            "axis"
        )

    def _across(self, points: Points, index: int) -> Array:
        """Force across each of these axes at a point, where the mechanism is now, shape (n_bearings,) [N]."""
        model = self._swept.model
        nodes = int(model.N[at.NODES])
        found = []
        for axis in self.axes:
            code = int(model.axis_codes[axis])
            direction, place = self._direction(code)
            force = points.wrench[index, place if code >= 0 else nodes + place, 3:]
            found.append(float(np.linalg.norm(force - (force @ direction) * direction)))
        return np.array(found)

    def _direction(self, code: int) -> tuple[Array, int]:
        """Of an axis by its code in the world, where the mechanism is now, and its node or loop joint."""
        model = self._swept.model
        if code >= 0:
            first = at.int_block(model.N, at.I_FIRST)
            return model.view(at.F_S).reshape(-1, 3)[code], int(np.searchsorted(first, code, side="right")) - 1
        j = -1 - code
        loop = int(at.int_block(model.N, at.I_LAXIS_LOOP)[j])
        side = int(at.int_block(model.N, at.I_LAXIS_KIND)[j]) == CHILD_TURN
        R = model.view(at.F_LFRAME).reshape(-1, 4, 3)[2 * loop + side, :3]
        return R @ model.view(at.F_LAXIS_DIR).reshape(-1, 2, 3)[j, 0], loop
