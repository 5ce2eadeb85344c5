"""Where the parts of a recorded row are, for a mechanism with actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled.watch import RowPlaces

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators


def places_of(mechanism: Mechanism, actuators: Actuators) -> RowPlaces:
    """Where the parts of a row are."""
    return RowPlaces(len(mechanism.axes), len(mechanism.couplings), len(mechanism.loop_joints), len(actuators))
