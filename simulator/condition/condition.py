"""Mobility and condition of a mechanism at one state: K, G, ranks, singular values, distance to singularity, and each
of its loops.

    condition = condition_of(open_document("worlds/four_bar.sdf").mechanism)
    condition.count, condition.rank, condition.independent, condition.loops[0].four_bar

K q̇ = 0 and q̇ = G ẏ hold between all freedoms of the spanning forest and the independent ones; both have names for
rows and columns.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.condition.loops import LoopCondition, loop_conditions
from simulator.condition.singular import Distances, Singularity, distances_of
from simulator.condition.start import Start, start_of
from simulator.diagnostics import counted
from simulator.kinematics.closure import Closure, closure_of
from simulator.kinematics.constraint_rows import column_names, named_rows, scaled
from simulator.kinematics.independence import (
    RedundantRow,
    dependent_columns,
    kept_rows,
    map_of_independent,
    redundant_rows,
    singular_values,
    smallest,
)
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.named import NamedMatrix
from simulator.kinematics.spectrum import Spectrum
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.kinematics.constraint_rows import NamedRows
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False, repr=False)
class Condition:
    """What the equations of a mechanism are worth at `state`.

    `count`: mobility by counting; `rank`: by the rank of K along the motion (`closure`); `rank_here`: freedoms minus
    the rank of K at `state`, which is more at a singular position. Axes of loops that are out of line by a rounding
    count as they were meant.

    `K`: all rows of loops and couplings over all freedoms [1, m or m/rad], of which `kept` are independent of each
    other and give the `dependent` columns; `G`: all freedoms over the independent ones, K G = 0. `singular_values` of
    K, largest first; `sigma_min`: the smallest one that is not zero, `condition_number`: the largest divided by it;
    `sigma_min_dependent`: the smallest singular value of K_d, the kept rows over the dependent freedoms (all None where
    nothing is constrained). `redundant`: rows that follow from others; `contradictory`: joints and axes whose rows
    cannot hold together; `message`: why the mechanism is not assembled, else empty. `distances`: how far singular
    positions are, without units (see `condition.singular`).
    """

    state: JointState
    count: int
    rank: int
    rank_here: int
    closure: Closure
    K: NamedMatrix
    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    sigma_min: float | None
    condition_number: float | None
    sigma_min_dependent: float | None
    redundant: tuple[RedundantRow, ...]
    contradictory: tuple[str, ...]
    message: str
    distances: Distances
    loops: tuple[LoopCondition, ...]

    def __repr__(self) -> str:
        least = "" if self.sigma_min is None else f", smallest singular value {self.sigma_min:.3g}"
        said = f"; {self.message}" if self.message else ""
        redundant = counted(len(self.redundant), "redundant row")
        return f"<Condition: mobility {self.count} by count, {self.rank} by rank, {redundant}{least}{said}>"

    @cached_property
    def singular_values(self) -> Array:
        """All singular values of K, largest first; computed when first asked for."""
        return singular_values(self.K.array)

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent freedoms: the columns of G."""
        dependent = set(self.dependent)
        return tuple(name for i, name in enumerate(self.K.columns) if i not in dependent)

    def _map_of_independent(self) -> NamedMatrix:
        values = map_of_independent(self.K.array[list(self.kept)], self.dependent)
        return NamedMatrix(self.K.columns, self.independent, values)

    G = cached_property(_map_of_independent)
    """All freedoms over the independent ones; computed when first asked for: of thousands of free bodies it takes
    gigabytes."""

    @property
    def distance_to_singularity(self) -> float | None:
        """The smallest distance to a change point of a loop, or to a dead point of one of its axes; None where no loop
        can move."""
        return self.distances.nearest

    @property
    def singular(self) -> tuple[Singularity, ...]:
        """Singular positions that are reached or near, the nearest first; where nothing can move there is none."""
        if not self.closure.rigid:
            return self.distances.found
        still = {name for item in self.closure.rigid for name in item.loops}
        return tuple(item for item in self.distances.found if not still.intersection(item.joints))

    def distance_of(self, axis: str) -> float:
        """Distance to a dead point of one axis of a loop. Raises KeyError for an axis that no loop moves."""
        return dict(self.distances.axes)[axis]


@dataclass(frozen=True, eq=False)
class RankOfRows:
    """Of K at the state of `start`: the `rows`, how many are independent `here` and `along` the motion, and the
    `spectrum`."""

    start: Start
    rows: NamedRows
    spectrum: Spectrum
    here: int
    along: int
    closure: Closure

    @cached_property
    def least(self) -> float | None:
        """The smallest singular value that is not zero here; None where nothing is constrained."""
        return self.spectrum.value(self.here) if self.here else None


def rank_of_rows(kinematics: Kinematics, state: JointState | None = None) -> RankOfRows:
    """The rank at `state`, or at the assembled start (the document's pose where it cannot be assembled)."""
    start = start_of(kinematics) if state is None else Start(state)
    rows = named_rows(kinematics, start.state)
    spectrum = Spectrum(rows.K)
    # Rank by singular values; `closure_of` distinguishes rows that depend on each other at this state only from those
    # that do along the whole motion.
    here = spectrum.rank()
    closure = closure_of(kinematics, start.state) if not start.message else Closure((), start.state)
    # What a singular position gives for a moment is not mobility: it is gone a little further on.
    lost = sum(len(item.columns) - item.rank_here - item.mobility for item in closure.singular)
    return RankOfRows(start, rows, spectrum, here, here + lost, closure)


def condition_of(mechanism: Mechanism, state: JointState | None = None) -> Condition:
    """The condition at `state`, or at the assembled start (the document's pose where it cannot be assembled)."""
    kinematics = Kinematics(mechanism).as_meant
    found = rank_of_rows(kinematics, state)
    start = found.start
    rows = found.rows
    rank = found.here
    closure = found.closure
    # The choice of independent rows must not depend on whether a document counts in metres or in millimetres.
    without_units = scaled(kinematics, rows, kinematics.body_matrices(start.state))
    kept = kept_rows(without_units, rank)
    dependent = dependent_columns(kinematics, without_units[kept])
    names = column_names(mechanism)
    count = mechanism.mobility.count
    return Condition(
        state=start.state,
        count=count,
        rank=len(names) - found.along,
        rank_here=len(names) - rank,
        closure=closure,
        K=NamedMatrix(tuple(name.text for name in rows.names), names, rows.K),
        kept=tuple(kept),
        dependent=tuple(dependent),
        sigma_min=found.least,
        condition_number=found.spectrum.largest / found.least if found.least else None,
        sigma_min_dependent=smallest(rows.K[np.ix_(kept, dependent)]) if rank else None,
        redundant=_redundant(kinematics, closure) if closure.singular else redundant_rows(rows, kept),
        contradictory=start.contradictory,
        message=start.message,
        distances=distances_of(kinematics, start.state, count),
        loops=loop_conditions(kinematics, start.state, rows),
    )


def least_singular_value(kinematics: Kinematics, state: JointState, rank: int) -> float:
    """The smallest singular value of K at `state` over the rows that act: that of number `rank`, the rank of K along
    the motion.

    It is `Condition.sigma_min` where K has that rank at `state`, and 0 at a singular position, where K has less.
    """
    return Spectrum(named_rows(kinematics, state).K).value(rank)


def _redundant(kinematics: Kinematics, closure: Closure) -> tuple[RedundantRow, ...]:
    """Rows that follow from others all along the motion, not at a singular position only."""
    rows = named_rows(kinematics, closure.generic)
    without_units = scaled(kinematics, rows, kinematics.body_matrices(closure.generic))
    return redundant_rows(rows, kept_rows(without_units, Spectrum(without_units).rank()))
