"""State that survives when a document is read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.types import Mechanism
from simulator.records import dataclass
from simulator.session.commands.commands import Resume

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.recording.history import History
    from simulator.session.run.client import SimulationClient


@dataclass(frozen=True, eq=False)
class Left:
    """State of a simulation when its document was read again: its newest snapshot, its mechanism with the laws of that
    moment, its channels and its recording."""

    snapshot: Snapshot
    mechanism: Mechanism
    names: tuple[str, ...]
    history: History


def left_by(client: SimulationClient, mechanism: Mechanism) -> Left | None:
    """The state to continue from; None before the first snapshot."""
    snapshot, _ = client.poll()
    if snapshot is None:
        return None
    names = tuple(channel.name for channel in client.channels)
    return Left(snapshot, mechanism, names, client.history.copy())


def go_on(client: SimulationClient, mechanism: Mechanism, left: Left) -> bool:
    """Let a new simulation continue from the state of another, with its recording, if both have the same coordinates.
    Returns whether it does."""
    names = tuple(channel.name for channel in client.channels)
    if names != left.names or not same_positions(left.mechanism, mechanism):
        return False
    client.history.take_over(left.history)
    client.send(Resume(left.snapshot, fresh=True))
    return True


def same_positions(before: Mechanism, now: Mechanism) -> bool:
    """Whether positions of one are positions of the other: the same joints at the same places, and the same laws.
    Masses, limits and drives may differ."""
    return (before.joints, before.loop_joints, before.couplings) == (now.joints, now.loop_joints, now.couplings) and [
        axis.name for axis in before.axes
    ] == [axis.name for axis in now.axes]
