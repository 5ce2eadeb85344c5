"""Numbers of the losses, play and elasticity of couplings, as far as the document states them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.parameters import Allowed, with_item
from simulator.mechanism.types import MotionKind
from simulator.model.altered import altered
from simulator.model.coupling import thread_efficiencies, with_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.model.coupling import RealCoupling

SHARE, SMALL = 1.0, 1e-9
_ANGLE = 0.5 * math.pi - 1e-6
_UNITS = {
    "efficiency.forward": ("1", SMALL, SHARE),
    "efficiency.backward": ("1", 0.0, SHARE),
    "bearing_friction.forward": ("leader", 0.0, math.inf),
    "bearing_friction.backward": ("leader", 0.0, math.inf),
    "thread.friction": ("1", 0.0, math.inf),
    "thread.flank_angle": ("rad", 0.0, _ANGLE),
    "thread.mean_diameter": ("m", SMALL, math.inf),
    "thread.lead_angle": ("rad", SMALL, _ANGLE),
    "thread.collar_friction": ("1", 0.0, math.inf),
    "thread.collar_diameter": ("m", 0.0, math.inf),
    "backlash.width": ("play", 0.0, math.inf),
    "backlash.restitution": ("1", 0.0, SHARE),
    "backlash.stiffness": ("stiffness", SMALL, math.inf),
    "backlash.damping": ("damping", 0.0, math.inf),
    "compliance.stiffness": ("stiffness", SMALL, math.inf),
    "compliance.damping": ("damping", 0.0, math.inf),
}
"""Unit, or of what it is, least and greatest value of each number."""
UNSTATED = (
    "thread.mean_diameter", "thread.lead_angle", "thread.collar_friction", "thread.collar_diameter",
    "backlash.stiffness", "backlash.damping",
)  # fmt: skip
"""Numbers that are not there where they are 0."""


class RealNumbers:
    """Efficiency, bearing friction, thread, backlash and compliance of a coupling, by its follower."""

    owner = "follower"
    fields = tuple(_UNITS)

    def names(self, of: Numbered) -> Sequence[str]:
        """Followers, in the order of the couplings."""
        return [of.mechanism.axes[coupling.follower].name for coupling in of.mechanism.couplings]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """A number that the document states, but none of a table over the speed."""
        coupling = of.mechanism.couplings[index]
        value = _number(coupling.real, field)
        if value is None or (value == 0.0 and field in UNSTATED):
            return None
        unit, lower, upper = _UNITS[field]
        return Allowed(_unit(unit, coupling, of), lower, upper)

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why a coupling has no such number."""
        part, _, name = field.partition(".")
        stated = getattr(of.mechanism.couplings[index].real, part)
        if stated is not None and isinstance(getattr(stated, name), tuple):
            return f"its {part} is a table over the speed"
        return f"the document states no {name} of a <simulator:{part}>" if stated is None else f"its {part} has none"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number that is stated."""
        value = _number(of.mechanism.couplings[index].real, field)
        return math.nan if value is None else value

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Raises UsageError for a thread that friction would hold both ways."""
        coupling = of.mechanism.couplings[index]
        real = coupling.real
        for field, value in values.items():
            part, _, name = field.partition(".")
            table = isinstance(getattr(getattr(real, part), name), tuple)
            real = with_numbers(real, part, **{name: (value,) if table else value})
        if real.thread is not None:
            try:
                thread_efficiencies(real.thread, coupling.lead)
            except ValueError as error:
                raise UsageError(f"'{self.names(of)[index]}': {error}") from None
        changed = altered(coupling, real=real)
        return altered(of.mechanism, couplings=with_item(of.mechanism.couplings, index, changed))


def _number(real: RealCoupling, field: str) -> float | None:
    """None where it is not stated, or a table."""
    part, _, name = field.partition(".")
    stated = getattr(real, part)
    value = None if stated is None else getattr(stated, name)
    if isinstance(value, tuple):
        return float(value[0]) if len(value) == 1 else None
    return None if value is None else float(value)


def _unit(unit: str, coupling: Coupling, of: Numbered) -> str:
    follower, leader = of.mechanism.axes[coupling.follower], of.mechanism.axes[coupling.leader]
    effort = "N·m" if follower.kind is MotionKind.ROTATION else "N"
    known = {
        "leader": leader.effort_unit,
        "play": follower.unit,
        "stiffness": f"{effort}/{follower.unit}",
        "damping": f"{effort}·s/{follower.unit}",
    }
    return known.get(unit, unit)
