"""What a cut joint carries: the wrench that its multipliers mean (RBDA 8.2: constraint forces do no work on motions
that are allowed)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.loop_rows import gradient_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.loop_constraint import LoopConstraintOfJoints

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reaction:
    """Of one loop joint: `wrench` (6,) = [couple N·m; force N] on the successor, in the joint's frame on the
    predecessor, at its origin.

    `on_successor` and `on_predecessor` (6,) are the same wrench and its opposite in the coordinates of the bodies, at
    their origins; the opposite of a joint to the body that carries the cluster is in that body's coordinates. Rows that
    others imply carry nothing: of a statically indeterminate joint one of many possible reactions is shown.
    """

    name: str
    wrench: Array
    on_successor: Array
    on_predecessor: Array


def loop_reactions(constraint: LoopConstraintOfJoints, q: Array, lam: Array) -> tuple[Reaction, ...]:
    """Of every loop joint of a cluster at its spanning position, from the multipliers λ (r,) of its kept rows [N,
    N·m]."""
    full = np.zeros(len(constraint.row_names))
    full[list(constraint.partition.rows)] = lam
    relatives = constraint.relatives(q, np.zeros(constraint.span_size))
    transforms = constraint.chain.from_outside(constraint.chain.up(q))
    found = []
    first = 0
    for loop, at in zip(constraint.loops, relatives, strict=True):
        wrench = np.zeros(6)
        for value, row in zip(full[first : first + len(loop.rows)], loop.rows, strict=True):
            # λ of a row times the row's direction: virtual work λ T · δv for all δv, so λ T is the wrench.
            wrench += value * gradient_of(row, at)[0]
        first += len(loop.rows)
        Xp = loop.X_p @ (transforms[loop.predecessor] if loop.predecessor >= 0 else np.eye(6))
        outside = np.eye(6) if loop.successor < 0 else transforms[loop.successor]
        # Motions go by X, forces by Xᵀ the other way: power is the same in all coordinates.
        to_successor = Xp @ np.linalg.inv(outside)
        found.append(Reaction(loop.name, wrench, to_successor.T @ wrench, -loop.X_p.T @ wrench))
    return tuple(found)
