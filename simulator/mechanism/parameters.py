"""What a parameter of a mechanism is: a number of something that has a name."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from simulator.mechanism.welding import all_joints
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.model.joint import Joint
    from simulator.model.link import Link
    from simulator.model.world import World
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

T = TypeVar("T")

PLACE = ("x", "y", "z")


@dataclass(frozen=True)
class Parameter:
    """A number that can be varied: `name` as `varied` takes it, its present `value` [unit], and the least and greatest
    value that it may have, both included."""

    name: str
    value: float
    unit: str
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def bounds(self) -> str:
        """Both as a text, empty where there are none."""
        unbounded = self.lower == -math.inf and self.upper == math.inf
        return "" if unbounded else f"{self.lower:.6g} … {self.upper:.6g}"


@dataclass(frozen=True)
class Allowed:
    """Which values a number may have [unit]: `lower` to `upper`, both included; infinite ones only if `unbounded`."""

    unit: str
    lower: float = -math.inf
    upper: float = math.inf
    unbounded: bool = False

    def refusal(self, value: float) -> str:
        """What is wrong with a value; empty where it may be had."""
        if math.isnan(value) or (math.isinf(value) and not self.unbounded):
            return f"must be a finite number, not {value:g}"
        if self.lower <= value <= self.upper:
            return ""
        unit = "" if self.unit == "1" else f" {self.unit}"
        if math.isinf(self.upper):
            return f"must be {self.lower:g}{unit} or more, not {value:g}{unit}"
        return f"must be {self.lower:g} to {self.upper:g}{unit}, not {value:g}{unit}"


@dataclass(frozen=True)
class Numbered:
    """A mechanism, and the world that it was made of, whose numbers are looked at."""

    mechanism: Mechanism
    world: World

    def with_numbers(self, mechanism: Mechanism) -> Numbered:
        """The same of the mechanism with other numbers."""
        found = Numbered(mechanism, self.world)
        found.__dict__.update(said=self.said, bars=self.bars)
        return found

    @cached_property
    def links(self) -> list[tuple[int, int, Link]]:
        """Body of every link, the link's place in it, and the link."""
        bodies = self.mechanism.bodies
        return [(i, k, link) for i, body in enumerate(bodies) for k, link in enumerate(body.links)]

    @cached_property
    def places(self) -> dict[str, tuple[int, Pose]]:
        """Body index and X_BL of every link."""
        return self.mechanism.placed_links()

    @cached_property
    def frames(self) -> dict[str, Pose]:
        """X_BF of every explicit frame of the document in the body that it is attached to."""
        places = self.places
        return {name: places[link][1] @ X_LF for name, link, X_LF in self.mechanism.frames}

    @cached_property
    def joints(self) -> list[MechanismJoint]:
        """Joints of the document, on the tree and then in loops: what floats has none."""
        return [joint for joint in (*self.mechanism.joints, *self.mechanism.loop_joints) if joint.name in self.said]

    @cached_property
    def said(self) -> dict[str, Joint]:
        """What the document says about joints, by name."""
        return {joint.name: joint for joint in all_joints(self.world)}

    @cached_property
    def bars(self) -> dict[str, tuple[tuple[object, ...], Any]]:
        """What lengths were measured along, and of which values that followed, by link: see `varied_length`."""
        return {}

    @cached_property
    def joints_on(self) -> dict[str, list[MechanismJoint]]:
        """The joints on each link."""
        found: dict[str, list[MechanismJoint]] = {}
        for joint in self.joints:
            said = self.said[joint.name]
            for link in (said.parent_link, said.child_link):
                found.setdefault(link, []).append(joint)
        return found


class KindOfNumbers(Protocol):
    """The numbers of one kind of thing: axes, links, joints, …"""

    @property
    def owner(self) -> str:
        """What such a thing is called."""
        ...

    @property
    def fields(self) -> Sequence[str]:
        """Every number that any such thing has."""
        ...

    def names(self, of: Numbered) -> Sequence[str]:
        """Names of the things."""
        ...

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """Which values a number of one of them may have; None where it has no such number."""
        ...

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why one of them has no such number, in a sentence."""
        ...

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number that it has."""
        ...

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with other numbers in one of them, all at once. Raises UsageError for what cannot be."""
        ...


def with_item(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """`items` with another one at `index`."""
    return (*items[:index], item, *items[index + 1 :])


def with_parts(values: Vec3, changes: Mapping[str, float], group: str) -> Vec3:
    """`values` with those of `changes` that are named `group.x`, `group.y`, `group.z`."""
    x, y, z = (changes.get(f"{group}.{letter}", value) for letter, value in zip(PLACE, values, strict=True))
    return (x, y, z)


def in_place(group: str, allowed: Allowed) -> dict[str, Allowed]:
    """`group.x`, `group.y`, `group.z`."""
    return {f"{group}.{letter}": allowed for letter in PLACE}
