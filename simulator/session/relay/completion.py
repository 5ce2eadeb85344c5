"""A mechanism put at measured positions by compiled kernels, with what a relay sends of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.limits import limits_of
from simulator.mechanism.residuals import CouplingRows, LoopRows
from simulator.mechanism.types import MotionKind
from simulator.physics.sweep.poses import CLEAR, EFFORTS
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.physics.layout.sweep_layout import Points
    from simulator.physics.queries.posed import Places, Plan, Posed
    from simulator.spatial.arrays import Array

LONGEST_TURN, LONGEST_SLIDE, PART_OF_RANGE = 0.5, 0.1, 0.25
"""Motion of a joint between two states from which the way between is a guess: of a turn [rad], and of a slide without
limits [m]; a slide with limits may move by a part of its range."""

FARTHEST_TURN, FARTHEST_SLIDE = 1e4, 1e2
"""Ways [rad, m] that are followed at once: to find out what is at their end takes up to half a second."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A state of the whole mechanism. `stamp` [s], None where no message had one; `position` [rad or m], shape
    (n_axes,); `velocity`, None where that of a moved joint is not known; `effort` [N m or N] on the moved joints, 0 on
    others, None unless asked for; `X_WL`, shape (n_links, 4, 4); `residual`: of couplings [unit of the follower], then
    of each loop [m] and [rad]."""

    stamp: float | None
    position: Array
    velocity: Array | None
    effort: Array | None
    X_WL: Array
    residual: Array


class Completion:
    """Of one mechanism; `limits` of its axes; `longest_step` and `farthest` (n_axes,) [rad or m]: see `LONGEST_TURN`
    and `FARTHEST_TURN`."""

    def __init__(self, posed: Posed, *, efforts: bool) -> None:
        mechanism = posed.mechanism
        self.limits = limits_of(mechanism)
        turns = np.array([axis.kind is MotionKind.ROTATION for axis in mechanism.axes], dtype=bool)
        self.farthest = np.where(turns, FARTHEST_TURN, FARTHEST_SLIDE)
        ranges = self.limits.upper - self.limits.lower
        slides = np.where(np.isfinite(ranges), PART_OF_RANGE * ranges, LONGEST_SLIDE)
        self.longest_step = np.where(turns, LONGEST_TURN, slides)
        self._posed = posed
        self._efforts = efforts
        self._couplings, self._loops = CouplingRows(mechanism), LoopRows(mechanism)
        tree = posed.model.parts.tree
        bodies = len(mechanism.bodies)
        self._nodes = np.array([int(tree.node_of_body[body]) for body in range(1, bodies)], dtype=np.intp)
        self._X_NB = np.array([tree.X_LB[body].matrix() for body in range(1, bodies)]).reshape(-1, 4, 4)
        placed = list(mechanism.placed_links().values())
        self._body = np.array([body for body, _ in placed], dtype=np.intp)
        self._X_BL = np.array([X_BL.matrix() for _, X_BL in placed]).reshape(-1, 4, 4)

    def reach(self, plan: Plan, targets: Array, seed: JointState) -> Places:
        """Positions with the axes of `plan` at `targets` (n_moves,), on the way from `seed`; nan where none leads
        there."""
        self._posed.begin(seed)
        return self._posed.reach(plan, targets[None], seed)

    def motion(
        self, plan: Plan, places: Places, velocity: Array | None, acceleration: Array | None, stamp: float | None
    ) -> tuple[Motion, bool]:
        """What holds at `places`, and whether no singular position is near, so that velocities and efforts have a
        meaning. `velocity` and `acceleration` of the axes of `plan`, None where one is not known: efforts are those at
        rest, or without acceleration."""
        taken: list[tuple[Array, Array, float]] = []

        def pick(points: Points) -> Array:
            taken.append((points.frame[0, self._nodes], points.rate[0].copy(), float(points.regular[0])))
            held: Array = points.held.copy()
            return held

        rates = None if velocity is None else velocity[None]
        bends = None if velocity is None or acceleration is None else acceleration[None]
        seen = self._posed.observe(plan, places, pick, EFFORTS, rates=rates, accelerations=bends)
        [(frames, moving, pivot)] = taken
        axes = places.axes[0].copy()
        is_regular = abs(pivot) > CLEAR * plan.usual
        X_WB = self._bodies(frames)
        effort = np.zeros(len(axes))
        effort[list(plan.axes)] = seen.values[0, : len(plan.axes)]
        loops = self._loops.residuals(X_WB)
        motion = Motion(
            stamp=stamp,
            position=axes,
            velocity=moving if velocity is not None and is_regular else None,
            effort=effort if self._efforts and is_regular else None,
            X_WL=X_WB[self._body] @ self._X_BL,
            residual=np.concatenate((self._couplings.residuals(axes), loops.ravel())),
        )
        return motion, is_regular

    def state(self, plan: Plan, axes: Array, seed: JointState) -> JointState:
        """The state at rest that was reached last, to continue from."""
        return self._posed.state(axes, plan, seed)

    def _bodies(self, frame: Array) -> Array:
        """X_WB of all bodies, shape (n_bodies, 4, 4), of the frames of their nodes, shape (n_bodies - 1, 12)."""
        X_WN = np.zeros((len(frame), 4, 4))
        X_WN[:, :3, :3] = frame[:, :9].reshape(-1, 3, 3)
        X_WN[:, :3, 3] = frame[:, 9:]
        X_WN[:, 3, 3] = 1.0
        found: Array = np.concatenate((np.eye(4)[None], X_WN @ self._X_NB))
        return found
