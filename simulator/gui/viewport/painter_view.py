"""The view without OpenGL: the renderer's polygons, laid over each other by Qt's painter."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QWidget

from simulator.gui.viewport.state import ViewState
from simulator.rendering.camera import Camera
from simulator.rendering.overlays import Polyline
from simulator.rendering.painter import Polygon, paint_list
from simulator.rendering.scene import NEAR, Hit, Scene
from simulator.rendering.theme import Rgb, Theme


class _Painted:
    """The polygons of links in a frame, from back to front, and the boxes around them, shape (n, 2) each [px]."""

    def __init__(self, polygons: list[Polygon]) -> None:
        self._polygons = [polygon for polygon in polygons if polygon.link and len(polygon.points) > 2]

    @cached_property
    def _boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        starts = np.cumsum([0, *(len(polygon.points) for polygon in self._polygons[:-1])])
        points = np.concatenate([polygon.points for polygon in self._polygons])
        return np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)

    def outlines_near(self, at: QPointF) -> list[tuple[str, QPolygonF]]:
        """Links with their polygons whose boxes are within `NEAR` pixels, from front to back: of thousands a few."""
        if not self._polygons:
            return []
        lowest, highest = self._boxes
        place = np.array([at.x(), at.y()])
        inside = ((lowest - NEAR <= place) & (place <= highest + NEAR)).all(axis=1)
        near = [self._polygons[i] for i in np.flatnonzero(inside)[::-1].tolist()]
        return [(polygon.link, _outline(polygon.points)) for polygon in near]


class PainterView(QWidget):
    """Slower than OpenGL and without shadows; says in its tooltip why it is used."""

    def __init__(self, state: ViewState, reason: str) -> None:
        super().__init__()
        self._state, self.reason = state, reason
        self._painted = _Painted([])
        self.setAccessibleName(self.tr("3-D view of the mechanism"))
        self.setToolTip(reason)
        self.setMinimumSize(200, 150)

    def scene_changed(self) -> None:
        """The state has another scene."""
        self._painted = _Painted([])
        self.update()

    def pick(self, at: QPointF) -> str | None:
        """The link seen at a point of the widget in the last frame, or nearest to it within `NEAR` pixels."""
        near = self._painted.outlines_near(at)
        around = ((radius, turn) for radius in range(0, NEAR + 1, 2) for turn in range(8 if radius else 1))
        for radius, turn in around:
            place = at + QPointF(radius * math.cos(turn * math.pi / 4.0), radius * math.sin(turn * math.pi / 4.0))
            for link, outline in near:
                if outline.containsPoint(place, Qt.FillRule.OddEvenFill):
                    return link
        return None

    def hit(self, at: QPointF) -> Hit | None:
        """That link, and the point under the mouse at the depth of its origin [m]: polygons have no depth."""
        link = self.pick(at)
        state = self._state
        if link is None or state.scene is None:
            return None
        aspect = self.width() / max(self.height(), 1)
        eye, along = state.camera.ray((2.0 * at.x() / self.width() - 1.0, 1.0 - 2.0 * at.y() / self.height()), aspect)
        forward = -state.camera.backward
        origin = state.poses[state.scene.link_numbers[link], :3]
        place = eye + along * (float((origin - eye) @ forward) / float(along @ forward))
        return Hit(link, (float(place[0]), float(place[1]), float(place[2])))

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Draw the scene, then the lines over it."""
        self._painted = _Painted(_paint_state(QPainter(self), self._state, (self.width(), self.height())))

    def picture(self, state: ViewState, size: tuple[int, int], ratio: float) -> QImage:
        """What a state looks like at a size [px] of which `ratio` make one pixel of line width, without labels."""
        image = QImage(*size, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        painter.scale(ratio, ratio)
        _paint_state(painter, state, (size[0] / ratio, size[1] / ratio))
        painter.end()
        return image


def _paint_state(painter: QPainter, state: ViewState, size: tuple[float, float]) -> list[Polygon]:
    """Paint a state of `size` logical pixels; gives the polygons from back to front."""
    painter.fillRect(QRectF(0.0, 0.0, *size), colour_of(state.theme.floor))
    if state.scene is None:
        return []
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    marked = state.selected | ({state.hovered} if state.hovered is not None else set())
    polygons = paint_scene(painter, state.scene, state.poses, state.camera, size, state.theme, marked)
    for line in state.lines:
        _paint_line(painter, state.camera, line, size)
    return polygons


def _paint_line(painter: QPainter, camera: Camera, line: Polyline, size: tuple[float, float]) -> None:
    painter.setPen(QPen(QColor.fromRgbF(*line.colour), line.width))
    for piece in line.pieces():
        seen = camera.pixels(piece, size)
        if np.isfinite(seen).all() and (seen[:, 2] > 0.0).all():
            painter.drawPolyline(_outline(seen[:, :2]))


def paint_scene(
    painter: QPainter,
    scene: Scene,
    poses: NDArray[np.float64],
    camera: Camera,
    size: tuple[float, float],
    theme: Theme,
    selected: Collection[str] = (),
) -> list[Polygon]:
    """Paint a scene of `size` logical pixels; gives the polygons from back to front."""
    polygons = paint_list(scene, poses, camera, *size, theme, selected)
    everywhere = bool(polygons) and bool(np.isfinite(np.concatenate([polygon.points for polygon in polygons])).all())
    # Of thousands of polygons most are as the one before.
    edge: tuple[float, ...] | None = ()
    fill: tuple[float, ...] = ()
    for polygon in polygons:
        if not everywhere and not np.isfinite(polygon.points).all():
            continue
        if polygon.edge != edge:
            edge = polygon.edge
            painter.setPen(QPen(QColor.fromRgbF(*edge), 0.8) if edge is not None else Qt.PenStyle.NoPen)
        if polygon.fill is None:
            painter.drawPolyline(_outline(polygon.points))
            continue
        if polygon.fill != fill:
            fill = polygon.fill
            painter.setBrush(QBrush(QColor.fromRgbF(*fill)))
        painter.drawPolygon(_outline(polygon.points))
    return polygons


def colour_of(rgb: Rgb) -> QColor:
    """A colour of the renderer as one of Qt's."""
    return QColor.fromRgbF(*rgb)


def _outline(points: NDArray[np.float64]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])
