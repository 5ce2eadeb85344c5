"""Which coordinates belong to loose bodies, which nothing connects to anything and only contacts and weight act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE, FREEDOMS
from simulator.physics.motion.loose import NEVER, SOME

if TYPE_CHECKING:
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Ints


def find_loose_bodies(model: CompiledState) -> tuple[int, Ints]:
    """LOOSE (see `motion.loose`), and ASLEEP of all coordinates and one more (see `motion.loose`): 0 of those of
    loose bodies."""
    N = model.N
    tree = model.parts.tree
    asleep = np.full(int(N[at.INDEPENDENT]) + 1, NEVER, dtype=np.int64)
    if N[at.FORCES] or N[at.SPRINGS] or N[at.CABLES]:
        return 0, asleep
    apart = np.setdiff1d(np.flatnonzero((tree.kind == FREE) & (tree.parent < 0)), (*tree.parent, *tree.weightless))
    apart = apart[at.int_block(N, at.I_LOOPED)[apart] == 0] if N[at.ROWS] else apart
    for node in apart.tolist():
        places = model.parts.independent_of_node(node)
        if (places == places[0] + np.arange(FREEDOMS[FREE])).all():
            asleep[places] = 0
    found = int((asleep == 0).sum())
    if found == N[at.INDEPENDENT] > 0 == N[at.ROWS] and N[at.IDENTITY] and not model.mechanism.axes:
        return 1, np.zeros_like(asleep)
    return SOME if found else 0, asleep
