"""Mobility and condition of a mechanism in a few lines for people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.condition.singular import NEAR
from simulator.diagnostics import counted, some_of
from simulator.kinematics.closure import motion_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.condition.condition import Condition
    from simulator.condition.loops import FourBarClass, LoopCondition
    from simulator.condition.singular import Singularity
    from simulator.mechanism.types import Mechanism

_LISTED = 8
_FREE = 6
_PART = re.compile(r":[rt][xyz]$")


def condition_lines(mechanism: Mechanism, condition: Condition) -> list[str]:
    """Mobility, loops, independent axes, numbers, and singular, redundant or contradictory rows."""
    lines = [_mobility(mechanism, condition)]
    lines += [f"  {line}" for line in _redundant(condition)]
    if condition.count != condition.rank:
        lines.append(f"  {_rank_difference_text(condition)}")
    lines += _still(condition)
    lines += [f"loop {_loop(loop)}" for loop in condition.loops]
    if condition.K.rows:
        lines.append(f"independent: {_shortened_list(_free_joints_as_one(condition.independent))}")
        lines.append(_numbers(condition))
    lines += [_meeting(mechanism, condition, item) for item in condition.singular]
    if condition.contradictory:
        lines.append(f"contradictory: {_shortened_list(condition.contradictory)} cannot hold together")
    if condition.message:
        lines.append(f"not assembled: {condition.message}")
    return lines


def _mobility(mechanism: Mechanism, condition: Condition) -> str:
    count = mechanism.mobility
    return (
        f"mobility {str(count.count).replace('-', '−')} by count ({counted(count.joint_dof, 'joint freedom')} − "
        f"{counted(count.loop_rows, 'loop row')} − "
        f"{counted(count.coupling_rows, 'coupling')}), {condition.rank} by rank; "
        f"{counted(len(condition.redundant), 'redundant row')}"
    )


def _redundant(condition: Condition) -> list[str]:
    """One line for every joint and reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in condition.redundant:
        said = row.row.removeprefix(f"{row.joint}: ")
        groups.setdefault((row.joint, row.reason), []).append(said)
    lines = [f"redundant: {joint}: {', '.join(rows)} ({reason})" for (joint, reason), rows in groups.items()]
    more = len(lines) - _LISTED
    return lines if more <= 0 else [*lines[:_LISTED], f"redundant: … of {counted(more, 'more joint')}"]


def _rank_difference_text(condition: Condition) -> str:
    difference = condition.rank - condition.count
    if difference > 0:
        return f"{difference} more by rank than by count: the count takes all rows of a loop as independent"
    return f"{-difference} fewer by rank than by count: the loops hold directions that the count takes as free"


def _still(condition: Condition) -> list[str]:
    """Loops that K lets move at first order and that cannot move."""
    return [
        f"the loop closed by {item.loops[0]} cannot move: its rows leave {len(item.columns) - item.rank_here} freedoms "
        "here, to second order none"
        for item in condition.closure.rigid
    ]


def _meeting(mechanism: Mechanism, condition: Condition, singularity: Singularity) -> str:
    """Singular positions, with the motions that meet at a change point."""
    for item in condition.closure.singular:
        if item.motions and singularity.distance == 0.0 and set(singularity.joints) <= set(item.loops):
            if len(item.motions) == 1:
                return (
                    f"the rows of the loop closed by '{item.loops[0]}' hold less here than along the motion: they "
                    f"allow {len(item.columns) - item.rank_here} degrees of freedom, it has {item.mobility}"
                )
            ways = " or ".join(motion_text(mechanism, motion, item.columns) for motion in item.motions)
            return f"{singularity.text}: {ways}"
    return singularity.text


def _loop(loop: LoopCondition) -> str:
    parts = [loop.type, "planar" if loop.planar else "spatial"]
    if loop.four_bar is not None:
        parts.append(_bars(loop.four_bar))
    if loop.branch is not None:
        parts.append(f"assembled {loop.branch}")
    if loop.sign is not None:
        parts.append(f"branch {loop.sign:+d}" if loop.sign else "between its branches")
    return f"{loop.joint}: {', '.join(parts)}"


def _bars(bars: FourBarClass) -> str:
    lengths = ", ".join(f"{'ground' if name == 'world' else name} {length:.4g}" for name, length in bars.lengths)
    shortest = " and ".join("ground" if name == "world" else name for name in bars.shortest)
    return f"{bars.grashof} (shortest: {shortest}; bars {lengths} m)"


def _numbers(condition: Condition) -> str:
    text = (
        f"σ_min {condition.sigma_min:.4g}, condition number {condition.condition_number:.4g}"
        if condition.sigma_min
        else ""
    )
    nearest = condition.distance_to_singularity
    if nearest is None:
        return text
    axis = next((name for name, value in condition.distances.axes if value == nearest), None)
    where = "" if axis is None else f" (dead point of {axis})"
    return f"{text}; distance to singularity {nearest:.3g}{where}, near is below {NEAR:g}"


def _free_joints_as_one(names: Sequence[str]) -> list[str]:
    """All six freedoms of a free joint as one."""
    wholes = [_PART.sub("", name) for name in names]
    return list(
        dict.fromkeys(
            whole if wholes.count(whole) == _FREE else name for whole, name in zip(wholes, names, strict=True)
        )
    )


def _shortened_list(names: Sequence[str]) -> str:
    return some_of(names, _LISTED) if names else "none, nothing can move"
