"""Curves of bodies without axes, which float or hang on a ball joint: their positions, orientations and
velocities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.model.names import distinct_tails
from simulator.recording.channels import POSE, TWIST, Channel

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


DEFAULT_BODIES = 3
"""The positions of so many bodies are shown at the start."""


def links_of(channels: Sequence[Channel]) -> list[tuple[str, dict[str, int]]]:
    """Short names of the links with poses of their own, each with the channels of the parts of its pose and twist."""
    found: dict[str, dict[str, int]] = {}
    for number, channel in enumerate(channels):
        if channel.group in {"pose", "twist"}:
            name, _, part = channel.name.removeprefix("link/").rpartition("/")
            found.setdefault(name, {})[part] = number
    return list(zip(distinct_tails(list(found)), found.values(), strict=True))


def angles(turn: int, x: Array, y: Array, z: Array, w: Array) -> Array:
    """Fixed-axis roll, pitch or yaw [rad] (`turn` 0, 1, 2) of unit quaternions, shape (n,) each, as
    `spatial.rotation.rpy_from_quat` but where the pitch is ±π/2. Roll and yaw jump by a turn at ±π."""
    if turn == 0:
        return np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    if turn == 1:
        return np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def turn_names() -> tuple[str, str, str]:
    """What the three angles are called."""
    return _tr("roll"), _tr("pitch"), _tr("yaw")


def parts_of(group: str) -> tuple[tuple[str, str], ...]:
    """Names and units of the parts that are drawn as they were recorded, in a group of curves."""
    parts = {"position": ("x", "y", "z"), "velocity": ("vx", "vy", "vz", "wx", "wy", "wz")}.get(group, ())
    return tuple((part, (POSE | TWIST)[part]) for part in parts)


QUATERNION = ("qx", "qy", "qz", "qw")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Traces", text)
