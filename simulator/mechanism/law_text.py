"""The law of a coupling in one line, for people."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from simulator.mechanism.types import CouplingKind
from simulator.model.laws import LEADER, LawKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simulator.mechanism.types import Coupling, Mechanism


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def law(coupling: Coupling, mechanism: Mechanism) -> str:
    """q_f = m·(q_l − reference) + offset, and m·q of every further leader, with the numbers."""
    if coupling.curve is not None:
        return curve_text(coupling, [axis.name for axis in mechanism.axes])
    follower, leader = mechanism.axes[coupling.follower].name, mechanism.axes[coupling.leader].name
    inner = f"({leader}{added(-coupling.reference)})" if coupling.reference else leader
    more = summed(((m, mechanism.axes[axis].name) for axis, m in coupling.others), behind=True)
    if coupling.kind is CouplingKind.SCREW:
        pitch = coupling.multiplier * 2.0 * math.pi
        return f"{follower} = {'−' if pitch < 0.0 else ''}{abs(pitch):.6g}/2π·{inner}{added(coupling.offset)}{more}"
    return f"{follower} = {summed([(coupling.multiplier, inner)])}{added(coupling.offset)}{more}"


def curve_text(coupling: Coupling, names: Mapping[int, str] | Sequence[str]) -> str:
    """The equation of a coupling with a curve: q_f = a0 + a1·q_l + a2·q_l² …, q_f = an expression with the leader's
    name, q_f = table of q_l, or an expression of several = 0. `names`: of axes."""
    if coupling.curve is None:
        raise ValueError("a straight law has no curve")
    found = coupling.curve.law
    if found is None:
        bound = coupling.real.half_width
        return f"|{coupling.curve.text}| ≤ {bound:.6g}" if coupling.bounds else f"{coupling.curve.text} = 0"
    follower, leader = names[coupling.follower], names[coupling.leader]
    if found.kind is LawKind.POLYNOMIAL:
        powers = [(a, _power(leader, n)) for n, a in enumerate(found.coefficients) if a or len(found.coefficients) == 1]
        first = powers[0][1] == "" if powers else True
        constant = f"{powers[0][0]:.6g}" if powers and first else "" if powers else "0"
        return f"{follower} = {constant}{summed(powers[1:] if first else powers, behind=bool(constant))}"
    if found.kind is LawKind.TABLE:
        again = ", periodic" if found.periodic else ""
        return f"{follower} = table of {leader} ({len(found.breaks)} rows, {found.interpolation.value}{again})"
    return f"{follower} = {re.sub(rf'(?<![A-Za-z0-9_]){LEADER}(?![A-Za-z0-9_])', lambda _: leader, found.text)}"


def _power(name: str, exponent: int) -> str:
    return "" if exponent == 0 else name if exponent == 1 else name + str(exponent).translate(SUPERSCRIPTS)


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
