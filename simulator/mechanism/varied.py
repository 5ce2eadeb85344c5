"""Other numbers for a mechanism of the same structure, by the names that the document gives them.

    <axis>.damping, friction, spring_stiffness, spring_reference, lower, upper, effort, velocity, initial_position
    <axis>.direction.x … direction.z                                 in the joint frame; scaled to length 1
    <follower>.multiplier, offset, reference; a0, a1 … a8            of a straight law; of a polynomial
    <follower>.efficiency.forward, backward, bearing_friction.forward, backward, thread.friction …, backlash.width …,
        compliance.stiffness, damping, freewheel.pitch, clutch.force, limit, friction, radius, faces, peak
    <axis>.brake.force, limit, friction, radius, faces, peak, stribeck.static, speed, exponent,
        bearing.friction, radius
                                                                     both as far as the document states them
    <link>.mass, com.x … com.z, inertia.ixx … inertia.iyz            of the link's own <inertial>
    <link>.length                                                    between the two joints on it
    <name>                                                           a <simulator:parameter>: all lengths that it sets
    <joint>.pose.x … pose.z, pose.roll … pose.yaw                    of the joint's <pose>; in both of its links
    <joint>.parent_pose.x … yaw, <joint>.child_pose.x … yaw          of the joint frame in one of its links only
    world.gravity.x … gravity.z
    spring1.stiffness, damping, free_length, at.x …, other_at.x …    of the first <simulator:spring>, and so on
    load1.force.x …, moment.x …, at.x …                              of the first <simulator:load>, and so on
    <cable>.length, stiffness, damping, restitution                  of a <simulator:cable>
    <cable>.part1.radius, friction, at.x …                           of the first element in it, and so on
    <constraint>.within, stiffness, damping, restitution             of a <simulator:constraint>
    <link>::<collision>.mu, restitution, size.x …, radius, length    of a <collision>

The result is the mechanism of the same document with that number in it. `pose` moves a joint in both of its links,
which stay where they are at the document's start, so that two lengths change; `parent_pose`, `child_pose` and `length`
change one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.errors import UnknownNameError, UsageError, place_of
from simulator.mechanism.parameters import Numbered, Parameter
from simulator.mechanism.varied_axes import AxisNumbers, LawNumbers
from simulator.mechanism.varied_cables import CableNumbers, ConstraintNumbers
from simulator.mechanism.varied_collisions import CollisionNumbers
from simulator.mechanism.varied_couplings import RealNumbers
from simulator.mechanism.varied_friction import RubbingNumbers
from simulator.mechanism.varied_joints import JointNumbers
from simulator.mechanism.varied_links import LinkNumbers, check_inertias
from simulator.mechanism.varied_loads import ForceNumbers, GravityNumbers, SpringNumbers
from simulator.mechanism.varied_names import NAMED, NamedLengths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.mechanism.parameters import Allowed, KindOfNumbers
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World

KINDS: tuple[KindOfNumbers, ...] = (
    AxisNumbers(),
    LawNumbers(),
    RealNumbers(),
    RubbingNumbers(),
    LinkNumbers(),
    JointNumbers(),
    GravityNumbers(),
    SpringNumbers(),
    ForceNumbers(),
    CableNumbers(),
    ConstraintNumbers(),
    CollisionNumbers(),
    NamedLengths(),
)
"""Where several kinds have a number of the same name, the first that has a thing of the wanted name has it."""
_FIELDS = dict.fromkeys(field for kind in KINDS for field in kind.fields if field)
MOVING = re.compile(r"lower|upper|multiplier|offset|reference|a\d|length|(parent_|child_)?pose\..+|direction\..+")
"""Numbers that change which positions couplings, loops and limits allow."""


class Renumbering:
    """Other numbers for one mechanism of `world`, again and again: each name is looked up once."""

    def __init__(self, mechanism: Mechanism, world: World) -> None:
        self._of = Numbered(mechanism, world)
        self._found: dict[str, tuple[int, int, str, Allowed]] = {}

    def __call__(self, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with these numbers, by parameter names as in the head of this file. Numbers of one thing change
        together, things in the order in which they are first named.

        Raises UsageError for a parameter that does not exist or a value that it cannot have.
        """
        together: dict[tuple[int, int], dict[str, float]] = {}
        for text, value in values.items():
            kind, index, field, allowed = self._looked_up(text)
            refusal = allowed.refusal(value)
            if refusal:
                raise UsageError(f"'{text}' {refusal}")
            if field == NAMED:  # a length may follow from several names
                field = KINDS[kind].names(self._of)[index]
                index = 0
            together.setdefault((kind, index), {})[field] = float(value)
        of = self._of
        for (kind, index), changes in together.items():
            of = of.with_numbers(KINDS[kind].change(of, index, changes))
        check_inertias(self._of.mechanism, of.mechanism)
        return of.mechanism

    def _looked_up(self, text: str) -> tuple[int, int, str, Allowed]:
        if text not in self._found:
            place = find_parameter(self._of, text)
            self._found[text] = (*place, _allowed(self._of, *place, text))
        return self._found[text]


def varied(mechanism: Mechanism, world: World, values: Mapping[str, float]) -> Mechanism:
    """The mechanism of `world` with other numbers, see `Renumbering`."""
    return Renumbering(mechanism, world)(values)


def moves_positions(names: Iterable[str]) -> bool:
    """Whether one of these parameters changes which positions couplings, loops and limits allow."""
    fields = [split_name(name)[1] for name in names]
    return any(field == NAMED or MOVING.fullmatch(field) for field in fields)


def number_of(mechanism: Mechanism, world: World, name: str) -> float:
    """What a parameter of a mechanism of `world` is. Raises UsageError for one that does not exist."""
    of = Numbered(mechanism, world)
    kind, index, field = find_parameter(of, name)
    _allowed(of, kind, index, field, name)
    return KINDS[kind].read(of, index, field)


def parameters_of(mechanism: Mechanism, world: World, owner: str = "") -> tuple[Parameter, ...]:
    """Every number of a mechanism of `world` that can be varied, or every one of the things named `owner`.

    Raises UnknownNameError where nothing has that name.
    """
    of = Numbered(mechanism, world)
    things = [(kind, index, name) for kind in KINDS for index, name in enumerate(kind.names(of))]
    chosen = [thing for thing in things if not owner or _fits(thing[2], owner)]
    if owner and not chosen:
        raise UnknownNameError("thing with parameters", owner, {name for _, _, name in things})
    return tuple(
        Parameter(
            f"{name}.{field}" if field else name,
            kind.read(of, index, field),
            allowed.unit,
            allowed.lower,
            allowed.upper,
        )
        for kind, index, name in chosen
        for field in kind.fields
        if (allowed := kind.allowed(of, index, field)) is not None
    )


def find_parameter(of: Numbered, text: str) -> tuple[int, int, str]:
    """Index in `KINDS`, index of the thing and field of a parameter. Raises UsageError for one that does not exist."""
    name, field = split_name(text)
    if field == NAMED and not NamedLengths().names(of):
        raise _not_a_parameter(text)
    kinds = [kind for kind, item in enumerate(KINDS) if field in item.fields]
    named = (kind for kind in kinds if any(_fits(known, name) for known in KINDS[kind].names(of)))
    kind = next(named, kinds[0]) if len(kinds) > 1 else kinds[0]
    return kind, place_of(KINDS[kind].names(of), name, KINDS[kind].owner), field


def split_name(text: str) -> tuple[str, str]:
    """Owner and field of a parameter: `coupler`, `inertia.ixx`; the field of a named length is empty. Raises UsageError
    for what is none."""
    if "." not in text:
        return text, NAMED
    parts = text.split(".")
    for count in range(1, len(parts)):  # the longest field first: at.x is one, and part1.at.x another
        owner, field = ".".join(parts[:count]), ".".join(parts[count:])
        if owner and field in _FIELDS:
            return owner, field
    raise _not_a_parameter(text)


def _not_a_parameter(text: str) -> UsageError:
    return UsageError(f"'{text}' is not a parameter: write NAME.FIELD with FIELD one of {', '.join(_FIELDS)}")


def _fits(known: str, name: str) -> bool:
    return known == name or known.endswith(f"::{name}")


def _allowed(of: Numbered, kind: int, index: int, field: str, text: str) -> Allowed:
    allowed = KINDS[kind].allowed(of, index, field)
    if allowed is None:
        raise UsageError(f"'{text}': {KINDS[kind].lacking(of, index, field)}")
    return allowed
