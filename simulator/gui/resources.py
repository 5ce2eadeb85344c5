"""Icons that ship with the program, in a checkout and in an installed wheel, and types of files to open."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PyQt6.QtCore import QByteArray, QRectF, Qt
from PyQt6.QtGui import QDropEvent, QIcon, QPainter, QPixmap
from PyQt6.QtSvg import QSvgRenderer

from simulator.gui.tokens import Tokens

PACKAGE = Path(__file__).resolve().parents[1]
SIZES = (16, 20, 24, 32, 48)
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
    if text:
        painter = QPainter(picture)
        QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(picture.rect()))
        painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


@lru_cache(maxsize=256)
def icon(name: str, tokens: Tokens, colour: str | None = None) -> QIcon:
    """The line icon `name` in the theme's colours, with a muted version for disabled widgets."""
    result = QIcon()
    for size in SIZES:
        result.addPixmap(pixmap(name, colour or tokens.text, size))
        result.addPixmap(pixmap(name, tokens.disabled, size), QIcon.Mode.Disabled)
        result.addPixmap(pixmap(name, colour or tokens.text, size), QIcon.Mode.Selected)
    return result


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
