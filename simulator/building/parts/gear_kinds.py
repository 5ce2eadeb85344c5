"""Drives with teeth and belts, as documents.

Lengths [m], angles [rad]. Mechanisms stand in the x-z plane and turn counter-clockwise seen from the front where their
angles grow.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.api.drives import velocity
from simulator.building.parts.gears import bevel_shape, gear_shape, rack_shape, ring_shape, worm_shape
from simulator.building.parts.involute import InvoluteGear, RingGear, external_meshing
from simulator.building.parts.planar import AXIS, add_base_plate, let_touch, started
from simulator.building.parts.solids import front
from simulator.building.shapes import PlacedShape, bar, box, cylinder
from simulator.errors import UsageError
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft
    from simulator.building.parts.involute import Meshing

TWENTY = math.radians(20.0)
BORE = 0.9
"""Radius of a bore, of the module: that of the pins of a base plate."""


UPON_X = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, math.pi / 2.0, 0.0))
"""What has its axis along z has it along x, and its own x axis down."""


def _turn(angle: float) -> Pose:
    """About its own axis."""
    return Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, angle))


def spur_gears(
    module: float = 0.002,
    teeth: tuple[int, int] = (20, 40),
    *,
    pressure_angle: float = TWENTY,
    shifts: tuple[float, float] = (0.0, 0.0),
    backlash: float = 0.0,
    width: float = 0.012,
    helix: float = 0.0,
    bore: float = 0.0,
    by_teeth: bool = False,
) -> Draft:
    """A pair of spur gears, or of helical ones with a `helix` angle.

    `shifts` are profile shifts, of the module; `backlash` is along the pitch circle. With `by_teeth` nothing couples
    the gears but contact of their teeth. Undercut and contact ratio are in the notes of the draft.
    """
    mesh = external_meshing(module, teeth, pressure_angle=pressure_angle, shifts=shifts, backlash=backlash)
    draft = started(
        "spur_gears", f"Spur gears: {teeth[0]} and {teeth[1]} teeth, module {module * 1e3:g} mm", _notes(mesh)
    )
    pivots = ((0.0, 0.0), (mesh.distance, 0.0))
    add_base_plate(draft, pivots, depth=0.8 * width, size=4.0 * module)
    turns = (0.0, math.pi + math.pi / teeth[1])
    points = 24 if by_teeth else 10
    for name, gear, (x, z), turn, sense in zip(
        ("pinion", "wheel"), (mesh.first, mesh.second), pivots, turns, (1.0, -1.0), strict=True
    ):
        shape = gear_shape(
            gear, width, bore=bore or BORE * module, pose=front(x, z, turn=turn), helix=sense * helix,
            points=points, collides=by_teeth,
        )  # fmt: skip
        link = draft.link(name, shape)
        draft.revolute(f"{name}_joint", draft.world, link, at=(x, 0.0, z), axis=AXIS)
    if by_teeth:
        let_touch(draft)
    else:
        draft.gear("mesh", "pinion", "wheel", ratio=teeth[0] / teeth[1])
    draft.drive("pinion_joint", velocity(2.0))
    return draft


def gear_train(
    module: float = 0.002,
    teeth: Sequence[int] = (20, 40, 20, 50),
    *,
    pressure_angle: float = TWENTY,
    backlash: float = 0.0,
    width: float = 0.012,
) -> Draft:
    """A train of spur gears side by side, each in mesh with the next."""
    if len(teeth) < 2:
        raise UsageError("a train has two gears or more")
    numbers = ", ".join(map(str, teeth))
    draft = started("gear_train", f"Gear train: {numbers} teeth, module {module * 1e3:g} mm")
    gears = [InvoluteGear(module, z, pressure_angle, thinning=backlash / 2.0) for z in teeth]
    places = [0.0]
    for first, second in pairwise(gears):
        places.append(places[-1] + first.pitch_radius + second.pitch_radius)
    add_base_plate(draft, [(x, 0.0) for x in places], depth=0.8 * width, size=4.0 * module)
    phase = 0.0  # of the tooth of this gear that is nearest +x, in parts of its pitch
    for number, (gear, x) in enumerate(zip(gears, places, strict=True), start=1):
        pitch = 2.0 * math.pi / gear.teeth
        turn = 0.0 if number == 1 else math.pi + pitch / 2.0 - phase * pitch
        link = draft.link(f"gear_{number}", gear_shape(gear, width, bore=BORE * module, pose=front(x, turn=turn)))
        draft.revolute(f"gear_{number}_joint", draft.world, link, at=(x, 0.0, 0.0), axis=AXIS)
        if number > 1:
            draft.gear(f"mesh_{number - 1}", f"gear_{number - 1}", link, ratio=teeth[number - 2] / teeth[number - 1])
        phase = (turn / pitch) % 1.0
    draft.drive("gear_1_joint", velocity(2.0))
    return draft


def internal_gears(
    module: float = 0.002,
    teeth: tuple[int, int] = (20, 50),
    *,
    pressure_angle: float = TWENTY,
    backlash: float = 0.0,
    width: float = 0.012,
) -> Draft:
    """A pinion inside an internal gear; both turn the same way."""
    ring = RingGear(module, teeth[1], teeth[0], pressure_angle, backlash / 2.0)
    pinion = InvoluteGear(module, teeth[0], pressure_angle, thinning=backlash / 2.0)
    ratio = ring.contact_ratio(pinion)
    notes = [f"contact ratio {ratio:.3f}"]
    draft = started("internal_gears", f"Internal gears: {teeth[0]} teeth in {teeth[1]}", notes)
    distance = ring.pitch_radius - pinion.pitch_radius
    add_base_plate(draft, [(0.0, 0.0), (distance, 0.0)], depth=0.8 * width, size=4.0 * module)
    wheel = draft.link("pinion", gear_shape(pinion, width, bore=BORE * module, pose=front(distance)))
    outer = draft.link("ring", ring_shape(ring, width, pose=front()))
    draft.revolute("pinion_joint", draft.world, wheel, at=(distance, 0.0, 0.0), axis=AXIS)
    draft.revolute("ring_joint", draft.world, outer, axis=AXIS)
    draft.gear("mesh", wheel, outer, ratio=-teeth[0] / teeth[1])
    draft.drive("pinion_joint", velocity(2.0))
    return draft


def planetary(
    module: float = 0.002,
    sun: int = 24,
    planet: int = 12,
    planets: int = 3,
    *,
    pressure_angle: float = TWENTY,
    backlash: float = 0.0,
    width: float = 0.012,
) -> Draft:
    """A planetary set: sun, planets on a carrier, and a ring of sun + 2 planet teeth, which is held by nothing.

    Raises UsageError where that many planets cannot be spaced evenly: (sun + ring) / planets is to be a whole number,
    and they are not to touch each other.
    """
    ring_teeth = sun + 2 * planet
    if (sun + ring_teeth) % planets:
        good = [n for n in range(2, 9) if (sun + ring_teeth) % n == 0]
        raise UsageError(f"{planets} planets cannot be spaced evenly between {sun} and {ring_teeth} teeth; {good} can")
    radius = module * (sun + planet) / 2.0
    if planets > 1 and 2.0 * radius * math.sin(math.pi / planets) <= module * (planet + 2):
        raise UsageError(f"{planets} planets of {planet} teeth touch each other")
    centre = InvoluteGear(module, sun, pressure_angle, thinning=backlash / 2.0)
    small = InvoluteGear(module, planet, pressure_angle, thinning=backlash / 2.0)
    outer = RingGear(module, ring_teeth, planet, pressure_angle, backlash / 2.0)
    notes = [f"ring held: the carrier turns 1 / {1.0 + ring_teeth / sun:g} of the sun"]
    draft = started("planetary", f"Planetary gear: sun {sun}, planets {planet}, ring {ring_teeth} teeth", notes)
    links = {
        "sun": draft.link("sun", gear_shape(centre, width, bore=BORE * module, pose=front())),
        # A space of the ring is beyond each planet where a space of an even planet is.
        "ring": draft.link(
            "ring", ring_shape(outer, width, pose=front(turn=0.0 if planet % 2 else math.pi / ring_teeth))
        ),
    }
    arms = [
        bar(
            (0.0, -width, 0.0),
            (radius * math.cos(a), -width, radius * math.sin(a)),
            width=3.0 * module,
            thickness=0.4 * width,
        )
        for a in (2.0 * math.pi * i / planets for i in range(planets))
    ]
    links["carrier"] = draft.link("carrier", *arms)
    for name, link in links.items():
        draft.revolute(f"{name}_joint", draft.world, link, axis=AXIS)
    for i in range(planets):
        a = 2.0 * math.pi * i / planets
        x, z = radius * math.cos(a), radius * math.sin(a)
        # The sun has a tooth at angle 0; rolling around it by a turns the planet by a (1 + sun / planet).
        turn = math.pi + math.pi / planet + a * (1.0 + sun / planet)
        link = draft.link(f"planet_{i + 1}", gear_shape(small, width, bore=BORE * module, pose=front(x, z, turn=turn)))
        draft.revolute(f"planet_{i + 1}_joint", "carrier", link, at=(x, 0.0, z), axis=AXIS)
        _mesh(draft, f"sun_planet_{i + 1}", "sun", f"planet_{i + 1}", sun / planet)
    _mesh(draft, "planet_ring", "planet_1", "ring", -planet / ring_teeth)
    draft.drive("sun_joint", velocity(2.0))
    return draft


def _mesh(draft: Draft, name: str, first: str, second: str, ratio: float) -> None:
    """A gear whose reference, the carrier, has no hinge of its own to the sun and the ring."""
    joint = draft.joint(name, "gearbox", first, second, axis=AXIS, axis2=AXIS)
    joint.set("gearbox_ratio", ratio)
    joint.set("gearbox_reference_body", "carrier")


def rack_and_pinion(
    module: float = 0.002,
    teeth: int = 20,
    rack_teeth: int = 30,
    *,
    pressure_angle: float = TWENTY,
    backlash: float = 0.0,
    width: float = 0.012,
) -> Draft:
    """A pinion on a rack: the rack moves by the pinion's pitch radius for each radian."""
    gear = InvoluteGear(module, teeth, pressure_angle, thinning=backlash / 2.0)
    travel = math.pi * module * rack_teeth / 2.0 - 2.0 * module
    draft = started("rack_and_pinion", f"Rack and pinion: {teeth} teeth, module {module * 1e3:g} mm")
    r = gear.pitch_radius
    add_base_plate(draft, [(0.0, r)], depth=0.8 * width, size=4.0 * module)
    pinion = draft.link("pinion", gear_shape(gear, width, bore=BORE * module, pose=front(0.0, r, turn=-math.pi / 2.0)))
    even = rack_teeth % 2 == 0
    rack = draft.link(
        "rack",
        rack_shape(
            module, rack_teeth, width, pressure_angle=pressure_angle, thinning=backlash / 2.0,
            pose=front(0.0 if even else math.pi * module / 2.0),
        ),
    )  # fmt: skip
    draft.revolute("pinion_joint", draft.world, pinion, at=(0.0, 0.0, r), axis=AXIS)
    draft.prismatic("rack_joint", draft.world, rack, axis=(1.0, 0.0, 0.0), lower=-travel, upper=travel)
    draft.mimic("rack_joint", "pinion_joint", multiplier=r)
    draft.drive("pinion_joint", velocity(0.5))
    return draft


def bevel_gears(
    module: float = 0.003,
    teeth: tuple[int, int] = (16, 32),
    *,
    face: float = 0.0,
    backlash: float = 0.0,
) -> Draft:
    """Straight bevel gears on axes that meet at a right angle; `module` at the outer ends of the teeth."""
    cone = module * math.hypot(*teeth) / 2.0
    length = face or 0.3 * cone
    draft = started("bevel_gears", f"Bevel gears: {teeth[0]} and {teeth[1]} teeth, module {module * 1e3:g} mm")
    # Both have their apex at the origin: the pinion's axis is x, the wheel's is z.
    pinion = draft.link(
        "pinion",
        bevel_shape(
            module,
            teeth[0],
            teeth[1],
            length,
            thinning=backlash / 2.0,
            pose=UPON_X @ _turn(math.pi),
        ),
    )
    wheel = draft.link(
        "wheel",
        bevel_shape(
            module,
            teeth[1],
            teeth[0],
            length,
            thinning=backlash / 2.0,
            pose=_turn(math.pi / teeth[1]),
        ),
    )
    draft.revolute("pinion_joint", draft.world, pinion, axis=(1.0, 0.0, 0.0))
    draft.revolute("wheel_joint", draft.world, wheel, axis=(0.0, 0.0, 1.0))
    draft.mimic("wheel_joint", "pinion_joint", multiplier=-teeth[0] / teeth[1])
    draft.drive("pinion_joint", velocity(2.0))
    return draft


def worm_gears(
    module: float = 0.002,
    starts: int = 1,
    teeth: int = 30,
    *,
    diameter: float = 0.0,
    backlash: float = 0.0,
    width: float = 0.012,
) -> Draft:
    """A right-handed worm and its wheel, a helical gear of the worm's lead: they touch in points, unlike a throated
    wheel."""
    d = diameter or 10.0 * module
    lead_angle = math.atan(module * starts / d)
    gear = InvoluteGear(module, teeth, TWENTY, thinning=backlash / 2.0)
    distance = gear.pitch_radius + d / 2.0
    notes = [f"lead angle {math.degrees(lead_angle):.3f} degrees"]
    draft = started("worm_gears", f"Worm gears: {starts} starts, {teeth} teeth", notes)
    # The wheel's axis is y; the worm lies along x above it.
    wheel = draft.link(
        "wheel",
        gear_shape(gear, width, bore=BORE * module, pose=front(turn=math.pi / 2.0), helix=lead_angle),
    )
    phase = module * math.pi / 2.0
    worm = draft.link(
        "worm",
        worm_shape(
            module, starts, d, 8.0 * math.pi * module, thinning=backlash / 2.0,
            pose=Pose((phase, 0.0, distance), (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5))),
        ),
    )  # fmt: skip
    draft.revolute("worm_joint", draft.world, worm, at=(0.0, 0.0, distance), axis=(1.0, 0.0, 0.0))
    draft.revolute("wheel_joint", draft.world, wheel, axis=AXIS)
    draft.mimic("wheel_joint", "worm_joint", multiplier=starts / teeth)
    draft.drive("worm_joint", velocity(6.0))
    return draft


def belt_drive(
    radii: tuple[float, float] = (0.03, 0.06), distance: float = 0.2, *, width: float = 0.015, crossed: bool = False
) -> Draft:
    """Two pulleys and a belt that does not slip; `crossed`, they turn against each other. The notes have its length."""
    r, R = radii
    if not r > 0.0 or not R > 0.0 or distance <= r + R:
        raise UsageError(f"pulleys of radii {r:g} and {R:g} m are further apart than {r + R:g} m")
    tilt = math.asin((R + r if crossed else R - r) / distance)
    straight = math.sqrt(distance**2 - (R + r if crossed else R - r) ** 2)
    wraps = (math.pi + 2.0 * tilt, math.pi + 2.0 * tilt) if crossed else (math.pi - 2.0 * tilt, math.pi + 2.0 * tilt)
    length = 2.0 * straight + r * wraps[0] + R * wraps[1]
    draft = started("belt_drive", f"Belt drive {R / r:g} : 1", [f"the belt is {length:.6f} m long"])
    add_base_plate(draft, [(0.0, 0.0), (distance, 0.0)], depth=width, size=0.4 * min(r, R))
    for name, radius, x in (("first", r, 0.0), ("second", R, distance)):
        mark = bar(
            (x, -0.55 * width, 0.0),
            (x + 0.8 * radius, -0.55 * width, 0.0),
            width=0.2 * radius,
            thickness=0.1 * width,
            color="dark",
        )
        link = draft.link(name, cylinder(radius, width, (x, 0.0, 0.0), axis=AXIS), mark)
        draft.revolute(f"{name}_joint", draft.world, link, at=(x, 0.0, 0.0), axis=AXIS)
    draft.links["base"].add_shapes(*_strands(radii, distance, straight, tilt, width, crossed=crossed))
    draft.mimic("second_joint", "first_joint", multiplier=(-1.0 if crossed else 1.0) * r / R)
    draft.drive("first_joint", velocity(2.0))
    return draft


def _strands(
    radii: tuple[float, float], distance: float, straight: float, tilt: float, width: float, *, crossed: bool
) -> list[PlacedShape]:
    """The straight parts of a belt, which touch both pulleys; a belt itself is not simulated."""
    r, R = radii
    found = []
    for side in (1.0, -1.0):
        n = (math.sin(tilt) if crossed else -math.sin(tilt), side * math.cos(tilt))
        m = (-n[0], -n[1]) if crossed else n
        a, b = (r * n[0], r * n[1]), (distance + R * m[0], R * m[1])
        middle = ((a[0] + b[0]) / 2.0, 0.0, (a[1] + b[1]) / 2.0)
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        found.append(box((straight, 0.8 * width, 0.05 * r), middle, rpy=(0.0, -angle, 0.0), color="dark"))
    return found


def differential(module: float = 0.003, teeth: tuple[int, int] = (24, 12), *, track: float = 0.3) -> Draft:
    """A bevel differential: a cage with a pinion between two side gears, each with a wheel; left + right = 2 cage.

    `teeth` are those of the side gears and of the pinion, `track` [m] is the distance of the wheels.
    """
    side, pinion = teeth
    cone = module * math.hypot(side, pinion) / 2.0
    draft = started("differential", f"Differential: side gears of {side}, a pinion of {pinion} teeth")
    reach = module * pinion / 2.0
    r = module * side / 2.0
    cage = draft.link(
        "cage",
        *(box((0.2 * r, 2.8 * reach, 0.3 * r), (s * 1.5 * r, 0.0, 0.0)) for s in (1.0, -1.0)),
        *(box((3.2 * r, 0.2 * r, 0.3 * r), (0.0, s * 1.6 * reach, 0.0)) for s in (1.0, -1.0)),
    )
    draft.revolute("cage_joint", draft.world, cage, axis=(0.0, 1.0, 0.0))
    for name, s, roll in (("left", 1.0, -math.pi / 2.0), ("right", -1.0, math.pi / 2.0)):
        tooth = bevel_shape(
            module,
            side,
            pinion,
            0.3 * cone,
            # An odd pinion has a space opposite of a tooth.
            pose=Pose.from_rpy((0.0, 0.0, 0.0), (roll, 0.0, 0.0))
            @ _turn(0.0 if s < 0.0 and pinion % 2 else math.pi / side),
        )
        wheel = cylinder(2.0 * r, 0.2 * r, (0.0, s * track / 2.0, 0.0), axis=(0.0, 1.0, 0.0), color="dark")
        shaft = cylinder(
            0.15 * r, track / 2.0 - reach, (0.0, s * (track / 2.0 + reach) / 2.0, 0.0), axis=(0.0, 1.0, 0.0)
        )
        link = draft.link(name, tooth, wheel, shaft)
        draft.revolute(f"{name}_joint", draft.world, link, axis=(0.0, 1.0, 0.0), damping=0.002)
    spider = draft.link("pinion", bevel_shape(module, pinion, side, 0.3 * cone, pose=UPON_X @ _turn(math.pi / 2.0)))
    draft.revolute("pinion_joint", cage, spider, axis=(1.0, 0.0, 0.0))
    halves = draft.joint("halves", "gearbox", "left", "right", axis=(0.0, 1.0, 0.0), axis2=(0.0, 1.0, 0.0))
    halves.set("gearbox_ratio", 1.0)
    halves.set("gearbox_reference_body", "cage")
    spin = draft.joint("spin", "gearbox", "left", "pinion", axis=(0.0, 1.0, 0.0), axis2=(1.0, 0.0, 0.0))
    spin.set("gearbox_ratio", side / pinion)
    spin.set("gearbox_reference_body", "cage")
    draft.drive("cage_joint", velocity(2.0))
    return draft


def _notes(mesh: Meshing) -> list[str]:
    return [
        f"contact ratio {mesh.contact_ratio:.3f}, distance of the axes {mesh.distance:.9g} m, "
        f"working pressure angle {round(math.degrees(mesh.working_angle), 4):g} degrees",
        *mesh.remarks(),
    ]
