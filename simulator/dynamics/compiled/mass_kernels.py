"""The reduced mass matrix H = G^T M G by composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter
6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREE, FREEDOMS
from simulator.dynamics.compiled.rotor_kernels import add_rotor_mass
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@entry("motion")
def update_mass(F: Floats, N: Ints) -> None:
    """H = G^T M G, the envelope of its lower triangle, from composite inertias. Needs fresh loop motion where rotors
    turn with axes of loops."""
    H, S, CI, P, f = start(N, at.F_H), start(N, at.F_S), start(N, at.F_CI), start(N, at.F_P), start(N, at.F_TWIST)
    kind, parent, first = int_start(N, at.I_KIND), int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    order, turns = int_start(N, at.I_ORDER), int_start(N, at.I_TURNS)
    start_mass(F, N)
    for n in range(N[at.ACTIVE] - 1, -1, -1):
        i = N[order + n]
        if _is_loose(N, i):
            _add_loose_inertia(F, N, start(N, at.F_INERTIA) + 10 * i, N[int_start(N, at.I_GINDEX) + _entry(N, i)])
            continue
        for k in range(N[first + i], N[first + i] + FREEDOMS[N[kind + i]]):
            _column_momentum(F, CI + 10 * i, S + 3 * k, f, N[turns + k] == 1)
            # M_kl = S_l^T (I^c S_k) for all l from k inwards: the momentum is carried from node to node, not the
            # inertia.
            j = i
            while j >= 0:
                last = k + 1 if j == i else N[first + j] + FREEDOMS[N[kind + j]]
                for l in range(N[first + j], last):  # noqa: E741
                    s, o = S + 3 * l, f + (0 if N[turns + l] else 3)
                    add_entry(F, N, H, k, l, F[s] * F[o] + F[s + 1] * F[o + 1] + F[s + 2] * F[o + 2])
                up = N[parent + j]
                if up >= 0:
                    r0 = F[P + 3 * j] - F[P + 3 * up]
                    r1 = F[P + 3 * j + 1] - F[P + 3 * up + 1]
                    r2 = F[P + 3 * j + 2] - F[P + 3 * up + 2]
                    F[f] += r1 * F[f + 5] - r2 * F[f + 4]
                    F[f + 1] += r2 * F[f + 3] - r0 * F[f + 5]
                    F[f + 2] += r0 * F[f + 4] - r1 * F[f + 3]
                j = up
    if N[at.ROTORS] > 0:
        add_rotor_mass(F, N)


@compiled
def _entry(N: Ints, i: int) -> int:
    """Where the entries of G of the first freedom of node i begin."""
    return N[int_start(N, at.I_GPTR) + N[int_start(N, at.I_FIRST) + i]]


@compiled
def _is_loose(N: Ints, i: int) -> bool:
    """Whether node i floats, and nothing hangs on it: then six coordinates of its own are a block of H."""
    if N[int_start(N, at.I_KIND) + i] != FREE or N[int_start(N, at.I_PARENT) + i] >= 0:
        return False
    entry, index = _entry(N, i), int_start(N, at.I_GINDEX)
    k = N[index + entry]
    alone = N[int_start(N, at.I_BEGIN) + k] == k and N[int_start(N, at.I_END) + k] == k + FREEDOMS[FREE]
    return bool(alone and N[index + entry + FREEDOMS[FREE] - 1] == k + FREEDOMS[FREE] - 1)


@compiled
def _add_loose_inertia(F: Floats, N: Ints, c: int, k: int) -> None:
    """H += the inertia at c of a loose body, whose coordinates begin with k: twists (w, v) in its own axes about its
    origin, in which it is the same at all times, (I w + h x v, m v - h x w)."""
    H, row = start(N, at.F_H), int_start(N, at.I_HROW)
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    a, b, d = H + N[row + k], H + N[row + k + 1], H + N[row + k + 2]
    F[a + k] += F[c + 4]
    F[b + k] += F[c + 7]
    F[b + k + 1] += F[c + 5]
    F[d + k] += F[c + 8]
    F[d + k + 1] += F[c + 9]
    F[d + k + 2] += F[c + 6]
    a, b, d = H + N[row + k + 3], H + N[row + k + 4], H + N[row + k + 5]
    F[a + k + 1] += h2
    F[a + k + 2] -= h1
    F[b + k] -= h2
    F[b + k + 2] += h0
    F[d + k] += h1
    F[d + k + 1] -= h0
    F[a + k + 3] += m
    F[b + k + 4] += m
    F[d + k + 5] += m


@compiled
def start_mass(F: Floats, N: Ints) -> None:
    """H = what does not change with the state: rotors, and nodes in closed form."""
    H, base, row = start(N, at.F_H), start(N, at.F_HBASE), int_start(N, at.I_HROW)
    lptr, lcol = int_start(N, at.I_LPTR), int_start(N, at.I_LCOL)
    for a in range(N[at.INDEPENDENT]):
        mine = N[row + a]
        F[H + mine + a] = F[base + mine + a]
        for t in range(N[lptr + a], N[lptr + a + 1]):
            F[H + mine + N[lcol + t]] = F[base + mine + N[lcol + t]]


@compiled
def _column_momentum(F: Floats, c: int, s: int, out: int, turns: bool) -> None:
    """out = I S for a freedom along the direction at s."""
    d0, d1, d2 = F[s], F[s + 1], F[s + 2]
    h0, h1, h2 = F[c + 1], F[c + 2], F[c + 3]
    # I S with S = (d, 0): (I0 d, -h x d); with S = (0, d): (h x d, m d).
    e0, e1, e2 = h1 * d2 - h2 * d1, h2 * d0 - h0 * d2, h0 * d1 - h1 * d0
    if turns:
        F[out] = F[c + 4] * d0 + F[c + 7] * d1 + F[c + 8] * d2
        F[out + 1] = F[c + 7] * d0 + F[c + 5] * d1 + F[c + 9] * d2
        F[out + 2] = F[c + 8] * d0 + F[c + 9] * d1 + F[c + 6] * d2
        F[out + 3], F[out + 4], F[out + 5] = -e0, -e1, -e2
    else:
        F[out], F[out + 1], F[out + 2] = e0, e1, e2
        F[out + 3], F[out + 4], F[out + 5] = F[c] * d0, F[c] * d1, F[c] * d2


@compiled
def add_entry(F: Floats, N: Ints, H: int, k: int, l: int, entry: float) -> None:  # noqa: E741
    """H += G^T (entry of M at (k, l) and, off the diagonal, (l, k)) G; only the lower triangle is kept."""
    row = int_start(N, at.I_HROW)
    if N[at.IDENTITY]:
        F[H + N[row + max(k, l)] + min(k, l)] += entry
        return
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for ta in range(N[ptr + k], N[ptr + k + 1]):
        a, part = N[index + ta], F[value + ta] * entry
        for tb in range(N[ptr + l], N[ptr + l + 1]):
            b, amount = N[index + tb], F[value + tb] * part
            # M_kl stands twice in M; where k and l follow from the same coordinate, both land on its diagonal.
            if a > b:
                F[H + N[row + a] + b] += amount
            elif a == b:
                F[H + N[row + a] + a] += amount if k == l else 2.0 * amount
            elif k != l:
                F[H + N[row + b] + a] += amount
