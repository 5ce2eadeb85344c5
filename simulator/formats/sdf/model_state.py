"""Start positions of joints: `model_state` (SDFormat 1.12)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import Source
    from simulator.formats.cursor import Cursor


def read_initial_positions(model: Cursor) -> dict[tuple[str, str], tuple[float, Source]]:
    """Positions [rad or m] and their places by the joint's name as written and "axis" or "axis2"."""
    found: dict[tuple[str, str], tuple[float, Source]] = {}
    for state in model.children("model_state"):
        for joint in state.children("joint_state"):
            name = joint.required("name")
            for tag, element in (("axis", "axis_state"), ("axis2", "axis2_state")):
                axis = joint.child(element)
                if axis is not None and axis.child("position") is not None:
                    found.setdefault((name, tag), (_position(axis), axis.source))
    return found


def _position(axis: Cursor) -> float:
    value = axis.finite("position", 0.0)
    position = axis.child("position")
    return math.radians(value) if position is not None and position.flag("degrees") else value
