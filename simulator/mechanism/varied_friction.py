"""Numbers of the brakes and bearings of axes, and of their dry friction that falls with the speed, as far as the
document states them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.parameters import Allowed, with_item
from simulator.mechanism.varied_couplings import SMALL, is_stated, stated_number, why_unstated, with_stated
from simulator.model.altered import altered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism

_UNITS = {
    "brake.friction": ("1", 0.0),
    "brake.radius": ("m", SMALL),
    "brake.faces": ("1", 1.0),
    "brake.force": ("N", -math.inf),
    "brake.limit": ("effort", -math.inf),
    "brake.peak": ("1", 1.0),
    "stribeck.static": ("effort", 0.0),
    "stribeck.speed": ("rate", SMALL),
    "stribeck.exponent": ("1", SMALL),
    "bearing.friction": ("1", 0.0),
    "bearing.radius": ("m", SMALL),
}
"""Unit, or of what it is, and least value of each number."""


class RubbingNumbers:
    """What presses the brake of an axis, how its dry friction falls, and its bearing."""

    owner = "axis"
    fields = tuple(_UNITS)

    def names(self, of: Numbered) -> Sequence[str]:
        """As `mechanism.axes` has them."""
        return [info.name for info in of.mechanism.axes]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """A number that the document states."""
        info = of.mechanism.axes[index]
        if not is_stated(info.axis, field):
            return None
        unit, lower = _UNITS[field]
        return Allowed({"effort": info.effort_unit, "rate": f"{info.unit}/s"}.get(unit, unit), lower)

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why an axis has no such number."""
        return why_unstated(of.mechanism.axes[index].axis, field)

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number that is stated."""
        return stated_number(of.mechanism.axes[index].axis, field)

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Raises UsageError for friction that would rise from rest."""
        info = of.mechanism.axes[index]
        axis = info.axis
        for field, value in values.items():
            axis = with_stated(axis, field, value)
        if axis.stribeck is not None and axis.stribeck.static < axis.friction:
            raise UsageError(
                f"'{info.name}.stribeck.static' must be {axis.friction:g} {info.effort_unit} or more, the friction of "
                f"the axis, not {axis.stribeck.static:g} {info.effort_unit}"
            )
        changed = altered(info, axis=axis)
        return altered(of.mechanism, axes=with_item(of.mechanism.axes, index, changed))
