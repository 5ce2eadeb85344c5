"""Strategy `gear`: the engine's own gear rows for couplings, its point and weld rows for loops.

Velocity-level rows with a position correction, solved together with contacts, limits and motors by the engine's
iterative solver: two coupled joints are exact to round-off, long trains and loops are as good as its iterations and its
first-order step allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import EngineLimitError
from simulator.mechanism.loops import is_planar
from simulator.mechanism.real_couplings import loose_part

if TYPE_CHECKING:
    from simulator.engine.port import GearRows
    from simulator.mechanism.types import Mechanism


def hold_by_gears(mechanism: Mechanism, engine: GearRows) -> None:
    """Add one gear row for every coupling and the rows of every loop joint. Raises EngineLimitError for what they
    cannot hold."""
    for info in mechanism.axes:
        if info.axis.rubs:
            raise EngineLimitError(
                f"strategy gear has dry friction of one number only: that of '{info.name}' changes ({info.source}); "
                "choose strategy rows"
            )
    for cable in mechanism.loads.cables:
        raise EngineLimitError(f"strategy gear has no cables: '{cable.name}' ({cable.source}); choose strategy rows")
    for coupling in mechanism.couplings:
        if not coupling.is_rigid_law:
            part = "losses, play or elasticity" if coupling.ties else f"a {loose_part(coupling)}"
            raise EngineLimitError(
                f"strategy gear holds ideal couplings only: that of '{mechanism.axes[coupling.follower].name}' has "
                f"{part} ({coupling.source}); choose strategy rows"
            )
        for axis, _ in coupling.terms:
            info = mechanism.axes[axis]
            if not info.in_tree:
                raise EngineLimitError(
                    f"strategy gear cannot couple '{info.name}': joint '{info.joint}' closes a loop ({info.source}); "
                    "mark another joint of that loop <must_be_loop_joint>"
                )
        engine.add_gear(coupling)
    for loop in mechanism.loop_joints:
        engine.add_loop(loop, planar=is_planar(loop, mechanism.joints, mechanism.bodies))
