"""Icons that ship with the program, in a checkout and in an installed wheel, and types of files to open."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PyQt6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PyQt6.QtGui import QDropEvent, QIcon, QIconEngine, QPainter, QPixmap
from PyQt6.QtSvg import QSvgRenderer

from simulator.gui.tokens import Tokens

PACKAGE = Path(__file__).resolve().parents[1]
DOCUMENT_SUFFIXES = (".sdf", ".world", ".urdf", ".xacro", ".asmt", ".fcstd", ".FCStd", ".lesson.toml")


@lru_cache(maxsize=1)
def _folder() -> Path:
    """Inside an installed package's `_share`, else at the top of the checkout."""
    installed = PACKAGE / "_share" / "assets" / "icons"
    return installed if installed.exists() else PACKAGE.parent / "assets" / "icons"


@lru_cache(maxsize=256)
def _svg(name: str) -> str:
    path = _folder() / f"{name}.svg"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@lru_cache(maxsize=1024)
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """The icon `name` drawn in `colour`, `size` logical pixels wide; transparent where there is no such icon."""
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    text = _svg(name).replace("currentColor", colour)
    if text and not picture.isNull():
        painter = QPainter(picture)
        QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(picture.rect()))
        painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


class _Drawn(QIconEngine):
    """Draws an icon when it is painted, in the size that is asked for: most actions of a window have one, and few of
    them are seen."""

    def __init__(self, name: str, colour: str, disabled: str) -> None:
        super().__init__()
        self._name, self._colour, self._disabled = name, colour, disabled

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        """A picture of this size [device pixels]."""
        colour = self._disabled if mode is QIcon.Mode.Disabled else self._colour
        return pixmap(self._name, colour, min(size.width(), size.height()))

    def paint(self, painter: QPainter | None, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw it into the middle of a rectangle [logical pixels]."""
        device = painter.device() if painter is not None else None
        if painter is not None and device is not None:
            side = min(rect.width(), rect.height())
            place = QRect(0, 0, side, side)
            place.moveCenter(rect.center())
            painter.drawPixmap(place, self.pixmap(place.size() * device.devicePixelRatioF(), mode, state))

    def clone(self) -> QIconEngine:
        """Another one of the kind."""
        return _Drawn(self._name, self._colour, self._disabled)


@lru_cache(maxsize=256)
def icon(name: str, tokens: Tokens, colour: str | None = None) -> QIcon:
    """The line icon `name` in the theme's colours, with a muted version for disabled widgets."""
    return QIcon(_Drawn(name, colour or tokens.text, tokens.disabled))


def icon_folder() -> str:
    """Where the icons are, as a style sheet names files."""
    return _folder().as_posix()


def application_icon() -> QIcon:
    """The program's own picture."""
    result = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        result.addPixmap(pixmap("simulator", "#000000", size))
    return result


def dropped_document(event: QDropEvent) -> Path | None:
    """The first dropped file that could be a document."""
    data = event.mimeData()
    urls = data.urls() if data is not None else []
    paths = (Path(url.toLocalFile()) for url in urls if url.isLocalFile())
    return next((path for path in paths if path.name.lower().endswith(DOCUMENT_SUFFIXES)), None)
