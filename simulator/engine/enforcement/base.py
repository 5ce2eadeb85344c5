"""The one signature of all strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.port import Backend
    from simulator.mechanism.types import Mechanism


class Enforcement(Protocol):
    """Holds couplings and loops while time passes."""

    @property
    def name(self) -> str:
        """What users type: gear, rows, reduced."""
        ...

    def attach(self, mechanism: Mechanism, backend: Backend) -> None:
        """Prepare the backend. Raises EngineLimitError where it cannot hold this mechanism."""
        ...

    def step(self, backend: Backend, efforts: NDArray[np.float64]) -> None:
        """Advance one step under the given efforts, shape (n_axes,)."""
        ...
