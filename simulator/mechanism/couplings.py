"""Couplings from mimic constraints and screws, and the checks that all couplings share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.mechanism.curved import CurvedLaw
from simulator.mechanism.reduction import Elimination
from simulator.mechanism.types import Coupling, CouplingKind
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.reduction import Reduced
    from simulator.mechanism.types import AxisInfo
    from simulator.model.joint import Joint, Mimic
    from simulator.model.laws import JointConstraint

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
            real=joint.coupling,
        )
        for joint in joints
        if joint.type is JointType.SCREW and joint.name in axis_of
    ]


def mimic_couplings(
    joints: Sequence[Joint], axis_of: dict[str, int], is_turn: Callable[[int], bool], log: DiagnosticLog
) -> list[Coupling]:
    """One coupling for every `<mimic>` whose leader has a single coordinate; the others are reported.

    Joints that cannot follow have no axes in the model, the reader has reported their mimics. `is_turn`: whether an
    axis is an angle.
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
                found.append(_mimic_coupling(axis.mimic, follower, leader, turns=is_turn(follower)))
    return found


def _mimic_coupling(mimic: Mimic, follower: int, leader: int, *, turns: bool) -> Coupling:
    law = mimic.law
    if law is None:
        numbers = (mimic.multiplier, mimic.offset, mimic.reference)
        return Coupling(CouplingKind.MIMIC, follower, leader, *numbers, source=mimic.source, real=mimic.coupling)
    curve = CurvedLaw((follower, leader), law.tape.behind(turns), law)
    source = law.source or mimic.source
    return Coupling(CouplingKind.MIMIC, follower, leader, 1.0, source=source, curve=curve, real=mimic.coupling)


def constraint_couplings(
    constraints: Sequence[JointConstraint], axis_of: dict[str, int], following: Collection[int], log: DiagnosticLog
) -> list[Coupling]:
    """One coupling for every constraint between axes that there are; the others are reported. Its follower is the axis
    that the document names, else the last one in it that follows nothing yet."""
    taken = set(following)
    found = []
    for constraint in constraints:
        missing = [name for name in constraint.axes if name not in axis_of]
        if missing:
            log.error(
                "LAW_INVALID",
                constraint.source,
                f"the constraint '{constraint.name}' is about '{missing[0]}', which is no coordinate: its joint has no "
                "such axis, or cannot move",
                hint="name joints with one coordinate, or joint:axis2 in quotes",
            )
            continue
        axes = tuple(axis_of[name] for name in constraint.axes)
        if constraint.follower:
            follower = axes[constraint.joints.index(constraint.follower)]
        else:
            follower = next((axis for axis in reversed(axes) if axis not in taken), axes[-1])
        if follower in taken:
            message = f"the constraint '{constraint.name}' has no joint of its own to move: all of them follow others"
            log.error("LAW_INVALID", constraint.source, message, "each constraint takes one freedom away")
            continue
        taken.add(follower)
        leaders = [axis for axis in axes if axis != follower] or [follower]
        curve = CurvedLaw(axes, constraint.tape, None, constraint.text, constraint.joints)
        others = tuple((axis, 1.0) for axis in leaders[1:])
        found.append(
            Coupling(
                CouplingKind.CONSTRAINT, follower, leaders[0], 1.0, source=constraint.source, others=others,
                curve=curve, name=constraint.name, real=constraint.coupling,
            )
        )  # fmt: skip
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
            f"the mimic of joint '{joint.name}' cannot follow '{name}': the {leader.type.value} joint "
            f"'{leader.name}' ({leader.source}) has no such axis, or cannot move",
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
    """Drop rows that others imply, report rows that contradict others, in the document's order.

    A row is redundant where the rows before leave nothing of it, and contradicts where 0 = constant is left. Where a
    single axis is left among rows that tie axes together, that one could not move any more, which hardly is meant; rows
    that hold an axis (a mimic with multiplier 0) are meant to.
    """
    ties = Elimination()
    all_rows = Elimination()
    straight: list[Coupling] = []
    kept: list[Coupling] = []
    for coupling in couplings:
        if coupling.curve is not None or not coupling.ties:
            kept.append(coupling)  # the rank of a curve depends on the position: the rows of `dynamics` decide
            continue
        left = ties.reduce(coupling.terms, coupling.constant)
        left_of_all = all_rows.reduce(coupling.terms, coupling.constant)
        holds = sum(coefficient != 0.0 for _, coefficient in coupling.terms) == 1
        stops = not holds and len(left.terms) < 2
        if stops or not left_of_all.terms:
            witnesses = [straight[number] for number in all_rows.witnesses(left_of_all)]
            _report(coupling, left_of_all, witnesses, axes, log)
        if not left_of_all.terms:
            continue
        kept.append(coupling)
        straight.append(coupling)
        all_rows.keep(left_of_all, coupling.follower)
        if not holds and not stops:
            ties.keep(left, coupling.follower)
    return tuple(kept)


def _report(
    coupling: Coupling, left: Reduced, witnesses: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> None:
    """Say what the witnesses make of a coupling: one that they imply, contradict or stop."""
    if left.is_empty:
        _report_redundant(coupling, witnesses, axes, log)
    elif not left.terms:
        _report_contradiction(coupling, left.constant, witnesses, axes, log)
    else:
        _report_hold(coupling, left, witnesses, axes, log)


def _report_redundant(
    coupling: Coupling, witnesses: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> None:
    names = _joined_with_and([f"'{axes[axis].name}'" for axis, _ in coupling.leaders])
    message = f"'{axes[coupling.follower].name}' following {names} is implied by {_lines(witnesses)}; kept once"
    log.info("COUPLING_REDUNDANT", coupling.source, message)


def _report_contradiction(
    coupling: Coupling, constant: float, witnesses: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> None:
    message = (
        f"'{axes[coupling.follower].name}' = {_law(coupling, axes)} ({coupling.source}) contradicts "
        f"{_lines(witnesses)}: no position satisfies both, they miss each other by {abs(constant):g} "
        f"{axes[coupling.follower].unit}"
    )
    log.error("COUPLING_CONTRADICTORY", coupling.source, message, "remove one of these couplings, or make them agree")


def _report_hold(
    coupling: Coupling, left: Reduced, witnesses: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog
) -> None:
    """Couplings that agree in one position alone."""
    held = ", ".join(
        f"'{axes[axis].name}' at {left.constant / factor + 0.0:.6g} {axes[axis].unit}"
        for axis, factor in left.terms.items()
    )
    message = (
        f"'{axes[coupling.follower].name}' = {_law(coupling, axes)} ({coupling.source}) and {_lines(witnesses)} agree "
        f"in one position alone: they hold {held}"
    )
    log.warning("COUPLING_HOLDS", coupling.source, message, "remove one of these couplings, or make them agree")


def _law(coupling: Coupling, axes: Sequence[AxisInfo]) -> str:
    terms = [f"{multiplier:g}·'{axes[axis].name}'" for axis, multiplier in coupling.leaders]
    return " + ".join((*terms, f"{coupling.constant:g}") if coupling.constant or not terms else terms)


def _lines(witnesses: Sequence[Coupling]) -> str:
    return _joined_with_and([str(witness.source) for witness in witnesses]) or "itself"


def _joined_with_and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
