"""Losses, play and elasticity of a coupling → our elements, see `sdf.real_coupling`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import BACKLASH, BEARING_FRICTION, COMPLIANCE, EFFICIENCY, THREAD
from simulator.formats.sdf.real_coupling import STIFF
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.coupling import Backlash

if TYPE_CHECKING:
    from simulator.formats.nodes import Node
    from simulator.model.coupling import RealCoupling

TAGS = {
    "efficiency": EFFICIENCY,
    "bearing_friction": BEARING_FRICTION,
    "thread": THREAD,
    "backlash": BACKLASH,
    "compliance": COMPLIANCE,
}
"""The element of each part of a `RealCoupling`."""
_KEPT = ("forward", "backward", "friction", "width", STIFF)
"""Attributes that are written whatever they are."""


def real_coupling_nodes(real: RealCoupling) -> list[Node]:
    """The elements that say it."""
    return [
        element(tag, **_attributes(getattr(real, part)))
        for part, tag in TAGS.items()
        if getattr(real, part) is not None
    ]


def _attributes(part: object) -> dict[str, str]:
    texts = {}
    for name, value in asdict(part).items():  # type: ignore[call-overload]
        text = numbers_text(value) if isinstance(value, tuple) else number_text(value)
        if value or (name in _KEPT and not (name == STIFF and isinstance(part, Backlash))):
            texts[name] = text
    return texts
