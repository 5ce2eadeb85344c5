"""Motions of joints in files of other programs: MCAP, bags of ROS 1 and 2, CSV."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.diagnostics import printable
from simulator.errors import MissingLibraryError, UsageError
from simulator.recording.csv_reading import sample_rows, text_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from simulator.spatial.arrays import Array


BAGS = (".mcap", ".db3", ".bag")
JOINT_STATE = "sensor_msgs/msg/JointState"
MOST = 5_000_000
"""Messages that are read at most."""


@dataclass(frozen=True, eq=False)
class JointSeries:
    """`time` [s] from the first sample on, rising, shape (n,); `position` [rad or m] and, of joints whose velocity
    [rad/s or m/s] is recorded, `velocity`, by the name of the joint in the file, shape (n,)."""

    time: Array
    position: Mapping[str, Array]
    velocity: Mapping[str, Array]


def read_joints(path: Path) -> JointSeries:
    """All joints of a file. Between its own samples, a joint of a message of its own moves along a straight line.

    CSV: the first column is time [s], others are positions by joint, `NAME`, `NAME/position` or
    `joint/NAME/position`, and `NAME/velocity`; columns of other quantities are left out.

    Raises UsageError for a file that cannot be read or has no joints, MissingLibraryError without the extra `mcap`.
    """
    if path.suffix.lower() not in BAGS and not path.is_dir():
        return _of_csv(path)
    samples: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for stamp, message in _messages(path):
        for quantity in ("position", "velocity"):
            values = getattr(message, quantity)
            for name, value in zip(message.name, values if len(values) else (), strict=len(values) > 0):
                times, numbers = samples.setdefault((name, quantity), ([], []))
                times.append(stamp)
                numbers.append(float(value))
    return _series(path, {key: (np.array(times), np.array(numbers)) for key, (times, numbers) in samples.items()})


def _series(path: Path, samples: Mapping[tuple[str, str], tuple[Array, Array]]) -> JointSeries:
    """On all times of the file; joints without a number are left out."""
    known = {}
    for key, (times, numbers) in samples.items():
        order = np.argsort(times, kind="stable")
        order = order[np.isfinite(numbers[order])]
        if len(order):
            known[key] = times[order], numbers[order]
    if not any(quantity == "position" for _, quantity in known):
        raise UsageError(f"'{path}' has no positions of joints")
    time = np.unique(np.concatenate([times for times, _ in known.values()]))
    values = {key: np.interp(time, *pair) for key, pair in known.items()}
    position, velocity = (
        {name: v for (name, of), v in values.items() if of == one} for one in ("position", "velocity")
    )
    return JointSeries(time - time[0], position, velocity)


def _messages(path: Path) -> list[tuple[float, Any]]:
    """Joint states with their stamps [s from the first]: of the messages where they have one, else of the file."""
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError
        from rosbags.rosbag1 import ReaderError as Bag1Error
        from rosbags.rosbag2 import ReaderError as Bag2Error
        from rosbags.serde import SerdeError
        from rosbags.typesys import Stores, TypesysError, get_typestore
    except ImportError as error:
        raise MissingLibraryError("bags and MCAP need rosbags: pip install 'simulator[mcap]'") from error
    found: list[tuple[int, Any]] = []
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
            wanted = [one for one in reader.connections if one.msgtype == JOINT_STATE]
            for connection, received, raw in reader.messages(connections=wanted) if wanted else ():
                message: Any = reader.deserialize(raw, connection.msgtype)
                stamp = message.header.stamp
                found.append((stamp.sec * 10**9 + stamp.nanosec or received, message))
                if len(found) > MOST:
                    raise UsageError(f"'{path}' has more than {MOST} messages of {JOINT_STATE}")
    except (AnyReaderError, Bag1Error, Bag2Error, SerdeError, TypesysError, OSError, ValueError) as error:
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not found:
        raise UsageError(f"'{path}' has no messages of {JOINT_STATE}")
    first = min(stamp for stamp, _ in found)
    return [(1e-9 * (stamp - first), message) for stamp, message in found]


def _of_csv(path: Path) -> JointSeries:
    lines = text_of(path, "utf-8-sig").splitlines()
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    names = [name.strip() for name in next(csv.reader([line for _, line in numbered[:1]]), [])]
    rows = sample_rows(path, numbered[1:], len(names))
    samples = {}
    for place, name in enumerate(names[1:], 1):
        parts = _parts(name)
        if parts in samples:
            raise UsageError(f"'{path}' has two columns for the {parts[1]} of '{printable(parts[0])}'")
        if parts[1]:
            samples[parts] = rows[:, 0], rows[:, place]
    return _series(path, samples)


def _parts(name: str) -> tuple[str, str]:
    """Joint and quantity of a column; no quantity for a column that is left out."""
    pieces: Sequence[str] = name.split("/")
    if pieces[-1] in ("position", "velocity") and len(pieces) > 1:
        return "/".join(pieces[1:-1] if pieces[0] == "joint" else pieces[:-1]), pieces[-1]
    return name, "" if len(pieces) > 1 else "position"
