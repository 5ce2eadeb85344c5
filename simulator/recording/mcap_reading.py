"""A recording read back from the file that `mcap_file` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.diagnostics import printable
from simulator.errors import MissingLibraryError, UnknownNameError, UsageError
from simulator.formats.files import read_regular
from simulator.recording.ros_messages import RECORDING, Messages
from simulator.recording.row_readings import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array


MAX_BYTES = 2**31


def read_mcap(path: Path, known: Sequence[Channel]) -> tuple[tuple[Channel, ...], Array]:
    """The channels of a file, of those that are `known`, in its order, and its samples, shape (n, n_channels).

    Raises UsageError for a file that is not a recording of this program, UnknownNameError for a channel that is not
    known, MissingLibraryError without mcap and rosbags.
    """
    messages = _messages(path)
    if not messages:
        raise UsageError(
            f"'{path}' has no messages of {TOPIC}, which `simulator run -o` writes: `sim.read_joints` reads "
            "joint states of other programs"
        )
    first = Messages().read(RECORDING, messages[0])
    by_name = {printable(channel.name): channel for channel in known}
    for name in first.name:
        if name not in by_name:
            raise UnknownNameError("channel of this simulation", name, by_name)
    count = len(first.name)
    if first.name[:1] != ["time"] or any(len(one) != len(messages[0]) for one in messages):
        raise UsageError(f"'{path}' is no recording: all samples must have the same channels, 'time' first")
    rows: Array = np.stack([np.frombuffer(one, "<f8", count, len(one) - 8 * count) for one in messages]).astype(float)
    return tuple(by_name[name] for name in first.name), rows


def _messages(path: Path) -> list[bytes]:
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
    except ImportError as error:
        raise MissingLibraryError("MCAP files need mcap and rosbags: pip install 'simulator[mcap]'") from error
    import io
    import struct

    try:
        reader: Any = make_reader(io.BytesIO(read_regular(path, MAX_BYTES)))
        found = [message.data for _, _, message in reader.iter_messages(topics=[TOPIC])]
    except FileNotFoundError:
        raise UsageError(f"there is no file '{path}'") from None
    except (McapError, struct.error, OSError, ValueError) as error:
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return found
