"""All that a mechanism is made of, as views of its buffers F and N."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import opener
from simulator.physics.loops.views import open_loops, open_rows
from simulator.physics.tree.load_views import open_loads
from simulator.physics.tree.views import open_efforts, open_mass, open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints
    from simulator.physics.loops.views import LoopViews, RowViews
    from simulator.physics.tree.load_views import LoadViews
    from simulator.physics.tree.views import EffortViews, MassViews, StateViews, TreeViews


class MechanismViews(NamedTuple):
    """For kernels that need most of it; others take what they need."""

    tree: TreeViews
    state: StateViews
    mass: MassViews
    efforts: EffortViews
    loops: LoopViews
    rows: RowViews
    loads: LoadViews


@opener
def open_mechanism(F: Floats, N: Ints) -> MechanismViews:
    """Views of a mechanism."""
    return MechanismViews(
        tree=open_tree(F, N),
        state=open_state(F, N),
        mass=open_mass(F, N),
        efforts=open_efforts(F, N),
        loops=open_loops(F, N),
        rows=open_rows(F, N),
        loads=open_loads(F, N),
    )
