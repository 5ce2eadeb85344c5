"""Events of the whole program that the window watches: presses, for undo, and the key Space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent

from simulator.gui.focus_keys import space_is_the_controls
from simulator.gui.undo import PRESSES
from simulator.gui.watching import ProgramEvents

if TYPE_CHECKING:
    from simulator.gui.undo import Undo


def program_events(undo: Undo) -> ProgramEvents:
    """Events of the program, which `undo` and controls that have the focus hear of while they are watched."""
    events = ProgramEvents()
    events.listen(undo.see, *PRESSES)
    events.listen(space_is_the_controls, QEvent.Type.ShortcutOverride)
    return events
