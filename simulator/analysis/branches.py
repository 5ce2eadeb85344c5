"""The ways in which a mechanism can be assembled with its moved axes where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import MotionKind

if TYPE_CHECKING:
    from simulator.physics.layout.sweep_layout import Sweep
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array


STARTS = 400
"""Positions at random, always the same ones, from which Newton's method looks for others."""
SAME = 1e-6
"""Positions [rad, m] that differ by less are one."""


def branches_at(swept: SweptMechanism, plan: Sweep, target: Array) -> list[Array]:
    """Independent positions of all assemblies that are found with the moved axes at `target` (n_moves,), the present
    one first."""
    here = swept.y.copy()
    found = [here]
    seen = [_signature(swept, plan)]
    freedoms = swept.model.parts.independent_freedom
    turning = np.array([_turns(swept, int(freedom)) for freedom in freedoms], dtype=bool)
    places = swept.model.parts.ypos
    size = float(np.ptp(swept.here(plan).frame[0, :, 9:], axis=0).max(initial=0.0)) or 1.0
    generator = np.random.default_rng(0)
    locked = set(plan.lock.tolist())
    for _ in range(STARTS if swept.rank else 0):
        y = here.copy()
        for independent, (freedom, place) in enumerate(zip(freedoms.tolist(), places.tolist(), strict=True)):
            if place >= 0 and freedom not in locked:
                y[place] += generator.uniform(-np.pi, np.pi) if turning[independent] else generator.uniform(-size, size)
        if not swept.close_from_afar(plan, y, target):
            continue
        signature = _signature(swept, plan)
        if all(np.abs(signature - other).max(initial=0.0) > SAME for other in seen):
            seen.append(signature)
            found.append(_unwound(swept, here, turning))
    swept.y[:] = here
    return found


def _turns(swept: SweptMechanism, freedom: int) -> bool:
    axis = swept.model.parts.axis_of_freedom.get(freedom, -1)
    return axis < 0 or swept.mechanism.axes[axis].kind is MotionKind.ROTATION


def _signature(swept: SweptMechanism, plan: Sweep) -> Array:
    """Origins and axes of all nodes: the same for angles that differ by whole turns."""
    signature: Array = np.ravel(swept.here(plan).frame[0])
    return signature


def _unwound(swept: SweptMechanism, here: Array, turning: Array) -> Array:
    """The present independent positions, angles as near to those before as whole turns allow."""
    y: Array = swept.y.copy()
    for independent, place in enumerate(swept.model.parts.ypos.tolist()):
        axis = swept.model.parts.axis_of_freedom.get(int(swept.model.parts.independent_freedom[independent]), -1)
        if place >= 0 and turning[independent] and axis >= 0 and axis not in swept.coupled_axes:
            y[place] -= 2.0 * np.pi * round((y[place] - here[place]) / (2.0 * np.pi))
    return y
