"""Findings about the document, with their lines and remedies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QSplitter, QTableWidget, QTableWidgetItem

from simulator.diagnostics import Diagnostic, Severity, printable
from simulator.errors import SimulatorError
from simulator.gui.fields import label, scaled, tip
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import Panel, column_layout
from simulator.gui.resources import icon
from simulator.gui.source_view import SourceView
from simulator.gui.theme import Theme, Tokens
from simulator.session.open.reading_choices import FALLS, HELD
from simulator.session.save.repairs import Repair, mend, repair_of

COLUMNS = ("", "Code", "Place", "Message")
_ICONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}


class DiagnosticsPanel(Panel):
    """A table of findings; a click shows the line, a double click opens it in the user's editor. Remedies of a finding
    are offered beside it: `folder_wanted` asks for a folder to search."""

    folder_wanted = pyqtSignal()

    def __init__(self, live: LiveSession, theme: Theme) -> None:
        super().__init__(
            theme, "diagnostics", QCoreApplication.translate("DiagnosticsPanel", "Diagnostics"), "diagnostics"
        )
        self.findings: tuple[Diagnostic, ...] = ()
        self.table = QTableWidget(0, len(COLUMNS))
        self.source = SourceView(theme.tokens)
        self._live = live
        self._repair: Repair | None = None
        self.hint = label("", "muted")
        self.mend, self.folder, self.hold = QPushButton(), QPushButton(self.tr("Add resource folder…")), QPushButton()
        self._arrange()
        self.table.itemSelectionChanged.connect(self._show_chosen)
        self.table.itemDoubleClicked.connect(lambda _item: self.open_editor())
        live.diagnostics_changed.connect(self.show_findings)
        theme.changed.connect(self._set_tokens)
        self.show_findings(())

    def show_findings(self, findings: Sequence[Diagnostic]) -> None:
        """List findings, the worst first, else in document order."""
        order = list(Severity)
        self.findings = tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))
        self.table.setRowCount(len(self.findings))
        for row, finding in enumerate(self.findings):
            self._fill_row(row, finding)
        self.table.resizeColumnToContents(1)
        self.table.resizeColumnToContents(2)
        if self.findings:
            self.show_main()
            self.table.selectRow(0)
            self._show_chosen()  # the row may have been selected before, with another finding in it
        else:
            self.show_empty(
                self.tr("Nothing to report. Errors and warnings about the document appear here, with their line.")
            )

    def as_table(self) -> PanelTable:
        """All findings, in their order."""
        rows = [(f.severity.value, f.code, f.file, f.line, f.message, f.hint) for f in self.findings]
        return PanelTable(("severity", "code", "file", "line", "message", "hint"), rows)

    def chosen(self) -> Diagnostic | None:
        """The selected finding."""
        row = self.table.currentRow()
        return self.findings[row] if 0 <= row < len(self.findings) else None

    def show_finding(self, finding: Diagnostic) -> None:
        """Bring up a finding and its line."""
        if finding in self.findings:
            self.bring_up()
            self.table.selectRow(self.findings.index(finding))

    def open_editor(self) -> None:
        """Open the file of the selected finding in the program that the system has for it."""
        finding = self.chosen()
        if finding is not None and finding.file and Path(finding.file).exists():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(finding.file).resolve())))

    def _arrange(self) -> None:
        self.table.setHorizontalHeaderLabels([self.tr(text) if text else "" for text in COLUMNS])
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setAccessibleName(self.tr("Findings about the document"))
        rows, header = self.table.verticalHeader(), self.table.horizontalHeader()
        if rows is not None and header is not None:
            rows.hide()
            rows.setDefaultSectionSize(scaled(28))
            header.setStretchLastSection(True)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(30)
            header.resizeSection(0, 34)
        self.hint.setWordWrap(True)
        self.hint.setMargin(8)
        self.hint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        right = label()
        column = column_layout(right)
        column.addWidget(self.hint)
        column.addLayout(self._offers())
        column.addWidget(self.source, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.table)
        splitter.addWidget(right)
        splitter.setSizes([760, 560])
        splitter.setHandleWidth(1)
        self.set_main(splitter)

    def _fill_row(self, row: int, finding: Diagnostic) -> None:
        place = f"{Path(finding.file).name}:{finding.line}" if finding.file else ""
        for column, text in enumerate(("", finding.code, place, finding.folded_message)):
            cell = QTableWidgetItem(printable(text))
            cell.setToolTip(
                tip(f"{finding.severity.value}: {printable(finding.folded_message)}\n{finding.hint}".strip())
            )
            self.table.setItem(row, column, cell)
        self._colour_row(row, finding)

    def _colour_row(self, row: int, finding: Diagnostic) -> None:
        tokens = self.theme.tokens
        colour = {Severity.ERROR: tokens.error, Severity.WARNING: tokens.warning, Severity.INFO: tokens.info}
        cell = self.table.item(row, 0)
        if cell is not None:
            cell.setIcon(icon(_ICONS[finding.severity], tokens, colour[finding.severity]))

    def _offers(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 8)
        for button, do in (
            (self.mend, self._mend), (self.folder, self.folder_wanted.emit), (self.hold, self._hold),
        ):  # fmt: skip
            button.hide()
            button.clicked.connect(lambda _checked=False, do=do: do())
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _offer(self, finding: Diagnostic) -> None:
        """What can be done about a finding, as buttons."""
        self._repair = repair_of(finding)
        if self._repair is not None:
            self.mend.setText(self.tr("Replace by {name}").format(name=printable(self._repair.right)))
        self.mend.setVisible(self._repair is not None)
        self.folder.setVisible(finding.code == "URI_LOOKUP")
        self.hold.setText(self.tr("Let it fall") if finding.code == HELD else self.tr("Hold it"))
        held = self._live.path is not None and self._live.reading.options_for(self._live.path).hold_base
        self.hold.setVisible(finding.code == FALLS or (finding.code == HELD and held))

    def _mend(self) -> None:
        repair = self._repair
        path = self._live.path
        if repair is None or path is None:
            return
        try:
            edit = mend(repair, path, self._live.reading.options_for(path))
        except SimulatorError as error:
            self.hint.setText(str(error))
            return
        self._live.edited(edit, self.tr("Replacement by {name}").format(name=repair.right))

    def _hold(self) -> None:
        finding = self.chosen()
        if finding is not None:
            self._live.answer(finding.code == FALLS)

    def _show_chosen(self) -> None:
        finding = self.chosen()
        if finding is None:
            return
        self._offer(finding)
        self.hint.setText(f"{printable(finding.folded_message)}\n{finding.hint}".strip())
        if finding.file:
            self.source.show_line(Path(finding.file), finding.line)
        else:
            self.source.setPlainText("")

    def _set_tokens(self, tokens: Tokens) -> None:
        self.source.set_tokens(tokens)
        for row, finding in enumerate(self.findings):
            self._colour_row(row, finding)
