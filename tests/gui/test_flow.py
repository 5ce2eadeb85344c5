"""Bars whose things go on in another line where one is too short."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.docks.flow import FlowLayout


@pytest.fixture
def bar(qtbot: QtBot) -> tuple[QWidget, list[QWidget]]:
    """Two wide things, then at the right end of a line what is left out where that saves one, and two more; 10 px high,
    10 px apart."""
    parent = QWidget()
    qtbot.addWidget(parent)
    row, made = FlowLayout(parent, margin=10, spacing=10), []
    for number, width in enumerate((200, 200, 90, 60, 60)):
        widget = QWidget()
        widget.setFixedSize(width, 10)
        made.append(widget)
        if number == 2:
            row.spring()
            row.add_spare(widget)
        else:
            row.addWidget(widget)
    return parent, made


@pytest.mark.parametrize(
    ("width", "lines", "spared"),
    [
        (700, [5], False),  # 200 + 200 + 90 + 60 + 60 + 4 * 10, and a margin of 10 on either side: 670
        (600, [4], True),  # without the 90 and its 10: 570
        (500, [2, 3], False),  # two lines in any case: all may stay
        (360, [2, 3], False),  # 200 + 90 and 200 + 60 + 60: the 90 goes back to the line above
        (330, [2, 2], True),  # 200 + 60 in each
        (250, [1, 1, 3], False),
    ],
)
def test_what_saves_a_line_is_left_out(
    bar: tuple[QWidget, list[QWidget]], width: int, lines: list[int], spared: bool
) -> None:
    parent, widgets = bar
    parent.resize(width, 100)
    parent.show()
    seen = [widget.geometry() for widget in widgets if widget.geometry().top() >= 0]
    heights = sorted({box.top() for box in seen})
    assert [sum(box.top() == top for box in seen) for top in heights] == lines
    assert (len(seen) == 4) is spared
    assert all(parent.rect().contains(box) for box in seen)
    assert seen[-1].right() == width - 10 - 1, "at the right end"
