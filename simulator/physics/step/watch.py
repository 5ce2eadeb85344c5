"""What is read off a state as one row of numbers, in compiled code, with tables that are made from a mechanism.

A row holds, in this order, the time [s]; position, velocity and drive effort of every axis; the residual of every
coupling; distance [m] and angle [rad] of every loop joint; kinetic and potential energy, work of drives, dissipated
energy, the error of their balance, work of loads and of contacts, energy of overlaps [J]; position, velocity and effort
of every actuator; of every body on a ball or free joint X_WB (x, y, z, qx, qy, qz, qw), and in world axes its angular
velocity and that of its origin; of every ball that is hinges in the document their angles and rates, in pairs; length
[m] and tension [N] of every cable.
`recording.channels` names the same columns.

Residuals are measured at both frames of a coupling or a loop joint, whatever holds them. Distance of a loop joint: what
is left of the way between both frames, d = R_p^T (p_c - p_p), when the directions that slide are taken out. Angle: of
the whole turn R = R_p^T R_c where nothing turns, 2 sin = |axial vector of R - R^T|, 2 cos = tr R - 1; between a and R a
where one axis turns. With two axes R = R(a, q0) R(b, q1) holds: q0 turns b about a to where the child carries it, q1
the rest about b, and what R R(b, -q1) R(a, -q0) still turns is the angle.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.residuals import held_directions
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.native.kernels import by_address, compiled, entry
from simulator.physics.algebra.vectors import rotated, rotation_of
from simulator.physics.build.state import read_bodies, refresh_nodes
from simulator.physics.impact.motors import has_unlimited
from simulator.physics.layout.buffers import leaves_some_out
from simulator.physics.layout.meshes import cycles_of
from simulator.physics.layout.watched_row import ENERGIES, HINGED, LOOSE
from simulator.physics.loops.flow import OUT_OF_NOTHING
from simulator.physics.loops.loops import gap_of, loop_axis_rate, slope_row
from simulator.physics.rows.cables import watch_cables
from simulator.physics.rows.meshes import stiffness_at
from simulator.physics.rows.rows import axis_position
from simulator.physics.rows.stiff import SPRINGS
from simulator.physics.step.hinges import multiply, turn_about, twist, watch_hinges
from simulator.physics.tree.tree import kinetic_energy, potential_energy
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.arrays import Array2, Array3, Floats, IntArray, IntArray2, Table
    from simulator.physics.build.state import CompiledState
    from simulator.physics.loops.views import LoopViews, MechanismViews
    from simulator.physics.tree.views import StageViews, StateViews, StiffViews
    from simulator.spatial.arrays import Array

BALL, RIGID, ONE_AXIS, TWO_AXES = range(4)
"""How the angle of a loop joint is measured: not at all, of the whole turn, between both sides' axes, of what two turns
leave."""
SCRATCH = 48


@by_address
class Watch(NamedTuple):
    """Constants of a mechanism, as flat tables.

    `codes` (n_axes,) of axes, see `read_axes`; `stiffness`, `reference` (n_axes,) of springs; `rotors` (n_axes,
    n_axes), what rotors add to the inertia of the axes, or (0, 0); couplings by rows: entries `coupling_start[i]` to
    `coupling_start[i + 1]` of `coupling_axis` and `coupling_factor`, and `coupling_constant` (n_couplings,), with
    `coupling_half` of their play (infinite where they slip), and the `coupling_stiffness` of what gives way in them, 0
    where nothing does; of those whose stiffness varies the number and the rows of `cycle_points` (position, stiffness)
    from where to where, `cycles` (n, 3), `cycle_period` (n,), and how their position follows from those of the axes,
    `cycle_factor` (n, n_axes);
    `curved` (n, 2): which have a curve, and their rows;
    `loop_angle` (n_loops,) as above, `loop_held` (n_loops, 9) projector onto the directions that do not slide,
    `loop_axes` (n_loops, 6), both in the parent's joint frame; actuators by rows as couplings. Of loose bodies
    `loose_node` (n,), X_LB `loose_place` (n, 3, 4), their origins in themselves `loose_origin` (n, 3), and room for
    what `read_bodies` gives. Of balls that are hinges in the document `hinge_node` (n, 2), -1 for the world; the
    world's axes at the start in both nodes, `hinge_place` (18 n,); the hinges' directions in these, `hinge_axes` (9
    n,); and room for what `step.hinges` takes. `cables` (n, 2): length and stiffness of every cable.
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
    cycles: IntArray2
    cycle_points: Array2
    cycle_period: Array
    cycle_factor: Array2
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
    cables: Array2
    scratch: Array


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
        loose_place=np.array(model.parts.places_in_nodes[loose], dtype=float).reshape(-1, 3, 4),
        loose_origin=np.zeros((len(loose), 3)),
        loose_pose=np.zeros((len(loose), 7)),
        loose_velocity=np.zeros((len(loose), 6)),
        **{**cycles_of(couplings, len(axes)), **_hinges(model)},
        cables=np.array([(one.length, one.stiffness) for one in mechanism.loads.cables], dtype=float).reshape(-1, 2),
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


@entry("motion")
def watch(m: MechanismViews, W: Watch, row: Floats) -> None:
    """Fill a row but for the time, efforts, work, dissipated energy and the error of the balance. Refreshes poses and
    velocities, but not of nodes in closed form (see `simple`): their energies need none."""
    refresh_nodes(m, m.tree.active)
    read_row(m, W, row)


@compiled
def read_row(m: MechanismViews, W: Watch, row: Floats) -> None:
    """As `watch`, of poses and velocities that are fresh."""
    _watch_axes(m, W, row)
    place = 1 + 3 * W.codes.shape[0]
    # Residual of a coupling: sum of factor times position, less its constant.
    _watch_couplings(W, row, place)
    if W.curved.shape[0] > 0:
        _watch_curves(m, W, row, place)
    place += W.coupling_constant.shape[0]
    loops = m.loops
    for loop in range(W.loop_angle.shape[0]):
        row[place], row[place + 1] = loop_gap(loops, W, loop), loop_angle(loops, W, loop)
        place += 2
    row[place], row[place + 1] = kinetic_energy(m.tree, m.state), potential_energy(m.tree, m.state, m.loads)
    _add_springs_and_rotors(W, row, place)
    _watch_actuators(W, row, place + ENERGIES)
    place += ENERGIES + 3 * W.actuator_constant.shape[0]
    _watch_loose(m.state, W, row, place)
    place += LOOSE * W.loose_node.shape[0]
    sides, motion = (W.hinge_node, W.hinge_place), (W.hinge_turn, W.hinge_rate)
    watch_hinges(m.state, sides, W.hinge_axes, motion, W.scratch, row, place)
    if W.cables.shape[0] > 0:
        limits, place = W.cables, energy_place(W) + 1
        row[place] += watch_cables(m.state, m.cables, limits, row, cable_place(W))


@compiled
def _watch_axes(m: MechanismViews, W: Watch, row: Floats) -> None:
    for axis in range(W.codes.shape[0]):
        code = W.codes[axis]
        row[1 + 3 * axis] = axis_position(m, code)
        row[2 + 3 * axis] = m.state.QD[code] if code >= 0 else loop_axis_rate(m.loops, -1 - code)


@compiled
def _watch_couplings(W: Watch, row: Floats, place: int) -> None:
    for i in range(W.coupling_constant.shape[0]):
        total = -W.coupling_constant[i]
        for t in range(W.coupling_start[i], W.coupling_start[i + 1]):
            total += W.coupling_factor[t] * row[1 + 3 * W.coupling_axis[t]]
        row[place + i] = total


@compiled
def _watch_curves(m: MechanismViews, W: Watch, row: Floats, place: int) -> None:
    """Those that are not straight lines: few mechanisms have them, and the others do not pay for the views."""
    for c in range(W.curved.shape[0]):
        row[place + W.curved[c, 0]], _ = slope_row(m.tree, m.state, m.loops, W.curved[c, 1], False)


@compiled
def _add_springs_and_rotors(W: Watch, row: Floats, place: int) -> None:
    """What springs store, k (q - ref)^2 / 2, and couplings that give way; and what rotors that turn with the axes move
    with, qd^T I qd / 2."""
    for axis in range(W.stiffness.shape[0]):
        stretch = row[1 + 3 * axis] - W.reference[axis]
        row[place + 1] += 0.5 * W.stiffness[axis] * stretch * stretch
    for i in range(W.coupling_stiffness.shape[0]):
        pressed = max(abs(row[1 + 3 * W.codes.shape[0] + i]) - W.coupling_half[i], 0.0)
        row[place + 1] += 0.5 * W.coupling_stiffness[i] * pressed * pressed
    for c in range(W.cycles.shape[0]):
        row[place + 1] += _beyond_first(W, row, c)
    for i in range(W.rotors.shape[0]):
        for j in range(W.rotors.shape[0]):
            row[place] += 0.5 * W.rotors[i, j] * row[2 + 3 * i] * row[2 + 3 * j]


@compiled
def cable_place(W: Watch) -> int:
    """The place of the first cable's length in a row."""
    behind = 3 * W.actuator_constant.shape[0] + LOOSE * W.loose_node.shape[0]
    place: int = energy_place(W) + ENERGIES + behind + HINGED * W.hinge_node.shape[0]
    return place


@compiled
def _beyond_first(W: Watch, row: Floats, c: int) -> float:
    """What a coupling whose stiffness varies stores more than with the first of its table."""
    i = W.cycles[c, 0]
    position = 0.0
    for axis in range(W.codes.shape[0]):
        position += W.cycle_factor[c, axis] * row[1 + 3 * axis]
    stiffness, _ = stiffness_at(W.cycle_points, W.cycles[c, 1], W.cycles[c, 2], W.cycle_period[c], position)
    z = row[1 + 3 * W.codes.shape[0] + i]
    more: float = 0.5 * (stiffness - W.coupling_stiffness[i]) * z * z
    return more


@compiled
def _watch_actuators(W: Watch, row: Floats, place: int) -> None:
    """x = A q + c and its rate."""
    for i in range(W.actuator_constant.shape[0]):
        position = W.actuator_constant[i]
        rate = 0.0
        for t in range(W.actuator_start[i], W.actuator_start[i + 1]):
            position += W.actuator_factor[t] * row[1 + 3 * W.actuator_axis[t]]
            rate += W.actuator_factor[t] * row[2 + 3 * W.actuator_axis[t]]
        row[place + 3 * i], row[place + 3 * i + 1] = position, rate


@compiled
def _watch_loose(state: StateViews, W: Watch, row: Floats, place: int) -> None:
    """Pose, angular velocity and velocity of the origin of bodies on balls and free joints."""
    read_bodies(state, W.loose_node, W.loose_place, W.loose_origin, W.loose_pose, W.loose_velocity)
    for b in range(W.loose_node.shape[0]):
        for k in range(7):
            row[place + LOOSE * b + k] = W.loose_pose[b, k]
        for k in range(6):
            row[place + LOOSE * b + 7 + k] = W.loose_velocity[b, k]


# -- loop joints -------------------------------------------------------------------------------------------------------


@compiled
def loop_gap(loops: LoopViews, W: Watch, loop: int) -> float:
    """Distance of both frames in the directions that do not slide [m]. Needs fresh loop frames."""
    P = rotation_of(loops.frame, 2 * loop)
    (x, y, z) = gap_of(loops, loop)
    total = 0.0
    held = W.loop_held
    # The gap in the axes of the parent's side, where the directions that slide are known.
    d0 = P[0] * x + P[3] * y + P[6] * z
    d1 = P[1] * x + P[4] * y + P[7] * z
    d2 = P[2] * x + P[5] * y + P[8] * z
    for i in range(3):
        left = held[loop, 3 * i] * d0 + held[loop, 3 * i + 1] * d1 + held[loop, 3 * i + 2] * d2
        total += left * left
    return math.sqrt(total)


@compiled
def loop_angle(loops: LoopViews, W: Watch, loop: int) -> float:
    """Angle by which the joint is off [rad]. Needs fresh loop frames."""
    kind = W.loop_angle[loop]
    if kind == BALL:
        return 0.0
    R = W.scratch
    frame = loops.frame
    p = 2 * loop
    c = 2 * loop + 1
    for i in range(3):
        for j in range(3):
            R[3 * i + j] = (
                frame[p, 0, i] * frame[c, 0, j] + frame[p, 1, i] * frame[c, 1, j] + frame[p, 2, i] * frame[c, 2, j]
            )
    if kind == RIGID:
        return _whole_turn(R, 0)
    a0 = W.loop_axes[loop, 0]
    a1 = W.loop_axes[loop, 1]
    a2 = W.loop_axes[loop, 2]
    if kind == TWO_AXES:
        return _rest_of_two(R, a0, a1, a2, W.loop_axes[loop, 3], W.loop_axes[loop, 4], W.loop_axes[loop, 5])
    t0, t1, t2 = rotated(R, 0, (a0, a1, a2))
    x = a1 * t2 - a2 * t1
    y = a2 * t0 - a0 * t2
    z = a0 * t1 - a1 * t0
    return math.atan2(math.sqrt(x * x + y * y + z * z), a0 * t0 + a1 * t1 + a2 * t2)


@compiled
def _whole_turn(R: Floats, o: int) -> float:
    #     R - R^T| = 2 sin, trace - 1 = 2 cos: exact also near 0, where acos of the trace is not.
    x = R[o + 7] - R[o + 5]
    y = R[o + 2] - R[o + 6]
    z = R[o + 3] - R[o + 1]
    return math.atan2(math.sqrt(x * x + y * y + z * z), R[o] + R[o + 4] + R[o + 8] - 1.0)


@compiled
def _rest_of_two(R: Floats, a0: float, a1: float, a2: float, b0: float, b1: float, b2: float) -> float:
    """The matrices in `R`: [0] R, [9] a turn, [18] and [27] products."""
    t0, t1, t2 = rotated(R, 0, (b0, b1, b2))
    s0 = a1 * b2 - a2 * b1
    s1 = a2 * b0 - a0 * b2
    s2 = a0 * b1 - a1 * b0
    across = a0 * b0 + a1 * b1 + a2 * b2
    cosine = (b0 - across * a0) * t0 + (b1 - across * a1) * t1 + (b2 - across * a2) * t2
    first = math.atan2(s0 * t0 + s1 * t1 + s2 * t2, cosine)
    turn_about(R, 9, (a0, a1, a2), -first)
    multiply(R, 9, R, 0, R, 18)
    turn_about(R, 18, (b0, b1, b2), -twist(R, 18, (b0, b1, b2)))
    multiply(R, 0, R, 18, R, 27)
    multiply(R, 27, R, 9, R, 18)
    return _whole_turn(R, 18)


# -- what Python has to judge ------------------------------------------------------------------------------------------


OVERDRAWN, OF_PEAK = 1e-4, 1e-6
"""Parts of the kinetic energy, and of the largest so far, that contacts, stops and speed limits may give in a step, by
its errors: of the latter a thousandth in a thousand steps."""
FROM_NOWHERE = 2e-2
"""Part of the largest kinetic energy so far by which the energy balance may be wrong after one step: a spring of one
radian a step loses 1 / 72 of its energy."""
ROUNDED, NOTHING = 1e-13, 1e-13
"""Part of the potential energy that is rounding, and the work [J] of 1 kN along the rounding of a metre."""
BEYOND = 1e12
"""Positions and speeds [SI] that nothing has."""


@compiled
def is_trouble(m: MechanismViews, W: Watch, row: Floats, slack: float) -> bool:
    """Whether Python has to judge the state."""
    return _is_beyond(W, row) or _is_open(m, W, row, slack)


@entry("motion")
def is_unbalanced(
    stages: StageViews, stiff: StiffViews, lines: Table, kinetic: float, potential: float, change: float
) -> bool:
    """Whether the step to this state, with these energies [J], is to be made in halves: what only takes energy gave
    more than it may, or the error of the energy balance has changed too much; but drives without a limit ask for more
    in a shorter step, and held springs (`rows.stiff`) lose their swing. Remembers the largest kinetic energy."""
    peak = stages.peak
    peak[0] = max(peak[0], kinetic)
    rounding = ROUNDED * abs(potential) + NOTHING
    overdrawn = stages.flow[OUT_OF_NOTHING] > max(OVERDRAWN * kinetic, OF_PEAK * peak[0]) + rounding
    allowed = FROM_NOWHERE * peak[0] + rounding
    loses = stiff.faster[SPRINGS] != 0.0
    is_wrong = not change <= allowed or (not change >= -allowed and not loses)
    return bool(overdrawn or (is_wrong and not has_unlimited(lines[0], lines[1])))


@compiled
def _is_beyond(W: Watch, row: Floats) -> bool:
    """Whether an axis or the energy has run away; not a number is beyond, too."""
    beyond = False
    energy = energy_place(W)
    for axis in range(W.codes.shape[0]):
        beyond = beyond or not (abs(row[1 + 3 * axis]) < BEYOND and abs(row[2 + 3 * axis]) < BEYOND)
    return beyond or not (abs(row[energy]) < BEYOND * BEYOND and abs(row[energy + 1]) < BEYOND * BEYOND)


@compiled
def energy_place(W: Watch) -> int:
    """The place of the kinetic energy in a row."""
    place: int = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0] + 2 * W.loop_angle.shape[0]
    return place


@compiled
def _is_open(m: MechanismViews, W: Watch, row: Floats, slack: float) -> bool:
    place = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0]
    is_open = False
    if not leaves_some_out(m.N):
        return False
    for i in range(2 * W.loop_angle.shape[0]):
        is_open = is_open or row[place + i] > slack
    return is_open
