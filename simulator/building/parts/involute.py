"""Involute teeth, cut by a rack: radii, thicknesses, the trochoid at the foot, undercut, contact ratio.

A rack with straight flanks at the pressure angle alpha rolls on the pitch circle, r = m z / 2, moved outward by the
profile shift x m; what it leaves are involutes of the base circle r cos(alpha), and below them the trochoid of its
rounded tip. Lengths [m], angles [rad]. Formulas: ISO 21771; F. Litvin and A. Fuentes, Gear Geometry and Applied Theory
(2004), ch. 6 for the trochoid.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

ADDENDUM, DEDENDUM = 1.0, 1.25
"""Of the module (ISO 53, profile A)."""
FEWEST = 4
"""Teeth of a gear, at least."""


def involute(angle: float) -> float:
    """inv(angle) = tan(angle) - angle."""
    return math.tan(angle) - angle


def involute_angle(value: float) -> float:
    """The angle whose involute function is `value` (Newton's iteration, from its series at zero)."""
    angle = min(math.pow(3.0 * value, 1.0 / 3.0), 1.4)
    for _ in range(60):
        step = (involute(angle) - value) / math.tan(angle) ** 2
        angle -= step
        if abs(step) < 1e-16:
            break
    return angle


@dataclass(frozen=True)
class InvoluteGear:
    """An external spur gear. `module` [m], `teeth`; `pressure_angle` [rad]; `shift` x, of the module; `thinning` [m]:
    by so much its teeth are thinner at the pitch circle, half of the backlash of a pair; `shortening` k: its tips are
    shorter, of the module. Raises UsageError for teeth that cannot be cut."""

    module: float
    teeth: int
    pressure_angle: float = math.radians(20.0)
    shift: float = 0.0
    thinning: float = 0.0
    shortening: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what has no teeth."""
        if not 1e-6 <= self.module <= 10.0:
            raise UsageError(f"a module is a length above 0 [m], not {self.module!r}; 2 mm is 0.002")
        if self.teeth != int(self.teeth) or self.teeth < FEWEST:
            raise UsageError(f"a gear has {FEWEST} teeth or more, not {self.teeth!r}")
        if not math.radians(5.0) <= self.pressure_angle <= math.radians(35.0):
            raise UsageError(f"a pressure angle is 5 to 35 degrees, not {math.degrees(self.pressure_angle):g}")
        if not abs(self.shift) <= 2.0:
            raise UsageError(f"a profile shift is at most 2 modules, not {self.shift:g}")
        if not 0.0 <= self.thinning < math.pi * self.module / 4.0:
            raise UsageError(f"half the backlash is 0 or more and below a quarter of the pitch, not {self.thinning:g}")
        if self.tip_thickness <= 0.0:
            raise UsageError(
                f"{self.teeth} teeth with a shift of {self.shift:g} are pointed below their tips: take less shift"
            )

    @property
    def pitch_radius(self) -> float:
        """m z / 2."""
        return self.module * self.teeth / 2.0

    @property
    def base_radius(self) -> float:
        """Of the circle whose involutes are the flanks."""
        return self.pitch_radius * math.cos(self.pressure_angle)

    @property
    def base_pitch(self) -> float:
        """pi m cos(alpha): the distance of flanks along the line of action."""
        return math.pi * self.module * math.cos(self.pressure_angle)

    @property
    def tip_radius(self) -> float:
        """r + (1 + x - k) m."""
        return self.pitch_radius + (ADDENDUM + self.shift - self.shortening) * self.module

    @property
    def root_radius(self) -> float:
        """r - (1.25 - x) m."""
        return self.pitch_radius - (DEDENDUM - self.shift) * self.module

    @property
    def tooth_thickness(self) -> float:
        """Along the pitch circle."""
        return self.module * (math.pi / 2.0 + 2.0 * self.shift * math.tan(self.pressure_angle)) - self.thinning

    @property
    def tip_thickness(self) -> float:
        """Along the tip circle; not above zero where the teeth are pointed."""
        return 2.0 * self.tip_radius * self.half_angle(self.tip_radius)

    @property
    def smallest_shift(self) -> float:
        """The least profile shift without undercut, of the module: 1 - z sin^2(alpha) / 2."""
        return self._straight - self.teeth * math.sin(self.pressure_angle) ** 2 / 2.0

    @property
    def is_undercut(self) -> bool:
        """Whether the rack cuts into the involutes."""
        return self.shift < self.smallest_shift - 1e-12

    @property
    def fewest_teeth(self) -> float:
        """Teeth from which on a gear of this shift is not undercut; 17.1 without a shift at 20 degrees."""
        return 2.0 * (self._straight - self.shift) / math.sin(self.pressure_angle) ** 2

    @property
    def _round(self) -> float:
        """The radius of the rack's tip, of the module: its straight flank is one module deep, which is 0.38 at 20
        degrees (ISO 53, profile A); less where that has no room."""
        a = self.pressure_angle
        widest = (math.pi / 4.0 - DEDENDUM * math.tan(a)) / (1.0 / math.cos(a) - math.tan(a))
        return max(min((DEDENDUM - ADDENDUM) / (1.0 - math.sin(a)), widest), 0.0)

    @property
    def _straight(self) -> float:
        """Depth of the rack's straight flank below its pitch line, of the module."""
        return DEDENDUM - self._round * (1.0 - math.sin(self.pressure_angle))

    def half_angle(self, radius: float) -> float:
        """Half the angle of a tooth at a radius on its involutes."""
        at_pitch = self.tooth_thickness / (2.0 * self.pitch_radius)
        pressure = math.acos(min(self.base_radius / radius, 1.0))
        return at_pitch + involute(self.pressure_angle) - involute(pressure)

    def point_on_flank(self, roll: float) -> tuple[float, float]:
        """Radius and angle from the middle of the tooth, of the point of the involute at the roll angle
        tan(pressure)."""
        radius = self.base_radius * math.hypot(1.0, roll)
        at_pitch = self.tooth_thickness / (2.0 * self.pitch_radius)
        return radius, at_pitch + involute(self.pressure_angle) - (roll - math.atan(roll))

    def trochoid(self, points: int) -> Points:
        """Radius and angle from the middle of a tooth, (n, 2), along the fillet from the root circle outwards."""
        m, r = self.module, self.pitch_radius
        rounding = self._round * m
        depth = (DEDENDUM - self._round - self.shift) * m  # of the rounding's centre, below the pitch line
        slope = math.tan(self.pressure_angle)
        cosine = math.cos(self.pressure_angle)
        # From the middle of the rack's tooth to the centre of its rounding.
        centre = math.pi * m / 4.0 + self.thinning / 2.0 - (DEDENDUM - self._round) * m * slope - rounding / cosine
        last = max(depth, 0.0) / slope
        u = last * np.linspace(0.0, 1.0, points) ** 2
        length = np.maximum(np.hypot(u, depth), 1e-300)
        x = u + rounding * u / length
        y = r - depth - rounding * depth / length
        turn = (u - centre) / r
        radius = np.hypot(x, y)
        # From the middle of the space, where the rack's tooth was, to the middle of the next tooth.
        angle = math.pi / self.teeth - (np.arctan2(x, y) - turn)
        return np.column_stack([radius, angle])

    @cached_property
    def form_radius(self) -> float:
        """Where the involute begins: at the fillet, or where the undercut ends."""
        curve = self.trochoid(400)
        if not self.is_undercut:
            return max(float(curve[-1, 0]), self.base_radius)
        outside = curve[curve[:, 0] > self.base_radius]
        gap = np.array([self.half_angle(float(r)) - a for r, a in outside])
        inside = np.flatnonzero(gap > 0.0)  # the trochoid is inside the tooth that the involute alone would have
        if not len(inside):
            return self.base_radius
        last = int(inside[-1])
        if last + 1 == len(outside):
            return float(outside[last, 0])
        share = gap[last] / (gap[last] - gap[last + 1])
        return float(outside[last, 0] + share * (outside[last + 1, 0] - outside[last, 0]))

    def flank(self, points: int) -> Points:
        """Radius and angle from the middle of a tooth, (n, 2), from the root circle to the tip."""
        start = self.form_radius
        fillet = self.trochoid(max(points, 3))
        kept = fillet[fillet[:, 0] < start * (1.0 - 1e-12)]
        first = math.sqrt(max((start / self.base_radius) ** 2 - 1.0, 0.0))
        last = math.sqrt((self.tip_radius / self.base_radius) ** 2 - 1.0)
        flank = [self.point_on_flank(float(roll)) for roll in np.linspace(first, last, points)]
        return np.vstack([kept, np.array(flank)])

    def outline(self, points: int = 12) -> Points:
        """Corners (n, 2) of the outline, counter-clockwise, tooth 0 towards +x; `points` on each involute."""
        one = self.flank(points)
        on_arc = np.linspace(-1.0, 1.0, points // 4 + 2)[1:-1]
        tip = np.column_stack([np.full(len(on_arc), one[-1, 0]), on_arc * one[-1, 1]])
        half = math.pi / self.teeth
        foot = np.column_stack([np.full(len(on_arc), one[0, 0]), half + on_arc * (half - one[0, 1])])
        tooth = np.vstack([one * (1.0, -1.0), tip, one[::-1], foot])
        return from_polar(repeated(tooth, self.teeth))


def repeated(tooth: Points, count: int) -> Points:
    """Polar points of one tooth, `count` times around."""
    return np.vstack([tooth + np.array([0.0, index * 2.0 * math.pi / count]) for index in range(count)])


def from_polar(polar: Points) -> Points:
    """x and y of (radius, angle)."""
    return np.column_stack([polar[:, 0] * np.cos(polar[:, 1]), polar[:, 0] * np.sin(polar[:, 1])])


@dataclass(frozen=True)
class Meshing:
    """Two gears that mesh without backlash but that of their thinning: `first` and `second`, the distance of their axes
    `distance` [m], the working pressure angle [rad], and the contact ratio."""

    first: InvoluteGear
    second: InvoluteGear
    distance: float
    working_angle: float
    contact_ratio: float

    def remarks(self) -> list[str]:
        """What a designer should know."""
        found = [
            f"{gear.teeth} teeth are undercut; a shift of {gear.smallest_shift:.3f} avoids it"
            for gear in (self.first, self.second)
            if gear.is_undercut
        ]
        if self.contact_ratio < 1.0:
            found.append(f"the contact ratio is {self.contact_ratio:.3f}: below 1 the drive is interrupted")
        return found


def external_meshing(
    module: float,
    teeth: tuple[int, int],
    *,
    pressure_angle: float = math.radians(20.0),
    shifts: tuple[float, float] = (0.0, 0.0),
    backlash: float = 0.0,
) -> Meshing:
    """Two external gears in mesh. With shifts x1 and x2 the working pressure angle is that with inv(a') = inv(a) + 2
    (x1 + x2) / (z1 + z2) tan(a); tips are shortened so that the feet retain their clearance. `backlash` [m] along the
    pitch circle. Raises UsageError for teeth that cannot be cut."""
    total = sum(teeth)
    angle = pressure_angle
    if sum(shifts) != 0.0:
        value = involute(pressure_angle) + 2.0 * sum(shifts) / total * math.tan(pressure_angle)
        if value <= 0.0:
            raise UsageError(f"shifts of {shifts[0]:g} and {shifts[1]:g} leave no pressure angle")
        angle = involute_angle(value)
    distance = module * total / 2.0 * math.cos(pressure_angle) / math.cos(angle)
    shortening = max(sum(shifts) - (distance / module - total / 2.0), 0.0)
    gears = [
        InvoluteGear(module, z, pressure_angle, x, backlash / 2.0, shortening)
        for z, x in zip(teeth, shifts, strict=True)
    ]
    return Meshing(gears[0], gears[1], distance, angle, contact_ratio(gears[0], gears[1], distance, angle))


def contact_ratio(first: InvoluteGear, second: InvoluteGear, distance: float, angle: float) -> float:
    """Length of the path of contact, from tip to tip but not beyond the involutes, over the base pitch."""
    ends = []
    line = distance * math.sin(angle)
    for gear, other in ((first, second), (second, first)):
        reach = math.sqrt(gear.tip_radius**2 - gear.base_radius**2)
        begin = math.sqrt(max(other.form_radius**2 - other.base_radius**2, 0.0))
        ends.append(min(reach, line - begin))
    return (sum(ends) - line) / first.base_pitch


@dataclass(frozen=True)
class RingGear:
    """An internal gear that meshes with an external one. Its spaces are the teeth of an external gear, wider by
    `thinning` [m]; its tips end where the involutes of `mate_teeth` begin, and its roots are plain arcs: internal teeth
    are shaped, with a fillet that depends on the cutter."""

    module: float
    teeth: int
    mate_teeth: int
    pressure_angle: float = math.radians(20.0)
    thinning: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what does not mesh."""
        if self.teeth - self.mate_teeth < 8:
            raise UsageError(
                f"an internal gear has 8 teeth more than its mate, or the tips meet: not {self.teeth} and "
                f"{self.mate_teeth}"
            )

    @property
    def pitch_radius(self) -> float:
        """m z / 2."""
        return self.module * self.teeth / 2.0

    @property
    def base_radius(self) -> float:
        """Of the circle whose involutes are the flanks."""
        return self.pitch_radius * math.cos(self.pressure_angle)

    @property
    def tip_radius(self) -> float:
        """r - m, or what touches the mate where its involute begins."""
        mate = InvoluteGear(self.module, self.mate_teeth, self.pressure_angle)
        distance = self.module * (self.teeth - self.mate_teeth) / 2.0
        begin = math.sqrt(max(mate.form_radius**2 - mate.base_radius**2, 0.0))
        limit = math.hypot(self.base_radius, distance * math.sin(self.pressure_angle) + begin)
        return max(self.pitch_radius - ADDENDUM * self.module, limit)

    @property
    def root_radius(self) -> float:
        """r + 1.25 m."""
        return self.pitch_radius + DEDENDUM * self.module

    def half_space(self, radius: float) -> float:
        """Half the angle of a space at a radius."""
        at_pitch = (math.pi * self.module / 2.0 + self.thinning) / (2.0 * self.pitch_radius)
        pressure = math.acos(min(self.base_radius / radius, 1.0))
        return at_pitch + involute(self.pressure_angle) - involute(pressure)

    def outline(self, points: int = 12) -> Points:
        """Corners (n, 2) of the toothed hole, counter-clockwise, a space towards +x."""
        first = math.sqrt((self.tip_radius / self.base_radius) ** 2 - 1.0)
        last = math.sqrt((self.root_radius / self.base_radius) ** 2 - 1.0)
        radii = [self.base_radius * math.hypot(1.0, float(roll)) for roll in np.linspace(first, last, points)]
        flank = np.array([(radius, self.half_space(radius)) for radius in radii])
        space = np.vstack([flank * (1.0, -1.0), flank[::-1]])
        return from_polar(repeated(space, self.teeth))

    def contact_ratio(self, mate: InvoluteGear) -> float:
        """With an external gear at the standard distance."""
        line = (self.pitch_radius - mate.pitch_radius) * math.sin(self.pressure_angle)
        reach = math.sqrt(mate.tip_radius**2 - mate.base_radius**2)
        begin = math.sqrt(self.tip_radius**2 - self.base_radius**2)
        return (reach - begin + line) / mate.base_pitch


def rack_outline(
    module: float, teeth: int, back: float, *, pressure_angle: float = math.radians(20.0), thinning: float = 0.0
) -> Points:
    """A rack (n, 2), counter-clockwise: teeth towards +y, pitch line at y = 0, a space centred at x = 0 where the
    number of teeth is even; its back is at y = -`back` [m]. Raises UsageError for a back inside the teeth."""
    if teeth < 1 or back <= DEDENDUM * module:
        raise UsageError(f"a rack has teeth, and a back deeper than {DEDENDUM * module:g} m")
    pitch = math.pi * module
    slope = math.tan(pressure_angle)
    half_tip = pitch / 4.0 - thinning / 2.0 - ADDENDUM * module * slope
    half_root = half_tip + (ADDENDUM + DEDENDUM) * module * slope
    root, tip = -DEDENDUM * module, ADDENDUM * module
    tooth = np.array([(-half_root, root), (-half_tip, tip), (half_tip, tip), (half_root, root)])
    half = teeth * pitch / 2.0
    centres = (np.arange(teeth) + 0.5) * pitch - half
    top = np.vstack([tooth + np.array([centre, 0.0]) for centre in centres])
    return np.vstack([[(half, -back), (half, root)], top[::-1], [(-half, root), (-half, -back)]])
