"""The length of a link: between the two joints on it, on which it turns.

It is the distance of the origins of the two joint frames or, where each turns about one axis and the axes are parallel,
the distance of the axes. The joint that comes later in the tree, the one farther from the root or one that closes a
loop, moves in this link along the line between both; its other link, shapes and inertia stay as they are.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from simulator.mechanism.types import JointKind, MotionKind
from simulator.model.altered import altered
from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import cross

if TYPE_CHECKING:
    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


Pin: TypeAlias = "tuple[MechanismJoint, bool]"
"""A joint on a link, and whether the link is its child in the document."""

PARALLEL = 1e-4
"""Axes that miss being parallel by less than this [rad] are parallel: the figures of a document are rounded."""
NO_LENGTH = 1e-9
"""Two joints that are nearer [m] lie in one place: there is no line between them."""

_INSTEAD = "vary parent_pose or child_pose of a joint"


class Pins(NamedTuple):
    """The two joints that a length is between, the one that moves last, and the `bar` from the first to the last."""

    first: Pin
    last: Pin
    bar: Bar


def pins_of(of: Numbered, link: str) -> tuple[Pins | None, str]:
    """Those of a link, or None, and why there are not two."""
    found = [(joint, of.said[joint.name].child_link == link) for joint in of.joints_on.get(link, ())]
    if len(found) != 2:
        names = ", ".join(joint.name for joint, _ in found) or "none"
        return None, f"a length is between two joints, and on '{link}' are {len(found)} ({names}); {_INSTEAD}"
    sliding = next((joint.name for joint, _ in found if not turns(joint)), None)
    if sliding is not None:
        return None, f"a length is between two joints that turn, and '{sliding}' slides; {_INSTEAD}"
    bar = _kept_bar(of, link, *found)
    if bar.length < NO_LENGTH:
        return None, f"the joints '{found[0][0].name}' and '{found[1][0].name}' lie in one place of it; {_INSTEAD}"
    first, last = found
    return Pins(first, last, bar), ""


def length_of(of: Numbered, link: str) -> float:
    """Length of a link that has one [m]."""
    pins, _ = pins_of(of, link)
    assert pins is not None, "only links with two pins are asked"
    return pins.bar.length


def with_length(of: Numbered, link: str, length: float) -> Mechanism:
    """The mechanism with another length [m] of a link that has one."""
    pins, _ = pins_of(of, link)
    assert pins is not None, "only links with two pins are asked"
    _, X_BL = of.places[link]
    joint, is_child = pins.last
    X_BJ = joint.side(child=is_child)
    along = (length / pins.bar.length - 1.0) * pins.bar.line
    x, y, z = X_BL.rotate((float(along[0]), float(along[1]), float(along[2])))
    a, b, c = X_BJ.position
    moved = joint.with_side(Pose((a + x, b + y, c + z), X_BJ.orientation), child=is_child)
    return with_joint(of.mechanism, joint, moved)


def with_joint(mechanism: Mechanism, joint: MechanismJoint, other: MechanismJoint) -> Mechanism:
    """The mechanism with `other` in place of `joint`."""
    return altered(
        mechanism,
        joints=tuple(other if item is joint else item for item in mechanism.joints),
        loop_joints=tuple(other if item is joint else item for item in mechanism.loop_joints),
    )


def moved_bars(before: Numbered, after: Numbered) -> dict[str, tuple[Array, Array]]:
    """Ends of the bars [m], shape (2, 3) each in the frame of the link, of links with a length whose joints are
    elsewhere on them in `after`, a mechanism of the same structure, than where their visuals are made for: which the
    link says (`Link.bar`), or else `before`. The ends of both, by link."""
    found = {}
    for _, _, link in after.links:
        now, _ = pins_of(after, link.name) if after is not before or link.bar else (None, "")
        then, _ = (now, "") if after is before else pins_of(before, link.name)
        if now is not None and then is not None:
            old = then.bar.ends if link.bar is None else np.array(link.bar)
            if not np.allclose(old, now.bar.ends, rtol=0.0, atol=NO_LENGTH):
                found[link.name] = (old, now.bar.ends)
    return found


def turns(joint: MechanismJoint) -> bool:
    """Whether a joint only turns, so that a length may end at it."""
    return joint.kind is JointKind.BALL or all(motion.kind is MotionKind.ROTATION for motion in joint.motions)


def _kept_bar(of: Numbered, link: str, first: Pin, second: Pin) -> Bar:
    """`bar_between`, found once for all mechanisms that have the same values there."""
    sides = [(joint.side(child=is_child), joint.motions) for joint, is_child in (first, second)]
    now = (of.places[link][1], *sides[0], *sides[1])
    if link not in of.bars:
        of.bars[link] = now, bar_between(of, link, first, second)
    bar: Bar
    before, bar = of.bars[link]
    same = all(a is b for a, b in zip(before, now, strict=True))
    return bar if same else bar_between(of, link, first, second)


def bar_between(of: Numbered, link: str, first: Pin, second: Pin) -> Bar:
    """What the distance between two joints on a link is measured along."""
    X_LB = of.places[link][1].inverse()
    X_LJ = [X_LB @ joint.side(child=is_child) for joint, is_child in (first, second)]
    start, end = (np.array(X.position) for X in X_LJ)
    axes = [
        X.rotate(joint.motions[0].direction)
        for X, (joint, _) in zip(X_LJ, (first, second), strict=True)
        if len(joint.motions) == 1
    ]
    normal = np.zeros(3)
    if len(axes) == 2:
        a, b = np.array(axes[0]), np.array(axes[1])
        if np.linalg.norm(cross(a, b)) < PARALLEL:
            normal = a
            end = end - a * float(a @ (end - start))
    return Bar(np.stack((start, end)), normal)


@dataclass(frozen=True, eq=False)
class Bar:
    """What a length is measured along, in the frame of the link: `ends` [m], shape (2, 3), the first joint and the
    point from it to the second, across their axes where these are parallel; `normal`, shape (3,), a unit vector along
    these axes, zero where they are not parallel."""

    ends: Array
    normal: Array

    @cached_property
    def line(self) -> Array:
        """From the first end to the second [m], shape (3,)."""
        line: Array = self.ends[1] - self.ends[0]
        return line

    @cached_property
    def length(self) -> float:
        """Between the ends [m]."""
        return float(np.linalg.norm(self.line))
