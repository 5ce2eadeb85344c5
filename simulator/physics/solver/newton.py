"""Find the impulses of an island at once: Newton's method on which rows act, and how.

Wanted are impulses x and velocities v with H (v - v*) = J^T x, and for every row x = its bounds applied to x + (target
- J v) / w, where w is what its own impulse changes it by: the complementarity of contacts and motors, and Coulomb's
cone with the friction along the slip (Alart and Curnier, A mixed formulation for frictional contact problems prone to
Newton-like solution methods, 1991). What is inside its bounds asks for J v = target. What slips pushes with mu times
its normal impulse against the slip, whose direction turns with v.

Rows of contacts depend on each other, so each step of Newton solves them a little soft, w / FIRM, which makes it a step
of the proximal point algorithm (Rockafellar 1976) and with H + J^T (FIRM / w) J a system that is as sparse as H: its
cost grows with the bodies of a pile, not with the third power of its points. The residual is taken from the rows
themselves each time, so nothing soft is left at the end.

Where all at once goes round in circles between losses of couplings that stick and that slip, these change one after the
other. With the losses on straight pieces, those of a chain of gears are a linear complementarity. Of all that are not
right only the first changes in a step, by which principal pivoting ends where the solution is unique (Murty, Note on a
Bard-type scheme for solving the complementarity problem, 1974).

A blow passes through a train with play from flank to flank, and each step of Newton's method finds but the next flank
that pushes. So where a step gains little, meshes with play are relaxed one after the other along the train and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import is_open, rows_of_island
from simulator.physics.solver.descent import descend
from simulator.physics.solver.envelope import store_mass
from simulator.physics.solver.newton_step import ACTS, OFF, find_residual, newton_step
from simulator.physics.solver.rates import move_island, rate, size_of_island
from simulator.physics.solver.solve import SETTLED, STALLED, UNBOUNDED, relax, scale_of, solve

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import MassViews

STEPS, PATIENCE, HASTE, TRIES, MESHED, FEWER = 20, 8, 5, 4, 16, 2
"""Steps of Newton before they are helped on (`solver.descent`); steps in a row that bring nothing, of what rests and
of what moves; and how often they are helped, also with real couplings, and where nothing but contacts acts. What the
step before makes them begin with is given up first: it may be worse than nothing, where other points than before
touch."""
ENOUGH = 1e-7
"""Where bodies tumble, contacts take turns within a step, and no choice of who sticks holds to the last digit: what
lacks less than this part of the motion is good enough, once Newton's method brings no more. Beside motors and stops,
which would make energy of it, only where it brings no more from nothing either."""
WORSE, SHORTER, BACK = 2.0, 0.3, 4
"""A step after which rows lack more than so many times what they did is made shorter by that factor, so often."""
SWEEPS = 40
"""Sweeps that end the search on a moving island."""
SPREADS, SPREADING = 2, 20
"""How often Newton's method begins again from where so many sweeps lead."""
SPREAD = 0.1
"""A step after which rows lack more than that part of what they did has not found all flanks that push."""
STEADY = 0.05
"""A step after which rows lack as much less as after the one before, to that part of what is left over, is one of a
geometric sequence (Aitken's extrapolation leads to its end)."""
HOPELESS = 1e-9
"""Rows that lack the same after a step, to this part, though they do the same and none slips, push ever more against
each other: there are no such impulses."""
WEAK = 1e-9
"""Contacts without an impulse that are as near to their target as this [m/s] are taken to push at first: those of a
pile all do."""


@compiled
def solve_rows(m: MechanismViews, bounded: BoundedRows, CF: Floats2, vector: Floats, warm: bool) -> bool:
    """Impulses of all rows. Where there are contacts, islands are solved apart, from the impulses that are there where
    it is `warm`, else from none; without contacts, and where that does not settle, all rows together, from none."""
    if bounded.islands[0] > 0:
        for r in range(0 if warm else bounded.gathered[0]):
            bounded.impulse[r] = 0.0
        if solve_islands(m.mass, bounded, CF, vector):
            return True
    return solve(bounded, CF, vector, m.rows.scratch)


@compiled
def solve_islands(mass: MassViews, bounded: BoundedRows, CF: Floats2, vector: Floats) -> bool:
    """Impulses of all rows, from those that are there, and with them the vector, which is without them at first.
    False where an island does not settle: then the vector is what it was, and all impulses are gone."""
    settled = True
    for a in range(vector.shape[0]):
        bounded.unmoved[a] = vector[a]
    for r in range(bounded.gathered[0] if bounded.meshes > 0 else 0):
        bounded.free[r] = OFF  # losses slip where the impulses at hand say so, not those of another search
    scale = scale_of(bounded, vector, False)
    bounded.sweeps[0] = 0
    for island in range(bounded.islands[0]):
        if settled:
            settled = _solve_island(mass, bounded, CF, island, vector, scale)
    if not settled:
        for r in range(bounded.gathered[0]):
            bounded.impulse[r] = 0.0
        for a in range(vector.shape[0]):
            vector[a] = bounded.unmoved[a]
    return settled


@compiled
def _solve_island(
    mass: MassViews, bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float
) -> bool:
    first, last = rows_of_island(bounded, island)
    move_island(bounded, island, vector)
    # Rows of axes come first. Motors may contradict each other, which has to be found; contacts alone cannot.
    alone = bool(first == last or bounded.kind[bounded.row[first]] >= row_at.NORMAL)
    tolerated = 0.0 if _is_exact(bounded) else ENOUGH * _fastest(bounded, island, vector)
    enough = tolerated if alone else 0.0
    warm = _is_warm(bounded, first, last)
    least = _newton(mass, bounded, CF, island, vector, scale, enough)
    if least == 0.0 or (least == UNBOUNDED and not alone):
        return least == 0.0
    if bounded.meshes > 0 and pivot(bounded, CF, island, vector, scale):
        return True
    moves = alone and enough > STALLED
    _copy(bounded, first, last, bounded.impulse, bounded.best)
    # From another place: friction that Newton's method takes from one point to another and back is spread by sweeps.
    for _ in range(SPREADS if alone else 0):
        _sweep(bounded, CF, island, vector, enough, SPREADING)
        least = _try_again(mass, bounded, CF, island, vector, scale, enough, least)
        if least == 0.0:
            return True
    # What the last step left may be far from this one: once more from nothing, unless that was how it began; then
    # helped on by descents.
    tries = MESHED if bounded.meshes > 0 else 1 if least <= tolerated else TRIES
    for k in range(0 if moves else FEWER if alone else tries):
        if k > 0 or warm:
            for i in range(first, last if k == 0 else first):
                bounded.impulse[bounded.row[i]] = 0.0
            least = _try_again(mass, bounded, CF, island, vector, scale, enough, least)
            if least == 0.0 or (least == UNBOUNDED and not alone):
                return least == 0.0
        if least > tolerated:
            descend(bounded, CF, island, vector, SETTLED * scale)
    if alone or least <= tolerated:
        _copy(bounded, first, last, bounded.best, bounded.impulse)
    if alone:
        _sweep(bounded, CF, island, vector, enough, SWEEPS)
    move_island(bounded, island, vector)
    worst, _, _ = find_residual(bounded, CF, first, last, vector, 0.0, False)
    return bool(alone or worst <= max(STALLED * size_of_island(bounded, first, last, scale), tolerated))


@compiled
def _is_exact(bounded: BoundedRows) -> bool:
    """Whether impulses are wanted to rounding: with real couplings and bearings, whose bounds follow others."""
    return bool(bounded.meshes > 0 or bounded.bearings > 0)


@compiled
def _try_again(
    mass: MassViews,
    bounded: BoundedRows,
    CF: Floats2,
    island: int,
    vector: Floats,
    scale: float,
    enough: float,
    least: float,
) -> float:
    """Newton's method from the impulses that are there; BEST = what it leaves, where that lacks less than `least`;
    returns what is lacking then."""
    move_island(bounded, island, vector)
    lacks = _newton(mass, bounded, CF, island, vector, scale, enough)
    if 0.0 < lacks < least:
        first, last = rows_of_island(bounded, island)
        _copy(bounded, first, last, bounded.impulse, bounded.best)
    return lacks if lacks == UNBOUNDED else min(lacks, least)


@compiled
def _is_warm(bounded: BoundedRows, first: int, last: int) -> bool:
    """Whether any row of an island has an impulse to begin with."""
    warm = False
    for i in range(first, last):
        warm = warm or bounded.impulse[bounded.row[i]] != 0.0
    return warm


@compiled
def _fastest(bounded: BoundedRows, island: int, vector: Floats) -> float:
    """The largest number of the vector on an island."""
    fastest = 0.0
    for p in range(bounded.coordinates[island], bounded.coordinates[island + 1]):
        fastest = max(fastest, abs(vector[bounded.order[p]]))
    return fastest


@compiled
def _sweep(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, enough: float, most: int) -> None:
    """Better impulses by at most so many sweeps over an island's rows, from those that are there."""
    first, last = rows_of_island(bounded, island)
    move_island(bounded, island, vector)
    for _ in range(most):
        change = 0.0
        for i in range(first, last):
            change = max(change, relax(bounded, CF, bounded.row[i], vector, True))
        if change <= enough:
            break


@compiled
def _copy(bounded: BoundedRows, first: int, last: int, source: Floats, target: Floats) -> None:
    """A column of an island's rows into another."""
    for i in range(first, last):
        target[bounded.row[i]] = source[bounded.row[i]]


@compiled
def _newton(
    mass: MassViews, bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float, enough: float
) -> float:
    """Newton's method from the impulses that are there; leaves the best that it found, and returns what that lacks, 0
    where it is good enough: `enough` where it brings no more, and UNBOUNDED where it is seen that there are no impulses
    that are right."""
    (first, last) = rows_of_island(bounded, island)
    best = UNBOUNDED
    slow = 0
    size = scale
    before = UNBOUNDED
    shrinks = 0.0
    anew = True
    meshed = bounded.meshes > 0
    for step in range(STEPS):
        weak = WEAK * scale if step == 0 else 0.0
        worst, changed, _ = find_residual(bounded, CF, first, last, vector, weak, False)
        anew = anew or changed
        size = scale if worst <= SETTLED * scale else size_of_island(bounded, first, last, scale)
        # What stands in a coupling is to stand: there at least one step, which leaves rounding alone.
        if worst <= SETTLED * size and (step > 0 or not _is_exact(bounded)):
            return 0.0
        # Good enough, and halved no more: rows that depend on each other leave rounding.
        if best <= max(STALLED * size, enough) and worst > 0.5 * best:
            break
        if meshed and step > 0 and worst > SPREAD * before and _pass_on(bounded, CF, island, vector):
            worst, _, _ = find_residual(bounded, CF, first, last, vector, 0.0, False)
            anew = True
        if worst > WORSE * before:
            worst = _shorten(bounded, CF, island, vector, worst, WORSE * before)
            anew = True
        slow = 0 if worst < 0.5 * best else slow + 1
        if slow > (HASTE if enough > STALLED else PATIENCE):
            break
        worst, shrinks = _look_ahead(bounded, CF, island, vector, worst, before, 0.0 if anew else shrinks)
        if shrinks == 1.0 and worst > HOPELESS * size:
            return UNBOUNDED
        anew = anew or shrinks == 0.0
        before = worst
        if worst < best:
            best = worst
            _copy(bounded, first, last, bounded.impulse, bounded.centre)
        if step == 0 and bounded.stored[island] == 0:
            store_mass(mass, bounded, bounded.coordinates[island], bounded.coordinates[island + 1])
            bounded.stored[island] = 1
        bounded.sweeps[0] += 1
        if not newton_step(bounded, CF, island, anew):
            break
        anew = False
        move_island(bounded, island, vector)
    _copy(bounded, first, last, bounded.centre, bounded.impulse)
    move_island(bounded, island, vector)
    return 0.0 if best <= max(STALLED * size, enough) else best


@compiled
def _look_ahead(
    bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, worst: float, before: float, shrank: float
) -> tuple[float, float]:
    """Where steps of Newton's method that all do the same lack less by the same factor each, as the proximal point
    method does where what is to give way is softer than the rows, go to where they lead. What rows lack is `worst`, was
    `before` and `shrank` by that factor before, 0 where unknown; returns (what they lack now, the factor of this step,
    1 where they push against each other in vain, 0 where factors are to be found anew)."""
    shrinks = worst / before
    left = 1.0 - shrinks
    if shrank == 0.0 or not shrinks > 0.5:
        return worst, shrinks
    if abs(left) <= HOPELESS and abs(1.0 - shrank) <= HOPELESS:
        return worst, 1.0
    if left <= HOPELESS or abs(shrinks - shrank) > STEADY * left:
        return worst, min(shrinks, 1.0 - HOPELESS)
    (first, last) = rows_of_island(bounded, island)
    for way in (shrinks / left, -shrinks / left):
        for i in range(first, last):
            bounded.impulse[bounded.row[i]] += way * bounded.change[bounded.row[i]]
        move_island(bounded, island, vector)
        lacks, _, _ = find_residual(bounded, CF, first, last, vector, 0.0, False)
        if lacks < worst:
            break
    return min(lacks, worst), 0.0


@compiled
def _shorten(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, lacks: float, enough: float) -> float:
    """Go back along the last step until rows lack no more than `enough`, or to where they lack least of what was tried;
    returns what they lack there. After a step of Newton's method that leads far away from where rows are as it takes
    them to be, others would follow, round in a circle."""
    (first, last) = rows_of_island(bounded, island)
    share = 1.0
    least = lacks
    there = 1.0
    for k in range(BACK + 1):
        if least <= enough or (k == BACK and there == share):
            break
        wanted = SHORTER * share if k < BACK else there
        for i in range(first, last):
            bounded.impulse[bounded.row[i]] -= (share - wanted) * bounded.change[bounded.row[i]]
        share = wanted
        move_island(bounded, island, vector)
        lacks, _, _ = find_residual(bounded, CF, first, last, vector, 0.0, False)
        if lacks < least:
            least, there = lacks, share
    return least


@compiled
def _pass_on(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats) -> bool:
    """Relax meshes with play of an island one after the other, there and back; whether there are any. Which flanks push
    is passed on from one to the next, and a step of Newton's method finds but one more of them."""
    first, last = rows_of_island(bounded, island)
    found = False
    for i in range(2 * (last - first)):
        r = bounded.row[first + min(i, 2 * (last - first) - 1 - i)]
        if bounded.kind[r] == row_at.MESH and is_open(bounded, r):
            relax(bounded, CF, r, vector, True)
            found = True
    return found


PIVOTS = 400
"""Most steps; a chain of ten gears takes a few dozen."""


@compiled
def pivot(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float) -> bool:
    """Impulses of an island from those that are there, whose mass matrix is stored; whether they are right. Where what
    moves has no solution (`rows.meshes`), what jams has: then all losses begin by sticking."""
    first, last = rows_of_island(bounded, island)
    found = _pivot(bounded, CF, island, vector, scale)
    if not found:
        find_residual(bounded, CF, first, last, vector, 0.0, False)
        for i in range(first, last):
            if bounded.kind[bounded.row[i]] == row_at.LOSS:
                bounded.free[bounded.row[i]] = ACTS
                bounded.error[bounded.row[i]] = -rate(bounded, bounded.row[i], vector)
        if newton_step(bounded, CF, island, True):
            move_island(bounded, island, vector)
            found = _pivot(bounded, CF, island, vector, scale)
    return found


@compiled
def _pivot(bounded: BoundedRows, CF: Floats2, island: int, vector: Floats, scale: float) -> bool:
    """As `pivot`, from what losses do."""
    first, last = rows_of_island(bounded, island)
    worst = SETTLED
    least = 1.0 + scale
    size = scale
    slow = 0
    for _ in range(PIVOTS):
        worst, _, turned = find_residual(bounded, CF, first, last, vector, 0.0, True)
        size = size_of_island(bounded, first, last, scale)
        slow = 0 if turned or worst < 0.5 * least else slow + 1
        least = min(least, worst)
        bounded.sweeps[0] += 1
        if worst <= SETTLED * size or slow > 2 or not newton_step(bounded, CF, island, True):
            break
        move_island(bounded, island, vector)
    return bool(worst <= STALLED * size)
