"""Pictures of the view at any size: the look of the view, in other pixels and of another shape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from pytestqt.qtbot import QtBot

from simulator.gui.film_export import pixels_of
from simulator.gui.main_window import MainWindow
from simulator.gui.viewport.painter_view import PainterView
from simulator.gui.viewport.pictures import PictureDialog
from simulator.session.commands.commands import StepOnce
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


@pytest.fixture(params=["painter", "opengl"])
def shown(request: pytest.FixtureRequest, real_window: Make, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    if request.param == "opengl":
        monkeypatch.undo()  # what draws is what this machine has
    window = real_window("four_bar", (900, 700))
    window.live.send(StepOnce(100))
    window.tick()
    return window


def halves(image: QImage) -> np.ndarray:
    """A picture at half its size."""
    half = image.scaled(
        image.size() / 2, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    return pixels_of(half).astype(float)


def test_a_picture_of_the_own_size_is_what_the_view_shows(shown: MainWindow, qtbot: QtBot) -> None:
    """But for the hint, which is no part of it."""
    view = shown.viewport
    view.show_hint("")
    qtbot.waitUntil(view.isVisible)
    shown.tick()
    captured = view.capture()
    on_screen, drawn = pixels_of(view.grab().toImage()).astype(float), pixels_of(captured.picture(captured.own_size))
    assert drawn.shape == on_screen.shape
    assert np.abs(drawn - on_screen).mean() < 0.2, "of 255"


def test_a_larger_picture_is_the_same_in_more_pixels(shown: MainWindow) -> None:
    """Lines and labels grow with it. Edges are smoother, so that single pixels differ."""
    captured = shown.viewport.capture()
    own = captured.own_size
    small, large = pixels_of(captured.picture(own)).astype(float), halves(captured.picture(2 * own))
    assert small.shape == large.shape
    assert np.abs(small - large).mean() < 4.0, "of 255"
    dark = [(picture.mean(axis=2) < 70.0).mean() for picture in (small, large)]
    assert dark[1] == pytest.approx(dark[0], rel=0.2), "outlines and labels have the same part of it"


@pytest.mark.parametrize("size", [QSize(1200, 300), QSize(300, 900)])
def test_a_picture_of_another_shape_has_all_that_the_view_shows(shown: MainWindow, size: QSize) -> None:
    """The part of it that has the shape of the view shows the same as a picture of that shape."""
    captured = shown.viewport.capture()
    shape = captured.seen
    inner = QSize(shape).scaled(size, Qt.AspectRatioMode.KeepAspectRatio)
    captured.overlay.hide()
    whole, same = captured.picture(size), captured.picture(inner)
    left, top = (size.width() - inner.width()) // 2, (size.height() - inner.height()) // 2
    cut = whole.copy(left, top, inner.width(), inner.height())
    difference = np.abs(pixels_of(cut).astype(float) - pixels_of(same)).mean(axis=2)
    assert (difference > 60.0).mean() < 0.06, "but for edges, labels, and the frame in the corner"


def test_a_picture_is_saved_at_the_size_that_is_asked_for(
    real_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("four_bar", (900, 700)), tmp_path / "a.png"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    offered: list[QSize] = []

    def answer(dialog: PictureDialog) -> int:
        offered.append(dialog.size_.size_)
        dialog.size_.width_.setValue(640)
        dialog.size_.height_.setValue(480)
        return 1

    monkeypatch.setattr(PictureDialog, "exec", answer)
    for _ in range(2):
        window.actions_["save_picture"].trigger()
        with Image.open(target) as picture:
            assert picture.size == (640, 480)
    assert offered == [QSize(1920, 1080), QSize(640, 480)], "the size of before is offered again"
    assert isinstance(window.viewport.canvas, PainterView)
