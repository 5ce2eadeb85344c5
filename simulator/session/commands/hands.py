"""The hand on a running simulation: commands about links become holds on bodies, and an obstacle becomes a
sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.hand import Hand, Hold
from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.dragging import Dragged, Hindrance, Sight
from simulator.mechanism.placed_loads import place_on_body
from simulator.mechanism.types import WORLD_BODY
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism
    from simulator.session.commands.commands import Pull


@dataclass(frozen=True)
class HandStatus:
    """A hand on `link`. `force`: that of its spring [N], None if it moves the mechanism without time; `gap`:
    distance of the point from the line of sight [m]; `stopped`: by what, in a sentence; empty if it is merely
    out of reach."""

    link: str
    force: float | None = None
    gap: float = 0.0
    stopped: str = ""


class Hands:
    """The hand on one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._hand = engine, Hand(engine)
        self._link, self._dragged = "", None  # type: tuple[str, Dragged | None]

    def pull(self, command: Pull, *, in_time: bool) -> None:
        """Carry out a command; `in_time`: simulated time passes. Raises UsageError for a link that does not move and
        for an invalid place, direction or strength."""
        hold = self._hold_of(command)
        along = np.array(command.along, dtype=float)
        length = float(np.linalg.norm(along))
        if not (np.isfinite([*command.target, *command.at, length]).all() and length > 0.0 and command.strength > 0.0):
            raise UsageError("a hand needs a finite place and direction, and a strength above 0")
        self._link = command.link
        if in_time:
            self._dragged = None
            self._hand.pull(hold, command.target)
        else:
            self._dragged = self._hand.drag(hold, Sight(np.array(command.target, dtype=float), along / length))

    def let_go(self) -> None:
        """Release the link."""
        self._link, self._dragged = "", None
        self._hand.let_go()

    def status(self, snapshot: Snapshot) -> HandStatus | None:
        """State of the hand; None if it holds nothing."""
        if not self._link:
            return None
        if self._dragged is None:
            return HandStatus(self._link, self._hand.force(snapshot))
        return HandStatus(self._link, None, self._dragged.gap, stopped_text(self._engine.mechanism, self._dragged))

    def _hold_of(self, command: Pull) -> Hold:
        mechanism = self._engine.mechanism
        links = mechanism.link_bodies()
        if command.link not in links:
            raise UnknownNameError("link", command.link, links)
        if links[command.link] == WORLD_BODY:
            raise UsageError(f"'{command.link}' is fixed to the world and cannot be moved")
        body, point, _ = place_on_body(command.link, command.at, mechanism.bodies)
        return Hold(body, point, command.strength)


def stopped_text(mechanism: Mechanism, dragged: Dragged) -> str:
    """The obstacle to a point that is dragged by hand, in a sentence; empty if there is none."""
    infos = [mechanism.axes[axis] for axis in dragged.axes]
    names = ", ".join(f"'{info.name}'" for info in infos)
    if dragged.hindrance is Hindrance.LIMIT:
        ends = [
            min((info.axis.lower, info.axis.upper), key=lambda end: abs(end - dragged.state.position[axis]))
            for axis, info in zip(dragged.axes, infos, strict=True)
        ]
        listed = ", ".join(f"{end:.6g} {info.unit}" for end, info in zip(ends, infos, strict=True))
        return f"{names} {'is at its limit of' if len(infos) == 1 else 'are at their limits of'} {listed}"
    if dragged.hindrance is Hindrance.DEAD_POINT:
        return f"{names or 'the mechanism'} is at a dead point and cannot move further this way"
    if dragged.hindrance is Hindrance.IMMOVABLE:
        return "couplings, loops and joints allow this point no motion across the line of sight"
    return ""
