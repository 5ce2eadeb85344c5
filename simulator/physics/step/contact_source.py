"""What finds contacts between the steps of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from simulator.physics.step.block import Journal, Span
    from simulator.spatial.arrays import Array, Ints


class ContactSource(Protocol):
    """Finds contacts between the steps of a block."""

    @property
    def state(self) -> tuple[Array | Ints, ...]:
        """Arrays that the next step needs."""
        ...

    @property
    def begun(self) -> tuple[Array | Ints, ...]:
        """What `state` was before the first step of the last block, and then which coordinates rested, shape (n_rates
        + 1,), and whether steps were those of loose bodies, shape (1,)."""
        ...

    @property
    def is_steered(self) -> bool:
        """Whether a body carries the direction in which another one rubs."""
        ...

    def advance(self, journal: Journal, dt: float, span: Span, slack: float) -> tuple[Ints, Array]:
        """Make steps as `step.blocks.advance_block`; returns the tables of the last one's contacts."""
        ...

    def call_of_steps(self, journal: Journal, span: Span, dt: float, slack: float) -> tuple[Any, tuple[Any, ...]]:
        """The entry that `advance` calls, and its arguments."""
        ...

    def make_spare_room(self, times: int) -> None:
        """So many times the room for contacts."""
        ...
