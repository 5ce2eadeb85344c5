"""Says in the window of a widget that a file was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QEvent

if TYPE_CHECKING:
    from pathlib import Path

    from PyQt6.QtWidgets import QWidget


class SavedEvent(QEvent):
    """Goes to the window of the widget that wrote a file; `text` is the sentence about it."""

    TYPE = QEvent.Type(QEvent.registerEventType())

    def __init__(self, text: str) -> None:
        super().__init__(self.TYPE)
        self.text = text


def say_saved(widget: QWidget, about: Path | str) -> None:
    """Say that a file was written, by its path or in a sentence of the caller."""
    by_name = QCoreApplication.translate("saved", "{name} saved.")
    text = about if isinstance(about, str) else by_name.format(name=about.name)
    window = widget.window()
    if window is not None:
        QCoreApplication.sendEvent(window, SavedEvent(text))
