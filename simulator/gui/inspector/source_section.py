"""The lines of the document that define the selected item, and findings about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QPushButton, QWidget

from simulator.diagnostics import Diagnostic, Source, printable
from simulator.gui.fields import label, tip
from simulator.gui.panels.panel import clear_layout, column_layout
from simulator.gui.source_view import SourceView, text_of
from simulator.model.names import tail_name
from simulator.session.open.element_lines import element_lines

if TYPE_CHECKING:
    from simulator.gui.theme import Tokens

MOST = 8
"""Findings that are listed; the panel *Diagnostics* has all."""
LONGEST = 40
"""Lines of source that are shown."""


class FindingsSection(QWidget):
    """`chosen` carries the finding that was clicked."""

    chosen = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self._findings: tuple[Diagnostic, ...] = ()
        self._rows = column_layout(self, spacing=4)
        self._rows.setContentsMargins(12, 2, 12, 10)

    def rows(self) -> list[tuple[str, str, str]]:
        """Code, and place with message, of each."""
        return [(one.code, f"{one.file}:{one.line}: {one.message}", "") for one in self._findings]

    def show_findings(self, findings: Sequence[Diagnostic]) -> None:
        """List these."""
        self._findings = tuple(findings)
        clear_layout(self._rows)
        for finding in findings[:MOST]:
            text = label(f"{finding.severity.value}: {printable(finding.folded_message)}")
            text.setWordWrap(True)
            text.setProperty("level", finding.severity.value)
            text.setToolTip(tip(finding.hint))
            button = QPushButton(self.tr("{code} in line {line}").format(code=finding.code, line=finding.line))
            button.setProperty("role", "link")
            button.clicked.connect(partial(lambda finding, _checked=False: self.chosen.emit(finding), finding))
            self._rows.addWidget(text)
            self._rows.addWidget(button)
        if len(findings) > MOST:
            self._rows.addWidget(label(self.tr("and {n} more").format(n=len(findings) - MOST), "muted"))


class SourceSection(QWidget):
    """The element as it is written, and a button that opens its line."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._place: Source | None = None
        self.view, self.open = SourceView(tokens), QPushButton(self.tr("Open in editor"))
        self.view.setAccessibleName(self.tr("Source of the selected item"))
        column = column_layout(self, spacing=6)
        column.setContentsMargins(12, 2, 12, 10)
        column.addWidget(self.view)
        column.addWidget(self.open)
        self.open.clicked.connect(lambda _checked=False: self._open())

    def show_source(self, place: Source | None) -> bool:
        """The element at a place; says whether there is something to show."""
        self._place = place
        path = Path(place.file) if place is not None else None
        if place is None or path is None or not path.is_file() or place.line <= 0:
            return False
        first, last = lines_of(place)
        self.view.show_lines(path, first, min(last, first + LONGEST - 1))
        return True

    def _open(self) -> None:
        if self._place is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self._place.file).resolve())))


def lines_of(place: Source) -> tuple[int, int]:
    """First and last line of the element at a place."""
    path = Path(place.file)
    try:
        return _lines(path, path.stat().st_mtime, place.line)
    except OSError:
        return place.line, place.line


@lru_cache(maxsize=64)
def _lines(path: Path, _changed: float, line: int) -> tuple[int, int]:
    return element_lines(text_of(path), line)


def findings_about(findings: Sequence[Diagnostic], place: Source | None, name: str) -> tuple[Diagnostic, ...]:
    """Those within the lines of an element, and those that name it."""
    first, last = lines_of(place) if place is not None and Path(place.file).is_file() else (0, 0)
    tail = tail_name(name)
    quoted = {f"'{name}'", f"'{tail}'"}

    def concerns(finding: Diagnostic) -> bool:
        inside = place is not None and finding.file == place.file and first <= finding.line <= last
        return inside or any(text in finding.message or text in finding.others for text in quoted)

    return tuple(finding for finding in findings if concerns(finding))
