"""The recording of a file as moments of the mechanism, for the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.api import joint_states
from simulator.api.core import Core
from simulator.api.run import Run
from simulator.errors import SimulatorError
from simulator.recording.channels import channels_of
from simulator.recording.csv_reading import read_recording
from simulator.recording.history import History
from simulator.recording.mcap_reading import read_mcap
from simulator.recording.motion_of_rows import motion_of
from simulator.recording.store import RowStore, StoreShape
from simulator.recording.writing import MCAP
from simulator.session.text.settings import DEFAULT_SOLVER

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.session.open.opening import Opened


def history_of_file(path: Path, opened: Opened, dt: float) -> History:
    """Every moment of a recording that this program wrote, or of joint states of another (see
    `Simulation.read_joints`), of an opened document in steps of `dt` [s]. Efforts, residuals and energies are nan where
    the file has none.

    Raises SimulatorError for a file that cannot be read or does not determine the motion.
    """
    channels = channels_of(opened.mechanism, opened.actuators)
    run = _read(path, Core(opened, DEFAULT_SOLVER, dt, None))
    motion_of(opened.mechanism, run.columns, run.array, moving=True)
    columns = {channel.name: column for channel, column in zip(run.columns, run.array.T, strict=True)}
    unknown = np.full(len(run), np.nan)
    rows = np.stack([columns.get(channel.name, unknown) for channel in channels], axis=1)
    store = RowStore(StoreShape(len(channels), max(len(rows), 1), 1))
    store.extend(rows)
    return History(opened.mechanism, opened.actuators, store)


def _read(path: Path, core: Core) -> Run:
    """A recording of this program where it has the whole motion, else joint states."""
    reader = read_mcap if path.suffix.lower() == MCAP else read_recording
    try:
        columns, rows = reader(path, core.columns)
        motion_of(core.mechanism, columns, rows, moving=True)
    except SimulatorError:
        return joint_states.read(core, path)
    return Run.of_rows(columns, rows, core.mechanism, core.dt)
