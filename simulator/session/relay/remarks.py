"""What a relay has to say about what it receives, each with a code that other programs can act on."""

from __future__ import annotations

from simulator.diagnostics import Severity, printable
from simulator.records import dataclass

HELD = {
    "WAITING": "joints that the motion needs have not been received yet",
    "LATE": "joints that the motion needs were received too long ago",
    "OLD_STAMP": "the message is older than one before it",
    "NOT_A_NUMBER": "a position that the motion needs is NaN, infinite or null",
    "OUT_OF_REACH": "couplings and loops do not allow the positions, or no way on the present branch leads to them",
    "CONTRADICTION": "joints that determine each other have positions that exclude each other",
}
"""Errors: the last good state is held."""
FOLLOWED = {
    "NO_POSITION": "the position of a joint that follows from others is NaN, infinite or null",
    "UNKNOWN_JOINT": "the mechanism has no such joint; the others of the message are used",
    "JUMP": "a joint moved so far since the last state that the way between is a guess: a straight one on the branch",
    "BEYOND_LIMIT": "a joint is beyond its limits",
    "SINGULAR": "the joints do not determine velocities and efforts here, which are left out",
    "CLOCK_RESET": "stamps went back by more than a second: a clock began anew",
    "BEHIND": "messages arrive faster than states are computed: the newest is used",
}
"""Warnings: the state follows the message."""
REFUSED = {
    "BAD_JSON": "a line is no JSON object in UTF-8",
    "BAD_MESSAGE": "a message has no usable names and positions",
    "TOO_LONG": "a line is longer than a million bytes",
    "TOO_MANY_CLIENTS": "as many clients are connected as the relay takes",
    "DROPPED": "the client reads more slowly than it is sent to, and missed states",
}
"""Answers to one client alone."""
CODES = {**HELD, **FOLLOWED, **REFUSED}
"""All codes with their meanings."""


@dataclass(frozen=True)
class Remark:
    """One remark; `code` is one of `CODES`."""

    code: str
    message: str

    @property
    def severity(self) -> Severity:
        """An error if the message was not followed."""
        return Severity.WARNING if self.code in FOLLOWED or self.code == "DROPPED" else Severity.ERROR

    @property
    def holds(self) -> bool:
        """Whether the last good state is held."""
        return self.code in HELD

    def as_dict(self) -> dict[str, str]:
        """As it stands in a message."""
        return {"code": self.code, "level": self.severity.value, "message": printable(self.message)}

    def __str__(self) -> str:
        return f"{self.severity.value}[{self.code}]: {printable(self.message)}"
