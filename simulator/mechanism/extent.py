"""How large a structure may be to be analysed: anything larger is refused at once, with a finding, instead of running
for a long time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.diagnostics import Source

MOST_HINGES_PASSED = 250_000
"""Hinges that the search for ways between gears may look at, of all gearboxes of a world together: two thirds of a
second. A train of 1024 gears looks at 3 000."""
MOST_JOINTS_IN_LOOPS = 10_000
"""Joints of all loops of a world together, each counted in every loop that it belongs to: a quarter of a second."""


class TooLargeError(Exception):
    """A structure that is not looked into; `source`: where it is in the document."""

    def __init__(self, message: str, source: Source | None) -> None:
        super().__init__(message)
        self.source = source


@dataclass
class Allowance:
    """What may still be done of `most`; `what` names it in the message."""

    most: int
    what: str
    taken: int = 0

    def take(self, count: int, source: Source | None) -> None:
        """Raises TooLargeError beyond `most`."""
        self.taken += count
        if self.taken > self.most:
            raise TooLargeError(f"{self.what} more than {self.most:,}", source)
