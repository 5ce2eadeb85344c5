"""Offers the recording of an interrupted session at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.gui.announcements import LEFTOVER
from simulator.gui.units import number
from simulator.recording.record_file import StoredRecord, leftovers

if TYPE_CHECKING:
    from simulator.gui.main_window import MainWindow


def offer_leftover(window: MainWindow) -> None:
    """Say that there is one, the newest, to be saved or discarded; dismissed, it is offered again next time."""
    found = next(iter(leftovers()), None)
    if found is None:
        return
    first, last = found.store().span()
    text = window.tr("The last session was interrupted. Its recording of {name}, {first} to {last} s, can be saved.")
    text = text.format(name=found.document.name, first=number(first, 3), last=number(last, 3))
    window.notice.say(LEFTOVER, "warning", text, window.tr("Save as CSV…"), lambda: _save(window, found))
    window.notice.offer(window.tr("Discard"), found.delete)


def _save(window: MainWindow, leftover: StoredRecord) -> None:
    if window.dialogs.save_stored(leftover):
        leftover.delete()
    else:
        offer_leftover(window)
