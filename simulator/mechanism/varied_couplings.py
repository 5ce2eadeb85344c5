"""Numbers of the losses, play, elasticity, freewheels and clutches of couplings, as far as the document states them.

The number of a table, over the speed or the position of the leader, is its largest; another one changes all of it in
proportion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from simulator.errors import UsageError
from simulator.mechanism.parameters import Allowed, with_item
from simulator.mechanism.types import CouplingKind, MotionKind
from simulator.model.altered import altered
from simulator.model.coupling import RealCoupling, thread_efficiencies
from simulator.model.joint import Axis
from simulator.model.profiles import Constant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Coupling, Mechanism

Stated = TypeVar("Stated", RealCoupling, Axis)

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
    "freewheel.pitch": ("play", SMALL, math.inf),
    "freewheel.restitution": ("1", 0.0, SHARE),
    "clutch.friction": ("1", 0.0, math.inf),
    "clutch.radius": ("m", SMALL, math.inf),
    "clutch.faces": ("1", 1.0, math.inf),
    "clutch.force": ("N", -math.inf, math.inf),
    "clutch.limit": ("effort", -math.inf, math.inf),
    "clutch.peak": ("1", 1.0, math.inf),
}
"""Unit, or of what it is, least and greatest value of each number."""
UNSTATED = (
    "thread.mean_diameter", "thread.lead_angle", "thread.collar_friction", "thread.collar_diameter",
    "backlash.stiffness", "backlash.damping", "freewheel.pitch", "clutch.radius", "brake.radius",
    "bearing.radius",
)  # fmt: skip
"""Numbers that are not there where they are 0."""


class RealNumbers:
    """Efficiency, bearing friction, thread, backlash, compliance, freewheel and clutch of a coupling, by its
    follower."""

    owner = "follower"
    fields = tuple(_UNITS)

    def names(self, of: Numbered) -> Sequence[str]:
        """Followers, in the order of the couplings."""
        return [of.mechanism.axes[coupling.follower].name for coupling in of.mechanism.couplings]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """A number that the document states, but none of a profile over time."""
        coupling = of.mechanism.couplings[index]
        if coupling.kind is CouplingKind.CONSTRAINT or not is_stated(coupling.real, field):
            return None
        unit, lower, upper = _UNITS[field]
        return Allowed(_unit(unit, coupling, of), lower, upper)

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why a coupling has no such number."""
        if of.mechanism.couplings[index].kind is CouplingKind.CONSTRAINT:
            return "numbers of a constraint go by its own name"
        return why_unstated(of.mechanism.couplings[index].real, field)

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number that is stated."""
        return stated_number(of.mechanism.couplings[index].real, field)

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """Raises UsageError for a thread that friction would hold both ways."""
        coupling = of.mechanism.couplings[index]
        real = coupling.real
        for field, value in values.items():
            real = with_stated(real, field, value)
        if real.thread is not None:
            try:
                thread_efficiencies(real.thread, coupling.lead)
            except ValueError as error:
                raise UsageError(f"'{self.names(of)[index]}': {error}") from None
        changed = altered(coupling, real=real)
        return altered(of.mechanism, couplings=with_item(of.mechanism.couplings, index, changed))


def is_stated(owner: RealCoupling | Axis, field: str) -> bool:
    """Whether a number `part.name` is stated, and can be another one."""
    value = stated_number(owner, field)
    if field.endswith((".friction", ".faces")) and getattr(getattr(owner, field.partition(".")[0]), "limit", None):
        return False  # a clutch with a limit needs neither
    if field == "freewheel.restitution" and not is_stated(owner, "freewheel.pitch"):
        return False
    return not math.isnan(value) and not (value == 0.0 and field in UNSTATED)


def is_table(real: RealCoupling, field: str) -> bool:
    """Whether a number `part.name` that is stated is a table, over the speed or the position of the leader."""
    part, _, name = field.partition(".")
    value = getattr(getattr(real, part), name)
    return isinstance(value, tuple) and len(value) > 1


def why_unstated(owner: RealCoupling | Axis, field: str) -> str:
    """Why a number cannot be another one."""
    part, _, name = field.partition(".")
    stated = getattr(owner, part)
    value = None if stated is None else getattr(stated, name)
    if isinstance(value, tuple):
        return f"the {name} of its {part} is a table of zeros, which has no proportions"
    if value is not None and not isinstance(value, float):
        return f"the {name} of its {part} is a profile over time"
    return f"the document states no {name} of a <simulator:{part}>" if stated is None else f"its {part} has none"


def stated_number(owner: RealCoupling | Axis, field: str) -> float:
    """A number `part.name`, of a table the largest; nan where it is not stated, a table of zeros or a profile."""
    part, _, name = field.partition(".")
    value = getattr(getattr(owner, part), name, None)
    if isinstance(value, tuple):
        value = max(value) if len(value) == 1 or max(value) > 0.0 else math.nan
    if isinstance(value, Constant):
        value = value.level
    return value if isinstance(value, float) else math.nan


def with_stated(owner: Stated, field: str, value: float) -> Stated:
    """The same with another number `part.name`; of a table all of it changes in proportion."""
    part, _, name = field.partition(".")
    before = getattr(getattr(owner, part), name)
    given: object = Constant(value) if isinstance(before, Constant) else value
    if isinstance(before, tuple):
        given = _in_proportion(before, value)
    return altered(owner, **{part: altered(getattr(owner, part), **{name: given})})


def _in_proportion(numbers: tuple[float, ...], largest: float) -> tuple[float, ...]:
    """Numbers whose largest is that one, in the proportions of others, which are not below 0."""
    if len(numbers) == 1:
        return (largest,)
    most = max(numbers)
    return tuple(largest if number == most else number / most * largest for number in numbers)


def _unit(unit: str, coupling: Coupling, of: Numbered) -> str:
    follower, leader = of.mechanism.axes[coupling.follower], of.mechanism.axes[coupling.leader]
    effort = "N·m" if follower.kind is MotionKind.ROTATION else "N"
    known = {
        "leader": leader.effort_unit,
        "play": follower.unit,
        "effort": follower.effort_unit,
        "stiffness": f"{effort}/{follower.unit}",
        "damping": f"{effort}·s/{follower.unit}",
    }
    return known.get(unit, unit)
