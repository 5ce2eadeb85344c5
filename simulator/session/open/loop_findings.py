"""Findings about loops before anything moves: axes out of line, loops that cannot move, positions where motions
meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.errors import AssemblyError, LimitsError
from simulator.kinematics.closure import closure_at_start, motion_text, ranks_at
from simulator.kinematics.rounded_lengths import may_disagree
from simulator.mechanism.alignment import ROUNDED, aligned

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.kinematics.assembly import Assembly
    from simulator.kinematics.closure import ClosedCluster
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.rounded_lengths import LengthFit
    from simulator.kinematics.state import JointState
    from simulator.mechanism.alignment import Misalignment
    from simulator.mechanism.types import Cluster, Mechanism
    from simulator.session.open.start_findings import DocumentStart

TOLD = 0.2
"""Axes that are out of line by less than this [rad] are named if a loop cannot move."""
BY_THE_LETTER = 1e-10
"""Singular values below this count as 0 if a document's axes are taken literally."""


MOST_LOOPS = 300
"""Most loops that are analysed before the start; each takes some milliseconds."""
MOST_TO_DECOMPOSE = 1e8
"""Entries of the matrix of all loops times its smaller side, above which loops are not analysed: a singular value
decomposition takes a tenth of a second then, and a dozen are needed. Fifty scissors in a row have 2e7."""


SLIGHT = 1e-4
"""Angle [rad] up to which axes that lock nothing are out of line by a rounding: that of four digits. Beyond it a loop
that moves as it is written does so."""
SEEN = 1e-6
"""Angle [rad] by which an axis that locks nothing must be out of line to be named."""
WELD = 6
"""Rows of a loop that is closed by a joint without an axis."""


def loops_are_judged(mechanism: Mechanism, log: DiagnosticLog) -> bool:
    """Whether `report_loops` and other assemblies finish soon; a finding if not."""
    rows = sum(loop.rows for loop in mechanism.loop_joints)
    freedoms = sum(joint.dof for joint in mechanism.joints)
    if not mechanism.loop_joints or (
        len(mechanism.loop_joints) <= MOST_LOOPS and rows * freedoms * min(rows, freedoms) <= MOST_TO_DECOMPOSE
    ):
        return True
    log.info(
        "LOOPS_NOT_JUDGED",
        mechanism.loop_joints[0].source,
        f"the {len(mechanism.loop_joints)} loops have {rows} rows in {freedoms} freedoms: whether they close and can "
        "move is not analysed, because it would take long; the first step also takes long",
        hint="simulate parts of it",
    )
    return False


class LoopFindings(NamedTuple):
    """What `report_loops` leaves to do: `out_of_line`, the angle [rad] up to which axes of loops are out of line by a
    rounding, and are to be corrected (`aligned`); whether lengths may miss agreeing by a rounding (`fitted`)."""

    out_of_line: float = 0.0
    lengths: bool = False


def report_loops(document: DocumentStart, log: DiagnosticLog) -> LoopFindings:
    """Findings about the loops of a mechanism at its start, and what is to be corrected."""
    kinematics = document.kinematics
    mechanism = kinematics.mechanism
    if not mechanism.has_curves:
        return LoopFindings()
    limits_agree = True
    try:
        assembly = document.assembled()
        try:
            state = document.pose().state
        except LimitsError:  # reported with the start; a loop that cannot move may be the cause
            state = assembly.state
            limits_agree = False
    except AssemblyError as error:
        where = _tie_of(mechanism, _curved(mechanism)[0])[1]
        log.warning("LOOP_OPEN", where, str(error), hint=_open_hint(mechanism))
        return LoopFindings(lengths=True)
    if assembly.ways > 1 and limits_agree:
        _report_ways(mechanism, assembly, log)
    limit = _report_misalignments(kinematics, state, log)
    lengths = False
    for item in closure_at_start(kinematics.as_meant, state).clusters:
        cluster = mechanism.clusters[item.cluster]
        lengths = lengths or item.mobility == 0 or may_disagree(kinematics.as_meant, item)
        if item.mobility == 0:
            _report_rigid(mechanism, item, cluster, log)
        elif item.is_singular and limits_agree and len(item.motions) != 1:
            _report_change_point(mechanism, item, cluster, log)
    return LoopFindings(limit, lengths)


def report_fit(fit: LengthFit, log: DiagnosticLog) -> None:
    """Report lengths of loops that were corrected so that these close and move."""
    sources = {loop.name: loop.source for loop in fit.mechanism.loop_joints}
    for loops, most, joint, length in fit.moved:
        more = f" and {len(loops) - 1} more" * (len(loops) > 1)
        log.warning(
            "LENGTHS_ROUNDED",
            sources[loops[0]],
            f"taken literally, the loop closed by '{loops[0]}'{more} could not move: lengths that were meant to agree "
            f"differ by a rounding; joints are moved until they agree, '{joint}' most, by {most:.2g} m (the longest "
            f"link has {length:.3g} m)",
            hint="write the places of joints with more digits; parts that are alike must have the same figures",
        )


def _open_hint(mechanism: Mechanism) -> str:
    hint = "give joints that start elsewhere with --initial, or mend the document"
    welds = sum(loop.rows == WELD for loop in mechanism.loop_joints)
    if not welds:
        return hint
    those = "the loop is" if len(mechanism.loop_joints) == 1 else f"{welds} of {len(mechanism.loop_joints)} loops are"
    return f"{hint}; {those} closed by a weld, which allows no turn: a ball joint may be meant (type 3d in robot.yaml)"


def _curved(mechanism: Mechanism) -> list[Cluster]:
    """Clusters that loops or couplings with curves tie together."""
    return [cluster for cluster in mechanism.clusters if mechanism.is_curved(cluster)]


def _tie_of(mechanism: Mechanism, cluster: Cluster) -> tuple[str, Source | None]:
    """What ties a cluster together, in words, and where that is: its first loop, else its first coupling with a
    curve."""
    if cluster.loop_joints:
        loop = mechanism.loop_joints[cluster.loop_joints[0]]
        return f"the loop closed by '{loop.name}'", loop.source
    coupling = next(c for c in (mechanism.couplings[i] for i in cluster.couplings) if c.curve is not None)
    if coupling.name:
        return f"the constraint '{coupling.name}'", coupling.source
    return f"the law of '{mechanism.axes[coupling.follower].name}'", coupling.source


def _report_ways(mechanism: Mechanism, assembly: Assembly, log: DiagnosticLog) -> None:
    what, source = _tie_of(mechanism, _curved(mechanism)[0])
    log.info(
        "LOOP_ASSEMBLED",
        source,
        f"in the document's pose {what} is open; of {assembly.ways} closed poses found near it "
        f"the nearest is taken, in which joints have moved by up to {assembly.moved:.3g} rad or m",
        hint="write the closed pose, or choose another one with --initial JOINT=VALUE",
    )


def _report_misalignments(kinematics: Kinematics, state: JointState, log: DiagnosticLog) -> float:
    """Axes of loops that are out of line by a rounding, those that would lock a loop if they were taken literally and
    those by which its motion differs slightly; returns the angle up to which they are [rad]."""
    mechanism = kinematics.mechanism
    meant, written = (ranks_at(each, state, BY_THE_LETTER) for each in (kinematics.as_meant, kinematics))
    closed = _curved(mechanism)
    more = [cluster for cluster, less, rank in zip(closed, meant, written, strict=True) if rank > less]
    held = {joint for cluster in more for joint in _joints_of(mechanism, cluster)}
    rounded: dict[str, float] = {}
    limit = ROUNDED if held else SLIGHT
    for item in aligned(mechanism, limit)[1]:
        locks = item.joint in held
        # What is out of line with one axis, or by the same angle, has one rounding of the document as its cause.
        angle = rounded.setdefault(item.partner, item.angle)
        if locks or item.angle > SEEN:
            (log.warning if locks else log.info)(
                "AXIS_OUT_OF_LINE",
                item.source,
                f"{_out_of_line(item)}{': taken literally, its loop could not move' * locks}; the axis is corrected",
                hint=_alignment_hint(item),
                fold=f"{angle:.2g} {item.meets}",
                about=item.joint,
            )
    return limit


def _joints_of(mechanism: Mechanism, cluster: Cluster) -> set[str]:
    """Names of all joints of a cluster."""
    return {mechanism.joints[i].name for i in cluster.joints} | {
        mechanism.loop_joints[i].name for i in cluster.loop_joints
    }


def _out_of_line(item: Misalignment) -> str:
    if item.meets:
        return (
            f"the axis of '{item.joint}' misses the point where it should cross that of '{item.partner}', by "
            f"{item.angle:.3g} rad"
        )
    return f"the axis of '{item.joint}' is {item.angle:.3g} rad out of parallel with '{item.partner}'"


def _alignment_hint(item: Misalignment) -> str:
    direction = " ".join(f"{round(value, 12) + 0.0:.12g}" for value in item.direction)
    return (
        f"in the joint's frame the axis would be {direction}; for a rounded angle write all digits (pi/2 is "
        "1.5707963267948966)"
    )


def _report_rigid(mechanism: Mechanism, item: ClosedCluster, cluster: Cluster, log: DiagnosticLog) -> None:
    what, source = _tie_of(mechanism, cluster)
    joints = _joints_of(mechanism, cluster)
    near = [found for found in aligned(mechanism, TOLD)[1] if found.joint in joints]
    why = "its joints allow it no motion"
    if item.is_rigid:
        why = "it is stretched: its joints allow a motion at this instant, but nothing can move further along it"
    elif near:
        why = _out_of_line(near[0])
    hint = (
        _alignment_hint(near[0])
        if near and not item.is_rigid
        else "check link lengths, axes and the joints that close the loop"
    )
    log.warning("LOOP_RIGID", source, f"{what} cannot move: {why}", hint=hint)


def _report_change_point(mechanism: Mechanism, item: ClosedCluster, cluster: Cluster, log: DiagnosticLog) -> None:
    what, source = _tie_of(mechanism, cluster)
    ways = " or ".join(motion_text(mechanism, motion, item.columns) for motion in item.motions)
    log.info(
        "CHANGE_POINT",
        source,
        f"{what} starts at a change point, where {len(item.motions)} motions meet: {ways}; "
        "forces decide which one it takes",
        hint="to choose, start a little beside it, as with --initial JOINT=0.001",
    )
