"""Which transmissions exist: the three of ros2_control, and those that installed packages bring.

A package adds its own by subclassing `Transmission` and naming the class in its pyproject.toml, under the name that
documents write:

    [project.entry-points."simulator.transmissions"]
    "my_robot/CableTransmission" = "my_robot.cables:CableTransmission"
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from simulator.errors import UnknownNameError, UsageError
from simulator.transmissions.base import Transmission
from simulator.transmissions.differential import DifferentialTransmission
from simulator.transmissions.four_bar_linkage import FourBarLinkageTransmission
from simulator.transmissions.simple import SimpleTransmission

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "simulator.transmissions"
"""The entry point group."""
PREFIX = "transmission_interface/"
"""What ros2_control writes before the name of a class of its own; older documents leave it away."""
BUILT_IN: Mapping[str, type[Transmission]] = {
    f"{PREFIX}SimpleTransmission": SimpleTransmission,
    f"{PREFIX}DifferentialTransmission": DifferentialTransmission,
    f"{PREFIX}FourBarLinkageTransmission": FourBarLinkageTransmission,
}
OF_OTHERS: Mapping[str, type[Transmission]] = {"pr2_mechanism_model/SimpleTransmission": SimpleTransmission}
"""The same under names of other programs."""


def kind_named(plugin: str, more: Mapping[str, type[Transmission]] | None = None) -> type[Transmission]:
    """The class that a document names. `more` are kinds by name that count beside the built-in and the installed ones.

    Raises UnknownNameError with the names that exist, UsageError if the class of an installed package cannot be used.
    """
    known = {**BUILT_IN, **(more or {})}
    for name in (plugin, PREFIX + plugin):
        if name in known or name in OF_OTHERS:
            return known.get(name) or OF_OTHERS[name]
    installed = entry_points(group=GROUP)
    if plugin not in installed.names:
        raise UnknownNameError("transmission", plugin, {*known, *installed.names})
    try:
        kind = installed[plugin].load()
    except (Exception, SystemExit) as error:  # whatever another package's import raises
        reason = f"it ends the program (exit code {error.code})" if isinstance(error, SystemExit) else error
        raise UsageError(f"the transmission '{plugin}' of an installed package cannot be loaded: {reason}") from error
    if not (isinstance(kind, type) and issubclass(kind, Transmission)):
        raise UsageError(f"the transmission '{plugin}' of an installed package is not a subclass of Transmission")
    for roles in ("ACTUATORS", "JOINTS"):
        named = getattr(kind, roles, None)
        if not (isinstance(named, tuple) and named and all(isinstance(role, str) for role in named)):
            raise UsageError(f"the transmission '{plugin}' of an installed package does not name its {roles}, a tuple")
    return kind
