"""What `motion.planar` need beside the tree and the loops, as named arrays: views of F, as `tree.views`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.views import start
from simulator.physics.loops.planar import NODE_NUMBERS, WORK

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints


class PlaneViews(NamedTuple):
    """Of a node: its constants `node` (see `planar`) and `work` (see `motion.planar`). Of a loop joint: the origins of
    both frames in their nodes, `origin` (x, y of the parent's, then of the child's). Of a row: its `direction`. Of a
    loop axis, `axis`: its sense, and its angle at zero. `gravity` in the plane."""

    node: Floats2
    work: Floats2
    origin: Floats2
    direction: Floats2
    axis: Floats2
    gravity: Floats


@opener
def open_plane(F: Floats, N: Ints) -> PlaneViews:
    """Views of the plane."""
    nodes = N[at.NODES]
    return PlaneViews(
        node=view(F, start(N, at.F_PLANE), (nodes, NODE_NUMBERS)),
        work=view(F, start(N, at.F_PLANE_WORK), (nodes, WORK)),
        origin=view(F, start(N, at.F_PLANE_LOOPS), (N[at.LOOPS], 4)),
        direction=view(F, start(N, at.F_PLANE_ROWS), (N[at.ROWS], 2)),
        axis=view(F, start(N, at.F_PLANE_AXES), (N[at.LOOP_AXES], 2)),
        gravity=view(F, start(N, at.F_PLANE_GRAVITY), (2,)),
    )
