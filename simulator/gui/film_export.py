"""The recording as a film: the view as it is, moment by moment, into an MP4 or GIF file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QProgressDialog, QWidget

from simulator.gui.fields import scaled
from simulator.rendering.films import write_film
from simulator.session.commands import Pause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from simulator.gui.live import LiveSession

FPS = {".mp4": 25.0, ".gif": 20.0}
"""Pictures for each second of the film."""


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The user does not want the film any more."""


class FilmExport:
    """Plays the recording back, as fast as it can be drawn, and shows how far it is."""

    def __init__(
        self, window: QWidget, live: LiveSession, tick: Callable[[], object], picture: Callable[[], QImage]
    ) -> None:
        self._window, self._live, self._tick, self._picture = window, live, tick, picture

    def write(self, path: Path) -> bool:
        """Write all of the recording at the speed that is set; False where the user has cancelled it.

        Raises UsageError and RenderingError as `write_film` does.
        """
        fps, playback = FPS.get(path.suffix.lower(), 25.0), self._live.playback
        if self._live.running:
            self._live.send(Pause())
        playback.stop()
        first, last = playback.span()
        moments = np.arange(first, last + 1e-9, self._live.speed / fps)
        dialog = QProgressDialog(
            self._window.tr("Writing {name} …").format(name=path.name),
            self._window.tr("Cancel"), 0, len(moments), self._window,
        )  # fmt: skip
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.setMinimumDuration(0)
        dialog.setMinimumWidth(scaled(320))
        try:
            write_film(path, self._frames(moments, dialog), fps)
        except Cancelled:
            return False
        finally:
            dialog.close()
            dialog.deleteLater()
            playback.leave()
        return True

    def _frames(self, moments: NDArray[np.float64], dialog: QProgressDialog) -> Iterator[NDArray[np.uint8]]:
        size: tuple[int, ...] = ()
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
            pixels = pixels_of(self._picture())
            size = size or pixels.shape
            yield _fitted(pixels, size)
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


def _fitted(pixels: NDArray[np.uint8], size: tuple[int, ...]) -> NDArray[np.uint8]:
    """All pictures have the size of the first, also where the window is resized meanwhile."""
    if pixels.shape == size:
        return pixels
    result = np.zeros(size, dtype=np.uint8)
    height, width = min(size[0], pixels.shape[0]), min(size[1], pixels.shape[1])
    result[:height, :width] = pixels[:height, :width]
    return result
