"""States of a relay as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.session.relay.completion import Motion
    from simulator.session.relay.relay import Relay, Relayed
    from simulator.session.relay.remarks import Remark
    from simulator.spatial.arrays import Array

WORLD = "world"
"""Frame of the poses."""


def line_of(found: Relayed, relay: Relay) -> bytes:
    """A line of JSON for a state, with its end."""
    message: dict[str, object] = {} if found.motion is None else _motion(found.motion, relay)
    return _line({**message, "is_held": found.is_held, "status": [remark.as_dict() for remark in found.remarks]})


def answer_of(remarks: Iterable[Remark]) -> bytes:
    """A line of JSON for remarks to one client, with its end."""
    return _line({"status": [remark.as_dict() for remark in remarks]})


def _motion(motion: Motion, relay: Relay) -> dict[str, object]:
    poses = zip(relay.links, motion.X_WL, strict=True)
    return {
        "stamp": motion.stamp,
        "name": relay.joints,
        "position": motion.position.tolist(),
        "velocity": numbers_of(motion.velocity),
        "effort": numbers_of(motion.effort),
        "transforms": [
            {"parent": WORLD, "child": link, "translation": X[:3, 3].tolist(), "rotation": quat_from_matrix(X[:3, :3])}
            for link, X in poses
        ],
        "residuals": dict(zip(relay.residuals, motion.residual.tolist(), strict=True)),
    }


def numbers_of(values: Array | None) -> list[float]:
    """As ROS writes what is not known: an empty array."""
    return [] if values is None else [float(value) for value in values]


def _line(message: dict[str, object]) -> bytes:
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
