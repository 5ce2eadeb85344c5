"""Where everything is in a row of numbers that is read off a state, see `step.watch`."""

from __future__ import annotations

from simulator.records import dataclass

ENERGIES = 8
"""Kinetic, potential, work, dissipated, error, loads, contact, overlap."""
LOOSE = 13
"""Of a body on a ball or free joint: pose (7), angular velocity (3), velocity of its origin (3)."""
HINGED = 6
"""Of a ball that is three hinges in the document: angle and rate of each."""
CABLED = 2
"""Of a cable: length and tension."""


@dataclass(frozen=True)
class RowPlaces:
    """Where the parts of a row begin, and how long it is."""

    axes: int
    couplings: int
    loops: int
    actuators: int
    loose: int = 0
    hinged: int = 0
    cables: int = 0

    @property
    def coupling(self) -> int:
        """The first coupling's residual."""
        return 1 + 3 * self.axes

    @property
    def loop(self) -> int:
        """The first loop joint's distance."""
        return self.coupling + self.couplings

    @property
    def energy(self) -> int:
        """The kinetic energy."""
        return self.loop + 2 * self.loops

    @property
    def actuator(self) -> int:
        """The first actuator's position."""
        return self.energy + ENERGIES

    @property
    def body(self) -> int:
        """The first loose body's pose."""
        return self.actuator + 3 * self.actuators

    @property
    def hinge(self) -> int:
        """The angle of the first hinge of a ball."""
        return self.body + LOOSE * self.loose

    @property
    def cable(self) -> int:
        """The first cable's length."""
        return self.hinge + HINGED * self.hinged

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return self.cable + CABLED * self.cables
