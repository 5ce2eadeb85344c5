"""A gearbox joint becomes a coupling between two hinges on its reference body.

SDFormat (sdf/1.12/joint.sdf): theta_1, from the reference body to the parent link about `axis`, and theta_2, from the reference body to
the child link about `axis2`, obey theta_2 = -gearbox_ratio * theta_1; both are zero at the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.types import Coupling, CouplingKind
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.connections import Connection
    from simulator.mechanism.welding import Welded
    from simulator.model.joint import Joint
    from simulator.spatial.rotation import Vec3

PARALLEL = 1e-3
"""Largest sine of the angle between a gearbox axis and its hinge: documents write 1.5708 for a right angle."""


def gearbox_couplings(
    joints: Sequence[Joint],
    welded: Welded,
    connections: Sequence[Connection],
    axis_of: dict[str, int],
    log: DiagnosticLog,
) -> list[Coupling]:
    """One coupling for every gearbox joint whose two hinges exist; the others are reported."""
    found = []
    for joint in joints:
        if joint.type is JointType.GEARBOX:
            coupling = _coupling(joint, welded, connections, axis_of, log)
            if coupling is not None:
                found.append(coupling)
    return found


def _coupling(
    joint: Joint, welded: Welded, connections: Sequence[Connection], axis_of: dict[str, int], log: DiagnosticLog
) -> Coupling | None:
    reference = welded.body_index(joint.gearbox_reference) if joint.gearbox_reference else None
    if reference is None:
        wanted = joint.gearbox_reference_body or "(none given)"
        log.error(
            "GEARBOX_REFERENCE_BODY_INVALID",
            joint.source,
            f"the reference body {wanted} of gearbox '{joint.name}' is no link of its model",
            hint="<gearbox_reference_body> names the link on which both hinges sit",
        )
        return None
    if joint.gearbox_ratio == 0.0:
        log.error(
            "GEARBOX_RATIO_INVALID", joint.source, f"gearbox '{joint.name}' has ratio 0: its output could not move"
        )
        return None
    sides = (("parent", joint.parent_link, 0), ("child", joint.child_link, 1))
    hinges = [
        _hinge(joint, side, link, position, reference, welded, connections, log) for side, link, position in sides
    ]
    if hinges[0] is None or hinges[1] is None:
        return None
    (leader, leader_sign), (follower, follower_sign) = hinges[0], hinges[1]
    return Coupling(
        CouplingKind.GEARBOX,
        follower=axis_of[follower],
        leader=axis_of[leader],
        multiplier=-joint.gearbox_ratio * leader_sign * follower_sign,
        source=joint.source,
    )


def _hinge(
    joint: Joint,
    side: str,
    link: str,
    position: int,
    reference: int,
    welded: Welded,
    connections: Sequence[Connection],
    log: DiagnosticLog,
) -> tuple[str, float] | None:
    """Name of the hinge between the reference body and that side's link, and the sign of its angle in the gearbox law."""
    body = welded.body_index(link)
    hinges = [
        c
        for c in connections
        if c.joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS) and {c.parent, c.child} == {body, reference}
    ]
    if not hinges:
        log.error(
            "GEARBOX_HINGE_MISSING",
            joint.source,
            f"gearbox '{joint.name}' has no effect: no revolute joint connects its {side} '{link}' with the reference body "
            f"'{joint.gearbox_reference_body}'",
            hint=f"add a revolute joint between '{joint.gearbox_reference_body}' and '{link}', or use <mimic> on two joints",
        )
        return None
    hinge = hinges[0]
    axis = joint.axes[position].xyz_world if position < len(joint.axes) else hinge.joint.axes[0].xyz_world
    cosine, sine = _cosine_sine(axis, hinge.joint.axes[0].xyz_world)
    if sine > PARALLEL:
        log.error(
            "GEARBOX_AXIS_NOT_PARALLEL",
            joint.source,
            f"<axis{'2' if position else ''}> of gearbox '{joint.name}' is not parallel to the hinge '{hinge.joint.name}' "
            f"({hinge.joint.source}) of its {side}: the sine between them is {sine:.3g}",
            hint="give the gearbox the direction of the hinge",
        )
        return None
    measured = 1.0 if hinge.parent == reference else -1.0
    return hinge.joint.name, measured * (1.0 if cosine > 0 else -1.0)


def _cosine_sine(a: Vec3, b: Vec3) -> tuple[float, float]:
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return sum(x * y for x, y in zip(a, b, strict=True)), sum(c * c for c in cross) ** 0.5
