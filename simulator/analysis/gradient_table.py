"""Derivatives of a motion or of an analysis by parameters: what `sim.sensitivities` and `sim.gradients_along` give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import place_of
from simulator.kinematics.named import column_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class GradientTable:
    """Derivatives by parameters at `at`, times [s] of a run or positions of the first moved axis of an analysis [rad or
    m], shape (n,): `found["rocker_joint/position", "rocker.length"]`, shape (n,).

    `rows`: `joint/NAME/position`, `velocity` and so on; `array`, shape (n, n_rows, n_parameters). `without`: parameters
    that none is given for, and why.
    """

    at: Array
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
        return len(self.at)

    def __repr__(self) -> str:
        span = f"{self.at[0]:g} to {self.at[-1]:g}" if len(self) else "nowhere"
        return f"<GradientTable: {len(self.rows)} rows by {len(self.parameters)} parameters, {span}>"


def row_names(names: tuple[str, ...], part: str) -> tuple[str, ...]:
    """`joint/NAME/part` of each."""
    return tuple(f"joint/{name}/{part}" for name in names)
