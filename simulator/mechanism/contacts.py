"""Which links collide with each other, and which never do.

SDFormat: links of one body do not (they cannot move against each other), nor links that a joint connects, nor links of one model unless the
model or either link says `self_collide`, nor collisions whose bitmasks share no bit.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from simulator.mechanism.types import WORLD_BODY
from simulator.mechanism.welding import Welded, all_joints

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Link
    from simulator.model.world import Model, World


def links_apart(world: World, welded: Welded) -> frozenset[tuple[str, str]]:
    """Pairs of scoped link names, each pair sorted; only links that have collisions are listed."""
    solid = [(model, link) for model in world.models for link in model.links if link.collisions]
    jointed = _jointed_pairs(world, welded)
    return frozenset(
        (min(a.name, b.name), max(a.name, b.name))
        for (model_a, a), (model_b, b) in combinations(solid, 2)
        if _apart(model_a, a, model_b, b, welded, jointed)
    )


def _apart(
    model_a: Model, a: Link, model_b: Model, b: Link, welded: Welded, jointed: frozenset[frozenset[str | int]]
) -> bool:
    body_a, body_b = welded.body_of[a.name], welded.body_of[b.name]
    if body_a == body_b or frozenset((_end(a.name, body_a), _end(b.name, body_b))) in jointed:
        return True
    if model_a.name == model_b.name and not (model_a.self_collide or a.self_collide or b.self_collide):
        return True
    return not any(p.surface.collide_bitmask & q.surface.collide_bitmask for p in a.collisions for q in b.collisions)


def _jointed_pairs(world: World, welded: Welded) -> frozenset[frozenset[str | int]]:
    pairs = set()
    for joint in all_joints(world):
        ends = []
        for link in (joint.parent_link, joint.child_link):
            body = welded.body_index(link)
            if body is not None:
                ends.append(_end(link, body))
        if len(ends) == 2:
            pairs.add(frozenset(ends))
    return frozenset(pairs)


def _end(link: str, body: int) -> str | int:
    """A joint speaks for its whole body; on the world only for the very link it names, for the world has unrelated things."""
    return link if body == WORLD_BODY else body


def are_apart(a: str, b: str, apart: frozenset[tuple[str, str]]) -> bool:
    """Whether two links, in any order, are a pair of `links_apart`."""
    return (min(a, b), max(a, b)) in apart


def touchable(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Pairs of links that could collide, sorted."""
    bodies = mechanism.link_bodies()
    solid = [link.name for body in mechanism.bodies for link in body.links if link.collisions]
    return [
        (a, b)
        for a, b in combinations(sorted(solid), 2)
        if bodies[a] != bodies[b] and not are_apart(a, b, mechanism.apart)
    ]


def passing(mechanism: Mechanism, world: World) -> list[str]:
    """Models whose links would touch each other if they were told to `self_collide`."""
    bodies, found = mechanism.link_bodies(), []
    ends = [(joint.parent_link, joint.child_link) for joint in all_joints(world)]
    jointed = {frozenset((bodies[a], bodies[b])) for a, b in ends if a in bodies and b in bodies}
    for model in world.models:
        solid = [link for link in model.links if link.collisions]
        if not model.self_collide and any(
            bodies[a.name] != bodies[b.name]
            and frozenset((bodies[a.name], bodies[b.name])) not in jointed
            and not (a.self_collide or b.self_collide)
            for a, b in combinations(solid, 2)
        ):
            found.append(model.name)
    return found
