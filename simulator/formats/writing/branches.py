"""Joints of a tree in the order from its root, and names without scopes, for formats that nest what hangs together."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from simulator.model.joint import WORLD
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from simulator.model.joint import Joint


@dataclass(frozen=True)
class TreeJoint:
    """A joint of the tree from the link nearer to the root; `turned`: in the document that is its child."""

    joint: Joint
    parent: str
    child: str
    turned: bool


def first_link(links: Iterable[str], joints: Iterable[Joint]) -> str:
    """A link that is no child, else any."""
    children = {joint.child_link for joint in joints}
    return next((name for name in links if name not in children), next(iter(links), WORLD))


def walk(root: str, joints: Iterable[Joint]) -> Iterator[TreeJoint]:
    """From the root outwards, along joints in either direction."""
    at: dict[str, list[Joint]] = {}
    for joint in joints:
        for end in (joint.parent_link, joint.child_link):
            at.setdefault(end, []).append(joint)
    seen = {root}
    pending = deque([root])
    while pending:
        link = pending.popleft()
        for joint in at.get(link, ()):
            turned = joint.child_link == link
            beyond = joint.parent_link if turned else joint.child_link
            if beyond not in seen:
                seen.add(beyond)
                pending.append(beyond)
                yield TreeJoint(joint, link, beyond, turned)


def short_names(scoped: Sequence[str]) -> dict[str, str]:
    """The last part of a name where that is unique, else all of it with `_` between."""
    counts = Counter(name.rpartition("::")[2] for name in scoped)
    return {
        name: tail if counts[tail] == 1 else name.replace("::", "_")
        for name in scoped
        for tail in (name.rpartition("::")[2],)
    }
