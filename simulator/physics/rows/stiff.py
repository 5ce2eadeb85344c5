"""Dampers and springs that are faster than the step (`rows.fast` says which) are held implicitly.

Those of loop joints are rows of their own where there are bounded rows (`rows.rows`); what is said here of them is
for steps without.

A damper alone obeys h v' = f - d v. Over a step t in which f is constant that ends at v1 = v0 + t a with

    (h + t d s(z)) a = f - d v0,    z = t d / h,    s(z) = 1 / (1 - exp(-z)) - 1 / z,

which is the exponential itself (the first exponential Rosenbrock method: Hochbruck and Ostermann, Acta Numerica 19,
2010, 2.3): s is 1/2 where the step resolves the damper and goes to 1, implicit Euler, where it does not. So the damping
effort is held at what it is at the start of the step, and t d s is added to the inertia. The position moves by t v0 +
t^2 s a instead of t v0 + t^2 a / 2. In several coordinates 1 / h is
the mobility that the coordinate shows with couplings and loops closed: then s is nowhere below what a combined motion
needs (s >= 1/2 is enough for stability), and the sparsity of H stays. Dampers on loop joints, J^T d J, are bounded by
the diagonal |J_a| sum |J_b| d, which is not less.

A spring that is held has t^2 k / 4 added to its inertia, before dampers are judged: it swings at two radians a
step, which the Runge-Kutta method damps. One freedom is stable with any damper and spring (the largest eigenvalue of
the step is never above 1). What is added is no inertia of the mechanism: the energy in it is given back to what dampers
take.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.loops.flow import TAKEN
from simulator.physics.loops.loops import loop_axis_rate
from simulator.physics.rows.axis_rows import add_axis_row
from simulator.physics.rows.entries import clear_row
from simulator.physics.rows.fast import DAMPERS, SPRINGS, is_fast, mobility_of_coordinate
from simulator.physics.tree.positions import displace, position_of
from simulator.physics.tree.tree import place_nodes, potential_energy, rotate_inertias

if TYPE_CHECKING:
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import StiffViews

SPRING_SHARE = 0.25


@compiled
def hold_stiff(m: MechanismViews, dt: float, loops: bool) -> bool:
    """Hold dampers and springs for a step if `find_fast` has found some too fast for it; needs a fresh `accelerate`,
    and makes it stale then. `loops`: also those of joints that close loops.

    `stiff.added` is what the inertia grows by, `stiff.shift` how much later than half of the step the velocity counts;
    `release` takes all back.
    """
    faster = m.stiff.faster
    if faster[DAMPERS] == 0.0 and faster[SPRINGS] == 0.0:
        return False
    return _hold(m, m.stiff, m.rows.rank[0], dt, loops)


@compiled
def _hold(m: MechanismViews, stiff: StiffViews, rank: int, dt: float, loops: bool) -> bool:
    """As `hold_stiff`, of those that are too fast; the factors of the rows of loops have that rank."""
    if not _gather_held(m, stiff, dt, loops):
        return False
    added, shift = stiff.added, stiff.shift
    for a in range(added.shape[0]):
        damper, spring = added[a], shift[a]
        added[a] = shift[a] = 0.0
        if damper == 0.0 and spring == 0.0:
            continue
        mobility = mobility_of_coordinate(m, rank, a)
        added[a] = SPRING_SHARE * dt * dt * spring
        # The damper is judged with the inertia that the spring has added: 1 / (h + t^2 k / 4).
        mobility /= 1.0 + SPRING_SHARE * dt * dt * spring * mobility
        if damper > 0.0:
            share = _implicit_share(dt * damper * mobility)
            added[a] += dt * damper * share
            shift[a] = share - 0.5
    _exchange(m, stiff, dt, loops)
    return True


@compiled
def _implicit_share(z: float) -> float:
    """s(z); its series where the difference would lose digits."""
    if z < 1e-2:
        return 0.5 + z / 12.0
    return 1.0 / (1.0 - math.exp(-z)) - 1.0 / z


@compiled
def _axes(m: MechanismViews, loops: bool) -> int:
    """How many freedoms of the tree, and where these count axes of loop joints, there are together."""
    return m.efforts.damping.shape[0] + (m.loops.passive.shape[0] if loops else 0)


@compiled
def _constant(m: MechanismViews, k: int, kind: int) -> float:
    """Damping or stiffness of freedom k, or of the loop axis that is counted behind them."""
    j = k - m.efforts.damping.shape[0]
    if j >= 0:
        return m.loops.passive[j, kind]
    return m.efforts.damping[k] if kind == DAMPERS else m.efforts.stiffness[k]


@compiled
def _is_held(m: MechanismViews, stiff: StiffViews, dt: float, kind: int, k: int) -> bool:
    """Whether the damper or spring of freedom k is, or of the loop axis that is counted behind them."""
    return is_fast(stiff.faster, dt, kind, _constant(m, k, kind), stiff.mobility[k])


@compiled
def _gather_held(m: MechanismViews, stiff: StiffViews, dt: float, loops: bool) -> bool:
    """added = damping and shift = stiffness of every independent coordinate, at least what G^T d G and J^T d J have, of
    all that is held; whether anything is."""
    added = stiff.added
    shift = stiff.shift
    row = m.rows.K[m.rows.spare, :]
    found = False
    for a in range(added.shape[0]):
        added[a] = shift[a] = 0.0
    for k in range(_axes(m, loops)):
        damped, sprung = _is_held(m, stiff, dt, DAMPERS, k), _is_held(m, stiff, dt, SPRINGS, k)
        if not damped and not sprung:
            continue
        damping = _constant(m, k, DAMPERS)
        stiffness = _constant(m, k, SPRINGS)
        total = 0.0
        found = True
        _find_row(m, k)
        for a in range(m.rows.window[0], m.rows.window[1]):
            total += abs(row[a])
        for a in range(m.rows.window[0], m.rows.window[1]):
            # Gershgorin: G^T d G <= diag(|G_a| sum_b |G_b| d), for the difference is diagonally dominant.
            part = abs(row[a]) * total
            added[a] += part * damping if damped else 0.0
            shift[a] += part * stiffness if sprung else 0.0
    return found


@compiled
def _find_row(m: MechanismViews, k: int) -> None:
    """The dense row = J of freedom k, or of the loop axis that is counted behind them, over the coordinates."""
    freedoms = m.efforts.damping.shape[0]
    clear_row(m.rows, m.loops.motion.shape[0] > 0)
    add_axis_row(m, k if k < freedoms else freedoms - 1 - k, 1.0)


@compiled
def _exchange(m: MechanismViews, stiff: StiffViews, dt: float, loops: bool) -> None:
    """The effort of dampers that are held goes into the loss, stays as it is, and `added` goes into the inertia."""
    freedoms = m.efforts.damping.shape[0]
    row = m.rows.K[m.rows.spare, :]
    for k in range(_axes(m, loops)):
        j = k - freedoms
        damping = _constant(m, k, DAMPERS)
        stiff.exchanged[k] = damping
        if not _is_held(m, stiff, dt, DAMPERS, k):
            continue
        effort = -damping * (m.state.QD[k] if j < 0 else loop_axis_rate(m.loops, j))
        _find_row(m, k)
        for a in range(m.rows.window[0], m.rows.window[1]):
            m.efforts.loss[a] += row[a] * effort
        if j < 0:
            m.efforts.damping[k] = 0.0
        else:
            m.loops.passive[j, DAMPERS] = 0.0
    _grow(m, stiff, 1.0)


@compiled
def _grow(m: MechanismViews, stiff: StiffViews, sign: float) -> None:
    """The inertia of each coordinate grows by sign times what is added."""
    for a in range(stiff.added.shape[0]):
        m.mass.constant[m.mass.row[a] + a] += sign * stiff.added[a]


@compiled
def release(m: MechanismViews, dt: float, loops: bool) -> None:
    """After the step, before projection: positions get what dampers did within the step, everything is as it was before
    `hold_stiff`.

    What the added inertia holds is booked, and what weights and springs do while positions get it: the energy taken
    grows by ½ added (v1^2 - v0^2) - dU.
    """
    stiff, stages, state = m.stiff, m.stages, m.state
    freedoms = m.efforts.damping.shape[0]
    _grow(m, stiff, -1.0)
    for k in range(freedoms):
        m.efforts.damping[k] = stiff.exchanged[k]
    for j in range(m.loops.passive.shape[0] if loops else 0):
        m.loops.passive[j, DAMPERS] = stiff.exchanged[freedoms + j]
    for a in range(stiff.added.shape[0]):
        before, after = stages.V0[a], state.V[a]
        # t^2 s a instead of t^2 a / 2, with t a = v1 - v0.
        state.step[a] = dt * stiff.shift[a] * (after - before)
        stages.flow[TAKEN] += 0.5 * stiff.added[a] * (after * after - before * before)
    before = stored_by_bodies(m)
    displace(m.tree, state)
    stages.flow[TAKEN] += before - stored_by_bodies(m)


@compiled
def stored_by_bodies(m: MechanismViews) -> float:
    """Potential energy of weights and of springs in the tree [J] at the present positions."""
    tree = m.tree
    state = m.state
    efforts = m.efforts
    place_nodes(tree, state, tree.order.shape[0])
    rotate_inertias(tree, state, tree.order.shape[0])
    total = potential_energy(m.F, m.N)
    for k in range(efforts.stiffness.shape[0]):
        if efforts.stiffness[k] != 0.0:
            stretch = position_of(tree.G, state.Q, k) - efforts.reference[k]
            total += 0.5 * efforts.stiffness[k] * stretch**2
    return total
