"""The contents of a view as a picture of any size, rendered off the screen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QSize
from PyQt6.QtGui import QImage, QPainter
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QSpinBox, QWidget

from simulator.gui.fields import PlainLabel, scaled
from simulator.gui.viewport.overlay import Overlay
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.gui.tokens import Tokens
    from simulator.gui.viewport.state import ViewState
    from simulator.gui.viewport.views import View

USUAL = QSize(1920, 1080)
"""Size of pictures and films, unless another is asked for [px]."""
LEAST, MOST = 64, 7680
"""Of a side [px]."""


@dataclass(frozen=True, eq=False)
class Captured:
    """The contents of a view at a moment: `picture` draws it at any size.

    Lines, labels and the frame in the corner scale with the picture, which contains everything that the view showed: in
    another shape than the view's it shows more at the sides, or above and below.
    """

    state: ViewState
    canvas: View
    overlay: Overlay
    seen: QSize
    ratio: float

    @property
    def own_size(self) -> QSize:
        """That of the view on the screen [device px]."""
        return QSize(round(self.seen.width() * self.ratio), round(self.seen.height() * self.ratio))

    def picture(self, size: QSize) -> QImage:
        """A picture of that size [px]."""
        width, height = size.width(), size.height()
        ratio = min(width / self.seen.width(), height / self.seen.height())
        narrower = (self.seen.width() / self.seen.height()) / (width / height)
        camera = self.state.camera
        if narrower > 1.0:
            camera = replace(camera, fov=2.0 * math.atan(narrower * math.tan(0.5 * camera.fov)))
        shown = replace(self.state, camera=camera, hint="")
        image = self.canvas.picture(shown, (width, height), ratio)
        image.setDevicePixelRatio(ratio)
        painter = QPainter(image)
        self.overlay.show_state(shown)
        self.overlay.resize(round(width / ratio), round(height / ratio))
        self.overlay.render(painter, QPoint(), flags=QWidget.RenderFlag.DrawChildren)
        painter.end()
        image.setDevicePixelRatio(1.0)
        return image


class PictureTaker:
    """Captures one view. Labels of its pictures stay where they are from one to the next, as those on the screen do."""

    def __init__(self, view: QWidget, state: ViewState, overlay: Overlay, tokens: Tokens) -> None:
        self._view = view
        self._state = state
        self._shown = overlay
        self._overlay = Overlay(replace(state), tokens, None)

    def capture(self, canvas: View, tokens: Tokens) -> Captured:
        """What the view shows now."""
        self._overlay.set_tokens(tokens)
        self._overlay.setFont(self._shown.font())
        return Captured(replace(self._state), canvas, self._overlay, self._view.size(), self._view.devicePixelRatioF())


class SizeFields(QWidget):
    """Width and height of a picture [px]."""

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self.width_, self.height_ = QSpinBox(), QSpinBox()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for field, value, name in (
            (self.width_, size.width(), self.tr("Width")),
            (self.height_, size.height(), self.tr("Height")),
        ):
            field.setRange(LEAST, MOST)
            field.setValue(value)
            field.setAccessibleName(name)
            field.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
            row.addWidget(field)
            row.addWidget(PlainLabel("×" if field is self.width_ else "px"))
        row.addStretch(1)

    @property
    def size_(self) -> QSize:
        """What is asked for."""
        return QSize(self.width_.value(), self.height_.value())


class PictureDialog(QDialog):
    """Asks for the size of a picture."""

    def __init__(self, parent: QWidget, size: QSize) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Picture"))
        self.size_ = SizeFields(size)
        self.setMinimumWidth(scaled(280))
        form = QFormLayout(self)
        form.addRow(self.tr("Size"), self.size_)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
