"""Why a run cannot continue near a state: a singular position, links at full reach, a gimbal lock; or speed
alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.closure import closure_of
from simulator.kinematics.cluster_view import ClusterView, length_of
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.types import JointKind, MotionKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


NEAR = 0.02
"""Below this, singular values without units and triple products are near to nothing, as in `condition.singular`."""
LIGHT = 0.01
"""Of the mass of the link behind it, what is next to none."""
LEVER = 1e-6
"""Distance [m] at which axes still meet in a point."""


def what_is_near(mechanism: Mechanism, state: JointState, driven: Collection[int]) -> str:
    """What makes it hard to close loops at `state`, the last one at which they were closed, while motors hold the axes
    that are `driven`."""
    kinematics = Kinematics(mechanism)
    locks = [(lock, names) for lock, names in gimbals(kinematics, state) if lock < NEAR]
    if locks:
        lock, names = min(locks)
        listed = ", ".join(f"'{name}'" for name in names)
        return f"the axes of {listed} are in one plane (gimbal lock: their triple product is {lock:.2g})"
    least = least_singular_value(kinematics.as_meant, state, driven)
    if least < NEAR:
        return (
            "the motion ran against the end of what its links can reach, or through a singular position: the least "
            f"singular value of the rows of loops and driven axes, without units, is {least:.2g}"
        )
    fastest = int(np.argmax(np.abs(np.nan_to_num(state.velocity))))
    info = mechanism.axes[fastest]
    return (
        f"no singular position is near (the least singular value of the rows of loops and driven axes is {least:.2g}), "
        f"so that the motion is too fast for the step; '{info.name}' moves at {state.velocity[fastest]:.4g} "
        f"{info.unit}/s"
    )


def least_singular_value(kinematics: Kinematics, state: JointState, driven: Collection[int]) -> float:
    """Of all clusters, of as many rows as count along the motion, and those of driven axes: at zero a driven axis is at
    the end of its way."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    least = np.inf
    for item in closure_of(kinematics, state).clusters:
        cluster = mechanism.clusters[item.cluster]
        view = ClusterView(kinematics, cluster, state, length_of(mechanism, cluster, poses))
        rows = [kinematics.axis_row(axis, state, poses)[view.columns] * view.units for axis in driven]
        rows = [row / np.linalg.norm(row) for row in rows if np.linalg.norm(row) > 0.0]
        values = np.linalg.svd(np.concatenate((view.K, *(row[None] for row in rows))), compute_uv=False)
        count = min(item.rank + len(rows), len(view.columns))
        least = min(least, float(values[count - 1]) if count else np.inf)
    return least


def gimbals(kinematics: Kinematics, state: JointState) -> Iterator[tuple[float, tuple[str, ...]]]:
    """Three hinges in a row whose axes meet in a point, as the three turns of a ball: names, and |a . (b x c)| of their
    directions."""
    mechanism = kinematics.mechanism
    poses = kinematics.body_matrices(state)
    hinges = {
        joint.child: joint
        for joint in mechanism.joints
        if joint.kind is JointKind.CHAIN and [motion.kind for motion in joint.motions] == [MotionKind.ROTATION]
    }
    for last in hinges.values():
        chain = [last]
        while len(chain) < 3 and chain[-1].parent in hinges:
            chain.append(hinges[chain[-1].parent])
        frames = [poses[joint.child] @ joint.X_CJ.matrix() for joint in chain]
        axes = [X[:3, :3] @ np.array(joint.motions[0].direction) for X, joint in zip(frames, chain, strict=True)]
        if len(chain) == 3 and _meet(axes, [X[:3, 3] for X in frames]):
            yield abs(float(np.linalg.det(np.stack(axes)))), tuple(joint.name for joint in reversed(chain))


def balls_of_hinges(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Three hinges in a row that meet in a point where the mechanism is at rest, with next to no mass between: drawn as
    a ball by some exporters, they have the gimbal lock that a ball has not."""
    mass = {joint.name: mechanism.bodies[joint.child].mass for joint in mechanism.joints}
    found = [names for _, names in gimbals(Kinematics(mechanism), rest_state(mechanism))]
    return [names for names in found if max(mass[name] for name in names[:2]) < LIGHT * mass[names[2]]]


def _meet(axes: list[Array], points: list[Array]) -> bool:
    """Whether three lines meet in a point: that with the least sum of squares of distances to them."""
    across = [np.eye(3) - np.outer(axis, axis) for axis in axes]
    point = np.linalg.lstsq(np.sum(across, axis=0), np.einsum("kij,kj", across, points), rcond=None)[0]
    return all(float(np.linalg.norm(P @ (point - x))) < LEVER for P, x in zip(across, points, strict=True))
