"""Obstacles to motors without an effort limit; if the dynamics do not report them, from the difference between
commanded and actual velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.engine.port import Contact
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.spatial.arrays import Array


FAR = 0.01
"""Difference of velocities [rad/s or m/s], as a part of one above 1, that no solver leaves."""
BEYOND = 1e-6
"""A motor that is this far [rad or m] beyond a stop has pushed it."""


def stop_text(info: AxisInfo, *, upper: bool) -> str:
    """A stop of an axis, in a finding."""
    end, limit = ("upper", info.axis.upper) if upper else ("lower", info.axis.lower)
    return f"the {end} limit of '{info.name}', {limit:.6g} {info.unit}"


def contact_text(mechanism: Mechanism, bodies: Iterable[int]) -> str:
    """A contact of two bodies, in a finding."""
    first, second = (mechanism.bodies[body].name for body in bodies)
    return f"the contact of '{first}' with '{second}'"


def find_held(
    mechanism: Mechanism,
    axis: int,
    asked: Array,
    position: Array,
    velocity: Array,
    contacts: Callable[[], Iterable[Contact]],
) -> tuple[int, str] | None:
    """The first step in which something held the motor of an axis, and what that is. `asked`: the velocity that it was
    to have at the end of each step, shape (n,) [rad/s or m/s]; `position` and `velocity` there; `contacts` after the
    last. None where nothing did that can be named."""
    info = mechanism.axes[axis]
    for upper in (True, False):
        past = position - info.axis.upper if upper else info.axis.lower - position
        pushed = np.flatnonzero((past > BEYOND) & ((asked > 0.0) == upper) & (asked != 0.0))
        if len(pushed):
            return int(pushed[0]), stop_text(info, upper=upper)
    missed = np.flatnonzero(np.abs(velocity - asked) > FAR * (1.0 + np.abs(asked)))
    if not len(missed):
        return None
    moved = _bodies_moved(mechanism, axis)
    touching = [contact for contact in contacts() if contact.force > 0.0 and not moved.isdisjoint(contact.bodies)]
    if not touching:
        return None
    hardest = max(touching, key=lambda contact: contact.force).bodies
    return int(missed[0]), contact_text(mechanism, sorted(hardest, key=lambda body: body not in moved))


def _bodies_moved(mechanism: Mechanism, axis: int) -> set[int]:
    """The bodies that an axis moves, and those of all that loops and couplings tie to it."""
    of_axis = {i for i, joint in enumerate(mechanism.joints) if any(motion.axis == axis for motion in joint.motions)}
    for cluster in mechanism.clusters:
        if not of_axis.isdisjoint(cluster.joints):
            of_axis |= {*cluster.joints}
    moved = {mechanism.joints[i].child for i in of_axis}
    for joint in mechanism.joints:  # inboard bodies first
        if joint.parent in moved:
            moved.add(joint.child)
    return moved
