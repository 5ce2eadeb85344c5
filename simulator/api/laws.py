"""Other laws for the followers of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.coupling_law import with_law
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.api.core import Core


def exchanged(core: Core, follower: str, law: str | Sequence[float]) -> Core:
    """See `Simulation.with_law`."""
    axis = find_axis(core.mechanism, follower)
    index = next((i for i, coupling in enumerate(core.mechanism.couplings) if coupling.follower == axis), None)
    if index is None:
        followers = [core.mechanism.axes[coupling.follower].name for coupling in core.mechanism.couplings]
        raise UsageError(f"'{follower}' follows no other joint; those that do: {', '.join(followers) or 'none'}")
    changed = with_law(core.mechanism, index, law if isinstance(law, str) else tuple(map(float, law)))
    return core.exchanged(core.opened.with_mechanism(changed), core.assembled(), moves=True)
