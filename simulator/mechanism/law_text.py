"""The law of a coupling in one line, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.mechanism.types import CouplingKind

if TYPE_CHECKING:
    from simulator.mechanism.types import Coupling, Mechanism


def law(coupling: Coupling, mechanism: Mechanism) -> str:
    """q_f = m·(q_l − reference) + offset, and m·q of every further leader, with the numbers."""
    follower, leader = mechanism.axes[coupling.follower].name, mechanism.axes[coupling.leader].name
    inner = f"({leader} − {coupling.reference:g})" if coupling.reference else leader
    offset = f" + {coupling.offset:g}" if coupling.offset else ""
    factor = f"{coupling.multiplier:.6g}"
    if coupling.kind is CouplingKind.SCREW:
        factor = f"{coupling.multiplier * 2.0 * math.pi:.6g}/2π"
    more = "".join(
        f" {'-' if m < 0.0 else '+'} {abs(m):.6g}·{mechanism.axes[axis].name}" for axis, m in coupling.others
    )
    return f"{follower} = {factor}·{inner}{offset}{more}"
