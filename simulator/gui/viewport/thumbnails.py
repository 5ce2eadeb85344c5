"""Small pictures of worlds for the start page, painted one after the other while nothing else is to be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QObject, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QPainter, QPixmap

from simulator.gui.viewport.painter_view import colour_of, paint_scene
from simulator.model.world import World
from simulator.rendering.build import build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.theme import THEMES, Theme

PAUSE = 40
"""Time left to the window between two pictures [ms]."""


def picture_of_world(world: World, size: QSize, ratio: float, theme: Theme) -> QPixmap:
    """The world at its start, seen from the corner."""
    scene = build_scene(world)
    poses = scene.initial_link_poses()
    camera = Camera().fit(scene.corner_points(poses), size.width() / size.height(), 1.25)
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(colour_of(theme.floor))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_scene(painter, scene, poses, camera, (size.width(), size.height()), theme)
    painter.end()
    return picture


class Thumbnails(QObject):
    """`made` carries a file and its picture; a file that cannot be drawn is passed over."""

    made = pyqtSignal(Path, QPixmap)

    def __init__(self, load: Callable[[Path], World | None], size: QSize) -> None:
        super().__init__()
        self._load, self._size = load, size
        self._waiting: list[Path] = []
        self._theme, self._ratio = THEMES["light"], 1.0
        self._timer = QTimer(self)
        self._timer.setInterval(PAUSE)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.timeout.connect(self._next)

    def start(self, paths: Sequence[Path], theme_name: str, ratio: float) -> None:
        """Make pictures of these files, in the colours of a theme."""
        self._waiting, self._theme, self._ratio = list(paths), THEMES[theme_name], ratio
        self._timer.start()

    def stop(self) -> None:
        """No more pictures for now."""
        self._timer.stop()

    def _next(self) -> None:
        if not self._waiting:
            self._timer.stop()
            return
        path = self._waiting.pop(0)
        try:
            world = self._load(path)
            if world is not None:
                self.made.emit(path, picture_of_world(world, self._size, self._ratio, self._theme))
        except Exception:
            return
