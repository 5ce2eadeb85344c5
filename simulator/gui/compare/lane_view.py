"""One of several views with a common camera."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from simulator.gui.fields import ElidingLabel
from simulator.gui.viewport.navigator import Navigator
from simulator.gui.viewport.state import ViewState
from simulator.gui.viewport.views import view_of
from simulator.rendering.theme import THEMES
from simulator.session.look.link_poses import LinkPoses
from simulator.session.look.scene_of import scene_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.gui.theme import Tokens
    from simulator.rendering.camera import Camera
    from simulator.session.batch.side_by_side import Lane

LOWEST = 90
"""Height of a view at least [px]."""


class NoHand:
    """No dragging of bodies: every drag turns the view."""

    is_holding = False

    def begin(self, _widget: QWidget, _at: QPointF) -> bool:
        """Hold nothing."""
        return False

    def move(self, _widget: QWidget, _at: QPointF) -> None:
        """Move nothing."""

    def end(self) -> None:
        """Let nothing go."""

    def harden(self, _factor: float) -> None:
        """Pull nothing."""


class LaneView(QWidget):
    """A title and a view. `turned` carries the camera that the user has chosen; `resized`: its shape has changed."""

    turned = pyqtSignal(object)
    resized = pyqtSignal()

    def __init__(self, lane: Lane, tokens: Tokens) -> None:
        super().__init__()
        self.lane, self.state = lane, ViewState()
        opened = lane.contender.opened
        scene = scene_of(opened)
        self.state.scene, self.state.poses = scene, scene.initial_link_poses()
        self._poses = LinkPoses(opened.mechanism, scene.links)
        self.canvas = view_of(self.state)
        self.canvas.setMinimumHeight(LOWEST)
        self.navigator = Navigator(self.state, NoHand())
        self.navigator.attach(self.canvas)
        self.navigator.moved.connect(self._moved)
        self.title = ElidingLabel(lane.contender.label, "name")
        self.title.setMargin(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.title)
        column.addWidget(self.canvas, 1)
        self.set_tokens(tokens)
        self.canvas.scene_changed()

    @property
    def aspect(self) -> float:
        """Width / height of the view, which is laid out after this widget has been resized."""
        return self.width() / max(self.height() - self.title.sizeHint().height(), 1)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Another shape of the view."""
        super().resizeEvent(a0)
        self.resized.emit()

    def corners(self) -> NDArray[np.float64]:
        """Corners of all that is drawn, at some moments of the lane, in the world [m], shape (n, 3)."""
        scene = self.state.scene
        lane = self.lane
        assert scene is not None
        moments = np.linspace(0, len(lane.times) - 1, min(len(lane.times), 12)).astype(int)
        poses = [self._poses.at(lane.body_poses[moment]) for moment in moments] or [scene.initial_link_poses()]
        points = np.concatenate([scene.corner_points(pose) for pose in poses])
        return np.asarray(points[np.isfinite(points).all(axis=1)])

    def show_time(self, time: float) -> None:
        """Draw the moment at a time [s]."""
        lane = self.lane
        if lane.times.size:
            self.state.poses = self._poses.at(lane.body_poses[lane.moment(time)])
            self.canvas.update()

    def look(self, camera: Camera) -> None:
        """Look from there."""
        self.state.camera = camera
        self.canvas.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self.state.theme = THEMES[tokens.name]
        self.canvas.update()

    def _moved(self) -> None:
        self.canvas.update()
        self.turned.emit(self.state.camera)
