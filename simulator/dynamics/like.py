"""Compiled mechanisms with other numbers: the structure, and the choice of rows that took milliseconds to find, are taken over.

A mechanism that shares joints, bodies and couplings with the old one (`is`: they are frozen values) has other springs and dampers at most,
which are patched in a copy of the buffers. Else the buffers are filled anew; the rows of loops that counted still count, and `choose_rows`
looks at that whenever a state is set.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.build import build_buffers
from simulator.mechanism.alignment import aligned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.bounded import BoundedMechanism
    from simulator.dynamics.compiled.build import Parts
    from simulator.dynamics.compiled.model import CompiledMechanism
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


def bounded_like(
    bounded: BoundedMechanism, mechanism: Mechanism, added_inertia: Array | None
) -> BoundedMechanism | None:
    """As `model_like`, with the stops, friction and speed limits of `mechanism`, and without motors, loops and contacts."""
    model = model_like(bounded.model, mechanism, added_inertia)
    if model is None:
        return None
    other = copy.copy(bounded)
    other.model, other._mechanism, other._motors, other._servos, other._dt = model, mechanism, {}, (), 0.0
    other.set_contacts(None)
    other._arrange()
    return other


def model_like(model: CompiledMechanism, mechanism: Mechanism, added_inertia: Array | None) -> CompiledMechanism | None:
    """A model of `mechanism`, which has the structure of `model`'s; None where its couplings are solved for other coordinates.

    Its state is not set. `added_inertia`: see `CompiledMechanism`.
    """
    before = model.mechanism
    same_joints = mechanism.joints is before.joints and mechanism.loop_joints is before.loop_joints
    if same_joints and mechanism.bodies is before.bodies and mechanism.couplings is before.couplings:
        parts = _with_passive(model.parts, mechanism)
    else:
        parts = build_buffers(mechanism, added_inertia)
        if not _same_structure(model.parts, parts):
            return None
        at.block(parts.F, parts.N, at.F_PIVOT)[:] = model.view(at.F_PIVOT)
    other = copy.copy(model)
    other.mechanism, other.parts, other.F, other.N = mechanism, parts, parts.F, parts.N
    other.rows = copy.copy(model.rows)
    rows = other.rows
    rows._model, rows.parked, rows.went = other, [], []
    rows._kinematics = rows._kinematics.like(mechanism)
    if mechanism.loop_joints and (rows._out_of_line > 0.0 or not same_joints):
        straight, found = aligned(mechanism)
        rows._kinematics = rows._kinematics.like(straight)
        rows._out_of_line = max((item.angle for item in found), default=0.0)
        rows._closure = rows._closure if same_joints else None
    return other


def _with_passive(parts: Parts, mechanism: Mechanism) -> Parts:
    """A copy of the buffers with the springs and dampers of `mechanism`."""
    F, N = parts.F.copy(), parts.N.copy()
    damping, stiffness, reference = (at.block(F, N, index) for index in (at.F_DAMPING, at.F_STIFFNESS, at.F_REFERENCE))
    closing = at.block(F, N, at.F_LPASSIVE).reshape(-1, 3)
    for axis, (info, freedom) in enumerate(zip(mechanism.axes, parts.tree.freedom_of_axis.tolist(), strict=True)):
        numbers = (info.axis.damping, info.axis.spring_stiffness, info.axis.spring_reference)
        if freedom >= 0:
            damping[freedom], stiffness[freedom], reference[freedom] = numbers
        elif axis in parts.tables.axis_of:
            closing[parts.tables.axis_of[axis]] = numbers
    at.block(F, N, at.F_TAU)[:] = 0.0
    return replace(parts, F=F, N=N)


def _same_structure(before: Parts, after: Parts) -> bool:
    """Whether both have the same blocks and the same coordinates."""
    if before.N.shape != after.N.shape or before.F.shape != after.F.shape:
        return False
    tables = slice(at.HEAD, at.HEAD + 2 * (at.FLOAT_BLOCKS + at.INT_BLOCKS))
    pairs = (
        (before.N[tables], after.N[tables]),
        (before.reduction.index, after.reduction.index),
        (before.reduction.ptr, after.reduction.ptr),
        (before.independent_freedom, after.independent_freedom),
        (before.tree.freedom_of_axis, after.tree.freedom_of_axis),
    )
    same_rows = before.tables.kind == after.tables.kind and before.tables.loop == after.tables.loop
    return same_rows and all(np.array_equal(a, b) for a, b in pairs)
