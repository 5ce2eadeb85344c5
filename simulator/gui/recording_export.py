"""Writes a recording with a progress bar, and reports the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QProgressDialog, QWidget

from simulator.gui.exports import WrittenRows, write_chunks
from simulator.gui.fields import scaled
from simulator.gui.units import number

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from simulator.recording.history import History
    from simulator.recording.writing import RowWriter

SOON = 500
"""A recording that takes longer than this to write has a bar [ms]."""


def export(
    window: QWidget, chunks: Iterable[NDArray[np.float64]], total: int, file: RowWriter, path: Path
) -> WrittenRows:
    """Write rows to the `file` at `path`; what was written where the user has cancelled it. Raises UsageError or
    OSError."""
    dialog = QProgressDialog(
        window.tr("Writing {name} …").format(name=path.name), window.tr("Cancel"), 0, max(total, 1), window
    )
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumDuration(SOON)
    dialog.setMinimumWidth(scaled(320))

    def go_on(rows: int) -> bool:
        dialog.setValue(min(rows, total))
        QApplication.processEvents()
        return not dialog.wasCanceled()

    try:
        return write_chunks(chunks, file, go_on)
    finally:
        dialog.close()
        dialog.deleteLater()


def saved_text(window: QWidget, path: Path, written: WrittenRows, history: History | None = None) -> str:
    """What a file has: rows, from when to when, and from when on every step."""
    text = window.tr("{name} saved: {rows} rows, {first} to {last} s.").format(
        name=path.name, rows=written.rows, first=number(written.first, 3), last=number(written.last, 3)
    )
    return text if history is None else f"{text} {thinned_text(window, history)}".strip()


def thinned_text(window: QWidget, history: History) -> str:
    """From when on a recording has every step; empty where it has all."""
    if history.coarsest == 1:
        return ""
    text = window.tr("Every step from {since} s on; before, one of up to {n}, to fit into the space for recordings.")
    return text.format(since=number(history.whole_since, 3), n=history.coarsest)
