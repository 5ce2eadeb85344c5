"""What other formats have no place for, and how a robot in them is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.model.world import World


def report_left_out(world: World, code: str, place: str, log: DiagnosticLog) -> None:
    """Report the loads and drives of a world; `place`: the format, as in "have no place in a URDF"."""
    count = len(world.loads) + sum(len(model.loads) for model in world.models)
    if count:
        log.warning(code, world.source, f"{count} loads have no place in {place} and are left out")
    if world.drives:
        log.info(code, world.source, f"drives that the world is shown with have no place in {place}")


def robot_name(world: World) -> str:
    """The name of the only model that moves, or else of the world."""
    moving = [model.name for model in world.models if not model.static]
    return moving[0] if len(moving) == 1 else world.name
