"""Compiled mechanisms with other numbers: the structure, and the choice of rows that took milliseconds to find, are
taken over.

The buffers are those of `build.rebuild`; the rows of loops that counted still count, and `choose_rows` looks at that
whenever a state is set.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simulator.physics.build.rebuild import parts_like
from simulator.physics.build.state import CompiledState
from simulator.physics.compiled.bounded import NO_CONTACTS

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import Axis
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.spatial.arrays import Array


State = TypeVar("State", bound=CompiledState)


def bounded_like(
    bounded: BoundedMechanism, mechanism: Mechanism, added_inertia: Array | None
) -> BoundedMechanism | None:
    """As `model_like`, with the stops, friction and speed limits of `mechanism`, and without motors, loops and
    contacts."""
    model = model_like(bounded.model, mechanism, added_inertia)
    if model is None:
        return None
    other = copy.copy(bounded)
    other.model = model
    other._mechanism = mechanism
    other._motors = {}
    other._servos = ()
    other._touching = None
    other._dt = 0.0
    other._advance_block = bounded._advance_block.for_another()
    other.use_contacts(*NO_CONTACTS)
    other._arrange()
    return other


def numbers_like(model: CompiledMechanism, mechanism: Mechanism, added_inertia: Array | None) -> Array | None:
    """F of a model of `mechanism`, which has the structure of `model`'s, as many loads in the same places, and axes
    with the same directions and the same limits of effort and velocity. None where anything else differs, or couplings
    that are not ideal or have curves.
    """
    before = model.mechanism
    if not _couplings_alike(before, mechanism) or not _axes_alike(before, mechanism):
        return None
    parts = parts_like(model.parts, before, mechanism, added_inertia)
    return parts.F if parts is not None and np.array_equal(parts.N, model.N) else None


def _couplings_alike(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether nothing differs but factors and constants of ideal couplings."""
    both = (*before.couplings, *mechanism.couplings)
    straight = all(coupling.real.is_ideal and coupling.curve is None for coupling in both)
    return mechanism.couplings is before.couplings or straight


def _axes_alike(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether nothing differs but what resists axes and how far they go."""
    pairs = zip(before.axes, mechanism.axes, strict=True) if mechanism.axes is not before.axes else ()
    return all(old is new or _bounds(old.axis) == _bounds(new.axis) for old, new in pairs)


def _bounds(axis: Axis) -> tuple[object, ...]:
    return axis.effort, axis.velocity, axis.initial_position, axis.xyz_joint


def model_like(model: CompiledMechanism, mechanism: Mechanism, added_inertia: Array | None) -> CompiledMechanism | None:
    """A model of `mechanism`, which has the structure of `model`'s; None where its couplings are solved for other
    coordinates.

    Its state is not set. `added_inertia`: see `CompiledMechanism`.
    """
    before = model.mechanism
    other = state_like(model, mechanism, added_inertia)
    if other is not None:
        same_joints = mechanism.joints is before.joints and mechanism.loop_joints is before.loop_joints
        other.rows = model.rows.like(other, same_joints=same_joints)
    return other


def state_like(state: State, mechanism: Mechanism, added_inertia: Array | None) -> State | None:
    """The same without a choice of rows, for what has none."""
    parts = parts_like(state.parts, state.mechanism, mechanism, added_inertia)
    if parts is None:
        return None
    other = copy.copy(state)
    other.mechanism = mechanism
    other.parts = parts
    other.F = parts.F
    other.N = parts.N
    return other
