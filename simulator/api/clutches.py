"""Engage clutches and brakes of a simulation while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.api.drives import profile_of
from simulator.errors import UsageError
from simulator.mechanism.clutches import engaged, names_of_clutches
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from simulator.api.core import Core
    from simulator.api.drives import Value


def engage(core: Core, name: str, value: Value) -> None:
    """See `Simulation.engage`."""
    mechanism = core.mechanism
    axis = find_axis(mechanism, name)
    profile = profile_of(value)
    changed = engaged(mechanism, axis, profile)
    if changed is None:
        known = ", ".join(names_of_clutches(mechanism)) or "none"
        raise UsageError(f"'{name}' has neither a clutch nor a brake; those that do: {known}")
    core.send()
    engine = core.ready()
    now = engaged(engine.mechanism, axis, profile)
    assert now is not None
    engine.change_inputs(now)
    core.use_opened(core.opened.with_mechanism(changed))
