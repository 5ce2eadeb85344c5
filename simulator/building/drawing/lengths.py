"""Moves of points and lengths: a bar is dragged, typed, named or locked, and the chain follows."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.building.drawing.placing import lengths_of, put_points, solved
from simulator.building.drawing.plan import SAME, PlanLink, toothed
from simulator.building.drawing.space_moves import put_in_space, solved_in_space
from simulator.building.drawing.teeth import cut_teeth
from simulator.errors import UsageError
from simulator.formats.sdf.extensions import PARAMETER
from simulator.formats.values import number_text
from simulator.formats.writing.laws import parameter_node
from simulator.model.lengths import LengthParameter, LengthValues, expression_value, names_in, require_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, Skeleton, Sketch
    from simulator.spatial.arrays import Array

ROUND_OFF = 1e-14
"""Lengths that differ by less are one [m]."""
WHEEL_WORDS = re.compile(r"\s*(?:m\s*=?\s*([\d.]+)\s*,?\s*)?z\s*=?\s*(\d+)\s*$", re.IGNORECASE)
"""What makes a wheel of a module [mm] and a number of teeth: `m 2 z 20`, or `z 20`."""


def move_point(draft: Draft, plan: Sketch, place: Place, to: Place) -> None:
    """Put the point at a place elsewhere: bars that end there change their lengths unless these are locked or named,
    which the rest of the chain then makes room for; all joints stay closed. A point outside of the plane moves along
    it."""
    point, other, lengths = plan.point_at(place), plan.point_at(to), lengths_of(plan)
    outside = plan.outside_at(place) if point is None else None
    if point is None and outside is None:
        raise UsageError("there is no point here to move")
    if point is not None and other is not None and other is not point:
        raise UsageError("there is a point already: draw a bar to it instead")

    def in_plane() -> tuple[Place, ...] | None:
        return None if point is None else solved(plan, lengths, {plan.points.index(point): to})

    def in_space(lines: Skeleton) -> Array:
        at = plan.plane.point(place)
        number = outside if outside is not None else lines.number_at(at)
        if number is None:
            raise UsageError("no bar ends here: draw in the plane of this point to move it")
        way = plan.plane.way((to[0] - place[0], to[1] - place[1]))
        x, y, z = (a + b for a, b in zip(lines.points[number], way, strict=True))
        return solved_in_space(plan, lengths, {number: (x, y, z)})

    _put(draft, plan, in_plane, in_space)


def _put(
    draft: Draft,
    plan: Sketch,
    in_plane: Callable[[], tuple[Place, ...] | None],
    in_space: Callable[[Skeleton], Array],
    radii: Mapping[str, float] | None = None,
) -> None:
    """Move the points of the plane, where these are all that move, else those of the bars of all planes."""
    places = None
    try:
        places = in_plane()
    except UsageError:
        if plan.skeleton is None:
            raise
    if places is not None and (plan.skeleton is None or not _reaches_out(plan, places)):
        put_points(draft, plan, places, radii)
        _cut_again(draft, plan)
        return
    assert plan.skeleton is not None
    if any(_differs(plan, name, radii) for name in radii or ()):
        raise UsageError("wheels change their radii where no bar of another plane does: delete the name that both have")
    put_in_space(draft, plan, in_space(plan.skeleton))


def _reaches_out(plan: Sketch, places: Sequence[Place]) -> bool:
    """Whether a point is moved that a link of another plane has."""
    ghosts = {link.name for link in plan.links if link.ghost}
    return any(point.place != at and ghosts & set(point.links) for point, at in zip(plan.points, places, strict=True))


def assemble(draft: Draft, plan: Sketch, places: Sequence[Place]) -> None:
    """Put all points where another assembly has them, with the lengths that there are."""
    there = plan.moved(places)
    put_points(draft, plan, solved(there, {link.name: link.length for link in plan.links if link.is_bar}))
    _cut_again(draft, plan)


def set_length(draft: Draft, plan: Sketch, name: str, length: float) -> None:
    """Make a bar as long as `length`, or a wheel of that pitch radius [m]: the end of a bar moves that is not on the
    ground, the second where both may, and others where lengths are locked or named. A length with a name gives it that
    value."""
    _measured(plan, name)
    if not 2.0 * SAME < length < 1e6:
        raise UsageError(f"a length is above 0 [m], not {length!r}")
    old = plan.parameter(name)
    if old is not None:
        set_parameters(draft, plan, _with(plan, replace(old, value=number_text(length))))
    else:
        _apply(draft, plan, {**lengths_of(plan), name: length}, name)


def say_length(draft: Draft, plan: Sketch, name: str, text: str) -> None:
    """What is typed for the length of a link: metres; a new name `a` for the length as it is; `a = 0.1`, `b = 2.5*a`;
    an expression `2.5*a`; of a wheel `m 2 z 20` as well. Raises UsageError for what none of these is."""
    link = _measured(plan, name)
    teeth = WHEEL_WORDS.match(text)
    if link.radius and teeth is not None:
        _set_teeth(draft, plan, link, teeth[1], int(teeth[2]))
        return
    left, sign, right = (part.strip() for part in text.partition("="))
    number = _number(right if sign else left)
    if not sign and number is not None:
        set_length(draft, plan, name, number)
        return
    known = {item.name for item in plan.parameters if item.name}
    old = plan.parameter(name)
    if sign:
        require_name(left)
        made = LengthParameter(left, right if number is None else number_text(number), name)
    elif left.isidentifier() and left not in known:
        require_name(left)
        made = LengthParameter(left, old.value if old is not None else number_text(link.length), name)
    else:
        made = LengthParameter("" if old is None else old.name, left, name)
    if made.name in known - {old.name if old is not None else ""}:
        raise UsageError(f"there is a length '{made.name}' already: write {made.name} alone for the same length")
    set_parameters(draft, plan, _with(plan, made))


def set_lock(draft: Draft, plan: Sketch, name: str, *, on: bool) -> None:
    """Lock the length of a bar as it is, or let it change with its ends again; then it has no name."""
    link = _measured(plan, name)
    others = [item for item in plan.parameters if item.link != name]
    made = [LengthParameter("", number_text(link.length), name)] if on else []
    set_parameters(draft, plan, [*others, *made])


def set_named(draft: Draft, plan: Sketch, name: str, length: float) -> None:
    """Give the name of a length another value [m]."""
    old = next((item for item in plan.parameters if item.name == name), None)
    if old is None:
        raise UsageError(f"no length is named '{name}'")
    set_parameters(draft, plan, _with(plan, replace(old, value=number_text(length))))


def length_text(plan: Sketch, name: str, factor: float) -> str:
    """What is typed for the length of a link as it is, in a unit of which `factor` make a metre: see `say_length`."""
    link, known = _measured(plan, name), plan.parameter(name)
    teeth = toothed(known) if known is not None else link.teeth
    if teeth is not None:
        return f"m {1000.0 * teeth[0]:g} z {teeth[1]}"
    number = None if known is None else known.number
    value = f"{factor * (link.length if number is None else number):.10g}"
    if known is None:
        return value
    if known.number is None:
        value = known.value
    return f"{known.name} = {value}" if known.name else value


def number_of(text: str) -> float:
    """A plain number. Raises UsageError."""
    number = _number(text)
    if number is None:
        raise UsageError(f"'{text}' is no number")
    return number


def in_metres(text: str, factor: float) -> str:
    """What is typed in a unit of which `factor` make a metre, in metres: numbers, and expressions that are no mere
    multiples of their names."""
    left, sign, right = text.rpartition("=")
    number = _number(right.strip())
    if factor == 1.0 or WHEEL_WORDS.match(text):
        return text
    if number is not None:
        return f"{left}{sign}{number_text(number / factor)}"
    if _is_multiple(right.strip()):
        return text
    names = "|".join(names_in(right.strip()))
    inner = re.sub(rf"\b({names})\b", rf"({factor:g}*\1)", right.strip()) if names else right.strip()
    return f"{left}{sign}({inner})/{factor:g}"


def _is_multiple(text: str) -> bool:
    """Whether an expression is twice as large where all its names are: then units do not matter."""
    names = names_in(text)
    once, twice = (
        expression_value(text, {name: k * math.sqrt(n + 2.0) for n, name in enumerate(names)}) for k in (1, 2)
    )
    return bool(names) and math.isclose(twice, 2.0 * once, rel_tol=1e-9)


def set_parameters(draft: Draft, plan: Sketch, parameters: Sequence[LengthParameter]) -> None:
    """Write other names of lengths into the draft, and make its links as long as they say."""
    values = {item.link: value for item, value in LengthValues(parameters) if item.link}
    for old in draft.element.all(PARAMETER):
        draft.element.remove(old)
    for item in parameters:
        if item.link or is_used(item.name, parameters):
            draft.put(parameter_node(item))
    changed = [name for name in values if _differs(plan, name, values)]
    if changed:
        _apply(draft, plan, values, changed[0] if len(changed) == 1 else "")


def is_used(name: str, parameters: Sequence[LengthParameter]) -> bool:
    """Whether a length follows that of a name."""
    return any(item.number is None and name in names_in(item.value) for item in parameters)


def keep_names(draft: Draft, plan: Sketch) -> None:
    """Names whose links are gone stay, as numbers, where others follow them."""
    there = {item.get("link") for item in draft.element.all(PARAMETER)}
    left = [item for item in plan.parameters if item.link in there]
    for item, value in LengthValues(plan.parameters):
        if item.link and item.link not in there and is_used(item.name, left):
            draft.put(parameter_node(LengthParameter(item.name, number_text(value))))


def differing(plan: Sketch) -> list[str]:
    """Links that are not as long as their names say, as after a change of the text."""
    lengths = lengths_of(plan)
    return [name for name in lengths if _differs(plan, name, lengths, SAME)]


def make_lengths_true(draft: Draft, plan: Sketch) -> None:
    """Make all links as long as their names say."""
    _apply(draft, plan, lengths_of(plan), "")


def _measured(plan: Sketch, name: str) -> PlanLink:
    """A bar or wheel. Raises UsageError for another link."""
    link = plan.link(name)
    if link is None or not link.is_measured:
        raise UsageError(f"'{name}' has no length that could be set")
    return link


def _differs(plan: Sketch, name: str, lengths: Mapping[str, float] | None, by: float = ROUND_OFF) -> bool:
    """Whether a link is not as long as it is to be [m], if anything says so."""
    link = plan.link(name)
    length = None if lengths is None else lengths.get(name)
    return link is not None and length is not None and link.is_measured and abs(link.length - length) > by


def _with(plan: Sketch, made: LengthParameter) -> list[LengthParameter]:
    """The parameters with another one in place of that of the same link, or name."""
    same = [made.link == item.link if made.link else made.name == item.name for item in plan.parameters]
    kept = [made if is_same else item for item, is_same in zip(plan.parameters, same, strict=True)]
    return kept if any(same) else [*kept, made]


def _apply(draft: Draft, plan: Sketch, lengths: Mapping[str, float], name: str) -> None:
    """Place the points for `lengths`, of which that of the link `name` is new."""
    link = plan.link(name)
    radii = {key: value for key, value in lengths.items() if (item := plan.link(key)) is not None and item.radius}
    ghosts = {link.name for link in plan.links if link.true_length and _differs(plan, link.name, lengths)}

    def in_plane() -> tuple[Place, ...] | None:
        return None if ghosts else _places_for(plan, lengths, link)

    _put(draft, plan, in_plane, lambda lines: _places_in_space(plan, lines, lengths, name), radii)
    _set_ratios(draft, plan, radii)


def _cut_again(draft: Draft, plan: Sketch) -> None:
    """Wheels were drawn as discs: those with teeth get them again."""
    if any(link.radius for link in plan.links):
        cut_teeth(draft, plan.plane)


def _places_for(plan: Sketch, lengths: Mapping[str, float], link: PlanLink | None) -> tuple[Place, ...]:
    if link is None:
        return solved(plan, lengths)
    if link.radius:
        centre = plan.point_at(link.places[0])
        return solved(plan, lengths, loose=[] if centre is None else [plan.points.index(centre)])
    first, second = (plan.point_at(end) for end in link.ends)
    assert first is not None
    assert second is not None
    if first.is_ground and second.is_ground:
        raise UsageError(f"both ends of '{link.name}' are on the ground")
    stays = second if second.is_ground else first
    try:
        return solved(plan, lengths, {plan.points.index(stays): stays.place})
    except UsageError:
        return solved(plan, lengths)


def _places_in_space(plan: Sketch, lines: Skeleton, lengths: Mapping[str, float], name: str) -> Array:
    """As `_places_for`."""
    if name not in lines.bars:
        return solved_in_space(plan, lengths, {})
    first, second = lines.bars[name]
    if {first, second} <= lines.grounded:
        raise UsageError(f"both ends of '{name}' are on the ground")
    held = [number for number in (second, first) if number in lines.grounded or number in lines.others]
    stays = held[0] if held else first
    try:
        return solved_in_space(plan, lengths, {} if held else {stays: lines.points[stays]})
    except UsageError:
        return solved_in_space(plan, lengths, {})


def _set_teeth(draft: Draft, plan: Sketch, link: PlanLink, module: str | None, teeth: int) -> None:
    """The pitch radius of a wheel by its teeth and module, or that of a wheel that it meshes with."""
    if teeth < 3:
        raise UsageError(f"a wheel has three teeth or more, not {teeth}")
    if module is not None:
        size = float(module) / 1000.0
    else:
        partners = {name for mesh in plan.meshes for name in (mesh.first, mesh.second)
                    if link.name in (mesh.first, mesh.second) and name != link.name}  # fmt: skip
        known = [found[0] for name in partners if (found := toothed(plan.parameter(name))) is not None]
        own = toothed(plan.parameter(link.name)) or link.teeth
        if not known and own is None:
            raise UsageError("say the module, too: m 2 z 20 is a module of 2 mm and 20 teeth")
        size = known[0] if known else own[0] if own is not None else 0.0
    if not size > 0.0:
        raise UsageError("a module is above 0 mm")
    made = LengthParameter("", f"{number_text(size)}*{teeth}/2", link.name)
    set_parameters(draft, plan, _with(plan, made))


def _set_ratios(draft: Draft, plan: Sketch, radii: Mapping[str, float]) -> None:
    """Gears and racks of wheels that have other radii now."""
    for mesh in plan.meshes:
        first, second = plan.link(mesh.first), plan.link(mesh.second)
        if first is None or second is None or radii.keys().isdisjoint((mesh.first, mesh.second)):
            continue
        one = radii.get(first.name, first.radius)
        if second.radius:
            two = radii.get(second.name, second.radius)
            draft.joints[mesh.joint].set("gearbox_ratio", (-1.0 if mesh.belt else 1.0) * one / two)
        else:
            old = float(draft.joints[mesh.joint].get("axis/mimic/multiplier"))
            draft.joints[mesh.joint].set("axis/mimic/multiplier", old * one / first.radius)


def _number(text: str) -> float | None:
    """A plain number, also as a fraction."""
    over, slash, under = text.partition("/")
    try:
        value = float(over) / float(under) if slash else float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
