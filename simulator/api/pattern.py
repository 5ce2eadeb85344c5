"""What simulations of one structure share: models that are copied instead of made, and never moved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.queries.posed import Posed
from simulator.physics.queries.transfer import Transfer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.physics.queries.equations import Equations


@dataclass(frozen=True, eq=False)
class Pattern:
    """Of a mechanism: `kinematics` with what was found about its axes, the models of its `equations`, an `engine` that
    is never stepped, None where engines of its kind cannot be copied, and an assembled `state`. A variant keeps the
    positions of the `independent` axes. `rotors`: what these add to the inertia of the axes."""

    kinematics: Kinematics
    equations: Equations
    engine: Engine | None
    state: JointState
    independent: tuple[int, ...]
    rotors: NDArray[np.float64] | None

    @cached_property
    def transfer(self) -> Transfer:
        """What assembles the state for other numbers by the short way."""
        model = CompiledMechanism(self.kinematics.mechanism, added_inertia=self.rotors)
        return Transfer(Posed(self.kinematics, self.rotors, {}, model, self.state), self.independent)
