"""Panels, the sheet and icons are made when they are first looked at, with what holds by then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QIcon, QImage, QPainter
from pytestqt.qtbot import QtBot

from simulator.gui.resources import icon
from simulator.gui.selection import Item, ItemKind
from simulator.gui.tokens import LIGHT
from tests.gui.conftest import Bench
from tests.gui.on_view import Hands

Key = Qt.Key


def test_each_is_made_by_its_key_and_once(bench: Bench, qtbot: QtBot) -> None:
    window, later = bench.window, bench.window.later
    bench.open()
    bench.activate(qtbot)
    keys = (Key.Key_5, Key.Key_6, Key.Key_7, Key.Key_8)
    for key, late in zip(keys, (later.kinematics, later.analysis, later.study, later.mechanism), strict=True):
        assert late.made is None
        qtbot.keyClick(window.viewport.canvas, key, Qt.KeyboardModifier.AltModifier)
        made = late.made
        assert made is not None
        assert made.isVisible()
        assert not made.is_empty, "the document was opened before"
        qtbot.keyClick(window.viewport.canvas, Key.Key_4, Qt.KeyboardModifier.AltModifier)
        assert not made.isVisible()
        late.bring_up()
        assert late.made is made
        assert made.isVisible()


def test_what_was_chosen_before_holds(painted: Callable[[str], Hands]) -> None:
    """Units, the selected joint as the driver, and the number of poses at once."""
    window = painted("differential").window
    window.actions_["degrees"].setChecked(True)
    second = window.live.free_axes[1]
    window.selection.select(Item(ItemKind.JOINT, window.live.relations.mechanism.axes[second].joint))
    window.live.kinematics.show_ghosts(5)
    assert window.later.kinematics.made is window.later.analysis.made is None
    assert window.live.kinematics.driver == second, "also where no panel is there"
    assert window.analysis_panel.driver.axis == second
    assert window.kinematics_panel.ghosts.value() == 5
    assert window.kinematics_panel.units.degrees
    assert window.study_panel.units.degrees


def test_the_panel_that_was_left_in_front_is_there_again(make_bench: Callable[..., Bench]) -> None:
    before = make_bench().window
    before.live.open(make_bench().file())
    before.later.study.bring_up()
    before.close()
    again = make_bench(as_stored=True)
    again.open()
    assert again.window.workbench.shown() >= {"study"}
    assert again.window.later.study.made is not None
    assert again.window.study_panel.isVisible()
    assert again.window.later.analysis.made is None


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_an_icon_is_drawn_in_the_size_that_is_asked_for(ratio: float) -> None:
    """Not stretched from another one; disabled ones are muted, and of no size there is nothing to draw."""
    one = icon("play", LIGHT)
    picture = one.pixmap(QSize(22, 22), ratio)
    assert (picture.width(), picture.devicePixelRatio()) == (round(22 * ratio), ratio)
    assert _darkest(picture.toImage()) < _darkest(one.pixmap(QSize(22, 22), ratio, QIcon.Mode.Disabled).toImage())
    assert one.pixmap(QSize(0, 0)).isNull()
    wide = QImage(60, 20, QImage.Format.Format_ARGB32)
    wide.fill(Qt.GlobalColor.white)
    painter = QPainter(wide)
    one.paint(painter, wide.rect())
    painter.end()
    drawn = [x for x in range(60) for y in range(20) if wide.pixelColor(x, y).lightness() < 200]
    assert 20 <= min(drawn) <= max(drawn) < 40, "in the middle, as high as wide"


def _darkest(image: QImage) -> int:
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return min(image.pixelColor(*place).lightness() for place in places if image.pixelColor(*place).alpha() > 200)
