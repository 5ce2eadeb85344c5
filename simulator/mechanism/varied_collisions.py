"""Numbers of collisions: the sizes of primitive shapes, friction and restitution."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_item, with_parts
from simulator.model.shape import Box, Ellipsoid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.model.shape import Shape

SIZE = Allowed("m", 1e-9)
"""A shape without a size is none."""
EDGES, RADII = in_place("size", SIZE), in_place("radii", SIZE)
ROUND = ("radius", "length")
SURFACE = {"mu": "friction", "mu2": "friction2", "restitution": "restitution"}
"""Fields of `Surface`."""
LIMITS = {"mu": Allowed("1", 0.0), "mu2": Allowed("1", 0.0), "restitution": Allowed("1", 0.0, 1.0)}


class CollisionNumbers:
    """Collisions, by link and name; what is drawn stays as the document has it."""

    owner = "collision"
    fields = (*LIMITS, *EDGES, *RADII, *ROUND)

    def names(self, of: Numbered) -> Sequence[str]:
        """`link::collision`."""
        return [f"{link}::{collision.name}" for _, _, link, collision in _collisions(of.mechanism)]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """mu2 only where friction has a direction; sizes of what is not a mesh or a plane."""
        collision = _collisions(of.mechanism)[index][3]
        if field == "mu2" and not collision.surface.direction:
            return None
        return LIMITS[field] if field in LIMITS else _sizes(collision.shape).get(field)

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Another shape, or friction that is the same in all directions."""
        shape = type(_collisions(of.mechanism)[index][3].shape).__name__.lower()
        if field == "mu2":
            return "its friction is the same in every direction, which is mu"
        return f"it is a {shape} and has no {field}"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number of its surface or shape."""
        collision = _collisions(of.mechanism)[index][3]
        if field in SURFACE:
            return float(getattr(collision.surface, SURFACE[field]))
        group, _, part = field.rpartition(".")
        return float(getattr(collision.shape, group)[PLACE.index(part)] if group else getattr(collision.shape, field))

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The collision in its link in its body."""
        i, k, _, collision = _collisions(of.mechanism)[index]
        body = of.mechanism.bodies[i]
        link = body.links[k]
        changed = replace(collision, surface=_surface(collision.surface, values), shape=_shape(collision.shape, values))
        collisions = tuple(changed if item is collision else item for item in link.collisions)
        links = with_item(body.links, k, replace(link, collisions=collisions))
        return replace(of.mechanism, bodies=with_item(of.mechanism.bodies, i, replace(body, links=links)))


def _collisions(mechanism: Mechanism) -> list[tuple[int, int, str, Collision]]:
    """Body, place of the link in it, its name, and the collision."""
    return [
        (i, k, link.name, collision)
        for i, body in enumerate(mechanism.bodies)
        for k, link in enumerate(body.links)
        for collision in link.collisions
    ]


def _sizes(shape: Shape) -> dict[str, Allowed]:
    if isinstance(shape, Box):
        return EDGES
    if isinstance(shape, Ellipsoid):
        return RADII
    return {field: SIZE for field in ROUND if hasattr(shape, field)}


def _shape(shape: Shape, values: Mapping[str, float]) -> Shape:
    if isinstance(shape, Box):
        return replace(shape, size=with_parts(shape.size, values, "size"))
    if isinstance(shape, Ellipsoid):
        return replace(shape, radii=with_parts(shape.radii, values, "radii"))
    sizes = {field: value for field, value in values.items() if field in ROUND}
    return replace(shape, **sizes)  # type: ignore[arg-type]  # the fields are floats


def _surface(surface: Surface, values: Mapping[str, float]) -> Surface:
    return replace(surface, **{SURFACE[field]: value for field, value in values.items() if field in SURFACE})  # type: ignore[arg-type]  # the fields are floats
