"""Numbers of cables, and of constraints that bound their expressions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.parameters import PLACE, Allowed, in_place, with_item, with_parts
from simulator.mechanism.types import CouplingKind
from simulator.model.altered import altered
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.mechanism.loads import BodyCable
    from simulator.mechanism.parameters import Numbered
    from simulator.mechanism.types import Mechanism
    from simulator.model.cables import CablePart
    from simulator.spatial.pose import Pose

SMALL = 1e-9
MOST_PARTS = 32
"""Parts of a cable beyond these have no names."""
CABLE = {
    "length": Allowed("m", SMALL),
    "stiffness": Allowed("N/m", SMALL),
    "damping": Allowed("N·s/m", 0.0),
    "restitution": Allowed("1", 0.0, 1.0),
}
PART = {"radius": Allowed("m", SMALL), "friction": Allowed("1", SMALL), **in_place("at", Allowed("m"))}
OF_CONSTRAINT = {
    "within": ("width", SMALL, math.inf),
    "stiffness": ("stiffness", SMALL, math.inf),
    "damping": ("damping", 0.0, math.inf),
    "restitution": ("restitution", 0.0, 1.0),
}
"""What a number of a constraint is called in its backlash, its least and its greatest value."""


class CableNumbers:
    """Cables by their names, and their parts, `part1`, `part2`, …, as the document has them."""

    owner = "cable"
    fields = (*CABLE, *(f"part{number}.{field}" for number in range(1, MOST_PARTS + 1) for field in PART))

    def names(self, of: Numbered) -> Sequence[str]:
        """Scoped names."""
        return [cable.name for cable in of.mechanism.loads.cables]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """What the document states: a rigid cable has no stiffness, one that rubs nowhere no friction."""
        cable = of.mechanism.loads.cables[index]
        if field in CABLE:
            elastic = cable.stiffness > 0.0
            is_there = field == "length" or elastic is (field in ("stiffness", "damping"))
            return CABLE[field] if is_there else None
        part, name = _part(cable, field)
        if part is None or not part.link or (name == "radius" and not part.is_round):
            return None
        return None if name == "friction" and part.friction == 0.0 else PART[name]

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why a cable has no such number."""
        return f"the document gives the cable '{self.names(of)[index]}' no {field}"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number of the cable or of one of its parts, in the frame of its link."""
        cable = of.mechanism.loads.cables[index]
        if field in CABLE:
            return float(getattr(cable, field))
        part, name = _part(cable, field)
        if name.startswith("at."):
            return part.at[PLACE.index(name[-1])] if part is not None else math.nan
        return float(getattr(part, name))

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The cable with other numbers."""
        cable = of.mechanism.loads.cables[index]
        whole = {field: value for field, value in values.items() if field in CABLE}
        parts, points = list(cable.parts), list(cable.points)
        for number in range(len(parts)):
            prefix = f"part{number + 1}."
            mine = {field.removeprefix(prefix): v for field, v in values.items() if field.startswith(prefix)}
            if mine:
                plain = {name: value for name, value in mine.items() if not name.startswith("at.")}
                part = altered(parts[number], at=with_parts(parts[number].at, mine, "at"), **plain)
                parts[number], points[number] = part, _frame(of, part.link).transform(part.at)
        changed = altered(cable, parts=tuple(parts), points=tuple(points), **whole)
        cables = with_item(of.mechanism.loads.cables, index, changed)
        return replace(of.mechanism, loads=replace(of.mechanism.loads, cables=cables))


def _frame(of: Numbered, name: str) -> Pose:
    """Of a link or a frame, in its body; the identity for the world."""
    return of.places[name][1] if name in of.places else of.frames.get(name, IDENTITY)


def _part(cable: BodyCable, field: str) -> tuple[CablePart | None, str]:
    """The part that a field is of, None where there is no such, and which number of it."""
    which, _, name = field.partition(".")
    number = int(which.removeprefix("part")) - 1
    return (cable.parts[number] if number < len(cable.parts) else None), name


class ConstraintNumbers:
    """Bounds of constraints, and what gives way beyond them, by the constraints' names."""

    owner = "constraint"
    fields = tuple(OF_CONSTRAINT)

    def names(self, of: Numbered) -> Sequence[str]:
        """Constraints in the order of the couplings."""
        return [of.mechanism.couplings[index].name for index in _constraints(of)]

    def allowed(self, of: Numbered, index: int, field: str) -> Allowed | None:
        """What the document states."""
        real = of.mechanism.couplings[_constraints(of)[index]].real
        unit = of.mechanism.axes[of.mechanism.couplings[_constraints(of)[index]].follower].unit
        units = {"within": unit, "stiffness": f"N/{unit}", "damping": f"N·s/{unit}", "restitution": "1"}
        _, lower, upper = OF_CONSTRAINT[field]
        allowed = Allowed(units[field], lower, upper)
        if real.compliance is not None:
            return allowed if field in ("stiffness", "damping") else None
        if real.backlash is None:
            return None
        elastic = real.backlash.stiffness > 0.0
        return allowed if field == "within" or elastic is (field in ("stiffness", "damping")) else None

    def lacking(self, of: Numbered, index: int, field: str) -> str:
        """Why a constraint has no such number."""
        return f"the document gives the constraint '{self.names(of)[index]}' no {field}"

    def read(self, of: Numbered, index: int, field: str) -> float:
        """A number that is stated."""
        real = of.mechanism.couplings[_constraints(of)[index]].real
        if real.compliance is not None:
            return real.compliance.stiffness[0] if field == "stiffness" else real.compliance.damping
        assert real.backlash is not None
        value = float(getattr(real.backlash, OF_CONSTRAINT[field][0]))
        return 0.5 * value if field == "within" else value

    def change(self, of: Numbered, index: int, values: Mapping[str, float]) -> Mechanism:
        """The constraint with other numbers."""
        number = _constraints(of)[index]
        coupling = of.mechanism.couplings[number]
        real = coupling.real
        if real.compliance is not None:
            stiffness = (values["stiffness"],) if "stiffness" in values else real.compliance.stiffness
            damping = values.get("damping", real.compliance.damping)
            real = replace(real, compliance=replace(real.compliance, stiffness=stiffness, damping=damping))
        elif real.backlash is not None:
            new = {OF_CONSTRAINT[field][0]: value for field, value in values.items()}
            if "width" in new:
                new["width"] *= 2.0
            real = replace(real, backlash=replace(real.backlash, **new))
        changed = altered(coupling, real=real)
        return altered(of.mechanism, couplings=with_item(of.mechanism.couplings, number, changed))


def _constraints(of: Numbered) -> list[int]:
    """Numbers of the couplings that are constraints."""
    couplings = of.mechanism.couplings
    return [number for number, coupling in enumerate(couplings) if coupling.kind is CouplingKind.CONSTRAINT]
