"""Lengths of loops that miss agreeing with each other by a rounding.

Three parallel cranks, of which one is a micrometre longer, are rigid by the letter, and most often open where the
document has them. Their author meant a mechanism that moves. It is found as a calibration is: closed poses are sampled
along the motion that singular values of K close to zero belong to, and of all changes of the places of joints that
close the loops at all of these, that of the least size is taken (K. Schröer, Handbook on Robot Calibration, 1993).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.cluster_view import NOTHING, ClusterView, length_of
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.records import dataclass
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from simulator.kinematics.closure import ClosedCluster
    from simulator.mechanism.types import Cluster, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


ROUNDED = 1e-4
"""Lengths that miss agreeing by less than this part of the longest link were meant to agree."""
WEAK = 1e-3
"""Singular values of K without units below this may be what such lengths make of zero."""
STEP, STEPS = 0.3, 8
"""Length [rad, or longest links] and number of the steps of a walk along the motion, in each direction."""
FEWEST = 4
"""Poses beside the first one that a walk must find: fewer are no motion."""
CLOSED = 1e-12
"""Error of all poses, in longest links, at which the lengths agree."""
_ROUNDS = 30
_REPEATS = 8
_DIGITS = 1e-7
"""Singular values of the samples' equations below this part of the greatest count as 0."""


@dataclass(frozen=True)
class LengthFit:
    """The mechanism with places of joints that let its loops move. `moved`: names of joints that close the loops, how
    far a joint was moved at most [m], its name, and that of the longest link [m]."""

    mechanism: Mechanism
    moved: tuple[tuple[tuple[str, ...], float, str, float], ...]


def fitted(mechanism: Mechanism) -> LengthFit | None:
    """The mechanism whose loops close and move; None where no loop needs a change, or a rounding explains none."""
    moved = []
    for cluster in mechanism.clusters:
        if not cluster.loop_joints:
            continue
        found = _fit_cluster(Kinematics(mechanism), cluster)
        if found is not None:
            mechanism, places, length = found
            distances = np.linalg.norm(places, axis=1) * length
            most = int(np.argmax(distances))
            names = [joint.name for joint in _joints_of(mechanism, cluster)]
            loops = tuple(mechanism.loop_joints[loop].name for loop in cluster.loop_joints)
            moved.append((loops, float(distances[most]), names[most], length))
    return LengthFit(mechanism, tuple(moved)) if moved else None


def may_disagree(kinematics: Kinematics, item: ClosedCluster) -> bool:
    """Whether rows of K that follow from the others along the motion do so but for less than counts."""
    if not item.beside:
        return False
    mechanism = kinematics.mechanism
    cluster = mechanism.clusters[item.cluster]
    state = item.beside[-1][0]
    length = length_of(mechanism, cluster, kinematics.body_matrices(state))
    return ClusterView(kinematics, cluster, state, length).rank(NOTHING) > item.rank


def _fit_cluster(kinematics: Kinematics, cluster: Cluster) -> tuple[Mechanism, Array, float] | None:
    """The mechanism with other places of a cluster's joints, by how much [longest links], shape (n, 3), and the
    longest link [m]."""
    written = kinematics.mechanism
    start = rest_state(written)
    length = length_of(written, cluster, kinematics.body_matrices(start))
    first = _settled(ClusterView(kinematics.as_meant, cluster, start, length))
    samples = _walk(first, STEP)
    if samples is None or max(map(_error, samples)) < CLOSED:
        return None
    meant = kinematics.as_meant
    mechanism, total = written, np.zeros((len(_joints_of(written, cluster)), 3))
    before, last = np.zeros_like(total), np.inf
    for _ in range(_REPEATS):
        if samples is None or np.abs(total).max() > ROUNDED:
            return None
        error = max(map(_error, samples))
        if error < CLOSED and error > 0.5 * last:
            break
        last = error
        new = _least_change(samples, length)
        # What agrees to the first order, as cranks in a row whose lengths grow along it, is a double root of the
        # errors, where steps halve from one to the next: twice the step ends there.
        is_half = 2.5 * np.vdot(new, before) > np.vdot(before, before) > 1.5 * np.vdot(new, before) > 0.0
        before = new
        total = total + (2.0 * new if is_half else new)
        mechanism = _with_places(written, cluster, total * length)
        meant = Kinematics(mechanism).as_meant
        settled = [_settled(ClusterView(meant, cluster, view.state, length)) for view in samples]
        samples = None if any(view is None for view in settled) else [view for view in settled if view is not None]
    # Lengths agree only if they do so at poses that had no say.
    again = _walk(_settled(ClusterView(meant, cluster, start, length)), 1.7 * STEP)
    if samples is None or again is None or max(map(_error, (*samples, *again))) > 10.0 * CLOSED:
        return None
    return mechanism, total, length


def _error(view: ClusterView) -> float:
    return float(np.abs(view.residual).max(initial=0.0))


def _settled(view: ClusterView | None) -> ClusterView | None:
    """The pose near by that comes nearest to closing the loops, by Gauss and Newton with the singular values that are
    not weak; None where it does not come near."""
    for _ in range(_ROUNDS):
        if view is None:
            return None
        step = view.step(view.rank(WEAK))
        size = float(np.abs(step).max(initial=0.0))
        if size < 1e-15:
            break
        view = view.moved(step * min(1.0, 0.5 / size))
        if size < 1e-11:
            break
    return view if view is not None and _error(view) < ROUNDED else None


def _walk(first: ClusterView | None, step: float) -> list[ClusterView] | None:
    """Poses along all motions by the weak singular values, both ways; None where there is none."""
    if first is None:
        return None
    found = [first]
    null = _weak_space(first)
    for direction in null.T:
        for sign in (1.0, -1.0):
            view, way = first, sign * direction
            for _ in range(max(2, STEPS // null.shape[1])):
                space = _weak_space(view)
                way = space @ (space.T @ way)
                size = float(np.linalg.norm(way))
                beyond = _settled(view.moved(step * way / size)) if size > 0.1 else None
                if beyond is None:
                    break
                view, way = beyond, way / size
                found.append(view)
    return found if len(found) > FEWEST else None


def _weak_space(view: ClusterView) -> Array:
    """Velocities, shape (n, k), that the weak singular values would allow."""
    right = np.linalg.svd(view.K)[2]
    space: Array = right[view.rank(WEAK) :].T
    return space


def _least_change(samples: list[ClusterView], length: float) -> Array:
    """Of all changes of places that close the loops at all samples to the first order, the least, shape (n, 3) [longest
    links]: motions within the samples are taken out by the left null space of K there."""
    matrices, errors = [], []
    for view in samples:
        left = np.linalg.svd(view.K)[0][:, view.rank(WEAK) :].T
        matrices.append(left @ view.by_places() * length)
        errors.append(left @ view.residual)
    change = -np.linalg.pinv(np.concatenate(matrices), rcond=_DIGITS) @ np.concatenate(errors)
    return np.asarray(change.reshape(-1, 3))


def _joints_of(mechanism: Mechanism, cluster: Cluster) -> list[MechanismJoint]:
    """Those of the tree, then those that close loops: the order of `ClusterView.by_places`."""
    return [
        *(mechanism.joints[i] for i in cluster.joints),
        *(mechanism.loop_joints[i] for i in cluster.loop_joints),
    ]


def _with_places(mechanism: Mechanism, cluster: Cluster, places: Array) -> Mechanism:
    """The joints of a cluster moved by `places` on their parents, shape (n, 3) [m]."""

    def moved(joint: MechanismJoint, by: Array) -> MechanismJoint:
        x, y, z = (np.array(joint.X_PJ.position) + by).tolist()
        return replace(joint, X_PJ=Pose((x, y, z), joint.X_PJ.orientation))

    joints, loops = list(mechanism.joints), list(mechanism.loop_joints)
    of_tree, closing = places[: len(cluster.joints)], places[len(cluster.joints) :]
    for index, by in zip(cluster.joints, of_tree, strict=True):
        joints[index] = moved(joints[index], by)
    for index, by in zip(cluster.loop_joints, closing, strict=True):
        loops[index] = moved(loops[index], by)
    return replace(mechanism, joints=tuple(joints), loop_joints=tuple(loops))
