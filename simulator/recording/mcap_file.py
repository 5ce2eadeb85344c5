"""Recordings as MCAP files, which Foxglove, PlotJuggler, rerun and ROS 2 read.

Topics: `/joint_states` and `/tf` in ROS's own messages; `/simulator/laws`, `/simulator/residuals` and
`/simulator/recording`, whose definitions are in the file. The last has every channel under its name, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.diagnostics import printable
from simulator.errors import MissingLibraryError, UsageError
from simulator.mechanism.alignment import aligned
from simulator.mechanism.law_text import law
from simulator.recording.motion_of_rows import motion_of
from simulator.recording.reporting import writing_to
from simulator.recording.ros_messages import (
    JOINTS,
    LAWS,
    RECORDING,
    RESIDUALS,
    TRANSFORMS,
    Messages,
    nanoseconds,
)
from simulator.spatial.pose_arrays import compose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.recording.ros_messages import Form
    from simulator.spatial.arrays import Array


SUFFIX = ".mcap"
TOPIC = "/simulator/recording"
QUANTITIES = ("position", "velocity", "effort")
RESIDUAL_GROUPS = ("coupling", "loop_m", "loop_rad")


class McapWriter:
    """Writes rows of `channels` as messages. The file is whole when it is closed; of a file whose writer was
    killed, `mcap recover` restores the whole chunks, 1 MB each.

    Raises MissingLibraryError without mcap and rosbags, UsageError if the file cannot be written.
    """

    def __init__(self, path: Path, channels: Iterable[Channel], mechanism: Mechanism) -> None:
        self._path = path
        self._columns = tuple(channels)
        self._mechanism, _ = aligned(mechanism)
        self._messages = Messages()
        self._topics: list[tuple[int, Form, Callable[[Array], Array]]] = []
        with writing_to(self._path):
            self._writer = _opened(path)
            self._writer.start(profile="ros2", library="simulator")
        self._kinds: dict[str, int] = {}
        self._laws = self._topic("/simulator/laws", LAWS) if mechanism.couplings else 0
        self._add_joints()
        self._add_transforms()
        self._add_residuals()
        names = [printable(channel.name) for channel in self._columns]
        units = [channel.unit for channel in self._columns]
        self._add(TOPIC, RECORDING, self._messages.recording(names, units), lambda rows: rows)

    def write(self, row: Array) -> None:
        """Append one sample."""
        self.write_rows(row[None])

    def write_rows(self, rows: Array) -> None:
        """Append samples, shape (n, n_channels)."""
        stamps = nanoseconds(rows[:, 0]).tolist()
        made = [form.filled(rows[:, 0], numbers(rows)) for _, form, numbers in self._topics]
        with writing_to(self._path):
            for row, stamp in enumerate(stamps):
                if self._laws:
                    self._write(self._laws, stamp, self._law_message())
                    self._laws = 0
                for (topic, _, _), messages in zip(self._topics, made, strict=True):
                    self._write(topic, stamp, messages[row])

    def close(self) -> None:
        """Write the index, and close the file."""
        with writing_to(self._path):
            self._writer.finish()

    def _write(self, topic: int, stamp: int, data: bytes) -> None:
        self._writer.add_message(topic, log_time=stamp, data=data, publish_time=stamp)

    def _law_message(self) -> bytes:
        mechanism = self._mechanism
        followers = [printable(mechanism.axes[one.follower].name) for one in mechanism.couplings]
        return self._messages.laws(followers, [printable(law(one, mechanism)) for one in mechanism.couplings])

    def _add_joints(self) -> None:
        """Joints of whose quantities there is one column at least; nan for others."""
        places = {(channel.group, channel.index): i for i, channel in enumerate(self._columns)}
        axes = [i for i in range(len(self._mechanism.axes)) if any((group, i) in places for group in QUANTITIES)]
        chosen = np.array([places.get((group, i), -1) for group in QUANTITIES for i in axes], dtype=np.intp)
        if axes:
            names = short_names([axis.name for axis in self._mechanism.axes])
            form = self._messages.joints([printable(names[i]) for i in axes])
            self._add("/joint_states", JOINTS, form, lambda rows: np.where(chosen < 0, np.nan, rows[:, chosen]))

    def _add_transforms(self) -> None:
        """Of all links, if the columns have all positions."""
        placed = self._mechanism.placed_links()
        try:
            motion_of(self._mechanism, self._columns, np.zeros((0, len(self._columns))), moving=False)
        except UsageError:
            return
        form = self._messages.transforms([printable(name) for name in short_names(list(placed))])

        def poses(rows: Array) -> Array:
            motion = motion_of(self._mechanism, self._columns, np.nan_to_num(rows), moving=False)
            bodies = {body: motion.body(body)[0] for body in {body for body, _ in placed.values()}}
            found = [compose(bodies[body], np.array([X_BL.as_list()])) for body, X_BL in placed.values()]
            return np.concatenate(found, axis=1)

        if placed:
            self._add("/tf", TRANSFORMS, form, poses)

    def _add_residuals(self) -> None:
        chosen = [i for i, channel in enumerate(self._columns) if channel.group in RESIDUAL_GROUPS]
        if chosen:
            named = [(printable(self._columns[i].name), self._columns[i].unit) for i in chosen]
            form = self._messages.residuals(named)
            self._add("/simulator/residuals", RESIDUALS, form, lambda rows: rows[:, chosen])

    def _add(self, topic: str, kind: str, form: Form, numbers: Callable[[Array], Array]) -> None:
        self._topics.append((self._topic(topic, kind), form, numbers))

    def _topic(self, topic: str, kind: str) -> int:
        with writing_to(self._path):
            schema = self._writer.register_schema(name=kind, encoding="ros2msg", data=self._messages.definition(kind))
            return int(self._writer.register_channel(topic=topic, message_encoding="cdr", schema_id=schema))

    def __enter__(self) -> McapWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def short_names(names: Sequence[str]) -> list[str]:
    """Names without their models where these are unique, as programs that know one robot expect them."""
    bare = [name.rpartition("::")[2] for name in names]
    return [short if bare.count(short) == 1 else name for short, name in zip(bare, names, strict=True)]


def _opened(path: Path) -> Any:
    try:
        from mcap.writer import Writer
    except ImportError as error:
        raise MissingLibraryError("MCAP files need mcap and rosbags: pip install 'simulator[mcap]'") from error
    return Writer(str(path))
