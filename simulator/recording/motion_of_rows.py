"""The motion that rows of a recording describe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.kinematics.recorded_motion import RecordedMotion
from simulator.kinematics.state import multi_dof_joints
from simulator.physics.layout.watched_row import LOOSE
from simulator.recording.channels import channels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array


def motion_of(mechanism: Mechanism, columns: Sequence[Channel], rows: Array, *, moving: bool) -> RecordedMotion:
    """Positions, and with `moving` velocities, of all axes and loose bodies in rows, shape (n, n_columns). Without
    `moving` the velocities are 0.

    Raises UsageError if a column is lacking.
    """
    position = _of_axes(mechanism, columns, rows, "position")
    velocity = _of_axes(mechanism, columns, rows, "velocity") if moving else np.zeros_like(position)
    groups = ("pose", "twist") if moving else ("pose",)
    return RecordedMotion(mechanism, position, velocity, _loose(mechanism, columns, rows, groups))


def _of_axes(mechanism: Mechanism, columns: Sequence[Channel], rows: Array, quantity: str) -> Array:
    """Position or velocity of every axis, shape (n, n_axes)."""
    places = {channel.index: i for i, channel in enumerate(columns) if channel.group == quantity}
    lacking = [axis.name for i, axis in enumerate(mechanism.axes) if i not in places]
    if lacking:
        raise UsageError(f"the recording lacks joint/{lacking[0]}/{quantity}")
    return rows[:, [places[i] for i in range(len(places))]]


def _loose(mechanism: Mechanism, columns: Sequence[Channel], rows: Array, groups: Sequence[str]) -> dict[int, Array]:
    """Pose and twist of every body on a ball or free joint, shape (n, 13); zero for others."""
    found: dict[int, Array] = {}
    if not multi_dof_joints(mechanism):
        return found
    known = [channel.name for channel in columns]
    wanted = [channel for channel in channels_of(mechanism) if channel.group in groups]
    for joint in multi_dof_joints(mechanism):
        body = mechanism.joints[joint].child
        names = [channel.name for channel in wanted if channel.index == body]
        lacking = [name for name in names if name not in known]
        if lacking:
            raise UsageError(f"the recording lacks {lacking[0]}")
        found[body] = np.zeros((len(rows), LOOSE))
        found[body][:, : len(names)] = rows[:, [known.index(name) for name in names]]
    return found
