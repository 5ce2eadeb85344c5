"""Recordings as MCAP files, which Foxglove, PlotJuggler, rerun and ROS 2 read.

Topics: `/joint_states` and `/tf` in ROS's own messages; `/simulator/laws`, `/simulator/residuals` and
`/simulator/recording`, whose definitions are in the file. The last has every channel under its name, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.errors import MissingLibraryError
from simulator.recording.reporting import writing_to
from simulator.recording.ros_messages import LAWS, Messages, nanoseconds
from simulator.recording.row_readings import LAWS_TOPIC, RowReadings, ros_topics

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array


class McapWriter:
    """Writes rows of `channels` as messages. The file is whole when it is closed; of a file whose writer was
    killed, `mcap recover` restores the whole chunks, 1 MB each.

    Raises MissingLibraryError without mcap and rosbags, UsageError if the file cannot be written.
    """

    def __init__(self, path: Path, channels: Iterable[Channel], mechanism: Mechanism) -> None:
        self._path = path
        self._readings = RowReadings(channels, mechanism)
        self._messages = Messages()
        with writing_to(self._path):
            self._writer = _opened(path)
            self._writer.start(profile="ros2", library="simulator")
        self._laws = self._topic(LAWS_TOPIC, LAWS) if mechanism.couplings else 0
        self._topics = [(self._topic(one.name, one.kind), one) for one in ros_topics(self._readings, self._messages)]

    def write(self, row: Array) -> None:
        """Append one sample."""
        self.write_rows(row[None])

    def write_rows(self, rows: Array) -> None:
        """Append samples, shape (n, n_channels)."""
        stamps = nanoseconds(rows[:, 0]).tolist()
        made = [(number, one.form.filled(rows[:, 0], one.numbers(rows))) for number, one in self._topics]
        with writing_to(self._path):
            for row, stamp in enumerate(stamps):
                if self._laws:
                    self._write(self._laws, stamp, self._messages.laws(*self._readings.laws()))
                    self._laws = 0
                for topic, messages in made:
                    self._write(topic, stamp, messages[row])

    def close(self) -> None:
        """Write the index, and close the file."""
        with writing_to(self._path):
            self._writer.finish()

    def _write(self, topic: int, stamp: int, data: bytes) -> None:
        self._writer.add_message(topic, log_time=stamp, data=data, publish_time=stamp)

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


def _opened(path: Path) -> Any:
    try:
        from mcap.writer import Writer
    except ImportError as error:
        raise MissingLibraryError("MCAP files need mcap and rosbags: pip install 'simulator[mcap]'") from error
    return Writer(str(path))
