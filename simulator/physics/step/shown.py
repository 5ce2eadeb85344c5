"""What a mechanism shows at many states of its joints: nothing moves it here, and nothing ties its joints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.loads import BodyLoads
from simulator.physics.build.state import CompiledState
from simulator.physics.layout import buffers as at
from simulator.physics.step.shown_kernels import show
from simulator.physics.step.watch import watch_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array

    Indices = NDArray[np.int64]


class Shown(NamedTuple):
    """Of n states. `poses` (n, n_bodies, 7): X_WB; `velocities` (n, n_bodies, 6): angular and of the centre of mass, in
    world axes; `axes` (n, n_loop_axes, 2): position and velocity of the axes of loop joints; `loops` (n, n_loops, 2):
    distance [m] and angle [rad] by which they are open; `energies` (n, 2): kinetic and potential, of bodies alone
    [J]."""

    poses: Array
    velocities: Array
    axes: Array
    loops: Array
    energies: Array


class Show:
    """Shows one mechanism, whose loads and couplings it leaves out. `loop_axes`: the axes of `Shown.axes`; `counts`:
    whether some of them count their turns from one state to the next."""

    def __init__(self, mechanism: Mechanism, turns: Mapping[int, Array | None]) -> None:
        """`turns`: by axis of a loop joint that turns, the signs with which the positions of all axes add up to its
        own, shape (n_axes,), but for a constant; None where its turns have to be counted."""
        model = CompiledState(replace(mechanism, couplings=(), loads=BodyLoads()))
        n = len(mechanism.axes)
        parts = model.parts
        places = model.parts.tables.axis_of
        self._model, self._shape = model, (len(mechanism.bodies), len(places), len(mechanism.loop_joints))
        self._watch = watch_of(model, np.zeros((0, 0)), np.zeros((0, n)), np.zeros(0))
        self._coordinates = _axes_of(model), _loose_nodes_of(model)
        told = {places[axis]: signs for axis, signs in turns.items() if signs is not None}
        signs = np.array(list(told.values()), dtype=float).reshape(len(told), n)
        self._turns = np.array(list(told), dtype=np.int64), signs, np.zeros(len(told))
        self._bodies = parts.tree.node_of_body[1:], parts.X_LB, parts.com
        self.loop_axes, self.counts = list(places), len(told) < len(turns)

    def start(self, position: Array, velocity: Array, loose: Array, axes: Array) -> None:
        """Count turns from where the axes of loop joints are nearest to `axes`, shape (n_loop_axes,)."""
        places, signs, offsets = self._turns
        self._model.view(at.F_LAXIS_Q)[:] = axes
        offsets[:] = axes[places] - signs @ position[0]
        shown = self.at(position, velocity, loose)
        offsets += shown.axes[0, places, 0] - axes[places]

    def at(self, position: Array, velocity: Array, loose: Array) -> Shown:
        """Where axes are at `position` and move at `velocity`, shape (n, n_axes) each, those of loop joints left out;
        `loose` (n, n_loose, 13) of balls and free joints: place and quaternion of the frame outboard in the one
        inboard, angular velocity and velocity, see `shown_kernels`; the place of a ball is not looked at."""
        count = len(position)
        (bodies, axes, loops) = self._shape
        poses, velocities = np.zeros((count * bodies, 7)), np.zeros((count * bodies, 6))
        poses[::bodies, 6] = 1.0
        rest = np.zeros((count, axes, 2)), np.zeros((count, loops, 2)), np.zeros((count, 2))
        model = self._model
        given = (position, velocity, loose)
        views = (poses, velocities, *rest)
        show(model.F, model.N, self._watch, self._coordinates, self._turns, self._bodies, given, views)
        return Shown(poses.reshape(count, bodies, 7), velocities.reshape(count, bodies, 6), *rest)


def _axes_of(model: CompiledState) -> Indices:
    """The first table of `Coordinates`."""
    parts = model.parts
    rows = [
        (parts.axis_of_freedom[freedom], int(parts.ypos[k]), k)
        for k, freedom in enumerate(parts.independent_freedom.tolist())
        if freedom in parts.axis_of_freedom
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _loose_nodes_of(model: CompiledState) -> Indices:
    """The second one."""
    rows = np.full((len(model.loose), 8), -1, dtype=np.int64)
    for row, joint in zip(rows, model.loose, strict=True):
        node = int(model.parts.tree.node_of_body[joint + 1])
        places = model.parts.independent_of_node(node)
        row[:2] = (node, model.parts.lpos[node])
        row[2 : 2 + len(places)] = places
    return rows
