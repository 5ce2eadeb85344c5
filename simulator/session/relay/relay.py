"""Joint states of a robot or another program, completed to the motion of the whole mechanism, one after the other.

Each state is found on the way from the one before it, so the branch of assembly is the same as before. What cannot be
followed is said, and the last good state is held.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import counted
from simulator.errors import UsageError
from simulator.kinematics.limits import WITHIN
from simulator.mechanism.types import MotionKind
from simulator.model.names import distinct_tails
from simulator.recording.channels import channels_of
from simulator.recording.row_readings import RESIDUAL_GROUPS
from simulator.records import dataclass
from simulator.session.relay.completion import Completion
from simulator.session.relay.defaults import TOLERANCE
from simulator.session.relay.joint_state import JointSample
from simulator.session.relay.remarks import Remark
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from simulator.kinematics.state import JointState
    from simulator.physics.queries.posed import Plan, Posed
    from simulator.session.relay.completion import Motion
    from simulator.spatial.arrays import Array

RESTART = 1.0
"""Seconds that a stamp goes back from which a clock began anew."""
FASTEST = 1e9
"""Velocities [rad/s or m/s] and accelerations from which on they count as not known."""
NAMED = 6
"""Joints that a remark lists."""
MOST_NAMES = 10_000
"""Names of joints that are looked up once only."""


@dataclass(frozen=True, eq=False)
class Relayed:
    """What follows from the messages so far. `motion`: None until the joints that the motion needs have been received;
    `is_held`: it is that of an earlier message; `remarks`: why, and what else is to be known."""

    motion: Motion | None
    is_held: bool
    remarks: tuple[Remark, ...]


class Relay:
    """Completes joint states, each on the way from the one before.

    `joints`, `links` and `residuals`: names in the order of the arrays of a `Motion`; names of joints and links without
    their models where these are unique.
    """

    def __init__(
        self,
        posed: Posed,
        start: JointState,
        *,
        efforts: bool = False,
        only: Collection[str] = (),
        tolerance: float = TOLERANCE,
        timeout: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`posed`: used by no other thread; `start`: assembled, on the branch that is meant. `efforts`: also compute
        them. `only`: joints that are listened to, all if there is none. `tolerance` [rad or m]: how far joints that
        determine each other may be from agreeing. `timeout` [s] of the `clock`: after which a joint is late.

        Raises UnknownNameError for a joint of `only` that does not exist, UsageError for numbers that are not positive.
        """
        if not (tolerance > 0.0 and timeout > 0.0):
            raise UsageError(f"tolerance and timeout must be more than 0, not {tolerance:g} and {timeout:g}")
        mechanism = posed.mechanism
        self.joints = tuple(distinct_tails([axis.name for axis in mechanism.axes]))
        self.links = tuple(distinct_tails(list(mechanism.placed_links())))
        self.residuals = tuple(one.name for one in channels_of(mechanism) if one.group in RESIDUAL_GROUPS)
        self._posed = posed
        self._here = start
        self._completion = Completion(posed, efforts=efforts)
        self._only = {find_axis(mechanism, name) for name in only}
        self._tolerance, self._timeout, self._clock = tolerance, timeout, clock
        self._axes: dict[str, int | Remark] = {}
        self._position: dict[int, float] = {}
        self._rates: tuple[dict[int, float], dict[int, float]] = {}, {}
        self._stamps: dict[int, float] = {}
        self._received: dict[int, float] = {}
        self._stamp: float | None = None
        self._pending: list[Remark] = []
        self._lost: set[int] = set()
        self._motion: Motion | None = None

    def update(
        self,
        position: Mapping[str, float],
        velocity: Mapping[str, float] | None = None,
        acceleration: Mapping[str, float] | None = None,
        *,
        stamp: float | None = None,
    ) -> Relayed:
        """The motion with joints at these positions [rad or m], by name, and those received before where they are. A
        joint without a velocity has none that is known; without an acceleration, 0."""
        self.take(JointSample(position, velocity or {}, acceleration or {}, stamp))
        return self.solve()

    def take(self, sample: JointSample) -> None:
        """Receive a message without an answer to it: the next `solve` uses it and has the remarks on it."""
        values = {self._axis(name): value for name, value in sample.position.items()}
        named = {axis: value for axis, value in values.items() if axis is not None}
        if sample.stamp is not None and named:
            newest = max((self._stamps.get(axis, -math.inf) for axis in named), default=-math.inf)
            if sample.stamp < newest - RESTART:
                self._pending.append(Remark("CLOCK_RESET", f"the stamp {sample.stamp:.9g} s follows {newest:.9g} s"))
            elif sample.stamp < newest:
                self._pending.append(Remark("OLD_STAMP", f"the stamp {sample.stamp:.9g} s is before {newest:.9g} s"))
                return
            self._stamps.update(dict.fromkeys(named, sample.stamp))
        self._pending = [remark for remark in self._pending if remark.code != "OLD_STAMP"]
        self._stamp = sample.stamp
        lost = {axis for axis, value in named.items() if not math.isfinite(value)}
        self._lost = (self._lost - set(named)) | lost
        now = self._clock()
        for axis in named.keys() - lost:
            self._position[axis] = float(named[axis])
            self._received[axis] = now
        for kept, given in zip(self._rates, (sample.velocity, sample.acceleration), strict=True):
            moving = {self._axis(name): value for name, value in given.items()}
            for axis in named:
                kept.pop(axis, None)
            known = {axis: float(value) for axis, value in moving.items() if abs(value) < FASTEST}
            kept.update({axis: value for axis, value in known.items() if axis is not None})

    def solve(self) -> Relayed:
        """The motion that follows from all messages."""
        remarks = list(dict.fromkeys(self._pending))
        self._pending.clear()
        plan = self._plan(remarks)
        self._judge(plan, remarks)
        if plan is not None and not any(remark.holds for remark in remarks):
            self._follow(plan, remarks)
        held = any(remark.holds for remark in remarks)
        return Relayed(self._motion, held, tuple(remarks))

    @property
    def is_late(self) -> bool:
        """Whether a joint that has been received has not been for longer than the timeout."""
        return bool(self._late())

    # -- inside --------------------------------------------------------------------------------------------------------

    def _axis(self, name: str) -> int | None:
        """The axis of a name, None with a remark for a name that is none."""
        found = self._axes.get(name)
        if found is None:
            try:
                found = find_axis(self._posed.mechanism, name)
            except UsageError as error:
                found = Remark("UNKNOWN_JOINT", str(error))
            if len(self._axes) < MOST_NAMES:
                self._axes[name] = found
        if isinstance(found, Remark):
            if not self._only:
                self._pending.append(found)
            return None
        return found if not self._only or found in self._only else None

    def _plan(self, remarks: list[Remark]) -> Plan | None:
        """How the axes that have been received determine the rest; None with a remark if they do not."""
        missing = sorted(self._only - self._position.keys())
        plan = self._posed.plan(sorted(self._position)) if self._position else None
        if not missing and (plan is None or plan.holds_joints):
            missing = self._lacking(plan)
        if missing or plan is None:
            names = ", ".join(f"'{self.joints[axis]}'" for axis in missing[:NAMED])
            remarks.append(Remark("WAITING", f"the motion needs {counted(len(missing), 'more joint')}: {names}"))
            return None
        return plan

    def _lacking(self, plan: Plan | None) -> list[int]:
        """Axes that would determine what is open; freedoms that no axis has, a rod's about itself, may be open."""
        known = [] if plan is None else list(plan.axes)
        rest = [axis for axis in range(len(self.joints)) if axis not in self._position]
        whole = self._posed.plan([*known, *rest]).axes
        return [axis for axis in whole if axis not in known][: len(whole) - len(known)]

    def _judge(self, plan: Plan | None, remarks: list[Remark]) -> None:
        """Positions that are no numbers or late: a fault if the motion needs them, else they are forgotten."""
        late = self._late()
        needed = self._position.keys() if plan is None else set(plan.axes)
        for axis in sorted(self._lost):
            name = self.joints[axis]
            if axis in needed or plan is None:
                remarks.append(Remark("NOT_A_NUMBER", f"the position of '{name}' is no number"))
            else:
                remarks.append(Remark("NO_POSITION", f"the position of '{name}' is no number; it follows from others"))
        if late & needed:
            names = ", ".join(f"'{self.joints[axis]}'" for axis in sorted(late & needed))
            remarks.append(Remark("LATE", f"nothing has been received of {names} for {self._timeout:g} s"))
        for axis in (late | self._lost) - needed:
            self._position.pop(axis, None)
            self._received.pop(axis, None)

    def _late(self) -> set[int]:
        since = self._clock() - self._timeout
        return {axis for axis, when in self._received.items() if when < since}

    def _follow(self, plan: Plan, remarks: list[Remark]) -> None:
        """Go to the positions on the way from the last state; remarks say where that fails."""
        targets = np.array([self._position[axis] for axis in plan.axes])
        moved = list(plan.axes)
        if (np.abs(targets - self._here.position[moved]) > self._completion.farthest[moved]).any():
            remarks.append(Remark("OUT_OF_REACH", f"{self._at(plan.axes)} is too far from the last state"))
            return
        places = self._completion.reach(plan, targets, self._here)
        axes = places.axes[0]
        if np.isnan(axes).any():
            remarks.append(Remark("OUT_OF_REACH", f"{self._at(plan.axes)} cannot be reached from the last state"))
            return
        apart = self._apart(plan, axes)
        if apart:
            remarks.append(Remark("CONTRADICTION", self._contradiction(plan, axes, apart)))
            return
        if self._motion is not None:
            remarks += self._jumps(plan, axes)
        remarks += self._beyond(axes)
        velocity, acceleration = (self._rate_of(plan, kept) for kept in self._rates)
        self._motion, is_regular = self._completion.motion(plan, places, velocity, acceleration, self._stamp)
        if not is_regular:
            remarks.append(Remark("SINGULAR", f"{self._at(plan.axes)} do not determine how the others move"))
        self._here = self._completion.state(plan, axes, self._here)

    def _rate_of(self, plan: Plan, kept: Mapping[int, float]) -> Array | None:
        known = [kept.get(axis) for axis in plan.axes]
        return None if None in known else np.array(known, dtype=float)

    def _apart(self, plan: Plan, axes: Array) -> list[int]:
        """Axes that were received at other positions than the plan's give them."""
        others = [axis for axis in self._position if axis not in plan.axes]
        return [axis for axis in others if abs(self._difference(axis, axes)) > self._tolerance]

    def _difference(self, axis: int, axes: Array) -> float:
        """Received less computed; the angle of a loop joint is known up to whole turns."""
        info = self._posed.mechanism.axes[axis]
        difference = self._position[axis] - float(axes[axis])
        turns = info.kind is MotionKind.ROTATION and not info.in_tree
        return math.remainder(difference, 2.0 * math.pi) if turns else difference

    def _contradiction(self, plan: Plan, axes: Array, apart: Sequence[int]) -> str:
        parts = [
            f"'{self.joints[axis]}' is received at {self._position[axis]:.6g} and follows at {axes[axis]:.6g} "
            f"{self._posed.mechanism.axes[axis].unit}"
            for axis in apart[:NAMED]
        ]
        return f"with {self._at(plan.axes)}, {', '.join(parts)}"

    def _jumps(self, plan: Plan, axes: Array) -> list[Remark]:
        """Of moved joints that were elsewhere before."""
        before = self._here.position
        found = []
        for axis in plan.axes:
            way = abs(float(axes[axis] - before[axis]))
            if way > self._completion.longest_step[axis]:
                unit = self._posed.mechanism.axes[axis].unit
                message = f"'{self.joints[axis]}' moved by {way:.3g} {unit} since the last state"
                found.append(Remark("JUMP", f"{message}; a straight way on the same branch is assumed"))
        return found

    def _beyond(self, axes: Array) -> list[Remark]:
        excess = self._completion.limits.excess(axes)
        found = []
        for axis in np.flatnonzero(excess > WITHIN).tolist():
            unit = self._posed.mechanism.axes[axis].unit
            found.append(Remark("BEYOND_LIMIT", f"'{self.joints[axis]}' is {excess[axis]:.3g} {unit} beyond its limit"))
        return found

    def _at(self, axes: Sequence[int]) -> str:
        units = self._posed.mechanism.axes
        parts = [f"'{self.joints[axis]}' at {self._position[axis]:.6g} {units[axis].unit}" for axis in axes[:NAMED]]
        more = ", …" if len(axes) > NAMED else ""
        return f"{', '.join(parts)}{more}"
