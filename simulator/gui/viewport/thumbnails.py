"""Small pictures of worlds for the start page, painted one after the other while the program is idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QObject, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QImage, QPainter, QPixmap

from simulator.gui.background import Background
from simulator.gui.viewport.painter_view import colour_of, paint_scene
from simulator.rendering.camera import Camera
from simulator.rendering.theme import THEMES, Theme
from simulator.session.look.scene_of import scene_of
from simulator.session.open.opening import Opened

PAUSE = 40
"""Time left to the window between two pictures [ms]."""
PICTURE_SIDE = 64
"""Textures are drawn in their mean colour, for which so many pixels along a side will do."""


def picture_of(opened: Opened, size: QSize, ratio: float, theme: Theme) -> QImage:
    """The world of a document at its start, seen from the corner. An image can be painted in any thread."""
    scene = scene_of(opened, largest_picture=PICTURE_SIDE)
    poses = scene.initial_link_poses()
    camera = Camera().fit(scene.corner_points(poses), size.width() / size.height(), 1.25)
    picture = QImage(size * ratio, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    picture.fill(colour_of(theme.floor))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_scene(painter, scene, poses, camera, (size.width(), size.height()), theme)
    painter.end()
    return picture


class Thumbnails(QObject):
    """`made` carries a file and its picture; a file that cannot be drawn is skipped. Large worlds take seconds, so
    files are read and painted in a background thread."""

    made = pyqtSignal(Path, QPixmap)

    def __init__(self, load: Callable[[Path], Opened | None], size: QSize) -> None:
        super().__init__()
        self._load, self._size = load, size
        self._waiting: list[Path] = []
        self._theme = THEMES["light"]
        self._ratio = 1.0
        self._background: Background[QImage | None] = Background()
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self._next)

    def start(self, paths: Sequence[Path], theme_name: str, ratio: float) -> None:
        """Make pictures of these files, in the colours of a theme."""
        self._background.cancel()
        self._waiting = list(paths)
        self._theme = THEMES[theme_name]
        self._ratio = ratio
        self._timer.start()

    def stop(self) -> None:
        """No more pictures for now."""
        self._background.cancel()
        self._timer.stop()

    def _next(self) -> None:
        if self._background.busy:
            return
        if not self._waiting:
            self._timer.stop()
            return
        path = self._waiting.pop(0)
        theme = self._theme
        ratio = self._ratio
        self._background.start(
            lambda: self._picture(path, theme, ratio), lambda picture, _error: self._notify(path, picture)
        )

    def _picture(self, path: Path, theme: Theme, ratio: float) -> QImage | None:
        opened = self._load(path)
        return None if opened is None else picture_of(opened, self._size, ratio, theme)

    def _notify(self, path: Path, picture: QImage | None) -> None:
        if picture is not None:
            self.made.emit(path, QPixmap.fromImage(picture))
