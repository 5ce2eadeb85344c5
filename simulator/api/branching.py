"""The ways in which a mechanism can be assembled with axes at given positions, and the choice among them.

The search always begins at the document's start, so that its result depends on the request only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.branches import branches_at
from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.limits import WITHIN, limits_of
from simulator.mechanism.types import MotionKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.mechanism.types import Mechanism
    from simulator.physics.queries.posed import Plan, Posed
    from simulator.spatial.arrays import Array


def branches_of(posed: Posed, positions: Mapping[int, float]) -> Array:
    """Positions of all axes, shape (n, n_axes) [rad or m], in all assemblies within the limits that are found with
    these axes at these positions, the branch of the document's start first.

    Raises UsageError if the axes do not determine the others, AssemblyError if nothing is found.
    """
    axes = posed.mechanism.axes
    plan = posed.plan(list(positions))
    if plan.holds_joints or len(plan.axes) < len(positions):
        free = posed.mechanism.mobility.count
        raise UsageError(f"branches need axes that determine all others: name {free} of them")
    targets = np.array([[positions[axis] for axis in plan.axes]])
    posed.begin(posed.start)
    first = posed.reach(plan, targets, posed.start).axes
    found = [first[0]] if np.isfinite(first).all() else []
    # The first that `branches_at` returns is the start itself.
    found += [_polished(posed, plan, targets, y) for y in branches_at(posed.swept, plan.sweep, targets[0])[1:]]
    limits = limits_of(posed.mechanism)
    allowed = [each for each in found if limits.excess(each).max(initial=0.0) <= WITHIN]
    if not allowed:
        asked = ", ".join(f"'{axes[axis].name}' at {value:g} {axes[axis].unit}" for axis, value in positions.items())
        raise AssemblyError(f"found no way to assemble the mechanism within its limits with {asked}")
    return np.array(allowed)


def nearest_branch(mechanism: Mechanism, branches: Array, near: Mapping[int, float]) -> Array:
    """The one of the `branches` (n, n_axes) whose axes are nearest to the positions `near` [rad or m]; angles count
    modulo whole turns."""
    missed = branches[:, list(near)] - np.array(list(near.values()))
    turns = np.array([mechanism.axes[axis].kind is MotionKind.ROTATION for axis in near], dtype=bool)
    missed[:, turns] = np.remainder(missed[:, turns] + np.pi, 2.0 * np.pi) - np.pi
    found: Array = branches[int(np.argmin(np.linalg.norm(missed, axis=1)))]
    return found


def _polished(posed: Posed, plan: Plan, targets: Array, y: Array) -> Array:
    """Positions of all axes, shape (n_axes,), at the independent positions `y`."""
    posed.swept.begin_at(y)
    seed = posed.state(posed.swept.here(plan.sweep).position[0], plan, posed.start)
    found: Array = posed.reach(plan, targets, seed).axes[0]
    return found
