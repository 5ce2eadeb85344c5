"""A sheet on which a mechanism is drawn: the mouse and the keys on it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QCursor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QToolTip, QWidget

from simulator.building.drawing.hand import FoldLine, Pen
from simulator.building.drawing.plan import Sketch, distance_to
from simulator.gui.fields import scaled, tabular
from simulator.gui.making.build_picture import BuildPicture, Key, SheetState
from simulator.gui.making.sheet import SheetFrame, ends_of, fitted, paint_grid, round_step
from simulator.gui.tokens import Tokens
from simulator.gui.units import Units

if TYPE_CHECKING:
    from simulator.building.drawing.answers import Answers
    from simulator.building.drawing.plan import Place

LINE = 64
"""About the distance of the lines of the grid [px], see `scaled`."""
NEAR = 10
"""Distance from which a point attracts the mouse [px], see `scaled`."""
QUARTER = 90
"""How far from its pin the handle of an axis is that is tilted by 90 degrees [px], see `scaled`."""
ROOM = 90
"""Around what is shown [px]."""
STILL = 4
"""Way of the right button below which it asks for a menu, and does not pan [px], see `scaled`."""
FINE = 10.0
"""An arrow key with Shift moves by this part of the grid."""
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
LAYERS = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
EMPTY = 0.6
"""Width of what an empty sheet shows [m]."""
ZOOM = 0.87
"""For one notch of the wheel."""
STEP = 18
"""By so much a number of a layer is dragged for each layer [px], see `scaled`."""
PARTS = 5
"""Places to which ends snap between two lines of the grid."""
BAR = 0.4
"""Width of a new bar over the distance of the lines."""


class BuildSheet(QWidget):
    """`gesture` carries a `Gesture` that the mouse has finished, `changed` is emitted where one begins, continues or
    is given up. `number` carries what a number is that was clicked on, and where it is; `menu` the place that is asked
    about, and where that is on the screen; `nudged` a point and where a key puts it; `erased` a point; `layered` the
    name of a bar, and by how many layers a key, or a drag of its number, pulls it to the front; `folded` the line about
    which the sheet is to be folded."""

    gesture = pyqtSignal(object)
    changed = pyqtSignal()
    number = pyqtSignal(tuple, QRectF)
    menu = pyqtSignal(tuple, QPoint)
    nudged = pyqtSignal(tuple, tuple)
    erased = pyqtSignal(tuple)
    layered = pyqtSignal(str, int)
    folded = pyqtSignal(object)

    def __init__(self, tokens: Tokens, units: Units) -> None:
        super().__init__()
        self._tokens, self._units = tokens, units
        self.hand = Pen()
        self._frame, self._sight = SheetFrame((0.0, 0.0), (1.0, 1.0)), (0j, 0j)
        self._is_placed = False
        self._panned: QPointF | None = None
        self._pressed, self._on_number = QPointF(), False
        self._pulled: Key | None = None
        self._boxes: dict[Key, QRectF] = {}
        self._preview: Sketch | None = None
        self.shown = SheetState()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Sheet"))

    @property
    def plan(self) -> Sketch:
        """What is on the sheet."""
        return self.hand.plan

    def minimumSizeHint(self) -> QSize:
        """Room for a mechanism."""
        return QSize(scaled(280), scaled(200))

    def show_plan(self, plan: Sketch, answers: Answers, *, fit: bool = False) -> None:
        """Show what the document has now."""
        self.hand.plan = plan
        self._preview, self.shown.answers, self.shown.note = None, answers, ""
        if self.shown.chosen is not None and plan.point_at(self.shown.chosen) is None:
            self.shown.chosen = None
        if fit:
            self.fit()
        self.update()

    def preview(self, plan: Sketch | None, answers: Answers, note: str = "") -> None:
        """Show what would be, while it is drawn; None for what cannot be, and why in `note`."""
        self._preview, self.shown.answers, self.shown.note = plan, answers, note
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self.update()

    def set_units(self, units: Units) -> None:
        """Show lengths in other units."""
        self._units = units
        self.update()

    def fit(self) -> None:
        """Show everything, or an empty sheet around the origin."""
        points = [complex(*point.place) for point in self.plan.points]
        for link in self.plan.links:
            centre = complex(*link.places[0]) if link.places and link.radius else 0j
            points += [centre + link.radius * way for way in (1, -1, 1j, -1j)] if link.radius else []
            points += [complex(*place) for place in link.ghost if not self.plan.base]
        points += [complex(*place) for place in self.plan.base]
        spread = max((abs(a - b) for a in points for b in points), default=0.0)
        if spread < 1e-6:
            middle = points[0] if points else 0j
            points = [middle - EMPTY / 2.0, middle + EMPTY / 2.0]
        room = scaled(ROOM)
        area = QRectF(self.rect()).adjusted(room, room, -room, -room)
        if area.width() > 0.0 and area.height() > 0.0:
            self._look(fitted(points, area, alike=True))

    def pixel(self, place: Place) -> QPointF:
        """Where a place of the plane is on the sheet [px]."""
        return self._frame.place(*place)

    def number_box(self, name: str, what: str = "length") -> QRectF:
        """Where the number of a link is, as it was painted last."""
        return self._boxes[what, name]

    def _look(self, frame: SheetFrame) -> None:
        """From now on what is in this frame stays in sight."""
        self._show_frame(frame)
        low, high = ends_of(frame, self)
        self._sight = complex(*low), complex(*high)

    def _show_frame(self, frame: SheetFrame) -> None:
        self._frame = frame
        self.hand.grid = self._line() / PARTS
        self.hand.width = round(BAR * self._line(), 12)
        self.hand.reach = scaled(NEAR) / frame.factor[0]
        self.hand.quarter = scaled(QUARTER) / frame.factor[0]
        self.update()

    def _line(self) -> float:
        """The distance of the lines [m]."""
        return round_step(scaled(LINE) / self._frame.factor[0])

    # --- hands --------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What was to be seen stays in sight: a sheet that has become lower and high again is as it was."""
        super().resizeEvent(event)
        before = QSize() if event is None else event.oldSize()
        if not self._is_placed or before.width() < scaled(280) or before.height() < scaled(200):
            self._is_placed = True
            self.fit()
            return
        self._show_frame(fitted(self._sight, QRectF(self.rect()), alike=True))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Begin, or pan."""
        if event is None:
            return
        self._pressed = event.position()
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() is not Qt.MouseButton.LeftButton or shift:
            self._panned = event.position()
            return
        key = next((key for key, box in self._boxes.items() if box.contains(event.position())), None)
        self._on_number = key is not None and not self.hand.is_drawing
        if key is not None and self._on_number:
            if key[0] == "layer":
                self._pulled = key
            else:
                self.number.emit(key, self._boxes[key])
            return
        self.shown.chosen = None
        self.hand.press(self._frame.value(event.position()))
        self._show()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """What is drawn follows."""
        if event is None:
            return
        if self._panned is not None:
            way = event.position() - self._panned
            self._panned = event.position()
            (x, y), factor = self._frame.origin, self._frame.factor
            self._look(SheetFrame((x + way.x(), y + way.y()), factor))
            return
        if self._pulled is not None:
            self._say_layer(self._pulled[1], self._steps(event))
            return
        self.shown.mouse = self._frame.value(event.position())
        before = self.hand.end
        self.hand.move(self.shown.mouse)
        if self.hand.end != before:
            self.changed.emit()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Finish."""
        if event is None:
            return
        if self._panned is not None:
            self._panned = None
            way = event.position() - self._pressed
            if event.button() is Qt.MouseButton.RightButton and math.hypot(way.x(), way.y()) <= scaled(STILL):
                self._ask_menu(event.position())
            return
        if self._pulled is not None:
            self._let_go_of_layer(self._steps(event))
        elif event.button() is Qt.MouseButton.LeftButton and not self._on_number:
            self._finish(self._frame.value(event.position()))

    def _steps(self, event: QMouseEvent) -> int:
        """By how many layers a drag of a number upwards pulls its bar to the front."""
        return round((self._pressed.y() - event.position().y()) / scaled(STEP))

    def _say_layer(self, name: str, step: int) -> None:
        link = self.plan.link(name)
        layer = (0 if link is None else link.layer or 0) + step
        QToolTip.showText(QCursor.pos(), self.tr("Layer {n}").format(n=layer), self)

    def _let_go_of_layer(self, step: int) -> None:
        """A drag pulls the bar; a click asks for the number."""
        key, self._pulled = self._pulled, None
        QToolTip.hideText()
        if key is None:
            return
        if step:
            self.layered.emit(key[1], step)
        elif key in self._boxes:
            self.number.emit(key, self._boxes[key])

    def _finish(self, place: Place) -> None:
        found = self.hand.release(place)
        if found is None:
            self._show()
        else:
            (self.folded if isinstance(found, FoldLine) else self.gesture).emit(found)

    def _ask_menu(self, at: QPointF) -> None:
        self.menu.emit(self._frame.value(at), self.mapToGlobal(at.toPoint()))

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the mouse."""
        super().leaveEvent(event)  # type: ignore[arg-type]
        self.shown.mouse = None
        self.update()

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom to the pointer."""
        if event is None:
            return
        factor = ZOOM ** (-event.angleDelta().y() / 120.0)
        at, (x, y) = event.position(), self._frame.origin
        scale = self._frame.factor[0] * factor
        if 1.0 < scale < 1e7:
            origin = (at.x() + factor * (x - at.x()), at.y() + factor * (y - at.y()))
            self._look(SheetFrame(origin, (scale, scale)))

    def event(self, event: QEvent | None) -> bool:
        """Tab goes from point to point, and leaves the sheet behind the last."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()))
            if step is not None and self._choose_next(step):
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Escape gives up what was begun, then the choice; arrows move the chosen point, Return does there what a click
        does, Delete removes it."""
        if event is None or not self._take_key(Qt.Key(event.key()), event.modifiers()):
            super().keyPressEvent(event)

    def _take_key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether a key means something here."""
        chosen = self.shown.chosen
        if key == Qt.Key.Key_Escape and (self.hand.is_drawing or chosen is not None):
            self.shown.chosen = chosen if self.hand.is_drawing else None
            self.hand.cancel()
            self._show()
            return True
        if key in LAYERS:
            return self._pull(LAYERS[key])
        if chosen is None:
            return False
        if key in ARROWS:
            step = self.hand.grid / (FINE if modifiers & Qt.KeyboardModifier.ShiftModifier else 1.0)
            x, y = (round(at + step * way, 12) for at, way in zip(chosen, ARROWS[key], strict=True))
            self.nudged.emit(chosen, (x, y))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.hand.press(chosen)
            self._finish(chosen)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.erased.emit(chosen)
        elif key == Qt.Key.Key_Menu:
            self._ask_menu(self.pixel(chosen))
        else:
            return False
        return True

    def _pull(self, step: int) -> bool:
        """Pull the bar under the mouse, or the topmost one of the chosen point, along the normal."""
        place = self.shown.mouse if self.shown.mouse is not None else self.shown.chosen
        flat = [link for link in self.plan.links if link.layer is not None]
        near = [link for link in flat if place is not None and distance_to(link, place) <= self.hand.reach]
        if near:
            self.layered.emit(max(near, key=lambda link: link.layer or 0).name, step)
        return bool(near)

    def _choose_next(self, step: int) -> bool:
        """Choose the next point, from left to right; whether there is one."""
        places = sorted(point.place for point in self.plan.points)
        chosen = self.shown.chosen
        now = places.index(chosen) if chosen in places else -1 if step > 0 else len(places)
        if not 0 <= now + step < len(places):
            self.shown.chosen = None
            self.update()
            return False
        self.shown.chosen = places[now + step]
        self.hand.move(places[now + step])
        self._show()
        return True

    def _show(self) -> None:
        self.changed.emit()
        self.update()

    # --- the picture --------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """Grid, bodies, pins, lengths, answers, and what is being drawn."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(self.font()))
        painter.fillRect(self.rect(), QColor(self._tokens.surface))
        self._paint_grid(painter)
        picture = BuildPicture(painter, self._frame, self._tokens, self._units, self.hand)
        picture.room = QRectF(self.rect())
        picture.paint(self._preview or self.plan, self.shown)
        self._boxes = picture.boxes

    def _paint_grid(self, painter: QPainter) -> None:
        line, factor = self._line(), self._units.factor_of("m")
        paint_grid(painter, self, self._frame, (line, line), (factor, factor), self._tokens)
        painter.drawText(QRectF(self.rect()).adjusted(0, 4, -8, 0), Qt.AlignmentFlag.AlignRight
                         | Qt.AlignmentFlag.AlignTop, f"[{self._units.name_of('m')}]")  # fmt: skip
