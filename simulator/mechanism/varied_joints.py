"""Where joints are: in both of their links, or in one of them, so that a length changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_parts
from simulator.mechanism.varied_length import with_joint
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import rpy_from_quat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism

TURNS = ("roll", "pitch", "yaw")
BOTH, PARENT, CHILD = "pose", "parent_pose", "child_pose"
QUARTER = math.pi / 2.0


def _pose(group: str) -> dict[str, Allowed]:
    turns = {f"{group}.{turn}": Allowed("rad") for turn in TURNS}
    return {**in_place(group, Allowed("m")), **turns, f"{group}.pitch": Allowed("rad", -QUARTER, QUARTER)}


POSES = {**_pose(BOTH), **_pose(PARENT), **_pose(CHILD)}


class JointNumbers:
    """The pose of the joint frame, whose axes turn with it. `pose` is that in the child link and moves the joint in the
    parent link, too, to the same place of the document's start; `parent_pose` and `child_pose` move it in one link. In
    a URDF the parent is the link that the joint names, also where fixed joints merge that link into another body.
    """

    owner = "joint"
    fields = tuple(POSES)

    def names(self, of: Numbered) -> Sequence[str]:
        """Joints of the document that move, on the tree and in loops."""
        return [joint.name for joint in of.joints]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """`pose` where the document has both sides in one place."""
        is_both = field.startswith(f"{BOTH}.")
        return None if is_both and of.said[of.joints[index].name].X_WJ_parent is not None else POSES[field]

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """A loop that starts open has two poses."""
        name = of.joints[index].name
        return f"the document has '{name}' in another place on either side; vary its parent_pose or child_pose"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A part of X_LJ."""
        group, _, part = field.rpartition(".")
        X_LJ = _placed(of, index, child=group != PARENT)
        return (*X_LJ.position, *rpy_from_quat(X_LJ.orientation))[(*PLACE, *TURNS).index(part)]

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The numbers of one pose at once, poses in the order in which they are named."""
        mechanism = of.mechanism
        joint = of.joints[index]
        moved = joint
        for group in dict.fromkeys(field.rpartition(".")[0] for field in values):
            child = group != PARENT
            X_BL = _place_of_link(of, index, child=child)
            X_BJ = X_BL @ _changed(X_BL.inverse() @ moved.side(child=child), values, group)
            moved = moved.with_side(X_BJ, child=child)
            if group == BOTH:
                own, other = (mechanism.bodies[joint.body_on(child=side)].X_WB for side in (True, False))
                moved = moved.with_side(other.inverse() @ own @ X_BJ, child=False)
        return with_joint(mechanism, joint, moved)


def _place_of_link(of: Numbered, index: int, *, child: bool) -> Pose:
    """X_BL of the link on one side, as the document names it; the identity for the world."""
    said = of.said[of.joints[index].name]
    if not child and said.origin_frame in of.frames:
        return of.frames[said.origin_frame]
    return of.places.get(said.child_link if child else said.parent_link, (0, IDENTITY))[1]


def _placed(of: Numbered, index: int, *, child: bool) -> Pose:
    """X_LJ on one side."""
    X_BL = _place_of_link(of, index, child=child)
    return X_BL.inverse() @ of.joints[index].side(child=child)


def _changed(X_LJ: Pose, values: Mapping[str, float], group: str) -> Pose:
    """The pose with other numbers; one that only moves keeps its orientation to the last bit."""
    position = with_parts(X_LJ.position, values, group)
    wanted = [values.get(f"{group}.{turn}") for turn in TURNS]
    if all(angle is None for angle in wanted):
        return Pose(position, X_LJ.orientation)
    before = rpy_from_quat(X_LJ.orientation)
    roll, pitch, yaw = (was if angle is None else angle for was, angle in zip(before, wanted, strict=True))
    return Pose.from_rpy(position, (roll, pitch, yaw))
