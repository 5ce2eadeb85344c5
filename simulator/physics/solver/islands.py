"""Islands of bounded rows: which coordinates feel each other through the mass matrix and through rows, in an order that
keeps factors thin.

Coordinates that the mass matrix or loops couple are a block (a loose body, a mechanism); blocks that a row touches
together are neighbours. Each island is numbered by breadth-first search from a block that is far from another (Cuthill
and McKee 1969; the start is that of Gibbs, Poole and Stockmeyer 1976), so that of each line of its matrix only the part
from its first neighbour to the diagonal is ever filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import j_begin
from simulator.physics.solver.envelope import find_ends, widen

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Ints
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.tree.views import MassViews


@compiled
def arrange_islands(mass: MassViews, bounded: BoundedRows) -> bool:
    """Find the islands of the rows that are gathered; False where their matrices need more room than there is. They are
    those of last time where rows have the same columns as then: what rests on something, or slides, often has."""
    if bounded.arranged[0] == bounded.gathered[0]:
        bounded.islands[0] = bounded.islands_then[0]
        for island in range(bounded.islands[0]):
            bounded.stored[island] = 0
        return True
    _join_blocks(mass.row.shape[0], bounded)
    islands, place = 0, 0
    for a in range(mass.row.shape[0]):
        if bounded.block[a] == a and bounded.island[a] == -1:
            end = _number(bounded, a, place, islands)
            end = _number(bounded, bounded.block[bounded.order[end - 1]], place, islands)
            bounded.coordinates[islands] = place
            bounded.stored[islands] = 0
            place = end
            islands += 1
    bounded.coordinates[islands], bounded.islands[0] = place, islands
    _sort_rows(bounded)
    fits = _lay_out(bounded, place)
    bounded.arranged[0] = bounded.gathered[0] if fits else -1
    bounded.islands_then[0] = islands
    return fits


@compiled
def _root(block: Ints, a: int) -> int:
    while block[a] != a:
        # Path halving (Tarjan and van Leeuwen 1984): the next search is half as long.
        block[a] = block[block[a]]
        a = block[a]
    return a


@compiled
def _join(block: Ints, a: int, b: int) -> None:
    mine, other = _root(block, a), _root(block, b)
    block[max(mine, other)] = min(mine, other)


@entry("motion")
def find_blocks(mass: MassViews, bounded: BoundedRows) -> None:
    """BLOCK: the first coordinate of the block of each; LINK lists the coordinates of a block. They are always the
    same, whatever rows there are."""
    block = bounded.block
    m = mass.row.shape[0]
    for a in range(m):
        block[a] = a
        for t in range(mass.begin[a], mass.begin[a + 1]):
            _join(block, a, mass.column[t])
        _join(block, a, mass.tied[a])
    for a in range(m):
        block[a] = _root(block, a)
        bounded.link[a] = -1
        if block[a] != a:
            bounded.link[bounded.first[block[a]]] = a
        bounded.first[block[a]] = a


@compiled
def _join_blocks(m: int, bounded: BoundedRows) -> None:
    """Edges between blocks that a row touches: HEAD of a block, then NEXT, is the place of an edge in TO. ISLAND
    becomes -1 of these, and -2 of all others."""
    edges = 0
    last_a, last_b = -1, -1
    for a in range(m):
        bounded.island[a], bounded.head[a] = -2, -1
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] >= row_at.TANGENT:  # with the columns of its normal
            continue
        before = -1
        for t in range(j_begin(bounded, r), bounded.J_end[r]):
            here = bounded.block[bounded.J_column[t]]
            if bounded.island[here] == -2:
                bounded.island[here] = -1
            # Points of one pair of bodies join the same two blocks one after the other: one edge is enough.
            new = before >= 0 and here != before and not (last_a == before and last_b == here)
            if new and edges + 2 <= 2 * bounded.kind.shape[0]:
                bounded.to[edges], bounded.next[edges], bounded.head[before] = here, bounded.head[before], edges
                bounded.to[edges + 1], bounded.next[edges + 1], bounded.head[here] = (
                    before,
                    bounded.head[here],
                    edges + 1,
                )
                edges = edges + 2
                last_a = before
                last_b = here
            before = here


@compiled
def _number(bounded: BoundedRows, begin: int, place: int, island: int) -> int:
    """Positions of an island's coordinates, from block `begin` outward; returns the position behind them."""
    again = bounded.island[begin] != -1  # then all of them are numbered anew
    mark = island if again else -3 - island
    end, here = place, place
    bounded.island[begin] = mark
    a = begin
    while a >= 0:
        bounded.order[end], bounded.position[a] = a, end
        end = end + 1
        a = bounded.link[a]
    # Breadth first; the last block that is reached is far from the first: numbered again from there, levels are thin.
    while here < end:
        a = bounded.order[here]
        here += 1
        if bounded.block[a] != a:
            continue
        edge = bounded.head[a]
        while edge >= 0:
            other = bounded.to[edge]
            if bounded.island[other] != mark:
                bounded.island[other] = mark
                while other >= 0:
                    bounded.order[end], bounded.position[other] = other, end
                    end = end + 1
                    other = bounded.link[other]
            edge = bounded.next[edge]
    return end


@compiled
def _sort_rows(bounded: BoundedRows) -> None:
    """Rows by island, in their order; those that move nothing are in none."""
    for s in range(bounded.islands[0] + 1):
        bounded.rows_begin[s] = 0
    for r in range(bounded.gathered[0]):
        s = island_of(bounded, r)
        if s >= 0:
            bounded.rows_begin[s + 1] += 1
    # Counting sort: how many, where each island begins, then every row to its place.
    for s in range(bounded.islands[0]):
        bounded.rows_begin[s + 1] += bounded.rows_begin[s]
    for r in range(bounded.gathered[0]):
        s = island_of(bounded, r)
        if s >= 0:
            bounded.row[bounded.rows_begin[s]] = r
            bounded.rows_begin[s] += 1
    for s in range(bounded.islands[0], 0, -1):
        bounded.rows_begin[s] = bounded.rows_begin[s - 1]
    bounded.rows_begin[0] = 0


@compiled
def island_of(bounded: BoundedRows, r: int) -> int:
    """The island of a row; -1 where it moves nothing."""
    begin = j_begin(bounded, r)
    found = -1
    if begin < bounded.J_end[r]:
        block = bounded.block[bounded.J_column[begin]]
        found = bounded.island[block]
    return found


@compiled
def _lay_out(bounded: BoundedRows, count: int) -> bool:
    """BEGIN: where the block of each line begins; FIRST, LAST: where each line of the matrices begins and ends if all
    rows act; OFFSET: entry (i, j) is at OFFSET of i, plus j; and the positions of entries of J. False where there is no
    room."""
    first = bounded.first
    last = bounded.last
    for p in range(count):
        first[p] = bounded.begin[p] = bounded.position[bounded.block[bounded.order[p]]]
    for t in range(j_begin(bounded, bounded.gathered[0])):
        bounded.J_position[t] = bounded.position[bounded.J_column[t]]
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] < row_at.TANGENT:
            widen(bounded, r, first)
    find_ends(first, last, 0, count)
    total = 0
    for p in range(count):
        bounded.offset[p] = total - first[p]
        total += last[p] - first[p] + 1
    bounded.matrix_wanted[0] = total
    return bool(total <= bounded.matrix.shape[0])
