"""What other formats have no place for, and how a robot in them is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import some_of
from simulator.model.cables import Cable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.model.joint import Joint
    from simulator.model.world import Model, World


NAMED = 4
"""So many names are in one message."""


def cables_in(world: World) -> list[Cable]:
    """All cables of a world."""
    loads = (*world.loads, *(load for model in world.models for load in model.loads))
    return [load for load in loads if isinstance(load, Cable)]


def report_left_out(world: World, code: str, place: str, log: DiagnosticLog, *, written: int = 0) -> None:
    """Report the loads and drives of a world, but for those that are `written`, and bars whose visuals are drawn longer
    or shorter than their shapes; `place`: the format, as in "have no place in a URDF"."""
    bars = [link for model in world.models for link in model.links if link.bar is not None]
    if bars:
        names = some_of([link.name for link in bars], NAMED)
        message = f"stretched bars have no place in {place}: shapes of {names} are written as they are"
        log.warning(code, bars[0].source, message)
    count = len(world.loads) + sum(len(model.loads) for model in world.models) - written
    if count:
        log.warning(code, world.source, f"{count} loads have no place in {place} and are left out")
    if world.drives:
        log.info(code, world.source, f"drives that the world is shown with have no place in {place}")


def report_real_joints(joints: Iterable[Joint], code: str, place: str, log: DiagnosticLog) -> None:
    """Report what joints and their couplings have beside ideal laws: losses, play and elasticity are left out, and
    whole couplings with a freewheel or a clutch; of dry friction the number of SDFormat remains."""
    for joint in joints:
        lacking = f"joint '{joint.name}': {place} has no"
        mimics = [axis.mimic for axis in joint.axes if axis.mimic is not None]
        for real in (joint.coupling, *(mimic.coupling for mimic in mimics)):
            if real.slips:
                message = f"{lacking} freewheels and clutches; it turns freely"
                log.warning(code, joint.source, message, fold="clutch", about=joint.name)
            elif not real.is_ideal:
                message = f"{lacking} losses, play and elasticity of couplings; its law is ideal"
                log.warning(code, joint.source, message, fold="real", about=joint.name)
        if any(axis.rubs for axis in joint.axes):
            message = f"{lacking} brakes and no friction that depends on speed or load; they are left out"
            log.warning(code, joint.source, message, fold="rubbing", about=joint.name)


def report_bounds(world: World, code: str, place: str, log: DiagnosticLog) -> None:
    """Report constraints that keep an expression within bounds: they are left out."""
    owners: list[World | Model] = [world, *world.models]
    for constraint in (one for owner in owners for one in owner.constraints):
        if constraint.coupling.backlash is not None:
            message = f"the bounds of the constraint '{constraint.name}' have no place in {place}: it is left out"
            log.warning(code, constraint.source or world.source, message, fold="bounds", about=constraint.name)


def robot_name(world: World) -> str:
    """The name of the only model that moves, or else of the world."""
    moving = [model.name for model in world.models if not model.static]
    return moving[0] if len(moving) == 1 else world.name
