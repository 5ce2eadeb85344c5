"""Areas of a view with bodies that can be dragged, so that labels avoid them."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QImage, QPainter, QPolygonF

from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.gui.viewport.state import ViewState
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array


CELL = 6.0
"""Edge of the squares of which is known whether a body is there [px]."""
BESIDE = 5.0
"""A body is taken hold of from so far beside it, too [px]."""
MOST = 120
"""So many shapes are looked at, the largest in the view: a fraction of a picture's time."""
MOST_IN_ALL = 1000
"""In a scene of more shapes labels may lie on any of them."""
FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
"""Of the box around a shape, by the numbers of its corners."""


@dataclass
class BodyCover:
    """Counts covered squares by sums over all rectangles from the corner (summed-area table: Crow, SIGGRAPH 1984)."""

    sums: Array = field(default_factory=lambda: np.zeros((1, 1)))
    _movers: tuple[Scene, NDArray[np.bool_], NDArray[np.bool_]] | None = None

    def look(self, state: ViewState, view: tuple[float, float], shapes: Array) -> None:
        """Another picture: boxes around the shapes of links that can be moved, among the `shapes` that are in view
        (`shapes_in_view`)."""
        known = state.scene is not None and len(state.scene.drawables) <= MOST_IN_ALL
        shapes = shapes[self._moving(state)] if known else np.zeros((0, 8, 2))
        sizes = np.ptp(shapes, axis=1).max(axis=1) if len(shapes) else np.zeros(0)
        columns, rows = (max(1, math.ceil(size / CELL)) for size in view)
        picture = QImage(columns, rows, QImage.Format.Format_Grayscale8)
        picture.fill(0)
        painter = QPainter(picture)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.GlobalColor.white)
        for corners in (shapes[np.argsort(-sizes)[:MOST]] / CELL).tolist():
            for face in FACES:
                painter.drawConvexPolygon(QPolygonF([QPointF(*corners[i]) for i in face]))
        painter.end()
        bits = picture.constBits()
        assert bits is not None
        lines = np.frombuffer(bytes(bits.asarray(picture.sizeInBytes())), dtype=np.uint8).reshape(rows, -1)
        self.sums = np.zeros((rows + 1, columns + 1))
        self.sums[1:, 1:] = (lines[:, :columns] > 0).cumsum(axis=0).cumsum(axis=1)

    def share(self, boxes: Array) -> Array:
        """How much of each box (left, top, right, bottom) [px], shape (n, 4), lies on a body or right beside one, 1
        where all of it does."""
        boxes = boxes + np.array((-BESIDE, -BESIDE, BESIDE, BESIDE))
        rows, columns = (size - 1 for size in self.sums.shape)
        left, right = (np.clip(f(boxes[:, i] / CELL), 0, columns).astype(int) for i, f in ((0, np.floor), (2, np.ceil)))
        top, bottom = (np.clip(f(boxes[:, i] / CELL), 0, rows).astype(int) for i, f in ((1, np.floor), (3, np.ceil)))
        sums = self.sums
        covered = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        found: Array = covered / np.maximum((right - left) * (bottom - top), 1)
        return found

    def _moving(self, state: ViewState) -> NDArray[np.bool_]:
        """Which of the shapes that count for the size of the scene are of links that can be moved."""
        scene, movable = state.scene, state.movable
        assert scene is not None
        if self._movers is None or self._movers[0] is not scene or self._movers[1] is not movable:
            of = np.array([one.link for one in scene.drawables if one.in_bounds], dtype=int)
            self._movers = scene, movable, movable[of] if len(movable) else np.zeros(len(of), dtype=bool)
        return self._movers[2]
