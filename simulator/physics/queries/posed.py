"""A mechanism put at given positions by compiled kernels: one state or many, each described by its axes.

Some axes determine all others, on a branch. `Posed.plan` finds them among those that are named; `reach` brings them to
their positions along the way from the present ones, `observe` finds what holds there. What a way without singular
positions does not lead to is not reached: `assembly` looks for it with more care.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.kinematics.state import JointState
from simulator.mechanism.types import JointKind
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE, FREEDOMS
from simulator.physics.queries.loose_freedoms import LooseFreedoms
from simulator.physics.sweep.motion import differentiate
from simulator.physics.sweep.poses import ACCELERATIONS, EFFORTS, POSES, observe_each, rate_each, reach_each
from simulator.physics.sweep.swept import SweptMechanism
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.kinematics import Kinematics
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.spatial.arrays import Array


CHUNK = 256
"""States that are looked at together: more need more memory and save nothing."""
REGULAR = 1e-10
"""Least pivot over the greatest above which the moved axes determine the motion."""


@dataclass(frozen=True, eq=False)
class Plan:
    """`axes` that are moved; `is_whole`: they determine all others. Else what they leave open is held: `still`, places
    of such among the loose joints; `holds_joints`: also joints that couplings and loops tie to others. `usual`: least
    pivot over the greatest far from singular positions."""

    axes: tuple[int, ...]
    sweep: Sweep
    is_whole: bool
    holds_joints: bool
    still: tuple[int, ...]
    usual: float


class Places(NamedTuple):
    """`y` (n, positions) of the independent coordinates; `axes` (n, n_axes): positions of all axes [rad or m]."""

    y: Array
    axes: Array


class Observed(NamedTuple):
    """`values` (n, …); `gap` (n,): by how much loops are open [m, or 1 for directions]; `regular` (n,): whether the
    moved axes determine the motion."""

    values: Array
    gap: Array
    regular: NDArray[np.bool_]


class Posed:
    """One mechanism, for states one after the other; not for several threads."""

    def __init__(
        self,
        kinematics: Kinematics,
        rotors: Array | None,
        compliance: Mapping[str, Array],
        model: CompiledMechanism,
        state: JointState,
    ) -> None:
        """`rotors`, `compliance`, `model`: see `SweptMechanism`. `state`: assembled; rows of loops are chosen there."""
        self.swept = SweptMechanism(kinematics, rotors, compliance, model=model)
        self.model = model
        self.mechanism = kinematics.mechanism
        self.start = state
        self.swept.put(state)
        self._plans = dict[tuple[tuple[int, ...], ...], Plan]()
        self._y = self.swept.y.copy()
        self._is_tied = bool(kinematics.mechanism.loop_joints or kinematics.mechanism.couplings)
        codes = model.axis_codes
        self._loose_among = dict[tuple[int, ...], LooseFreedoms]()
        self._effort_places = np.where(codes >= 0, codes, model.parts.tree.freedoms - 1 - codes)

    @property
    def slack(self) -> float:
        """By how much rows of loops that follow from the others may be open [m, or 1 for directions]."""
        return float(self.model.rows.slack)

    @property
    def has_balls(self) -> bool:
        """Whether something turns on a ball of the tree: what it does is in no axis."""
        return any(self.mechanism.joints[joint].kind is JointKind.BALL for joint in self.model.loose)

    def begin(self, state: JointState | None = None, time: float = 0.0) -> None:
        """Use the model, which others may have used before; loads are those of `time` [s]. `state`: where to begin."""
        model = self.model
        self.swept.use_rows(model)
        model.view(at.F_TAU)[:] = 0.0
        model.set_time(time)
        if state is not None:
            model.put(state)

    def plan(self, axes: Sequence[int], loose: Sequence[int] = ()) -> Plan:
        """For moving axes, and behind them the freedoms `loose` of balls and floating bodies, see `LooseFreedoms`:
        those that count are chosen in their order, the document's independent axes first; once for each set, at the
        state that this began with, so that nothing depends on what was before. The model may be elsewhere
        afterwards."""
        key = tuple(axes), tuple(loose)
        found = self._plans.get(key)
        if found is None:
            self.begin()
            self.swept.begin_at(self._y)
            leading = set(self.mechanism.independent_axes())
            moved, turned = self.swept.leading(sorted(axes, key=lambda axis: axis not in leading), loose)
            sweep = self.swept.prepare(moved, [1.0] * (len(moved) + len(turned)), loose=turned)
            held = set(sweep.lock.tolist())
            still = {slot: own for slot, own in self._loose().items() if own <= held}
            floating = [own for slot, own in still.items() if len(own) == FREEDOMS[FREE]]
            ties = self._is_tied and bool(held.difference(*floating))
            differentiate(self.model.F, self.model.N, sweep)
            usual = float(sweep.regular[1])
            found = self._plans[key] = Plan(tuple(moved), sweep, not held, ties, tuple(still), usual)
        return found

    def spread(self, plan: Plan, places: Places, codes: Sequence[int]) -> Array:
        """Rates of freedoms per unit of rate of each that `plan` moves, shape (n, n_moves, n_codes)."""
        moves = np.eye(len(plan.sweep.move))
        columns = [
            self.observe(
                plan,
                places,
                lambda points: points.given[:, codes],
                EFFORTS,
                accelerations=np.tile(one, (len(places.y), 1)),
            ).values
            for one in moves
        ]
        return np.stack(columns, axis=1)

    def loose_among(self, places: Sequence[int]) -> LooseFreedoms:
        """The freedoms of balls and floating bodies among these, as `Kinematics` counts them."""
        key = tuple(places)
        found = self._loose_among.get(key)
        if found is None:
            found = self._loose_among[key] = LooseFreedoms(self.swept.kinematics, self.model, key)
        return found

    def _loose(self) -> dict[int, set[int]]:
        """Freedoms of balls and floating bodies, by their places among the loose joints."""
        tree = self.model.parts.tree
        nodes = [int(tree.node_of_body[joint + 1]) for joint in self.model.loose]
        firsts = [(int(tree.first[node]), FREEDOMS[int(tree.kind[node])]) for node in nodes]
        return {slot: set(range(first, first + count)) for slot, (first, count) in enumerate(firsts)}

    def reach(self, plan: Plan, targets: Array, seed: JointState) -> Places:
        """Positions with the moved axes at `targets` (n, n_moves), near `seed`, at which the model is: each on the way
        from the one before it, or from the seed. Rows that are not reached are nan. The digits of those that are
        depend on the targets and the branch only."""
        count = len(targets)
        N = self.model.N
        y = np.full((count + 1, int(N[at.POSITIONS])), np.nan)
        axes = np.full((count + 1, len(seed.position)), np.nan)
        y[-1] = self.swept.y
        axes[-1] = seed.position
        plan.sweep.regular[1] = plan.usual
        reach_each(self.model.F, N, plan.sweep, np.array(targets, dtype=float, order="C"), y, axes, self.slack)
        return Places(y[:-1], axes[:-1])

    def state(self, axes: Array, plan: Plan, seed: JointState) -> JointState:
        """The state at rest where the model is, with the axes at `axes` (n_axes,); what `plan` leaves as it is in
        `seed` keeps its digits."""
        poses, twists = self.model.loose_state()
        poses[list(plan.still)] = seed.loose_pose[list(plan.still)]
        return JointState(axes, np.zeros_like(axes), poses, np.zeros_like(twists))

    def placed(self, axes: Array, seed: JointState) -> Places:
        """`axes` (n, n_axes) as they are; bodies that float, and what turns on balls, as in `seed`."""
        y = np.tile(self.swept.y, (len(axes), 1))
        for independent, freedom in enumerate(self.model.parts.independent_freedom.tolist()):
            axis = self.model.parts.axis_of_freedom.get(freedom, -1)
            if axis >= 0:
                y[:, self.model.parts.ypos[independent]] = axes[:, axis]
        return Places(y, np.where(np.isfinite(axes), axes, seed.position))

    def observe(
        self,
        plan: Plan,
        places: Places,
        pick: Callable[[Points], Array],
        what: int,
        *,
        rates: Array | None = None,
        accelerations: Array | None = None,
        efforts: Array | None = None,
        loose: tuple[list[int], Array] | None = None,
    ) -> Observed:
        """What `pick` takes from the table of every state; `what`: see `sweep.poses`. `rates`, `accelerations` (n,
        n_moves), `efforts` (n, n_axes), `loose`: codes of freedoms and efforts on them; 0 without."""
        model = self.model
        count = len(places.y)
        moves = len(plan.sweep.move)
        states = np.zeros((3, count, max(places.y.shape[1], moves)))
        states[0, :, : places.y.shape[1]] = places.y
        for layer, given in ((1, rates), (2, accelerations)):
            if given is not None:
                states[layer, :, :moves] = given
        acting = np.zeros((count, len(model.view(at.F_TAU))))
        if efforts is not None:
            acting[:, self._effort_places] = efforts
        if loose is not None:
            acting[:, loose[0]] = loose[1]
        gap = np.zeros(count)
        regular = np.ones(count)
        found = []
        for first in range(0, max(count, 1), CHUNK):
            part = slice(first, min(first + CHUNK, count))
            points = self.swept.table(part.stop - first)
            part_of = np.ascontiguousarray(states[:, part])
            observe_each(
                model.F, model.N, plan.sweep, points, part_of, places.axes[part], acting[part], gap[part], what
            )
            regular[part] = points.regular
            found.append(pick(points))
        if what == ACCELERATIONS:
            model.view(at.F_TAU)[:] = 0.0
        return Observed(np.concatenate(found), gap, (np.abs(regular) > REGULAR) | (what == POSES))

    def rates(self, plan: Plan, places: Places, pick: Callable[[Points, Array], Array]) -> Observed:
        """The same of twists of nodes per unit of rate of the moved axes, shape (n, n_moves, nodes, 6)."""
        found, regular = [], []
        nodes = len(self.model.parts.tree.kind)
        for first in range(0, max(len(places.y), 1), CHUNK):
            y = np.ascontiguousarray(places.y[first : first + CHUNK])
            points = self.swept.table(len(y))
            moves = len(plan.sweep.move)
            twists = np.zeros((len(y), moves, 6 * nodes))
            rate_each(self.model.F, self.model.N, plan.sweep, points, y, twists)
            found.append(pick(points, twists.reshape(len(y), moves, nodes, 6)))
            regular.append(np.abs(points.regular) > REGULAR)
        return Observed(np.concatenate(found), np.zeros(len(places.y)), np.concatenate(regular))
