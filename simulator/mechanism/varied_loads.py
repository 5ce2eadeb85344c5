"""Numbers of what pulls and pushes: gravity, springs between points, forces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_item, with_parts
from simulator.mechanism.placed_loads import body_weights
from simulator.model.profiles import Constant
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.loads import BodyForce, BodySpring
    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism
    from simulator.model.loads import Profiles3
    from simulator.spatial.rotation import Vec3

WORLD = "world"
SPRING = {
    "stiffness": Allowed("N/m", 0.0),
    "damping": Allowed("N·s/m", 0.0),
    "free_length": Allowed("m", 0.0),
    **in_place("at", Allowed("m")),
    **in_place("other_at", Allowed("m")),
}
LOAD = {**in_place("force", Allowed("N")), **in_place("moment", Allowed("N·m")), **in_place("at", Allowed("m"))}


class GravityNumbers:
    """The world's gravity; models with one of their own keep it."""

    owner = "world"
    fields = (*in_place("gravity", Allowed("m/s²")),)

    def names(self, of: Numbered) -> Sequence[str]:
        """There is one."""
        return (WORLD,)

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """In world axes."""
        return Allowed("m/s²")

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Every world has it."""
        raise NotImplementedError

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A component."""
        return of.mechanism.gravity[PLACE.index(field[-1])]

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Weights of models with gravity of their own count from the world's."""
        mechanism = replace(of.mechanism, gravity=with_parts(of.mechanism.gravity, values, "gravity"))
        weights = body_weights(of.world, mechanism.bodies, mechanism.gravity)
        return replace(mechanism, loads=replace(mechanism.loads, weights=weights))


class SpringNumbers:
    """Springs between points: `spring1`, `spring2`, … as the document has them."""

    owner = "spring"
    fields = tuple(SPRING)

    def names(self, of: Numbered) -> Sequence[str]:
        """Numbered from 1."""
        return [f"spring{number}" for number in range(1, len(of.mechanism.loads.springs) + 1)]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """A table takes the place of stiffness and free length."""
        has_table = of.mechanism.loads.springs[index].table is not None
        return None if has_table and field in ("stiffness", "free_length") else SPRING[field]

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """It has a table instead."""
        return f"a table takes the place of stiffness and free_length in spring{index + 1}"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number of the spring; ends are points of its links."""
        spring = of.mechanism.loads.springs[index]
        group, _, part = field.rpartition(".")
        if not group:
            return float(getattr(spring, field))
        end = 0 if group == "at" else 1
        return _point_of(of, spring.links[end], spring.points[end])[PLACE.index(part)]

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The spring with other numbers."""
        spring: BodySpring = of.mechanism.loads.springs[index]
        first, second = (
            _moved(of, link, point, values, group)
            for link, point, group in zip(spring.links, spring.points, ("at", "other_at"), strict=True)
        )
        changed = replace(
            spring,
            points=(first, second),
            stiffness=values.get("stiffness", spring.stiffness),
            damping=values.get("damping", spring.damping),
            free_length=values.get("free_length", spring.free_length),
        )
        springs = with_item(of.mechanism.loads.springs, index, changed)
        return replace(of.mechanism, loads=replace(of.mechanism.loads, springs=springs))


class ForceNumbers:
    """Loads: `load1`, `load2`, … as the document has them; components that are profiles over time are no numbers."""

    owner = "load"
    fields = tuple(LOAD)

    def names(self, of: Numbered) -> Sequence[str]:
        """Numbered from 1."""
        return [f"load{number}" for number in range(1, len(of.mechanism.loads.forces) + 1)]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """What is constant."""
        load = of.mechanism.loads.forces[index]
        (group, _, part) = field.rpartition(".")
        if group == "at":
            return LOAD[field]
        profile = (load.force if group == "force" else load.moment)[PLACE.index(part)]
        return LOAD[field] if isinstance(profile, Constant) else None

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """It is a profile."""
        return f"{field} of load{index + 1} is a profile over time"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A component, or a part of the point of its link."""
        load: BodyForce = of.mechanism.loads.forces[index]
        group, _, part = field.rpartition(".")
        if group == "at":
            return _point_of(of, load.link, load.point)[PLACE.index(part)]
        return (load.force if group == "force" else load.moment)[PLACE.index(part)].value(0.0)

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The load with other numbers."""
        load: BodyForce = of.mechanism.loads.forces[index]
        changed = replace(
            load,
            force=_profiles(load.force, values, "force"),
            moment=_profiles(load.moment, values, "moment"),
            point=_moved(of, load.link, load.point, values, "at"),
        )
        forces = with_item(of.mechanism.loads.forces, index, changed)
        return replace(of.mechanism, loads=replace(of.mechanism.loads, forces=forces))


def _profiles(before: Profiles3, values: Mapping[str, float], group: str) -> Profiles3:
    fields = [f"{group}.{letter}" for letter in PLACE]
    x, y, z = (Constant(values[f]) if f in values else was for f, was in zip(fields, before, strict=True))
    return (x, y, z)


def _place(of: Numbered, link: str) -> Pose:
    """X_BL of a link, the identity for the world."""
    return of.places.get(link, (0, IDENTITY))[1]


def _point_of(of: Numbered, link: str, point: Vec3) -> Vec3:
    """A point of the link's body, in the link's frame."""
    return _place(of, link).inverse().transform(point)


def _moved(of: Numbered, link: str, point: Vec3, values: Mapping[str, float], group: str) -> Vec3:
    """The same point of the body where no part of it changes."""
    if not any(field.startswith(f"{group}.") for field in values):
        return point
    return _place(of, link).transform(with_parts(_point_of(of, link, point), values, group))
