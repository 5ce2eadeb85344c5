"""Features of a whole document: gravity, models, loads, actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.model.world import World
from simulator.session.other_programs.occurrences import Occurrence, moving_models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.model.world import Model
    from simulator.session.open.opening import Opened

USUAL = 0.02
"""How far [m/s²] a gravity may be from SDFormat's 9.8 downward: programs have that, or 9.81."""


def gravities(opened: Opened) -> Iterator[Occurrence]:
    """A world whose gravity differs from the programs' default, or a model with its own."""
    if max(abs(a - b) for a, b in zip(opened.world.gravity, World().gravity, strict=True)) > USUAL:
        yield Occurrence(opened.world.name, opened.world.source)
    for model in opened.world.models:
        if model.gravity is not None:
            yield Occurrence(model.name, model.source)


def several_models(opened: Opened) -> Iterator[Occurrence]:
    """Every further model that moves and is not nested."""
    found = [model for model in moving_models(opened.world) if "::" not in model.name]
    return (Occurrence(model.name, model.source) for model in found[1:])


def loads(opened: Opened) -> Iterator[Occurrence]:
    """Forces, and springs between points or bodies of a joint."""
    owners: list[World | Model] = [opened.world, *opened.world.models]
    for owner in owners:
        for load in owner.loads:
            yield Occurrence(f"{type(load).__name__} of '{owner.name}'", load.source or owner.source)


def hardware(opened: Opened) -> Iterator[Occurrence]:
    """Blocks of ros2_control."""
    return (Occurrence(one.name, one.source) for model in opened.world.models for one in model.hardware)


def transmissions(opened: Opened) -> Iterator[Occurrence]:
    """Transmissions with a reduction, outside of ros2_control."""
    for model in opened.world.models:
        for one in model.transmissions:
            reductions = [part.reduction for part in one.actuators] + [part.reduction for part in one.joints]
            if any(value != 1.0 for value in reductions):
                yield Occurrence(one.name, one.source)
