"""Messages of ROS 2 whose layout stays the same while their numbers change, in CDR as ROS writes them.

A message is serialised once, with marks for its numbers. Every row is then a copy of these bytes with its own stamp and
numbers in the places of the marks: a thousand times as fast as serialising each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import MissingLibraryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array

    Bytes = NDArray[np.uint8]

JOINTS, TRANSFORMS = "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage"
RECORDING, RESIDUALS, LAWS = (f"simulator_msgs/msg/{name}" for name in ("Recording", "Residuals", "Laws"))
RESIDUAL = "simulator_msgs/msg/Residual"
OWN = {
    RESIDUAL: "string of\nstring unit\nfloat64 value\n",
    RESIDUALS: "std_msgs/Header header\nsimulator_msgs/Residual[] residuals\n",
    RECORDING: "std_msgs/Header header\nstring[] name\nstring[] unit\nfloat64[] value\n",
    LAWS: "string[] follower\nstring[] law\n",
}
"""Definitions of the messages that ROS does not have."""
WORLD = "world"
"""Frame of the transforms."""
SECONDS, MARK, NEXT = -2, -1.7e308, 1e300
"""Marks of a stamp and of numbers: their bytes (0xFF) are in no UTF-8 text."""
NANO = 10**9


class Messages:
    """Types of messages, with our own. Raises MissingLibraryError without rosbags."""

    def __init__(self) -> None:
        try:
            from rosbags.typesys import Stores, get_types_from_msg, get_typestore
        except ImportError as error:
            raise MissingLibraryError("MCAP files need mcap and rosbags: pip install 'simulator[mcap]'") from error
        self._store = get_typestore(Stores.ROS2_HUMBLE)
        for name, text in OWN.items():
            self._store.register(get_types_from_msg(text, name))

    def definition(self, kind: str) -> bytes:
        """The definition of a type with those that it is made of, as `ros2msg` has them."""
        text, _ = self._store.generate_msgdef(kind, ros_version=2)
        return str(text).encode()

    def joints(self, names: Sequence[str]) -> Form:
        """Numbers: all positions, velocities and efforts."""
        marks = _marks(3 * len(names)).reshape(3, -1)
        return self._form(JOINTS, self._header(), list(names), *marks, count=marks.size)

    def transforms(self, names: Sequence[str]) -> Form:
        """Numbers: x, y, z, qx, qy, qz, qw of X_WL of each link."""
        of, made = self._store.types, []
        for name, pose in zip(names, _marks(7 * len(names)).reshape(-1, 7).tolist(), strict=True):
            place = of["geometry_msgs/msg/Vector3"](*pose[:3])
            turn = of["geometry_msgs/msg/Quaternion"](*pose[3:])
            moved = of["geometry_msgs/msg/Transform"](place, turn)
            made.append(of["geometry_msgs/msg/TransformStamped"](self._header(WORLD), name, moved))
        return self._form(TRANSFORMS, made, count=7 * len(names))

    def residuals(self, named: Sequence[tuple[str, str]]) -> Form:
        """Numbers: one for each name and unit."""
        marks = _marks(len(named)).tolist()
        made = [self._store.types[RESIDUAL](*each, mark) for each, mark in zip(named, marks, strict=True)]
        return self._form(RESIDUALS, self._header(), made, count=len(named))

    def recording(self, names: Sequence[str], units: Sequence[str]) -> Form:
        """Numbers: all channels."""
        marks = _marks(len(names))
        return self._form(RECORDING, self._header(), list(names), list(units), marks, count=len(names))

    def laws(self, followers: Sequence[str], laws: Sequence[str]) -> bytes:
        """A whole message."""
        return self._bytes(LAWS, list(followers), list(laws))

    def read(self, kind: str, data: bytes) -> Any:
        """A message of one of these types."""
        return self._store.deserialize_cdr(data, kind)

    def _header(self, frame: str = "") -> Any:
        of = self._store.types
        return of["std_msgs/msg/Header"](of["builtin_interfaces/msg/Time"](SECONDS, 0), frame)

    def _form(self, kind: str, *parts: Any, count: int) -> Form:
        return Form(self._bytes(kind, *parts), count)

    def _bytes(self, kind: str, *parts: Any) -> bytes:
        return bytes(self._store.serialize_cdr(self._store.types[kind](*parts), kind))


class Form:
    """A message with places for its stamps and for `count` numbers."""

    def __init__(self, marked: bytes, count: int) -> None:
        self._blank: Bytes = np.frombuffer(marked, np.uint8)
        stamp = np.array([SECONDS, 0], "<i4").tobytes()
        self._stamps = [at for at in range(0, len(marked), 4) if marked.startswith(stamp, at)]
        self._numbers: list[int] = []
        for mark in _marks(count).astype("<f8"):
            self._numbers.append(marked.index(mark.tobytes(), self._numbers[-1] + 8 if self._numbers else 0))

    def filled(self, times: Array, numbers: Array) -> list[bytes]:
        """Messages of `times` [s], shape (n,), with `numbers`, shape (n, count)."""
        stamps = np.stack(np.divmod(nanoseconds(times), NANO), axis=1).astype("<i4").view(np.uint8)
        whole = np.tile(self._blank, (len(times), 1))
        for at in self._stamps:
            whole[:, at : at + 8] = stamps
        places = (np.array(self._numbers, dtype=np.intp)[:, None] + np.arange(8)).ravel()
        whole[:, places] = np.ascontiguousarray(numbers, "<f8").view(np.uint8)
        return [row.tobytes() for row in whole]


def nanoseconds(times: Array) -> NDArray[np.int64]:
    """Stamps of times [s]."""
    return np.rint(times * NANO).astype(np.int64)


def _marks(count: int) -> Array:
    return MARK + NEXT * np.arange(count, dtype=np.float64)
