"""What a mechanism shows at many states of its joints: nothing moves it here, and nothing ties its joints.

Positions and velocities are those of every tree axis, whatever couples them. Of a loose node (see `flatten`) they are
place and quaternion in its joint frame inboard, angular velocity and velocity: of a ball in the axes of the outboard
frame, of a free body in those of the world.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.loads import BodyLoads
from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import dot, row_vector
from simulator.physics.build.state import CompiledState, read_bodies
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE
from simulator.physics.loops.loops import loop_axis_rate, move_with_loops
from simulator.physics.step.watch import loop_angle, loop_gap, watch_of
from simulator.physics.tree.tree import kinetic_energy, move_nodes, place_nodes, potential_energy, rotate_inertias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array

    Indices = NDArray[np.int64]
    from typing import TypeAlias

    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints, Ints2
    from simulator.physics.loops.views import LoopViews, MechanismViews
    from simulator.physics.step.watch import Watch
    from simulator.physics.tree.views import StateViews, TreeViews

    Coordinates: TypeAlias = "tuple[Ints2, Ints2]"
    """(n_tree_axes, 3): axis, its place among positions and among velocities. (n_loose, 8): node of a ball or free
    joint, first place among positions, places of its three or six velocities."""
    Turns: TypeAlias = "tuple[Ints, Floats2, Floats]"
    """Places of loop axes whose turns the tree tells, signs of all axes in each, what is to be added."""
    Bodies: TypeAlias = "tuple[Ints, Floats3, Floats2]"
    """What `read_bodies` takes."""
    Given: TypeAlias = "tuple[Floats2, Floats2, Floats3]"
    Views: TypeAlias = "tuple[Floats2, Floats2, Floats3, Floats3, Floats2]"


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
        self._bodies = parts.tree.node_of_body[1:], parts.places_in_nodes, parts.com
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
        inboard, angular velocity and velocity, see `show`; the place of a ball is not looked at."""
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


@entry("motion")
def show(
    m: MechanismViews, W: Watch, coordinates: Coordinates, turns: Turns, bodies: Bodies, given: Given, views: Views
) -> None:
    """Fill `views` with what is seen at each of the states that are `given`; poses and velocities of all bodies, state
    after state, are lines of one table."""
    position, velocity, loose = given
    poses, velocities, axes, loops, energies = views
    nodes, X_LB, com = bodies
    tree, state, joints = m.tree, m.state, m.loops
    every = tree.order.shape[0]
    for i in range(position.shape[0]):
        _put_positions(tree, state, coordinates, position, loose, i)
        place_nodes(tree, state, every)
        _put_velocities(tree, state, coordinates, velocity, loose, i)
        move_nodes(tree, state, every)
        rotate_inertias(tree, state, every)
        _foretell_turns(joints, turns, position, i)
        move_with_loops(m)
        # The world, which is the first body, stays as it is.
        end = (i + 1) * (nodes.shape[0] + 1)
        first = end - nodes.shape[0]
        read_bodies(state, nodes, X_LB, com, poses[first:end], velocities[first:end])
        for j in range(joints.axis_kind.shape[0]):
            axes[i, j, 0], axes[i, j, 1] = joints.axis_position[j], loop_axis_rate(joints, j)
        for loop in range(joints.motion.shape[0]):
            loops[i, loop, 0], loops[i, loop, 1] = loop_gap(joints, W, loop), loop_angle(joints, W, loop)
        energies[i, 0], energies[i, 1] = kinetic_energy(tree, state), potential_energy(tree, state, m.loads)


@compiled
def _put_positions(
    tree: TreeViews, state: StateViews, coordinates: Coordinates, position: Floats2, loose: Floats3, i: int
) -> None:
    axes, nodes = coordinates
    for k in range(axes.shape[0]):
        state.Q[axes[k, 1]] = position[i, axes[k, 0]]
    for slot in range(nodes.shape[0]):
        q = nodes[slot, 1]
        first = 0 if tree.kind[nodes[slot, 0]] == FREE else 3
        for c in range(first, 7):
            state.Q[q + c - first] = loose[i, slot, c]


@compiled
def _put_velocities(
    tree: TreeViews, state: StateViews, coordinates: Coordinates, velocity: Floats2, loose: Floats3, i: int
) -> None:
    """Needs fresh poses: what is outboard of a free joint moves along its own axes, which are S."""
    axes, nodes = coordinates
    for k in range(axes.shape[0]):
        state.V[axes[k, 2]] = velocity[i, axes[k, 0]]
    for slot in range(nodes.shape[0]):
        node = nodes[slot, 0]
        if tree.kind[node] != FREE:
            for c in range(3):
                state.V[nodes[slot, 2 + c]] = loose[i, slot, 7 + c]
            continue
        angular = loose[i, slot, 7], loose[i, slot, 8], loose[i, slot, 9]
        linear = loose[i, slot, 10], loose[i, slot, 11], loose[i, slot, 12]
        for c in range(3):
            k = tree.first[node] + c
            state.V[nodes[slot, 2 + c]] = dot(row_vector(state.S, k), angular)
            state.V[nodes[slot, 5 + c]] = dot(row_vector(state.S, k + 3), linear)


@compiled
def _foretell_turns(loops: LoopViews, turns: Turns, position: Floats2, i: int) -> None:
    """Put what the tree says of the axes of loops where `follow_axes` looks for the last angle."""
    places, signs, offsets = turns
    for k in range(places.shape[0]):
        j = places[k]
        loops.axis_position[j] = offsets[k]
        for axis in range(signs.shape[1]):
            if signs[k, axis] != 0.0:
                loops.axis_position[j] += signs[k, axis] * position[i, axis]
