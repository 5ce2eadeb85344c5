"""What a run has recorded: channels as numpy arrays, by name."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from simulator.api.arguments import require_name
from simulator.diagnostics import counted
from simulator.dynamics.named import column_of
from simulator.errors import UsageError
from simulator.recording.csv_file import CsvWriter

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from types import ModuleType

    import pandas
    import pyarrow
    from numpy.typing import DTypeLike, NDArray

    from simulator.diagnostics import Diagnostic
    from simulator.engine.effort_log import Impulse
    from simulator.recording.channels import Channel
    from simulator.session.batch import RunSummary

    Array = NDArray[np.float64]

BAR = 40
"""Characters of a progress bar."""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Samples of a run. `array`: shape (n_samples, n_channels), the columns of `simulator run --csv`. `summary`: its
    largest residuals (of the samples, if these are not all steps), and the time that it took."""

    columns: tuple[Channel, ...]
    array: Array
    summary: RunSummary

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of all channels, in the order of the columns."""
        return tuple(channel.name for channel in self.columns)

    @property
    def time(self) -> Array:
        """Simulated time of every sample [s], shape (n_samples,)."""
        return self.array[:, 0]

    @property
    def drives(self) -> dict[str, dict[str, float]]:
        """What every drive gave over the run, by scoped name: `peak` and `rms` of its effort [N m or N],
        `mean_power` [W] and `energy` [J]."""
        return self.summary.drives

    @property
    def impulses(self) -> tuple[Impulse, ...]:
        """Where drives without an effort limit jumped: index of the axis, time [s], impulse [N m s or N s], velocity
        before and after."""
        return self.summary.impulses

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What the run showed of drives: impulses, commands that were cut to the limits of their joints, and what
        stopped drives without an effort limit."""
        return self.summary.findings

    @property
    def interrupted(self) -> bool:
        """Whether the user ended the run early."""
        return self.summary.interrupted

    def __getitem__(self, name: str) -> Array:
        """A channel, shape (n_samples,): by its whole name, `joint/four_bar::crank_joint/position`, or without `joint/`
        and the model where that is clear, `crank_joint/position`. Raises UnknownNameError, or UsageError if several
        could be meant."""
        return self.array[:, self._column(name)]

    def unit(self, name: str) -> str:
        """Unit of a channel, e.g. rad/s. Raises as `run[name]` does."""
        return self.columns[self._column(name)].unit

    def keys(self) -> tuple[str, ...]:
        """As `channels`: `dict(run)` holds all of them by name."""
        return self.channels

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.array, dtype=dtype, copy=True) if copy else np.asarray(self.array, dtype=dtype)

    def __contains__(self, name: object) -> bool:
        try:
            self._column(cast("str", name))
        except UsageError:
            return False
        return True

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        last = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else ""
        return f"<Run: {counted(len(self), 'sample')} of {counted(len(self.columns), 'channel')}{last}>"

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the file that `simulator run --csv` writes. Raises UsageError if that is impossible."""
        with CsvWriter(Path(path), self.columns) as writer:
            for row in self.array:
                writer.write(row)

    def to_arrow(self) -> pyarrow.Table:
        """A `pyarrow.Table` with one column per channel. Raises UsageError if pyarrow is not installed."""
        arrow = _installed("pyarrow", "to_arrow")
        return arrow.table({name: self.array[:, i] for i, name in enumerate(self.channels)})

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame` with one column per channel. Raises UsageError if pandas is not installed."""
        return _installed("pandas", "to_pandas").DataFrame(self.array, columns=list(self.channels))

    def _column(self, name: str) -> int:
        require_name(name, "a channel (samples are the rows of `array`)")
        return column_of(self.channels, name, "channel", ("joint", "coupling", "loop"))


def _installed(library: str, method: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError as error:
        raise UsageError(f"{method} needs {library}, which is not installed: pip install {library}") from error


def progress_bar(begin: float, duration: float) -> Callable[[float], None]:
    """Shows on standard error how much of `duration` [s] has gone by since `begin`; writes when another percent is
    done."""
    shown = -1

    def show(time: float) -> None:
        nonlocal shown
        done = 1.0 if duration <= 0.0 else min(max((time - begin) / duration, 0.0), 1.0)
        if int(100.0 * done) == shown:
            return
        shown = int(100.0 * done)
        bar = "█" * int(BAR * done)
        end = "\n" if done == 1.0 else ""
        sys.stderr.write(f"\rsimulating {bar:·<{BAR}} {time - begin:.2f} / {duration:g} s{end}")
        sys.stderr.flush()

    return show
