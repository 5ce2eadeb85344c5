"""Start positions and velocities of joints, and start velocities of links: `model_state` (SDFormat 1.12)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.sdf.specs import StartSpec
from simulator.model.link import StartVelocity

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.specs import Starts, StartTwists


def read_starts(model: Cursor) -> Starts:
    """What the states ask for, by the joint's name as written and "axis" or "axis2"."""
    found: Starts = {}
    for state in model.children("model_state"):
        for joint in state.children("joint_state"):
            name = joint.required("name")
            for tag, element in (("axis", "axis_state"), ("axis2", "axis2_state")):
                axis = joint.child(element)
                if axis is not None:
                    spec = StartSpec(_value(axis, "position"), _value(axis, "velocity"), axis.source)
                    if spec.position is not None or spec.velocity is not None:
                        found.setdefault((name, tag), spec)
    return found


def read_start_twists(model: Cursor) -> StartTwists:
    """What the states ask of links, by the link's name as written: `<velocity>` is that of the origin, then the angular
    one, in world axes."""
    found: StartTwists = {}
    for state in model.children("model_state"):
        for link in state.children("link_state"):
            name, velocity = link.required("name"), link.child("velocity")
            if velocity is not None:
                linear, angular = link.two_vectors("velocity")
                found.setdefault(name, StartVelocity(linear, angular, velocity.source))
    return found


def _value(axis: Cursor, tag: str) -> float | None:
    """In rad or m, and seconds; None where it is not said."""
    said = axis.child(tag)
    if said is None:
        return None
    value = axis.finite(tag, 0.0)
    return math.radians(value) if said.flag("degrees") else value
