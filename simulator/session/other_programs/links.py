"""Links, shapes and surfaces that other programs do not have."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.model.joint import WORLD, JointType
from simulator.model.link import Collision, Omitted
from simulator.model.material import Surface
from simulator.model.shape import Mesh
from simulator.session.other_programs.occurrences import Occurrence, joints_of, moving_links, moving_models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.model.link import Link, Visual
    from simulator.model.world import Model
    from simulator.session.open.opening import Opened

    Detector = Callable[[Opened], Iterator[Occurrence]]

STANDARD = Surface()
"""A surface with defaults only."""


def with_link(holds: Callable[[Link], bool]) -> Detector:
    """A detector of links that can move."""
    return partial(_with_link, holds)


def _with_link(holds: Callable[[Link], bool], opened: Opened) -> Iterator[Occurrence]:
    return (Occurrence(link.name, link.source) for link in moving_links(opened.world) if holds(link))


def grounds(opened: Opened) -> Iterator[Occurrence]:
    """Root links of robots without a mass that are fixed to the world for it."""
    fixed = {
        joint.child_link
        for joint in joints_of(opened.world)
        if joint.parent_link == WORLD and joint.type is JointType.FIXED
    }
    return _with_link(lambda link: not link.states_mass and link.name in fixed, opened)


def without_mass(opened: Opened) -> Iterator[Occurrence]:
    """Links of a robot without a mass, except its ground."""
    grounded = {place.name for place in grounds(opened)}
    return _with_link(lambda link: not link.states_mass and link.name not in grounded, opened)


def with_collision(holds: Callable[[Collision], bool]) -> Detector:
    """A detector of collisions."""
    return partial(_with_collision, holds)


def _with_collision(holds: Callable[[Collision], bool], opened: Opened) -> Iterator[Occurrence]:
    for model in opened.world.models:
        for link in model.links:
            for part in link.collisions:
                if holds(part):
                    yield Occurrence(f"{link.name}/{part.name}", part.source or link.source)


def is_shape(kind: type) -> Callable[[Collision], bool]:
    """A test of a collision for that shape."""
    return lambda part: isinstance(part.shape, kind)


def is_mesh(*suffixes: str) -> Callable[[Collision], bool]:
    """A test of a collision for a mesh in a file of one of these formats."""
    return lambda part: isinstance(part.shape, Mesh) and Path(part.shape.uri).suffix.lower() in suffixes


def has_friction(part: Collision) -> bool:
    """Whether a coefficient of friction is stated."""
    return (part.surface.friction, part.surface.friction2) != (STANDARD.friction, STANDARD.friction2)


def bounces(part: Collision) -> bool:
    """Whether restitution is stated."""
    return part.surface.restitution > 0.0


def gives_way(part: Collision) -> bool:
    """Whether its contacts are springs."""
    return part.surface.gives_way


def packages(opened: Opened) -> Iterator[Occurrence]:
    """Meshes in a package of ROS."""
    for link in moving_links(opened.world):
        parts: list[Visual | Collision | Omitted] = [*link.visuals, *link.collisions, *link.omitted]
        for part in parts:
            shape = part.mesh if isinstance(part, Omitted) else part.shape
            if isinstance(shape, Mesh) and shape.uri.startswith("package://"):
                yield Occurrence(f"{link.name}/{part.name}", part.source or link.source)


def self_colliding(opened: Opened) -> Iterator[Occurrence]:
    """Models whose links touch each other."""
    return (Occurrence(model.name, model.source) for model in moving_models(opened.world) if _touches_itself(model))


def passing_through(opened: Opened) -> Iterator[Occurrence]:
    """Models whose links have shapes and, by the document, never touch each other though no joint is between them."""
    joined = {frozenset((joint.parent_link, joint.child_link)) for joint in joints_of(opened.world)}
    for model in moving_models(opened.world):
        solid = [link.name for link in model.links if link.collisions]
        apart = any(
            frozenset((one, other)) not in joined for place, one in enumerate(solid) for other in solid[place + 1 :]
        )
        if apart and not _touches_itself(model):
            yield Occurrence(model.name, model.source)


def _touches_itself(model: Model) -> bool:
    return model.self_collide or any(link.self_collide for link in model.links)
