"""`<pose>` elements."""

from __future__ import annotations

import math

from simulator.formats.cursor import Cursor
from simulator.formats.sdf.specs import PoseSpec
from simulator.formats.values import FARTHEST, plain_numbers
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_normalized

UNIT = 1e-3
"""Four numbers whose norm is this near to 1 are a quaternion."""
_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}


def read_pose(owner: Cursor, tag: str = "pose") -> PoseSpec:
    """The pose of `owner`: identity where there is no `<pose>` or it is empty or unreadable. `tag`: of an element that
    is written alike."""
    cursor = owner.child(tag)
    if cursor is None:
        return PoseSpec(source=owner.source)
    relative_to = cursor.get("relative_to")
    try:
        pose = _pose(cursor)
    except ValueError as error:
        cursor.reading.fatal("ELEMENT_INVALID", cursor.source, f"<{tag}>: {error}")
        pose = IDENTITY
    return PoseSpec(pose, relative_to, cursor.source)


def read_local_pose(owner: Cursor) -> Pose:
    """As `read_pose` where no `relative_to` is understood (inertial, visual, collision): it is warned about and
    ignored."""
    spec = read_pose(owner)
    if spec.relative_to and owner.tag == "inertial":
        hint = "give the pose in the link's frame"
        owner.log.warning("ATTRIBUTE_INCORRECT_TYPE", spec.source, "relative_to of an inertial pose is not read", hint)
    return spec.pose


def _numbers(cursor: Cursor, count: int, rotation_format: str) -> tuple[float, ...]:
    """Six or seven of them. Unless `strict`, missing Euler angles are zero and what is left over is not read, as in
    Gazebo classic."""
    needed = _COUNTS[rotation_format]
    strict = cursor.reading.options.strict
    if count == needed or not (strict or cursor.mended(needed) is None):
        return _without_slip(cursor) or cursor.own_numbers(needed)
    if strict or rotation_format != "euler_rpy":
        raise ValueError(f"{needed} numbers with blanks between them are needed for {rotation_format}, it has {count}")
    if _is_quaternion(plain_numbers(cursor.text)[3:]):
        raise ValueError("its seven numbers look like a position and a quaternion: write rotation_format='quat_xyzw'")
    numbers = cursor.own_numbers(min(count, needed))
    if count < needed:
        message = f"<{cursor.tag}> has {count} of the 6 numbers that are needed; the others are taken as 0"
        cursor.log.warning("ELEMENT_INVALID", cursor.source, message, "write x y z roll pitch yaw", fold="pose")
    return numbers + (0.0,) * (needed - len(numbers))


def _without_slip(cursor: Cursor) -> tuple[float, ...]:
    """All numbers, with 0 for the one word among them that is none, as Gazebo classic reads it; none if that is not the
    case."""
    words = cursor.text.split()
    numbers = [plain_numbers(word) for word in words]
    if (
        cursor.reading.options.strict
        or sum(map(len, numbers)) != len(words) - 1
        or cursor.mended(len(words)) is not None
    ):
        return ()
    slip = next(word for word, number in zip(words, numbers, strict=True) if not number)
    if slip[0].isdigit():  # a number with something behind it, which is read
        return ()
    message = f"'{slip}' in <{cursor.tag}> is not a number; 0 is taken"
    cursor.log.warning("ELEMENT_INVALID", cursor.source, message, "write the number that is meant")
    return tuple(number[0] if number else 0.0 for number in numbers)


def _is_quaternion(numbers: tuple[float, ...]) -> bool:
    return len(numbers) == 4 and abs(math.hypot(*numbers) - 1.0) < UNIT


def _pose(cursor: Cursor) -> Pose:
    rotation_format = cursor.get("rotation_format", "euler_rpy")
    degrees = cursor.flag("degrees")
    if rotation_format not in _COUNTS:
        raise ValueError(f"rotation_format '{rotation_format}' does not exist; it is euler_rpy or quat_xyzw")
    if degrees and rotation_format == "quat_xyzw":
        raise ValueError("degrees='true' makes no sense for a quaternion")
    parts = cursor.text.split()
    if not parts:
        return IDENTITY
    numbers = _numbers(cursor, len(parts), rotation_format)
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"'{cursor.text}' has a number that is not finite")
    position = (numbers[0], numbers[1], numbers[2])
    if max(map(abs, position)) > FARTHEST:
        raise ValueError(f"no place of this world is farther away than {FARTHEST:g} m")
    if rotation_format == "quat_xyzw":
        return Pose(position, quat_normalized((numbers[3], numbers[4], numbers[5], numbers[6])))
    roll, pitch, yaw = (math.radians(angle) if degrees else angle for angle in numbers[3:])
    return Pose.from_rpy(position, (roll, pitch, yaw))
