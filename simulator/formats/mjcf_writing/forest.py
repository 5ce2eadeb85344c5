"""Which body holds which in MJCF, and which joints close loops there.

A loop can be closed by a ball (connect), a hinge (two connects) or a fixed joint (weld); joints of other types belong
into the tree wherever there is a way round them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.writing.branches import TreeJoint, first_link, short_names, walk
from simulator.model.joint import WORLD, Joint, JointType
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from simulator.model.link import Link
    from simulator.model.world import World

TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
CLOSING = (*TURNING, JointType.BALL, JointType.FIXED)
"""Types of joints that can close a loop."""


@dataclass(frozen=True)
class BodyForest:
    """Links by scoped name, those of static models among them (`still`); branches in the order in which their parents
    come; loops; gearboxes; roots that float; and names."""

    links: dict[str, Link]
    still: frozenset[str]
    branches: tuple[TreeJoint, ...]
    loops: tuple[Joint, ...]
    gearboxes: tuple[Joint, ...]
    floating: tuple[str, ...]
    names: dict[str, str]

    @staticmethod
    def of(world: World, cut: Collection[str]) -> BodyForest:
        """`cut`: joints at which the mechanism has been cut, by scoped name."""
        moving = [model for model in world.models if not model.static]
        links = {link.name: link for model in moving for link in model.links}
        still = {link.name: link for model in world.models if model.static for link in model.links}
        joints = [*world.joints, *(joint for model in moving for joint in model.joints)]
        gearboxes = tuple(joint for joint in joints if joint.type is JointType.GEARBOX)
        held = _spanning([joint for joint in joints if joint.type is not JointType.GEARBOX], cut)
        kept = {joint.name for joint in held}
        loops = tuple(joint for joint in joints if joint.type is not JointType.GEARBOX and joint.name not in kept)
        branches = list(walk(WORLD, held))
        floating = []
        reached = {branch.child for branch in branches}
        while apart := [name for name in links if name not in reached]:
            root = first_link(apart, [joint for joint in held if joint.child_link not in reached])
            floating.append(root)
            more = list(walk(root, held))
            branches += more
            reached |= {root, *(branch.child for branch in more)}
        names = short_names([*links, *still, *(joint.name for joint in joints)])
        every = {**still, **links}
        return BodyForest(every, frozenset(still), tuple(branches), loops, gearboxes, tuple(floating), names)

    def name(self, scoped: str) -> str:
        """What a link or joint is called in MJCF."""
        return self.names.get(scoped, scoped)

    def pose(self, link: str) -> Pose:
        """X_WL while all positions are zero."""
        return IDENTITY if link == WORLD else self.links[link].X_WL


def _spanning(joints: Iterable[Joint], cut: Collection[str]) -> list[Joint]:
    """Joints of a spanning forest, in the order of the document; what cannot close a loop comes first."""

    def reluctance(joint: Joint) -> int:
        return 0 if joint.type not in CLOSING else 1 if joint.name not in cut else 2

    above: dict[str, str] = {}

    def root_of(link: str) -> str:
        while link in above:
            link = above[link]
        return link

    chosen = set()
    joints = list(joints)
    for joint in sorted(joints, key=reluctance):
        ends = root_of(joint.parent_link), root_of(joint.child_link)
        if ends[0] != ends[1] and not joint.must_be_loop_joint and joint.X_WJ_parent is None:
            above[ends[0]] = ends[1]
            chosen.add(joint.name)
    return [joint for joint in joints if joint.name in chosen]
