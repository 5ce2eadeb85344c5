"""How far a mechanism is from positions where its equations lose a rank.

Rows and columns are without units (`constraint_rows.scaled`), so the smallest singular value that is not zero is the
distance, in the spectral norm, to the nearest matrix of lower rank (Eckart and Young): at 0 the rank of K itself drops
and branches of the motion meet (change point). With the column of one axis left out, the same number says whether the
other axes follow from that one: at 0 the axis stands still while others move, and cannot drive its loop (dead point;
for what drives it, a toggle).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from simulator.kinematics.assembly import advance, assemble
from simulator.kinematics.closure import names_of_closing
from simulator.kinematics.constraint_rows import (
    cluster_columns,
    cluster_rows,
    column_names,
    named_rows,
    scaled,
    units_of,
)
from simulator.kinematics.independence import rank_of, singular_values
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.constraint_rows import NamedRows
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Cluster
    from simulator.spatial.arrays import Array


NEAR = 0.02
"""Distance to a singularity below which it is reported as near."""
AT = 1e-6
"""Distance below which it counts as reached."""
LARGEST = 60
"""Clusters with more freedoms are not looked at axis by axis."""
_BESIDE = 0.05
_STILL = 1e-7


@dataclass(frozen=True)
class Singularity:
    """`kind`: change point or dead point; `joints`: loop joints at a change point, the axis at a dead point; `distance`
    has no unit."""

    kind: str
    joints: tuple[str, ...]
    distance: float
    text: str


@dataclass(frozen=True)
class Distances:
    """`change_point`: the smallest singular value of the scaled kept rows; `axes`: that with the axis' own column left
    out, for axes that can move; `found`: what is near. None and empty where no loop can move."""

    change_point: float | None
    axes: tuple[tuple[str, float], ...]
    found: tuple[Singularity, ...]

    @property
    def nearest(self) -> float | None:
        """The smallest of all distances."""
        known = [value for _, value in self.axes] + ([] if self.change_point is None else [self.change_point])
        return min(known, default=None)


def distances_of(kinematics: Kinematics, state: JointState, count: int) -> Distances:
    """Distances of all clusters with loops. `count`: mobility by counting; a larger rank mobility is looked into."""
    views = [view for view in _views(kinematics, state) if view.mobility > 0]
    suspicious = bool(views) and (any(view.least() < NEAR for view in views) or kinematics.rank_mobility(state) > count)
    states = _states_beside(kinematics, state) if suspicious else []
    beside = [other for near in states for other in _views(kinematics, near)]
    axes: list[tuple[str, float]] = []
    found: list[Singularity] = []
    for view in views:
        others = [other for other in beside if other.cluster is view.cluster]
        # The rank is lower here than a little beside: branches meet at this very position.
        if others and max(other.rank for other in others) > view.rank:
            found.append(view.change_point(others))
            continue
        if view.smallest < NEAR:
            found.append(_near_change_point(view.names, view.smallest))
        moving = [(name, value) for name, value in view.axes if not _cannot_move(name, others)]
        axes += moving
        found += [_dead_point(name, value) for name, value in moving if value < NEAR]
    met = any(item.kind == "change point" and item.distance == 0.0 for item in found)
    smallest = 0.0 if met else min((view.smallest for view in views), default=None)
    return Distances(smallest, tuple(axes), tuple(sorted(found, key=lambda item: item.distance)))


class _View:
    """One cluster at one state."""

    def __init__(self, kinematics: Kinematics, cluster: Cluster, rows: NamedRows, every: Array) -> None:
        self.cluster = cluster
        mechanism = kinematics.mechanism
        columns = cluster_columns(kinematics, cluster)
        K = every[np.ix_(cluster_rows(rows, cluster), columns)]
        values = singular_values(K)
        self.rank = rank_of(values)
        self.mobility = len(columns) - self.rank
        self.smallest = float(values[self.rank - 1]) if self.rank else 1.0
        self.loops = tuple(mechanism.loop_joints[i].name for i in cluster.loop_joints)
        self.names = names_of_closing(mechanism, cluster)
        self.loop_ranks = tuple(
            rank_of(singular_values(every[[name.loop == i for name in rows.names]])) for i in cluster.loop_joints
        )
        names = column_names(mechanism)
        shown = {
            kinematics.layout.of_axis[i] for i, axis in enumerate(mechanism.axes) if axis.in_tree and not axis.hidden
        }
        self.axes: list[tuple[str, float]] = []
        if len(columns) <= LARGEST and self.rank:
            for place, column in enumerate(columns):
                if column in shown:
                    # Rank of the other columns alone: where it falls, a motion exists in which this axis stands still.
                    rest = singular_values(np.delete(K, place, axis=1))
                    self.axes.append((names[column], float(rest[self.rank - 1]) if len(rest) >= self.rank else 0.0))

    def least(self) -> float:
        """The smallest distance."""
        return min([self.smallest, *(value for _, value in self.axes)])

    def change_point(self, others: Sequence[_View]) -> Singularity:
        """The rank is lower here than beside."""
        usual = max(other.rank for other in others)
        beside = [max(other.loop_ranks[i] for other in others) for i in range(len(self.loops))]
        named = tuple(
            name for name, here, there in zip(self.loops, self.loop_ranks, beside, strict=True) if here < there
        )
        joints = named or self.names
        text = (
            f"{_loops(joints)} at a change point: branches of the motion meet here, {self.mobility} degrees of freedom "
            f"instead of {self.mobility - usual + self.rank}"
        )
        return Singularity("change point", joints, 0.0, text)


def _views(kinematics: Kinematics, state: JointState) -> list[_View]:
    """All clusters with loops or couplings with curves."""
    mechanism = kinematics.mechanism
    if not mechanism.has_curves:
        return []
    rows = named_rows(kinematics, state)
    K = scaled(kinematics, rows, kinematics.body_matrices(state))
    return [_View(kinematics, cluster, rows, K) for cluster in mechanism.clusters if mechanism.is_curved(cluster)]


def _near_change_point(loops: tuple[str, ...], distance: float) -> Singularity:
    text = f"{_loops(loops)} near a change point: distance {distance:.2g} (threshold {NEAR:g})"
    return Singularity("change point", loops, distance, text)


def _dead_point(axis: str, distance: float) -> Singularity:
    if distance < AT:
        text = (
            f"'{axis}' is at a dead point (toggle): it stands still here while others move, and cannot drive its loop"
        )
    else:
        text = (
            f"'{axis}' is near a dead point (toggle): it hardly moves here while others do; distance {distance:.2g} "
            f"(threshold {NEAR:g})"
        )
    return Singularity("dead point", (axis,), distance, text)


def _loops(names: Sequence[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return f"the loop of {listed} is" if len(names) == 1 else f"the loops of {listed} are"


def _cannot_move(axis: str, others: Sequence[_View]) -> bool:
    """An axis that moves nowhere beside this state either is locked, not at a dead point."""
    return bool(others) and all(dict(other.axes).get(axis, 1.0) < _STILL for other in others)


def _states_beside(kinematics: Kinematics, state: JointState) -> list[JointState]:
    """Assembled states a little way along what can move, to both sides, in two directions of no special kind."""
    rows = named_rows(kinematics, state)
    poses = kinematics.body_matrices(state)
    K = scaled(kinematics, rows, poses)
    basis = np.linalg.svd(K)[2][rank_of(singular_values(K)) :]
    unit, _ = units_of(kinematics, rows, poses)
    random = np.random.default_rng(0)
    found = []
    for _ in range(2):
        # Along the null space of K, both ways: in general position, so that no branch is missed by symmetry.
        direction = random.normal(size=len(basis)) @ basis
        direction /= max(float(np.abs(direction).max(initial=0.0)), 1e-30)
        for sign in (-1.0, 1.0):
            try:
                found.append(
                    assemble(kinematics, advance(kinematics, state, sign * _BESIDE * direction * unit), {}).state
                )
            except AssemblyError:
                continue
    return found
