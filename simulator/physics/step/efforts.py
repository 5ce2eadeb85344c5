"""Efforts of bounded rows over a step: everything that acts on goes into the equations as an effort that is constant on
it, chosen so that at its end motors are at their velocity and nothing pulls apart or pushes through."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross
from simulator.physics.contacts.axes import softness
from simulator.physics.contacts.far import come_near
from simulator.physics.contacts.gather import gather
from simulator.physics.contacts.memory import begin_to_share, recall_impulses, remember_impulses
from simulator.physics.contacts.separation import curvature_of, is_stop, solve_rows, stops
from simulator.physics.contacts.slip import aim_friction
from simulator.physics.impact.giving_way import give_way, keep_unpushed, note_lacks
from simulator.physics.impact.impact import way_left
from simulator.physics.impact.motors import MISSED, approach, are_held, misses
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE
from simulator.physics.layout.row_layout import ask_of_row, int_of_row, of_row
from simulator.physics.layout.views import start
from simulator.physics.rows.entries import spare
from simulator.physics.rows.held_efforts import hold_efforts
from simulator.physics.rows.meshes import ask_loss, ask_mesh
from simulator.physics.rows.rows import axis_position
from simulator.physics.rows.servos import ask_servo
from simulator.physics.rows.soft import ask_soft
from simulator.physics.solver.rates import rate_rows
from simulator.physics.solver.solve import UNBOUNDED, book, contradict
from simulator.physics.step.turning import turn_over
from simulator.physics.tree.positions import three_coordinates
from simulator.physics.tree.views import open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2, Table

ROUNDED = 1e-13
"""What touches moves apart this fast [m/s or rad/s] by rounding, which is left out: it would come back in the next step
with the other sign, and so on. Loose bodies come to rest (`motion.resting`)."""


@compiled
def apply_efforts(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> bool:
    """Efforts of this step, see `hold_efforts`; False where there is no room for the rows of all contacts that come
    near in it."""
    RF, CF = lines[1], contacts[1]
    _find_efforts(F, N, B, C, lines, contacts, dt)
    if come_near(F, N, C, contacts, start(N, at.F_STEP)):
        if not gather(F, N, B, C, lines, contacts, dt, 0.5 * dt):
            return False
        rate_rows(F, B, C, start(N, at.F_V), row_at.B_RATE)
        _find_efforts(F, N, B, C, lines, contacts, dt)
    _push_what_is_rigid(B, C)
    book(B, C, RF, CF)
    remember_impulses(B, C, RF, CF)
    # An impulse over the step is an effort that is constant on it.
    hold_efforts(F, N, B, C, lines, dt)
    return True


@compiled
def _find_efforts(F: Floats, N: Ints, B: Floats, C: Ints, lines: Table, contacts: Table, dt: float) -> None:
    """Impulses of all rows over this step, and STEP = velocity at its end."""
    STEP = start(N, at.F_STEP)
    (RI, RF) = lines
    CF = contacts[1]
    _set_effort_targets(F, N, B, C, RI, RF, CF, dt)
    _predict_velocity(F, N, dt)
    keep_unpushed(F, N, B, C, STEP)
    begun = recall_impulses(N, B, C, RF, CF, True)
    aim_friction(F, N, B, C, CF, STEP)
    held = are_held(RI, RF)
    settled = held or solve_rows(F, N, B, C, CF, STEP, True)
    if begun and not held and C[row_at.ISLANDS] > 0 and begin_to_share(B, C, RF):
        _predict_velocity(F, N, dt)
        recall_impulses(N, B, C, RF, CF, False)
        settled = solve_rows(F, N, B, C, CF, STEP, True)
    settled = turn_over(F, N, B, C, CF, STEP, settled)
    settled = give_way(F, N, B, C, RF, contacts, STEP, settled, held)
    note_lacks(B, C, RF)
    if not settled:
        _find_contradiction(F, N, B, C, CF)


@compiled
def _goes_along(B: Floats, C: Ints, RF: Floats2, CF: Floats2, r: int, dt: float) -> bool:
    """Whether row r goes along with the motion, a servo or a contact that gives way, or is of a real coupling: then it
    has been asked."""
    kind = C[int_of_row(C, row_at.C_KIND, r)]
    if kind == row_at.MESH:
        ask_mesh(B, C, RF, r, dt)
        return True
    if kind == row_at.LOSS:
        ask_loss(B, C, RF, r, dt)
        return True
    if row_at.SERVO <= kind <= row_at.HELD:
        ask_servo(B, C, RF, r, dt)
        return True
    if kind == row_at.NORMAL and not stops(C, CF, r):
        ask_soft(B, C, CF, r, dt)
        return True
    return False


@compiled
def _closing_rate(B: Floats, C: Ints, CF: Floats2, r: int, dt: float) -> float:
    """The least rate of a stop or contact at the end of the step: it moves dt times the mean of both rates, and
    that is not to be more than its gap."""
    before = B[of_row(C, row_at.B_RATE, r)]
    if C[row_at.LOOSE] <= 0 and abs(before) <= ROUNDED:
        before = 0.0
    return -2.0 * way_left(B, C, r) / dt - before - dt * curvature_of(B, C, CF, r)


@compiled
def _set_effort_targets(F: Floats, N: Ints, B: Floats, C: Ints, RI: Ints2, RF: Floats2, CF: Floats2, dt: float) -> None:
    """Bounds and targets of the efforts: what each row's velocity is to be at the end of the step."""
    for r in range(C[row_at.COUNT]):
        kind, line = C[int_of_row(C, row_at.C_KIND, r)], C[int_of_row(C, row_at.C_LINE, r)]
        low = -UNBOUNDED
        high = UNBOUNDED
        target = 0.0
        if _goes_along(B, C, RF, CF, r, dt):
            continue
        if kind <= row_at.FRICTION:
            # Motors and dry friction are alike: a bound on the effort, and a rate to reach with it (0 for friction).
            high = RF[line, 0] * dt
            low = -high
            if kind == row_at.TO_VELOCITY:
                target = RF[line, 1]
            elif kind == row_at.TO_POSITION:
                target = approach(F, N, B, C, RI, RF, r, dt)
            target -= dt * B[of_row(C, row_at.B_DRIFT, r)]
            if kind < row_at.FRICTION and B[of_row(C, row_at.B_RESPONSE, r)] == 0.0:
                asked = RF[line, 1] if kind == row_at.TO_VELOCITY else RF[line, 1] - axis_position(F, N, RI[line, 1])
                if abs(asked) > 1e-9:
                    C[row_at.BLOCKED] = 1 + line
        elif kind == row_at.SPEED:
            target = RF[line, 0]
        elif is_stop(kind):
            low = 0.0
            target = _closing_rate(B, C, CF, r, dt)
        elif not math.isnan(CF[line, row_at.MOTION]):
            # At the end nothing is to slip. In rows of the middle, what turns goes there half of its way from now.
            target = CF[line, row_at.MOTION + kind - row_at.NORMAL] - B[of_row(C, row_at.B_RATE, r)]
        if kind >= row_at.TANGENT and C[row_at.YIELDS] != 0:
            B[of_row(C, row_at.B_SOFT, r)] = softness(CF, line, kind - row_at.TANGENT, dt)
        ask_of_row(B, C, r, low, high, target)
        B[of_row(C, row_at.B_ASKED, r)] = target


@compiled
def _predict_velocity(F: Floats, N: Ints, dt: float) -> None:
    """STEP = velocity at the end of the step without rows, in the axes of its start: a free body's are taken back from
    its turned ones."""
    tree, state = open_tree(F, N), open_state(F, N)
    G = tree.G
    V = state.V
    step = state.step
    for a in range(step.shape[0]):
        step[a] = V[a] + dt * state.DV[a]
    for i in range(tree.kind.shape[0]):
        if tree.kind[i] != FREE:
            continue
        w = three_coordinates(G, V, tree.first[i])
        v = three_coordinates(G, V, tree.first[i] + 3)
        # v is in the body's axes, which turn by dt w: the change that this alone makes, -w x v, is given back.
        change = cross(w, v)
        k = tree.first[i] + 3
        step[G.column[G.begin[k]]] += dt * change[0]
        step[G.column[G.begin[k + 1]]] += dt * change[1]
        step[G.column[G.begin[k + 2]]] += dt * change[2]


@compiled
def _push_what_is_rigid(B: Floats, C: Ints) -> None:
    """Servos whose axes nothing can move push all the same: their targets are impulses, see `ask_servo`."""
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] == row_at.SERVO and B[of_row(C, row_at.B_RESPONSE, r)] <= 0.0:
            low, high = B[of_row(C, row_at.B_LOW, r)], B[of_row(C, row_at.B_HIGH, r)]
            B[of_row(C, row_at.B_IMPULSE, r)] = min(max(B[of_row(C, row_at.B_TARGET, r)], low), high)


@compiled
def _find_contradiction(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats2) -> None:
    """BLOCKED = a motor that is far from its target though it has effort left and nothing but other motors stands
    against it, which loops or couplings tie to it."""
    STEP = start(N, at.F_STEP)
    motor = -1
    for r in range(C[row_at.COUNT]):
        kind, impulse = C[int_of_row(C, row_at.C_KIND, r)], B[of_row(C, row_at.B_IMPULSE, r)]
        if kind > row_at.SERVO and impulse != 0.0:
            return
        left = B[of_row(C, row_at.B_HIGH, r)] - abs(impulse)
        if kind > row_at.TO_POSITION or B[of_row(C, row_at.B_RESPONSE, r)] <= 0.0 or left <= 0.0:
            continue
        if misses(F, B, C, r, STEP, MISSED):
            motor = r
    if motor >= 0 and C[row_at.BLOCKED] == 0 and contradict(F, B, C, CF, STEP, spare(N, at.F_XK)):
        C[row_at.BLOCKED] = -1 - C[int_of_row(C, row_at.C_LINE, motor)]
