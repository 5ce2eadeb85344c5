"""`<physics>` profiles of a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.model.world import Physics

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor

MOST_ITERATIONS = 1_000_000


def read_physics(world: Cursor) -> Physics:
    """The profile with default="true", else the first; SDFormat's defaults where there is none."""
    profiles = list(world.children("physics"))
    chosen = next((profile for profile in profiles if profile.flag("default")), profiles[0] if profiles else None)
    if chosen is None:
        return Physics()
    standard = Physics()
    kind = chosen.get("type", standard.type)
    solver = chosen.descend("bullet" if kind == "bullet" else "ode", "solver")
    return Physics(
        type=kind,
        max_step_size=_step(chosen, standard.max_step_size),
        real_time_factor=chosen.finite("real_time_factor", standard.real_time_factor),
        solver_iterations=_iterations(solver, standard.solver_iterations),
    )


def _step(profile: Cursor, standard: float) -> float:
    step = profile.finite("max_step_size", standard)
    if step > 0.0:
        return step
    profile.log.error(
        "PHYSICS_STEP_INVALID", profile.source, f"max_step_size must be positive, not {step} s", "0.001 is usual"
    )
    return standard


def _iterations(solver: Cursor, standard: int) -> int:
    count = solver.finite("iters", standard)
    if 1.0 <= count <= MOST_ITERATIONS:
        return int(count)
    message = f"<iters> must be from 1 to {MOST_ITERATIONS}, not {count:g}; {standard} is taken"
    solver.log.warning("ELEMENT_INVALID", solver.source, message)
    return standard
