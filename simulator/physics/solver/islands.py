"""Islands of bounded rows: which coordinates feel each other through the mass matrix and through rows, in an order that
keeps factors thin.

Coordinates that the mass matrix or loops couple are a block (a loose body, a mechanism); blocks that a row touches
together are neighbours. Each island is numbered by breadth-first search from a block that is far from another (Cuthill
and McKee 1969; the start is that of Gibbs, Poole and Stockmeyer 1976), so that of each line of its matrix only the part
from its first neighbour to the diagonal is ever filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import (
    int_of_row,
    island_column,
    j_begin,
    j_entries,
    j_positions,
    row_list,
)
from simulator.physics.layout.views import int_start
from simulator.physics.solver.envelope import find_ends, widen

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Ints


@compiled
def arrange_islands(N: Ints, C: Ints) -> bool:
    """Find the islands of the rows that are gathered; False where their matrices need more room than there is. They are
    those of last time where rows have the same columns as then: what rests on something, or slides, often has."""
    if C[row_at.ARRANGED] == C[row_at.COUNT]:
        C[row_at.ISLANDS] = C[row_at.ISLANDS_THEN]
        for island in range(C[row_at.ISLANDS]):
            C[island_column(C, row_at.I_STORED) + island] = 0
        return True
    if C[row_at.BLOCKS] == 0:
        _find_blocks(N, C)
    _join_blocks(N, C)
    islands, place = 0, 0
    block, island = island_column(C, row_at.I_BLOCK), island_column(C, row_at.I_ISLAND)
    begins, stored = island_column(C, row_at.I_COORDINATES), island_column(C, row_at.I_STORED)
    for a in range(N[at.INDEPENDENT]):
        if C[block + a] == a and C[island + a] == -1:
            end = _number(C, a, place, islands)
            end = _number(C, C[block + C[island_column(C, row_at.I_ORDER) + end - 1]], place, islands)
            C[begins + islands] = place
            C[stored + islands] = 0
            place = end
            islands += 1
    C[begins + islands], C[row_at.ISLANDS] = place, islands
    _sort_rows(C)
    fits = _lay_out(C, place)
    C[row_at.ARRANGED] = C[row_at.COUNT] if fits else -1
    C[row_at.ISLANDS_THEN] = islands
    return fits


@compiled
def _root(C: Ints, block: int, a: int) -> int:
    while C[block + a] != a:
        # Path halving (Tarjan and van Leeuwen 1984): the next search is half as long.
        C[block + a] = C[block + C[block + a]]
        a = C[block + a]
    return a


@compiled
def _join(C: Ints, block: int, a: int, b: int) -> None:
    mine, other = _root(C, block, a), _root(C, block, b)
    C[block + max(mine, other)] = min(mine, other)


@compiled
def _find_blocks(N: Ints, C: Ints) -> None:
    """BLOCK: the first coordinate of the block of each; LINK lists the coordinates of a block. They are always the
    same."""
    block = island_column(C, row_at.I_BLOCK)
    m = N[at.INDEPENDENT]
    lptr = int_start(N, at.I_LPTR)
    lcol = int_start(N, at.I_LCOL)
    tied = int_start(N, at.I_TIED)
    for a in range(m):
        C[block + a] = a
        for t in range(N[lptr + a], N[lptr + a + 1]):
            _join(C, block, a, N[lcol + t])
        _join(C, block, a, N[tied + a])
    link, last = island_column(C, row_at.I_LINK), island_column(C, row_at.I_FIRST)
    for a in range(m):
        C[block + a] = _root(C, block, a)
        C[link + a] = -1
        if C[block + a] != a:
            C[link + C[last + C[block + a]]] = a
        C[last + C[block + a]] = a
    C[row_at.BLOCKS] = 1


@compiled
def _join_blocks(N: Ints, C: Ints) -> None:
    """Edges between blocks that a row touches: HEAD of a block, then NEXT, is the place of an edge in TO. ISLAND
    becomes -1 of these, and -2 of all others."""
    block = island_column(C, row_at.I_BLOCK)
    island = island_column(C, row_at.I_ISLAND)
    head = island_column(C, row_at.I_HEAD)
    jc = j_entries(C)[1]
    following = row_list(C, row_at.R_NEXT)
    to = row_list(C, row_at.R_TO)
    edges = 0
    last_a, last_b = -1, -1
    for a in range(N[at.INDEPENDENT]):
        C[island + a], C[head + a] = -2, -1
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] >= row_at.TANGENT:  # with the columns of its normal
            continue
        before = -1
        for t in range(j_begin(C, r), C[int_of_row(C, row_at.C_JEND, r)]):
            here = C[block + C[jc + t]]
            if C[island + here] == -2:
                C[island + here] = -1
            # Points of one pair of bodies join the same two blocks one after the other: one edge is enough.
            new = before >= 0 and here != before and not (last_a == before and last_b == here)
            if new and edges + 2 <= 2 * C[row_at.ROW_ROOM]:
                C[to + edges], C[following + edges], C[head + before] = here, C[head + before], edges
                C[to + edges + 1], C[following + edges + 1], C[head + here] = before, C[head + here], edges + 1
                edges = edges + 2
                last_a = before
                last_b = here
            before = here


@compiled
def _number(C: Ints, begin: int, place: int, island: int) -> int:
    """Positions of an island's coordinates, from block `begin` outward; returns the position behind them."""
    order, position = island_column(C, row_at.I_ORDER), island_column(C, row_at.I_POSITION)
    isle = island_column(C, row_at.I_ISLAND)
    link = island_column(C, row_at.I_LINK)
    head = island_column(C, row_at.I_HEAD)
    following, to = row_list(C, row_at.R_NEXT), row_list(C, row_at.R_TO)
    again = C[isle + begin] != -1  # then all of them are numbered anew
    mark = island if again else -3 - island
    end, here = place, place
    C[isle + begin] = mark
    a = begin
    while a >= 0:
        C[order + end], C[position + a] = a, end
        end = end + 1
        a = C[link + a]
    block = island_column(C, row_at.I_BLOCK)
    # Breadth first; the last block that is reached is far from the first: numbered again from there, levels are thin.
    while here < end:
        a = C[order + here]
        here += 1
        if C[block + a] != a:
            continue
        edge = C[head + a]
        while edge >= 0:
            other = C[to + edge]
            if C[isle + other] != mark:
                C[isle + other] = mark
                while other >= 0:
                    C[order + end], C[position + other] = other, end
                    end = end + 1
                    other = C[link + other]
            edge = C[following + edge]
    return end


@compiled
def _sort_rows(C: Ints) -> None:
    """Rows by island, in their order; those that move nothing are in none."""
    begins, rows = island_column(C, row_at.I_ROWS), row_list(C, row_at.R_ROW)
    for s in range(C[row_at.ISLANDS] + 1):
        C[begins + s] = 0
    for r in range(C[row_at.COUNT]):
        s = island_of(C, r)
        if s >= 0:
            C[begins + s + 1] += 1
    # Counting sort: how many, where each island begins, then every row to its place.
    for s in range(C[row_at.ISLANDS]):
        C[begins + s + 1] += C[begins + s]
    for r in range(C[row_at.COUNT]):
        s = island_of(C, r)
        if s >= 0:
            C[rows + C[begins + s]] = r
            C[begins + s] += 1
    for s in range(C[row_at.ISLANDS], 0, -1):
        C[begins + s] = C[begins + s - 1]
    C[begins] = 0
    for s in range(C[row_at.ISLANDS]):
        C[island_column(C, row_at.I_NEAR) + s] = C[begins + s + 1]


@compiled
def island_of(C: Ints, r: int) -> int:
    """The island of a row; -1 where it moves nothing."""
    begin = j_begin(C, r)
    found = -1
    if begin < C[int_of_row(C, row_at.C_JEND, r)]:
        block = C[island_column(C, row_at.I_BLOCK) + C[j_entries(C)[1] + begin]]
        found = C[island_column(C, row_at.I_ISLAND) + block]
    return found


@compiled
def _lay_out(C: Ints, count: int) -> bool:
    """BEGIN: where the block of each line begins; FIRST, LAST: where each line of the matrices begins and ends if all
    rows act; OFFSET: entry (i, j) is at OFFSET of i, plus j; and the positions of entries of J. False where there is no
    room."""
    first = island_column(C, row_at.I_FIRST)
    last = island_column(C, row_at.I_LAST)
    begins = island_column(C, row_at.I_BEGIN)
    order = island_column(C, row_at.I_ORDER)
    position = island_column(C, row_at.I_POSITION)
    block = island_column(C, row_at.I_BLOCK)
    for p in range(count):
        C[first + p] = C[begins + p] = C[position + C[block + C[order + p]]]
    jc = j_entries(C)[1]
    positions = j_positions(C)
    for t in range(j_begin(C, C[row_at.COUNT])):
        C[positions + t] = C[position + C[jc + t]]
    for r in range(C[row_at.COUNT]):
        if C[int_of_row(C, row_at.C_KIND, r)] < row_at.TANGENT:
            widen(C, r, first)
    find_ends(C, first, last, 0, count)
    total = 0
    offset = island_column(C, row_at.I_OFFSET)
    for p in range(count):
        C[offset + p] = total - C[first + p]
        total += C[last + p] - C[first + p] + 1
    C[row_at.MATRIX_WANTED] = total
    return bool(total <= C[row_at.MATRIX_ROOM])
