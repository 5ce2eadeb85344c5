"""Whether cables can lie where a mechanism is, and what they carried in the last step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from simulator.kinematics.limits import WITHIN
from simulator.physics.build.state import CompiledState
from simulator.physics.layout import row_layout as row_at
from simulator.physics.tree.cable_tables import faults_of_cables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import Source
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array


def cable_tensions(bounded: BoundedMechanism) -> Array:
    """Mean tension of every cable over the last step, impacts included, before and behind what it rubs on, shape
    (n_cables, 2) [N]."""
    meshes = bounded.model.parts.tree.meshes or ()
    cables = [mesh for mesh in meshes if mesh.cable >= 0]
    found = np.zeros((len(cables), 2))
    # Lines of cables are the last of their kinds.
    found[:] = 0.0 - bounded.mean_efforts(row_at.MESH)[len(meshes) - len(cables) :, None]
    rubbing = [mesh.cable for mesh in cables if mesh.rate >= 0]
    losses = bounded.mean_efforts(row_at.LOSS)
    found[rubbing, 0] += losses[len(losses) - len(rubbing) :]
    return found


def cable_faults(mechanism: Mechanism, state: JointState) -> Iterator[tuple[Source | None, str]]:
    """What is wrong with cables in a state, and where it is written: ends inside of what they go round, and rigid
    cables that are too short."""
    cables = mechanism.loads.cables
    if cables:
        compiled = CompiledState(mechanism, real=True)
        compiled.put(state)
        yield from faults_of_cables(cables, compiled.cables(), WITHIN)


def require_cables(mechanism: Mechanism, state: JointState) -> None:
    """Raises AssemblyError, by name, where a cable is too short for a state, or cannot lie there."""
    for source, message in cable_faults(mechanism, state):
        raise AssemblyError(f"{message} ({source})")
