"""Mobility by counting (Kutzbach-Gruebler), and the clusters that loops and couplings tie together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.loops import loop_path, plane_and_rows
from simulator.mechanism.types import Cluster, Mobility
from simulator.mechanism.welding import UnionFind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Body, Coupling, MechanismJoint


def count_mobility(
    joints: Sequence[MechanismJoint],
    loops: Sequence[MechanismJoint],
    couplings: Sequence[Coupling],
    bodies: Sequence[Body],
) -> Mobility:
    """Sum of joint freedoms minus the rows of loops and of couplings that tie positions.

    A planar loop takes 3 - f rows where a spatial one takes 6 - f (f: freedoms of the joint that closes it), a loop of
    slides d - f (d: dimension that they span); a ball that closes a planar loop takes two.
    """
    tying = sum(coupling.ties for coupling in couplings)
    joint_dof = sum(joint.dof for joint in joints)
    found = [plane_and_rows(loop, joints, bodies) for loop in loops]
    # Kutzbach and Gruebler: M = Σ f_i - Σ (d - f_closing) over independent loops - couplings.
    planar, rows = sum(is_planar for is_planar, _ in found), sum(count for _, count in found)
    return Mobility(joint_dof - rows - tying, joint_dof, rows, tying, planar)


def find_clusters(
    joints: Sequence[MechanismJoint], loops: Sequence[MechanismJoint], couplings: Sequence[Coupling]
) -> tuple[Cluster, ...]:
    """Groups of tree joints that share a loop or a coupling; a joint that shares none is not a cluster."""
    sets = UnionFind(len(joints))
    joint_of = {motion.axis: i for i, joint in enumerate(joints) for motion in joint.motions}
    loop_of = {motion.axis: i for i, loop in enumerate(loops) for motion in loop.motions}
    members = [[*paths[0], *paths[1]] for paths in (loop_path(loop, joints) for loop in loops)]
    ties = [
        [
            joint
            for axis, _ in (coupling.terms if coupling.ties else ())
            for joint in ([joint_of[axis]] if axis in joint_of else members[loop_of[axis]])
        ]
        for coupling in couplings
    ]
    for group in (*members, *ties):
        for other in group[1:]:
            sets.union(group[0], other)
    return _collect(members, ties, sets, len(joints))


def _collect(members: list[list[int]], ties: list[list[int]], sets: UnionFind, n_joints: int) -> tuple[Cluster, ...]:
    roots = sorted({sets.find(group[0]) for group in (*members, *ties) if group})
    joints: dict[int, list[int]] = {root: [] for root in roots}
    loops: dict[int, list[int]] = {root: [] for root in roots}
    couplings: dict[int, list[int]] = {root: [] for root in roots}
    for j in range(n_joints):
        if sets.find(j) in joints:
            joints[sets.find(j)].append(j)
    for groups, found in ((members, loops), (ties, couplings)):
        for i, group in enumerate(groups):
            if group:
                found[sets.find(group[0])].append(i)
    return tuple(Cluster(tuple(joints[root]), tuple(loops[root]), tuple(couplings[root])) for root in roots)
