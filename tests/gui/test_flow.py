"""Bars that wrap to another line if one is too short."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.panels.flow import FlowLayout


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


def test_the_tab_key_reads_line_by_line(qtbot: QtBot) -> None:
    """Also where what is behind the spring went back to the first line, and when there is one line again; what is
    before and after the bar stays there."""
    parent = QWidget()
    qtbot.addWidget(parent)
    before, bar, after = QPushButton(parent), QWidget(parent), QPushButton(parent)
    row = FlowLayout(bar, margin=10, spacing=10)
    pair = QWidget()
    inside = QHBoxLayout(pair)
    buttons = [QPushButton() for _ in range(5)]
    inside.addWidget(buttons[0])
    inside.addWidget(buttons[1])
    for number, widget in enumerate((pair, *buttons[2:])):
        widget.setFixedSize((200, 200, 90, 60)[number], 40)
        if number == 2:
            row.spring()
        row.addWidget(widget)
    parent.resize(900, 300)
    parent.show()

    def order() -> list[QWidget]:
        found, at = [], before
        while at is not None and (at is not before or not found):
            found.append(at)
            at = at.nextInFocusChain()
        return [widget for widget in found if isinstance(widget, QPushButton)]

    QWidget.setTabOrder(before, buttons[0])
    QWidget.setTabOrder(buttons[4], after)
    for width, expected in ((700, [0, 1, 2, 3, 4]), (330, [0, 1, 3, 2, 4]), (700, [0, 1, 2, 3, 4])):
        bar.setGeometry(0, 0, width, 200)
        assert order() == [before, *(buttons[number] for number in expected), after]
        places = [button.mapTo(bar, button.rect().center()) for button in order()[1:-1]]
        assert places == sorted(places, key=lambda place: (place.y() // 40, place.x()))
