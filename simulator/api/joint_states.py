"""Motions of some joints, recorded or live, completed to the motion of the whole mechanism."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.api import dynamics
from simulator.api.run import Run
from simulator.diagnostics import printable
from simulator.errors import UsageError
from simulator.mechanism.real_couplings import require_ideal
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.recording.joint_series import read_joints
from simulator.session.relay.relay import Relay
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from simulator.api.core import Core
    from simulator.recording.joint_series import JointSeries
    from simulator.spatial.arrays import Array


GROUPS = ("time", "position", "velocity", "coupling", "loop_m", "loop_rad")


def read(core: Core, path: str | os.PathLike[str]) -> Run:
    """See `Simulation.read_joints`."""
    return completed(core, read_joints(Path(path)))


def relay(core: Core, *, efforts: bool, only: Collection[str], tolerance: float, timeout: float) -> Relay:
    """See `Simulation.relay`."""
    if efforts:
        require_ideal(core.mechanism, "a relay of efforts")
    return Relay(core.posed, core.state, efforts=efforts, only=only, tolerance=tolerance, timeout=timeout)


def completed(core: Core, series: JointSeries) -> Run:
    """Positions and velocities of all joints: those that others determine are computed from these.

    Raises UnknownNameError for a joint that the mechanism does not have, UsageError if the recorded joints do not
    determine the motion or couplings and loops do not reach them.
    """
    names = {find_axis(core.mechanism, name): name for name in series.position}
    plan = core.posed.plan(list(names))
    if not plan.is_whole:
        lacking = [core.mechanism.axes[axis].name for axis in core.independent_axes() if axis not in names]
        told = f"it lacks {', '.join(map(printable, lacking))}" if lacking else "bodies float: load with `hold_base`"
        raise UsageError(f"the recorded joints do not determine the motion: {told}")
    given = {core.mechanism.axes[axis].name: series.position[names[axis]] for axis in plan.axes}
    rates = {core.mechanism.axes[axis].name: _rate(series, names[axis]) for axis in plan.axes}
    position, velocity = dynamics.arrays(core).assemble(given, rates)
    lost = np.flatnonzero(np.isnan(position).any(axis=1))
    if len(lost):
        raise UsageError(
            f"couplings and loops do not reach the recorded positions at {series.time[lost[0]]:g} s "
            f"({len(lost)} of {len(position)} samples)"
        )
    columns = tuple(channel for channel in core.columns if channel.group in GROUPS)
    values = {"time": series.time[:, None], "position": position, "velocity": np.nan_to_num(velocity)}
    values["coupling"], values["loop_m"], values["loop_rad"] = _residuals(core, position)
    rows = np.stack([values[channel.group][:, channel.index] for channel in columns], axis=1)
    return Run.of_rows(columns, rows, core.mechanism, core.dt)


def _residuals(core: Core, position: Array) -> tuple[Array, Array, Array]:
    """Of couplings, shape (n, n_couplings), and of loops [m] and [rad], shape (n, n_loops)."""
    couplings = np.zeros((len(position), len(core.mechanism.couplings)))
    loops = np.zeros((len(position), len(core.mechanism.loop_joints), 2))
    of_couplings, of_loops, here = CouplingRows(core.mechanism), LoopRows(core.mechanism), core.state
    for row, axes in enumerate(position):
        couplings[row] = of_couplings.residuals(axes)
        loops[row] = of_loops.residuals(core.kinematics.body_matrices(replace(here, position=axes)))
    return couplings, loops[..., 0], loops[..., 1]


def _rate(series: JointSeries, name: str) -> Array:
    """The recorded velocity, else that of the positions."""
    if name in series.velocity:
        return series.velocity[name]
    if len(series.time) < 2:
        return np.zeros_like(series.time)
    return np.gradient(series.position[name], series.time)
