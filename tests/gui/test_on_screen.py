"""The window and the frame around it are on the screen when it opens."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QMargins, QRect

from simulator.gui.on_screen import within

SCREEN = QRect(0, 0, 1600, 1000)
FRAME = QMargins(1, 19, 1, 5)


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        (QRect(1, 19, 1600, 1000), QRect(1, 19, 1598, 976)),
        (QRect(0, 0, 1600, 1000), QRect(1, 19, 1598, 976)),
        (QRect(200, 100, 900, 600), QRect(200, 100, 900, 600)),
        (QRect(900, 500, 900, 600), QRect(699, 395, 900, 600)),
    ],
    ids=["as large as the screen", "under its edge", "small enough", "in a corner"],
)
def test_a_window_with_its_frame_is_within_the_screen(geometry: QRect, expected: QRect) -> None:
    found = within(geometry, FRAME, SCREEN)
    assert found == expected
    assert SCREEN.contains(found.marginsAdded(FRAME))
