"""Which link hangs on which in a URDF, and where the frames of its links are: at the joints that carry them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.writing.branches import TreeJoint, first_link, short_names, walk
from simulator.model.joint import WORLD, Joint, JointType
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.model.link import Link
    from simulator.model.world import World


@dataclass(frozen=True)
class UrdfTree:
    """Links by scoped name, branches in the order in which their parents come, loops, gearboxes (which carry nothing),
    the root, short names that are unique, and the frames of URDF's links in the world."""

    links: dict[str, Link]
    branches: tuple[TreeJoint, ...]
    loops: tuple[Joint, ...]
    gearboxes: tuple[Joint, ...]
    root: str
    names: dict[str, str]
    frames: dict[str, Pose]

    @staticmethod
    def of(world: World, cut: Collection[str]) -> UrdfTree:
        """Raises UsageError where the links do not hang together: a URDF has one root."""
        moving = [model for model in world.models if not model.static]
        links = {link.name: link for model in moving for link in model.links}
        joints = [*world.joints, *(joint for model in moving for joint in model.joints)]
        gearboxes = tuple(joint for joint in joints if joint.type is JointType.GEARBOX)
        held = [joint for joint in joints if joint.name not in cut and joint.type is not JointType.GEARBOX]
        loops = tuple(joint for joint in joints if joint.name in cut)
        grounded = any(WORLD in (joint.parent_link, joint.child_link) for joint in joints)
        root = WORLD if grounded else first_link(links, held)
        branches = tuple(walk(root, held))
        reached = {root, *(branch.child for branch in branches)}
        apart = [name for name in links if name not in reached]
        if apart:
            raise UsageError(
                f"a URDF is one robot with one root; these links do not hang on '{root}': {', '.join(apart[:6])}. "
                "Convert a document of each, or tie them together by joints"
            )
        frames = {WORLD: IDENTITY} | ({} if root == WORLD else {root: links[root].X_WL})
        frames |= {branch.child: branch.joint.X_WJ for branch in branches}
        names = short_names([*links, *(joint.name for joint in joints)])
        return UrdfTree(links, branches, loops, gearboxes, root, names, frames)

    def way_up(self, link: str) -> list[str]:
        """Links from this one to the root."""
        above = {branch.child: branch.parent for branch in self.branches}
        way = [link]
        while way[-1] in above:
            way.append(above[way[-1]])
        return way

    def name(self, scoped: str) -> str:
        """What a link or joint is called in the URDF."""
        return self.names.get(scoped, scoped)
