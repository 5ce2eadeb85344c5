"""Losses, play, elasticity, freewheel and clutch of a coupling, and dry friction of an axis → our elements, see
`sdf.real_coupling`."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.extensions import (
    BACKLASH,
    BEARING,
    BEARING_FRICTION,
    BRAKE,
    CLUTCH,
    COMPLIANCE,
    EFFICIENCY,
    FREEWHEEL,
    STRIBECK,
    THREAD,
)
from simulator.formats.sdf.real_coupling import STIFF
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.coupling import Backlash

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from simulator.formats.nodes import Node
    from simulator.model.coupling import RealCoupling
    from simulator.model.joint import Axis
    from simulator.model.profiles import Profile

TAGS = {
    "efficiency": EFFICIENCY,
    "bearing_friction": BEARING_FRICTION,
    "thread": THREAD,
    "backlash": BACKLASH,
    "compliance": COMPLIANCE,
    "freewheel": FREEWHEEL,
    "clutch": CLUTCH,
}
"""The element of each part of a `RealCoupling`."""
RUBBING_TAGS = {"stribeck": STRIBECK, "brake": BRAKE, "bearing": BEARING}
"""The element of each part of an axis' dry friction."""
_KEPT = ("forward", "backward", "width", "static", "speed", "exponent", "direction", STIFF)
"""Attributes that are written whatever they are."""
_FRICTION = "friction"
"""Of a thread, and of a clutch that has a force."""


def real_coupling_nodes(real: RealCoupling) -> list[Node]:
    """The elements that say it."""
    return [
        element(tag, **_attributes(getattr(real, part)))
        for part, tag in TAGS.items()
        if getattr(real, part) is not None
    ]


def rubbing_nodes(axis: Axis) -> list[Node]:
    """The elements that state the dry friction of an axis beside its number."""
    stated = ((tag, getattr(axis, part)) for part, tag in RUBBING_TAGS.items())
    return [element(tag, **_attributes(part)) for tag, part in stated if part is not None]


def _attributes(part: DataclassInstance) -> dict[str, str]:
    texts = {}
    for item in fields(part):
        name, value = item.name, getattr(part, item.name)
        if value is None or (name not in _KEPT and value == item.default and not _is_stated(part, name)):
            continue
        if name == STIFF and isinstance(part, Backlash) and not value:
            continue
        texts[name] = _text(value)
    return texts


def _is_stated(part: DataclassInstance, name: str) -> bool:
    """Whether a friction of 0 is to be written."""
    return name == _FRICTION and getattr(part, "limit", None) is None


def _text(value: tuple[float, ...] | float | Profile) -> str:
    if isinstance(value, tuple):
        return numbers_text(value)
    return number_text(value) if isinstance(value, float) else format_profile(value)
