"""Where a mechanism stands on the ground, as mechanism drawings show it: for documents that draw nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.rendering.overlays import Polyline, pieced
from simulator.rendering.theme import rgb

if TYPE_CHECKING:
    from simulator.gui.tokens import Tokens
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array

SIZE = 0.13
"""Height of a support in radii of the scene."""
HATCHES = 5
MOST = 24
"""With more joints on the ground than this, supports would hide the scene."""


def support_lines(mechanism: Mechanism, scene: Scene, tokens: Tokens) -> tuple[Polyline, ...]:
    """A triangle on hatching at each joint to the ground; none where a link that does not move is drawn."""
    joints = [joint for joint in (*mechanism.joints, *mechanism.loop_joints) if _is_support(joint)]
    if any(link.visuals for link in mechanism.bodies[0].links) or not 0 < len(joints) <= MOST:
        return ()
    pieces = np.concatenate([_support(joint, SIZE * scene.radius) for joint in joints])
    return (Polyline(pieced(pieces), (*rgb(tokens.text), 0.9), 2.0, 0.5),)


def _is_support(joint: MechanismJoint) -> bool:
    """Whether it holds a body to the ground, unlike the joint of one that floats."""
    return 0 in (joint.parent, joint.child) and 0 < joint.dof <= 3


def _support(joint: MechanismJoint, size: float) -> Array:
    """Lines of two ends each, shape (n, 2, 3) [m]: below the joint, across its axis."""
    X = joint.X_PJ if joint.parent == 0 else joint.X_CJ
    foot = np.array(X.position)
    axis = np.array(X.rotate(joint.motions[0].direction)) if joint.motions else np.array((0.0, 1.0, 0.0))
    down = -np.eye(3)[2 if abs(axis[2]) < 0.9 else 1]
    down = down - axis * float(axis @ down)
    down *= size / float(np.linalg.norm(down))
    side = 0.6 * np.cross(axis, down)
    left, right = foot + down - side, foot + down + side
    shares = (np.arange(HATCHES)[:, None] + 0.5) / HATCHES
    tops = left + shares * (right - left)
    hatches = np.stack([tops, tops + 0.3 * down - 0.25 * side], axis=1)
    return np.concatenate([[[foot, left], [left, right], [right, foot]], hatches])
