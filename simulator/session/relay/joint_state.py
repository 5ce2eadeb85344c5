"""Joint states as other programs send them: `sensor_msgs/JointState` as JSON, with the stamp as one number or as ROS 1
or ROS 2 write it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import field

from simulator.records import dataclass
from simulator.session.relay.remarks import Remark

LARGEST = 1_000_000
"""Bytes of a message."""
LATEST = 1e15
"""Largest stamp [s]."""
QUANTITIES = ("position", "velocity", "acceleration")


class MessageError(Exception):
    """A message that cannot be used; `remark` says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.remark = Remark(code, message)


@dataclass(frozen=True)
class JointSample:
    """Positions [rad or m], velocities and accelerations by name of joint; nan for what is no number. `stamp` [s], None
    without one."""

    position: Mapping[str, float]
    velocity: Mapping[str, float] = field(default_factory=dict)
    acceleration: Mapping[str, float] = field(default_factory=dict)
    stamp: float | None = None


def sample_of_text(text: bytes) -> JointSample:
    """The joint state in a line of JSON. Raises MessageError."""
    if len(text) > LARGEST:
        raise MessageError("TOO_LONG", f"a message of {len(text)} bytes; {LARGEST} are read")
    try:
        message = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise MessageError("BAD_JSON", f"no UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise MessageError("BAD_JSON", f"no JSON: {error.msg} at character {error.pos}") from None
    except (RecursionError, ValueError):
        raise MessageError(
            "BAD_JSON", "no JSON that is read: nested too deeply, or a number of too many digits"
        ) from None
    return sample_of(message)


def sample_of(message: object) -> JointSample:
    """The joint state in an object. Raises MessageError."""
    if not isinstance(message, Mapping):
        raise MessageError("BAD_JSON", 'a joint state is an object: {"name": ["joint"], "position": [0.1]}')
    names = message.get("name")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise MessageError("BAD_MESSAGE", '"name" must be an array of names of joints')
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MessageError("BAD_MESSAGE", f"'{twice}' is named twice")
    values = {what: _numbers(message, what, len(names)) for what in QUANTITIES}
    if not values["position"]:
        raise MessageError("BAD_MESSAGE", '"position" must be an array of numbers, one for each name')
    position, velocity, acceleration = (dict(zip(names, values[what], strict=False)) for what in QUANTITIES)
    return JointSample(position, velocity, acceleration, _stamp(message))


def _numbers(message: Mapping[str, object], what: str, count: int) -> list[float]:
    """The array `what`, nan for entries that are null; empty if there is none, which ROS allows."""
    values = message.get(what)
    if values is None or values == []:
        return []
    if not isinstance(values, list) or len(values) != count:
        raise MessageError("BAD_MESSAGE", f'"{what}" must be an array of {count} numbers, one for each name')
    return [_number(value, what) for value in values]


def _number(value: object, what: str) -> float:
    """rosbridge writes nan and infinity as null."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MessageError("BAD_MESSAGE", f'"{what}" must hold numbers, not {json.dumps(value)[:40]}')
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _stamp(message: Mapping[str, object]) -> float | None:
    """Seconds; a stamp of zero is none, as in ROS."""
    header = message.get("header")
    stamp = header.get("stamp") if isinstance(header, Mapping) else message.get("stamp")
    if isinstance(stamp, Mapping):
        whole, part = (stamp.get(ros2, stamp.get(ros1, 0)) for ros2, ros1 in (("sec", "secs"), ("nanosec", "nsecs")))
        seconds = _number(whole, "stamp") + 1e-9 * _number(part, "stamp")
    else:
        seconds = _number(stamp, "stamp")
    if abs(seconds) > LATEST:
        raise MessageError("BAD_MESSAGE", f'"stamp" must be seconds, not {seconds:.3g}')
    return seconds if math.isfinite(seconds) and seconds else None
