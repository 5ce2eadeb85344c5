"""Strongly connected components (Tarjan 1972) of bodies: tree edges from parent to child, and rings among what a loop
or coupling ties."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUND = -1
"""Parent of bodies and clusters that hang on the ground."""


def path_from_ground(body: int, parents: Sequence[int]) -> list[int]:
    """The bodies between the ground and `body`, which is the last."""
    path = []
    while body != GROUND:
        path.append(body)
        body = parents[body]
    return path[::-1]


def loop_members(predecessor: int, successor: int, parents: Sequence[int]) -> tuple[int, ...]:
    """Bodies that a loop joint ties: those between the nearest common ancestor of its ends and the ends. Where one end
    is that ancestor, or the ground, only the other path counts."""
    one, two = path_from_ground(predecessor, parents), path_from_ground(successor, parents)
    common = set(one) & set(two)
    return tuple(body for body in (*one, *two) if body not in common)


def coupled_members(bodies: Sequence[int], parents: Sequence[int]) -> tuple[int, ...]:
    """Bodies whose joints are tied, with all bodies between them and their nearest common proper ancestor: a coupling
    needs the joint that carries each of its bodies, so the ancestor itself is none of them."""
    paths = [path_from_ground(body, parents) for body in bodies]
    shared = set.intersection(*({*path[:-1]} for path in paths)) if paths else set()
    return tuple(sorted({body for path in paths for body in path if body not in shared}))


def strong_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """Components of the graph with `edges[i]` from node i, each sorted, in the order of their smallest node. Without
    recursion."""
    n = len(edges)
    index = [-1] * n
    low = [0] * n
    on_stack = [False] * n
    stack = []
    found = []
    numbers = count()
    for start in range(n):
        if index[start] >= 0:
            continue
        work = [(start, 0)]
        while work:
            node, place = work.pop()
            if place == 0:
                index[node] = low[node] = next(numbers)
                stack.append(node)
                on_stack[node] = True
            elif on_stack[edges[node][place - 1]]:
                low[node] = min(low[node], low[edges[node][place - 1]])
            while place < len(edges[node]) and index[edges[node][place]] >= 0:
                if on_stack[edges[node][place]]:
                    low[node] = min(low[node], index[edges[node][place]])
                place += 1
            if place < len(edges[node]):
                work.append((node, place + 1))
                work.append((edges[node][place], 0))
                continue
            if low[node] == index[node]:
                # Tarjan (SIAM J. Comput. 1, 1972): nothing reaches further back than this node, so the stack above it
                # is one component.
                component = stack[stack.index(node) :]
                del stack[stack.index(node) :]
                for member in component:
                    on_stack[member] = False
                found.append(sorted(component))
    return sorted(found)


def clusters_of(parents: Sequence[int], ties: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of bodies, parents' groups first; `ties` are the members of each loop and coupling."""
    edges: list[list[int]] = [[] for _ in parents]
    for body, parent in enumerate(parents):
        if parent != GROUND:
            edges[parent].append(body)
    for members in ties:
        for i, body in enumerate(members):
            if len(members) > 1:
                # A ring through all members makes them strongly connected, together with everything on tree paths
                # between them.
                edges[body].append(members[(i + 1) % len(members)])
    return strong_components(edges)
