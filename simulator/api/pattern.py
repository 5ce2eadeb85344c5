"""What simulations of one structure share: models that are copied instead of made, and never moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.dynamics.equations import Equations
    from simulator.dynamics.kinematics import Kinematics
    from simulator.engine.engine import Engine


@dataclass(frozen=True, eq=False)
class Pattern:
    """Of a mechanism: `kinematics` with what was found about its axes, the models of its `equations`, and an `engine`
    that nobody steps, None where engines of its kind cannot be copied."""

    kinematics: Kinematics
    equations: Equations
    engine: Engine | None
