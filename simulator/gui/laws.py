"""How a coupling reads: its equation with the numbers filled in, and the names that axes go by in the window."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from simulator.gui.units import MINUS, compact
from simulator.mechanism.types import AxisInfo, Coupling, CouplingKind, Mechanism


def short_names(axes: Sequence[AxisInfo]) -> tuple[str, ...]:
    """Axis names without their model where that leaves them distinct."""
    tails = [axis.name.rsplit("::", 1)[-1] for axis in axes]
    seen = Counter(tails)
    return tuple(tail if seen[tail] == 1 else axis.name for tail, axis in zip(tails, axes, strict=True))


def law_names(coupling: Coupling, axes: Sequence[AxisInfo]) -> tuple[str, ...]:
    """Names for one law: without the model where follower and leader share it, else as short as they stay distinct."""
    models = {axes[axis].name.rpartition("::")[0] for axis in (coupling.follower, coupling.leader)}
    return tail_names(axes) if len(models) == 1 else short_names(axes)


def tail_names(axes: Sequence[AxisInfo]) -> tuple[str, ...]:
    """Axis names without their model, whether distinct or not: for places that show which one is meant."""
    return tuple(axis.name.rsplit("::", 1)[-1] for axis in axes)


def law_text(coupling: Coupling, names: Sequence[str]) -> str:
    """'rack_joint = 0.02 · pinion_joint'; in full, m · (leader − reference) + offset, where one of the two is not zero."""
    follower, leader = names[coupling.follower], names[coupling.leader]
    if coupling.offset == 0.0 and coupling.reference == 0.0:
        return f"{follower} = {_factor(coupling.multiplier)}{leader}"
    inner = f"({leader} {_signed(-coupling.reference)})"
    return f"{follower} = {compact(coupling.multiplier)} · {inner} {_signed(coupling.offset)}"


def kind_text(coupling: Coupling) -> str:
    """What the coupling was written as, with the number of that notation: 'gearbox, ratio 2', 'screw, 5 mm per turn'."""
    if coupling.kind is CouplingKind.GEARBOX:
        return f"gearbox, ratio {compact(-coupling.multiplier)}"
    if coupling.kind is CouplingKind.SCREW:
        return f"screw, {compact(coupling.multiplier * 2.0 * math.pi * 1000.0, 4)} mm per turn"
    return "mimic"


def ideal_position(coupling: Coupling, leader: float) -> float:
    """Where the law puts the follower [rad or m]."""
    return coupling.multiplier * (leader - coupling.reference) + coupling.offset


def root_leader(mechanism: Mechanism, axis: int) -> int:
    """The axis at the end of the chain of leaders; ends also where couplings form a ring."""
    leaders = {coupling.follower: coupling.leader for coupling in mechanism.couplings}
    seen = {axis}
    while axis in leaders and leaders[axis] not in seen:
        axis = leaders[axis]
        seen.add(axis)
    return axis


def _factor(multiplier: float) -> str:
    if multiplier == 1.0:
        return ""
    return MINUS if multiplier == -1.0 else f"{compact(multiplier)} · "


def _signed(value: float) -> str:
    return (
        f"{MINUS} {compact(-value)}"
        if value < 0.0 or (value == 0.0 and math.copysign(1.0, value) < 0)
        else f"+ {compact(value)}"
    )
