"""What simulations of one structure share: prototypes that are copied instead of built, and never moved."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.queries.posed import Posed
from simulator.physics.queries.transfer import Transfer
from simulator.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.physics.queries.equations import Equations


@dataclass(frozen=True, eq=False)
class Pattern:
    """Prototypes for a mechanism: `kinematics` with the results about its axes, the models of its `equations`, an
    `engine` that is never stepped (None if engines of its kind cannot be copied), and an assembled `state`. A variant
    retains the positions of the `independent` axes. `rotors`: their inertia about the axes."""

    kinematics: Kinematics
    equations: Equations
    engine: Engine | None
    state: JointState
    independent: tuple[int, ...]
    rotors: NDArray[np.float64] | None

    @cached_property
    def transfer(self) -> Transfer:
        """Assembles the state for other numbers in few iterations."""
        model = CompiledMechanism(self.kinematics.mechanism, added_inertia=self.rotors)
        return Transfer(Posed(self.kinematics, self.rotors, {}, model, self.state), self.independent)
