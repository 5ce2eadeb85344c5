"""Names of a document are text in the window, not markup, and cannot turn the direction of writing."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.gui.fields import ElidingLabel, PlainLabel, label, tip

NAME = "<img src='/etc/passwd'>\u202eevil\x1b"


@pytest.mark.parametrize("make", [PlainLabel, label, ElidingLabel])
def test_a_label_shows_what_it_is_given(qtbot: QtBot, make: type[PlainLabel]) -> None:
    widget = make(NAME)
    qtbot.addWidget(widget)
    assert widget.textFormat() is Qt.TextFormat.PlainText
    assert widget.text() == r"<img src='/etc/passwd'>\u202eevil\x1b"
    widget.setText("a\nb\u202e")
    assert widget.text() == "a\nb\\u202e"


def test_markup_in_a_tooltip_is_shown() -> None:
    assert tip("plain & simple\nline") == "plain & simple\nline"
    assert tip("<b>x\u202e</b>") == r"<qt>&lt;b&gt;x\u202e&lt;/b&gt;</qt>"
