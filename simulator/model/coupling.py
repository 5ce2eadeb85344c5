"""What a real coupling has beside its law: losses, play, elasticity, a freewheel or a clutch.

Each is stated where the coupling is, on a mimic, a gearbox or a screw. The leader is the input, the follower the
output.
"""

from __future__ import annotations

import itertools
import math

from simulator.model.profiles import Constant, Profile
from simulator.records import dataclass


@dataclass(frozen=True)
class Efficiency:
    """Share of the power that arrives at the follower where the leader drives (`forward`), and at the leader where the
    follower does (`backward`); 0 backward is self-locking. Tables over `speeds`, those of the leader without their sign
    [rad/s or m/s], ascending; one value without speeds is constant."""

    forward: tuple[float, ...] = (1.0,)
    backward: tuple[float, ...] = (1.0,)
    speeds: tuple[float, ...] = ()


@dataclass(frozen=True)
class BearingFriction:
    """Effort at the leader that losses take beside the load [N m or N], where the leader drives and where the follower
    does; tables as in `Efficiency`."""

    forward: tuple[float, ...] = (0.0,)
    backward: tuple[float, ...] = (0.0,)
    speeds: tuple[float, ...] = ()


@dataclass(frozen=True)
class Thread:
    """A screw thread or a worm: coefficient of `friction`, `flank_angle` between the normal of a flank and the axis
    [rad], `mean_diameter` [m]; of a worm that turns a wheel, `lead_angle` [rad], which of a screw follows from its
    lead. `collar_friction` acts at `collar_diameter` [m], the mean one of the thrust collar."""

    friction: float
    flank_angle: float = 0.0
    mean_diameter: float = 0.0
    lead_angle: float = 0.0
    collar_friction: float = 0.0
    collar_diameter: float = 0.0


@dataclass(frozen=True)
class Backlash:
    """Play of the follower, `width` from flank to flank [rad or m]. Flanks are rigid, with `restitution`, or elastic,
    with `stiffness` and `damping` of the follower [N m/rad or N/m, per second of it]."""

    width: float
    restitution: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class Compliance:
    """An elastic law: the follower is pushed by `stiffness` times what it lacks to its place and `damping` times the
    rate of that [N m/rad or N/m, per second of it]. The stiffness is a table over `positions`, those of the leader
    [rad or m], ascending, which is repeated with a `period` and constant beyond its ends without one (0); one value
    without positions is constant."""

    stiffness: tuple[float, ...]
    damping: float = 0.0
    positions: tuple[float, ...] = ()
    period: float = 0.0

    @property
    def varies(self) -> bool:
        """Whether the stiffness depends on the position of the leader."""
        return bool(self.positions)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """(position, stiffness) of the table; a periodic one ends a period behind its first point."""
        found = tuple(zip(self.positions, self.stiffness, strict=True)) if self.varies else ()
        if self.period and found[-1][0] < found[0][0] + self.period:
            return (*found, (found[0][0] + self.period, found[0][1]))
        return found

    def at(self, position: float) -> tuple[float, float]:
        """Stiffness at a position of the leader, and its derivative by it."""
        if not self.varies:
            return self.stiffness[0], 0.0
        points = self.points
        if self.period:
            position -= self.period * math.floor((position - points[0][0]) / self.period)
        for (begin, one), (end, other) in itertools.pairwise(points):
            if begin <= position < end:
                slope = (other - one) / (end - begin)
                return one + slope * (position - begin), slope
        return (points[0] if position < points[0][0] else points[-1])[1], 0.0


@dataclass(frozen=True)
class Freewheel:
    """A one-way clutch: the leader drives the follower in one `direction` of the follower, 1 or -1, and the follower
    may overrun it. With a `pitch` [rad or m of the follower] it is a ratchet, whose pawl stops the follower at the last
    tooth that it has passed, and throws it back with `restitution`."""

    direction: float = 1.0
    pitch: float = 0.0
    restitution: float = 0.0


@dataclass(frozen=True)
class Clutch:
    """Faces pressed together, of a clutch between leader and follower or of a brake on an axis: dry friction up to a
    largest effort, which is `friction` times the mean `radius` [m] times `force` [N] for each of the `faces`, or
    `limit` [N m or N]; both are profiles over time, and below 0 nothing is pressed. What sticks holds `peak` times as
    much as what slips. Without a radius the faces slide along a line."""

    friction: float = 0.0
    radius: float = 0.0
    faces: float = 1.0
    force: Profile | None = None
    limit: Profile | None = None
    peak: float = 1.0

    @property
    def input(self) -> Profile:
        """What engages it: `force`, or `limit`."""
        return self.force or self.limit or _RELEASED

    @property
    def grip(self) -> float:
        """Largest effort for each unit of the input [N m/N, N/N or 1]."""
        return self.friction * (self.radius or 1.0) * self.faces if self.force is not None else 1.0


_RELEASED = Constant(0.0)


@dataclass(frozen=True)
class RealCoupling:
    """What is stated of a coupling; all None for an ideal one."""

    efficiency: Efficiency | None = None
    bearing_friction: BearingFriction | None = None
    thread: Thread | None = None
    backlash: Backlash | None = None
    compliance: Compliance | None = None
    freewheel: Freewheel | None = None
    clutch: Clutch | None = None

    @property
    def is_ideal(self) -> bool:
        """Whether nothing is stated."""
        return self == IDEAL

    @property
    def has_losses(self) -> bool:
        """Whether power is lost on the way through it."""
        return self.efficiency is not None or self.bearing_friction is not None or self.thread is not None

    @property
    def slips(self) -> bool:
        """Whether its sides may turn against each other without end, so that positions do not obey the law."""
        return self.freewheel is not None or self.clutch is not None

    @property
    def half_width(self) -> float:
        """Half of the play of the follower [rad or m]; 0 without."""
        return 0.5 * self.backlash.width if self.backlash is not None else 0.0

    @property
    def stiffness(self) -> float:
        """Of the flanks or of what gives way [N m/rad or N/m], of a table the first; 0 where they are rigid."""
        return self.backlash.stiffness if self.backlash is not None else (self.compliance or _RIGID).stiffness[0]

    @property
    def varies(self) -> bool:
        """Whether its stiffness depends on the position of the leader."""
        return self.compliance is not None and self.compliance.varies

    @property
    def damping(self) -> float:
        """Beside the stiffness [N m s/rad or N s/m]."""
        return (self.backlash or self.compliance or _RIGID).damping

    @property
    def restitution(self) -> float:
        """Of rigid flanks and of pawls."""
        return (self.backlash or self.freewheel or _TOOTHLESS).restitution


_RIGID = Compliance((0.0,))
_TOOTHLESS = Freewheel()
IDEAL = RealCoupling()


@dataclass(frozen=True)
class LossPoint:
    """Losses at one speed of the leader [rad/s or m/s]: efficiencies, and efforts at the leader [N m or N]."""

    speed: float
    forward: float
    backward: float
    drag_forward: float
    drag_backward: float


def thread_efficiencies(thread: Thread, lead: float) -> tuple[float, float]:
    """(forward, backward) of a thread. `lead` [m]: what a turn of the screw advances; of a worm with a `lead_angle`
    only its sign counts. Less than nothing backward: the follower cannot drive, and turning back takes an effort.

    With t = tan(lead angle), f' = f / cos(flank angle) and c = f_c d_c / d_m of the collar, raising a load F takes the
    torque F d_m / 2 ((t + f') / (1 - f' t) + c) and lowering it F d_m / 2 ((f' - t) / (1 + f' t) + c) (Budynas and
    Nisbett, Shigley's Mechanical Engineering Design, 8-2); without losses it is F d_m / 2 t. Forward that is minus the
    screw's own, backward is minus what lowering takes. The same of a worm (13-11). Raises ValueError where friction
    would hold the thread both ways.
    """
    tangent = math.tan(thread.lead_angle) if thread.lead_angle else abs(lead) / (math.pi * thread.mean_diameter)
    rubbing = thread.friction / math.cos(thread.flank_angle)
    collar = thread.collar_friction * thread.collar_diameter / thread.mean_diameter if thread.collar_friction else 0.0
    if rubbing * tangent >= 1.0:
        raise ValueError("friction holds the thread both ways")
    raising = (tangent + rubbing) / (1.0 - rubbing * tangent) + collar
    lowering = (rubbing - tangent) / (1.0 + rubbing * tangent) + collar
    return tangent / raising, -lowering / tangent


def loss_table(real: RealCoupling, lead: float) -> tuple[LossPoint, ...]:
    """Losses over the speed of the leader, linear between points and constant beyond them. `lead`: see
    `thread_efficiencies`. Where a thread and an efficiency are stated, power passes both."""
    efficiency, bearing = real.efficiency or Efficiency(), real.bearing_friction or BearingFriction()
    forward, backward = (1.0, 1.0) if real.thread is None else thread_efficiencies(real.thread, lead)
    speeds = sorted({*efficiency.speeds, *bearing.speeds}) or [0.0]
    return tuple(
        LossPoint(
            speed,
            forward * _at(efficiency.speeds, efficiency.forward, speed),
            backward * _at(efficiency.speeds, efficiency.backward, speed),
            _at(bearing.speeds, bearing.forward, speed),
            _at(bearing.speeds, bearing.backward, speed),
        )
        for speed in speeds
    )


def _at(speeds: tuple[float, ...], values: tuple[float, ...], speed: float) -> float:
    """Of a table, linear between its points."""
    if not speeds or speed <= speeds[0]:
        return values[0]
    for i in range(1, len(speeds)):
        if speed <= speeds[i]:
            share = (speed - speeds[i - 1]) / (speeds[i] - speeds[i - 1])
            return values[i - 1] + share * (values[i] - values[i - 1])
    return values[-1]


def is_self_locking(real: RealCoupling, lead: float) -> bool:
    """Whether the follower can never drive the leader."""
    return real.has_losses and all(point.backward <= 0.0 for point in loss_table(real, lead))
