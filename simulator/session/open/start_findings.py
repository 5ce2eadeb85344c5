"""Findings about the start of a document: positions outside of limits, empty limits, impossible
velocities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import some_of
from simulator.errors import AssemblyError, LimitsError
from simulator.kinematics.assembly import assemble
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.limits import WITHIN, held_by_limits, limit_faults, limits_of, range_text, speed_text
from simulator.kinematics.start import (
    document_positions,
    document_velocities,
    out_of_bounds,
    starting_pose,
    thrown_links,
)
from simulator.kinematics.state import rest_state
from simulator.physics.compiled.cables_now import cable_faults
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.kinematics.assembly import Assembly
    from simulator.kinematics.start import Start
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.model.link import Link
    from simulator.spatial.arrays import Array

LISTED = 6
"""Most axes that move along that are named."""
_SINGLE, _TIED = "starts at a limit", "starts at a limit, with others"
"""Kinds of findings, each reported once."""


class DocumentStart:
    """The start of a document; computed at the first use."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.kinematics = Kinematics(mechanism)
        self._assembled: Assembly | AssemblyError | None = None
        self._found: Start | AssemblyError | None = None

    @property
    def found(self) -> JointState | None:
        """The assembled state, if it was found."""
        return None if self._found is None or isinstance(self._found, AssemblyError) else self._found.state

    def assembled(self) -> Assembly:
        """Loops and couplings closed at the document's positions, within limits or not; raises AssemblyError."""
        if self._assembled is None:
            mechanism = self.kinematics.mechanism
            try:
                self._assembled = assemble(
                    self.kinematics, rest_state(mechanism), document_positions(mechanism), search=True
                )
            except AssemblyError as error:
                self._assembled = error
        if isinstance(self._assembled, AssemblyError):
            raise self._assembled
        return self._assembled

    def pose(self) -> Start:
        """`starting_pose` without requests of a user; raises its errors."""
        if self._found is None:
            try:
                self._found = starting_pose(self.kinematics, {}, self.assembled)
            except AssemblyError as error:
                self._found = error
        if isinstance(self._found, AssemblyError):
            raise self._found
        return self._found


def report_start(document: DocumentStart, log: DiagnosticLog) -> None:
    """Report a start that differs from the document, and an error if there is none within the
    limits."""
    kinematics = document.kinematics
    mechanism = kinematics.mechanism
    velocities = document_velocities(mechanism)
    thrown = bool(thrown_links(mechanism))
    _report_held(mechanism, log)
    _report_bounds(document, log)
    _report_cables(document, log)
    if _is_within(mechanism) and not velocities and not thrown:
        return
    try:
        start = document.pose()
    except LimitsError as error:
        for axis, message in error.faults:
            hint = "change one of the limits, or the law or the lengths that connect the joints"
            log.error("LIMITS_CONTRADICTORY", _limit_source(mechanism.axes[axis]), message, hint)
        return
    except AssemblyError:
        return  # the mechanism's own condition reports it
    for group in _groups(mechanism, start):
        _report_group(mechanism, start, group, log)
    if velocities or thrown:
        _report_velocities(kinematics, start, sorted(velocities), log)


def _report_bounds(document: DocumentStart, log: DiagnosticLog) -> None:
    """Report constraints that bound an expression which is beyond that at the start."""
    if not any(coupling.bounds for coupling in document.kinematics.mechanism.left_out):
        return
    try:
        state = document.assembled().state
    except AssemblyError:
        return
    for coupling, message in out_of_bounds(document.kinematics, state):
        log.error("BOUND_EXCEEDED", coupling.source, message, "start elsewhere, or widen the bound")


def _report_cables(document: DocumentStart, log: DiagnosticLog) -> None:
    """Report cables that are too short at the start, or cannot lie there."""
    if not document.kinematics.mechanism.loads.cables:
        return
    try:
        state = document.assembled().state
    except AssemblyError:
        return
    for source, message in cable_faults(document.kinematics.mechanism, state):
        log.error("CABLE_IMPOSSIBLE", source, message, "make it longer, or move what it passes")


def _report_held(mechanism: Mechanism, log: DiagnosticLog) -> None:
    """Report axes that limits leave one position: their own, or those of their followers, as where a multiplier has the
    wrong sign."""
    for info in mechanism.axes:
        if info.axis.lower == info.axis.upper:
            message = f"'{info.name}' cannot move: both of its limits are {info.axis.lower:.6g} {info.unit}"
            log.info("LIMITS_HOLD", _limit_source(info), message, "widen them if it is to move", fold="one position")
    if not mechanism.couplings:
        return
    looped = {axis for axis, index in _clusters(mechanism).items() if mechanism.clusters[index].loop_joints}
    for axis, message in held_by_limits(mechanism, coupled_axes(mechanism, ()), looped):
        hint = "correct the sign of the multiplier, or widen the limits of one of them"
        log.warning("LIMITS_HOLD", _limit_source(mechanism.axes[axis]), message, hint, fold="held")


def _is_within(mechanism: Mechanism) -> bool:
    """Whether everything is at zero and allowed there: then nothing needs to be assembled."""
    if document_positions(mechanism) or any(coupling.constant for coupling in mechanism.couplings):
        return False
    if limit_faults(mechanism):
        return False
    if any(limits_of(mechanism).excess(np.zeros(len(mechanism.axes))) > WITHIN):
        return False
    bodies = mechanism.bodies
    return not any(
        _differ((bodies[loop.parent].X_WB @ loop.X_PJ).as_list(), (bodies[loop.child].X_WB @ loop.X_CJ).as_list())
        for loop in mechanism.loop_joints
    )


def _differ(first: Iterable[float], second: Iterable[float]) -> bool:
    return any(abs(a - b) > WITHIN for a, b in zip(first, second, strict=True))


@dataclass(frozen=True)
class _Group:
    """Axes that loops and couplings connect and that start elsewhere: those `outside` of their limits, and those
    that move along."""

    outside: tuple[int, ...]
    along: tuple[int, ...]
    alone: bool


def _groups(mechanism: Mechanism, start: Start) -> list[_Group]:
    tied = _clusters(mechanism)
    excess = limits_of(mechanism).excess(start.asked)
    moved = np.flatnonzero(np.abs(start.state.position - start.asked) > WITHIN).tolist()
    sets: dict[int, list[int]] = {}
    for axis in moved:
        sets.setdefault(tied.get(axis, -1 - axis), []).append(axis)
    return [
        _Group(
            tuple(axis for axis in axes if excess[axis] > WITHIN),
            tuple(axis for axis in axes if excess[axis] <= WITHIN and not mechanism.axes[axis].hidden),
            alone=key < 0,
        )
        for key, axes in sets.items()
    ]


def _clusters(mechanism: Mechanism) -> dict[int, int]:
    """The cluster of every axis that is connected to others."""
    return {
        motion.axis: index
        for index, cluster in enumerate(mechanism.clusters)
        for joint in (
            *(mechanism.joints[i] for i in cluster.joints),
            *(mechanism.loop_joints[i] for i in cluster.loop_joints),
        )
        for motion in joint.motions
    }


def _report_group(mechanism: Mechanism, start: Start, group: _Group, log: DiagnosticLog) -> None:
    if not group.outside:
        return
    first, *others = group.outside
    info = mechanism.axes[first]
    asked = float(start.asked[first])
    found = float(start.state.position[first])
    message = (
        f"'{info.name}' would start at {asked:.6g} {info.unit}, outside of its limits from {range_text(info)}; "
        f"it starts at {found:.6g}"
    )
    along = [_move(mechanism, start, axis) for axis in (*others, *group.along)]
    if along:
        message += f", which moves {some_of(along, LISTED)}"
    hint = (
        f"give a start within limits: <model_state> in SDFormat, initial_value of <ros2_control> in URDF, or --initial "
        f"{info.name}={found:.6g}"
    )
    where = (info.axis.start_source if info.axis.initial_position else None) or _limit_source(info)
    log.warning(
        "START_OUTSIDE_LIMITS", where, message, hint, fold=_TIED if along else _SINGLE, about=info.name if along else ""
    )


def _move(mechanism: Mechanism, start: Start, axis: int) -> str:
    """`'rocker' from 0 to 0.2`."""
    return f"'{mechanism.axes[axis].name}' from {start.asked[axis]:.6g} to {start.state.position[axis]:.6g}"


def _report_velocities(kinematics: Kinematics, start: Start, asked: Sequence[int], log: DiagnosticLog) -> None:
    """Report velocities above a limit, and an error if couplings and loops do not allow them."""
    # Needs compiled kernels, which other documents do without.
    from simulator.physics.queries.start_velocity import missed_velocities, set_moving

    axes = kinematics.mechanism.axes
    for info in (axes[axis] for axis in asked):
        if abs(info.axis.initial_velocity) > info.axis.velocity:
            message = (
                f"'{info.name}' is to start with {speed_text(info, info.axis.initial_velocity)}, above its velocity "
                "limit; it starts with "
                f"{speed_text(info, math.copysign(info.axis.velocity, info.axis.initial_velocity))}"
            )
            log.warning(
                "START_VELOCITY_ABOVE_LIMIT", info.axis.start_source, message, "lower the velocity, or raise the limit"
            )
    try:
        started = set_moving(kinematics, start.state, {})
    except AssemblyError as error:
        hint = "give a velocity to one of the connected axes; the others follow"
        where = axes[asked[0]].axis.start_source if asked else None
        log.error("START_VELOCITY_IMPOSSIBLE", where, str(error), hint)
        return
    for link, lack in missed_velocities(kinematics, started):
        _report_missed(link, lack, log)
    moving = started.velocity
    for axis, info in enumerate(axes):
        if axis not in asked and abs(moving[axis]) > info.axis.velocity:
            message = (
                f"'{info.name}' would start with {speed_text(info, float(moving[axis]))}, as it moves along, above its "
                f"velocity limit of {speed_text(info, info.axis.velocity)}; the first step brakes it"
            )
            log.warning("START_VELOCITY_ABOVE_LIMIT", _limit_source(info), message, "lower it, or raise the limit")


def _report_missed(link: Link, lack: Array, log: DiagnosticLog) -> None:
    turning, going = (float(np.linalg.norm(part)) for part in (lack[:3], lack[3:]))
    message = (
        f"link '{link.name}' cannot start with the velocity that the document gives it: its joints, loops and "
        f"couplings leave it one that differs by {turning:.3g} rad/s and {going:.3g} m/s"
    )
    hint = "correct the velocity, or leave it out and give velocities to joints"
    source = link.start_velocity.source if link.start_velocity else None
    log.warning("LINK_STATE_INVALID", source, message, hint, fold="missed", about=link.name)


def _limit_source(info: AxisInfo) -> Source | None:
    return info.axis.source or info.source
