"""The channels of a recording, in the order of the columns of a CSV file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.engine.snapshot import Snapshot
from simulator.mechanism.types import Mechanism


@dataclass(frozen=True)
class Channel:
    """One column. `name` is the header; `group` is time, position, velocity, effort, coupling, loop_m, loop_rad or energy.

    `index` points at the axis, coupling or loop joint that the column belongs to (0 for time and energy).
    """

    name: str
    group: str
    unit: str
    index: int = 0


ENERGIES = ("kinetic", "potential", "work", "dissipated", "error")


def channels_of(mechanism: Mechanism) -> tuple[Channel, ...]:
    """All channels: time, then per axis position, velocity, effort; couplings; loops; energies."""
    channels = [Channel("time", "time", "s")]
    for i, axis in enumerate(mechanism.axes):
        channels += [
            Channel(f"joint/{axis.name}/position", "position", axis.unit, i),
            Channel(f"joint/{axis.name}/velocity", "velocity", f"{axis.unit}/s", i),
            Channel(f"joint/{axis.name}/effort", "effort", axis.effort_unit, i),
        ]
    for i, coupling in enumerate(mechanism.couplings):
        follower = mechanism.axes[coupling.follower]
        channels.append(Channel(f"coupling/{follower.name}/residual", "coupling", follower.unit, i))
    for i, loop in enumerate(mechanism.loop_joints):
        channels.append(Channel(f"loop/{loop.name}/residual_m", "loop_m", "m", i))
        channels.append(Channel(f"loop/{loop.name}/residual_rad", "loop_rad", "rad", i))
    channels += [Channel(f"energy/{name}", "energy", "J") for name in ENERGIES]
    return tuple(channels)


def row_of(snapshot: Snapshot) -> NDArray[np.float64]:
    """The values of one snapshot in the order of `channels_of`, shape (n_channels,)."""
    axes = np.stack((snapshot.position, snapshot.velocity, snapshot.effort), axis=1).ravel()
    energy = snapshot.energy
    balance = (energy.kinetic, energy.potential, energy.work, energy.dissipated, energy.error)
    return np.concatenate(
        ((snapshot.time,), axes, snapshot.coupling_residual, snapshot.loop_residual.ravel(), np.array(balance))
    )
