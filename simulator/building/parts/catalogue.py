"""Mechanisms by their parameters: `simulator.parts.spur_gears(module=0.002, teeth=(20, 40))`.

Each function gives a draft of a document. Lengths [m], angles [rad]. What cannot be made raises UsageError, which says
what can. `KINDS` has them by name, in groups, for `simulator new`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from simulator.building.parts.cam import CamLaw, CamProfile, cam_profile, rise_and_fall
from simulator.building.parts.export import save_dxf, save_stl
from simulator.building.parts.gear_kinds import (
    belt_drive,
    bevel_gears,
    differential,
    gear_train,
    internal_gears,
    planetary,
    rack_and_pinion,
    spur_gears,
    worm_gears,
)
from simulator.building.parts.gears import bevel_shape, gear_shape, outline_shape, rack_shape, ring_shape, worm_shape
from simulator.building.parts.involute import InvoluteGear, Meshing, RingGear, external_meshing, rack_outline
from simulator.building.parts.linkage_kinds import (
    excavator,
    five_bar,
    four_bar,
    grashof_class,
    hoeken,
    pantograph,
    peaucellier,
    quick_return,
    rack_steering,
    scissor_lift,
    slider_crank,
    stephenson,
    watt,
)
from simulator.building.parts.space_kinds import bennett, delta, gripper, hooke_shaft, sarrus, stewart
from simulator.building.parts.step_kinds import cam, geneva, ratchet
from simulator.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.draft import Draft

__all__ = [
    "KINDS",
    "CamLaw",
    "CamProfile",
    "InvoluteGear",
    "Meshing",
    "RingGear",
    "belt_drive",
    "bennett",
    "bevel_gears",
    "bevel_shape",
    "cam",
    "cam_profile",
    "delta",
    "differential",
    "excavator",
    "external_meshing",
    "five_bar",
    "four_bar",
    "gear_shape",
    "gear_train",
    "geneva",
    "grashof_class",
    "gripper",
    "hoeken",
    "hooke_shaft",
    "internal_gears",
    "kind_named",
    "outline_shape",
    "pantograph",
    "parameters_of",
    "peaucellier",
    "planetary",
    "quick_return",
    "rack_and_pinion",
    "rack_outline",
    "rack_shape",
    "rack_steering",
    "ratchet",
    "ring_shape",
    "rise_and_fall",
    "sarrus",
    "save_dxf",
    "save_stl",
    "scissor_lift",
    "slider_crank",
    "spur_gears",
    "stephenson",
    "stewart",
    "watt",
    "worm_gears",
    "worm_shape",
]

GROUPS: dict[str, tuple[Callable[..., Draft], ...]] = {
    "gears and belts": (
        spur_gears,
        gear_train,
        internal_gears,
        planetary,
        rack_and_pinion,
        bevel_gears,
        worm_gears,
        belt_drive,
        differential,
    ),
    "steps and cams": (cam, geneva, ratchet),
    "planar linkages": (
        four_bar,
        slider_crank,
        quick_return,
        watt,
        stephenson,
        hoeken,
        peaucellier,
        pantograph,
        scissor_lift,
        five_bar,
        rack_steering,
        excavator,
    ),
    "in space": (sarrus, bennett, delta, stewart, hooke_shaft, gripper),
}
"""What can be made, by what it is."""
KINDS: dict[str, Callable[..., Draft]] = {kind.__name__: kind for kinds in GROUPS.values() for kind in kinds}
"""What can be made, by name."""


def kind_named(name: str) -> Callable[..., Draft]:
    """A kind by its name; hyphens are underscores. Raises UnknownNameError."""
    wanted = name.replace("-", "_")
    if wanted not in KINDS:
        raise UnknownNameError("kind of mechanism", name, KINDS)
    return KINDS[wanted]


def parameters_of(kind: Callable[..., Draft]) -> dict[str, object]:
    """The parameters of a kind with their defaults."""
    return {name: item.default for name, item in inspect.signature(kind).parameters.items()}


def summary_of(kind: Callable[..., Draft]) -> str:
    """The first sentence of what is said about a kind."""
    text = " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())
    return text.partition(". ")[0].rstrip(".")
