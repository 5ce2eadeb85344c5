"""Loop joints and couplings of one cluster as an implicit constraint over its tree joints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from textbook.clusters.loop_rows import RowKind, gradient_of, relative_motion, value_of
from textbook.constraints.base import ImplicitConstraint, Rows
from textbook.constraints.newton import close
from textbook.constraints.partition import Partition, choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from textbook.clusters.chain import Chain
    from textbook.clusters.loop_rows import LoopJoint, LoopRow, Relative

    Array = NDArray[np.float64]

RANK = 1e-8
"""Rows of loops that depend on others to this part are redundant."""
_NEARBY = 1e-2


@dataclass(frozen=True)
class MixedRow:
    """Σ aᵢ qᵢ + Σ cⱼ mⱼ = constant; `terms` are (velocity index, aᵢ), `measured` (loop joint, cⱼ, what is measured on
    it).

    Where an angle is measured, the row is counted modulo full turns of it.
    """

    name: str
    terms: tuple[tuple[int, float], ...]
    measured: tuple[tuple[int, float, LoopRow], ...] = ()
    constant: float = 0.0


@dataclass(frozen=True)
class LoopConstraintOfJoints(ImplicitConstraint):
    """Rows of the loop joints, then of the couplings. Make one with `constraint_of_joints`."""

    chain: Chain
    loops: tuple[LoopJoint, ...]
    couplings: tuple[MixedRow, ...]
    partition: Partition
    velocity_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """One per velocity."""
        return self.velocity_names or tuple(f"q{i}" for i in range(self.span_size))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Joint or coupling of every row."""
        return (*(loop.name for loop in self.loops for _ in loop.rows), *(row.name for row in self.couplings))

    @property
    def span_positions(self) -> int:
        """One more per quaternion than velocities."""
        return self.chain.first_position[-1]

    def residual(self, q: Array) -> Array:
        """φ(q) [m, 1, or the units of the couplings]."""
        relatives = self.relatives(q, np.zeros(self.span_size))
        values = [
            value_of(row, at.R, at.p) for loop, at in zip(self.loops, relatives, strict=True) for row in loop.rows
        ]
        values += [self._coupling_value(row, q, relatives) for row in self.couplings]
        return np.array(values, dtype=float)

    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K and k, redundant rows included."""
        relatives = self.relatives(q, qd)
        Ks: list[Array] = []
        ks: list[float] = []
        for loop, at in zip(self.loops, relatives, strict=True):
            for row in loop.rows:
                gradient, rest = gradient_of(row, at)
                Ks.append(gradient @ at.J)
                # φ'' = grad · (J q̈ + bias) + rest = 0 solved for K q̈ = k.
                ks.append(-float(gradient @ at.bias) - rest)
        for coupling in self.couplings:
            K = np.zeros(self.span_size)
            k = 0.0
            for index, coefficient in coupling.terms:
                K[index] += coefficient
            for place, coefficient, row in coupling.measured:
                gradient, rest = gradient_of(row, relatives[place])
                K += coefficient * (gradient @ relatives[place].J)
                k -= coefficient * (float(gradient @ relatives[place].bias) + rest)
            Ks.append(K)
            ks.append(k)
        return Rows(np.array(Ks).reshape(-1, self.span_size), np.array(ks, dtype=float))

    def advance(self, q: Array, step: Array) -> Array:
        """Joint by joint, on the quaternions' sphere."""
        return self.chain.advance(q, step)

    def with_partition(self, partition: Partition) -> LoopConstraintOfJoints:
        """The same rows with other coordinates."""
        return replace(self, partition=partition)

    def relatives(self, q: Array, qd: Array) -> list[Relative]:
        """Pose, twist and bias of each loop joint's frames."""
        up = self.chain.up(q)
        moving = self.chain.moving(up, q, qd)
        outside = self.chain.from_outside(up)
        return [relative_motion(loop, outside, moving, np.eye(6)) for loop in self.loops]

    def _coupling_value(self, row: MixedRow, q: Array, relatives: Sequence[Relative]) -> float:
        value = -row.constant
        turn = math.inf
        for index, coefficient in row.terms:
            value += coefficient * q[_position_of(self.chain, index)]
        for place, coefficient, measure in row.measured:
            value += coefficient * value_of(measure, relatives[place].R, relatives[place].p)
            if measure.kind is RowKind.TURN:
                # An angle that is measured is known up to a whole turn, and with it the row's value.
                turn = min(turn, abs(2.0 * math.pi * coefficient))
        return math.remainder(value, turn) if math.isfinite(turn) and turn > 0.0 else value


def _position_of(chain: Chain, velocity: int) -> int:
    """Where the coordinate of a scalar joint stands among the positions."""
    body = next(i for i in range(len(chain.joints)) if chain.first_velocity[i] == velocity)
    return chain.first_position[body]


def constraint_of_joints(
    chain: Chain,
    loops: Sequence[LoopJoint],
    couplings: Sequence[MixedRow],
    reference: Array,
    *,
    preferred: Sequence[int] = (),
    names: Sequence[str] = (),
) -> LoopConstraintOfJoints:
    """The constraint; rank, redundant rows and independent coordinates are found at `reference`, shape (n_positions,),
    closed as well as it can be. Where the rank is smaller there than close by (a change point), the one close by
    counts. `preferred` velocities become the independent ones where their number fits and they can describe the
    motion."""
    size = chain.first_velocity[-1]
    everything = Partition((), tuple(range(size)), ())
    draft = LoopConstraintOfJoints(chain, tuple(loops), tuple(couplings), everything, tuple(names))
    q = _closed(draft, np.asarray(reference, dtype=float))
    best = _partition_at(draft, q)
    # The rank of a generic pose is the motion's; two random neighbours are on a change point with probability zero.
    random = np.random.default_rng(20231113)
    for _ in range(2):
        beside = _closed(draft, draft.advance(q, _NEARBY * random.standard_normal(size)))
        other = _partition_at(draft, beside)
        if len(other.rows) > len(best.rows) and float(np.linalg.norm(draft.residual(beside))) < 1e-9:
            best, q = other, beside
    return replace(draft, partition=_preferring(draft.all_rows(q, np.zeros(size)).K, best, preferred))


def _closed(draft: LoopConstraintOfJoints, q: Array) -> Array:
    try:
        return close(draft, q, held=()).q
    except AssemblyError:
        return q


def _partition_at(draft: LoopConstraintOfJoints, q: Array) -> Partition:
    return choose(draft.all_rows(q, np.zeros(draft.span_size)).K, RANK)


def _preferring(K: Array, found: Partition, preferred: Sequence[int]) -> Partition:
    wanted = tuple(sorted(set(preferred)))
    if len(wanted) != len(found.independent):
        return found
    dependent = tuple(i for i in range(K.shape[1]) if i not in wanted)
    K_d = K[np.ix_(found.rows, dependent)]
    # The document's choice counts unless its K_d is singular here: G = -K_d^-1 K_i must exist.
    if K_d.size and float(np.linalg.svd(K_d, compute_uv=False)[-1]) < 1e-6 * float(np.linalg.norm(K)):
        return found
    return Partition(wanted, dependent, found.rows, found.redundant)
