"""Findings with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.diagnostics import Diagnostic, Severity
from tests.gui.conftest import Bench

TEXT = "\n".join(f"<line number='{n}'/>" for n in range(1, 60))


def finding(path: Path, line: int, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(severity, "CODE", str(path), line, f"message {line}", "a hint")


def test_errors_come_first_and_a_click_shows_the_line(bench: Bench) -> None:
    path = bench.file("a.sdf", TEXT)
    panel = bench.window.diagnostics_panel
    panel.show_findings([finding(path, 3, Severity.INFO), finding(path, 40), finding(path, 9, Severity.WARNING)])
    assert [f.line for f in panel.findings] == [40, 9, 3]
    assert panel.source.line == 40
    panel.table.selectRow(2)
    assert panel.source.line == 3
    assert panel.source.textCursor().block().text() == "<line number='3'/>"
    assert "a hint" in panel.hint.text()


@pytest.mark.parametrize("line", [0, 10_000])
def test_a_line_that_does_not_exist_marks_nothing(bench: Bench, line: int) -> None:
    panel = bench.window.diagnostics_panel
    panel.show_findings([finding(bench.file("a.sdf", TEXT), line)])
    assert panel.source.extraSelections() == []


def test_a_file_that_is_gone_is_said_to_be(bench: Bench) -> None:
    panel = bench.window.diagnostics_panel
    panel.show_findings([finding(bench.folder / "gone.sdf", 3)])
    assert "cannot be read" in panel.source.toPlainText()


def test_a_double_click_opens_the_editor(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("PyQt6.QtGui.QDesktopServices.openUrl", lambda url: asked.append(url.toLocalFile()))
    path = bench.file("a.sdf", TEXT)
    panel = bench.window.diagnostics_panel
    panel.show_findings([finding(path, 3)])
    item = panel.table.item(0, 3)
    assert item is not None
    panel.table.itemDoubleClicked.emit(item)
    assert asked == [str(path)]


def test_the_status_bar_counts_and_opens_the_panel(bench: Bench) -> None:
    bench.open()
    panel = bench.window.diagnostics_panel
    bench.live.add_finding(finding(bench.folder / "a.sdf", 3, Severity.WARNING))
    bench.live.add_finding(finding(bench.folder / "a.sdf", 4, Severity.WARNING))
    assert bench.window.status.count.text() == "2 warnings"
    panel.close()
    bench.window.status.count.click()
    assert not panel.isHidden()


def test_what_runs_adds_its_findings_and_another_document_forgets_them(bench: Bench) -> None:
    bench.open()
    of_document, of_run = bench.live.diagnostics, finding(bench.folder / "a.sdf", 5, Severity.WARNING)
    bench.client.findings = (of_run,)
    bench.live.poll()
    assert bench.live.diagnostics == (*of_document, of_run)
    assert of_run in bench.window.diagnostics_panel.findings
    bench.open()
    assert of_run not in bench.window.diagnostics_panel.findings
