"""What a mechanism shows at many states of its joints: nothing moves it here, and nothing ties its joints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.dynamics.compiled.shown_kernels import show
from simulator.dynamics.compiled.state import CompiledState
from simulator.dynamics.compiled.watch import watch_of
from simulator.mechanism.loads import BodyLoads

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from simulator.dynamics.arrays import Floats, Ints
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

    Coordinates: TypeAlias = "tuple[Ints, Ints]"
    """(n_tree_axes, 3): axis, its place among positions and among velocities. (n_loose, 8): node of a ball or free
    joint, first place among positions, places of its three or six velocities."""
    Bodies: TypeAlias = "tuple[Ints, Floats, Floats]"
    """What `read_bodies` takes."""
    Given: TypeAlias = "tuple[Floats, Floats, Floats]"
    Views: TypeAlias = "tuple[Floats, Floats, Floats, Floats]"


class Shown(NamedTuple):
    """Of n states. `poses` (n, n_bodies, 7): X_WB; `velocities` (n, n_bodies, 6): angular and of the centre of mass, in
    world axes; `loops` (n, n_loops, 2): distance [m] and angle [rad] by which they are open; `energies` (n, 2): kinetic
    and potential, of bodies alone [J]."""

    poses: Array
    velocities: Array
    loops: Array
    energies: Array


class Show:
    """Shows one mechanism, whose loads it leaves out."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = replace(mechanism, couplings=(), loads=BodyLoads())
        model = CompiledState(self._mechanism)
        n, parts = len(mechanism.axes), model.parts
        self._F, self._N = model.F, model.N
        self._watch = watch_of(model, np.zeros((0, 0)), np.zeros((0, n)), np.zeros(0))
        freedoms = [int(freedom) for freedom in parts.independent_freedom]
        axes = [
            (parts.axis_of_freedom[freedom], int(parts.ypos[k]), k)
            for k, freedom in enumerate(freedoms)
            if freedom in parts.axis_of_freedom
        ]
        nodes = np.full((len(model.loose), 8), -1, dtype=np.int64)
        for row, joint in zip(nodes, model.loose, strict=True):
            node = int(parts.tree.node_of_body[joint + 1])
            places = parts.independent_of_node(node)
            row[:2], row[2 : 2 + len(places)] = (node, parts.lpos[node]), places
        self._coordinates = np.array(axes, dtype=np.int64).reshape(-1, 3), nodes
        self._bodies = parts.tree.node_of_body[1:], parts.X_LB, parts.com

    def at(self, position: Array, velocity: Array, loose: Array) -> Shown:
        """Where axes are at `position` and move at `velocity`, shape (n, n_axes) each, those of loop joints left out;
        `loose` (n, n_loose, 13) of balls and free joints: place and quaternion of the frame outboard in the one
        inboard, angular velocity and velocity, see `shown_kernels`; the place of a ball is not looked at."""
        count, bodies = len(position), len(self._mechanism.bodies)
        poses, loops = np.zeros((count, bodies, 7)), len(self._mechanism.loop_joints)
        poses[:, 0, 6] = 1.0
        shown = Shown(poses, np.zeros((count, bodies, 6)), np.zeros((count, loops, 2)), np.zeros((count, 2)))
        given = position, velocity, loose
        show(self._F, self._N, self._watch, self._coordinates, self._bodies, given, tuple(shown))
        return shown
