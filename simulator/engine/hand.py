"""A hand on one point of a mechanism: without time it moves the point along a line of sight, in time it pulls by a
spring and damper.

The spring connects the point and a target in the world. Its stiffness and damping are those at which the point
alone, with the inertia that it has in the mechanism, would follow at STRENGTH times 1.5 Hz, and hardly overshoot. When
the target is moved, the spring's energy changes: that is the work of the hand, and it is booked as work of loads. Its
damper dissipates.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.dragging import Dragging
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.loads import spring_length, spring_pull, spring_rate
from simulator.mechanism.loads import BodySpring
from simulator.records import dataclass
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.kinematics.dragging import Dragged, Sight
    from simulator.mechanism.loads import BodyLoads
    from simulator.spatial.rotation import Vec3


PACE = 2.0 * math.pi * 1.5
"""Angular frequency [rad/s] of the point on a spring of strength 1."""
DAMPING_RATIO = 0.7


@dataclass(frozen=True)
class Hold:
    """A point that is held: of a body, in its frame [m], and how hard a spring pulls on it."""

    body: int
    point: Vec3
    strength: float = 1.0


class Hand:
    """The hand on the mechanism of one engine; it holds one point at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._hold: Hold | None = None
        self._dragging: Dragging | None = None
        self._spring: BodySpring | None = None
        self._own: BodyLoads | None = None

    @property
    def pulls(self) -> bool:
        """Whether its spring is on the mechanism."""
        return self._spring is not None and self._engine.mechanism.loads.springs[-1:] == (self._spring,)

    def drag(self, hold: Hold, sight: Sight) -> Dragged:
        """Lead the point towards a line, everything at rest; raises UsageError where the body is fixed to the world."""
        if self.pulls:
            self.let_go()
        engine = self._engine
        if self._dragging is None or not self._same_place(hold) or self._dragging.mechanism is not engine.mechanism:
            self._dragging = Dragging(Kinematics(engine.mechanism), hold.body, np.array(hold.point))
        self._hold = hold
        dragged = self._dragging.toward(engine.at_rest(), sight)
        engine.put(dragged.state)
        return dragged

    def pull(self, hold: Hold, target: Vec3) -> None:
        """Pull the point towards `target` in the world [m] from the next step on."""
        engine = self._engine
        if self.pulls and hold == self._hold and self._spring is not None and self._own is not None:
            self._spring = replace(self._spring, points=(hold.point, target))
            engine.aim_spring(replace(self._own, springs=(*self._own.springs, self._spring)))
            return
        stiffness, damping = self._springiness(hold)
        if self.pulls:
            self.let_go()
        self._own = engine.mechanism.loads
        self._spring = BodySpring((hold.body, 0), (hold.point, target), stiffness, damping, 0.0)
        self._hold = hold
        self._dragging = None
        engine.change_loads(replace(self._own, springs=(*self._own.springs, self._spring)))

    def let_go(self) -> None:
        """Hold nothing any more; what the spring stored is gone with it."""
        if self.pulls and self._own is not None:
            self._engine.change_loads(self._own)
        self._hold = self._dragging = self._spring = self._own = None

    def force(self, snapshot: Snapshot) -> float:
        """What the spring and its damper pull with now [N]; 0 where there is none."""
        spring = self._spring
        if spring is None or not self.pulls:
            return 0.0
        X_WB = matrices(snapshot.body_poses)
        velocities = snapshot.body_velocities.copy()
        if not len(velocities):
            return spring_pull(spring, spring_length(spring, X_WB))
        arm = X_WB[spring.bodies[0], :3, :3] @ np.array(self._engine.mechanism.bodies[spring.bodies[0]].com)
        turning = velocities[spring.bodies[0], :3]
        velocities[spring.bodies[0], 3:] -= np.cross(turning, arm)
        return spring_pull(spring, spring_length(spring, X_WB)) + spring.damping * spring_rate(spring, X_WB, velocities)

    def _springiness(self, hold: Hold) -> tuple[float, float]:
        """Stiffness [N/m] and damping [N s/m]."""
        engine = self._engine
        pace = PACE * hold.strength
        dragging = Dragging(Kinematics(engine.mechanism), hold.body, np.array(hold.point))
        mass = dragging.reflected_mass(engine.at_rest())
        return mass * pace * pace, 2.0 * DAMPING_RATIO * mass * pace

    def _same_place(self, hold: Hold) -> bool:
        return self._hold is not None and (hold.body, hold.point) == (self._hold.body, self._hold.point)
