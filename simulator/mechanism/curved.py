"""Couplings that are not straight lines: φ(q) = 0 over axes, of a law q_follower - f(q_leader) or of a constraint."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.model.laws import MimicLaw
from simulator.model.tape import Tape
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CurvedLaw:
    """φ(q) = 0, by `tape` over the positions of `axes` in that order [rad or m]. `law`: f where φ = q_follower -
    f(q_leader), axes being follower and leader; else None, and `text` is φ with `names` for its variables."""

    axes: tuple[int, ...]
    tape: Tape = field(compare=False, repr=False)
    law: MimicLaw | None = None
    text: str = ""
    names: tuple[str, ...] = ()

    def value(self, position: Sequence[float] | NDArray[np.float64]) -> float:
        """φ at positions of all axes, shape (n_axes,); nan where it has no value."""
        return self.tape.value([float(position[axis]) for axis in self.axes])

    def slopes(self, position: Sequence[float] | NDArray[np.float64]) -> tuple[tuple[int, float], ...]:
        """(axis, ∂φ/∂q) at positions of all axes."""
        gradient = self.tape.gradient([float(position[axis]) for axis in self.axes])
        return tuple(zip(self.axes, gradient.tolist(), strict=True))
