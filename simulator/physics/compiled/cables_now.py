"""What cables carried in the last step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.layout import row_layout as row_at

if TYPE_CHECKING:
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array


def cable_tensions(bounded: BoundedMechanism) -> Array:
    """Mean tension of every cable over the last step, impacts included, before and behind what it rubs on, shape
    (n_cables, 2) [N]."""
    meshes = bounded.model.parts.tree.meshes or ()
    cables = [mesh for mesh in meshes if mesh.cable >= 0]
    found = np.zeros((len(cables), 2))
    # Lines of cables are the last of their kinds.
    found[:] = -bounded.mean_efforts(row_at.MESH)[len(meshes) - len(cables) :, None]
    rubbing = [mesh.cable for mesh in cables if mesh.rate >= 0]
    losses = bounded.mean_efforts(row_at.LOSS)
    found[rubbing, 0] += losses[len(losses) - len(rubbing) :]
    return found
