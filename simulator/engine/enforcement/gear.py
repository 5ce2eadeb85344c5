"""Strategy `gear`: the engine's own gear rows for couplings, its point and weld rows for loops.

Velocity-level rows with a position correction, solved together with contacts, limits and motors by the engine's iterative solver: two
coupled joints are exact to round-off, long trains and loops are as good as its iterations and its first-order step allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.errors import EngineLimitError
from simulator.mechanism.loops import is_planar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.port import Backend
    from simulator.mechanism.types import Mechanism


@dataclass(frozen=True)
class GearEnforcement:
    """Couplings as gear rows, loops as point and weld rows."""

    name: str = "gear"

    def attach(self, mechanism: Mechanism, backend: Backend) -> None:
        """Add one gear row per coupling and the rows of every loop joint."""
        for coupling in mechanism.couplings:
            for axis, _ in coupling.terms:
                info = mechanism.axes[axis]
                if not info.in_tree:
                    raise EngineLimitError(
                        f"strategy gear cannot couple '{info.name}': joint '{info.joint}' closes a loop ({info.source}); "
                        "mark another joint of that loop <must_be_loop_joint>"
                    )
            backend.add_gear(coupling)
        for loop in mechanism.loop_joints:
            backend.add_loop(loop, planar=is_planar(loop, mechanism.joints, mechanism.bodies))

    def step(self, backend: Backend, efforts: NDArray[np.float64]) -> None:
        """Hand over the efforts and let the engine solve everything at once."""
        backend.apply_efforts(efforts)
        backend.step()
