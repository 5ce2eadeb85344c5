"""First-order changes of closed mechanisms: implicit differentiation of closure and equations of motion.

With the residuals of `analysis.jets`, D the derivative along a parameter and everything that is known to change with
it, and independent coordinates y that are held (y, ẏ, and ÿ or the efforts τ):

    K dq + Dφ = 0,  K du + Dφ' = 0,  K da + Dφ'' = 0,  Gᵀ (M da + Dr) = 0   for given efforts,  Gᵀ Dr = dτ   for given ÿ

K G = 0, and r has the multipliers λ of the motion itself: what they change by is orthogonal to G. (Haug, Wehage and
Barman, Design sensitivity analysis of planar mechanism and machine dynamics, 1981.)
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.jets import Point, Residuals
from simulator.errors import UsageError
from simulator.kinematics.allowed import with_loop_axes
from simulator.kinematics.spectrum import RANK_TOLERANCE
from simulator.kinematics.state import multi_dof_joints
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.jets import Jets
    from simulator.analysis.numbers import Directions, MechanismNumbers
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array

    Flags = NDArray[np.bool_]
    StateChange = tuple[Array, Array, Flags]

SINGULAR = 1e-5
"""Singular values of K below this part of the largest: loops that are closed to 1e-12 leave positions few digits."""
OPEN = 1e-7
"""A loop whose gap grows by more than this part of what a parameter moves opens with it."""
SMALL = 1e-2
"""Of gaps that grow slower, OPEN times this counts: round-off is below 1e-10."""


@dataclass(frozen=True, eq=False)
class Along:
    """Directions: `numbers`, how the numbers of the mechanism change; `position`, `velocity` (n_directions,
    n_independent): how those of the independent coordinates do."""

    numbers: Directions
    position: Array
    velocity: Array

    @staticmethod
    def parameters(numbers: Directions, count: int, independent: int) -> Along:
        """`count` parameters, the independent coordinates held."""
        return Along(numbers, np.zeros((count, independent)), np.zeros((count, independent)))


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """What changes along each direction, shapes (n_states, n_directions, …): `position`, `velocity`, `acceleration` of
    all freedoms (n,), `poses` (n_bodies, 4, 4), `efforts` on the independent coordinates (n_independent,)."""

    position: Array
    velocity: Array
    acceleration: Array
    poses: Array
    efforts: Array


class Tangents:
    """A mechanism at some states, all with the same independent freedoms, whose rows of K depend on each other in the
    same way."""

    def __init__(
        self,
        jets: Jets,
        numbers: MechanismNumbers,
        kinematics: Kinematics,
        states: Sequence[JointState],
        places: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> None:
        """`places`: the independent freedoms (n_independent,), or those at each state (n_states, n_independent); None
        where any coordinates of the motion will do. Raises UsageError where a state is singular."""
        self.jets, self.numbers = jets, numbers
        self.places = None
        if places is not None:
            given = np.asarray(places, dtype=np.int64)
            self.places = np.broadcast_to(given, (len(states), given.shape[-1]))
        points = [self._position(kinematics, state) for state in states]
        q, loose = (np.stack(parts)[:, None] for parts in zip(*points, strict=True))
        still = np.zeros((len(states), 1, jets.size))
        self.at = Point(q, loose, still, still, np.zeros((len(states), 1, jets.rows)))
        basis = self.jets.slopes(numbers, self.at, {}, self._moved(None, np.eye(jets.size)[None], None))
        self.K: Array = np.swapaxes(basis.rate, -1, -2)
        self.G: Array = self._map()
        """All freedoms from the independent ones, shape (n_states, n, n_independent)."""
        if self.places is not None:
            self.move(np.take_along_axis(self._velocities(states), self.places, axis=-1))

    def move(self, rates: Array) -> None:
        """Give the independent coordinates velocities (n_states, n_independent), and all others what follows."""
        self.at = self.at._replace(u=_apply(self.G, rates)[:, None])

    # -- the motion itself ---------------------------------------------------------------------------------------------

    @cached_property
    def mass(self) -> Array:
        """Mass matrix over all freedoms, shape (n_states, n, n)."""
        basis = self.jets.slopes(self.numbers, self.at, {}, self._moved(None, None, np.eye(self.jets.size)[None]))
        return np.swapaxes(basis.efforts, -1, -2)

    def driven(self, accelerations: Array) -> tuple[Array, Array]:
        """Accelerations of all freedoms (n_states, n) and efforts on the independent coordinates (n_states,
        n_independent) where these have accelerations (n_states, n_independent)."""
        curved = self._curved()
        a = curved + _apply(self.G, accelerations)
        return a, _apply(np.swapaxes(self.G, -1, -2), self._needed(a))

    def free(self, efforts: Array) -> Array:
        """Accelerations of all freedoms (n_states, n) under efforts on all freedoms (n_states, n)."""
        curved = self._curved()
        back = np.swapaxes(self.G, -1, -2)
        lacking = _apply(back, efforts - self._needed(curved))
        return np.asarray(
            curved + _apply(self.G, np.linalg.solve(back @ self.mass @ self.G, lacking[..., None])[..., 0])
        )

    # -- what changes --------------------------------------------------------------------------------------------------

    def change(
        self, along: Along, acceleration: Array, applied: Array | None, of_state: StateChange | None = None
    ) -> tuple[FirstOrder, Flags]:
        """What changes along directions at `acceleration` (n_states, n): under the efforts `applied` (n_states, n) on
        all freedoms, or with the accelerations of independent coordinates held. The second value says which of them
        loops cannot follow, shape (n_directions,). `of_state`: what `change_of_state` gives, if it is known."""
        pull = self._pull(self._needed(acceleration) - (0.0 if applied is None else applied), applied is None)
        at = self.at._replace(du=acceleration[:, None], pull=pull[:, None])
        G = self.G[:, None]
        back = np.swapaxes(self.G, -1, -2)[:, None]
        dq, du, lost = of_state or self.change_of_state(along)
        moved = self._slopes(at, along.numbers, dq, du)
        da, jammed = self._closed(moved.curve)
        efforts = _apply(back, moved.efforts + _apply(self.mass[:, None], da))
        if applied is not None:
            # One factorization for all directions.
            inside = back[:, 0] @ self.mass @ self.G
            da = da - _apply(G, np.swapaxes(np.linalg.solve(inside, np.swapaxes(efforts, -1, -2)), -1, -2))
        bad: Flags = lost | np.any(jammed, axis=0)
        return FirstOrder(dq, du, da, moved.poses, efforts), bad

    def change_of_state(self, along: Along) -> StateChange:
        """What changes along directions in positions and velocities of all freedoms, shape (n_states, n_directions, n)
        each, and which directions loops cannot follow, shape (n_directions,)."""
        zero = np.zeros((len(self.K), len(along.position), self.jets.size))
        G = self.G[:, None]
        if not self.jets.rows:  # nothing has to follow
            none = np.zeros(len(along.position), dtype=bool)
            return zero + _apply(G, along.position), zero + _apply(G, along.velocity), none
        dq, opened = self._closed(self._slopes(self.at, along.numbers, zero, zero).closure)
        dq = dq + _apply(G, along.position)
        du, stuck = self._closed(self._slopes(self.at, along.numbers, dq, zero).rate)
        return dq, du + _apply(G, along.velocity), np.any(opened | stuck, axis=0)

    def jams(self, along: Along, dq: Array) -> Flags:
        """Which directions, by which positions change by `dq` (n_states, n_directions, n), take loops their mobility:
        of rows of K that depend on each other, uᵀ DK G is not zero. Shape (n_directions,)."""
        if self.G.shape[-1] == self.jets.size - self.K.shape[-2]:  # no row depends on others
            return np.zeros(dq.shape[1], dtype=bool)
        found = np.zeros(dq.shape[:2], dtype=bool)
        for column in range(self.G.shape[-1]):
            at = self.at._replace(u=self.G[:, None, :, column])
            found |= self._closed(self._slopes(at, along.numbers, dq, np.zeros_like(dq)).rate)[1]
        return np.asarray(found.any(axis=0))

    # -- inside --------------------------------------------------------------------------------------------------------

    def _position(self, kinematics: Kinematics, state: JointState) -> tuple[Array, Array]:
        """Positions of all axes, those of loop joints measured, with the turns that the state counts; loose poses."""
        return with_loop_axes(kinematics, state).position, state.loose_pose

    def _map(self) -> Array:
        """G, shape (n_states, n, n_independent)."""
        _, values, basis = np.linalg.svd(self.K, full_matrices=True)
        ranks = np.zeros(1)
        near = False
        if values.size:
            size = np.maximum(1.0, values[:, :1])
            ranks = np.sum(values > RANK_TOLERANCE * size, axis=-1)
            near = bool(np.any((values > RANK_TOLERANCE * size) & (values < SINGULAR * size)))
        freedoms = self.jets.size - int(ranks.max())
        wrong = self.places is not None and self.places.shape[-1] != freedoms
        if near or wrong or ranks.min() != ranks.max():
            raise UsageError("a gradient needs a state that is not singular, or next to that: see condition()")
        null = np.swapaxes(basis[:, self.jets.size - freedoms :], -1, -2)
        if self.places is None:
            return null
        return np.asarray(null @ np.linalg.inv(np.take_along_axis(null, self.places[:, :, None], axis=1)))

    def _velocities(self, states: Sequence[JointState]) -> Array:
        """Velocities that states give to all freedoms, shape (n_states, n)."""
        mechanism, layout = self.jets.mechanism, self.jets.layout
        v = np.zeros((len(states), self.jets.size))
        for row, state in zip(v, states, strict=True):
            row[self.jets.freedom] = state.velocity
            for slot, joint in enumerate(multi_dof_joints(mechanism)):
                first = layout.first[joint]
                size = mechanism.joints[joint].dof
                row[first : first + size] = state.loose_twist[slot, :size]
        return v

    def _moved(self, dq: Array | None, du: Array | None, da: Array | None) -> Point:
        """Changes of positions, velocities and accelerations of all freedoms, shapes (…, n), as those of a point."""
        jets = self.jets
        given = next(part for part in (dq, du, da) if part is not None)
        zero = np.zeros(given.shape)
        dq, du, da = (zero if part is None else part for part in (dq, du, da))
        loose = np.zeros((*given.shape[:-1], self.at.loose.shape[-3], 6))
        for slot, joint in enumerate(multi_dof_joints(jets.mechanism)):
            first = jets.layout.first[joint]
            size = jets.mechanism.joints[joint].dof
            loose[..., slot, :size] = dq[..., first : first + size]
        return Point(dq[..., jets.freedom], loose, du, da, np.zeros((*given.shape[:-1], jets.rows)))

    def _slopes(self, at: Point, directions: Directions, dq: Array, du: Array) -> Residuals:
        return self.jets.slopes(self.numbers, at, directions, self._moved(dq, du, None))

    def _needed(self, acceleration: Array) -> Array:
        """r without multipliers and efforts, shape (n_states, n)."""
        at = self.at._replace(du=acceleration[:, None])
        return np.asarray(self.jets.residuals(self.numbers, at).efforts[:, 0])

    def _curved(self) -> Array:
        """Accelerations with which K u' + K' u = 0, those of the independent freedoms zero, shape (n_states, n)."""
        curve = self.jets.residuals(self.numbers, self.at).curve
        return self._closed(curve)[0][:, 0]

    def _closed(self, gap: Array) -> tuple[Array, Flags]:
        """x with K x + gap = 0 and no change of the independent freedoms, shape (n_states, n_parameters, n), and where
        there is none."""
        x = -_apply(self._inverse[:, None], gap)
        left = np.abs(_apply(self.K[:, None], x) + gap).max(axis=-1, initial=0.0)
        if self.places is not None:
            x = x - _apply(self.G[:, None], np.take_along_axis(x, self.places[:, None], axis=-1))
        return x, left > OPEN * np.maximum(np.abs(gap).max(axis=-1, initial=0.0), SMALL)

    @cached_property
    def _inverse(self) -> Array:
        return np.asarray(np.linalg.pinv(self.K, rcond=RANK_TOLERANCE))

    def _pull(self, needed: Array, inverse: bool) -> Array:
        """λ with Kᵀ λ = r, shape (n_states, n_rows); what independent coordinates are driven with is taken off."""
        if inverse and self.places is not None:
            held = np.zeros_like(needed)
            np.put_along_axis(held, self.places, _apply(np.swapaxes(self.G, -1, -2), needed), axis=-1)
            needed = needed - held
        return _apply(np.swapaxes(self._inverse, -1, -2), needed)


def _apply(matrix: NDArray[Any], vector: NDArray[Any]) -> Array:
    """Matrices times vectors, shapes (…, n, m) and (…, m)."""
    return np.asarray((matrix @ vector[..., None])[..., 0])
