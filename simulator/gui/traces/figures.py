"""Pictures of the plots: what is on show, as pixels or as lines."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QPainter
from PyQt6.QtSvg import QSvgGenerator
from PyQt6.QtWidgets import QWidget


def write_figure(widget: QWidget, path: Path) -> None:
    """Write a widget as PNG, or as SVG by the name of the file. Raises OSError where that cannot be."""
    if path.suffix.lower() != ".svg":
        if not widget.grab().save(str(path)):
            raise OSError(f"{path} is not a place or a format that a picture can be written to")
        return
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(widget.rect())
    painter = QPainter()
    if not painter.begin(generator):
        raise OSError(f"{path} cannot be written")
    widget.render(painter)
    painter.end()
