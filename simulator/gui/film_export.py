"""Writes the recording as a film: the view, moment by moment, into an MP4 or GIF file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QFormLayout, QProgressDialog, QWidget

from simulator.gui.fields import ValueSpin, label, scaled
from simulator.gui.viewport.pictures import USUAL, Captured, SizeFields
from simulator.records import dataclass
from simulator.rendering.films import write_film
from simulator.session.commands.commands import Pause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from simulator.gui.live import LiveSession

FPS = {".mp4": 25.0, ".gif": 20.0}
"""Pictures for each second of the film, unless others are asked for."""
MOST_FPS = {".mp4": 60.0, ".gif": 50.0}
SLOWEST, FASTEST = 0.001, 1000.0
"""Speeds of a film."""
SHOWN = 0.5e-3
"""A field shows times to this [s]."""


@dataclass(frozen=True)
class FilmChoice:
    """Which part of a recording becomes a film: from `first` to `last` [s], `speed` simulated seconds in a second of
    the film, which has `fps` pictures of a `size` [px]."""

    first: float
    last: float
    speed: float
    fps: float
    size: QSize = USUAL

    @property
    def count(self) -> int:
        """How many pictures that makes, with those at both ends."""
        return int((self.last - self.first + 1e-9) * self.fps / self.speed) + 1 if self.last >= self.first else 0

    @property
    def moments(self) -> NDArray[np.float64]:
        """The simulated time of each picture [s], shape (count,)."""
        return np.asarray(self.first + np.arange(self.count) * (self.speed / self.fps), dtype=np.float64)


class FilmDialog(QDialog):
    """Asks for the part, the speed, the rate and the size of a film."""

    def __init__(self, parent: QWidget, whole: FilmChoice, most_fps: float) -> None:
        """`whole`: all that was recorded, at the speed that is set."""
        super().__init__(parent)
        self.setWindowTitle(self.tr("Film"))
        self.first, self.last = ValueSpin(3, "s"), ValueSpin(3, "s")
        self.speed, self.fps = ValueSpin(3, "×"), ValueSpin(0, self.tr("pictures a second"))
        self.size_ = SizeFields(whole.size)
        self.length = label("", "muted")
        self._whole = whole
        for field, low, high, value in (
            (self.first, whole.first, whole.last, whole.first),
            (self.last, whole.first, whole.last, whole.last),
            (self.speed, SLOWEST, FASTEST, whole.speed),
            (self.fps, 1.0, most_fps, whole.fps),
        ):
            field.setRange(low, high)
            field.setValue(value)
            field.setKeyboardTracking(True)
            field.valueChanged.connect(lambda _value: self._describe())
        self.setMinimumWidth(scaled(320))
        form = QFormLayout(self)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(self.tr("From"), self.first)
        form.addRow(self.tr("To"), self.last)
        form.addRow(self.tr("Speed"), self.speed)
        form.addRow(self.tr("Rate"), self.fps)
        form.addRow(self.tr("Size"), self.size_)
        form.addRow("", self.length)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        form.addRow(self._buttons)
        self._describe()

    def choice(self) -> FilmChoice:
        """What was asked for; an end of the recording is exact where its field shows it in three decimals."""
        whole = self._whole
        first, last = (
            end if abs(field.value() - end) <= SHOWN else field.value()
            for field, end in ((self.first, whole.first), (self.last, whole.last))
        )
        return FilmChoice(first, last, self.speed.value(), self.fps.value(), self.size_.size_)

    def _describe(self) -> None:
        choice = self.choice()
        count = choice.count
        if count:
            text = self.tr("{count} pictures, a film of {seconds:.1f} s")
            self.length.setText(text.format(count=count, seconds=count / choice.fps))
        else:
            self.length.setText(self.tr("The film ends before it begins."))
        save = self._buttons.button(QDialogButtonBox.StandardButton.Save)
        if save is not None:
            save.setEnabled(count > 0)


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The user does not want the film any more."""


class FilmExport:
    """Plays the recording back, as fast as it can be drawn, and shows how far it is."""

    def __init__(
        self, window: QWidget, live: LiveSession, tick: Callable[[], object], capture: Callable[[], Captured]
    ) -> None:
        self._window = window
        self._live = live
        self._tick = tick
        self._capture = capture
        self._size = USUAL

    def write(self, path: Path) -> bool:
        """Ask for the part of the recording and write it; False where the user has cancelled it.

        Raises UsageError and RenderingError as `write_film` does.
        """
        kind = path.suffix.lower()
        playback = self._live.playback
        if self._live.running:
            self._live.send(Pause())
        playback.stop()
        whole = FilmChoice(*playback.span(), self._live.speed, FPS.get(kind, 25.0), self._size)
        asked = FilmDialog(self._window, whole, MOST_FPS.get(kind, 60.0))
        if not asked.exec():
            return False
        choice = asked.choice()
        self._size, moments = choice.size, choice.moments
        dialog = QProgressDialog(
            self._window.tr("Writing {name} …").format(name=path.name),
            self._window.tr("Cancel"), 0, len(moments), self._window,
        )  # fmt: skip
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.setMinimumDuration(0)
        dialog.setMinimumWidth(scaled(320))
        try:
            write_film(path, self._frames(moments, choice.size, dialog), choice.fps)
        except Cancelled:
            return False
        finally:
            dialog.close()
            dialog.deleteLater()
            playback.leave()
        return True

    def _frames(
        self, moments: NDArray[np.float64], size: QSize, dialog: QProgressDialog
    ) -> Iterator[NDArray[np.uint8]]:
        began = time.monotonic()
        for number, moment in enumerate(moments.tolist()):
            dialog.setValue(number)
            if number:
                left = (time.monotonic() - began) / number * (len(moments) - number)
                text = self._window.tr("Picture {n} of {count}, {s:.0f} s left")
                dialog.setLabelText(text.format(n=number + 1, count=len(moments), s=left))
            QApplication.processEvents()
            if dialog.wasCanceled():
                raise Cancelled
            self._live.playback.show(moment)
            self._tick()
            yield pixels_of(self._capture().picture(size))
        dialog.setValue(len(moments))


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """The picture as an array (height, width, 3)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    bits = plain.constBits()
    assert bits is not None
    rows = np.frombuffer(bits.asstring(plain.sizeInBytes()), dtype=np.uint8).reshape(
        plain.height(), plain.bytesPerLine()
    )
    return np.ascontiguousarray(rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3))
