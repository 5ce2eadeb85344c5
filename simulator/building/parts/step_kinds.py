"""Cams, Geneva wheels and ratchets: what moves by contact, as documents."""

from __future__ import annotations

import math

import numpy as np

from simulator.api.drives import velocity
from simulator.building.draft import Draft
from simulator.building.parts.cam import cam_profile, rise_and_fall
from simulator.building.parts.gears import outline_shape
from simulator.building.parts.planar import AXIS, add_base_plate, let_touch, started
from simulator.building.parts.solids import front, turned
from simulator.building.shapes import bar, box, cylinder
from simulator.errors import UsageError
from simulator.spatial.pose import Pose


def cam(
    lift: float = 0.02,
    base_radius: float = 0.03,
    *,
    follower: str = "roller",
    roller: float = 0.008,
    rise: float = math.radians(120.0),
    dwell: float = math.radians(60.0),
    fall: float = math.radians(120.0),
    law: str = "cycloidal",
    width: float = 0.01,
    stiffness: float = 400.0,
) -> Draft:
    """A disc cam and a follower above it that a spring presses on: "roller", "flat" or "knife".

    `law` is "cycloidal", "345" or "harmonic". Curvature, undercut and pressure angle are checked and noted. Nothing but
    contact moves the follower.
    """
    course = rise_and_fall(lift, rise, dwell, fall, law)
    profile = cam_profile(course, base_radius, follower=follower, roller=roller)
    notes = [
        f"smallest radius of curvature {profile.smallest_curvature:.6g} m, "
        f"largest pressure angle {math.degrees(profile.pressure_angle):.3f} degrees"
    ]
    draft = started("cam", f"Cam: {law} law, {follower} follower", notes)
    reach = base_radius + lift
    add_base_plate(draft, [(0.0, 0.0)], depth=0.8 * width, size=0.4 * base_radius)
    disc = outline_shape(profile.points, width, "cam", bore=0.12 * base_radius, pose=front(), collides=True)
    wheel = draft.link("cam", disc)
    draft.revolute("cam_joint", draft.world, wheel, axis=AXIS)
    top = base_radius + (2.0 * roller if follower == "roller" else 0.0)
    stem = 2.0 * lift + 0.03
    size = 0.6 * roller
    shapes = [box((size, 0.6 * width, stem), (0.0, 0.0, top + stem / 2.0))]
    if follower == "roller":
        shapes = [
            cylinder(roller, width, (0.0, 0.0, base_radius + roller), axis=AXIS, collides=True),
            box((size, 0.6 * width, stem), (0.0, -0.9 * width, base_radius + roller + stem / 2.0)),
        ]
    elif follower == "flat":
        shapes.append(
            box((2.2 * reach, 1.2 * width, 0.1 * reach), (0.0, 0.0, base_radius + 0.05 * reach), collides=True)
        )
    else:
        edge = Pose.from_rpy((0.0, 0.0, base_radius + size / math.sqrt(2.0)), (0.0, math.pi / 4.0, 0.0))
        shapes.append(box((size, width, size), edge.position, rpy=(0.0, math.pi / 4.0, 0.0), collides=True))
    slider = draft.link("follower", *shapes)
    draft.prismatic(
        "follower_joint", draft.world, slider, axis=(0.0, 0.0, 1.0), spring_stiffness=stiffness,
        spring_reference=-2.0 * lift, damping=2.0,
    )  # fmt: skip
    let_touch(draft)
    draft.drive("cam_joint", velocity(2.0))
    return draft


def geneva(
    slots: int = 4,
    pin_circle: float = 0.05,
    *,
    pin: float = 0.005,
    clearance: float = 0.0001,
    width: float = 0.01,
) -> Draft:
    """A Geneva drive: a pin on a crank of radius `pin_circle` turns a wheel of `slots` slots by one part a turn, and a
    disc holds it between. The pin enters a slot along it: axes are a / sin(pi / n) apart.

    `pin` is the pin's radius, `clearance` that on each side of it [m]. Raises UsageError where no disc fits.
    """
    if slots < 3:
        raise UsageError(f"a Geneva wheel has 3 slots or more, not {slots}")
    half = math.pi / slots
    distance = pin_circle / math.sin(half)
    reach = pin_circle / math.tan(half)
    lock = 0.68 * pin_circle
    bottom = distance - pin_circle - pin - 8.0 * clearance
    if bottom <= 1.2 * pin or pin + clearance >= 0.4 * reach * math.tan(half):
        raise UsageError(f"{slots} slots on a pin circle of {pin_circle:g} m leave no room for a pin of {pin:g} m")
    notes = [
        f"the axes are {distance:.9g} m apart; the wheel moves while the crank turns {180.0 - 360.0 / slots:g} degrees"
    ]
    draft = started("geneva", f"Geneva drive with {slots} slots", notes)
    add_base_plate(draft, [(0.0, 0.0), (distance, 0.0)], depth=2.2 * width, size=0.5 * pin_circle)
    wheel_points = geneva_wheel_outline(slots, reach, distance, lock + 3.0 * clearance, (pin + clearance, bottom))
    lock_points = geneva_lock_outline(reach + 15.0 * clearance, distance, lock)
    # The crank starts with its pin away from the wheel; a hollow of the wheel embraces the disc.
    arm = bar((0.0, 1.1 * width, 0.0), (-pin_circle, 1.1 * width, 0.0), width=4.0 * pin, thickness=0.8 * width)
    crank = draft.link(
        "crank",
        outline_shape(
            lock_points, width, "geneva_lock", bore=0.1 * pin_circle, pose=front(turn=math.pi), collides=True
        ),
        arm,
        cylinder(pin, 2.2 * width, (-pin_circle, 0.5 * width, 0.0), axis=AXIS, color="steel", collides=True),
    )
    wheel = draft.link(
        "wheel",
        outline_shape(
            wheel_points,
            width,
            "geneva_wheel",
            bore=0.1 * pin_circle,
            pose=front(distance, turn=math.pi - half),
            collides=True,
        ),
    )
    draft.revolute("crank_joint", draft.world, crank, axis=AXIS)
    draft.revolute("wheel_joint", draft.world, wheel, at=(distance, 0.0, 0.0), axis=AXIS, friction=0.01, damping=0.002)
    let_touch(draft)
    draft.drive("crank_joint", velocity(2.0))
    return draft


def ratchet(
    teeth: int = 16, radius: float = 0.05, *, depth: float = 0.006, width: float = 0.01, stiffness: float = 0.05
) -> Draft:
    """A ratchet wheel and a pawl that a spring presses into its teeth: it turns one way only."""
    if teeth < 6 or not 0.0 < depth < 0.4 * radius:
        raise UsageError("a ratchet has 6 teeth or more, of a depth below 0.4 of its radius")
    draft = started("ratchet", f"Ratchet of {teeth} teeth")
    pitch = 2.0 * math.pi / teeth
    # From each tip the face goes straight in to the root, and the back rises to the next tip.
    tooth = np.array([(radius - depth, 0.0), (radius, 0.0)])
    back = [(radius - depth * (1.0 - t), t * pitch) for t in np.linspace(0.0, 1.0, 6)[1:-1]]
    polar = np.vstack(
        [np.vstack([tooth[1:], tooth[:1], np.array(back)]) + np.array([0.0, i * pitch]) for i in range(teeth)]
    )
    points = np.column_stack([polar[:, 0] * np.cos(polar[:, 1]), polar[:, 0] * np.sin(polar[:, 1])])
    # The face of the tooth at the top looks against the pawl, which lies along the tangent there.
    reach = 1.1 * radius
    tip = (0.0, radius - 0.5 * depth)
    pivot = (-reach, radius + 0.6 * depth)
    add_base_plate(draft, [(0.0, 0.0), pivot], depth=width, size=0.3 * radius)
    wheel = draft.link(
        "wheel",
        outline_shape(points, width, "ratchet", bore=0.1 * radius, pose=front(turn=math.pi / 2.0), collides=True),
    )
    draft.revolute("wheel_joint", draft.world, wheel, axis=AXIS, damping=0.002)
    length = math.dist(tip, pivot)
    angle = math.atan2(tip[1] - pivot[1], tip[0] - pivot[0])
    middle = ((tip[0] + pivot[0]) / 2.0, 0.0, (tip[1] + pivot[1]) / 2.0)
    pawl = draft.link(
        "pawl", box((length - 0.0005, 0.9 * width, 0.5 * depth), middle, rpy=(0.0, -angle, 0.0), collides=True)
    )
    draft.revolute(
        "pawl_joint", draft.world, pawl, at=(pivot[0], 0.0, pivot[1]), axis=AXIS, spring_stiffness=stiffness,
        spring_reference=-0.5, damping=0.0005, upper=0.5,
    )  # fmt: skip
    let_touch(draft)
    draft.drive("wheel_joint", velocity(-1.0))
    return draft


def geneva_wheel_outline(
    slots: int, reach: float, distance: float, hollow: float, slot: tuple[float, float], *, points: int = 13
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Corners (n, 2) of a Geneva wheel, counter-clockwise, a slot along +x: slot, tip, hollow for the disc, tip, and so
    on. Slots reach to the radius `reach`; the disc's axis is at `distance`, its hollows have the radius `hollow` and
    `points` points; `slot` is its half width and the radius of its bottom [m]."""
    half, bottom = slot
    pitch = 2.0 * math.pi / slots
    mouth = math.sqrt(reach**2 - half**2)
    ground = _arc((bottom + half, 0.0), half, 1.5 * math.pi, 0.5 * math.pi, 13)
    groove = np.vstack([[(mouth, -half)], ground, [(mouth, half)]])
    off = math.acos((reach**2 + distance**2 - hollow**2) / (2.0 * reach * distance))
    tip = _arc((0.0, 0.0), reach, math.asin(half / reach), pitch / 2.0 - off, 6)[1:]
    inside = math.asin(reach * math.sin(off) / hollow)
    cut = turned(_arc((distance, 0.0), hollow, math.pi + inside, math.pi - inside, points), pitch / 2.0)[1:-1]
    part = np.vstack([groove, tip, cut, turned(tip[::-1] * (1.0, -1.0), pitch)])
    return np.vstack([turned(part, index * pitch) for index in range(slots)])


def geneva_lock_outline(tips: float, distance: float, lock: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Corners (n, 2) of the disc of radius `lock`, counter-clockwise; its cut, towards +x, lets the tips of the wheel,
    of the radius `tips` about an axis at `distance`, pass while the pin drives [m]."""
    off = math.acos((lock**2 + distance**2 - tips**2) / (2.0 * lock * distance))
    inside = math.asin(lock * math.sin(off) / tips)
    cut = _arc((distance, 0.0), tips, math.pi + inside, math.pi - inside, 25)[1:-1]
    return np.vstack([_arc((0.0, 0.0), lock, off, 2.0 * math.pi - off, 61), cut])


def _arc(
    centre: tuple[float, float], radius: float, start: float, end: float, points: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    angle = np.linspace(start, end, points)
    return np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])
