"""The recording of a run: channels as numpy arrays, by name."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from simulator.api.arguments import as_number, require_name
from simulator.api.moment import Moment
from simulator.diagnostics import counted
from simulator.errors import UsageError
from simulator.kinematics.named import column_of
from simulator.kinematics.state import JointState
from simulator.mechanism.alignment import aligned
from simulator.recording.channels import ENERGIES
from simulator.recording.csv_file import CsvWriter
from simulator.recording.csv_reading import read_recording
from simulator.recording.mcap_file import McapWriter
from simulator.recording.mcap_reading import read_mcap
from simulator.recording.motion_of_rows import motion_of
from simulator.records import dataclass
from simulator.session.batch.batch import RunSummary
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    import pandas
    import pyarrow
    import xarray
    from numpy.typing import DTypeLike, NDArray

    from simulator.diagnostics import Diagnostic
    from simulator.engine.effort_log import Impulse
    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.session.forces.reactions import ReactionRows
    from simulator.spatial.arrays import Array

    Reader = Callable[[Path, Sequence[Channel]], tuple[tuple[Channel, ...], Array]]

SHORT = ("joint", "coupling", "loop")
"""Groups of channels that may be omitted from names."""
BAR = 40
"""Width of the progress bar in characters."""


class WithChannels(Protocol):
    """What a recording is read for: a `Simulation`."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Name, unit and group of every column."""
        ...

    @property
    def mechanism(self) -> Mechanism:
        """Its bodies, joints and axes."""
        ...

    @property
    def dt(self) -> float:
        """The step [s]."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Samples of a run. `array`: shape (n_samples, n_channels), the columns of `simulator run --csv`. `summary`: its
    largest residuals (of the samples, if not all steps were recorded), and its duration. `mechanism`: the mechanism,
    moved in steps of `dt` [s]."""

    columns: tuple[Channel, ...]
    array: Array
    summary: RunSummary
    mechanism: Mechanism
    dt: float

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], sim: WithChannels) -> Run:
        """Read a file that `to_csv` or `simulator run --csv` wrote, or part of its columns, `time` first. `sim`: a
        simulation of the same document, for units and links. The `summary` contains what follows from the samples;
        the file does not contain drives and findings.

        Raises UsageError with file and line for a file that is not a recording, UnknownNameError for a column that is
        not a channel of `sim`.
        """
        return cls._read(read_recording, path, sim)

    @classmethod
    def from_mcap(cls, path: str | os.PathLike[str], sim: WithChannels) -> Run:
        """Read a file that `to_mcap` or `simulator run -o OUT.mcap` wrote, as `from_csv` does.

        Raises UsageError for a file that is not such a recording, UnknownNameError for a channel that `sim` does not
        have, MissingLibraryError without the extra `mcap`.
        """
        return cls._read(read_mcap, path, sim)

    @classmethod
    def _read(cls, reader: Reader, path: str | os.PathLike[str], sim: WithChannels) -> Run:
        if not hasattr(sim, "channels"):
            raise UsageError(f"a recording is read for a simulation, simulator.load(…), and not {type(sim).__name__}")
        columns, array = reader(Path(path), sim.channels)
        return cls.of_rows(columns, array, sim.mechanism, sim.dt)

    @classmethod
    def of_rows(cls, columns: tuple[Channel, ...], array: Array, mechanism: Mechanism, dt: float) -> Run:
        """Rows of `columns` from a file, shape (n_samples, n_channels), with the summary that follows from them."""
        groups = [channel.group for channel in columns]
        most = {group: float(np.abs(array[:, _of(groups, group)]).max(initial=0.0)) for group in dict.fromkeys(groups)}
        summary = RunSummary(
            steps=round(float(np.ptp(array[:, 0])) / dt) if len(array) else 0,
            simulated=float(np.ptp(array[:, 0])) if len(array) else 0.0,
            max_coupling_residual=most.get("coupling", 0.0),
            max_loop_residual_m=most.get("loop_m", 0.0),
            max_loop_residual_rad=most.get("loop_rad", 0.0),
        )
        return cls(columns, array, summary, mechanism, dt)

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
        """Effort of every drive over the run, by scoped name: `peak` and `rms` of its effort [N m or N],
        `mean_power` [W] and `energy` [J]."""
        return self.summary.drives

    @property
    def couplings(self) -> dict[str, dict[str, float]]:
        """What passed every coupling with losses over the run, by its scoped follower: energy [J] that went in and came
        out where power flowed from leader to follower, `forward_in_J` and `forward_out_J`, and `backward_in_J` and
        `backward_out_J`; `efficiency_forward` and `efficiency_backward` of what there was; `heat_J` and its mean over
        the run, `heat_W`. What a clutch takes while it slips is not part of it."""
        return self.summary.couplings

    @property
    def impulses(self) -> tuple[Impulse, ...]:
        """Blows at which drives without an effort limit jumped or maintained their velocity: index of the axis, time
        [s], impulse [N m s or N s], velocity before and after."""
        return self.summary.impulses

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Findings about drives during the run: impulses, commands that were clipped to the limits of their joints, and
        what stopped drives without an effort limit."""
        return self.summary.findings

    @property
    def interrupted(self) -> bool:
        """Whether the user ended the run early."""
        return self.summary.interrupted

    def __getitem__(self, name: str) -> Array:
        """A channel, shape (n_samples,): by its full name, `joint/four_bar::crank_joint/position`, or without `joint/`
        and the model if that is unique, `crank_joint/position`. Raises UnknownNameError, or UsageError if the name is
        ambiguous."""
        return self.array[:, self._column(name)]

    def unit(self, name: str) -> str:
        """Unit of a channel, e.g. rad/s. Raises the errors of `run[name]`."""
        return self.columns[self._column(name)].unit

    def keys(self) -> tuple[str, ...]:
        """The same as `channels`: `dict(run)` holds all of them by name."""
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

    def _repr_html_(self) -> str:
        """Plots of positions over time and the largest residuals, for a notebook."""
        from simulator.session.text.run_pictures import run_html

        return run_html(repr(self).strip("<>"), self.columns, self.array, self.summary.worst())

    def poses(self, link: str) -> Array:
        """X_WL of a link, or of a frame on one, at every sample, shape (n_samples, 4, 4):
        `run.poses("coupler")[:, :3, 3]` is where its origin was in the world [m].

        Raises UnknownNameError for a link that does not exist, UsageError if the recording lacks the positions.
        """
        require_name(link, "a link")
        body, X_BL = self.mechanism.place_of_link(link)
        as_meant, _ = aligned(self.mechanism)
        motion = motion_of(as_meant, self.columns, self.array, moving=False)
        poses: Array = matrices(motion.body(body)[0]) @ X_BL.matrix()
        return poses

    def moment(self, time: float) -> Moment:
        """The moment of the simulation at a sample: `sim.restore(run.moment(2.0))` continues from there, with the clock
        and the energy ledger of that time.

        Raises UsageError for a time without a sample, and if the recording lacks positions or velocities.
        """
        time = as_number(time, "a time [s]")
        nearest = int(np.abs(self.time - time).argmin()) if len(self) else -1
        if nearest < 0 or not abs(float(self.time[nearest]) - time) < 0.5 * self.dt:
            near = f"the nearest is at {self.time[nearest]:g} s" if len(self) else "there is none"
            raise UsageError(f"there is no sample at {time:g} s; {near}")
        state = self.states()[nearest]
        lengths = [f"cable/{cable.name}/length" for cable in self.mechanism.loads.cables]
        if all(name in self for name in lengths):
            state = replace(state, cable_length=np.array([self[name][nearest] for name in lengths]))
        ledger = {name: float(self[f"energy/{name}"][nearest]) for name in ENERGIES[2:] if f"energy/{name}" in self}
        return Moment(state, round(float(self.time[nearest]) / self.dt), **ledger)

    def states(self) -> list[JointState]:
        """Positions and velocities of all moving axes and bodies at every sample. Raises UsageError if the recording
        lacks some."""
        return motion_of(self.mechanism, self.columns, self.array, moving=True).states()

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the file that `simulator run --csv` writes. Raises UsageError if that is impossible."""
        with CsvWriter(Path(path), self.columns) as writer:
            for row in self.array:
                writer.write(row)

    def to_mcap(self, path: str | os.PathLike[str]) -> None:
        """Write an MCAP file with `/joint_states` and `/tf` as ROS 2 has them, laws, residuals and every channel.
        Raises UsageError if that is impossible, MissingLibraryError without the extra `mcap`."""
        with McapWriter(Path(path), self.columns, self.mechanism) as writer:
            writer.write_rows(self.array)

    def to_arrow(self) -> pyarrow.Table:
        """A `pyarrow.Table` with one column per channel, whose field has the unit in its metadata:
        `table.field("time").metadata[b"unit"]`. Raises UsageError if pyarrow is not installed."""
        arrow = _installed("pyarrow", "to_arrow")
        fields = [arrow.field(c.name, arrow.float64(), metadata={"unit": c.unit}) for c in self.columns]
        return arrow.table(list(self.array.T), schema=arrow.schema(fields))

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame` over the time [s], its index, with one column per channel and the units in
        `attrs["units"]`, by channel. Raises UsageError if pandas is not installed."""
        library = _installed("pandas", "to_pandas")
        index = library.Index(self.time, name=self.channels[0])
        frame = library.DataFrame(self.array[:, 1:], index=index, columns=list(self.channels[1:]))
        frame.attrs["units"] = {channel.name: channel.unit for channel in self.columns}
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset` over the time [s], with one variable per channel, whose `attrs["units"]` is its unit.
        Raises UsageError if xarray is not installed."""
        time, *others = ((c.name, (("time",), self.array[:, i], {"units": c.unit})) for i, c in enumerate(self.columns))
        return _installed("xarray", "to_xarray").Dataset(dict(others), coords=dict([time]))

    def _column(self, name: str) -> int:
        require_name(name, "a channel (samples are the rows of `array`)")
        return column_of(self.channels, name, "channel", SHORT)


class Samples:
    """Columns that a run records: `columns`, and the reactions `beside` them; time and the channels with
    these names, or all. `places`: columns that an engine has to give, None for all: where nothing but these samples is
    made of them, as `alone` says, those of the names do. Raises the errors of `run[name]`."""

    def __init__(
        self, columns: tuple[Channel, ...], beside: ReactionRows | None, names: Iterable[str] | None, *, alone: bool
    ) -> None:
        every = (*columns, *(beside.channels if beside else ()))
        chosen = None if names is None else columns_of(every, names)
        self.columns = every if chosen is None else tuple(every[place] for place in chosen.tolist())
        self.places = chosen if beside is None and alone else None
        self._beside, self._chosen, self._rows = beside, chosen, list["Array"]()

    def take(self, rows: Array) -> None:
        """Rows of `places`, shape (n, n_columns)."""
        if self._beside is not None:
            rows = self._beside.beside(rows)
        if self._chosen is not None and self.places is None:
            rows = rows[:, self._chosen]
        self._rows.append(rows)

    def run(self, summary: RunSummary, mechanism: Mechanism, dt: float) -> Run:
        """All columns."""
        array = np.concatenate([np.zeros((0, len(self.columns))), *self._rows])
        return Run(self.columns, array, summary, mechanism, dt)


def columns_of(columns: Sequence[Channel], names: Iterable[str]) -> NDArray[np.int64]:
    """Places of the time and of the channels with these names, in this order, each once. Raises the errors of
    `run[name]`."""
    if isinstance(names, str):
        raise UsageError(f"channels must be a list of names, ['{names}'], not a string")
    known = [channel.name for channel in columns]
    found = [column_of(known, name, "channel", SHORT) for name in names]
    return np.array([*dict.fromkeys((0, *found))], dtype=np.int64)


def _of(groups: list[str], group: str) -> list[int]:
    return [i for i, item in enumerate(groups) if item == group]


def _installed(library: str, method: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError as error:
        raise UsageError(f"{method} needs {library}, which is not installed: pip install {library}") from error


def progress_bar(begin: float, duration: float) -> Callable[[float], None]:
    """Shows on standard error how much of `duration` [s] has passed since `begin`; updates at every percent."""
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
