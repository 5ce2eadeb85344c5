"""Dampers and springs that are faster than the step, as the mechanism moves now, are held implicitly.

**Which.** A damper d along a rate J v, or a spring k, is as fast as the inertia is small that the mechanism shows it
with its couplings and loops closed: the mobility W = J P H^-1 J^T, with P the projection onto K v = 0. Over a step t it
takes z = t d W of its speed, and it swings by t sqrt(k W) radians. Up to z = 1/2 the Runge-Kutta method errs by
z^5 / 120 of the speed in a step, and never by more than 3e-4 of what it began with; a spring of one radian a step loses
1 / 144 of its swing. What is held instead is of second order.

Several on one motion are faster than each of them. What counts is the greatest eigenvalue of sum t d P H^-1 J^T J (or
t^2 k) over all that are not held. It is estimated from below by the power method (Golub and Van Loan, Matrix
Computations, 8.2.1). The Runge-Kutta method is stable up to t d W = 2.78 and t^2 k W = 8, 5.6 and 8 of the units below.
Three iterations weigh an eigenvalue x by x^6: they take 5.6 for less than 2 only where the square of its part in what
they begin with is 1e-4 of the others'. One does as well where it finds a tenth.

**How.** Those of loop joints are rows of their own where there are bounded rows (`rows.rows`); what follows is for
steps without.

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
from simulator.physics.loops.solve import make_consistent, solve_mass
from simulator.physics.rows.entries import MOVABLE, add_axis_row, clear_row, dense_product, respond
from simulator.physics.tree.loads import spring_force, spring_length
from simulator.physics.tree.positions import add_effort, displace, position_of
from simulator.physics.tree.tree import place_nodes, potential_energy, rotate_inertias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.loops.views import LoopViews, MechanismViews
    from simulator.physics.tree.loads import LoadViews
    from simulator.physics.tree.views import EffortViews, StiffViews

STIFF = 0.5
"""Part of its speed, z, that a damper may take in a step before it is held."""
FAST = 1.0
"""Radians that a spring may swing in a step before it is held."""
TOGETHER = 2.0
"""How fast all that are not held may be together, in units of those limits."""
ITERATIONS = 3
SLOW = 0.1
"""What is found to be no faster after one iteration needs no more of them."""
GOLDEN = 0.6180339887498949
HALVINGS = 10
"""A thousandth of the limit: what is slower by itself is not held."""
DAMPERS, SPRINGS = 0, 1
SPRING_SHARE = 0.25


@compiled
def is_passive(efforts: EffortViews, loops: LoopViews, loads: LoadViews) -> int:
    """Whether anything is damped or sprung at all: bit 1 for joints of the tree, bit 2 for joints that close loops and
    between points."""
    damping = efforts.damping
    stiffness = efforts.stiffness
    found = 0
    for k in range(damping.shape[0]):
        if damping[k] != 0.0 or stiffness[k] != 0.0:
            found = 1
    if _is_any_passive(loops.passive) or _is_any_passive(loads.passive):
        found += 2
    return found


@compiled
def _is_any_passive(passive: Floats2) -> bool:
    """Whether any of these has damping or stiffness."""
    found = False
    for j in range(passive.shape[0]):
        found = found or passive[j, DAMPERS] != 0.0 or passive[j, SPRINGS] != 0.0
    return found


@compiled
def find_fast(m: MechanismViews, dt: float) -> None:
    """`faster` for `is_fast`: 0 where a step of `dt` [s] resolves all dampers, or all springs; needs a fresh
    `accelerate`."""
    stiff = m.stiff
    faster = stiff.faster
    rank = m.rows.rank[0]
    faster[DAMPERS] = faster[SPRINGS] = 0.0
    if is_passive(m.efforts, m.loops, m.loads) == 0:
        return
    shown = False
    for kind in range(2):
        if _speed_together(m, stiff, rank, dt, kind) <= 1.0:
            continue
        if not shown:
            _find_mobilities(m, stiff, rank)
            shown = True
        faster[kind] = 1.0
        for _ in range(HALVINGS):
            if _speed_together(m, stiff, rank, dt, kind) <= TOGETHER:
                break
            faster[kind] *= 2.0


@compiled
def is_fast(faster: Floats, dt: float, kind: int, constant: float, mobility: float) -> bool:
    """Whether a damper or spring of that constant is to be held, where the mechanism shows it that mobility."""
    return _speed(dt, kind, constant) * mobility * faster[kind] > 1.0


@compiled
def _speed(dt: float, kind: int, constant: float) -> float:
    """Of a damper or spring with the mobility 1, in units of the limit."""
    return dt * constant / STIFF if kind == DAMPERS else dt * dt * constant / (FAST * FAST)


@compiled
def _code(m: MechanismViews, i: int) -> int:
    """Of the freedom, loop axis or spring with number i of all."""
    freedoms = m.efforts.damping.shape[0]
    return i if i < freedoms else freedoms - 1 - i


@compiled
def _constant(m: MechanismViews, code: int, kind: int) -> float:
    """Damping or stiffness [SI]; of a spring with a table its slope, unless that falls: then it is not stiff."""
    if code >= 0:
        return m.efforts.damping[code] if kind == DAMPERS else m.efforts.stiffness[code]
    j = -1 - code
    axes = m.loops.passive.shape[0]
    if j < axes:
        return m.loops.passive[j, kind]
    constant = m.loads.passive[j - axes, kind]
    s = j - axes
    if kind == SPRINGS and constant != 0.0:
        constant = max(spring_force(m.loads, s, spring_length(m.loads, m.state, s))[1], 0.0)
    return constant


@compiled
def _find_mobilities(m: MechanismViews, stiff: StiffViews, rank: int) -> None:
    """Mobility of all that is damped or sprung."""
    for i in range(stiff.mobility.shape[0]):
        code = _code(m, i)
        stiff.mobility[i] = 0.0
        if _constant(m, code, DAMPERS) != 0.0 or _constant(m, code, SPRINGS) != 0.0:
            _find_row(m, code)
            stiff.mobility[i] = _mobility_along(m, rank)


@compiled
def mobility_of_coordinate(m: MechanismViews, rank: int, a: int) -> float:
    """Of an independent coordinate with couplings and loops closed."""
    clear_row(m.rows, m.loops.motion.shape[0] > 0)
    window = m.rows.window
    window[0] = min(window[0], m.mass.block_begin[a])
    window[1] = max(window[1], m.mass.block_end[a])
    m.rows.K[m.rows.spare, a] = 1.0
    return _mobility_along(m, rank)


@compiled
def _mobility_along(m: MechanismViews, rank: int) -> float:
    """J P H^-1 J^T of the dense row J."""
    row, x = m.rows.K[m.rows.spare, :], m.rows.scratch
    for a in range(m.rows.window[0], m.rows.window[1]):
        x[a] = row[a]
    alone = respond(m.mass, m.rows, x)
    mobility = dense_product(m.rows, x)
    return mobility if mobility > MOVABLE * alone else 0.0


@compiled
def _speed_together(m: MechanismViews, stiff: StiffViews, rank: int, dt: float, kind: int) -> float:
    """The greatest eigenvalue of P H^-1 R, R = sum of speed J^T J over all that `is_fast` does not hold, from below."""
    # Both are free while nothing is held.
    v, y = stiff.added, stiff.shift
    together = 0.0
    for iteration in range(ITERATIONS + 1):
        # y = R v, or at first something in which every J has a part of its own.
        _apply(m, stiff, dt, kind, iteration == 0)
        before = _product(v, y)
        for a in range(v.shape[0]):
            v[a] = y[a]
        solve_mass(m.mass, v)
        if m.rows.solved > 0:
            make_consistent(m.rows, rank, v)
        after = _product(v, y)
        if not after > 0.0:
            return together
        # Rayleigh's quotient in the metric of R: with x = P H^-1 R v it is v R x / v R v.
        if iteration > 0:
            together = max(together, after / before)
            if together < SLOW:
                break
        for a in range(v.shape[0]):
            v[a] /= math.sqrt(after)
    return together


@compiled
def _apply(m: MechanismViews, stiff: StiffViews, dt: float, kind: int, first: bool) -> None:
    """shift = R added; at `first` the sum of J^T sqrt(speed), each times a number of its own between 1 and 2."""
    v = stiff.added
    y = stiff.shift
    G = m.tree.G
    row = m.rows.K[m.rows.spare, :]
    for a in range(y.shape[0]):
        y[a] = 0.0
    for i in range(stiff.mobility.shape[0]):
        code = _code(m, i)
        constant = _constant(m, code, kind)
        speed = _speed(dt, kind, constant)
        if constant == 0.0 or is_fast(stiff.faster, dt, kind, constant, stiff.mobility[i]):
            continue
        factor = math.sqrt(speed) * (1.0 + (GOLDEN * i) % 1.0)
        if code >= 0:
            if not first:
                factor = 0.0
                for t in range(G.begin[code], G.begin[code + 1]):
                    factor += speed * G.value[t] * v[G.column[t]]
            add_effort(G, code, factor, y)
            continue
        _find_row(m, code)
        if not first:
            factor = speed * dense_product(m.rows, v)
        for a in range(m.rows.window[0], m.rows.window[1]):
            y[a] += row[a] * factor


@compiled
def _product(x: Floats, y: Floats) -> float:
    total = 0.0
    for a in range(x.shape[0]):
        total += x[a] * y[a]
    return total


@compiled
def hold_stiff(m: MechanismViews, dt: float, loops: bool) -> bool:
    """Hold dampers and springs for a step if `find_fast` has found some too fast for it; needs a fresh `accelerate`,
    and makes it stale then. `loops`: also those of joints that close loops.

    `stiff.added` is what the inertia grows by, `stiff.shift` how much later than half of the step the velocity counts;
    `release` takes all back.
    """
    stiff = m.stiff
    any_fast = stiff.faster[DAMPERS] != 0.0 or stiff.faster[SPRINGS] != 0.0
    if not any_fast or not _gather_held(m, stiff, dt, loops):
        return False
    rank = m.rows.rank[0]
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
def _is_held(m: MechanismViews, stiff: StiffViews, dt: float, kind: int, k: int) -> bool:
    """Whether the damper or spring of freedom k is, or of the loop axis that is counted behind them."""
    return is_fast(stiff.faster, dt, kind, _constant(m, _code(m, k), kind), stiff.mobility[k])


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
        code = _code(m, k)
        damping = _constant(m, code, DAMPERS)
        stiffness = _constant(m, code, SPRINGS)
        total = 0.0
        found = True
        _find_row(m, code)
        for a in range(m.rows.window[0], m.rows.window[1]):
            total += abs(row[a])
        for a in range(m.rows.window[0], m.rows.window[1]):
            # Gershgorin: G^T d G <= diag(|G_a| sum_b |G_b| d), for the difference is diagonally dominant.
            part = abs(row[a]) * total
            added[a] += part * damping if damped else 0.0
            shift[a] += part * stiffness if sprung else 0.0
    return found


@compiled
def _find_row(m: MechanismViews, code: int) -> None:
    """The dense row = J of a freedom, loop axis or spring over the coordinates."""
    clear_row(m.rows, m.loops.motion.shape[0] > 0)
    add_axis_row(m, code, 1.0)


@compiled
def _exchange(m: MechanismViews, stiff: StiffViews, dt: float, loops: bool) -> None:
    """The effort of dampers that are held goes into the loss, stays as it is, and `added` goes into the inertia."""
    freedoms = m.efforts.damping.shape[0]
    row = m.rows.K[m.rows.spare, :]
    for k in range(_axes(m, loops)):
        j = k - freedoms
        code = _code(m, k)
        damping = _constant(m, code, DAMPERS)
        stiff.exchanged[k] = damping
        if not _is_held(m, stiff, dt, DAMPERS, k):
            continue
        effort = -damping * (m.state.QD[k] if j < 0 else loop_axis_rate(m.loops, j))
        _find_row(m, code)
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
    total = potential_energy(tree, state, m.loads)
    for k in range(efforts.stiffness.shape[0]):
        if efforts.stiffness[k] != 0.0:
            stretch = position_of(tree.G, state.Q, k) - efforts.reference[k]
            total += 0.5 * efforts.stiffness[k] * stretch**2
    return total
