"""Drives in the words of the command line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.session.commands.commands import SetDrive
from simulator.session.text.drive_text import parse_drive

if TYPE_CHECKING:
    from simulator.engine.drives import Drive


def drive(text: str) -> Drive:
    """`drive("velocity:sine(1,2)")`."""
    return parse_drive(f"x={text}")[1]


def set_drive(text: str) -> SetDrive:
    """`set_drive("crank=velocity:2")`; nothing behind '=' lets it go."""
    target, _, what = text.rpartition("=")
    return SetDrive(target, None) if not what else SetDrive(*parse_drive(text))


class Runaway:
    """A profile of a user that gives no number."""

    def value(self, time: float) -> float:
        """Not a number."""
        return math.nan

    def rate(self, time: float) -> float:
        """Zero."""
        return 0.0
