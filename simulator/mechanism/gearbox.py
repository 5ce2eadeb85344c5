"""A gearbox joint becomes a coupling of the hinges between its two links and its reference body.

SDFormat (sdf/1.12/joint.sdf): theta_1, from the reference body to the parent link about `axis`, and theta_2, from the
reference body to the child link about `axis2`, obey theta_2 = -gearbox_ratio * theta_1; both are zero at the start.
Where both hinges sit on the reference body, these are two joint angles. Where it turns itself, the carrier of a
planetary gear or the cage of a differential, each is a signed sum of joint angles, and the law is Willis' equation, a
row of three axes or more (J. J. Uicker, G. R. Pennock, J. E. Shigley, Theory of Machines and Mechanisms, chapter on
mechanism trains).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.gear_paths import GearPaths, Obstacle
from simulator.mechanism.types import Coupling, CouplingKind
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.connections import Connection
    from simulator.mechanism.welding import Welded
    from simulator.model.joint import Joint

    Angle = tuple[tuple[str, float], ...]

CANCELS = 1e-12
"""Part of the law's largest coefficient below which a term is gone: ratios are written as decimals."""


def gearbox_couplings(
    joints: Sequence[Joint],
    welded: Welded,
    connections: Sequence[Connection],
    axis_of: dict[str, int],
    log: DiagnosticLog,
    *,
    following: Sequence[int] = (),
) -> list[Coupling]:
    """One coupling for every gearbox joint whose law ties joints together; the others are reported.

    `following`: axes that follow others already. Where a law ties three axes or more, one of those is chosen as its
    follower only if there is no other. Raises TooLargeError where the ways between the gears are too many or too long
    to be looked through.
    """
    found: list[Coupling] = []
    paths, taken = GearPaths(connections), set(following)
    for joint in joints:
        if joint.type is JointType.GEARBOX:
            coupling = _coupling(joint, welded, paths, axis_of, taken, log)
            if coupling is not None:
                found.append(coupling)
                taken.add(coupling.follower)
    return found


def _coupling(
    joint: Joint,
    welded: Welded,
    paths: GearPaths,
    axis_of: dict[str, int],
    taken: set[int],
    log: DiagnosticLog,
) -> Coupling | None:
    reference = welded.body_index(joint.gearbox_reference) if joint.gearbox_reference else None
    if reference is None:
        wanted = f"'{joint.gearbox_reference_body}'" if joint.gearbox_reference_body else "(none given)"
        log.error(
            "GEARBOX_REFERENCE_BODY_INVALID",
            joint.source,
            f"the reference body {wanted} of gearbox '{joint.name}' is not a link of its model",
            hint="<gearbox_reference_body> names the link from which both angles are measured",
        )
        return None
    if joint.gearbox_ratio == 0.0:
        log.error(
            "GEARBOX_RATIO_INVALID", joint.source, f"gearbox '{joint.name}' has ratio 0: its output could not move"
        )
        return None
    parent = _angle(joint, "parent", joint.parent_link, reference, welded, paths, log)
    child = _angle(joint, "child", joint.child_link, reference, welded, paths, log) if parent else None
    if not parent or not child:
        return None
    row = _law(joint.gearbox_ratio, parent, child)
    if len(row) < 2:
        _report_useless(joint, row, log)
        return None
    return _as_coupling(joint, row, parent, child, axis_of, taken)


def _angle(
    joint: Joint,
    side: str,
    link: str,
    reference: int,
    welded: Welded,
    paths: GearPaths,
    log: DiagnosticLog,
) -> Angle | None:
    """The angle of that side's link in the reference body as (hinge, sign) pairs from the reference body outwards."""
    body = welded.body_index(link)
    axis = joint.axes[1 if side == "child" else 0]
    found = paths.angle_between(reference, body, axis.xyz_world, joint.source) if body is not None else Obstacle()
    if isinstance(found, Obstacle):
        _report_obstacle(joint, side, link, found, log)
        return None
    if not found:
        log.error(
            "GEARBOX_HINGE_MISSING",
            joint.source,
            f"gearbox '{joint.name}' has no effect: its {side} '{link}' belongs to the reference body "
            f"'{joint.gearbox_reference_body}' and cannot turn in it",
            hint="<gearbox_reference_body> is a third body, from which the angles of parent and child are measured",
        )
    return found


def _report_obstacle(joint: Joint, side: str, link: str, obstacle: Obstacle, log: DiagnosticLog) -> None:
    reference = joint.gearbox_reference_body
    tag = "<axis2>" if side == "child" else "<axis>"
    in_the_way = obstacle.joint
    if in_the_way is None:
        log.error(
            "GEARBOX_HINGE_MISSING",
            joint.source,
            f"gearbox '{joint.name}' has no effect: no revolute joint connects its {side} '{link}' with the reference "
            f"body '{reference}', directly or through other bodies",
            hint=f"add a revolute joint between '{reference}' and '{link}', or use <mimic> on two joints",
        )
    elif obstacle.sine is not None:
        log.error(
            "GEARBOX_AXIS_NOT_PARALLEL",
            joint.source,
            f"{tag} of gearbox '{joint.name}' is not parallel to the hinge '{in_the_way.name}' ({in_the_way.source}) "
            f"between the reference body '{reference}' and its {side} '{link}': the sine between them is "
            f"{obstacle.sine:.3g}",
            hint="give the gearbox the direction of the hinges, which must all be parallel on the way to one side",
        )
    else:
        log.error(
            "GEARBOX_HINGE_MISSING",
            joint.source,
            f"gearbox '{joint.name}' has no effect: the way from the reference body '{reference}' to its {side} "
            f"'{link}' passes the {in_the_way.type.value} joint '{in_the_way.name}' ({in_the_way.source}), so their "
            "angle is not a sum of hinge angles",
            hint=f"connect '{reference}' and '{link}' by parallel revolute joints, or use <mimic> on two joints",
        )


def _law(ratio: float, parent: Angle, child: Angle) -> dict[str, float]:
    """theta_child + ratio * theta_parent = 0 as coefficients of hinges; those that cancel are gone."""
    row: dict[str, float] = {}
    for angle, factor in ((child, 1.0), (parent, ratio)):
        for hinge, sign in angle:
            row[hinge] = row.get(hinge, 0.0) + factor * sign
    least = CANCELS * max(1.0, abs(ratio))
    return {hinge: coefficient for hinge, coefficient in row.items() if abs(coefficient) > least}


def _report_useless(joint: Joint, row: dict[str, float], log: DiagnosticLog) -> None:
    if row:
        (held,) = row
        log.error(
            "GEARBOX_HOLDS_JOINT",
            joint.source,
            f"gearbox '{joint.name}' ties '{held}' to itself: by its law that joint could not move",
            hint="parent and child must turn in the reference body by joints of their own",
        )
    else:
        log.warning(
            "GEARBOX_WITHOUT_EFFECT",
            joint.source,
            f"gearbox '{joint.name}' has no effect: parent and child turn in the reference body together, and with "
            f"ratio {joint.gearbox_ratio:g} its law is 0 = 0",
            hint="parent and child must turn in the reference body by joints of their own",
        )


def _as_coupling(
    joint: Joint, row: dict[str, float], parent: Angle, child: Angle, axis_of: dict[str, int], taken: set[int]
) -> Coupling:
    """The child's own hinge follows, the parent's own hinge leads; where either has cancelled, the next one on the way
    to it."""
    outward = {
        side: [hinge for hinge, _ in reversed(angle) if hinge in row] for side, angle in (("c", child), ("p", parent))
    }
    ends = [*outward["c"][:1], *outward["p"][:1], *outward["c"][1:], *outward["p"][1:]]
    free = [hinge for hinge in ends if axis_of[hinge] not in taken] if len(row) > 2 else []
    follower = (free or ends)[0]
    leader, *others = (hinge for hinge in dict.fromkeys((*outward["p"][:1], *ends)) if hinge != follower)
    return Coupling(
        CouplingKind.GEARBOX,
        follower=axis_of[follower],
        leader=axis_of[leader],
        multiplier=-row[leader] / row[follower],
        source=joint.source,
        others=tuple((axis_of[hinge], -row[hinge] / row[follower]) for hinge in others),
        real=joint.coupling,
        # -ratio theta_parent is where the law has theta_child, here in the scale of the follower.
        inputs=tuple((axis_of[hinge], -joint.gearbox_ratio * sign / row[follower]) for hinge, sign in parent),
    )
