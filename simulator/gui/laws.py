"""Text of couplings: equations with the numbers filled in, and the names of axes in the window."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PyQt6.QtCore import QCoreApplication

from simulator.gui.units import MINUS, compact
from simulator.mechanism.book_law import BookLaw, book_law
from simulator.mechanism.law_text import curve_text
from simulator.mechanism.types import AxisInfo, Coupling, CouplingKind, Mechanism
from simulator.model.names import distinct_tails

Names = Mapping[int, str] | Sequence[str]
"""Names by axis index."""


def short_names(axes: Sequence[AxisInfo]) -> tuple[str, ...]:
    """Axis names without their model where that leaves them distinct."""
    return distinct_tails([axis.name for axis in axes])


def law_names(coupling: Coupling, axes: Sequence[AxisInfo]) -> Names:
    """Names for one law: without the model where follower and leaders share it, else as short as they stay distinct."""
    split = {axis: axes[axis].name.rpartition("::") for axis, _ in coupling.terms}
    if len({model for model, _, _ in split.values()}) == 1:
        return {axis: tail for axis, (_, _, tail) in split.items()}
    return short_names(axes)


def law_text(coupling: Coupling, names: Names) -> str:
    """'rack_joint = 0.02 · pinion_joint'; in full, m · (leader − reference) + offset, without those that are zero;
    further leaders come last: 'ring_joint = −0.5 · sun_joint + 1.5 · carrier_joint'."""
    if coupling.curve is not None:
        return curve_text(coupling, names)
    follower, leader = names[coupling.follower], names[coupling.leader]
    more = "".join(f" {_added(multiplier)}{names[axis]}" for axis, multiplier in coupling.others)
    term = f"({leader} {_signed(-coupling.reference)})" if coupling.reference else leader
    constant = f" {_signed(coupling.offset)}" if coupling.offset else ""
    return f"{follower} = {_factor(coupling.multiplier)}{term}{constant}{more}"


def written_law(coupling: Coupling, names: Names) -> str:
    """The law as a book writes it, `book_text`; the equation of one that is not a straight line."""
    return law_text(coupling, names) if coupling.curve is not None else book_text(book_law(coupling), names)


def book_text(law: BookLaw, names: Names) -> str:
    """'left_joint + right_joint = 2 · cage_joint'; 'rack_joint = 0.02 · pinion_joint − 0.1'."""
    left, right = _sum(law.left, names), _sum(law.right, names)
    if law.constant == 0.0:
        return f"{left} = {right or 0}"
    return f"{left} = {right} {_signed(law.constant)}" if right else f"{left} = {compact(law.constant)}"


def _sum(terms: Sequence[tuple[int, float]], names: Names) -> str:
    text = ""
    for axis, factor in terms:
        text += f" {_added(factor)}{names[axis]}" if text else f"{_factor(factor)}{names[axis]}"
    return text


def kind_text(coupling: Coupling) -> str:
    """What the coupling was written as, with the number of that notation: 'gearbox, ratio 2', 'screw, 5 mm per turn'; a
    gearbox whose reference body turns: 'gearbox of 3 joints'."""
    if coupling.curve is not None and coupling.curve.law is not None:
        return _tr(coupling.curve.law.kind.value)
    if coupling.others:
        return _tr("{kind} of {n} joints").format(kind=_tr(coupling.kind.value), n=len(coupling.terms))
    if coupling.kind is CouplingKind.GEARBOX:
        return _tr("gearbox, ratio {ratio}").format(ratio=compact(-coupling.multiplier))
    if coupling.kind is CouplingKind.SCREW:
        pitch = compact(coupling.multiplier * 2.0 * math.pi * 1000.0, 4)
        return _tr("screw, {pitch} mm per turn").format(pitch=pitch)
    return _tr("mimic")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Laws", text)


def actuator_law(terms: Sequence[tuple[int, float]], constant: float, names: Names) -> str:
    """The position of an actuator from those of joints: '50 · shoulder_joint + 47.9966'."""
    text = _sum(terms, names)
    return f"{text} {_signed(constant)}" if constant else text


def root_leaders(mechanism: Mechanism) -> dict[int, int]:
    """For every follower axis the axis at the end of its chain of (first) leaders; a chain ends also where couplings
    form a ring."""
    leaders = {coupling.follower: coupling.leader for coupling in mechanism.couplings}
    roots: dict[int, int] = {}
    for follower in leaders:
        chain = [follower]
        while chain[-1] not in roots and chain[-1] in leaders and leaders[chain[-1]] not in chain:
            chain.append(leaders[chain[-1]])
        root = roots.get(chain[-1], chain[-1])
        roots.update(dict.fromkeys(chain[:-1], root))
    return roots


def _factor(multiplier: float) -> str:
    if multiplier == 1.0:
        return ""
    return MINUS if multiplier == -1.0 else f"{compact(multiplier)} · "


def _added(multiplier: float) -> str:
    return f"{MINUS if multiplier < 0.0 else '+'} {_factor(abs(multiplier))}"


def _signed(value: float) -> str:
    return f"{MINUS} {compact(-value)}" if value < 0.0 else f"+ {compact(value)}"
