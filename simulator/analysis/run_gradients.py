"""What `sim.sensitivities` gives: derivatives of a motion by parameters, with names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.named import column_of
from simulator.errors import place_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunGradients:
    """Derivatives of positions and velocities by parameters at `time` (n_times,) [s]:
    `found["rocker_joint/position", "coupler.length"]`, shape (n_times,).

    `rows`: `joint/NAME/position` and `joint/NAME/velocity` of all freedoms; `array`, shape (n_times, n_rows,
    n_parameters). `without`: parameters that none is given for, and why.
    """

    time: Array
    rows: tuple[str, ...]
    parameters: tuple[str, ...]
    array: Array
    without: dict[str, str]

    def __getitem__(self, key: tuple[str, str]) -> Array:
        """Raises UnknownNameError for a name that does not exist."""
        row, parameter = key
        place = column_of(self.rows, row, "row")
        return np.asarray(self.array[:, place, place_of(self.parameters, parameter, "parameter")])

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f"{self.time[0]:g} to {self.time[-1]:g} s"
        return f"<RunGradients: {len(self.rows)} rows by {len(self.parameters)} parameters, {span}>"
