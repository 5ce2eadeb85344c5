"""A moment of an engine that can be restored."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.engine.snapshot import Snapshot
    from simulator.physics.compiled.bounded import Memory


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The result of `Engine.checkpoint`: the snapshot, and the state that it does not show.

    `strategy`, `laws` and `changed` (see `Engine`) are those of the moment; `energy_at_start` [J] is what the ledger is
    balanced against; `memory` is the whole state of compiled dynamics, None if there are none. A snapshot alone
    restores a moment to round-off: its positions are projected onto closed loops once more.
    """

    snapshot: Snapshot
    strategy: str
    laws: Mapping[int, tuple[float, ...] | str]
    energy_at_start: float
    memory: Memory | None
    changed: Mapping[str, float] = field(default_factory=dict)
