"""Nodes whose part of the dynamics is known in closed form, so that a step need not place them.

A node on the world without anything outboard, whose one freedom turns about or slides along a fixed axis and which no
loop passes through: its inertia I about that axis is constant, nothing of its motion feels another, and its kinetic
energy is I qd^2 / 2. Gravity's potential is A q + C for a slide. A hinge about a takes a centre of mass round, m c = (a
. h) a + cos q r + sin q a x r with h = m c at q = 0 and r = h - (a . h) a, so that U = A sin q - B cos q + C with A =
-g . (a x r), B = g . r. The effort that holds it is dU/dq: A, or A cos q + B sin q. Gear trains, racks, pulleys and
simple pendulums are such.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.model.altered import altered
from simulator.physics.layout.flatten import ROTATION, TRANSLATION
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.physics.layout.flatten import Reduction, Tree
    from simulator.physics.loops.rows import LoopTables
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class SimpleNodes:
    """`nodes`: which are simple. `order` (nodes,): all nodes, the simple ones last. `numbers` (simple, 4): A, B, C and
    I of each as above (a slide has no B)."""

    nodes: Ints
    order: Ints
    numbers: Array

    @property
    def others(self) -> Ints:
        """The nodes that are not simple, in the order of sweeps."""
        return self.order[: len(self.order) - len(self.nodes)]

    def mass(self, tree: Tree, reduction: Reduction) -> list[tuple[int, int, float]]:
        """What they add to the lower half of H, by row, column and value."""
        entries = []
        for node, inertia in zip(self.nodes.tolist(), self.numbers[:, 3].tolist(), strict=True):
            row = int(tree.first[node])
            columns = slice(int(reduction.ptr[row]), int(reduction.ptr[row + 1]))
            terms = list(zip(reduction.index[columns].tolist(), reduction.value[columns].tolist(), strict=True))
            entries += [(a, b, inertia * u * v) for (a, u), (b, v) in product(terms, terms) if a >= b]
        return entries

    def like(self, before: Tree, tree: Tree, gravity: Vec3) -> SimpleNodes:
        """Those of `tree`, which has the nodes of `before`, under the same gravity."""
        numbers = self.numbers.copy()
        weightless = set(tree.weightless.tolist())
        for place, node in enumerate(self.nodes.tolist()):
            new, old = (np.concatenate((t.X[node].ravel(), t.axis[node], t.inertia[node])) for t in (tree, before))
            if (new != old).any():
                numbers[place] = _closed_form(tree, node, np.array(gravity) * (node not in weightless))
        return altered(self, numbers=numbers)

    def of(self, tree: Tree, gravity: Vec3) -> SimpleNodes:
        """The same nodes of `tree` under `gravity`."""
        return altered(self, numbers=_closed_forms(tree, self.nodes.tolist(), gravity))


def find_simple_nodes(
    tree: Tree, tables: LoopTables, gravity: Vec3, loaded: frozenset[int] = frozenset()
) -> SimpleNodes:
    """Nodes that a step can leave where they are; `loaded` ones cannot."""
    count = len(tree.kind)
    inner = set(tree.parent.tolist())
    looped = {node for path in tables.path for node, _ in path} | set(tables.nodes) | loaded
    chosen = [
        node
        for node in range(count)
        if tree.kind[node] in (ROTATION, TRANSLATION)
        # On the world, alone, and in no loop: its inertia along the axis never changes.
        and tree.parent[node] < 0
        and node not in inner
        and node not in looped
    ]
    numbers = _closed_forms(tree, chosen, gravity)
    simple = np.array(chosen, dtype=np.int64)
    is_other = np.ones(count, dtype=bool)
    is_other[simple] = False
    order = np.concatenate((np.flatnonzero(is_other), simple))
    return SimpleNodes(simple, order, numbers)


def _closed_forms(tree: Tree, nodes: Sequence[int], gravity: Vec3) -> Array:
    """A, B, C and I of each of these nodes, shape (n, 4)."""
    weightless = set(tree.weightless.tolist())
    forms = [_closed_form(tree, node, np.array(gravity) * (node not in weightless)) for node in nodes]
    return np.array(forms).reshape(-1, 4)


def _closed_form(tree: Tree, node: int, gravity: Array) -> tuple[float, float, float, float]:
    """A, B, C and I of a node."""
    R = tree.X[node, :, :3]
    a = tree.axis[node]
    m = tree.inertia[node, 0]
    h = tree.inertia[node, 1:4]
    about = inertia_matrix(*tree.inertia[node, 4:])
    pull = R.T @ gravity
    level = -float(m * (tree.X[node, :, 3] @ gravity))
    if tree.kind[node] == TRANSLATION:
        return -float(m * (a @ pull)), 0.0, level - float(pull @ h), float(m)
    # What of m c lies on the axis does not move when it turns; the rest, r, goes round.
    along = (a @ h) * a
    around = h - along
    return -float(pull @ np.cross(a, around)), float(pull @ around), level - float(pull @ along), float(a @ about @ a)
