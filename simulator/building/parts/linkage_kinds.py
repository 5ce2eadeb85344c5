"""Planar linkages, as documents.

All stand in the x-z plane; points are (x, z) [m], angles are counter-clockwise seen from the front. Each begins in a
position in which its loops are closed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.api.drives import position, sine, velocity
from simulator.building.parts.planar import PlanarLinkage, Point
from simulator.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from simulator.building.draft import Draft

GRASHOF = {
    "crank-rocker": (0.4, 0.1, 0.35, 0.3),
    "double-crank": (0.1, 0.3, 0.35, 0.4),
    "double-rocker": (0.35, 0.3, 0.1, 0.4),
    "triple-rocker": (0.4, 0.25, 0.2, 0.3),
    "parallelogram": (0.3, 0.15, 0.3, 0.15),
    "kite": (0.2, 0.2, 0.35, 0.35),
}
"""Lengths of ground, crank, coupler and rocker, by the class that they make [m]."""
SIXTY = math.radians(60.0)


def four_bar(
    ground: float = 0.0,
    crank: float = 0.0,
    coupler: float = 0.0,
    rocker: float = 0.0,
    *,
    kind: str = "crank-rocker",
    angle: float = SIXTY,
    crossed: bool = False,
    width: float = 0.02,
) -> Draft:
    """A four-bar by its four lengths [m], or by `kind`, a Grashof class: crank-rocker, double-crank, double-rocker,
    triple-rocker, parallelogram, kite. It starts with the crank at `angle`, on the open or the `crossed` branch.

    Raises UsageError for lengths that cannot be closed there, with the angles between which they can.
    """
    given = (ground, crank, coupler, rocker)
    if not any(given):
        if kind not in GRASHOF:
            raise UnknownNameError("class of four-bars", kind, GRASHOF)
        given = GRASHOF[kind]
    if min(given) <= 0.0:
        raise UsageError(f"a four-bar has four lengths above 0: ground, crank, coupler, rocker, not {given}")
    g, a, b, c = given
    if angle == SIXTY and not any((ground, crank, coupler, rocker)) and kind == "kite":
        angle = math.radians(80.0)
    p = (a * math.cos(angle), a * math.sin(angle))
    q = circle_point(p, b, (g, 0.0), c, left=not crossed)
    if q is None:
        raise UsageError(
            f"these lengths cannot be closed with the crank at {math.degrees(angle):g} degrees{_range(given)}"
        )
    made = PlanarLinkage("four_bar", f"Four-bar: {grashof_class(*given)}", width=width, notes=[grashof_class(*given)])
    made.base_plate((0.0, 0.0), (g, 0.0))
    made.bar("crank", (0.0, 0.0), p)
    made.bar("coupler", p, q, layer=1)
    made.bar("rocker", (g, 0.0), q)
    made.pin("crank_joint", "world", "crank", (0.0, 0.0))
    made.pin("rocker_joint", "world", "rocker", (g, 0.0))
    made.pin("coupler_joint", "crank", "coupler", p)
    made.pin("closing_joint", "coupler", "rocker", q)
    if grashof_class(*given) in ("crank-rocker", "double-crank"):
        made.draft.drive("crank_joint", velocity(2.0))
    return made.draft


def grashof_class(ground: float, crank: float, coupler: float, rocker: float) -> str:
    """By Grashof's criterion, s + l against p + q: which bar turns fully (Barker's names of the classes)."""
    lengths = (ground, crank, coupler, rocker)
    shortest, longest = min(lengths), max(lengths)
    margin = sum(lengths) - 2.0 * (shortest + longest)
    if abs(margin) <= 1e-12 * sum(lengths):
        return "change point"
    if margin < 0.0:
        return "triple-rocker"
    names = {0: "double-crank", 1: "crank-rocker", 2: "double-rocker", 3: "rocker-crank"}
    return names[lengths.index(shortest)]


def slider_crank(
    crank: float = 0.05, rod: float = 0.16, offset: float = 0.0, *, angle: float = SIXTY, width: float = 0.02
) -> Draft:
    """A slider-crank; `offset` [m] is the height of the slide above the crank's axis. Raises UsageError where it cannot
    be closed."""
    if min(crank, rod) <= 0.0 or rod <= abs(offset):
        raise UsageError("a slider-crank has a crank and a rod, which is longer than the offset")
    p = (crank * math.cos(angle), crank * math.sin(angle))
    rise = p[1] - offset
    if abs(rise) > rod:
        raise UsageError(
            f"the rod of {rod:g} m does not reach the slide with the crank at {math.degrees(angle):g} degrees"
        )
    q = (p[0] + math.sqrt(rod**2 - rise**2), offset)
    full = rod - crank > abs(offset)
    stroke = (
        math.sqrt((rod + crank) ** 2 - offset**2) - math.sqrt(max(rod - crank, 0.0) ** 2 - offset**2)
        if full
        else math.nan
    )
    notes = [f"the stroke is {stroke:.9g} m"] if full else ["the crank does not turn fully"]
    made = PlanarLinkage("slider_crank", "Slider-crank", width=width, notes=notes)
    made.base_plate((0.0, 0.0))
    made.bar("crank", (0.0, 0.0), p)
    made.bar("rod", p, q, layer=1)
    made.block("slider", q)
    made.pin("crank_joint", "world", "crank", (0.0, 0.0))
    made.slide("slide", "world", "slider", q, (1.0, 0.0))
    made.pin("rod_joint", "crank", "rod", p)
    made.pin("closing_joint", "rod", "slider", q)
    if full:
        made.draft.drive("crank_joint", velocity(2.0))
    return made.draft


def quick_return(
    crank: float = 0.06,
    distance: float = 0.12,
    arm: float = 0.3,
    *,
    angle: float = math.radians(20.0),
    width: float = 0.02,
) -> Draft:
    """A Whitworth shaper: a crank drives a block along a slotted arm, which pushes a ram. The way back is quicker by
    the ratio in the notes. Raises UsageError where the crank reaches the arm's pivot."""
    if not 0.0 < crank < distance or arm < distance + crank:
        raise UsageError("a quick return has a crank shorter than the distance, and an arm longer than both together")
    half = math.asin(crank / distance)
    ratio = (math.pi + 2.0 * half) / (math.pi - 2.0 * half)
    made = PlanarLinkage("quick_return", "Quick return", width=width, notes=[f"time ratio {ratio:.6g}"])
    foot = (0.0, -distance)
    p = (crank * math.cos(angle), crank * math.sin(angle))
    tilt = math.atan2(p[1] - foot[1], p[0] - foot[0])
    tip = (foot[0] + arm * math.cos(tilt), foot[1] + arm * math.sin(tilt))
    ram = (tip[0] - 0.5 * arm, arm * 0.98 - distance)
    reach = math.dist(tip, ram)
    made.base_plate((0.0, 0.0), foot)
    made.bar("crank", (0.0, 0.0), p)
    made.bar("arm", foot, tip, layer=2)
    made.block("block", p, layer=1)
    made.bar("rod", tip, ram, layer=1)
    made.block("ram", ram)
    made.pin("crank_joint", "world", "crank", (0.0, 0.0))
    made.pin("arm_joint", "world", "arm", foot)
    made.pin("block_joint", "crank", "block", p)
    made.slide("slot", "arm", "block", p, (math.cos(tilt), math.sin(tilt)))
    made.pin("rod_joint", "arm", "rod", tip)
    made.slide("ram_joint", "world", "ram", ram, (1.0, 0.0))
    made.pin("closing_joint", "rod", "ram", ram)
    made.draft.notes.append(f"the rod is {reach:.6g} m long")
    made.draft.drive("crank_joint", velocity(2.0))
    return made.draft


def watt(scale: float = 1.0, *, width: float = 0.015) -> Draft:
    """A Watt six-bar of the second kind: two four-bars in a row that share a ternary link."""
    made = PlanarLinkage("watt", "Watt six-bar", width=width)
    a, d, g = (0.0, 0.0), (0.22 * scale, 0.0), (0.4 * scale, 0.0)
    b = (0.03 * scale, 0.05 * scale)
    c = (0.2 * scale, 0.14 * scale)
    e, f = (0.3 * scale, 0.17 * scale), (0.42 * scale, 0.14 * scale)
    made.base_plate(a, d, g)
    made.bar("crank", a, b)
    made.bar("coupler", b, c, layer=1)
    made.bar("ternary", d, e, c)
    made.bar("rod", e, f, layer=1)
    made.bar("output", g, f)
    for name, parent, child, at in (
        ("crank_joint", "world", "crank", a), ("coupler_joint", "crank", "coupler", b),
        ("ternary_joint", "world", "ternary", d), ("closing_1", "coupler", "ternary", c),
        ("rod_joint", "ternary", "rod", e), ("output_joint", "world", "output", g), ("closing_2", "rod", "output", f),
    ):  # fmt: skip
        made.pin(name, parent, child, at)
    made.draft.drive("crank_joint", position(sine(0.4, 0.25)))
    return made.draft


def stephenson(scale: float = 1.0, *, width: float = 0.015) -> Draft:
    """A Stephenson six-bar of the third kind: a dyad on the coupler of a four-bar."""
    made = PlanarLinkage("stephenson", "Stephenson six-bar", width=width)
    a, d = (0.0, 0.0), (0.2 * scale, 0.0)
    b = (0.02 * scale, 0.05 * scale)
    c = (0.19 * scale, 0.13 * scale)
    e, f, g = (0.1 * scale, 0.2 * scale), (0.28 * scale, 0.22 * scale), (0.36 * scale, 0.05 * scale)
    made.base_plate(a, d, g)
    made.bar("crank", a, b)
    made.bar("coupler", b, c, e, layer=1)
    made.bar("rocker", d, c)
    made.bar("rod", e, f, layer=2)
    made.bar("output", g, f, layer=1)
    for name, parent, child, at in (
        ("crank_joint", "world", "crank", a), ("coupler_joint", "crank", "coupler", b),
        ("rocker_joint", "world", "rocker", d), ("closing_1", "coupler", "rocker", c),
        ("rod_joint", "coupler", "rod", e), ("output_joint", "world", "output", g), ("closing_2", "rod", "output", f),
    ):  # fmt: skip
        made.pin(name, parent, child, at)
    made.draft.drive("crank_joint", velocity(2.0))
    return made.draft


def hoeken(crank: float = 0.1, *, width: float = 0.0) -> Draft:
    """Hoeken's linkage: ground 2, coupler and rocker 2.5 of the crank; the end of the coupler, twice as long, goes
    nearly straight over half a turn."""
    if crank <= 0.0:
        raise UsageError("a crank has a length above 0")
    g, b = 2.0 * crank, 2.5 * crank
    p = (-crank, 0.0)
    q = circle_point(p, b, (g, 0.0), b, left=True)
    assert q is not None
    tip = (2.0 * q[0] - p[0], 2.0 * q[1] - p[1])
    made = PlanarLinkage("hoeken", "Hoeken's straight-line linkage", width=width or 0.15 * crank)
    made.base_plate((0.0, 0.0), (g, 0.0))
    made.bar("crank", (0.0, 0.0), p)
    made.bar("coupler", p, tip, layer=1)
    made.bar("rocker", (g, 0.0), q, layer=2)
    made.pin("crank_joint", "world", "crank", (0.0, 0.0))
    made.pin("rocker_joint", "world", "rocker", (g, 0.0))
    made.pin("coupler_joint", "crank", "coupler", p)
    made.pin("closing_joint", "coupler", "rocker", q)
    made.draft.frame("tip", (tip[0], 0.0, tip[1]), attached_to="coupler")
    made.draft.drive("crank_joint", velocity(2.0))
    return made.draft


def peaucellier(
    long: float = 0.3,
    short: float = 0.14,
    crank: float = 0.12,
    *,
    angle: float = math.radians(30.0),
    width: float = 0.015,
) -> Draft:
    """Peaucellier's inversor: seven bars, of which one point goes exactly straight. `long` bars from the fixed point,
    `short` ones of the rhombus, a `crank` as long as its pivot is from the fixed point."""
    if not 0.0 < short < long or not crank > 0.0:
        raise UsageError("the bars from the fixed point are longer than those of the rhombus")
    # The crank's end lies on a circle through the fixed point; its inverse is on a straight line.
    inner = (crank * (1.0 + math.cos(angle)), crank * math.sin(angle))
    reach = math.hypot(*inner)
    if not long - short < reach < long + short:
        raise UsageError(f"the rhombus does not reach the crank, {reach:g} m from the fixed point")
    side = [circle_point((0.0, 0.0), long, inner, short, left=left) for left in (True, False)]
    outer = tuple(x * (long**2 - short**2) / reach**2 for x in inner)
    line = (long**2 - short**2) / (2.0 * crank)
    made = PlanarLinkage(
        "peaucellier", "Peaucellier's inversor", width=width, notes=[f"the line is at x = {line:.9g} m"]
    )
    made.base_plate((0.0, 0.0), (crank, 0.0))
    tracer = (outer[0], outer[1])
    made.bar("crank", (crank, 0.0), inner)
    made.pin("crank_joint", "world", "crank", (crank, 0.0))
    for name, point in zip(("upper", "lower"), side, strict=True):
        assert point is not None
        made.bar(f"{name}_long", (0.0, 0.0), point, layer=1)
        made.bar(f"{name}_inner", inner, point, layer=2)
        made.bar(f"{name}_outer", point, tracer, layer=3)
        made.pin(f"{name}_joint", "world", f"{name}_long", (0.0, 0.0))
        made.pin(f"{name}_inner_joint", "crank", f"{name}_inner", inner)
        made.pin(f"{name}_closing", f"{name}_long", f"{name}_inner", point)
        made.pin(f"{name}_outer_joint", f"{name}_long", f"{name}_outer", point)
    made.pin("tracer_closing", "upper_outer", "lower_outer", tracer)
    made.draft.frame("tracer", (tracer[0], 0.0, tracer[1]), attached_to="upper_outer")
    made.draft.drive("crank_joint", position(sine(0.3, 0.25)))
    return made.draft


def pantograph(
    bar: float = 0.2, factor: float = 2.0, *, angle: float = math.radians(35.0), width: float = 0.015
) -> Draft:
    """A pantograph: its far point does what the near one does, `factor` times as large. The near point is moved by two
    slides. Raises UsageError for a factor that is not above 1."""
    if factor <= 1.0 or bar <= 0.0:
        raise UsageError("a pantograph enlarges: its factor is above 1")
    left = (bar * math.cos(angle) * factor, bar * math.sin(angle) * factor)  # end of the long bar from the fixed point
    small = (bar * math.cos(angle), bar * math.sin(angle))
    near = (2.0 * small[0], 0.0)
    far = (2.0 * left[0], 0.0)
    side = (left[0] + near[0] - small[0], left[1] + near[1] - small[1])
    made = PlanarLinkage("pantograph", f"Pantograph, {factor:g} times", width=width)
    made.base_plate((0.0, 0.0))
    made.bar("first", (0.0, 0.0), left)
    made.bar("second", left, far, layer=1)
    made.bar("third", small, near, layer=1)
    made.bar("fourth", near, side, layer=2)
    made.pin("first_joint", "world", "first", (0.0, 0.0))
    made.pin("second_joint", "first", "second", left)
    made.pin("third_joint", "first", "third", small)
    made.pin("fourth_joint", "third", "fourth", near)
    made.pin("closing_joint", "fourth", "second", side)
    made.block("cart", near, layer=3)
    made.block("rider", near, layer=4)
    made.slide("cart_joint", "world", "cart", near, (1.0, 0.0))
    made.slide("rider_joint", "cart", "rider", near, (0.0, 1.0))
    made.pin("guide", "rider", "third", near)
    made.draft.frame("far", (far[0], 0.0, far[1]), attached_to="second")
    made.draft.drive("cart_joint", position(sine(0.1 * bar, 0.25)))
    made.draft.drive("rider_joint", position(sine(0.1 * bar, 0.5)))
    return made.draft


def scissor_lift(stages: int = 3, bar: float = 0.4, *, angle: float = math.radians(30.0), width: float = 0.02) -> Draft:
    """A scissor lift of `stages` pairs of bars, moved at its foot."""
    if stages < 1 or bar <= 0.0 or not 0.0 < angle < math.pi / 2.0:
        raise UsageError("a scissor lift has a stage or more, and an angle between 0 and 90 degrees")
    w, h = bar * math.cos(angle), bar * math.sin(angle)
    made = PlanarLinkage("scissor_lift", f"Scissor lift of {stages} stages", width=width)
    made.base_plate((0.0, 0.0))
    made.block("foot", (w, 0.0), layer=2)
    made.slide("foot_joint", "world", "foot", (w, 0.0), (1.0, 0.0), damping=20.0)
    for i in range(stages):
        low, high = (i * h, (i + 1) * h)
        made.bar(f"rising_{i + 1}", (0.0, low), (w, high))
        made.bar(f"falling_{i + 1}", (w, low), (0.0, high), layer=1)
        below = ("world", "foot") if i == 0 else (f"falling_{i}", f"rising_{i}")
        made.pin(f"left_{i + 1}", below[0], f"rising_{i + 1}", (0.0, low))
        made.pin(f"middle_{i + 1}", f"rising_{i + 1}", f"falling_{i + 1}", (w / 2.0, (low + high) / 2.0))
        made.pin(f"right_{i + 1}", below[1], f"falling_{i + 1}", (w, low))
    top = stages * h
    made.bar("table", (0.0, top), (w, top), layer=2)
    made.block("head", (w, top), layer=3)
    made.pin("table_joint", f"falling_{stages}", "table", (0.0, top))
    made.pin("head_joint", f"rising_{stages}", "head", (w, top))
    made.slide("table_slide", "table", "head", (w, top), (1.0, 0.0))
    made.draft.drive("foot_joint", position(sine(0.1 * bar, 0.2)))
    return made.draft


def five_bar(ground: float = 0.2, arms: tuple[float, float] = (0.15, 0.2), *, width: float = 0.015) -> Draft:
    """A five-bar with two driven cranks, a planar robot of two freedoms. `arms`: lengths of the cranks and of the rods.
    Raises UsageError where the rods do not meet."""
    crank, rod = arms
    left, right = (0.0, 0.0), (ground, 0.0)
    a = (crank * math.cos(math.radians(110.0)), crank * math.sin(math.radians(110.0)))
    b = (ground - a[0], a[1])
    tip = circle_point(a, rod, b, rod, left=True)
    if tip is None:
        raise UsageError("the rods of this five-bar do not meet")
    made = PlanarLinkage("five_bar", "Five-bar robot", width=width)
    made.base_plate(left, right)
    made.bar("left_crank", left, a)
    made.bar("right_crank", right, b)
    made.bar("left_rod", a, tip, layer=1)
    made.bar("right_rod", b, tip, layer=2)
    made.pin("left_joint", "world", "left_crank", left)
    made.pin("right_joint", "world", "right_crank", right)
    made.pin("left_elbow", "left_crank", "left_rod", a)
    made.pin("right_elbow", "right_crank", "right_rod", b)
    made.pin("closing_joint", "left_rod", "right_rod", tip)
    made.draft.frame("tip", (tip[0], 0.0, tip[1]), attached_to="left_rod")
    made.draft.drive("left_joint", position(sine(0.3, 0.25)))
    made.draft.drive("right_joint", position(sine(0.3, 0.5)))
    return made.draft


def rack_steering(
    track: float = 1.4, *, knuckle: float = 0.15, angle: float = math.radians(15.0), width: float = 0.03
) -> Draft:
    """Rack steering seen from above, in its plane: a rack between two knuckles, whose arms point inwards by `angle`.
    `track` [m] is the distance of the king pins."""
    half = track / 2.0
    arm = (knuckle * math.sin(angle), knuckle * math.cos(angle))
    rack_half = 0.5 * half
    made = PlanarLinkage("rack_steering", "Rack steering", width=width)
    height = -1.15 * arm[1]
    made.base_plate((-half, 0.0), (half, 0.0))
    made.bar("rack", (-rack_half, height), (rack_half, height))
    made.slide("rack_joint", "world", "rack", (0.0, height), (1.0, 0.0), damping=50.0)
    for name, s in (("left", -1.0), ("right", 1.0)):
        end = (s * (half - arm[0]), -arm[1])
        made.bar(f"{name}_knuckle", (s * half, 0.0), end)
        made.bar(f"{name}_rod", (s * rack_half, height), end, layer=1)
        made.pin(f"{name}_joint", "world", f"{name}_knuckle", (s * half, 0.0))
        made.pin(f"{name}_rod_joint", "rack", f"{name}_rod", (s * rack_half, height))
        made.pin(f"{name}_closing", f"{name}_rod", f"{name}_knuckle", end)
    made.draft.drive("rack_joint", position(sine(0.3 * knuckle, 0.25)))
    return made.draft


def excavator(boom: float = 2.0, stick: float = 1.2, *, width: float = 0.12) -> Draft:
    """The boom of an excavator: boom, stick and bucket, each moved by a cylinder; the bucket by a four-bar."""
    if min(boom, stick) <= 0.0:
        raise UsageError("boom and stick have lengths above 0")
    foot, elbow = (0.0, 0.5), (0.8 * boom, 0.5 + 0.6 * boom)
    wrist = (elbow[0] + 0.6 * stick, elbow[1] - 0.8 * stick)
    crook = (0.45 * boom, 0.5 + 0.55 * boom)
    heel = (elbow[0] - 0.18 * stick, elbow[1] + 0.24 * stick)
    made = PlanarLinkage("excavator", "Boom of an excavator", width=width)
    made.base_plate(foot, (0.35 * boom, 0.2))
    made.bar("boom", foot, crook, elbow)
    made.bar("stick", heel, elbow, wrist)
    made.pin("boom_joint", "world", "boom", foot)
    made.pin("stick_joint", "boom", "stick", elbow)
    _cylinder(made, "boom", ("world", (0.35 * boom, 0.2)), ("boom", crook))
    _cylinder(made, "stick", ("boom", crook), ("stick", heel))
    lip = (wrist[0] + 0.3 * stick, wrist[1] - 0.35 * stick)
    ear = (wrist[0] + 0.18 * stick, wrist[1] + 0.05 * stick)
    made.bar("bucket", wrist, lip, ear)
    made.pin("bucket_joint", "stick", "bucket", wrist)
    root = (elbow[0] + 0.48 * stick, elbow[1] - 0.64 * stick)
    knee = (root[0] + 0.2 * stick, root[1] + 0.14 * stick)
    made.bar("lever", root, knee, layer=1)
    made.bar("link", knee, ear, layer=2)
    made.pin("lever_joint", "stick", "lever", root)
    made.pin("link_joint", "lever", "link", knee)
    made.pin("link_closing", "link", "bucket", ear)
    _cylinder(made, "bucket", ("stick", heel), ("lever", knee))
    return made.draft


def _cylinder(made: PlanarLinkage, name: str, first: tuple[str, Point], second: tuple[str, Point]) -> None:
    """A hydraulic cylinder between points of two links, held by a drive."""
    (a, p), (b, q) = first, second
    along = (q[0] - p[0], q[1] - p[1])
    at = [(p[0] + t * along[0], p[1] + t * along[1]) for t in (0.55, 0.4)]
    made.bar(f"{name}_tube", p, at[0], layer=3)
    made.bar(f"{name}_rod", at[1], q, layer=4)
    made.pin(f"{name}_tube_joint", a, f"{name}_tube", p)
    made.slide(f"{name}_cylinder", f"{name}_tube", f"{name}_rod", q, along)
    made.pin(f"{name}_rod_closing", f"{name}_rod", b, q)
    stroke = 0.05 * math.hypot(*along)
    made.draft.drive(f"{name}_cylinder", position(sine(stroke, 0.1)))


def circle_point(p: Point, r: float, q: Point, s: float, *, left: bool) -> Point | None:
    """The point at distance r of p and s of q, on the left of the way from p to q, or on the right; None where there is
    none."""
    d = math.dist(p, q)
    if d == 0.0 or d > r + s or d < abs(r - s):
        return None
    along = (r * r - s * s + d * d) / (2.0 * d)
    across = math.sqrt(max(r * r - along * along, 0.0)) * (1.0 if left else -1.0)
    u = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    return (p[0] + along * u[0] - across * u[1], p[1] + along * u[1] + across * u[0])


def _range(lengths: tuple[float, float, float, float]) -> str:
    """Between which angles of the crank it can."""
    g, a, b, c = lengths
    found = []
    for reach, word in ((b + c, "at most"), (abs(b - c), "at least")):
        cosine = (g * g + a * a - reach * reach) / (2.0 * g * a)
        if -1.0 < cosine < 1.0:
            found.append(f"{word} {math.degrees(math.acos(cosine)):.4g}")
    return (
        f"; from the ground it is {' and '.join(found)} degrees"
        if found
        else ": one is longer than the others together"
    )
