"""Which links touch, as bits of MuJoCo's geoms and pairs of bodies.

Links of one model do not touch each other unless they say so: each such model has a bit of its own (`contype`), and
touches all but its own (`conaffinity`). MuJoCo keeps a body and its parent apart, unless that is the world; the other
pairs that joints tie are excluded by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.shapes import CODE
from simulator.formats.writing.elements import element
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf_writing.forest import BodyForest
    from simulator.formats.nodes import Node
    from simulator.model.world import World

FAMILIES = 30
"""Models that have bits of their own: MuJoCo has 31, and one is of what touches its like."""
SELF = 1 << FAMILIES
ALL = (1 << (FAMILIES + 1)) - 1


def bits_of(world: World, log: DiagnosticLog) -> dict[str, tuple[int, int]]:
    """`contype` and `conaffinity` by scoped name of the link."""
    solid = [model for model in world.models if any(link.collisions for link in model.links)]
    apart = [model for model in solid if not model.self_collide]
    masked = {part.surface.collide_bitmask for model in solid for link in model.links for part in link.collisions}
    if masked - {0xFFFF} or len(apart) > FAMILIES:
        if apart and any(len(model.links) > 1 for model in apart):
            why = "collide_bitmask is used" if masked - {0xFFFF} else f"there are more than {FAMILIES} models"
            message = f"links of one model may touch each other in MuJoCo: {why}, and MuJoCo has no more bits"
            log.warning(CODE, world.source, message, "exclude pairs by <exclude>")
        return {link.name: (0xFFFF, 0xFFFF) for model in solid for link in model.links}
    found = {}
    for number, model in enumerate(apart):
        for link in model.links:
            own = SELF if link.self_collide else 1 << number
            found[link.name] = own, ALL if link.self_collide else ALL - own
    return found | {link.name: (SELF, ALL) for model in solid if model.self_collide for link in model.links}


def exclusions(world: World, forest: BodyForest) -> list[Node]:
    """Pairs that joints tie beyond parent and child, and those that the world excludes."""
    tied = [(branch.parent, branch.child) for branch in forest.branches if branch.parent in forest.still]
    tied += [(joint.parent_link, joint.child_link) for joint in (*forest.loops, *forest.gearboxes)]
    pairs = {tuple(sorted(pair)): None for pair in (*tied, *world.excluded) if WORLD not in pair}
    return [element("exclude", body1=forest.name(one), body2=forest.name(other)) for one, other in pairs]
