"""Which links collide with each other, and which never do.

SDFormat: links of one body do not (they cannot move against each other), nor links that a joint connects, nor links of
one model unless the model or either link says `self_collide`, nor collisions whose bitmasks share no bit; nor pairs
that the world excludes.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

from simulator.mechanism.non_colliding import NO_FAMILY, NonCollidingLinks, SolidLink
from simulator.mechanism.welding import Welded, all_joints

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Link
    from simulator.model.world import World


def non_colliding_links(world: World, welded: Welded) -> NonCollidingLinks:
    """Which links never collide, of all that have collisions."""
    families = {name: i for i, name in enumerate(dict.fromkeys(model.name for model in world.models))}
    solid = sorted(
        (
            (link, NO_FAMILY if model.self_collide or link.self_collide else families[model.name])
            for model in world.models
            for link in model.links
            if link.collisions
        ),
        key=lambda item: item[0].name,
    )
    end_of = {link.name: _end(link.name, len(welded.bodies) + i, welded) for i, (link, _) in enumerate(solid)}
    return NonCollidingLinks(
        tuple(
            SolidLink(link.name, welded.body_of[link.name], end_of[link.name], family, _bits(link))
            for link, family in solid
        ),
        _jointed_ends(world, welded, end_of),
    )


def _end(link: str, own: int, welded: Welded) -> int:
    """A joint speaks for its whole body; on the world only for the very link it names, for the world has unrelated
    things."""
    return welded.body_of[link] or own


def _bits(link: Link) -> int:
    """One pair of collisions that share a bit is enough for two links to meet."""
    return reduce(int.__or__, (collision.surface.collide_bitmask for collision in link.collisions))


def _jointed_ends(world: World, welded: Welded, end_of: dict[str, int]) -> frozenset[tuple[int, int]]:
    found = set()
    tied = [(joint.parent_link, joint.child_link) for joint in all_joints(world)]
    for pair in (*tied, *world.excluded):
        ends = [welded.body_index(link) or end_of.get(link) for link in pair]
        if ends[0] is not None and ends[1] is not None:
            found.add((min(ends[0], ends[1]), max(ends[0], ends[1])))
    return frozenset(found)


def passing(mechanism: Mechanism, world: World) -> list[str]:
    """Models whose links would touch each other if they had `<self_collide>`."""
    bodies = mechanism.link_bodies()
    found = []
    ends = [(joint.parent_link, joint.child_link) for joint in all_joints(world)]
    jointed = {frozenset((bodies[a], bodies[b])) for a, b in ends if a in bodies and b in bodies}
    for model in world.models:
        if not model.self_collide:
            solid = {bodies[link.name] for link in model.links if link.collisions and not link.self_collide}
            if any(frozenset(pair) not in jointed for pair in combinations(sorted(solid), 2)):
                found.append(model.name)
    return found
