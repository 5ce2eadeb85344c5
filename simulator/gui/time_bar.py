"""The time line below the view: scrub, step and play back the recording, and continue from any moment of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from simulator.gui.fields import NumberLabel, label, scaled
from simulator.gui.handle_slider import HandleSlider
from simulator.gui.recording_export import thinned_text
from simulator.gui.resources import icon
from simulator.gui.units import number
from simulator.session.commands.commands import Pause

if TYPE_CHECKING:
    from simulator.gui.actions import Actions
    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Theme, Tokens

STEPS = 100_000
MARGIN = 8.0
ROOMY = 560
"""From this width of the bar on its buttons have words, see `scaled`."""
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
"""Steps that the keys of the time line make."""


class TimeLine(HandleSlider):
    """The recording from its first to its last moment. `moved` carries the fraction at which the user puts the handle,
    `stepped` a number of steps, `ended` a jump to the end."""

    moved = pyqtSignal(float)
    stepped = pyqtSignal(int)
    ended = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens)
        self._past = False
        self.setRange(0, STEPS)
        self.setValue(STEPS)
        self.setMinimumWidth(scaled(80))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Moment of the recording"))
        self.setToolTip(self.tr("Drag through the recording; ← and → are single steps, End is the newest moment"))

    def show_fraction(self, fraction: float, past: bool) -> None:
        """Put the handle somewhere; `past`: this is not the newest moment."""
        value = round(STEPS * min(max(fraction, 0.0), 1.0))
        if (value, past) != (self.value(), self._past) and not self.isSliderDown():
            self._past = past
            self.setValue(value)
            self.update()

    def sizeHint(self) -> QSize:
        """Wide and flat."""
        return QSize(240, 24)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Steps, and the ends."""
        if event is None:
            return
        key = Qt.Key(event.key())
        if key in KEYS:
            self.stepped.emit(KEYS[key])
        elif key == Qt.Key.Key_Home:
            self.moved.emit(0.0)
        elif key == Qt.Key.Key_End:
            self.ended.emit()
        else:
            event.ignore()

    def paintEvent(self, _event: QPaintEvent | None) -> None:
        """What was recorded, what of it is before the moment on show, and the handle: a bar, hollow at the newest
        moment."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        x = MARGIN + (self.width() - 2 * MARGIN) * self.value() / STEPS
        colour = QColor(self._tokens.accent if self._past else self._tokens.muted)
        for start, stop, line in ((MARGIN, self.width() - MARGIN, QColor(self._tokens.border)), (MARGIN, x, colour)):
            painter.setPen(QPen(line, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(start, middle), QPointF(stop, middle))
        painter.setPen(QPen(colour, 2))
        painter.setBrush(colour if self._past else QColor(self._tokens.raised))
        painter.drawRoundedRect(QRectF(x - 4, middle - 8, 8, 16), 3, 3)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._tokens.accent), 1, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def follow(self, event: QMouseEvent) -> None:
        """Put the handle where the mouse is: in the past, as far as is known."""
        fraction = (event.position().x() - MARGIN) / max(self.width() - 2 * MARGIN, 1.0)
        self._past = True
        self.setValue(round(STEPS * min(max(fraction, 0.0), 1.0)))
        self.update()
        self.moved.emit(self.value() / STEPS)


class TimeBar(QWidget):
    """Refreshed from outside with every snapshot; hidden without a simulation."""

    def __init__(self, live: LiveSession, actions: Actions, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("timeBar")
        self._live = live
        self._playback = live.playback
        self.line, self.time = TimeLine(theme.tokens), NumberLabel("muted")
        self.begin = label("", "muted", digits=True)
        self.newest, self.resume = QPushButton(), QPushButton()
        self._arrange(actions)
        self.line.moved.connect(self._scrub)
        self.line.stepped.connect(self.step)
        self.line.ended.connect(self._playback.leave)
        self.newest.clicked.connect(lambda _checked=False: self._playback.leave())
        self.resume.clicked.connect(lambda _checked=False: actions["resume_here"].trigger())
        self._playback.changed.connect(self.refresh)
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)
        self._bare = False
        live.document_changed.connect(lambda _opened: self.set_bare(self._bare))
        self.hide()

    def set_bare(self, bare: bool) -> None:
        """Out of the way, for lectures; else there while a simulation is."""
        self._bare = bare
        self.setVisible(not bare and self._live.opened is not None and self._live.drawn is None)

    def step(self, count: int) -> None:
        """So many steps through the recording."""
        live = self._live
        if live.snapshot is None:
            return
        now = live.snapshot.time
        self._halt()
        self._playback.step(count, now)

    def play(self) -> None:
        """Play the recording back, or stop playing it back."""
        if self._playback.playing:
            self._playback.stop()
        else:
            self._halt()
            self._playback.play()

    def refresh(self) -> None:
        """Show where we are."""
        snapshot = self._live.snapshot
        playback = self._playback
        first, last = playback.span()
        now = snapshot.time if snapshot is not None else last
        self.line.show_fraction((now - first) / (last - first) if playback.on and last > first else 1.0, playback.on)
        if snapshot is not None:
            self.time.setText(f"{number(now, 3)} / {number(max(last, now), 3)} s")
        self._show_begin(first)
        self.newest.setEnabled(playback.on)
        self.resume.setEnabled(playback.on)

    def _show_begin(self, first: float) -> None:
        """Where the recording begins, and from when on it has every step."""
        client = self._live.client
        thinned = "" if client is None else thinned_text(self, client.history)
        self.begin.setText(f"{number(first, 3)}{'*' if thinned else ''}")
        self.begin.setToolTip(thinned or self.tr("The first moment of the recording [s]; it has every step."))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Buttons say in words what they do where there is room."""
        super().resizeEvent(event)
        roomy = self.width() >= scaled(ROOMY)
        self.begin.setVisible(roomy)
        self.resume.setText(self.tr("Continue from here") if roomy else "")
        self.newest.setText(self.tr("Newest") if roomy else "")

    def _set_tokens(self, tokens: Tokens) -> None:
        self.line.set_tokens(tokens)
        self.resume.setIcon(icon("play", tokens))
        self.newest.setIcon(icon("newest", tokens))

    def _halt(self) -> None:
        if self._live.running:
            self._live.send(Pause())

    def _scrub(self, fraction: float) -> None:
        self._halt()
        self._playback.stop()
        first, last = self._playback.span()
        self._playback.show(first + fraction * (last - first))

    def _arrange(self, actions: Actions) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(6)
        for key in ("step_back", "play_back", "step"):
            button = QToolButton()
            button.setDefaultAction(actions[key])
            button.setAutoRaise(True)
            button.setAutoRepeat(key != "play_back")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(actions[key].toolTip())
            row.addWidget(button)
        self.begin.setMinimumWidth(1)  # it makes room before the window has to
        row.addWidget(self.begin)
        row.addWidget(self.line, 1)
        row.addWidget(self.time)
        row.addWidget(self.resume)
        row.addWidget(self.newest)
        for word in (self.resume, self.newest):
            word.setMinimumWidth(scaled(36))
        self.resume.setAccessibleName(self.tr("Continue from here"))
        self.newest.setAccessibleName(self.tr("Newest"))
        self.resume.setToolTip(self.tr("Simulate from the moment on show; the recording after it is deleted"))
        self.newest.setToolTip(self.tr("Back to the newest moment"))
