"""What every joint and coupling carries at one state of motion.

Newton–Euler for each body with the accelerations there: those that given efforts bring about, or those that are asked
for; the latter also give the efforts that it takes. The wrench of a joint is all that goes through it, by the parent on
the child: what constrains, and the effort along its axis, whether it comes from a drive, a spring, a damper, friction,
a stop or a coupling.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.body_motions import BodyMotions
from simulator.analysis.coupling_efforts import CouplingEfforts
from simulator.analysis.fixed_joints import Carried
from simulator.analysis.wrenches import COMPONENTS, JointWrenches, time_of
from simulator.errors import UsageError
from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.physics.sweep.swept import Loads, SweptMechanism
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.analysis.fixed_joints import FixedJoints, LinkContact
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class Reactions:
    """Of one state. `reactions["crank_joint"]` is the wrench of a joint as a `NamedVector`.

    `wrenches`: force [N] and moment [N m] of every joint, by the parent on the child, in world axes, the moment about
    `points`, shape (n_joints, 3): the child's joint frame. `determined`, shape (n_joints, 6): whether equilibrium alone
    gives that component; where it is False, redundant joints share the load by their compliances, all alike where the
    document names none. `couplings`: effort on the follower of every coupling; on its leaders it is minus the
    multiplier times that. `couplings_determined`, shape (n_couplings,). `accelerations`: of all axes [rad/s² or m/s²].
    `efforts`: on axes, beside those that were given, that the motion takes; zero where the accelerations come from the
    efforts. `motion`: of the bodies, at a `time` [s].
    """

    wrenches: NamedMatrix
    points: Array
    determined: NDArray[np.bool_]
    couplings: NamedVector
    couplings_determined: NDArray[np.bool_]
    accelerations: NamedVector
    efforts: NamedVector
    motion: BodyMotions = field(repr=False)
    time: float = 0.0

    def __getitem__(self, joint: str) -> NamedVector:
        """Wrench of a joint. Raises UnknownNameError for one that does not exist."""
        found: NamedVector = self.wrenches[joint]
        return found

    def carried(self, contacts: tuple[LinkContact, ...] = ()) -> Carried:
        """What acts on links besides fixed joints."""
        return Carried(self.wrenches.rows, self.wrenches.array[None], self.points[None], self.time, contacts)

    def with_fixed(self, fixed: FixedJoints, contacts: tuple[LinkContact, ...] = ()) -> Reactions:
        """With rows for fixed joints behind the others."""
        if not fixed.names:
            return self
        wrenches = fixed.of(self.motion, self.carried(contacts))[0]
        known = np.repeat(fixed.determined[:, None], 6, axis=1)
        return replace(
            self,
            wrenches=NamedMatrix(
                (*self.wrenches.rows, *fixed.names), COMPONENTS, np.concatenate((self.wrenches.array, wrenches))
            ),
            points=np.concatenate((self.points, fixed.places(self.motion)[0])),
            determined=np.concatenate((self.determined, known)),
        )


class JointLoads(NamedTuple):
    """`wrenches` (n_joints, 6) about `points` (n_joints, 3), and the `motion`, as in `Reactions`."""

    wrenches: Array
    points: Array
    motion: BodyMotions


class Balance:
    """Reactions of one mechanism, state after state."""

    def __init__(
        self, kinematics: Kinematics, rotors: Array | None = None, compliance: Mapping[str, Array] | None = None
    ) -> None:
        """`rotors` (n_axes, n_axes): the inertia that they add to axes. `compliance`: see `SweptMechanism`."""
        self.swept = SweptMechanism(kinematics, rotors, compliance)
        self.joints = JointWrenches(self.swept)
        self.couplings = CouplingEfforts(self.swept)
        self._rotors = rotors

    def under(self, state: JointState, efforts: Array, loads: Loads | None = None) -> Reactions:
        """Of the motion under `efforts` on all axes, shape (n_axes,) [N m or N], and `loads`, which begins at
        `state`."""
        plan = self._at(state, efforts, loads, ())
        return self._reported(plan, self.swept.observe(plan, self.swept.accelerate(plan)))

    def joints_under(self, state: JointState, efforts: Array, loads: Loads | None = None) -> JointLoads:
        """What joints carry in the same motion. What couplings pass on is not looked for: of a thousand of them it
        takes seconds to find out which follow from the others."""
        plan = self._at(state, efforts, loads, ())
        return self._carried(self.swept.observe(plan, self.swept.accelerate(plan)))

    def of_motion(self, state: JointState, accelerations: Mapping[int, float], loads: Loads | None = None) -> Reactions:
        """Of the motion with these accelerations of axes [rad/s² or m/s²], 0 of other independent ones; `efforts` are
        what it takes.

        Raises UsageError for axes that couplings and loops do not let accelerate like that.
        """
        plan = self._at(state, np.zeros(len(state.position)), loads, tuple(accelerations))
        return self._reported(
            plan, self.swept.observe(plan, self.swept.accelerated(plan, list(accelerations.values())))
        )

    def efforts_of_motion(self, state: JointState, accelerations: Mapping[int, float]) -> Array:
        """Efforts on axes that give all freedoms their motion, the leading axes having these accelerations [rad/s² or
        m/s²], shape (n_axes,) [N m or N].

        Raises UsageError for axes that do not lead all freedoms, and as `of_motion` does.
        """
        plan = self._at(state, np.zeros(len(state.position)), None, tuple(accelerations))
        if len(plan.lock):
            many = len(plan.move) + len(plan.lock)
            raise UsageError(
                f"{len(plan.move)} of {many} freedoms are led by these axes: name as many axes as there are; a "
                "link that floats has none"
            )
        points = self.swept.observe(plan, self.swept.accelerated(plan, list(accelerations.values())))
        efforts: Array = self.swept.axis_efforts(plan, points)[0]
        return efforts

    def _at(self, state: JointState, efforts: Array, loads: Loads | None, moves: tuple[int, ...]) -> Sweep:
        self.swept.put(state)
        self.swept.load(loads or Loads.none())
        self.swept.model.set_efforts(efforts)
        return self.swept.prepare(moves, [1.0] * len(moves))

    def _reported(self, plan: Sweep, points: Points) -> Reactions:
        names = tuple(axis.name for axis in self.swept.mechanism.axes)
        carried = self._carried(points)
        return Reactions(
            NamedMatrix(self.joints.names, COMPONENTS, carried.wrenches),
            carried.points,
            self.joints.determined(points),
            NamedVector(
                self.couplings.names, self.couplings.of(points, plan, self.swept.rotor_efforts(points.bend))[0]
            ),
            self.couplings.determined,
            NamedVector(names, points.bend[0]),
            NamedVector(names, self.swept.axis_efforts(plan, points)[0]),
            carried.motion,
            time_of(self.swept),
        )

    def _carried(self, points: Points) -> JointLoads:
        where = np.array([self.joints.at(points, i)[0] for i in range(len(self.joints.names))]).reshape(-1, 3)
        motion = BodyMotions(self.swept.model.parts.tree, points, gravity=self.swept.mechanism.gravity)
        return JointLoads(self.joints.of(points)[0], where, motion)
