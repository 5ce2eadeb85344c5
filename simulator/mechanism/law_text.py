"""The law of a coupling in one line, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.mechanism.types import CouplingKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.types import Coupling, Mechanism


def law(coupling: Coupling, mechanism: Mechanism) -> str:
    """q_f = m·(q_l − reference) + offset, and m·q of every further leader, with the numbers."""
    follower, leader = mechanism.axes[coupling.follower].name, mechanism.axes[coupling.leader].name
    inner = f"({leader}{added(-coupling.reference)})" if coupling.reference else leader
    more = summed(((m, mechanism.axes[axis].name) for axis, m in coupling.others), behind=True)
    if coupling.kind is CouplingKind.SCREW:
        pitch = coupling.multiplier * 2.0 * math.pi
        return f"{follower} = {'−' if pitch < 0.0 else ''}{abs(pitch):.6g}/2π·{inner}{added(coupling.offset)}{more}"
    return f"{follower} = {summed([(coupling.multiplier, inner)])}{added(coupling.offset)}{more}"


def summed(terms: Iterable[tuple[float, str]], *, behind: bool = False) -> str:
    """2·a − b + 0.5·c of (factor, name); `behind` other terms it begins with its sign."""
    text = ""
    for factor, name in terms:
        size = "" if abs(factor) == 1.0 else f"{abs(factor):.6g}·"
        first = not (text or behind)
        text += ("−" if first else " − ") if factor < 0.0 else ("" if first else " + ")
        text += size + name
    return text


def added(value: float) -> str:
    """A constant behind other terms; nothing where it is 0."""
    return f" {'−' if value < 0.0 else '+'} {abs(value):.6g}" if value else ""
