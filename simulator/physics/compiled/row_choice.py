"""Which rows of loops a step solves: as many as count along the motion, and at a singular position one of the motions
that meet there.

The rows are chosen once, at a pose where their rank is that of the motion (`closure`). At a singular position some of
them follow from the others. There the mechanism stays on one motion for a step: rows that follow are replaced by
guides, GUIDE v = 0 for all v of that motion. Which one it is, the motion decides: a trial step that only K holds shows
where the mechanism would go, and whichever motion keeps most of that kinetic energy is taken (Gauss's principle). What
is rigid to second order has guides against all that K allows, and keeps them. Where the one motion there is leaves some
velocities still, guides against these take the place of rows that follow, for good: see `still`.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import EngineLimitError
from simulator.kinematics.closure import closure_of
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.alignment import aligned
from simulator.physics.build.reduced_velocities import joint_of_independent, reduced_velocities
from simulator.physics.compiled.parked import Parked, guides_of, parked_at
from simulator.physics.compiled.still import Still, rows_beside, still_directions
from simulator.physics.layout import buffers as at
from simulator.physics.loops.loops import find_rows
from simulator.physics.motion.closing import factor_active_rows
from simulator.physics.motion.projection import CLOSE_BY, is_singular

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.kinematics.closure import ClosedCluster, Closure, Motion
    from simulator.kinematics.state import JointState
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Array, Ints


USUAL = 1e-3
"""Of the greatest pivot, what the least one is taken to be far from singular positions if nothing more is known."""
SAME_PLACE = 1e-4
"""Positions [rad or m] that differ by less are one singular position."""
CLOSED = 1e-9
"""Residual [m, or 1 for directions] that loops may show whose rows hold exactly."""
SLACK = 30.0
"""Of rows that only hold but for a rounding: how many times what they lack at one pose they may lack elsewhere."""


class RowChoice:
    """The active rows of one compiled mechanism, and what holds it at singular positions."""

    def __init__(self, model: CompiledState) -> None:
        self._model = model
        self._meant: tuple[Kinematics, float] | None = None
        self.slack = CLOSED
        self._generic: Ints | None = None
        self._here: Ints = np.zeros(0, dtype=np.int64)
        self._closure: tuple[JointState, Closure] | None = None
        self._still: Still | None = None
        self.parked: list[Parked] = []
        self.went: list[tuple[ClosedCluster, Motion]] = []
        """Clusters that left singular positions on one of several motions; the reader empties it."""

    def like(self, model: CompiledState, *, same_joints: bool) -> RowChoice:
        """The same choice for a model of the same structure; at a singular position it is looked at anew."""
        other = copy.copy(self)
        other._model = model
        other.parked = []
        other.went = []
        other._meant = None
        if not same_joints:
            other._closure = None
            other._generic = self._generic if self._still is None else None
            other._still = None
        return other

    def keep(self) -> Callable[[], None]:
        """What is chosen now; calling what is returned goes back to it."""
        chosen = dict(vars(self))
        taken = [parked.taken for parked in self.parked]
        went = list(self.went)

        def go_back() -> None:
            vars(self).update(chosen, went=went)
            for parked, motion in zip(self.parked, taken, strict=True):
                parked.taken = motion

        return go_back

    @property
    def _kinematics(self) -> Kinematics:
        """With the axes of loops as they were meant."""
        return self._as_meant()[0]

    def _as_meant(self) -> tuple[Kinematics, float]:
        """And by how much they are out of line [rad]."""
        if self._meant is None:
            mechanism, found = aligned(self._model.mechanism)
            self._meant = Kinematics(mechanism), max((item.angle for item in found), default=0.0)
        return self._meant

    def first(self) -> None:
        """Rows that are independent of each other at the present pose, whatever it is."""
        self._model.activate(self._independent(self._all_rows()))

    def choose(self) -> None:
        """Rows for a motion from the present state, which closes the loops."""
        self.parked = []
        if self._model.N[at.ROWS] == 0:
            return
        if self._generic is None:
            rows = self._independent(self._all_rows())
            if len(rows) < self._model.N[at.ROWS]:
                self._judge()
                return
            self._generic = rows
            self._note_greatest()
        if self._is_rigid() or not (self._is_still() or self._holds_at(self._generic)):
            self._judge()

    def take_clearest(self) -> bool:
        """As many rows as are active, those that are clearest at the present pose; the next choice looks at it anew.
        Whether they are others."""
        before = self._active()
        rows = self._independent(self._all_rows(), len(before))
        self._closure = None
        self._generic = None
        self._model.activate(rows)
        return not np.array_equal(np.sort(before), rows)

    @property
    def is_usual(self) -> bool:
        """Whether the rows of loops alone hold the mechanism, and would be those for other numbers, too."""
        return not (self.is_singular or self._is_rigid() or self._still is not None)

    def along(self) -> Ints:
        """The rows that count along the motion, as they were chosen last."""
        if self._generic is not None and not self._is_rigid():
            return np.array(self._generic)
        return self._active()

    def _active(self) -> Ints:
        """The rows that are solved."""
        count = int(self._model.N[at.RANK] - self._model.N[at.GUIDES])
        return np.array(at.int_block(self._model.N, at.I_ROW_ACTIVE)[:count])

    def _all_rows(self) -> Ints:
        return np.arange(int(self._model.N[at.ROWS]))

    def _is_rigid(self) -> bool:
        """Whether a cluster could not move when it was looked at last."""
        return self._closure is not None and any(item.is_rigid for item in self._closure[1].clusters)

    def _holds_at(self, rows: Ints, dt: float = 0.0) -> bool:
        """Whether a step of `dt` [s] can start here with these rows; they are active then."""
        self._model.activate(rows)
        return self._are_independent(dt)

    def _are_independent(self, dt: float) -> bool:
        """Whether a step of `dt` [s] can start here with the active rows and guides."""
        model = self._model
        return self._factor() == model.N[at.RANK] and not is_singular(model.F, model.N, dt)

    def _note_greatest(self) -> None:
        """What counts as 1 among pivots: the greatest at the present pose, whose rows have just been factored; and what
        is usual."""
        pivot = self._model.view(at.F_PIVOT)
        # The first entry of a pivoted Cholesky factor is the root of the greatest pivot.
        pivot[at.GREATEST] = float(self._model.view(at.F_A)[0]) ** 2
        pivot[at.USUAL] = max(float(pivot[0]), USUAL * float(pivot[at.GREATEST]))

    def _judge(self) -> None:
        """Find the rows that count along the motion, and park what is at a singular position."""
        model = self._model
        closure = self.closure_here()
        self._generic = self._rows_along(closure)
        self._here = self._independent(self._generic)
        pivots = model.view(at.F_PIVOT)
        if not closure.singular:
            pivots[at.GREATEST] = min(float(pivots[at.GREATEST]), float(pivots[0]) / (10.0 * CLOSE_BY))
        is_regular = not closure.singular or not (self._is_rigid() or pivots[0] < CLOSE_BY * pivots[at.GREATEST])
        if is_regular:
            has_one = self._as_meant()[1] > 0.0 or any(item.held for item in closure.clusters)
        else:
            has_one = not self._is_rigid() and all(len(item.motions) == 1 for item in closure.singular)
        if has_one and self._hold_still(closure):
            return
        if is_regular:
            self._model.activate(self._generic)
            return
        self._here = self._independent(
            self._generic, sum(item.rank_here for item in closure.clusters) - self._eliminated(closure)
        )
        self.parked = [parked_at(model, self._kinematics.layout, item, self._places(item)) for item in closure.singular]
        self.choose_motions(model.view(at.F_V).copy())

    def closure_here(self) -> Closure:
        """The closure at the present pose, or at one that is as good as that."""
        state = self._model.joint_state()
        if self._closure is not None:
            before, found = self._closure
            if before.distance(state) < SAME_PLACE:
                return found
        self._closure = state, closure_of(self._kinematics, state)
        return self._closure[1]

    def _rows_along(self, closure: Closure) -> Ints:
        """As many rows as count along the motion, those that are most independent at a pose of it."""
        model = self._model
        kept = model.F.copy()
        model.put(closure.generic)
        rows = self._independent(
            self._all_rows(), sum(item.rank for item in closure.clusters) - self._eliminated(closure)
        )
        self._note_greatest()
        first = at.place(model.N, at.F_PIVOT)
        kept[[first + at.GREATEST, first + at.USUAL]] = model.view(at.F_PIVOT)[[at.GREATEST, at.USUAL]]
        self.slack = self._slack(len(rows))
        model.F[:] = kept
        return rows

    def _slack(self, rank: int) -> float:
        """How far rows that are left out may come open: what they ask for besides the others, where axes are out of
        line by a rounding."""
        values = np.linalg.svd(self._model.constraint_matrix(), compute_uv=False)
        # The first singular value that is taken for zero is what the rows left out still ask for.
        least = float(values[rank]) if rank < len(values) else 0.0
        return max(CLOSED, SLACK * max(least, self._as_meant()[1]))

    def gap(self) -> float:
        """The largest residual [m, or 1 for directions] of all rows at the present state, those included that are left
        out."""
        return self._model.largest_residual() if at.leaves_some_out(self._model.N) else 0.0

    @property
    def is_singular(self) -> bool:
        """Whether rows of loops alone do not hold the mechanism where it was placed."""
        return bool(self.parked or self._model.N[at.GUIDES])

    def _eliminated(self, closure: Closure) -> int:
        """What couplings take of the ranks of the clusters, which are no rows here."""
        joints = joint_of_independent(self._model)
        clusters = [self._model.mechanism.clusters[item.cluster] for item in closure.clusters]
        left = sum(int(np.isin(joints, cluster.joints).sum()) for cluster in clusters)
        return sum(len(item.columns) for item in closure.clusters) - left

    # -- singular positions --------------------------------------------------------------------------------------------

    def _places(self, item: ClosedCluster) -> Ints:
        """The independent coordinates of a cluster."""
        cluster = self._model.mechanism.clusters[item.cluster]
        return np.flatnonzero(np.isin(joint_of_independent(self._model), cluster.joints))

    def _hold_still(self, closure: Closure) -> bool:
        """Continue with guides against what the chosen motions leave at rest, if there is any, and nothing is singular
        here with these."""
        self._still = None
        model = self._model
        joints = joint_of_independent(self._model)
        found = []
        taken = {parked.cluster.cluster: parked.freedoms for parked in self.parked}
        count = 0
        kept = model.F.copy()
        for item in closure.clusters:
            freedoms = taken.get(item.cluster, item.mobility)
            places = self._places(item)
            velocities = []
            count += len(places) - freedoms
            for pose, tangent in item.beside:
                if tangent.shape[1] == freedoms:
                    model.put(pose)
                    velocities.append(reduced_velocities(model, self._kinematics.layout, tangent))
            if velocities:
                found.append(still_directions(np.concatenate(velocities, axis=1), joints, places))
        model.F[:] = kept
        guides = np.concatenate(found) if found else np.zeros((0, len(joints)))
        if 0 < len(guides) <= min(count, len(model.view(at.F_GUIDE_RHS))):
            self._still = Still(guides, rows_beside(model, guides, count - len(guides)), model.view(at.F_Q).copy())
        return self._is_still()

    def _is_still(self) -> bool:
        """Whether a step can start here with guides against what is at rest, as far as that is known; they are active
        then."""
        still, model = self._still, self._model
        if still is None or not still.is_at(model):
            return False
        model.activate(still.rows)
        self._set_guide_rows(still.guides, np.zeros(len(still.guides)), parked=False)
        return self._are_independent(0.0)

    def choose_motions(self, velocity: Array) -> None:
        """Put every parked cluster on the motion that keeps most of the kinetic energy of `velocity`, shape
        (independent,)."""
        model = self._model
        H = model.mass_matrix()
        momentum = H @ velocity
        for parked in self.parked:
            kept = []
            for T in parked.tangents:
                inertia = T.T @ H[np.ix_(parked.places, parked.places)] @ T
                along = T.T @ momentum[parked.places]
                # Projection on the tangent in the metric of H: (Tᵀ H v)ᵀ (Tᵀ H T)^-1 (Tᵀ H v) is twice the energy that
                # stays.
                kept.append(float(along @ np.linalg.solve(inertia, along)))
            parked.taken = int(np.argmax(kept)) if kept else 0
        self._model.activate(self._here)
        model.refresh()
        find_rows(model.F, model.N, True)
        m = int(model.N[at.INDEPENDENT])
        K = model.view(at.F_K)[: len(self._here) * m].reshape(-1, m)
        found = [guides_of(K, parked, velocity) for parked in self.parked]
        guides = np.concatenate([rows for rows, _ in found])
        self._set_guide_rows(guides, np.concatenate([bias for _, bias in found]), parked=True)

    def _set_guide_rows(self, rows: Array, bias: Array, *, parked: bool) -> None:
        room = len(self._model.view(at.F_GUIDE_RHS))
        if len(rows) > room:
            raise EngineLimitError(
                f"the mechanism is at a position that is singular in {len(rows)} ways; {room} are the most that can be "
                "distinguished: "
                "start it beside that position"
            )
        self._model.view(at.F_GUIDE)[: rows.size] = rows.ravel()
        self._model.view(at.F_GUIDE_RHS)[: len(rows)] = bias
        self._model.activate(self._active(), len(rows), parked=parked)

    def step(self, advance: Callable[[float], float], dt: float, told: Array | None = None) -> float:
        """One step of `dt` [s] from a singular position by `advance`, which returns the residual that its projection
        met. `told`: what it reads besides the state, and may change."""
        model = self._model
        if any(len(parked.tangents) > 1 for parked in self.parked):
            kept = model.F.copy()
            sizes = model.N.copy()
            told_before = None if told is None else told.copy()
            before = model.view(at.F_V).copy()
            self._model.activate(self._here)
            advance(dt)
            after = model.view(at.F_V).copy()
            model.F[:], model.N[:] = kept, sizes
            if told is not None:
                told[:] = told_before
            # From rest a trial step shows where forces pull; on the way it is the velocity that decides.
            self.choose_motions(after if np.abs(before).max() < np.abs(after).max() else before)
            if self._leave_for_good():
                return advance(dt)
        worst = advance(dt)
        self._return_to_generic_rows(dt)
        return worst

    def _leave_for_good(self) -> bool:
        """Continue along a motion that has more freedoms than others that meet here, by what it leaves at rest."""
        assert self._closure is not None
        if not any(parked.stays_singular for parked in self.parked):
            return False
        model = self._model
        kept, sizes = model.F.copy(), model.N.copy()
        if not self._hold_still(self._closure[1]):
            model.F[:], model.N[:] = kept, sizes
            return False
        self._note_went()
        return True

    def _note_went(self) -> None:
        self.went += [(item.cluster, item.cluster.motions[item.taken]) for item in self.parked if item.tangents]
        self.parked = []

    def _return_to_generic_rows(self, dt: float) -> None:
        """Continue with all rows as soon as they are independent again."""
        if self._is_rigid() or self._generic is None:
            return
        guides = int(self._model.N[at.GUIDES])
        if self._holds_at(self._generic, dt):
            self._note_went()
            return
        self._model.activate(self._here, guides, parked=True)

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _independent(self, rows: Ints, most: int | None = None) -> Ints:
        """Those of the rows that are independent at the present pose, sorted; no more than `most`, the clearest
        ones."""
        self._model.activate(rows)
        rank = self._factor()
        count = rank if most is None else min(rank, most)
        return np.sort(rows[at.int_block(self._model.N, at.I_PIVOT)[:count]])

    def _factor(self) -> int:
        """Factor the active rows and guides at the present pose; returns their rank."""
        return int(factor_active_rows(self._model.F, self._model.N))
