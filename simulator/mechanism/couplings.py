"""Couplings from mimic constraints and screws, and the checks that all couplings share."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from simulator.mechanism.types import Coupling, CouplingKind
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import AxisInfo
    from simulator.model.joint import Joint, Mimic

CANNOT_LEAD = {
    JointType.FIXED: "has no axis to move",
    JointType.BALL: "has no single angle",
    JointType.GEARBOX: "is itself a coupling",
}


def screw_couplings(joints: Sequence[Joint], axis_of: dict[str, int]) -> list[Coupling]:
    """travel = pitch / (2 pi) * angle, for every screw."""
    return [
        Coupling(
            CouplingKind.SCREW,
            follower=axis_of[f"{joint.name}:travel"],
            leader=axis_of[joint.name],
            multiplier=joint.screw_thread_pitch / (2.0 * math.pi),
            source=joint.source,
        )
        for joint in joints
        if joint.type is JointType.SCREW and joint.name in axis_of
    ]


def mimic_couplings(joints: Sequence[Joint], axis_of: dict[str, int], log: DiagnosticLog) -> list[Coupling]:
    """One coupling for every `<mimic>` whose leader has a single coordinate; the others are reported.

    Joints that cannot follow have no axes in the model, the reader has reported their mimics.
    """
    by_name = {joint.name: joint for joint in joints}
    found = []
    for joint in joints:
        for position, axis in enumerate(joint.axes):
            if axis.mimic is None:
                continue
            follower = axis_of.get(joint.name if position == 0 else f"{joint.name}:axis2")
            leader = _leader_axis(joint, axis.mimic, by_name, axis_of, log)
            if leader is not None and follower is not None and leader != follower:
                mimic = axis.mimic
                found.append(
                    Coupling(
                        CouplingKind.MIMIC,
                        follower,
                        leader,
                        mimic.multiplier,
                        mimic.offset,
                        mimic.reference,
                        mimic.source,
                    )
                )
    return found


def _leader_axis(
    joint: Joint, mimic: Mimic, by_name: dict[str, Joint], axis_of: dict[str, int], log: DiagnosticLog
) -> int | None:
    leader = by_name.get(mimic.leader)
    if leader is None:
        return None  # the reader has reported it
    if leader.type in CANNOT_LEAD:
        log.error(
            "MIMIC_JOINT_TYPE",
            mimic.source or joint.source,
            f"joint '{joint.name}' cannot follow the {leader.type.value} joint '{leader.name}' ({leader.source}): "
            f"that {CANNOT_LEAD[leader.type]}",
            hint="leader and follower must be revolute, continuous, prismatic, screw, universal or revolute2",
        )
        return None
    name = mimic.leader if mimic.axis == "axis" else f"{mimic.leader}:axis2"
    if name not in axis_of:
        log.error(
            "MIMIC_AXIS_UNUSABLE",
            mimic.source or joint.source,
            f"the mimic of joint '{joint.name}' follows '{name}', which is no coordinate of the {leader.type.value} joint "
            f"'{leader.name}' ({leader.source}), or that joint cannot move",
            hint="follow axis of a joint with one coordinate, or axis/axis2 of a universal or revolute2 joint",
        )
        return None
    return axis_of[name]


def check_cycles(couplings: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog) -> bool:
    """Report every ring in which an axis follows itself through others; True where there is one."""
    leads = {coupling.follower: coupling for coupling in couplings if coupling.kind is CouplingKind.MIMIC}
    done: set[int] = set()
    found = False
    for start in leads:
        path: list[int] = []
        axis = start
        while axis in leads and axis not in done and axis not in path:
            path.append(axis)
            axis = leads[axis].leader
        if axis in path:
            _report_cycle([leads[a] for a in path[path.index(axis) :]], axes, log)
            found = True
        done.update(path)
    return found


def _report_cycle(ring: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog) -> None:
    names = " follows ".join(axes[coupling.follower].name for coupling in ring)
    lines = ", ".join(str(coupling.source) for coupling in ring)
    log.error(
        "MIMIC_CYCLE",
        ring[0].source,
        f"a ring of mimics has no leader: {names} follows {axes[ring[0].follower].name} ({lines})",
        hint="remove one <mimic> of the ring; the constraint acts both ways, so one direction is enough",
    )


def without_redundant(
    couplings: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> tuple[Coupling, ...]:
    """Drop rows that others imply, report rows that contradict others.

    Every coupling ties two axes, so within a connected set each axis is q_i = m_i q_root + c_i. Rows that close a ring in that graph
    either agree (redundant, dropped and said) or do not (an error that names both lines).
    """
    kept: list[Coupling] = []
    for coupling in couplings:
        relation = _relation(coupling.leader, coupling.follower, kept, len(axes))
        if relation is None:
            kept.append(coupling)
            continue
        multiplier, constant, witness = relation
        first, second = axes[coupling.follower].name, axes[coupling.leader].name
        agrees = math.isclose(multiplier, coupling.multiplier, rel_tol=1e-9) and math.isclose(
            constant, coupling.constant, rel_tol=1e-9, abs_tol=1e-12
        )
        if agrees:
            log.info(
                "COUPLING_REDUNDANT",
                coupling.source,
                f"'{first}' following '{second}' is implied by {witness.source}; kept once",
            )
        else:
            log.error(
                "COUPLING_CONTRADICTORY",
                coupling.source,
                f"'{first}' cannot be {coupling.multiplier:g}·'{second}' + {coupling.constant:g} ({coupling.source}): "
                f"by {witness.source} it is {multiplier:g}·'{second}' + {constant:g}",
                hint="remove one of the two couplings, or make them agree",
            )
    return tuple(kept)


def _relation(
    start: int, goal: int, couplings: Sequence[Coupling], n_axes: int
) -> tuple[float, float, Coupling] | None:
    """(m, c, last coupling) with q_goal = m q_start + c through `couplings`, or None where they do not tie the two."""
    neighbours: dict[int, list[tuple[int, float, float, Coupling]]] = {i: [] for i in range(n_axes)}
    for row in couplings:
        m, c = row.multiplier, row.constant
        neighbours[row.leader].append((row.follower, m, c, row))
        if m != 0.0:
            neighbours[row.follower].append((row.leader, 1.0 / m, -c / m, row))
    queue: deque[tuple[int, float, float]] = deque([(start, 1.0, 0.0)])
    seen = {start}
    while queue:
        axis, m, c = queue.popleft()
        for other, m2, c2, row in neighbours[axis]:
            if other == goal:
                return m2 * m, m2 * c + c2, row
            if other not in seen:
                seen.add(other)
                queue.append((other, m2 * m, m2 * c + c2))
    return None
