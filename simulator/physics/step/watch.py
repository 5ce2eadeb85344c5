"""What is read off a state as one row of numbers: the tables that the kernel of `step.watching` takes, made from a
mechanism.

A row holds, in this order, the time [s]; position, velocity and drive effort of every axis; the residual of every
coupling; distance [m] and angle [rad] of every loop joint; kinetic and potential energy, work of drives, dissipated
energy, the error of their balance, work of loads and of contacts, energy of overlaps [J]; position, velocity and effort
of every actuator; of every body on a ball or free joint X_WB (x, y, z, qx, qy, qz, qw), and in world axes its angular
velocity and that of its origin; of every ball that is hinges in the document their angles and rates, in pairs.
`recording.channels` names the same columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.residuals import held_directions
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.arrays import Array2, Array3, IntArray, IntArray2
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Array


BALL, RIGID, ONE_AXIS, TWO_AXES = range(4)
"""How the angle of a loop joint is measured: not at all, of the whole turn, between both sides' axes, of what two turns
leave."""
SCRATCH = 48
ENERGIES = 8
"""Kinetic, potential, work, dissipated, error, loads, contact, overlap."""
LOOSE = 13
"""Of a body on a ball or free joint: pose (7), angular velocity (3), velocity of its origin (3)."""
HINGED = 6
"""Of a ball that is three hinges in the document: angle and rate of each."""


class Watch(NamedTuple):
    """Constants of a mechanism, as flat tables.

    `codes` (n_axes,) of axes, see `read_axes`; `stiffness`, `reference` (n_axes,) of springs; `rotors` (n_axes,
    n_axes), what rotors add to the inertia of the axes, or (0, 0); couplings by rows: entries `coupling_start[i]` to
    `coupling_start[i + 1]` of `coupling_axis` and `coupling_factor`, and `coupling_constant` (n_couplings,), with
    `coupling_half` of their play (infinite where they slip), and the `coupling_stiffness` of what gives way in them, 0
    where nothing does;
    `curved` (n, 2): which have a curve, and their rows;
    `loop_angle` (n_loops,) as above, `loop_held` (n_loops, 9) projector onto the directions that do not slide,
    `loop_axes` (n_loops, 6), both in the parent's joint frame; actuators by rows as couplings. Of loose bodies
    `loose_node` (n,), X_LB `loose_place` (n, 3, 4), their origins in themselves `loose_origin` (n, 3), and room for
    what `read_bodies` gives. Of balls that are hinges in the document `hinge_node` (n, 2), -1 for the world; the
    world's axes at the start in both nodes, `hinge_place` (18 n,); the hinges' directions in these, `hinge_axes` (9
    n,); and room for what `step.hinges` takes.
    """

    codes: IntArray
    stiffness: Array
    reference: Array
    rotors: Array2
    coupling_start: IntArray
    coupling_axis: IntArray
    coupling_factor: Array
    coupling_constant: Array
    coupling_half: Array
    coupling_stiffness: Array
    curved: IntArray2
    loop_angle: IntArray
    loop_held: Array2
    loop_axes: Array2
    actuator_start: IntArray
    actuator_axis: IntArray
    actuator_factor: Array
    actuator_constant: Array
    loose_node: IntArray
    loose_place: Array3
    loose_origin: Array2
    loose_pose: Array2
    loose_velocity: Array2
    hinge_node: IntArray2
    hinge_place: Array
    hinge_axes: Array
    hinge_turn: Array
    hinge_rate: Array
    scratch: Array


@dataclass(frozen=True)
class RowPlaces:
    """Where the parts of a row begin, and how long it is."""

    axes: int
    couplings: int
    loops: int
    actuators: int
    loose: int = 0
    hinged: int = 0

    @property
    def coupling(self) -> int:
        """The first coupling's residual."""
        return 1 + 3 * self.axes

    @property
    def loop(self) -> int:
        """The first loop joint's distance."""
        return self.coupling + self.couplings

    @property
    def energy(self) -> int:
        """The kinetic energy."""
        return self.loop + 2 * self.loops

    @property
    def actuator(self) -> int:
        """The first actuator's position."""
        return self.energy + ENERGIES

    @property
    def body(self) -> int:
        """The first loose body's pose."""
        return self.actuator + 3 * self.actuators

    @property
    def hinge(self) -> int:
        """The angle of the first hinge of a ball."""
        return self.body + LOOSE * self.loose

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return self.hinge + HINGED * self.hinged


def watch_of(model: CompiledState, rotors: Array, actuator_matrix: Array, actuator_constant: Array) -> Watch:
    """The tables of a mechanism. `rotors`: see `Watch`; x = A q + c of the actuators by `actuator_matrix` and
    `actuator_constant`."""
    mechanism = model.mechanism
    axes = [info.axis for info in mechanism.axes]
    loose = list(multi_dof_joints(mechanism))
    couplings, loops = mechanism.couplings, mechanism.loop_joints
    rows = model.parts.tables.of_coupling
    curved = [(i, rows[i]) for i, coupling in enumerate(couplings) if coupling.curve is not None]
    turns = [[m.direction for m in loop.motions if m.kind is MotionKind.ROTATION] for loop in loops]
    angle = [BALL if loop.kind is JointKind.BALL else RIGID + len(t) for loop, t in zip(loops, turns, strict=True)]
    directions = [np.ravel([*t, (0.0,) * 3, (0.0,) * 3])[:6] for t in turns]
    of_actuators = [[(int(axis), float(row[axis])) for axis in np.flatnonzero(row)] for row in actuator_matrix]
    return Watch(
        np.ascontiguousarray(model.axis_codes, dtype=np.int64),
        np.array([axis.spring_stiffness for axis in axes], dtype=float),
        np.array([axis.spring_reference for axis in axes], dtype=float),
        np.ascontiguousarray(rotors if rotors.any() else np.zeros((0, 0)), dtype=float),
        *_table([coupling.terms for coupling in couplings]),
        np.array([coupling.constant for coupling in couplings], dtype=float),
        np.array([np.inf if one.real.slips else one.real.half_width for one in couplings], dtype=float),
        np.array([coupling.real.stiffness for coupling in couplings], dtype=float),
        np.array(curved, dtype=np.int64).reshape(-1, 2),
        np.array(angle, dtype=np.int64),
        np.array([held_directions(loop).ravel() for loop in loops], dtype=float).reshape(-1, 9),
        np.array(directions, dtype=float).reshape(-1, 6),
        *_table(of_actuators),
        np.array(actuator_constant, dtype=float),
        loose_node=np.array(model.parts.tree.node_of_body[1:][loose], dtype=np.int64),
        loose_place=np.array(model.parts.X_LB[loose], dtype=float).reshape(-1, 3, 4),
        loose_origin=np.zeros((len(loose), 3)),
        loose_pose=np.zeros((len(loose), 7)),
        loose_velocity=np.zeros((len(loose), 6)),
        **_hinges(model),
        scratch=np.zeros(SCRATCH),
    )


def _hinges(model: CompiledState) -> dict[str, Any]:
    """The part of the tables that is about balls which are hinges in the document."""
    tree, balls = model.parts.tree, model.mechanism.hinged_balls
    node = [[int(tree.node_of_body[body]) if body != WORLD_BODY else -1 for body in ball.bodies] for ball in balls]
    place = [
        [
            (tree.X_LB[body].rotation() if body != WORLD_BODY else np.eye(3)) @ matrix_from_quat(R_BW)
            for body, R_BW in zip(ball.bodies, ball.R_BW, strict=True)
        ]
        for ball in balls
    ]
    return {
        "hinge_node": np.array(node, dtype=np.int64).reshape(-1, 2),
        "hinge_place": np.array(place, dtype=float).ravel(),
        "hinge_axes": np.array([ball.directions for ball in balls], dtype=float).ravel(),
        "hinge_turn": np.zeros(9 * len(balls)),
        "hinge_rate": np.zeros(3 * len(balls)),
    }


def _table(rows: Sequence[Sequence[tuple[int, float]]]) -> tuple[IntArray, IntArray, Array]:
    """Where every row starts, and one after the last; indices and factors of all entries."""
    start = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    index = np.array([i for row in rows for i, _ in row], dtype=np.int64)
    return start, index, np.array([factor for row in rows for _, factor in row], dtype=float)
