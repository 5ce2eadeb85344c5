"""Recordings of a real machine with their accuracy, to compare with runs."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError, UsageError
from simulator.formats.files import read_regular
from simulator.kinematics.named import column_of
from simulator.recording.csv_reading import sample_rows
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array


MISFIT = "misfit"
"""The column with the root mean square of the differences between runs and recording, in standard deviations."""
MOST = 50_000
"""Most numbers of a recording: each is a column of the log."""
DECIMALS = 12
"""Digits of times in the names of columns."""
SLIGHT = 1e-9
"""By how much a sample may be early, in parts of the time between samples."""
LARGEST = 2**28
"""Bytes of the largest file that is read."""


Texts = tuple[tuple[str, str], ...]
"""Drives or starts by axis, as on the command line."""


@dataclass(frozen=True)
class Recording:
    """`values` (n_times, n_channels) of `channels` at `times` [s], nan for missing ones, with the standard
    deviation of each channel. Runs are interpolated linearly between their own samples.

    `drives`, `initial` and `initial_velocity`: differences of its experiment from the study; `duration` [s]: of the
    runs, 0 for that of the study."""

    digest: str
    channels: tuple[str, ...]
    deviations: tuple[float, ...]
    times: Array = field(repr=False)
    values: Array = field(repr=False)
    drives: Texts = ()
    initial: Texts = ()
    initial_velocity: Texts = ()
    duration: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """Each channel at each time."""
        return tuple(f"{channel}@{time!r}" for channel in self.channels for time in self.times.tolist())

    def within(self, part: float) -> NDArray[np.bool_]:
        """Which of the residuals belong to the first part of the recording, shape (count,)."""
        early = np.tile(self.times <= part * self.times[-1], len(self.channels))
        return np.asarray(early[np.isfinite(self.values.T.ravel())])

    def held(self, channel: Callable[[str], Array], time: Array) -> list[float]:
        """The numbers of `columns` of a run."""
        traces = np.array([np.interp(self.times, time, channel(name)) for name in self.channels])
        found: list[float] = traces.ravel().tolist()
        return found

    def residuals(self, traces: Array) -> Array:
        """Differences from the recording in standard deviations, shape (..., count), of traces in the order of
        `columns`, shape (..., n_channels * n_times)."""
        wanted = self.values.T.ravel()
        scale = np.repeat(self.deviations, len(self.times))
        kept = np.isfinite(wanted)
        found: Array = (traces[..., kept] - wanted[kept]) / scale[kept]
        return found


@dataclass(frozen=True)
class Observations:
    """All recordings, each of its own experiment with the same machine."""

    recordings: tuple[Recording, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """`misfit`, then each channel at each time; from the second recording on with its number,
        `crank_joint/position@0.5#2`."""
        further = (f"{name}#{i}" for i, one in enumerate(self.recordings[1:], 2) for name in one.columns)
        return (MISFIT, *self.recordings[0].columns, *further)

    @property
    def texts(self) -> str:
        """Drives and starts of all experiments, as far as they differ from the study's."""
        parts = [(*one.drives, *one.initial, *one.initial_velocity) for one in self.recordings]
        return "".join(text for one in parts for _, text in one)

    def within(self, part: float) -> NDArray[np.bool_]:
        """Which of the residuals belong to the first part of each recording, shape (count,)."""
        return np.concatenate([one.within(part) for one in self.recordings])

    def residuals(self, traces: Array) -> Array:
        """Residuals of all recordings, shape (..., count), from traces in the order of `columns` (..., n_traces)."""
        ends = np.cumsum([len(one.columns) for one in self.recordings])[:-1]
        parts = zip(self.recordings, np.split(traces, ends, axis=-1), strict=True)
        return np.concatenate([one.residuals(part) for one, part in parts], axis=-1)

    def misfit(self, traces: Array) -> float:
        """Root mean square of all residuals of a sample, whose traces have shape (n_traces,)."""
        return float(np.sqrt(np.mean(self.residuals(traces) ** 2)))


def read_recording(
    path: Path,
    channels: Sequence[tuple[str, str, float]],
    *,
    start: float = 0.0,
    every: float = 0.0,
    **experiment: Texts,
) -> Recording:
    """The columns of a CSV file whose first is time [s]: (channel, column, standard deviation). Simulations begin at
    `start` of the file's time; one sample is taken each `every` [s]. `experiment`: see `Recording`.

    Raises UsageError with file and line for a file that is not a recording.
    """
    try:
        lines = read_regular(path, LARGEST).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    names = [name.strip() for name in next(csv.reader([line for _, line in numbered[:1]]), [])]
    rows = sample_rows(path, numbered[1:], len(names))
    places = [_place(path, names, column) for _, column, _ in channels]
    fallen = np.flatnonzero(np.diff(rows[:, 0]) <= 0.0)
    if len(fallen):
        raise UsageError(f"{path}:{numbered[fallen[0] + 2][0]}: times must rise from line to line")
    rows = rows[np.isfinite(rows[:, places]).any(axis=1) & (rows[:, 0] >= start)]
    time = np.round(rows[:, 0] - start, DECIMALS)
    if every > 0.0:
        step = np.floor(time / every + SLIGHT)
        kept = np.diff(step, prepend=-1.0) > 0.0
        rows, time = rows[kept], time[kept]
    if len(time) < 2:
        raise UsageError(f"'{path}' has fewer than two samples after {start:g} s")
    if len(time) * len(channels) > MOST:
        told = f"'{path}' has {len(time)} samples of {len(channels)} channels, more than {MOST} numbers"
        raise UsageError(f"{told}: take fewer with every = SECONDS")
    named = tuple(channel for channel, _, _ in channels)
    deviations = tuple(deviation for _, _, deviation in channels)
    values = np.ascontiguousarray(rows[:, places])
    digest = hashlib.sha256(time.tobytes() + values.tobytes()).hexdigest()
    return Recording(digest, named, deviations, time, values, **experiment)  # type: ignore[arg-type]


def _place(path: Path, names: list[str], column: str) -> int:
    try:
        return names.index(column) if column in names else column_of(names, column, "column")
    except SimulatorError as error:
        raise UsageError(f"'{path}': {error}") from None
