"""Accelerations, and whole steps.

Integrators: semi-implicit Euler; the classical Runge-Kutta of order four on positions and velocities; the implicit
midpoint rule by fixed-point iteration. After each step positions and velocities are projected onto the loops
(`motion.projection`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import clear
from simulator.physics.layout import buffers as at
from simulator.physics.loops.flow import add_powers, does_work
from simulator.physics.loops.loops import add_loop_axis_efforts, find_rows, follow_curves, move_with_loops
from simulator.physics.loops.mass import add_rotor_efforts, find_mass
from simulator.physics.loops.solve import (
    LEAST,
    apply_rows,
    factor_inertia,
    factor_loops,
    solve_mass,
)
from simulator.physics.motion.planar import (
    gather_in_plane,
    is_in_plane,
    move_in_plane,
    place_nodes_in_plane,
    rows_in_plane,
)
from simulator.physics.motion.projection import SWEEPS, is_singular, project, reach_of_step
from simulator.physics.rows.cables import follow_cables, let_cables_go
from simulator.physics.rows.stiff import find_fast, hold_stiff, is_passive, release
from simulator.physics.tree.loads import end_step, set_stage
from simulator.physics.tree.positions import add_effort, normalize, position_of, position_rates, turn_free
from simulator.physics.tree.tree import find_bias, move_nodes, place_nodes, rotate_inertias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.loops.views import LoopViews, MechanismViews, RowViews
    from simulator.physics.tree.views import CouplingViews, EffortViews, MassViews, StageViews, StateViews

EULER, RK4, MIDPOINT = 0, 1, 2
CAREFUL = 0.02
"""Below this part of the usual least pivot a singular position is near: a seventh of the usual singular value."""
MIDPOINT_SWEEPS = 60
MIDPOINT_DONE = 1e-14


@entry("motion")
def accelerate(m: MechanismViews) -> None:
    """DV: acceleration of the independent coordinates at Q, V under TAU, damping, springs, gravity and loops."""
    accelerate_from(m, False)


@compiled
def accelerate_from(m: MechanismViews, fresh: bool) -> None:
    """As `accelerate`; `fresh`: poses, velocities and inertias are those of the present state already."""
    tree, state = m.tree, m.state
    loops, rows = m.loops, m.rows
    _gather_in_space(m, fresh)
    _sum_efforts(m)
    # Without loops: H a0 = efforts - bias.
    solve_mass(m.mass, state.DV)
    if rows.solved > 0:
        find_rows(tree, state, loops, rows, True)
        _hold_loops(m.mass, rows, state.DV)


@compiled
def accelerate_under(m: MechanismViews, added: Floats) -> None:
    """DV, and the multipliers of loops, at the factors and rows that `accelerate` has left, under efforts besides."""
    DV = m.state.DV
    _sum_efforts(m)
    for a in range(DV.shape[0]):
        DV[a] += added[a]
    solve_mass(m.mass, DV)
    if m.rows.solved > 0:
        _keep_closed(m.rows, m.rows.rank[0], DV)


@compiled
def _sum_efforts(m: MechanismViews) -> None:
    """DV = all efforts on the coordinates, rotors' included."""
    tree, state, loops, rows = m.tree, m.state, m.loops, m.rows
    reduce_efforts(tree.G, state, m.efforts)
    if loops.node.shape[0] > 0:
        add_loop_axis_efforts(tree, state, loops, rows)
        add_rotor_efforts(tree, state, loops, rows)


@compiled
def _gather_in_space(m: MechanismViews, fresh: bool) -> None:
    """BIAS and the factors of H; `fresh`: at poses, velocities and inertias that are up to date."""
    tree, state = m.tree, m.state
    follow_curves(m)
    if not fresh:
        place_nodes(tree, state, tree.active)
        move_nodes(tree, state, tree.active)
        rotate_inertias(tree, state, tree.active)
    find_bias(tree, state, m.loads)
    move_with_loops(m)
    if m.cables.begin.shape[0] > 1:
        follow_cables(m)
    find_mass(m)
    factor_inertia(m.mass)


@compiled
def _gather(m: MechanismViews) -> None:
    """As `_gather_in_space`, in the plane where that is enough."""
    tree, state = m.tree, m.state
    if not is_in_plane(tree, m.loops):
        _gather_in_space(m, False)
        return
    plane, mass = m.plane, m.mass
    place_nodes_in_plane(tree, state, plane)
    move_in_plane(tree, state, plane)
    gather_in_plane(tree, state, plane, mass)
    factor_inertia(mass)


@compiled
def _hold_loops(mass: MassViews, rows: RowViews, x: Floats) -> None:
    """Accelerations x of the coordinates made to satisfy K x = rhs."""
    rank = factor_loops(mass, rows)
    rows.rank[0] = rank
    rows.least_rank[0] = min(rows.least_rank[0], rank)
    _keep_closed(rows, rank, x)


@compiled
def _keep_closed(rows: RowViews, rank: int, x: Floats) -> None:
    """`_hold_loops` with the factors at hand."""
    # lambda from K (a0 + H^-1 K^T lambda) = rhs, whose right-hand side is what a0 lacks.
    for r in range(rows.solved):
        total = rows.rhs[r]
        for a in range(x.shape[0]):
            total -= rows.K[r, a] * x[a]
        rows.multiplier[r] = total
    apply_rows(rows, rank, x)


@compiled
def evaluate(m: MechanismViews) -> None:
    """As `accelerate`, in the plane where that is enough; nothing of the bodies in space is up to date then."""
    tree = m.tree
    state = m.state
    loops = m.loops
    rows = m.rows
    if not is_in_plane(tree, loops):
        accelerate_from(m, False)
        return
    mass = m.mass
    _gather(m)
    reduce_efforts(tree.G, state, m.efforts)
    solve_mass(mass, state.DV)
    if rows.solved > 0:
        rows_in_plane(tree, m.plane, loops, rows, True)
        _hold_loops(mass, rows, state.DV)


@compiled
def reduce_efforts(G: CouplingViews, state: StateViews, efforts: EffortViews) -> None:
    """DV = G^T (given + passive - bias) + drive + loss: efforts on the coordinates, by virtual power."""
    for a in range(state.DV.shape[0]):
        state.DV[a] = efforts.drive[a] + efforts.loss[a]
    for k in range(state.DV.shape[0] if G.is_identity else state.QD.shape[0]):
        effort = efforts.given[k] - state.bias[k] - efforts.damping[k] * state.QD[k]
        if efforts.stiffness[k] != 0.0:
            effort -= efforts.stiffness[k] * (position_of(G, state.Q, k) - efforts.reference[k])
        if G.is_identity:
            state.DV[k] += effort
        elif effort != 0.0:  # none acts on plays of couplings
            add_effort(G, k, effort, state.DV)


# -- integrators -------------------------------------------------------------------------------------------------------


@compiled
def _euler(m: MechanismViews, dt: float) -> None:
    tree, state = m.tree, m.state
    _mark_start(state, m.stages)
    evaluate(m)
    for a in range(state.V.shape[0]):
        state.V[a] += dt * state.DV[a]
    position_rates(tree, state.Q, state.V, state.DQ)
    for c in range(state.Q.shape[0]):
        state.Q[c] += dt * state.DQ[c]


@compiled
def rk4(m: MechanismViews, dt: float, fresh: bool) -> None:
    """One step of the classical method; `fresh`: DV is known at the start already, and the loss of free joints keeps
    its direction in space while they turn. Flow: work done by efforts, energy taken by damping and loss, and work done
    by loads in this step [J], integrated by the same method."""
    tree = m.tree
    state = m.state
    stages = m.stages
    efforts = m.efforts
    loops = m.loops
    loads = m.loads
    clear(stages.flow)
    _mark_start(state, stages)
    clear(stages.Q_sum)
    clear(stages.V_sum)
    flows = does_work(efforts, loops, loads)
    careful = _is_near(m.rows)
    # k1 at 0, k2 and k3 at dt / 2, k4 at dt, weights 1, 2, 2, 1 (Hairer, Norsett, Wanner, Solving Ordinary
    # Differential Equations I, II.1).
    for stage in range(4):
        set_stage(m.loads, dt, 0.5 * ((stage + 1) // 2))
        if stage > 0 or not fresh:
            if careful and stage > 0:
                # In the metric of this position, not of the stage before: one field for all stages keeps the order.
                _gather(m)
                if m.cables.begin.shape[0] > 1:
                    let_cables_go(m)
                project(m, SWEEPS, reach_of_step(m))
            if fresh:
                turn_free(tree, efforts.loss, state.Q, True)
                if stage != 2:
                    _grow_efforts(efforts, loops, 0.5 * dt)
            evaluate(m)
        position_rates(tree, state.Q, state.V, state.DQ)
        weight = 2.0 if stage in (1, 2) else 1.0
        if flows:
            add_powers(state, efforts, loops, loads, stages.flow, weight * dt / 6.0)
        if fresh:
            if m.cables.begin.shape[0] > 1:
                let_cables_go(m)
            turn_free(tree, efforts.loss, state.Q, False)
        _add_scaled(stages.Q_sum, weight, state.DQ)
        _add_scaled(stages.V_sum, weight, state.DV)
        if stage < 3:
            _leave_start(state, stages, state.DQ, state.DV, 0.5 * dt if stage < 2 else dt)
    _leave_start(state, stages, stages.Q_sum, stages.V_sum, dt / 6.0)


@compiled
def _grow_efforts(efforts: EffortViews, loops: LoopViews, time: float) -> None:
    """Efforts of drives and losses become those of `time` [s] later in the step."""
    for a in range(efforts.drive.shape[0]):
        efforts.drive[a] += time * efforts.drive_slope[a]
        efforts.loss[a] += time * efforts.loss_slope[a]
    for j in range(loops.drive.shape[0]):
        loops.drive[j] += time * loops.drive_slope[j]
        loops.loss[j] += time * loops.loss_slope[j]


@compiled
def _add_scaled(x: Floats, factor: float, y: Floats) -> None:
    for a in range(x.shape[0]):
        x[a] += factor * y[a]


@compiled
def _is_near(rows: RowViews) -> bool:
    """Whether the loops are so near a singular position that each stage has to be on them: off them the accelerations
    have a pole there."""
    rows.pivot[at.USUAL] = max(rows.pivot[at.USUAL], rows.pivot[LEAST])
    return rows.solved > rows.guides and rows.pivot[LEAST] < CAREFUL * rows.pivot[at.USUAL]


@compiled
def _mark_start(state: StateViews, stages: StageViews) -> None:
    """Q0, V0 = Q, V."""
    for c in range(state.Q.shape[0]):
        stages.Q0[c] = state.Q[c]
    for a in range(state.V.shape[0]):
        stages.V0[a] = state.V[a]


@compiled
def _leave_start(state: StateViews, stages: StageViews, rates: Floats, accelerations: Floats, dt: float) -> None:
    """Q, V = Q0, V0 and `dt` times those rates and accelerations."""
    for c in range(state.Q.shape[0]):
        state.Q[c] = stages.Q0[c] + dt * rates[c]
    for a in range(state.V.shape[0]):
        state.V[a] = stages.V0[a] + dt * accelerations[a]


@compiled
def _midpoint(m: MechanismViews, dt: float) -> None:
    """q1 = q0 + dt N(q_m) v_m, v1 = v0 + dt a(q_m, v_m) at the midpoint, found by fixed-point sweeps."""
    tree = m.tree
    state = m.state
    stages = m.stages
    _mark_start(state, stages)
    # Contracts while dt times the Lipschitz constant is below 2: steps that resolve the motion need ten or so.
    for _ in range(MIDPOINT_SWEEPS):
        evaluate(m)
        position_rates(tree, state.Q, state.V, state.DQ)
        change = max(_go_half(state.Q, stages.Q0, state.DQ, 0.5 * dt), _go_half(state.V, stages.V0, state.DV, 0.5 * dt))
        if change < MIDPOINT_DONE:
            break
    _leave_start(state, stages, state.DQ, state.DV, dt)


@compiled
def _go_half(x: Floats, begin: Floats, rate: Floats, half: float) -> float:
    """x = begin + half rate; returns its largest change, relative where it is above one."""
    change = 0.0
    for c in range(x.shape[0]):
        new = begin[c] + half * rate[c]
        change = max(change, abs(new - x[c]) / (1.0 + abs(new)))
        x[c] = new
    return change


@compiled
def _hold_and_rk4(m: MechanismViews, dt: float) -> None:
    """One step of the classical method, with what is too stiff for it held."""
    passive = is_passive(m.efforts, m.loops, m.loads)
    if passive == 0:
        rk4(m, dt, False)
        return
    if passive == 1:
        evaluate(m)
    else:
        accelerate_from(m, False)
    # The pivot of the mechanism itself judges how near a singular position is, not that with the added inertia.
    pivot = m.rows.pivot
    own = pivot[LEAST]
    find_fast(m, dt)
    held = hold_stiff(m, dt, True)
    if held:
        evaluate(m)
        pivot[LEAST] = own
    rk4(m, dt, True)
    if held:
        release(m, dt, True)
        clear(m.efforts.loss)


@entry("motion", long=True)
def advance(m: MechanismViews, dt: float, steps: int, method: int) -> float:
    """`steps` steps of `dt` [s] with TAU held; returns the largest loop residual that a projection met, or minus one
    less than it where active rows came to depend on each other. Stops at a singular position: LEFT is how many steps
    are left."""
    rows = m.rows
    worst = 0.0
    rows.least_rank[0] = rows.solved
    left = steps
    while left > 0:
        left -= 1
        set_stage(m.loads, dt, 0.5 if method == MIDPOINT else 0.0)
        if method == RK4:
            _hold_and_rk4(m, dt)
        elif method == EULER:
            _euler(m, dt)
        else:
            _midpoint(m, dt)
        end_step(m.loads, dt)
        normalize(m.tree, m.state.Q)
        # What the projection meets is the drift of one step; what is left after it is round-off.
        if rows.solved > 0:
            worst = max(worst, project(m, SWEEPS, reach_of_step(m)))
        if not rows.is_parked and is_singular(m.state, rows, dt):
            rows.least_rank[0] = min(rows.least_rank[0], rows.solved - 1)
            break
    m.stages.left[0] = left
    return worst if rows.least_rank[0] >= rows.solved else -1.0 - worst
